"""Finding out what kind of server answers, and how much context it gives. Pure: a function fetches for it.

Asked in this order: llama.cpp's `/props`, the common `/v1/models`, LM Studio's `/api/v0/models`, Ollama's
`/api/ps` and `/api/show`. A llama.cpp server imitates some of Ollama's calls, so its own come first.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from stt_daemon.llm.address import Address
from stt_daemon.llm.chat import ServerFacts, ServerKind

# method, url, JSON body or None -> the JSON answer of a 200, else None
Fetch = Callable[[str, str, dict[str, Any] | None], Any]
# Ollama gives a model this much when nobody asked for more and the graphics memory is small.
OLLAMA_DEFAULT_CONTEXT = 4096
_NUM_CTX = re.compile(r"^num_ctx\s+(\d+)", re.MULTILINE)


@dataclass(frozen=True)
class Findings:
    """Facts, and how far to trust them: a `guessed` context gives way to a configured one and is asked for
    again.
    """

    facts: ServerFacts
    guessed: bool = False
    tokenize: str = ""


def find_out(address: Address, model: str, fetch: Fetch) -> Findings:
    """Ask the server about itself; what it does not tell stays None."""
    props = fetch("GET", f"{address.root}/props", None)
    listed = _models(fetch("GET", address.models, None))
    if isinstance(props, dict) and isinstance(props.get("default_generation_settings"), dict):
        return _llama_cpp(address, props, listed, model)
    entry = _entry(listed, model)
    name = model or _text(entry.get("id"))
    context, certain = _context_of(entry)
    if _text(entry.get("owned_by")) == "vllm" or "max_model_len" in entry:
        return Findings(ServerFacts("other", context, None, name), not certain, f"{address.root}/tokenize")
    if not certain:
        studio = _entry(_models(fetch("GET", f"{address.root}/api/v0/models", None)), name)
        if loaded := _number(studio.get("loaded_context_length")):
            return Findings(ServerFacts("other", loaded, None, name))
    running = fetch("GET", f"{address.root}/api/ps", None)
    if isinstance(running, dict) and isinstance(running.get("models"), list):
        return _ollama(address, running["models"], name, bool(model), fetch)
    return Findings(ServerFacts("other", context, None, name), guessed=context is not None and not certain)


def _llama_cpp(address: Address, props: dict[str, Any], listed: list[dict[str, Any]], model: str) -> Findings:
    context = _number(props["default_generation_settings"].get("n_ctx"))
    guessed = context is None
    if context is None:
        context, _ = _context_of(_entry(listed, model))
    name = model or _text(props.get("model_alias")) or _text(_entry(listed, "").get("id"))
    name = without_folder(name or _text(props.get("model_path")))
    facts = ServerFacts("llama.cpp", context, _number(props.get("total_slots")), name)
    return Findings(facts, guessed and context is not None, f"{address.root}/tokenize")


def _ollama(address: Address, running: list[Any], name: str, chosen: bool, fetch: Fetch) -> Findings:
    models = [entry for entry in running if isinstance(entry, dict)]
    if not chosen and models:
        name = _text(models[0].get("name")) or name
    for entry in models:
        if name in (entry.get("name"), entry.get("model")) or f"{name}:latest" == entry.get("name"):
            if context := _number(entry.get("context_length")):
                return Findings(_facts("ollama", context, name))
            break
    shown = fetch("POST", f"{address.root}/api/show", {"model": name}) if name else None
    shown = shown if isinstance(shown, dict) else {}
    if found := _NUM_CTX.search(_text(shown.get("parameters"))):
        return Findings(_facts("ollama", int(found[1]), name))
    info = shown.get("model_info")
    trained = next(
        (
            number
            for key, value in (info.items() if isinstance(info, dict) else ())
            if key.endswith(".context_length") and (number := _number(value))
        ),
        None,
    )
    # The model's own limit is not what Ollama gives it, and what is too long it cuts without a word.
    context = min(trained, OLLAMA_DEFAULT_CONTEXT) if trained else OLLAMA_DEFAULT_CONTEXT
    return Findings(_facts("ollama", context, name), guessed=True)


def _facts(kind: ServerKind, context: int, model: str) -> ServerFacts:
    return ServerFacts(kind, context, None, model)


def _context_of(entry: dict[str, Any]) -> tuple[int | None, bool]:
    """The context a model list tells, and whether it is the one in force or only the most the model could
    have.
    """
    meta = entry.get("meta")
    meta = meta if isinstance(meta, dict) else {}
    for value in (entry.get("loaded_context_length"), entry.get("max_model_len"), meta.get("n_ctx")):
        if number := _number(value):
            return number, True
    for value in (
        entry.get("context_length"),
        entry.get("context_window"),
        entry.get("max_context_length"),
        meta.get("n_ctx_train"),
    ):
        if number := _number(value):
            return number, False
    return None, False


def _models(answer: Any) -> list[dict[str, Any]]:
    data = answer.get("data") if isinstance(answer, dict) else answer
    return [entry for entry in data if isinstance(entry, dict)] if isinstance(data, list) else []


def _entry(listed: list[dict[str, Any]], model: str) -> dict[str, Any]:
    """The model's own entry; without a configured name the first one is what the server will use."""
    for entry in listed:
        if entry.get("id") == model:
            return entry
    return listed[0] if listed and not model else {}


def without_folder(model: str) -> str:
    """The model's name; one named by its file loses the folders of the server's disk."""
    if model.endswith(".gguf") or model.startswith("/"):
        return re.split(r"[/\\]", model)[-1]
    return model


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
