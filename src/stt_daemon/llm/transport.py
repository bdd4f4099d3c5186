"""The wire to one server, over httpx: the only module that imports it.

`Line.send` may be called from any thread and returns an `Exchange` at once. A reader thread of its own drives
each exchange, so that whoever waits can stop waiting at its deadline, whatever the network does: a blocked
name look-up, a server that accepts and never answers, a trickle. Each connection belongs to one exchange at a
time; that is how `abort` knows which socket to shut down, which is the only thing that wakes a blocked read.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import socket
import ssl
import threading
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import httpx

from stt_daemon.llm.address import Address, choose_proxy
from stt_daemon.llm.failures import LlmAuthError, LlmUnreachableError
from stt_daemon.llm.secret import Secret

log = logging.getLogger(__name__)
# Their debug records hold all headers of an answer, and servers have been seen to quote the key in one.
logging.getLogger("httpcore").setLevel(logging.INFO)
logging.getLogger("httpx").setLevel(logging.WARNING)

# A server on the same network answers the handshake in milliseconds; past this it is not there.
CONNECT_TIMEOUT_S = 10.0
# The reader's own limit lies past the deadline, which whoever waits enforces; it only lets the thread end.
_READER_SLACK_S = 2.0
_IDLE_EXPIRY_S = 60.0
_QUEUED_CHUNKS = 256


@dataclass(frozen=True)
class Head:
    """The status line and the headers that matter."""

    status: int
    location: str
    retry_after_s: float | None


@dataclass(frozen=True)
class Ended:
    """The body is complete."""


@dataclass(frozen=True)
class Broken:
    """The exchange failed. `dropped`: the connection went away; `reused`: it was an old one from the pool."""

    kind: Literal["unreachable", "dropped", "timeout", "protocol"]
    detail: str
    reused: bool
    error: Exception


Event = Head | bytes | Ended | Broken


class _Wire:
    """One connection at most, used by one exchange at a time."""

    def __init__(self, client: httpx.Client) -> None:
        self.client = client
        self.socket: socket.socket | None = None

    def shut_down(self) -> None:
        """Wake whoever reads or writes; the reader then closes."""
        if self.socket is not None:
            # Already closed by its reader, or by the other side. The plain socket's method on purpose: that
            # of a TLS socket takes the session away under the reader's feet.
            with contextlib.suppress(OSError):
                socket.socket.shutdown(self.socket, socket.SHUT_RDWR)


class Exchange:
    """One request and its answer as a sequence of events: Head, bytes..., then Ended or Broken."""

    def __init__(self, line: Line, wire: _Wire, request: httpx.Request) -> None:
        self._line = line
        self._wire = wire
        self._request = request
        self._events: queue.Queue[Event] = queue.Queue(_QUEUED_CHUNKS)
        self._aborted = threading.Event()
        self._connected = False
        self._lock = threading.Lock()
        self._over = False
        self._thread = threading.Thread(target=self._run, name="llm-exchange", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def next(self, timeout_s: float) -> Event | None:
        """The next event, or None when none came in time."""
        try:
            return self._events.get(timeout=max(0.0, timeout_s))
        except queue.Empty:
            return None

    def abort(self) -> None:
        """Close the connection and forget the answer; harmless when it is complete already."""
        with self._lock:
            self._aborted.set()
            # Once the reader is done, the connection may serve another exchange.
            if not self._over:
                self._wire.shut_down()

    def join(self, timeout_s: float) -> None:
        self._thread.join(timeout_s)

    def trace(self, name: str, info: Mapping[str, Any]) -> None:
        """httpcore's trace extension: tells of the socket before the request is written."""
        if name.endswith(("connect_tcp.complete", "start_tls.complete")):
            self._connected = True
            self._wire.socket = info["return_value"].get_extra_info("socket")
            if self._aborted.is_set():
                self._wire.shut_down()

    def _run(self) -> None:
        last: Event = Ended()
        try:
            self._read()
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError) as error:
            last = self._broken(error)
        except Exception as error:
            log.exception("the exchange with the LLM server failed unexpectedly")
            last = self._broken(error)
        with self._lock:
            self._over = True
            whole = isinstance(last, Ended) and not self._aborted.is_set()
        self._line.retire(self, self._wire, keep=whole)
        self._put(last)

    def _read(self) -> None:
        response = self._wire.client.send(self._request, stream=True)
        try:
            self._put(
                Head(
                    response.status_code,
                    response.headers.get("location", ""),
                    _seconds(response.headers.get("retry-after", "")),
                )
            )
            for chunk in response.iter_bytes():
                if chunk and not self._put(chunk):
                    return
        finally:
            response.close()

    def _put(self, event: Event) -> bool:
        while not self._aborted.is_set():
            try:
                self._events.put(event, timeout=0.1)
            except queue.Full:
                continue
            return True
        return False

    def _broken(self, error: Exception) -> Broken:
        kind: Literal["unreachable", "dropped", "timeout", "protocol"] = "protocol"
        if isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError, socket.gaierror)):
            kind = "unreachable"
        elif isinstance(error, httpx.TimeoutException):
            kind = "timeout"
        elif isinstance(error, (httpx.NetworkError, OSError)):
            kind = "dropped"
        elif isinstance(error, httpx.RemoteProtocolError) and (
            "disconnected" in str(error) or "closed" in str(error)
        ):
            # h11 has one exception for a broken message and for a connection that ended too early.
            kind = "dropped"
        detail = str(error) or ("no connection in time" if kind == "unreachable" else type(error).__name__)
        return Broken(kind, detail, not self._connected, error)


