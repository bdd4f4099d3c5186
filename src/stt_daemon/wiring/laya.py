"""Who gets which real part for the classifier: the lane with the keys of `[triage]`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from stt_daemon.config import Config
from stt_daemon.domain import Clock
from stt_daemon.lanes.laya import Classifying, LayaLane, LayaOutcome
from stt_daemon.lanes.laya_engine import load_laya
from stt_daemon.messages import Warned

Post = Callable[[object], None]
"""Puts something into the core's inbox; any thread, never blocks."""


@dataclass(frozen=True)
class LayaWarning:
    """What the lane warns of. No message of its own: those of other children arrive in the same inbox."""

    warning: Warned


def build_laya_lane(
    config: Config, *, offline: bool, on_outcome: Callable[[LayaOutcome], None], post: Post, clock: Clock
) -> LayaLane:
    """The lane with the configured checkpoint, not started yet. It posts its states and `LayaWarning`.

    Nothing of Laya or torch is imported before it is started.
    """
    triage = config.triage

    def load() -> Classifying:
        return load_laya(
            checkpoint_dir=triage.checkpoint_dir,
            device=triage.device,
            max_tokens=triage.predict_max_tokens,
            offline=offline,
            on_notice=lambda warning: post(LayaWarning(warning)),
        )

    return LayaLane(load, on_outcome=on_outcome, on_state=post, clock=clock)
