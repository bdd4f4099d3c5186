"""The laya package, which this module alone touches. Worker thread only; importing it loads no model library.

The package is pinned to one version, and not only for its answers: how it cuts a state, what it prints and
what it keeps in which attribute is relied on here.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

from stt_daemon.domain.text import one_line
from stt_daemon.errors import ModelError, SttDaemonError
from stt_daemon.lanes.hub import HuggingFaceHub, prepare_environment
from stt_daemon.lanes.laya_asking import AskingEngine
from stt_daemon.lanes.laya_files import CHECKPOINT, HUB_FILES, find_checkpoint, stand_in
from stt_daemon.lanes.laya_state import newest_that_fits
from stt_daemon.lanes.model_files import Hub
from stt_daemon.messages import Warned

log = logging.getLogger(__name__)

LAYA_VERSION = "0.3.20"
LAYA_REVISION = "970dc8c5f63d7b886a68409493f37d569424f933"
"""The commit of the package that has this version."""


def load_laya(
    *,
    checkpoint_dir: str = "",
    device: str = "",
    max_tokens: int = 1024,
    offline: bool = False,
    on_notice: Callable[[Warned], None] = lambda _notice: None,
    hub: Hub | None = None,
) -> AskingEngine:
    """Find, load, warm and test the checkpoint. Takes seconds, or minutes when it has to be fetched.

    Raises ModelError with one readable line.
    """
    prepare_environment(offline=offline)
    # Its native code warns on the terminal when a program is started after it has used threads.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    require_package()

    def fetching(message: str) -> None:
        on_notice(Warned(where="laya", code="fetching", message=message))

    hub = hub or HuggingFaceHub(HUB_FILES)
    folder = find_checkpoint(checkpoint_dir, offline=offline, hub=hub, on_fetch=fetching)
    try:
        return AskingEngine(
            partial(PackagedModel, folder, max_tokens=max_tokens), device, on_notice=on_notice
        )
    except SttDaemonError:
        raise
    except Exception as error:
        # The file readers beneath raise classes of their own, some of them plain Exception.
        why = f"{type(error).__name__}: {one_line(str(error))}"
        raise ModelError(f"the Laya checkpoint in {folder} cannot be loaded: {why}") from error


def require_package(version_of: Callable[[str], str] = metadata.version) -> None:
    """Raises ModelError unless the package is there in the version that is known."""
    try:
        found = version_of("laya")
    except metadata.PackageNotFoundError as error:
        raise ModelError("the package laya is not installed", mend='install the "triage" extra') from error
    if found != LAYA_VERSION:
        raise ModelError(
            f"the package laya is installed in version {found}, and {LAYA_VERSION} is needed",
            mend='install the "triage" extra again',
        )


class PackagedModel:
    """The multilingual checkpoint in `folder`, loaded on `device` ("" leaves the choice to Laya)."""

    def __init__(self, folder: Path, device: str, *, max_tokens: int) -> None:
        self.remark = ""
        self._make_quiet()
        from laya import Router

        with stand_in(folder) as place:
            router = Router(models={CHECKPOINT: str(place)}, device=device or None, default=CHECKPOINT)
            router.preload([CHECKPOINT])
        self.router: Any = router
        self._agent: Any = router.load(CHECKPOINT)
        self._tokenizer: Any = self._agent.tok
        # "[SEP]" and the like are then words when somebody says them, and only Laya itself sets the marks.
        self._tokenizer.split_special_tokens = True
        self._mask: str = self._tokenizer.mask_token
        self._max_tokens = min(max_tokens, int(self._agent.cfg.get("max_len", max_tokens)))
        log.info("Laya %s is loaded from %s on %s", LAYA_VERSION, folder, self.device)

    @property
    def device(self) -> str:
        """Where it runs now; Laya moves to the processor by itself when a GPU has no memory left."""
        return str(self._agent.device.type)

    def fit(self, lines: Sequence[str], questions: Mapping[str, Any]) -> tuple[str, Mapping[str, int]]:
        """The newest words of the lines that leave every question its room, and each question's tokens."""
        internal = {qid: self._agent._to_internal(definition) for qid, definition in questions.items()}
        items = self._agent._encode_state("", list(internal), internal, self._max_tokens)
        heads = {qid: len(item["ids"]) for qid, item in zip(internal, items, strict=True)}
        room = self._max_tokens - max(heads.values(), default=0)
        # Laya leaves the mask's name out of a state; broken in two it is read like other words.
        inert = [line.replace(self._mask, f"{self._mask[0]} {self._mask[1:]}") for line in lines]
        state, tokens = newest_that_fits(inert, room, self._token_starts)
        return state, {qid: head + tokens for qid, head in heads.items()}

    def request(self, state: str, questions: Mapping[str, Any], language: str) -> dict[str, Any]:
        """The arguments of a call."""
        return {
            "state": state,
            "questions": dict(questions),
            "model": CHECKPOINT,
            "lang": language or None,
            "max_len": self._max_tokens,
        }

    def predict(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """One call."""
        self.remark = ""
        result: dict[str, Any] = self.router.predict(**request)
        return result

    def _token_starts(self, text: str) -> list[int]:
        found = self._tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
        return [start for start, _end in found["offset_mapping"]]

    def _make_quiet(self) -> None:
        """Send to the log what the libraries would write on a terminal.

        Laya talks by `print` and `warnings`, both looked up in its module: they are replaced there, and
        nothing else in the process is redirected.
        """
        import laya.agent
        from transformers.utils import logging as transformers_logging

        transformers_logging.disable_default_handler()
        transformers_logging.enable_propagation()
        transformers_logging.disable_progress_bar()
        module: Any = laya.agent
        module.print = self._heard
        module.warnings = _Warnings

    def _heard(self, *words: object, **_options: object) -> None:
        self.remark = one_line(" ".join(map(str, words)))
        log.warning("Laya says: %s", self.remark)


class _Warnings:
    """Stands for the module `warnings` in Laya's."""

    @staticmethod
    def warn(message: object, *_details: object, **_options: object) -> None:
        log.warning("Laya warns: %s", one_line(str(message)))
