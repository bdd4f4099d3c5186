from __future__ import annotations

import os
from pathlib import Path

import pytest

from stt_daemon.apps.oneshot.transcribe import FileOutcome, parse_formats, transcribe_files
from stt_daemon.errors import AudioError, ModelError, SessionError, UsageError
from stt_daemon.wiring.offline import OfflineTranscriber
from tests.fakes.offline import FakeTranscriber
from tests.unit.sessions.builders import utterance


@pytest.fixture
def fake() -> FakeTranscriber:
    return FakeTranscriber({"a.mp3": [utterance("Hello.")], "b.mp3": [utterance("Bye.")], "a.wav": []})


def touch(folder: Path, *names: str) -> list[Path]:
    paths = [folder / name for name in names]
    for path in paths:
        path.write_bytes(b"sound")
    return paths


def run(
    files: list[Path], fake: OfflineTranscriber, formats: str = "txt", out: Path | None = None
) -> list[FileOutcome]:
    return list(
        transcribe_files(
            files, lambda: fake, formats=parse_formats(formats), out=out, on_progress=lambda *_: None
        )
    )


def test_one_file_in_one_format_is_text_for_stdout_and_writes_nothing(
    tmp_path: Path, fake: FakeTranscriber
) -> None:
    (outcome,) = run(touch(tmp_path, "a.mp3"), fake)
    assert outcome.text == "00:00:00 Speaker: Hello.\n"
    assert outcome.result is not None
    assert outcome.result.language == "en"
    assert [path.name for path in tmp_path.iterdir()] == ["a.mp3"]


def test_several_formats_are_written_beside_the_input(tmp_path: Path, fake: FakeTranscriber) -> None:
    (outcome,) = run(touch(tmp_path, "a.mp3"), fake, "txt,srt,json")
    assert outcome.text == ""
    assert [path.name for path in outcome.written] == ["a.txt", "a.srt", "a.json"]
    assert '"language": "en"' in (tmp_path / "a.json").read_text(encoding="utf-8")


def test_several_files_get_a_text_each_beside_them(tmp_path: Path, fake: FakeTranscriber) -> None:
    outcomes = run(touch(tmp_path, "a.mp3", "b.mp3"), fake)
    assert [outcome.text for outcome in outcomes] == ["", ""]
    assert (tmp_path / "b.txt").read_text(encoding="utf-8") == "00:00:00 Speaker: Bye.\n"


def test_a_folder_asked_for_is_made_and_used(tmp_path: Path, fake: FakeTranscriber) -> None:
    run(touch(tmp_path, "a.mp3"), fake, "md", out=tmp_path / "deep" / "er")
    assert (tmp_path / "deep" / "er" / "a.md").exists()


def test_nothing_is_overwritten(tmp_path: Path, fake: FakeTranscriber) -> None:
    (tmp_path / "a.txt").write_text("mine", encoding="utf-8")
    (tmp_path / "a-1.txt").symlink_to(tmp_path / "nowhere")
    outcomes = run(touch(tmp_path, "a.mp3", "a.wav"), fake)
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "mine"
    assert [path.name for outcome in outcomes for path in outcome.written] == ["a-2.txt", "a-3.txt"]
    assert not (tmp_path / "nowhere").exists()


def test_one_bad_file_does_not_stop_the_others(tmp_path: Path, fake: FakeTranscriber) -> None:
    fake.script["bad.mp3"] = AudioError("bad.mp3 holds no sound", mend="give a sound file")
    fake.script["odd.mp3"] = ZeroDivisionError("odd")
    files = [tmp_path / "absent.mp3", tmp_path, *touch(tmp_path, "bad.mp3", "odd.mp3", "a.mp3")]
    outcomes = run(files, fake)
    lines = [outcome.error.line() if outcome.error else "" for outcome in outcomes]
    assert "No such file" in lines[0]
    assert "Is a directory" in lines[1]
    assert lines[2] == "bad.mp3 holds no sound (give a sound file)"
    assert "odd.mp3: ZeroDivisionError" in lines[3]
    assert lines[4] == ""
    assert outcomes[4].result is not None


def test_a_misspelt_name_costs_no_model(tmp_path: Path) -> None:
    def load() -> OfflineTranscriber:
        raise AssertionError("loaded")

    (outcome,) = transcribe_files(
        [tmp_path / "absent.wav"], load, formats=["txt"], out=None, on_progress=lambda *_: None
    )
    assert outcome.error is not None


def test_the_model_is_loaded_once_and_its_absence_ends_the_job(tmp_path: Path, fake: FakeTranscriber) -> None:
    loads: list[int] = []

    def load() -> OfflineTranscriber:
        loads.append(1)
        return fake

    files = touch(tmp_path, "a.mp3", "b.mp3")
    list(transcribe_files(files, load, formats=["txt"], out=None, on_progress=lambda *_: None))
    assert len(loads) == 1

    def missing() -> OfflineTranscriber:
        raise ModelError("no model")

    with pytest.raises(ModelError):
        list(transcribe_files(files, missing, formats=["txt"], out=None, on_progress=lambda *_: None))


def test_progress_names_its_file(tmp_path: Path, fake: FakeTranscriber) -> None:
    told: list[tuple[str, float, float]] = []
    list(
        transcribe_files(
            touch(tmp_path, "a.mp3"),
            lambda: fake,
            formats=["txt"],
            out=None,
            on_progress=lambda path, done, total: told.append((path.name, done, total)),
        )
    )
    assert told == [("a.mp3", 0.0, 11.0), ("a.mp3", 11.0, 11.0)]


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_folder_that_cannot_be_written_is_found_out_before_the_work(
    tmp_path: Path, fake: FakeTranscriber
) -> None:
    files = touch(tmp_path, "a.mp3")
    tmp_path.chmod(0o500)
    try:
        (outcome,) = run(files, fake, "txt,md")
    finally:
        tmp_path.chmod(0o700)
    assert outcome.error is not None
    assert "--out" in outcome.error.mend
    assert fake.asked == []


def test_an_output_folder_that_cannot_be_made_is_a_readable_error(
    tmp_path: Path, fake: FakeTranscriber
) -> None:
    files = touch(tmp_path, "a.mp3")
    with pytest.raises(SessionError, match="cannot make"):
        run(files, fake, out=files[0] / "sub")


def test_formats_are_read_forgivingly_and_each_once() -> None:
    assert parse_formats(" TXT, srt,txt,") == ("txt", "srt")


@pytest.mark.parametrize("text", ["", ",", "txt,docx"])
def test_formats_nobody_knows_are_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_formats(text)
    assert "txt, md, srt, vtt, json" in caught.value.mend
