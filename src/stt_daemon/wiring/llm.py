"""Who gets which real part for the language model: the lane with its client, the conversation, the commands.

The one place where `[llm]`, `[assistant]` and `[[commands]]` meet the rooms that do not know the
configuration. The HTTP library is loaded by the lane, in its own thread.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stt_daemon.commands import Commands, ModePhrases, UserCommand
from stt_daemon.config import Config
from stt_daemon.conversation import Conversation, Limits
from stt_daemon.domain import Clock
from stt_daemon.lanes.inference_queue import InferenceQueue
from stt_daemon.messages import Warned

if TYPE_CHECKING:
    from stt_daemon.llm.client import LlmClient

Post = Callable[[object], None]
"""Puts something into the core's inbox; any thread, never blocks."""


def api_key(config: Config, environment: Mapping[str, str]) -> tuple[str, str]:
    """The key to send, and what the user should know about it ("" if nothing). A key in the file wins."""
    llm = config.llm
    if explicit := llm.api_key.get_secret_value():
        return explicit, ""
    if not llm.api_key_env:
        return "", ""
    key = environment.get(llm.api_key_env, "").strip()
    if not key:
        return "", (
            "[llm].api_key_env names an environment variable that is not set or empty; requests go out "
            "without a key"
        )
    if not key.isascii() or not key.isprintable():
        return "", (
            "the environment variable that [llm].api_key_env names holds a character that no key has, such "
            "as a line break; requests go out without a key"
        )
    return key, ""


def build_llm_client(
    config: Config,
    *,
    clock: Clock,
    on_progress: Callable[[str], None],
    on_warning: Callable[[str, str], None],
    environment: Mapping[str, str] | None = None,
) -> LlmClient:
    """The client for the configured server. Loads httpx; asks the server nothing yet."""
    from stt_daemon.llm.client import LlmClient

    key, warning = api_key(config, os.environ if environment is None else environment)
    if warning:
        on_warning("api_key", warning)
    return LlmClient(
        config.llm.base_url,
        model=config.llm.model,
        api_key=key,
        context_tokens=config.llm.context_tokens,
        clock=clock,
        on_progress=on_progress,
        on_warning=on_warning,
    )


@dataclass(frozen=True)
class LlmWarning:
    """What the client warns of. No message of its own: those of other children arrive in the same inbox."""

    warning: Warned


@dataclass(frozen=True)
class LlmProgress:
    """What the client waits for ("loading model"), "" when it goes on. Posted by the lane's thread."""

    text: str


class LlmLane(InferenceQueue[Any]):
    """The queue around a client, which it closes in the end: a call that outlived the lane breaks off."""

    def __init__(self, config: Config, post: Post, clock: Clock) -> None:
        self._client: LlmClient | None = None

        def load() -> LlmClient:
            self._client = build_llm_client(
                config,
                clock=clock,
                on_progress=lambda text: post(LlmProgress(text)),
                on_warning=lambda code, message: post(
                    LlmWarning(Warned(where="llm", code=code, message=message))
                ),
            )
            return self._client

        super().__init__(
            load,
            size=config.llm.queue_size,
            on_outcome=post,
            on_state=post,
            clock=clock,
            describe=lambda client: str(client.address),
        )

    def join(self, timeout_s: float) -> bool:
        over = super().join(timeout_s)
        if self._client is not None:
            self._client.close()
        return over


def build_llm_lane(config: Config, post: Post, clock: Clock) -> InferenceQueue[Any]:
    """The lane of the language model, not started yet.

    It posts its outcomes, its states, `LlmProgress` and `LlmWarning`.
    """
    return LlmLane(config, post, clock)


def build_conversation(config: Config, session: str) -> Conversation:
    """The chat of a session, empty."""
    llm = config.llm
    return Conversation(
        role=config.assistant.role,
        prompt=llm.system_prompt,
        compaction_prompt=llm.compaction_system_prompt,
        limits=Limits(
            output_reserve=llm.output_reserve,
            history_max_tokens=llm.history_max_tokens,
            context_alert=llm.context_alert,
        ),
        session=session,
    )


def build_commands(config: Config) -> Commands:
    """The closed registry with the user's own commands. Raises ConfigError when one cannot be used."""
    return Commands(
        [
            UserCommand(
                name=command.name,
                phrases=command.phrases,
                argv=command.argv,
                params=command.params,
                confirm=command.confirm,
                timeout_s=command.timeout_s,
            )
            for command in config.commands
        ]
    )


def mode_phrases(config: Config) -> ModePhrases:
    """The phrases that change the mode."""
    assistant = config.assistant
    return ModePhrases(
        chat=assistant.chat_phrases, command=assistant.command_phrases, end=assistant.end_phrases
    )


def hidden_variables(config: Config) -> tuple[str, ...]:
    """Environment variables that no program of the user may see."""
    return (config.llm.api_key_env,) if config.llm.api_key_env else ()
