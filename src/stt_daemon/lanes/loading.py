"""Puts files, place and engine together: what the whisper lane's loader does in its worker thread."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from pathlib import Path

from stt_daemon.errors import ModelError, SttDaemonError
from stt_daemon.lanes.engine import FasterWhisperEngine
from stt_daemon.lanes.fallback import FallbackEngine
from stt_daemon.lanes.hub import HuggingFaceHub, prepare_environment
from stt_daemon.lanes.model_files import (
    Hub,
    ModelFiles,
    resolve_model,
    settle_language,
)
from stt_daemon.lanes.placement import Placement, places
from stt_daemon.lanes.speech_engine import SpeechEngine
from stt_daemon.messages import Warned

log = logging.getLogger(__name__)

Build = Callable[[ModelFiles, Placement], SpeechEngine]
"""Makes a warmed engine of checked files at a place; raises what CTranslate2 raises."""


def load_speech_engine(
    model: str = "auto",
    *,
    device: str = "auto",
    compute_type: str = "auto",
    cpu_threads: int = 0,
    language: str = "",
    offline: bool = False,
    marker: Path | None = None,
    on_notice: Callable[[Warned], None] = lambda _notice: None,
    hub: Hub | None = None,
    build: Build | None = None,
) -> SpeechEngine:
    """Find, load and warm the configured model. Takes seconds, or minutes when it has to be fetched.

    `marker` is a path for the file that tells of a process that died at its first use of a GPU (see
    `FallbackEngine`). `build` makes another engine than the one for segments. Raises ModelError with one
    readable line, and ConfigError when the model does not know the configured `language` (`check_language`
    finds most of these before the start).
    """
    prepare_environment(offline=offline)
    hub = hub or HuggingFaceHub()

    def fetching(message: str) -> None:
        on_notice(Warned(where="whisper", code="fetching", message=message))

    files = resolve_model(model, offline=offline, hub=hub, on_fetch=fetching)
    settle_language(files.name, files.english_only, language)
    candidates, note = places(device, compute_type, gpus=_gpus(), supported=_supported)
    if note:
        on_notice(Warned(where="whisper", code="compute_type", message=note))

    def for_segments(known: ModelFiles, place: Placement) -> SpeechEngine:
        return FasterWhisperEngine(known.folder, known.name, place, cpu_threads=cpu_threads)

    def refetch() -> ModelFiles:
        return resolve_model(model, offline=offline, hub=hub, again=True, on_fetch=fetching)

    return open_engine(files, refetch, build or for_segments, candidates, on_notice=on_notice, marker=marker)


def open_engine(
    files: ModelFiles,
    refetch: Callable[[], ModelFiles],
    build: Build,
    candidates: tuple[Placement, ...],
    *,
    on_notice: Callable[[Warned], None],
    marker: Path | None = None,
) -> FallbackEngine:
    """Build the engine; files that look whole and cannot be read are fetched once more, if from the hub."""

    def attempt(known: ModelFiles) -> FallbackEngine:
        return FallbackEngine(
            lambda place: build(known, place), candidates, on_notice=on_notice, marker=marker
        )

    try:
        return attempt(files)
    except SttDaemonError:
        raise
    except Exception as error:
        if not _is_damage(error):
            raise ModelError(f"the speech model in {files.folder} cannot be loaded: {error}") from error
        log.warning("the model files in %s are damaged: %s", files.folder, error)
        if not files.repository:
            raise ModelError(
                f"the speech model in {files.folder} is damaged: {error}", mend="copy or install it again"
            ) from error
    fetched = refetch()
    try:
        return attempt(fetched)
    except (RuntimeError, ValueError) as error:
        raise ModelError(f"the speech model in {fetched.folder} cannot be loaded: {error}") from error


_DAMAGE = ("incomplete", "failed to read", "unable to open file", "unsupported model binary", "eof", "parse")


def _is_damage(error: Exception) -> bool:
    """Whether CTranslate2, or the tokenizer's reader, stumbled over the bytes of a file."""
    return any(word in str(error).casefold() for word in _DAMAGE)


def _gpus() -> int:
    import ctranslate2

    try:
        return int(ctranslate2.get_cuda_device_count())
    except RuntimeError as error:
        # A driver older than the runtime raises instead of counting zero.
        log.warning("CUDA devices cannot be counted: %s", error)
        return 0


def _supported(device: str) -> Collection[str]:
    import ctranslate2

    try:
        return set(ctranslate2.get_supported_compute_types(device))
    except (RuntimeError, ValueError) as error:
        log.warning("number formats of %s cannot be listed: %s", device, error)
        return ()
