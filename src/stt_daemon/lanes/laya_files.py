"""Which folder holds the Laya checkpoint, whether it is whole, and a stand-in that Laya may write to.

Called from the thread that loads the model; asks the network only through a `Hub`, and only when the cache
does not answer.
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from stt_daemon.errors import ModelError
from stt_daemon.lanes.model_files import Hub, HubError, has_content

log = logging.getLogger(__name__)

CHECKPOINT = "multilingual"
"""The only one that is used, in every call; also the name of its subfolder."""

REPOSITORY = "convaiinnovations/laya"

CONFIG = "rl_agent_config.json"
WEIGHTS = "model.safetensors"
FILES = (
    CONFIG,
    WEIGHTS,
    "encoder/config.json",
    "tokenizer/tokenizer_config.json",
    "tokenizer/tokenizer.json",
)

HUB_FILES = tuple(f"{CHECKPOINT}/{name}" for name in (CONFIG, WEIGHTS, "encoder/*", "tokenizer/*"))
"""What is fetched of the repository, which holds more checkpoints."""


def find_checkpoint(
    checkpoint_dir: str, *, offline: bool, hub: Hub, on_fetch: Callable[[str], None] = lambda _message: None
) -> Path:
    """The folder with the checkpoint's files: the configured one, else the cached or fetched one of the hub.

    `on_fetch` hears of a download before it begins. Raises ModelError that names the file that is missing.
    """
    if checkpoint_dir:
        return _local(Path(checkpoint_dir).expanduser())
    cached = hub.cached(REPOSITORY)
    folder = cached / CHECKPOINT if cached is not None else None
    missing = missing_file(folder) if folder is not None else CONFIG
    if folder is not None and not missing:
        return folder
    state = f"the Laya checkpoint is not on disk ({missing} of {REPOSITORY}/{CHECKPOINT} is missing)"
    mend = "start once with a network, or set [triage].checkpoint_dir to a folder that holds it"
    if offline:
        raise ModelError(f"{state}, and --offline forbids fetching it", mend=mend)
    on_fetch(f"{state}; fetching it once, about 1.3 GB")
    try:
        fetched = hub.fetch(REPOSITORY, again=False) / CHECKPOINT
    except HubError as error:
        raise ModelError(f"{state}, and it cannot be fetched: {error}", mend=mend) from error
    return _whole(fetched, mend="start again; what is there is kept")


def missing_file(folder: Path) -> str:
    """The first file that is missing or empty, "" when all are there.

    None may be missed: for a tokenizer or an encoder that is not in the folder Laya would ask the hub.
    """
    return next((name for name in FILES if not has_content(folder / name)), "")


def _local(folder: Path) -> Path:
    mend = f"set [triage].checkpoint_dir to a folder with {CONFIG} in it, or in its {CHECKPOINT}"
    if not folder.is_dir():
        raise ModelError(f"there is no checkpoint folder {folder}", mend=mend)
    for place in (folder, folder / CHECKPOINT):
        if (place / CONFIG).is_file():
            return _whole(place.resolve(), mend="copy the whole checkpoint again")
    raise ModelError(
        f"the checkpoint folder {folder} holds no {CONFIG}, nor does its {CHECKPOINT}", mend=mend
    )


def _whole(folder: Path, *, mend: str) -> Path:
    missing = missing_file(folder)
    if missing:
        raise ModelError(f"the Laya checkpoint in {folder} is incomplete: no {missing}", mend=mend)
    return folder


@contextmanager
def stand_in(folder: Path) -> Iterator[Path]:
    """A private folder with links to the checkpoint's files, for as long as it is loaded.

    Laya rewrites the tokenizer's configuration where it finds it. The checkpoint may be read-only or a
    cache shared with others, and is not ours to change.
    """
    with tempfile.TemporaryDirectory(prefix="stt-daemon-laya-", ignore_cleanup_errors=True) as made:
        place = Path(made)
        try:
            for name in (
                folder / CONFIG,
                folder / WEIGHTS,
                *folder.glob("encoder/*"),
                *folder.glob("tokenizer/*"),
            ):
                link = place / name.relative_to(folder)
                link.parent.mkdir(exist_ok=True)
                link.symlink_to(name.resolve())
        except (OSError, NotImplementedError) as error:
            log.info("no links in %s (%s): Laya gets the checkpoint itself", place, error)
            place = folder
        yield place
