"""`[assistant]`, `[llm]` and `[[commands]]`: modes, the language model, and what may be started."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, SecretStr, model_validator

from stt_daemon.config import prompts
from stt_daemon.config.fields import (
    Accepts,
    Address,
    ContextTokens,
    EnvironmentName,
    LongText,
    Name,
    NameList,
    Section,
    Text,
)

ParamType = Literal["text", "number", "duration", "time"]
"""How a spoken argument is read: as it is, a whole number, a length of time, a time of day."""

_PARAM_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def _header_value(key: SecretStr) -> SecretStr:
    """A key travels in a header, which is one line of ASCII."""
    text = key.get_secret_value()
    if not text.isascii() or not text.isprintable():
        raise ValueError("it holds a character that no key has, such as a line break")
    return key


class AssistantConfig(Section):
    """Turns and modes."""

    turn_gap_s: float = Field(default=1.5, ge=0.1, le=60)
    """How long it must be quiet, in seconds, until a turn counts as finished."""
    chat_phrases: NameList = ("assistant chat",)
    """Spoken phrases that switch to chat. An empty list: only keys and typed commands do."""
    command_phrases: NameList = ("assistant command",)
    """Spoken phrases after which the next turn is a command."""
    end_phrases: NameList = ("assistant stop",)
    """Spoken phrases that end chat or command mode."""
    send_transcripts: bool = True
    """In chat mode, send each finished spoken turn to the language model, not only what is typed."""
    send_to_triage: bool = False
    """Let triage see the chat as well: typed messages and replies."""
    role: LongText = ""
    """Who the assistant should be. Goes in front of `[llm].system_prompt`."""


class LlmConfig(Section):
    """The language model: the only address that words of a session are ever sent to."""

    base_url: Address = "http://127.0.0.1:8080/v1"
    """A server that speaks the OpenAI chat protocol: llama.cpp, Ollama, LM Studio, vLLM, or a hosted one."""
    model: Text = ""
    """The model to ask for. Empty: whatever the server has loaded."""
    api_key: Annotated[SecretStr, AfterValidator(_header_value)] = SecretStr("")
    """The key the server wants. Never shown or logged. `api_key_env` keeps it out of this file."""
    api_key_env: EnvironmentName = ""
    """The environment variable that holds the key; used when `api_key` is empty."""
    temperature: float = Field(default=0.7, ge=0, le=2)
    """How freely chat replies are worded. 0 is the same answer each time."""
    max_tokens: int = Field(default=1024, ge=1, le=1_000_000)
    """The longest chat reply, in tokens."""
    timeout_s: float = Field(default=120.0, gt=0, le=3600)
    """The time one reply may take from request to last word, in seconds."""
    context_tokens: ContextTokens = 0
    """How many tokens the model can hold. 0: the server is asked."""
    output_reserve: int = Field(default=1024, ge=0, le=1_000_000)
    """Tokens of the context that are kept free for the reply."""
    history_max_tokens: int = Field(default=16_384, ge=0, le=100_000_000)
    """The most tokens of earlier chat that go with a message; less if the context is smaller."""
    context_alert: float = Field(default=0.8, gt=0, le=1)
    """Warn when the chat fills this share of its budget, before older turns are condensed."""
    queue_size: int = Field(default=8, ge=1, le=1000)
    """How many requests may wait for the language model."""
    chat_slot_id: int | None = Field(default=None, ge=0, le=1023)
    """The slot of a llama.cpp server that chat should use, so that its cache stays warm. Unset: any."""
    system_prompt: LongText = prompts.SYSTEM
    """What the model is told before every chat."""
    triage_system_prompt: LongText = prompts.TRIAGE
    """What the model is told when it updates the brief. It must ask for NEW FACTS: and BRIEF:."""
    compaction_system_prompt: LongText = prompts.COMPACTION
    """What the model is told before it condenses chat turns that no longer fit."""
    brief_compaction_system_prompt: LongText = prompts.BRIEF_COMPACTION
    """Accepted so that older files load; nothing uses it, since the brief keeps no history to condense."""


def _argv(argv: tuple[str, ...]) -> tuple[str, ...]:
    if not argv or not argv[0].strip():
        raise ValueError("it names no program")
    if any("\0" in part for part in argv):
        raise ValueError("it holds a NUL character")
    return argv


def _phrases(phrases: tuple[str, ...]) -> tuple[str, ...]:
    if not phrases:
        raise ValueError("a command without a phrase could never be said")
    return phrases


def _params(params: Mapping[str, ParamType]) -> Mapping[str, ParamType]:
    for name in params:
        if not _PARAM_NAME.fullmatch(name):
            raise ValueError("a parameter's name is made of letters, digits and underscores")
    return params


class CommandConfig(Section):
    """One program that a spoken or typed phrase may start. Never through a shell."""

    name: Name
    """What the command is called; each name once."""
    phrases: Annotated[
        NameList,
        AfterValidator(_phrases),
        Accepts('a list of at least one phrase, such as ["lights on"]'),
    ]
    """What is said or typed to start it."""
    argv: Annotated[
        tuple[str, ...],
        Field(strict=False),
        AfterValidator(_argv),
        Accepts('a list of texts that starts with the program, such as ["notify-send", "{text}"]'),
    ]
    """The program and its arguments, each a text of its own. `{name}` in an argument is a parameter."""
    params: Annotated[
        Mapping[str, ParamType],
        AfterValidator(_params),
        Accepts(
            'a table of names and types, such as {minutes = "number"}; types are "text", '
            '"number" (whole), "duration" and "time" (of day)'
        ),
    ] = {}
    """The parameters that are read from what was said: name = "text", "number", "duration" or "time"."""
    confirm: bool = True
    """Ask before it runs."""
    timeout_s: float = Field(default=20.0, gt=0, le=3600)
    """The program is ended after this many seconds."""

    @model_validator(mode="after")
    def _program_is_fixed(self) -> CommandConfig:
        if any("{" + name + "}" in self.argv[0] for name in self.params):
            raise ValueError(
                "what was said can become an argument, never the program: argv starts with a parameter"
            )
        return self
