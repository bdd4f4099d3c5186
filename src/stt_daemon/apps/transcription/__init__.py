"""The transcription worker: capture, segments, the whisper lane, utterances."""

from stt_daemon.apps.transcription.worker import Worker
from stt_daemon.channels import ChildContext
from stt_daemon.wiring.listening import ListeningParts

__all__ = ["run"]


def run(context: ChildContext, parts: ListeningParts | None = None) -> int:
    """Run until asked to stop or the supervisor is gone; the exit code. `parts` is a seam for tests."""
    return Worker(context, parts or ListeningParts()).run()
