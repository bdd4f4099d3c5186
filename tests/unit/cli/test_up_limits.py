from __future__ import annotations

from stt_daemon.cli.up import _longest_llm_job_s
from stt_daemon.config import Config


def config(**triage: object) -> Config:
    return Config.model_validate({"llm": {"timeout_s": 120.0}, "triage": triage})


def test_a_core_at_work_on_a_slow_brief_is_not_taken_for_stuck() -> None:
    assert _longest_llm_job_s(config(enabled=True, extract_timeout_s=600.0)) == 1200.0
    assert _longest_llm_job_s(config(enabled=True)) == 120.0
    assert _longest_llm_job_s(config(extract_timeout_s=600.0)) == 120.0
    assert _longest_llm_job_s(config(enabled=True, extract_enabled=False, extract_timeout_s=600.0)) == 120.0
