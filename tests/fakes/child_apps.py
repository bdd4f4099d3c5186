"""Tiny apps for tests that start real children. Each says its process id as a warning with code "pid"."""

from __future__ import annotations

import os
import queue
import threading

from stt_daemon.apps.tui import run as interface
from stt_daemon.channels import ChildContext, PeerClosed
from stt_daemon.errors import ConfigError
from stt_daemon.messages import (
    CaptureChanged,
    ChildReady,
    ChildStopped,
    ControlReceived,
    Heartbeat,
    LagChanged,
    MuteRequested,
    SessionAssigned,
    SessionChanged,
    SessionRequested,
    ShutdownRequested,
    SourceDrained,
    StopRequested,
    TurnEnded,
    UtteranceFinished,
    Warned,
)


def utterance(seq: int, text: str = "hello") -> UtteranceFinished:
    return UtteranceFinished(
        id=f"u{seq}",
        seq=seq,
        t0=float(seq),
        t1=seq + 0.5,
        wall="2026-01-31T09:30:00.000+01:00",
        speaker="Speaker",
        source="test",
        text=text,
        language="en",
        wav=f"093000-00{seq}-speech.wav",
        avg_logprob=-0.2,
        no_speech_prob=0.01,
    )


def _say(context: ChildContext, code: str, message: str) -> None:
    context.outbox.publish(Warned(where=context.name, code=code, message=message))


def _begin(context: ChildContext) -> None:
    _say(context, "pid", str(os.getpid()))
    context.outbox.publish(ChildReady(name=context.name))


def _next(context: ChildContext) -> object:
    """The next message; a heartbeat whenever nothing came for a while."""
    while True:
        try:
            return context.inbox.get(timeout=0.2)
        except queue.Empty:
            context.outbox.publish(Heartbeat(name=context.name, source_t=12.5))


def worker(context: ChildContext) -> int:
    """Opens the session, hears one utterance a start, answers mute, and stops when told."""
    configured = context.configured
    state = "resumed" if configured.resumed or configured.attempt > 1 else "opened"
    context.outbox.publish(SessionChanged(state=state, id=configured.session_id, dir=configured.session_dir))
    context.outbox.publish(CaptureChanged(state="live", device="fake", rate=16000))
    _begin(context)
    context.outbox.publish(Heartbeat(name=context.name, source_t=12.5))
    context.outbox.publish(utterance(configured.attempt))
    _say(context, "start", f"attempt {configured.attempt} from {configured.source_t}")
    while True:
        match _next(context):
            case StopRequested():
                context.outbox.publish(ChildStopped(name=context.name))
                return 0
            case PeerClosed():
                return 0
            case MuteRequested(on=on):
                _say(context, "mute", str(on))
            case SessionAssigned(id=session_id, dir=folder):
                context.outbox.publish(SessionChanged(state="opened", id=session_id, dir=folder))
            case _:
                pass


def core(context: ChildContext) -> int:
    """Ends a turn at each utterance and does what a few control lines say."""
    _begin(context)
    while True:
        match _next(context):
            case StopRequested():
                context.outbox.publish(ChildStopped(name=context.name))
                return 0
            case PeerClosed():
                return 0
            case UtteranceFinished(id=name):
                context.outbox.publish(TurnEnded(utterances=(name,)))
            case CaptureChanged(state=state):
                _say(context, "capture_seen", state)
            case SourceDrained():
                context.outbox.publish(SourceDrained())
            case ControlReceived(line="/mute"):
                context.outbox.publish(MuteRequested(on=True))
            case ControlReceived(line="/new"):
                context.outbox.publish(SessionRequested())
            case ControlReceived(line="/quit"):
                context.outbox.publish(ShutdownRequested())
            case ControlReceived(line=line):
                _say(context, "control", line)
            case _:
                pass


def finite_worker(context: ChildContext) -> int:
    """A worker whose source ends at once."""
    context.outbox.publish(SourceDrained())
    return worker(context)


def slow_worker(context: ChildContext) -> int:
    """Needs for ever to transcribe what it has heard; gives up only when no time at all is left."""
    _begin(context)
    context.outbox.publish(LagChanged(seconds=42.0))
    while True:
        match _next(context):
            case StopRequested(grace_s=0):
                context.outbox.publish(ChildStopped(name=context.name, waiting_s=42.0))
                return 0
            case PeerClosed():
                return 0
            case _:
                pass


def stubborn(context: ChildContext) -> int:
    """Beats its heart and heeds nothing."""
    _begin(context)
    while True:
        _next(context)


def silent(context: ChildContext) -> int:
    """Ready, and never heard of again; heeds nothing either."""
    _begin(context)
    threading.Event().wait()
    return 0


def wedged(context: ChildContext) -> int:
    """Its heart beats, but one job in its lane has no end; leaves when told."""
    _begin(context)
    context.outbox.publish(Heartbeat(name=context.name, busy_s={"whisper": 1000.0}))
    while not isinstance(_next(context), (StopRequested, PeerClosed)):
        pass
    return 0


def crashing(context: ChildContext) -> int:
    """Dies of a bug as soon as it runs."""
    _begin(context)
    raise RuntimeError("a bug")


def misconfigured(context: ChildContext) -> int:
    raise ConfigError("no such model", mend="name another")


def printing(context: ChildContext) -> int:
    """Prints as a native library would, then works."""
    os.write(1, b"printed to descriptor 1\n")
    os.write(2, b"printed to descriptor 2\n")
    return worker(context)


def talkative_worker(context: ChildContext) -> int:
    """Says more than any terminal takes, then works."""
    for seq in range(1, 3000):
        context.outbox.publish(utterance(seq, f"sentence {seq} of a long talk " * 8))
        if seq % 50 == 0:
            threading.Event().wait(0.02)
    return worker(context)


def printing_interface(context: ChildContext) -> int:
    """The real interface, in a process that prints as native libraries do."""
    os.write(1, b"printed to descriptor 1\n")
    os.write(2, b"printed to descriptor 2\n")
    return interface(context)


def fragile_interface(context: ChildContext) -> int:
    """The real interface; at the first try something in its loop fails."""
    from stt_daemon.apps.tui import app

    def fail(self: app.SttApp) -> None:
        raise RuntimeError("a bug in the interface")

    if context.configured.attempt == 1:
        app.SttApp.action_help = fail  # type: ignore[method-assign]
    return interface(context)


def deaf_interface(context: ChildContext) -> int:
    """The real interface, whose loop never ends."""
    from stt_daemon.apps.tui import app

    app.SttApp.on_ended = lambda self, _: None  # type: ignore[method-assign, assignment]
    return interface(context)
