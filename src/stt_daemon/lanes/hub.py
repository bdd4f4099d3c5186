"""The model hub, through huggingface_hub. Called from the thread that loads the model."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stt_daemon.lanes.model_files import HubError

_FILES = ("config.json", "preprocessor_config.json", "model.bin", "tokenizer.json", "vocabulary.*")


def prepare_environment(*, offline: bool) -> None:
    """Set what the hub's library reads from the environment, once, before it is imported.

    Offline holds for the whole process and its children. A token that is set but blank is no token, and
    sent as one it turns public models into refusals.
    """
    if offline:
        os.environ["HF_HUB_OFFLINE"] = "1"
    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"):
        if name in os.environ and not os.environ[name].strip():
            del os.environ[name]
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")


class HuggingFaceHub:
    """Implements `Hub` on the user's own cache folder. `files` are the patterns of what a model needs."""

    def __init__(self, files: Sequence[str] = _FILES) -> None:
        self._files = list(files)

    def cached(self, repository: str) -> Path | None:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import LocalEntryNotFoundError

        try:
            return Path(snapshot_download(repository, allow_patterns=self._files, local_files_only=True))
        except LocalEntryNotFoundError as error:
            # Newer versions refuse a snapshot they know to be incomplete, and name it.
            partial = getattr(error, "snapshot_path", None)
            return Path(partial) if partial else None
        except ValueError as error:
            raise HubError(f"{repository!r} is no name of a model: {error}", 404) from error

    def fetch(self, repository: str, *, again: bool) -> Path:
        from huggingface_hub import get_token, snapshot_download
        from huggingface_hub.errors import HfHubHTTPError

        try:
            # A forced download replaces each file only when the new one is whole.
            return Path(snapshot_download(repository, allow_patterns=self._files, force_download=again))
        except HfHubHTTPError as error:
            raise HubError(_line(error), _status(error), token_in_use=get_token() is not None) from error
        except (OSError, ValueError) as error:
            raise HubError(
                _line(error), _status(error.__cause__), token_in_use=get_token() is not None
            ) from error
        except Exception as error:
            # The HTTP library beneath changed between versions; its errors share no root but this one.
            if type(error).__module__.partition(".")[0] in ("httpx", "httpx2", "httpcore", "requests"):
                raise HubError(_line(error)) from error
            raise


def _status(error: Any) -> int:
    response = getattr(error, "response", None)
    return int(getattr(response, "status_code", 0) or 0)


def _line(error: BaseException) -> str:
    """The first line of an error's text; the hub's run over many."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]
