"""A scripted OpenAI-compatible server on loopback: real sockets, replies as data.

    with LlmServer() as server:
        server.chat(sse("Hello"))                     # the next answer of /v1/chat/completions
        server.on("/props", json_reply({...}))        # every answer of another path
        client = LlmClient(server.url)

A reply is a status, headers and a body of steps: bytes are written, an Event is waited for (a stall, released
by the test or by the end of the server), `DROP` closes the connection at once, and a callable is called (to
move a clock).
"""

from __future__ import annotations

import json
import queue
import socket
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

# A stall nobody releases must not hang a run.
STALL_LIMIT_S = 60.0


class _Drop:
    """The mark that closes the connection."""


DROP = _Drop()
Step = bytes | threading.Event | _Drop | Callable[[], None]


@dataclass
class Reply:
    """One answer. `before` happens before the status line, `steps` are the body.

    `framing`: "length" counts the body, "chunked" sends each step as a chunk, "close" ends the connection,
    "raw" leaves all that to the headers of the script.
    `peer_closed` is set when the client went away while the body was written.
    """

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    steps: Iterable[Step] = ()
    framing: str = "length"
    before: Iterable[Step] = ()
    peer_closed: threading.Event = field(default_factory=threading.Event)
    started: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True)
class Seen:
    """A request as it arrived; header names in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    raw: bytes
    connection: int

    @property
    def body(self) -> Any:
        return json.loads(self.raw)


def json_reply(payload: object, status: int = 200, **headers: str) -> Reply:
    """A JSON answer."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status, {"content-type": "application/json", **names}, [json.dumps(payload).encode()])


