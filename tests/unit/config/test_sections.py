"""The sections hold the promised defaults and take nothing for what it is not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import SecretStr, ValidationError

from stt_daemon.config import (
    CommandConfig,
    Config,
    LlmConfig,
    SummaryConfig,
    TriageConfig,
    VadConfig,
    WhisperConfig,
    is_english_only,
)
from stt_daemon.config.fields import accepted
from stt_daemon.config.model import COMMANDS, SECTIONS, fields_of
from stt_daemon.config.sections.listening import WHISPER_LANGUAGES
from stt_daemon.errors import ConfigError

PROMISED: dict[str, dict[str, Any]] = {
    "audio": {
        "source": "mic",
        "device": "",
        "keep": True,
        "keep_raw": False,
        "pre_roll_ms": 300,
        "speaker_label": "Speaker",
        "silence_alarm_s": 5,
    },
    "vad": {"threshold": 0.5, "min_speech_ms": 120, "end_silence_ms": 700, "max_segment_s": 28},
    "whisper": {
        "model": "auto",
        "device": "auto",
        "compute_type": "auto",
        "language": "",
        "beam_size": 0,
        "partials": True,
        "partial_interval_s": 1.0,
        "initial_prompt": "",
        "hotwords": (),
        "cpu_threads": 0,
        "window": "auto",
    },
    "assistant": {
        "turn_gap_s": 1.5,
        "chat_phrases": ("assistant chat",),
        "command_phrases": ("assistant command",),
        "end_phrases": ("assistant stop",),
        "send_transcripts": True,
        "send_to_triage": False,
        "role": "",
    },
    "llm": {
        "base_url": "http://127.0.0.1:8080/v1",
        "model": "",
        "api_key": SecretStr(""),
        "api_key_env": "",
        "temperature": 0.7,
        "max_tokens": 1024,
        "timeout_s": 120,
        "context_tokens": 0,
        "output_reserve": 1024,
        "history_max_tokens": 16384,
        "context_alert": 0.8,
        "queue_size": 8,
        "chat_slot_id": None,
    },
    "triage": {
        "enabled": False,
        "questions_file": "questions.json",
        "checkpoint_dir": "",
        "window": 500,
        "state_char_budget": 3000,
        "periodic_s": 30.0,
        "predict_max_tokens": 1024,
        "confidence_field": "answer_confidence",
        "escalate_threshold": 0.6,
        "choice_min_confidence": 0.85,
        "extract_enabled": True,
        "extract_max_tokens": 3072,
        "extract_timeout_s": 30.0,
        "extract_temperature": 0.2,
        "brief_slot_id": None,
        "brief_gate_enabled": True,
        "brief_gate_threshold": 0.5,
        "brief_max_chars": 4000,
        "brief_pending_char_budget": 3000,
        "ledger_max_facts": 200,
        "fact_max_chars": 240,
        "device": "",
        "preload": ("multilingual",),
        "default_checkpoint": "multilingual",
        "dump_io": False,
    },
    "brief": {"write": False},
    "summary": {
        "enabled": False,
        "recent_window_s": 60.0,
        "flush_every_n": 5,
        "flush_every_s": 60.0,
        "write": False,
    },
    "values": {"enabled": False, "fields_file": "values.json"},
    "sessions": {"dir": "sessions"},
    "supervisor": {"placement": "process", "stop_grace_s": 10, "restarts": 5, "restart_window_s": 60},
    "tui": {"theme": "dark", "follow": True},
}

PROMPTS = {
    "llm": {
        "system_prompt",
        "triage_system_prompt",
        "compaction_system_prompt",
        "brief_compaction_system_prompt",
    },
    "summary": {"prompt_template"},
}


@pytest.mark.parametrize("section", SECTIONS)
def test_a_section_has_exactly_the_promised_keys_and_defaults(section: str) -> None:
    defaults = dict(getattr(Config(), section))
    prompts = PROMPTS.get(section, set())
    assert {key: value for key, value in defaults.items() if key not in prompts} == PROMISED[section]
    assert all(defaults[key].strip() for key in prompts)


def test_every_section_is_promised() -> None:
    assert set(SECTIONS) == set(PROMISED)


def test_a_command_needs_name_phrases_and_argv_and_confirms_by_default() -> None:
    command = CommandConfig(name="lamp", phrases=("lights on",), argv=("lamp", "on"))
    assert (command.params, command.confirm, command.timeout_s) == ({}, True, 20)
    required = {key for key, field in CommandConfig.model_fields.items() if field.is_required()}
    assert required == {"name", "phrases", "argv"}


@pytest.mark.parametrize("section", [*SECTIONS, COMMANDS])
def test_every_key_has_a_docstring_and_words_for_what_it_accepts(section: str) -> None:
    for field in fields_of(section).values():
        assert field.description
        assert accepted(field)


def test_sections_are_frozen() -> None:
    with pytest.raises(ValidationError):
        Config().vad.threshold = 0.9  # type: ignore[misc]


@pytest.mark.parametrize("value", [True, "0.5", float("nan"), float("inf"), 0, 1, -1, None, 10**400])
def test_a_threshold_is_a_number_between_0_and_1(value: object) -> None:
    with pytest.raises(ValidationError):
        VadConfig.model_validate({"threshold": value})


@pytest.mark.parametrize("value", [True, "3", 1.0, -1, 21])
def test_a_beam_size_is_a_whole_number_in_range(value: object) -> None:
    with pytest.raises(ValidationError):
        WhisperConfig.model_validate({"beam_size": value})


def test_a_whole_number_passes_for_any_number() -> None:
    assert WhisperConfig.model_validate({"partial_interval_s": 1}).partial_interval_s == 1.0


def test_the_periodic_trigger_may_be_switched_off_with_a_negative_number() -> None:
    assert TriageConfig.model_validate({"periodic_s": -1}).periodic_s == -1


@pytest.mark.parametrize(
    "template", ["no placeholder", "{summary}", "{summary} {new_block} {x}", "{summary} {new_block} {"]
)
def test_a_summary_template_needs_exactly_its_two_placeholders(template: str) -> None:
    with pytest.raises(ValidationError):
        SummaryConfig(prompt_template=template)


def test_the_default_summary_template_can_be_filled() -> None:
    filled = SummaryConfig().prompt_template.format(summary="S-1", new_block="N-1")
    assert "S-1" in filled
    assert "N-1" in filled


def test_the_default_brief_prompt_names_its_two_sections_in_order() -> None:
    prompt = LlmConfig().triage_system_prompt
    assert 0 <= prompt.index("NEW FACTS:") < prompt.index("BRIEF:\n")


@pytest.mark.parametrize(
    "url", ["", "127.0.0.1:8080", "ftp://h/v1", "http://", "http://h:x/", "http://h i/", "http://[::1"]
)
def test_a_base_url_is_a_web_address(url: str) -> None:
    with pytest.raises(ValidationError):
        LlmConfig(base_url=url)


@pytest.mark.parametrize("url", ["http://h:1", "https://h/", "http://[::1]:8080/v1", "http://h/v1beta"])
def test_a_base_url_may_have_any_path(url: str) -> None:
    assert LlmConfig(base_url=url).base_url == url


@pytest.mark.parametrize(
    "model",
    [
        "tiny.en",
        "distil-small.en",
        "Systran/faster-whisper-base.en",
        "/m/tiny.en/",
        r"C:\m\base.en",
        "x.EN",
        "medium.en-int8",
        "/hub/models--Systran--faster-whisper-tiny.en/snapshots/0d3d19a3",
    ],
)
def test_a_model_that_says_en_is_english_only(model: str) -> None:
    assert is_english_only(model)


@pytest.mark.parametrize(
    "model", ["auto", "small", "large-v3", "/site.en/models/small", "tiny.enormous", "en", ""]
)
def test_other_models_are_not(model: str) -> None:
    assert not is_english_only(model)


def test_the_known_languages_are_those_of_the_tokenizer() -> None:
    tokenizer = pytest.importorskip("faster_whisper.tokenizer")
    assert set(tokenizer._LANGUAGE_CODES) == WHISPER_LANGUAGES


@pytest.mark.parametrize(
    "change",
    [
        {"phrases": []},
        {"phrases": [" "]},
        {"argv": []},
        {"argv": [""]},
        {"argv": ["a\0"]},
        {"argv": [1]},
        {"name": ""},
        {"params": {"x": "date"}},
        {"params": {"two words": "text"}},
        {"argv": ["{x}"], "params": {"x": "text"}},
        {"timeout_s": 0},
        {"confirm": "no"},
    ],
)
def test_a_command_that_could_not_run_safely_is_refused(change: dict[str, Any]) -> None:
    good = {"name": "lamp", "phrases": ["on"], "argv": ["lamp"]}
    CommandConfig.model_validate(good)
    with pytest.raises(ValidationError):
        CommandConfig.model_validate({**good, **change})


def _full_config() -> Config:
    command = CommandConfig(
        name="lamp", phrases=("on", "light"), argv=("lamp", "{n}", ""), params={"n": "number"}
    )
    return Config(
        llm=LlmConfig(api_key=SecretStr("sk-very-secret"), chat_slot_id=1),
        whisper=WhisperConfig(hotwords=("Grün", "Łódź"), language="de"),
        commands=(command,),
    )


def test_a_configuration_survives_the_pipe_with_its_key() -> None:
    config = _full_config()
    received = Config.from_wire(json.loads(json.dumps(config.to_wire())))
    assert received == config
    assert received.llm.api_key.get_secret_value() == "sk-very-secret"


def test_what_is_not_a_configuration_is_refused_without_showing_it() -> None:
    wire = _full_config().to_wire()
    wire["vad"]["threshold"] = "sk-very-secret"
    with pytest.raises(ConfigError) as raised:
        Config.from_wire(wire)
    assert "sk-very-secret" not in str(raised.value)


def test_a_key_is_in_no_text_form_of_a_configuration() -> None:
    config = _full_config()
    forms = [repr(config), str(config), repr(config.llm), str(config.model_dump()), config.model_dump_json()]
    assert not any("sk-very-secret" in form for form in forms)
