"""Which checkpoint is taken, and which file a reason names."""

from __future__ import annotations

from pathlib import Path

import pytest

from stt_daemon.errors import ModelError
from stt_daemon.lanes.laya_files import FILES, REPOSITORY, find_checkpoint, stand_in
from stt_daemon.lanes.model_files import HubError


def make(folder: Path, without: str = "") -> Path:
    for name in FILES:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name != without:
            path.write_text(name, encoding="utf-8")
    return folder


class FakeHub:
    """A cache in a folder, and a network that fills it or fails."""

    def __init__(self, snapshot: Path, *, cached: bool = False, error: HubError | None = None) -> None:
        self.snapshot = snapshot
        self.fetched = 0
        self._cached = cached
        self._error = error

    def cached(self, repository: str) -> Path | None:
        assert repository == REPOSITORY
        return self.snapshot if self._cached else None

    def fetch(self, repository: str, *, again: bool) -> Path:
        assert repository == REPOSITORY
        self.fetched += 1
        if self._error is not None:
            raise self._error
        make(self.snapshot / "multilingual")
        return self.snapshot


@pytest.fixture
def no_hub(tmp_path: Path) -> FakeHub:
    return FakeHub(tmp_path / "hub", error=HubError("asked"))


def test_the_folder_itself_or_its_multilingual_holds_the_checkpoint(tmp_path: Path, no_hub: FakeHub) -> None:
    inner = make(tmp_path / "models" / "multilingual")
    for configured in (inner, inner.parent):
        assert find_checkpoint(str(configured), offline=False, hub=no_hub) == inner
    assert no_hub.fetched == 0


def test_a_missing_folder_is_named(tmp_path: Path, no_hub: FakeHub) -> None:
    with pytest.raises(ModelError, match=r"no checkpoint folder .*nowhere") as caught:
        find_checkpoint(str(tmp_path / "nowhere"), offline=False, hub=no_hub)
    assert "checkpoint_dir" in caught.value.mend


def test_a_folder_without_a_configuration_is_named(tmp_path: Path, no_hub: FakeHub) -> None:
    with pytest.raises(ModelError, match=r"rl_agent_config\.json"):
        find_checkpoint(str(make(tmp_path, without="rl_agent_config.json")), offline=False, hub=no_hub)


@pytest.mark.parametrize("name", FILES[1:])
@pytest.mark.parametrize("empty", [False, True])
def test_each_missing_or_empty_file_is_named_and_the_hub_not_asked(
    tmp_path: Path, no_hub: FakeHub, name: str, empty: bool
) -> None:
    make(tmp_path, without=name)
    if empty:
        (tmp_path / name).touch()
    with pytest.raises(ModelError, match=f"no {name}"):
        find_checkpoint(str(tmp_path), offline=False, hub=no_hub)
    assert no_hub.fetched == 0


def test_a_cached_checkpoint_is_used_without_asking_the_hub(tmp_path: Path) -> None:
    make(tmp_path / "multilingual")
    hub = FakeHub(tmp_path, cached=True)
    assert find_checkpoint("", offline=False, hub=hub) == tmp_path / "multilingual"
    assert hub.fetched == 0


@pytest.mark.parametrize("cached", [False, True])
def test_what_is_not_whole_is_fetched_once_and_told_before(tmp_path: Path, cached: bool) -> None:
    make(tmp_path / "multilingual", without="model.safetensors")
    hub = FakeHub(tmp_path, cached=cached)
    told: list[str] = []
    assert find_checkpoint("", offline=False, hub=hub, on_fetch=told.append) == tmp_path / "multilingual"
    assert hub.fetched == 1
    assert len(told) == 1


def test_offline_fetches_nothing_and_names_what_is_missing(tmp_path: Path) -> None:
    make(tmp_path / "multilingual", without="model.safetensors")
    hub = FakeHub(tmp_path, cached=True)
    with pytest.raises(ModelError, match=r"model\.safetensors.*--offline"):
        find_checkpoint("", offline=True, hub=hub)
    assert hub.fetched == 0


def test_a_hub_that_does_not_answer_is_one_line(no_hub: FakeHub) -> None:
    with pytest.raises(ModelError, match="cannot be fetched: asked"):
        find_checkpoint("", offline=False, hub=no_hub)


def test_what_is_written_into_the_stand_in_does_not_reach_the_checkpoint(tmp_path: Path) -> None:
    folder = make(tmp_path / "checkpoint")
    with stand_in(folder) as place:
        assert all((place / name).read_text(encoding="utf-8") == name for name in FILES)
        new = place / "tokenizer" / "new.json"
        new.write_text("patched", encoding="utf-8")
        new.replace(place / "tokenizer" / "tokenizer_config.json")
    assert not place.exists()
    assert (
        (folder / "tokenizer" / "tokenizer_config.json").read_text(encoding="utf-8").endswith("config.json")
    )
    assert sorted(path.name for path in (folder / "tokenizer").iterdir()) == [
        "tokenizer.json",
        "tokenizer_config.json",
    ]
