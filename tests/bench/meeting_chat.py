"""Questions about a recording to a real language model: does each reply cite a line that holds the answer?

    python -m tests.bench.meeting_chat FILE --llm URL --ask "QUESTION=WORDS|WORDS" ... [--rounds 1]

The program is the real one: it transcribes FILE at full speed and is then asked each question through
`--control`, one after the other in one chat, whose memory is emptied before the next round. A citation is
good when its line holds one of the words after "="; a reply holds when it has a good citation.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from tests.process.running import MAIN, environment


def events(stream: IO[str]) -> Iterator[dict[str, Any]]:
    for line in stream:
        yield json.loads(line)


def run(path: Path, llm: str, questions: dict[str, list[str]], rounds: int) -> Iterator[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as name:
        Path(name, "config.toml").write_text(
            f'[sessions]\ndir = "{name}/sessions"\n[llm]\nbase_url = "{llm}"\ntimeout_s = 600\n', "utf-8"
        )
        command = [*MAIN, "up", "--source", str(path), "--speed", "max", "--offline"]
        process = subprocess.Popen(
            [*command, "--events", "-", "--control", "-"],
            cwd=name,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert process.stdin is not None
        assert process.stdout is not None

        def types(line: str) -> None:
            assert process.stdin is not None
            process.stdin.write(f"{line}\n")
            process.stdin.flush()

        come = events(process.stdout)
        lines: dict[str, str] = {}
        ended = False
        for event in come:
            if event["type"] == "utterance":
                lines[event["id"]] = event["text"]
            if event["type"] == "turn" and ended:
                break
            ended = ended or (event["type"] == "capture" and event["state"] == "ended")
        types("/scope session")
        for number in range(rounds):
            types("/forget")
            for question, words in questions.items():
                types(question)
                notices = []
                for event in come:
                    if event["type"] == "chat" and event["role"] == "notice":
                        notices.append(event["text"])
                    if event["type"] == "chat" and event["role"] == "assistant" and event["text"]:
                        break
                    if event["type"] == "lane" and event["name"] == "llm" and event["state"] == "unavailable":
                        event = {"text": ""}
                        break
                good = [
                    cite
                    for cite in event.get("cites", ())
                    if any(word.lower() in lines.get(cite, "").lower() for word in words)
                ]
                yield {
                    "round": number + 1,
                    "question": question,
                    "reply": event["text"],
                    "cites": event.get("cites", ()),
                    "good": good,
                    "seconds": (event.get("usage") or {}).get("duration_s"),
                    "notices": notices,
                }
        types("/stop")
        for _ in come:
            pass
        process.wait(60)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--llm", required=True, metavar="URL")
    parser.add_argument("--ask", action="append", required=True, metavar="QUESTION=WORDS|WORDS")
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    questions = {}
    for asked in options.ask:
        question, _, words = asked.rpartition("=")
        questions[question] = words.split("|")
    held = cited = good = asked_of = 0
    for answer in run(options.file.absolute(), options.llm, questions, options.rounds):
        sys.stdout.write(json.dumps(answer, indent=1) + "\n")
        sys.stdout.flush()
        asked_of += 1
        held += bool(answer["good"])
        cited += len(answer["cites"])
        good += len(answer["good"])
    sys.stdout.write(json.dumps({"replies": asked_of, "held": held, "citations": cited, "good": good}) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
