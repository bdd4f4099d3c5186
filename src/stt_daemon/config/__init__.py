"""The configuration: frozen sections, how they are read, and what is said when they cannot be.

`load_config` is called once, by the command line; children receive `Config.to_wire()` over their pipe.
Only `wiring` and the command line see these classes: the rooms below take plain parameters.
"""

from __future__ import annotations

from stt_daemon.config.example import render_example
from stt_daemon.config.loading import LoadedConfig, default_paths, load_config
from stt_daemon.config.model import Config
from stt_daemon.config.problems import InvalidConfigError, Problem
from stt_daemon.config.sections import (
    AssistantConfig,
    AudioConfig,
    BriefConfig,
    CommandConfig,
    LlmConfig,
    ParamType,
    SessionsConfig,
    SummaryConfig,
    SupervisorConfig,
    TriageConfig,
    TuiConfig,
    VadConfig,
    ValuesConfig,
    WhisperConfig,
    is_english_only,
)

__all__ = [
    "AssistantConfig",
    "AudioConfig",
    "BriefConfig",
    "CommandConfig",
    "Config",
    "InvalidConfigError",
    "LlmConfig",
    "LoadedConfig",
    "ParamType",
    "Problem",
    "SessionsConfig",
    "SummaryConfig",
    "SupervisorConfig",
    "TriageConfig",
    "TuiConfig",
    "VadConfig",
    "ValuesConfig",
    "WhisperConfig",
    "default_paths",
    "is_english_only",
    "load_config",
    "render_example",
]