def text_reply(text: str, status: int = 200, **headers: str) -> Reply:
    """An answer that is no JSON."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status, {"content-type": "text/plain", **names}, [text.encode()])


def chunk(
    content: object = None, *, finish: str | None = None, model: str = "scripted", **delta: object
) -> dict[str, Any]:
    """One chunk of a streamed chat completion."""
    fields = {"content": content, **delta}
    return {
        "object": "chat.completion.chunk",
        "model": model,
        "choices": [{"index": 0, "delta": fields, "finish_reason": finish}],
    }


def usage(prompt: int = 10, completion: int = 5, **more: object) -> dict[str, Any]:
    """The usage chunk behind the last choice."""
    return {"choices": [], "usage": {"prompt_tokens": prompt, "completion_tokens": completion, **more}}


def frame(payload: object, end: str = "\n\n") -> bytes:
    """One SSE frame; a string goes out as it is, anything else as JSON."""
    data = payload if isinstance(payload, str) else json.dumps(payload)
    return f"data: {data}{end}".encode()


DONE = frame("[DONE]")


def stream(steps: Iterable[Step], *, split: int = 0, framing: str = "chunked", **more: Any) -> Reply:
    """A stream of raw steps; `split` cuts all bytes into pieces of that many."""
    if split:
        steps = _split(steps, split)
    return Reply(200, {"content-type": "text/event-stream"}, steps, framing, **more)


def sse(*pieces: str, finish: str | None = "stop", done: bool = True, split: int = 0, **more: Any) -> Reply:
    """The usual stream: content pieces, the finish reason, usage, the end mark."""
    steps: list[Step] = [frame(chunk("", role="assistant"))]
    steps += [frame(chunk(piece)) for piece in pieces]
    if finish is not None:
        steps.append(frame(chunk(finish=finish)))
    steps.append(frame(usage()))
    if done:
        steps.append(DONE)
    return stream(steps, split=split, **more)


def _split(steps: Iterable[Step], size: int) -> Iterator[Step]:
    for step in steps:
        if isinstance(step, bytes):
            yield from (step[at : at + size] for at in range(0, len(step), size))
        else:
            yield step


LLAMA_PROPS = {
    "default_generation_settings": {"n_ctx": 8192, "params": {}},
    "total_slots": 2,
    "model_alias": "tiny",
    "model_path": "/models/tiny.gguf",
}


class LlmServer:
    """Answers on 127.0.0.1 and a free port until the `with` block ends; a path without a script is a 404."""

    def __init__(self) -> None:
        self._closing = threading.Event()
        self._lock = threading.Lock()
        self._queued: dict[str, deque[Reply]] = defaultdict(deque)
        self._always: dict[str, Callable[[Seen], Reply]] = {}
        self._seen: list[Seen] = []
        self._connections: set[socket.socket] = set()
        self._connection_count = 0
        self.requests: queue.Queue[Seen] = queue.Queue()
        scripted = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = STALL_LIMIT_S
            disable_nagle_algorithm = True

            def setup(self) -> None:
                super().setup()
                self.number = scripted._opened(self.connection)

            def finish(self) -> None:
                scripted._shut(self.connection)
                try:
                    super().finish()
                except OSError:
                    return

            def do_GET(self) -> None:
                scripted._answer(self)

            def do_POST(self) -> None:
                scripted._answer(self)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), name="llm-server")

    def __enter__(self) -> LlmServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._server.shutdown()
        with self._lock:
            open_now = list(self._connections)
        for connection in open_now:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue
        self._server.server_close()
        self._thread.join(5)

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def url(self) -> str:
        return f"{self.root}/v1"

    @property
    def connections(self) -> int:
        """How many connections were opened so far."""
        return self._connection_count

    def chat(self, *replies: Reply) -> LlmServer:
        """Queue answers of /v1/chat/completions."""
        return self.next("/v1/chat/completions", *replies)

    def next(self, path: str, *replies: Reply) -> LlmServer:
        """Queue answers of a path; they go out before the standing one."""
        self._queued[path].extend(replies)
        return self

    def on(self, path: str, reply: Reply | Callable[[Seen], Reply]) -> LlmServer:
        """The standing answer of a path."""
        self._always[path] = reply if callable(reply) else lambda _: reply
        return self

    def llama(self, **props: object) -> LlmServer:
        """Answer as a llama.cpp server does: its properties, and one token a word."""
        self.on("/props", json_reply({**LLAMA_PROPS, **props}))
        self.on("/tokenize", lambda seen: json_reply({"tokens": [0] * len(seen.body["content"].split())}))
        return self.on("/v1/models", json_reply({"data": [{"id": "tiny", "owned_by": "llamacpp"}]}))

    def seen(self, path: str = "/v1/chat/completions") -> list[Seen]:
        """The requests of a path so far."""
        with self._lock:
            return [seen for seen in self._seen if seen.path == path]

    def all_seen(self) -> list[Seen]:
        with self._lock:
            return list(self._seen)

    def _opened(self, connection: socket.socket) -> int:
        with self._lock:
            self._connections.add(connection)
            self._connection_count += 1
            return self._connection_count

    def _shut(self, connection: socket.socket) -> None:
        with self._lock:
            self._connections.discard(connection)

    def _answer(self, handler: Any) -> None:
        raw = handler.rfile.read(int(handler.headers.get("content-length", 0)))
        seen = Seen(
            handler.command,
            handler.path,
            {name.lower(): value for name, value in handler.headers.items()},
            raw,
            handler.number,
        )
        with self._lock:
            self._seen.append(seen)
            waiting = self._queued[seen.path]
            reply = waiting.popleft() if waiting else None
        if reply is None:
            standing = self._always.get(seen.path)
            reply = (
                standing(seen)
                if standing
                else json_reply({"error": {"code": 404, "message": "not here"}}, 404)
            )
        self.requests.put(seen)
        try:
            self._write(handler, reply)
        except OSError:
            reply.peer_closed.set()
            handler.close_connection = True

    def _write(self, handler: Any, reply: Reply) -> None:
        reply.started.set()
        if not all(self._step(handler, step, chunked=False) for step in reply.before):
            return
        handler.send_response(reply.status)
        for name, value in reply.headers.items():
            handler.send_header(name, value)
        steps = reply.steps
        if reply.framing == "length":
            steps = list(steps)
            length = sum(len(step) for step in steps if isinstance(step, bytes))
            handler.send_header("content-length", str(length))
        elif reply.framing == "chunked":
            handler.send_header("transfer-encoding", "chunked")
        elif reply.framing == "close":
            handler.close_connection = True
            handler.send_header("connection", "close")
        handler.end_headers()
        chunked = reply.framing == "chunked"
        for step in steps:
            if self._closing.is_set() or not self._step(handler, step, chunked=chunked):
                return
        if chunked:
            handler.wfile.write(b"0\r\n\r\n")

    def _step(self, handler: Any, step: Step, *, chunked: bool) -> bool:
        if isinstance(step, _Drop):
            handler.close_connection = True
            handler.connection.shutdown(socket.SHUT_RDWR)
            return False
        if isinstance(step, threading.Event):
            self._stall(step)
            return True
        if not isinstance(step, bytes):
            step()
            return True
        if step:
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(step), step) if chunked else step)
        return True

    def _stall(self, release: threading.Event) -> None:
        for _ in range(int(STALL_LIMIT_S / 0.02)):
            if release.wait(0.02) or self._closing.is_set():
                return
