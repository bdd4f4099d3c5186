"""How the parts of a child talk to the rest of the program: an inbox, an outbox, and pipes between them."""

from stt_daemon.channels.context import App, ChildContext, Inbox, Outbox, PeerClosed, host_app, stamped
from stt_daemon.channels.direct import DirectInbox, DirectOutbox
from stt_daemon.channels.frames import Frame
from stt_daemon.channels.pipes import PipeOutbox, PipeReader, PipeWriter, start_thread
from stt_daemon.channels.store import FrameStore

__all__ = [
    "App",
    "ChildContext",
    "DirectInbox",
    "DirectOutbox",
    "Frame",
    "FrameStore",
    "Inbox",
    "Outbox",
    "PeerClosed",
    "PipeOutbox",
    "PipeReader",
    "PipeWriter",
    "host_app",
    "stamped",
    "start_thread",
]
