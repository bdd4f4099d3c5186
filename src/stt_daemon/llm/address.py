"""Where the server is: the forgiving reading of `base_url`, and which proxy stands between. Pure.

Nothing here opens a connection. A password in the address is taken out of every text that is shown.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from stt_daemon.llm.failures import LlmUnreachableError

_VERSION = re.compile(r"v\d+[a-z0-9.]*\Z")
_ENDPOINTS = ("/chat/completions", "/completions", "/models")
_HTTP_PROXIES = ("http", "https")
_MEND = "set [llm].base_url to something like http://127.0.0.1:8080/v1"


@dataclass(frozen=True)
class Address:
    """`api` is the root of the OpenAI-compatible calls, `root` that of a server's own calls; neither ends in
    a slash.

    `shown` is for people and logs. `user` and `password` come from the address itself and are usually empty.
    """

    scheme: str
    host: str
    api: str
    root: str
    loopback: bool
    user: str = ""
    password: str = field(default="", repr=False)

    @property
    def chat(self) -> str:
        return f"{self.api}/chat/completions"

    @property
    def models(self) -> str:
        return f"{self.api}/models"

    @property
    def shown(self) -> str:
        return self.api


def read_address(base_url: str) -> Address:
    """Read what the user wrote; raises LlmUnreachableError for what can be no address.

    A missing scheme means http. `/v1` is appended unless a version is in the path already; an endpoint that
    was pasted along is taken off.
    """
    text = base_url.strip()
    if "://" not in text:
        text = f"http://{text}"
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise LlmUnreachableError("[llm].base_url is not an address", mend=_MEND) from None
    shown = f"{parts.scheme}://{host}"
    if parts.scheme not in ("http", "https"):
        raise LlmUnreachableError(
            f"[llm].base_url starts with {parts.scheme}://, only http and https are spoken", mend=_MEND
        )
    if not host or re.search(r"\s", host):
        raise LlmUnreachableError("[llm].base_url names no host", mend=_MEND)
    if parts.query:
        # A query would be logged and sent everywhere; a key in it could not be kept secret.
        raise LlmUnreachableError(
            f"[llm].base_url ({shown}) must not carry a query",
            mend="put a key into [llm].api_key_env instead",
        )
    path = parts.path.rstrip("/")
    for endpoint in _ENDPOINTS:
        path = path.removesuffix(endpoint).rstrip("/")
    if not any(_VERSION.match(segment) for segment in path.split("/")):
        path += "/v1"
    head, _, last = path.rpartition("/")
    bracketed = f"[{host}]" if ":" in host else host
    origin = f"{parts.scheme}://{bracketed}" + (f":{port}" if port is not None else "")
    return Address(
        scheme=parts.scheme,
        host=host,
        api=origin + path,
        root=origin + (head if _VERSION.match(last) else path),
        loopback=is_loopback(host),
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
    )


def is_loopback(host: str) -> bool:
    """Whether the name can only mean this computer."""
    name = host.lower().rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return address.is_loopback or address.is_unspecified or bool(mapped and mapped.is_loopback)


def choose_proxy(address: Address, proxies: Mapping[str, str], bypassed: Callable[[str], bool]) -> str | None:
    """The proxy for this address, or None; raises LlmUnreachableError for one that cannot be used.

    `proxies` maps a scheme or "all" to a proxy address and `bypassed` tells whether a host needs none: the
    answers of `urllib.request.getproxies` and `proxy_bypass`. Loopback never takes a proxy.
    """
    if address.loopback or bypassed(address.host):
        return None
    name = address.scheme if proxies.get(address.scheme) else "all"
    proxy = proxies.get(name, "")
    if not proxy:
        return None
    if "://" not in proxy:
        proxy = f"http://{proxy}"
    scheme = proxy.partition("://")[0].lower()
    if scheme not in _HTTP_PROXIES:
        shown = f"{scheme}://{proxy.partition('://')[2].rpartition('@')[2]}"
        raise LlmUnreachableError(
            f"cannot reach {address.shown}: {name.upper()}_PROXY names {shown}, which is not supported",
            mend=f"add {address.host} to NO_PROXY, or use an http:// proxy",
        )
    return proxy
