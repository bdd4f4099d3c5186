from __future__ import annotations

from pathlib import Path

import pytest

from stt_daemon.cli import main


def test_transcribing_what_is_not_there_is_one_line_and_exit_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["transcribe", str(tmp_path / "absent.wav")]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err == f"error: cannot read {tmp_path / 'absent.wav'}: No such file or directory\n"


def test_an_unknown_format_is_a_usage_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["transcribe", str(tmp_path / "a.wav"), "--format", "docx"]) == 2
    assert "accepted: txt, md, srt, vtt, json" in capsys.readouterr().err


def test_transcribe_without_a_file_is_a_usage_error() -> None:
    assert main(["transcribe"]) == 2
