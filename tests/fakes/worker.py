"""A transcription worker in a thread: the real listener, detector, lane and journal around a fake engine."""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from stt_daemon.apps.transcription import run
from stt_daemon.channels import ChildContext
from stt_daemon.config import Config
from stt_daemon.domain import Clock, SystemClock
from stt_daemon.lanes.speech_engine import SpeechEngine
from stt_daemon.lanes.transcriber import Transcriber
from stt_daemon.lanes.whisper import WhisperLane
from stt_daemon.messages import ChildConfigured, Message, StopRequested
from stt_daemon.sessions import create_session
from stt_daemon.wiring.listening import ListeningParts, build_source

M = TypeVar("M", bound=Message)
CLIP = Path(__file__).parents[2] / "src" / "stt_daemon" / "data" / "jfk.wav"


class RecordingOutbox:
    """Keeps what was published, lets a test wait for it, and look at the disk at that very moment."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.patience_s = 30.0
        self.watch: Callable[[Message], None] = lambda _message: None
        self._arrived = threading.Condition()

    def publish(self, message: Message) -> None:
        self.watch(message)
        with self._arrived:
            self.messages.append(message)
            self._arrived.notify_all()

    def of(self, kind: type[M]) -> list[M]:
        with self._arrived:
            return [message for message in self.messages if isinstance(message, kind)]

    def wait_for(self, kind: type[M], when: Callable[[M], bool] = lambda _message: True) -> M:
        def found() -> M | None:
            return next((m for m in self.messages if isinstance(m, kind) and when(m)), None)

        with self._arrived:
            assert self._arrived.wait_for(lambda: found() is not None, self.patience_s), (
                f"no {kind.__name__} came"
            )
            match = found()
        assert match is not None
        return match


class RunningWorker:
    """One start of the worker on a session folder. The context manager stops it and joins the thread."""

    def __init__(
        self,
        root: Path,
        load: Callable[[], SpeechEngine],
        *,
        folder: Path | None = None,
        source: str | Path = CLIP,
        speed: str = "max",
        resumed: bool = False,
        attempt: int = 1,
        source_t: float = 0.0,
        config: dict[str, Any] | None = None,
        clock: Clock | None = None,
        build: Callable[..., Any] = build_source,
    ) -> None:
        self.clock = clock or SystemClock()
        self.folder = folder or create_session(root, self.clock.wall()).path
        self.outbox = RecordingOutbox()
        self.inbox: queue.Queue[object] = queue.Queue()
        configured = ChildConfigured(
            config=Config.model_validate(config or {}).to_wire(),
            session_id=self.folder.name,
            session_dir=str(self.folder),
            resumed=resumed,
            source=str(source),
            speed=speed,  # type: ignore[arg-type]
            offline=True,
            attempt=attempt,
            source_t=source_t,
        )
        context = ChildContext("transcription", self.inbox, self.outbox, configured, self.clock)

        def lane(_config: Config, *, post: Callable[[object], None], clock: Clock, **_: Any) -> WhisperLane:
            return WhisperLane(
                load, transcriber=Transcriber(), on_outcome=post, on_state=post, clock=clock, niceness=0
            )

        self.code: int | None = None

        def body() -> None:
            self.code = run(context, ListeningParts(source=build, whisper_lane=lane))

        self.thread = threading.Thread(target=body, name="worker", daemon=True)

    def __enter__(self) -> RunningWorker:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.thread.is_alive():
            self.stop(0.0)

    def stop(self, grace_s: float) -> int:
        self.inbox.put(StopRequested(grace_s=grace_s))
        return self.join()

    def join(self) -> int:
        self.thread.join(30)
        assert not self.thread.is_alive(), "the worker did not end"
        assert self.code is not None
        return self.code

    def lines(self, kind: str = "") -> list[dict[str, Any]]:
        """The lines of the journal as they are on disk."""
        text = (self.folder / "transcript.jsonl").read_text(encoding="utf-8")
        lines = [json.loads(line) for line in text.splitlines()]
        return [line for line in lines if not kind or line["type"] == kind]

    @property
    def record(self) -> dict[str, Any]:
        body = json.loads((self.folder / "session.json").read_text(encoding="utf-8"))
        assert isinstance(body, dict)
        return body
