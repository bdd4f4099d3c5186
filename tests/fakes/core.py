"""The assistant core in a thread: its real loop, lane, files and commands around a scripted model."""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from stt_daemon.apps.assistant.core import Core
from stt_daemon.channels import ChildContext
from stt_daemon.config import Config
from stt_daemon.domain import Clock, SystemClock
from stt_daemon.lanes.inference_queue import InferenceQueue
from stt_daemon.messages import (
    ChatSaid,
    ChildConfigured,
    ChildReady,
    CommandChanged,
    CommandState,
    ControlReceived,
    SessionChanged,
    SourceAdvanced,
    SpeechChanged,
    StopRequested,
    TurnEnded,
    UtteranceFinished,
)
from stt_daemon.sessions import create_session
from stt_daemon.wiring.assistant import AssistantParts
from tests.fakes.generator import FakeGenerator
from tests.fakes.worker import RecordingOutbox


def said(seq: int, text: str, *, t0: float | None = None) -> UtteranceFinished:
    """Utterance number `seq`, five seconds after the one before."""
    start = 5.0 * seq if t0 is None else t0
    return UtteranceFinished(
        id=f"u{seq}",
        seq=seq,
        t0=start,
        t1=start + 2,
        wall=f"2026-01-31T09:{seq // 60:02d}:{seq % 60:02d}.000+01:00",
        speaker="Speaker",
        source="test",
        text=text,
        language="en",
        wav=f"0930{seq:02d}-000-speech.wav",
        avg_logprob=-0.2,
        no_speech_prob=0.01,
    )


class RunningCore:
    """One start of the core on a session folder. The context manager stops it and joins the thread."""

    def __init__(
        self,
        root: Path,
        generator: FakeGenerator | None = None,
        *,
        folder: Path | None = None,
        config: dict[str, Any] | None = None,
        resumed: bool = False,
        attempt: int = 1,
        clock: Clock | None = None,
        real_llm: bool = False,
        **parts: Any,
    ) -> None:
        self.clock = clock or SystemClock()
        self.generator = generator or FakeGenerator()
        self.folder = folder or create_session(root, 1_764_500_000.0).path
        self.outbox = RecordingOutbox()
        self.inbox: queue.Queue[object] = queue.Queue()
        self._seq = 0
        configured = ChildConfigured(
            config=Config.model_validate(config or {}).to_wire(),
            session_id=self.folder.name,
            session_dir=str(self.folder),
            resumed=resumed,
            source="mic",
            speed="realtime",
            offline=True,
            attempt=attempt,
        )
        context = ChildContext("assistant", self.inbox, self.outbox, configured, self.clock)

        def lane(
            config: Config, post: Callable[[object], None], clock: Clock
        ) -> InferenceQueue[FakeGenerator]:
            return InferenceQueue(
                lambda: self.generator,
                size=config.llm.queue_size,
                on_outcome=post,
                on_state=post,
                clock=clock,
                describe=lambda generator: generator.address,
            )

        if not real_llm:
            parts = {"llm_lane": lane, **parts}
        self.core = Core(context, AssistantParts(**parts))
        self.code: int | None = None

        def body() -> None:
            self.code = self.core.run()

        self.thread = threading.Thread(target=body, name="core", daemon=True)

    def __enter__(self) -> RunningCore:
        self.thread.start()
        self.outbox.wait_for(ChildReady)
        return self

    def __exit__(self, *_: object) -> None:
        if self.thread.is_alive():
            self.stop(0.0)

    def stop(self, grace_s: float = 10.0) -> int:
        self.inbox.put(StopRequested(grace_s=grace_s))
        return self.join()

    def join(self) -> int:
        self.thread.join(30)
        assert not self.thread.is_alive(), "the core did not end"
        assert self.code is not None
        return self.code

    def types(self, *lines: str) -> None:
        for line in lines:
            self.inbox.put(ControlReceived(line=line))

    def hears(self, *texts: str) -> UtteranceFinished:
        """One turn of these utterances, settled when this returns."""
        first = self._seq + 1
        for text in texts:
            self._seq += 1
            line = said(self._seq, text)
            self.inbox.put(SpeechChanged(state="start", t=line.t0))
            self.inbox.put(line)
            self.inbox.put(SpeechChanged(state="end", t=line.t1))
        self.inbox.put(SourceAdvanced(t=line.t1 + 2.5, live=True))
        self.outbox.wait_for(TurnEnded, lambda turn: turn.utterances[0] == f"u{first}")
        return line

    def moves_to(self, folder: Path) -> None:
        """The worker has begun another session."""
        self._seq = 0
        self.inbox.put(SessionChanged(state="opened", id=folder.name, dir=str(folder)))

    def replied(self, exchange: int = 1) -> ChatSaid:
        return self.outbox.wait_for(
            ChatSaid, lambda c: c.role == "assistant" and c.final and c.exchange == exchange
        )

    def noticed(self, part: str = "") -> ChatSaid:
        return self.outbox.wait_for(ChatSaid, lambda c: c.role == "notice" and part in c.text)

    def command(self, name: str, state: CommandState) -> CommandChanged:
        return self.outbox.wait_for(CommandChanged, lambda c: c.id == name and c.state == state)

    def commands(self) -> Sequence[tuple[str, str]]:
        return [(c.id, c.state) for c in self.outbox.of(CommandChanged)]

    def lines(self, name: str = "chat.jsonl", folder: Path | None = None) -> list[dict[str, Any]]:
        """The lines of a file of the session as they are on disk."""
        path = (folder or self.folder) / name
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []
