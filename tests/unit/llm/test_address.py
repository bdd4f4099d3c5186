"""How base_url is read, and which proxy stands between."""

from __future__ import annotations

import pytest

from stt_daemon.llm import LlmUnreachableError
from stt_daemon.llm.address import choose_proxy, is_loopback, read_address


@pytest.mark.parametrize(
    ("base_url", "chat"),
    [
        ("http://h:1", "http://h:1/v1/chat/completions"),
        ("http://h:1/", "http://h:1/v1/chat/completions"),
        ("http://h:1/v1", "http://h:1/v1/chat/completions"),
        ("http://h:1/v1/", "http://h:1/v1/chat/completions"),
        ("http://h:1/v1//", "http://h:1/v1/chat/completions"),
        (" http://h:1/v1/chat/completions ", "http://h:1/v1/chat/completions"),
        ("h:1", "http://h:1/v1/chat/completions"),
        ("127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1/chat/completions"),
        ("http://h:1/v1beta", "http://h:1/v1beta/chat/completions"),
        ("https://h/v1beta/openai/", "https://h/v1beta/openai/chat/completions"),
        ("https://h/api", "https://h/api/v1/chat/completions"),
        ("https://h/openai/v1", "https://h/openai/v1/chat/completions"),
        ("http://[::1]:8080", "http://[::1]:8080/v1/chat/completions"),
        ("http://user:secret@h:1", "http://h:1/v1/chat/completions"),
    ],
)
def test_every_form_of_the_address_reaches_the_chat(base_url: str, chat: str) -> None:
    assert read_address(base_url).chat == chat


@pytest.mark.parametrize(
    ("base_url", "root"),
    [
        ("http://h:1", "http://h:1"),
        ("http://h:1/v1/", "http://h:1"),
        ("https://h/api/v1", "https://h/api"),
        ("https://h/v1beta/openai", "https://h/v1beta/openai"),
    ],
)
def test_the_servers_own_calls_are_beside_the_version(base_url: str, root: str) -> None:
    assert read_address(base_url).root == root


@pytest.mark.parametrize(
    "base_url",
    ["", "ftp://h", "http://", "http://h:port", "http://h/v1?key=secret", "http://h h", "file:///etc"],
)
def test_what_is_no_address_is_one_readable_line_with_a_mend(base_url: str) -> None:
    with pytest.raises(LlmUnreachableError) as caught:
        read_address(base_url)
    assert "base_url" in str(caught.value)
    assert caught.value.mend
    assert "secret" not in str(caught.value)


def test_a_password_in_the_address_is_never_shown() -> None:
    address = read_address("http://user:secret@h:1")
    assert address.password == "secret"
    assert "secret" not in f"{address!r} {address.shown} {address.chat} {address.root}"


@pytest.mark.parametrize(
    "host",
    ["localhost", "LOCALHOST", "a.localhost", "127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1", "0.0.0.0"],
)
def test_loopback_is_recognised(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host", ["10.0.0.1", "example.org", "localhost.example.org", "fe80::1%eth0", "127.example"]
)
def test_other_hosts_are_not_loopback(host: str) -> None:
    assert not is_loopback(host)


SOCKS = {"all": "socks://user:secret@127.0.0.1:9", "http": "http://127.0.0.1:9"}


def test_loopback_never_takes_a_proxy() -> None:
    assert choose_proxy(read_address("http://localhost:1"), SOCKS, lambda _: False) is None


def test_a_host_in_no_proxy_takes_none_even_when_the_proxy_is_of_no_use() -> None:
    assert choose_proxy(read_address("https://h"), SOCKS, lambda host: host == "h") is None


def test_the_proxy_of_the_scheme_wins_over_the_one_for_all() -> None:
    assert choose_proxy(read_address("http://h"), SOCKS, lambda _: False) == "http://127.0.0.1:9"
    assert (
        choose_proxy(read_address("http://h"), {"all": "proxy:3128"}, lambda _: False) == "http://proxy:3128"
    )
    assert choose_proxy(read_address("http://h"), {}, lambda _: False) is None


def test_a_socks_proxy_gives_a_clear_message_without_its_password() -> None:
    with pytest.raises(LlmUnreachableError) as caught:
        choose_proxy(read_address("https://llm.example"), SOCKS, lambda _: False)
    line = f"{caught.value} {caught.value.mend}"
    assert "ALL_PROXY" in line
    assert "NO_PROXY" in line
    assert "llm.example" in line
    assert "secret" not in line