class Line:
    """Connections to one address. `proxies` stands in for the environment's (scheme or "all" -> proxy
    address).
    """

    def __init__(
        self,
        address: Address,
        key: Secret,
        *,
        proxies: Mapping[str, str] | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._address = address
        self._key = key
        self._proxies = proxies
        self._transport = transport
        self._lock = threading.Lock()
        self._idle: list[_Wire] = []
        self._active: set[Exchange] = set()
        self._closed = False
        self._context: ssl.SSLContext | None = None

    def send(
        self, method: str, url: str, body: bytes | None, *, timeout_s: float, fresh: bool = False
    ) -> Exchange:
        """Begin a request, on a new connection if `fresh`.

        Raises LlmUnreachableError for an unusable proxy and LlmAuthError for an unusable key.
        """
        if fresh:
            self._drop_idle()
        headers = {
            "accept": "text/event-stream, application/json",
            "accept-encoding": "identity",
            "user-agent": "stt-daemon",
        }
        if body is not None:
            headers["content-type"] = "application/json"
        if self._key:
            if not self._key.fits_a_header():
                raise LlmAuthError(
                    "the API key holds blanks or characters that no key has",
                    mend="check [llm].api_key or [llm].api_key_env",
                )
            headers["authorization"] = f"Bearer {self._key.reveal()}"
        wire = self._check_out()
        limit = timeout_s + _READER_SLACK_S
        exchange_box: list[Exchange] = []
        request = wire.client.build_request(
            method,
            url,
            content=body,
            headers=headers,
            timeout=httpx.Timeout(limit, connect=min(limit, CONNECT_TIMEOUT_S)),
            extensions={"trace": lambda name, info: exchange_box[0].trace(name, info)},
        )
        exchange = Exchange(self, wire, request)
        exchange_box.append(exchange)
        with self._lock:
            self._active.add(exchange)
        exchange.start()
        return exchange

    def retire(self, exchange: Exchange, wire: _Wire, *, keep: bool) -> None:
        """The exchange's reader is done with its connection."""
        with self._lock:
            self._active.discard(exchange)
            keep = keep and not self._closed
            if keep:
                self._idle.append(wire)
        if not keep:
            wire.client.close()

    def _drop_idle(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for wire in idle:
            wire.client.close()

    def close(self) -> None:
        """Abort what runs and close what is idle; waits shortly for the readers."""
        with self._lock:
            self._closed = True
            active, idle, self._idle = list(self._active), self._idle, []
        for exchange in active:
            exchange.abort()
        for wire in idle:
            wire.client.close()
        for exchange in active:
            exchange.join(1.0)

    def _check_out(self) -> _Wire:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        if self._transport is not None:
            return _Wire(httpx.Client(transport=self._transport, trust_env=False))
        proxies = urllib.request.getproxies() if self._proxies is None else self._proxies
        proxy = choose_proxy(self._address, proxies, _bypassed)
        try:
            transport = httpx.HTTPTransport(
                verify=self._verification(proxy),
                proxy=proxy,
                limits=httpx.Limits(
                    max_connections=1, max_keepalive_connections=1, keepalive_expiry=_IDLE_EXPIRY_S
                ),
            )
        except (ValueError, httpx.InvalidURL) as error:
            raise LlmUnreachableError(
                f"cannot reach {self._address.shown}: the proxy variables hold no usable address",
                mend=f"correct them, or add {self._address.host} to NO_PROXY",
            ) from error
        auth = (self._address.user, self._address.password) if self._address.user and not self._key else None
        # The proxy is chosen above; nothing else of the environment may steer a request, and a redirect could
        # carry what was said to another host.
        return _Wire(httpx.Client(transport=transport, trust_env=False, follow_redirects=False, auth=auth))

    def _verification(self, proxy: str | None) -> ssl.SSLContext | bool:
        if self._address.scheme == "http" and not (proxy or "").startswith("https"):
            return False  # no TLS is spoken; loading the certificates would take 20 ms for nothing
        if self._context is None:
            self._context = httpx.create_ssl_context()
        return self._context


def _bypassed(host: str) -> bool:
    return bool(urllib.request.proxy_bypass(host))


def _seconds(text: str) -> float | None:
    try:
        return max(0.0, float(text))
    except ValueError:
        return None
