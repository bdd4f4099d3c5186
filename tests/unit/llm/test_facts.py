"""What a server tells about itself, by kind of server."""

from __future__ import annotations

from typing import Any

import pytest

from stt_daemon.llm import ServerFacts
from stt_daemon.llm.address import read_address
from stt_daemon.llm.facts import Findings, find_out

ADDRESS = read_address("http://h:1")
PROPS = {"default_generation_settings": {"n_ctx": 8192}, "total_slots": 2, "model_path": "/m/tiny.gguf"}


def found(model: str = "", **answers: Any) -> Findings:
    """Ask a server with these answers; keyword names stand for paths with slashes as double underscores."""
    by_url = {f"http://h:1/{name.replace('__', '/')}": answer for name, answer in answers.items()}
    return find_out(ADDRESS, model, lambda _method, url, _body: by_url.get(url))


def models(**entry: Any) -> dict[str, Any]:
    return {"data": [{"id": "m", **entry}]}


def test_a_llama_cpp_server_tells_its_slots_and_the_context_of_one() -> None:
    findings = found(props=PROPS, v1__models=models(meta={"n_ctx_train": 32768}))
    assert findings.facts == ServerFacts("llama.cpp", 8192, 2, "m")
    assert findings.tokenize == "http://h:1/tokenize"
    assert not findings.guessed


def test_its_model_is_named_by_alias_list_or_file() -> None:
    assert found(props={**PROPS, "model_alias": "alias"}).facts.model == "alias"
    assert found(props=PROPS).facts.model == "tiny.gguf"
    assert found(props={**PROPS, "model_alias": "/m/other.gguf"}).facts.model == "other.gguf"
    assert found("chosen", props=PROPS).facts.model == "chosen"


def test_the_training_context_stands_in_for_an_unknown_one_but_only_as_a_guess() -> None:
    findings = found(
        props={"default_generation_settings": {"n_ctx": 0}, "total_slots": 1},
        v1__models=models(meta={"n_ctx_train": 32768}),
    )
    assert findings.facts == ServerFacts("llama.cpp", 32768, 1, "m")
    assert findings.guessed


@pytest.mark.parametrize(
    ("entry", "guessed"),
    [
        ({"max_model_len": 4096, "owned_by": "vllm"}, False),
        ({"loaded_context_length": 4096, "max_context_length": 32768}, False),
        ({"context_length": 4096}, True),
        ({"meta": {"n_ctx_train": 4096}}, True),
        ({"meta": {"n_ctx": 4096, "n_ctx_train": 32768}}, False),
    ],
)
def test_a_model_list_may_tell_the_context(entry: dict[str, Any], guessed: bool) -> None:
    findings = found(v1__models=models(**entry))
    assert findings.facts == ServerFacts("other", 4096, None, "m")
    assert findings.guessed is guessed


def test_a_vllm_server_counts_tokens() -> None:
    assert found(v1__models=models(owned_by="vllm", max_model_len=1)).tokenize == "http://h:1/tokenize"


def test_the_configured_model_is_looked_up_in_the_list() -> None:
    listed = {"data": [{"id": "a", "max_model_len": 1}, {"id": "b", "max_model_len": 2048}]}
    assert found("b", v1__models=listed).facts.context_tokens == 2048
    assert found("unlisted", v1__models=listed).facts == ServerFacts("other", None, None, "unlisted")


def test_lm_studio_tells_the_loaded_context_in_its_own_list() -> None:
    own = {"data": [{"id": "m", "max_context_length": 32768, "loaded_context_length": 4096}]}
    assert found(v1__models=models(), api__v0__models=own).facts == ServerFacts("other", 4096, None, "m")


OLLAMA: dict[str, Any] = {"v1__models": models(owned_by="library")}


def test_ollama_tells_the_context_of_a_model_in_memory() -> None:
    running = {"models": [{"name": "m:latest", "model": "m:latest", "context_length": 16384}]}
    findings = found("m", api__ps=running, **OLLAMA)
    assert findings.facts == ServerFacts("ollama", 16384, None, "m")
    assert not findings.guessed


def test_ollama_tells_a_context_set_in_the_model_file() -> None:
    shown = {"parameters": "stop  x\nnum_ctx      16384", "model_info": {"q.context_length": 32768}}
    assert found(api__ps={"models": []}, api__show=shown, **OLLAMA).facts.context_tokens == 16384


@pytest.mark.parametrize(("trained", "context"), [(32768, 4096), (2048, 2048)])
def test_ollamas_default_is_assumed_until_the_model_is_in_memory(trained: int, context: int) -> None:
    findings = found(
        api__ps={"models": []}, api__show={"model_info": {"q.context_length": trained}}, **OLLAMA
    )
    assert findings.facts == ServerFacts("ollama", context, None, "m")
    assert findings.guessed


@pytest.mark.parametrize(
    "odd", [None, [], {}, "text", {"data": None}, {"data": ["x", None]}, {"models": 3}, 7]
)
def test_odd_answers_tell_nothing(odd: Any) -> None:
    findings = found(props=odd, v1__models=odd, api__v0__models=odd, api__ps=odd, api__show=odd)
    assert findings.facts == ServerFacts("other", None, None, "")
