"""Keeps what native libraries print away from the terminal. Main thread only."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def native_noise_hidden() -> Iterator[None]:
    """Descriptor 2 leads nowhere for a while: ALSA and others print there whenever they probe a device."""
    sys.stderr.flush()
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    os.close(nowhere)
    try:
        yield
    finally:
        sys.stderr.flush()
        os.dup2(kept, 2)
        os.close(kept)
