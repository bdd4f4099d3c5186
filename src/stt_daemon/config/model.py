"""The whole configuration as one frozen value, and its form for the pipe to a child. Any thread."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, ValidationError

from stt_daemon.config.fields import Section
from stt_daemon.config.sections import (
    AssistantConfig,
    AudioConfig,
    BriefConfig,
    CommandConfig,
    LlmConfig,
    SessionsConfig,
    SummaryConfig,
    SupervisorConfig,
    TriageConfig,
    TuiConfig,
    VadConfig,
    ValuesConfig,
    WhisperConfig,
)
from stt_daemon.errors import ConfigError


class Config(Section):
    """Every setting of the program. `Config()` holds the defaults."""

    audio: AudioConfig = AudioConfig()
    vad: VadConfig = VadConfig()
    whisper: WhisperConfig = WhisperConfig()
    assistant: AssistantConfig = AssistantConfig()
    llm: LlmConfig = LlmConfig()
    triage: TriageConfig = TriageConfig()
    brief: BriefConfig = BriefConfig()
    summary: SummaryConfig = SummaryConfig()
    values: ValuesConfig = ValuesConfig()
    sessions: SessionsConfig = SessionsConfig()
    supervisor: SupervisorConfig = SupervisorConfig()
    tui: TuiConfig = TuiConfig()
    commands: Annotated[tuple[CommandConfig, ...], Field(strict=False)] = ()

    def to_wire(self) -> dict[str, Any]:
        """Plain JSON values for a child's pipe. Holds the API key in clear: never log or print it."""
        wire = self.model_dump(mode="json")
        wire["llm"]["api_key"] = self.llm.api_key.get_secret_value()
        return wire

    @classmethod
    def from_wire(cls, wire: dict[str, Any]) -> Config:
        """The configuration that `to_wire` wrote. Raises ConfigError when it is not one."""
        try:
            return cls.model_validate(wire)
        except ValidationError as error:
            raise ConfigError(f"the configuration sent to this process cannot be read: {error}") from None


SECTIONS: dict[str, type[Section]] = {
    name: type(field.default)
    for name, field in Config.model_fields.items()
    if isinstance(field.default, Section)
}
"""The single sections by name, in the order of the file; `[[commands]]` repeats and is not among them."""

COMMANDS = "commands"
"""The one section that is written as `[[commands]]`, as often as wanted."""

SECRET_KEYS = frozenset({"api_key", "api_key_env"})
"""Keys whose value never appears in a problem: somebody may have put an API key there."""


def fields_of(section: str) -> dict[str, Any]:
    """The pydantic fields of a section by key, `commands` included."""
    kind = CommandConfig if section == COMMANDS else SECTIONS[section]
    return dict(kind.model_fields)


def owners_of(key: str) -> tuple[str, ...]:
    """The sections that have this key."""
    return tuple(section for section in (*SECTIONS, COMMANDS) if key in fields_of(section))


def heading(section: str) -> str:
    """How a section is written in the file."""
    return f"[[{section}]]" if section == COMMANDS else f"[{section}]"
