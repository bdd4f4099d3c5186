"""A placement whose children a test plays itself: what they are told, what they say, when they die."""

from __future__ import annotations

import queue
from collections.abc import Callable
from dataclasses import dataclass, field

from stt_daemon.channels import Frame
from stt_daemon.messages import ChildName, ChildReady, Message
from stt_daemon.supervisor.placement import ChildSpec, RunningChild

PATIENCE_S = 10.0


@dataclass
class PlayedChild:
    """One start of a child."""

    name: ChildName
    deliver: Callable[[Frame], None]
    closed: Callable[[str], None]
    killable: bool = True
    told: queue.Queue[Message] = field(default_factory=queue.Queue)
    ended_by: queue.Queue[str] = field(default_factory=queue.Queue)
    dies_of: tuple[str, ...] = ("kill",)
    code: int | None = None

    def send(self, frame: Frame) -> None:
        self.told.put(frame.message())

    def exit_code(self) -> int | None:
        return self.code

    def terminate(self) -> None:
        self._forced("terminate", -15)

    def kill(self) -> None:
        self._forced("kill", -9)

    def close(self) -> None:
        self.ended_by.put("closed")

    def _forced(self, how: str, code: int) -> None:
        self.ended_by.put(how)
        if how in self.dies_of:
            self.die(code)

    # What a test does

    def say(self, message: Message) -> None:
        self.deliver(Frame.of(message))

    def be_ready(self) -> None:
        self.say(ChildReady(name=self.name))

    def die(self, code: int) -> None:
        self.code = code
        self.closed("end of file")

    def hears(self, kind: type[Message]) -> Message:
        """The next message of that kind it is told."""
        while True:
            message = self.told.get(timeout=PATIENCE_S)
            if isinstance(message, kind):
                return message


class PlayedPlacement:
    """Hands every start to the test."""

    def __init__(self, *, killable: bool = True) -> None:
        self.starts: queue.Queue[PlayedChild] = queue.Queue()
        self.killable = killable
        self.refusals = 0

    def launch(
        self, spec: ChildSpec, deliver: Callable[[Frame], None], closed: Callable[[str], None]
    ) -> RunningChild:
        if self.refusals:
            self.refusals -= 1
            raise OSError("no more processes")
        child = PlayedChild(spec.name, deliver, closed, self.killable)
        self.starts.put(child)
        return child

    def next(self) -> PlayedChild:
        return self.starts.get(timeout=PATIENCE_S)
