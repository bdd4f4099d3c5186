"""`[triage]`, `[brief]`, `[summary]` and `[values]`: what is made of the transcript."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from stt_daemon.config import prompts
from stt_daemon.config.fields import Checkpoints, FilePath, OptionalPath, Section, SummaryTemplate, Text


class TriageConfig(Section):
    """Signals from a local classifier, and the brief they lead to."""

    enabled: bool = False
    """Switch triage on. Needs the extra named triage and a questions file."""
    questions_file: FilePath = "questions.json"
    """The questions put to each window of the transcript. Relative to the working directory."""
    checkpoint_dir: OptionalPath = ""
    """A folder with `rl_agent_config.json` in it or in its `multilingual`. Empty: from the hub."""
    window: int = Field(default=500, ge=1, le=100_000)
    """How many of the newest entries one classification may see; the budget below usually ends it sooner."""
    state_char_budget: int = Field(default=3000, ge=100, le=1_000_000)
    """The most characters of transcript in one classification, about four to a token."""
    periodic_s: float = Field(default=30.0, le=86_400)
    """While speech goes on without a pause, classify every so many seconds. 0 or less: only after a pause."""
    predict_max_tokens: int = Field(default=1024, ge=256, le=1024)
    """The most tokens of one classification, about 192 of them for the questions. The model holds 1024."""
    confidence_field: Literal["answer_confidence", "confidence"] = "answer_confidence"
    """Which confidence decides whether an answer is marked: the largest probability, or one from entropy."""
    escalate_threshold: float = Field(default=0.6, ge=0, le=1)
    """A yes-or-no answer with at least this probability is marked."""
    choice_min_confidence: float = Field(default=0.85, ge=0, le=1)
    """A choice with less confidence than this is marked."""
    extract_enabled: bool = True
    """Write the brief. With false there are signals only."""
    extract_max_tokens: int = Field(default=3072, ge=16, le=1_000_000)
    """The longest reply to a brief request, in tokens."""
    extract_timeout_s: float = Field(default=30.0, gt=0, le=3600)
    """The time one brief request may take, in seconds."""
    extract_temperature: float = Field(default=0.2, ge=0, le=2)
    """How freely the brief is worded."""
    brief_slot_id: int | None = Field(default=None, ge=0, le=1023)
    """The slot of a llama.cpp server that the brief should use (`-np 2` or more). Unset: any."""
    brief_gate_enabled: bool = True
    """Ask for a new brief only when the transcript holds something new. Unsure counts as new."""
    brief_gate_threshold: float = Field(default=0.5, ge=0, le=1)
    """From which probability of something new the brief is updated."""
    brief_max_chars: int = Field(default=4000, ge=100, le=1_000_000)
    """How much of the brief is shown. The file holds all of it."""
    brief_pending_char_budget: int = Field(default=3000, ge=100, le=1_000_000)
    """How many characters may wait for the next brief; beyond it the oldest are set aside."""
    ledger_max_facts: int = Field(default=200, ge=1, le=100_000)
    """How many facts are kept; beyond it the oldest leave, and the log says so."""
    fact_max_chars: int = Field(default=240, ge=20, le=10_000)
    """A longer fact is shortened to this many characters."""
    device: Text = ""
    """Where the classifier runs, such as "cpu" or "cuda". Empty: the checkpoint's own choice."""
    preload: Checkpoints = ("multilingual",)
    """The checkpoint is loaded at the start."""
    default_checkpoint: Literal["multilingual"] = "multilingual"
    """The checkpoint of every classification; the others read English only."""
    dump_io: bool = False
    """Write each classification and brief request, text included, to `troubleshoot/triage`."""


class BriefConfig(Section):
    """What becomes of the brief."""

    write: bool = False
    """Keep each accepted brief as `brief.md` in the session's folder."""


class SummaryConfig(Section):
    """A running summary of what lies longer back."""

    enabled: bool = False
    """Switch the running summary on."""
    recent_window_s: float = Field(default=60.0, ge=0, le=86_400)
    """What was said in the last so many seconds stays word for word and is not yet summarised."""
    flush_every_n: int = Field(default=5, ge=0, le=10_000)
    """Update the summary when this many utterances wait for it. 0: the number does not matter."""
    flush_every_s: float = Field(default=60.0, ge=0, le=86_400)
    """Update the summary when utterances have waited this many seconds. 0: the time does not matter."""
    prompt_template: SummaryTemplate = prompts.SUMMARY
    """The request. {summary} stands for the summary so far, {new_block} for the new utterances."""
    write: bool = False
    """Keep the summary as `summary.md` in the session's folder."""


class ValuesConfig(Section):
    """Typed values (amounts, dates, names ...) that are read from the speech."""

    enabled: bool = False
    """Switch the reading of values on."""
    fields_file: FilePath = "values.json"
    """The fields to fill, their questions and thresholds. Relative to the working directory."""
