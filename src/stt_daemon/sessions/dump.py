"""Records for troubleshooting: one JSON file each, named by local time, never over another.

Any thread. The files hold words of a session and are readable by their owner only. How to put a record
together is not decided here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stt_daemon.domain.text import whole
from stt_daemon.sessions.files import disk_error, ensure_private_dirs, write_new
from stt_daemon.sessions.text import local_time


def write_dump(root: Path, record: Mapping[str, Any]) -> Path:
    """Write a record under `root/YYYY-MM-DD/HHMMSS-mmm.json`, by its `ts` (epoch seconds), and return where.

    A second one of the same millisecond gets `-1` behind its name. Raises SessionError, and ValueError for
    what JSON cannot hold.
    """
    moment = local_time(round(float(record["ts"]), 3))
    folder = root / moment.strftime("%Y-%m-%d")
    text = json.dumps(record, ensure_ascii=False, indent=2, default=str)
    try:
        ensure_private_dirs(folder)
    except OSError as error:
        raise disk_error(folder, error, doing="make") from error
    name = f"{moment:%H%M%S}-{moment.microsecond // 1000:03d}.json"
    return write_new(folder / name, whole(text) + "\n", private=True)
