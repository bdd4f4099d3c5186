"""The sections of the configuration: one frozen model each, one docstring per field.

The docstrings become the comments of the example file. Defaults are those of the program; nothing here
reads a file or imports a library that only one lane needs.
"""

from __future__ import annotations

from stt_daemon.config.sections.assistant import AssistantConfig, CommandConfig, LlmConfig, ParamType
from stt_daemon.config.sections.listening import AudioConfig, VadConfig, WhisperConfig, is_english_only
from stt_daemon.config.sections.notes import BriefConfig, SummaryConfig, TriageConfig, ValuesConfig
from stt_daemon.config.sections.program import SessionsConfig, SupervisorConfig, TuiConfig

__all__ = [
    "AssistantConfig",
    "AudioConfig",
    "BriefConfig",
    "CommandConfig",
    "LlmConfig",
    "ParamType",
    "SessionsConfig",
    "SummaryConfig",
    "SupervisorConfig",
    "TriageConfig",
    "TuiConfig",
    "VadConfig",
    "ValuesConfig",
    "WhisperConfig",
    "is_english_only",
]
