"""Asking Laya: the warm-up that tests it, questions with their twins, and the processor when a device fails.

Worker thread only. Knows nothing of the package; `laya_engine` makes the models.
"""

from __future__ import annotations

import gc
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from stt_daemon.domain.text import one_line
from stt_daemon.errors import ErrorRecord
from stt_daemon.lanes.laya import LayaAnswers, LayaJob
from stt_daemon.lanes.laya_checks import (
    PROBE_LINES,
    PROBES,
    changed_by_order,
    plain_response,
    suspicion,
    with_twins,
)
from stt_daemon.messages import Warned

log = logging.getLogger(__name__)

CPU = "cpu"

DEVICE_ERRORS = (RuntimeError, AssertionError)
"""What torch raises for a device that is not there, or has no memory, kernels, drivers or autocast."""

# A reason is a line on a screen.
_LONGEST_REASON = 200


class LayaModel(Protocol):
    """A loaded checkpoint."""

    @property
    def device(self) -> str:
        """Where it runs now: it may move to the processor by itself."""

    @property
    def remark(self) -> str:
        """The last thing it had to say to people, "" if nothing."""

    def fit(self, lines: Sequence[str], questions: Mapping[str, Any]) -> tuple[str, Mapping[str, int]]:
        """The newest words of the lines that it reads whole, and how many tokens each question comes to."""

    def request(self, state: str, questions: Mapping[str, Any], language: str) -> dict[str, Any]:
        """The arguments of a call."""

    def predict(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """One call."""


class _Call(NamedTuple):
    state: str
    tokens: Mapping[str, int]
    request: dict[str, Any]
    response: dict[str, Any]

    @property
    def answers(self) -> dict[str, dict[str, Any]]:
        found: dict[str, dict[str, Any]] = self.response["answers"]
        return found


class AskingEngine:
    """Owns one model, made by `open_model(device)`; opens and tests it at construction.

    `device` "" leaves the choice to Laya. A model that cannot be loaded or asked on another device is opened
    on the processor. `on_notice` hears once of each kind of trouble. What `open_model` raises for the
    processor passes through.
    """

    def __init__(
        self, open_model: Callable[[str], LayaModel], device: str, *, on_notice: Callable[[Warned], None]
    ) -> None:
        self._open_model = open_model
        self._on_notice = on_notice
        self._device = device
        self._model: LayaModel | None = None
        self._lasting: dict[str, str] = {}
        self._failure = ""
        self._test()

    @property
    def trouble(self) -> str:
        """What is wrong and stays so, and what went wrong last."""
        return "; ".join(line for line in (*self._lasting.values(), self._failure) if line)

    def answer(self, job: LayaJob) -> LayaAnswers:
        """Classify the newest of the lines that Laya reads whole."""
        try:
            answers = self._answer(job)
        except Exception as error:
            self._failure = f"the last classification failed: {_short(ErrorRecord.of(error).line())}"
            raise
        self._failure = ""
        return answers

    def _answer(self, job: LayaJob) -> LayaAnswers:
        asked, twins = with_twins(job.questions)
        call = self._ask(job.lines, asked, job.language)
        hidden = sum(call.tokens[twin] for twin in twins.values())
        return LayaAnswers(
            answers={qid: call.answers[qid] for qid in job.questions if qid in call.answers},
            input_tokens=call.response["usage"]["input_tokens"] - hidden,
            state=call.state,
            request=call.request,
            response=call.response,
            unsure=changed_by_order(call.answers, twins),
        )

    def _test(self) -> None:
        """The first call, which is slow, is spent on the probes."""
        why = suspicion(self._ask(PROBE_LINES, PROBES, "en").answers)
        if why:
            self._tell("suspect", f"the Laya checkpoint is suspect: {why}; its signals may mean nothing")

    def _ask(self, lines: Sequence[str], questions: Mapping[str, Any], language: str) -> _Call:
        left: tuple[str, str] | None = None
        while True:
            try:
                model = self._present()
                before = model.device
                call = _call(model, lines, questions, language)
            except DEVICE_ERRORS as error:
                if self._device == CPU or (self._model is not None and self._model.device == CPU):
                    raise
                failure = error
            else:
                if left is not None:
                    self._moved(*left)
                elif model.device != before:
                    self._moved(before, model.remark)
                return call
            # Outside the handler: the traceback would keep the model, and its memory, alive. A poisoned
            # device may not give the weights back, so they are read again.
            failure.__traceback__ = None
            left = self._leave(failure)

    def _present(self) -> LayaModel:
        if self._model is None:
            self._model = self._open_model(self._device)
            if self._model.device == CPU and self._device != CPU and (self._model.remark or self._device):
                self._moved(self._device, self._model.remark)
        return self._model

    def _leave(self, failure: Exception) -> tuple[str, str]:
        """Give the model up; the next one runs on the processor. Returns what to tell once it does."""
        place = self._device if self._model is None else self._model.device
        log.warning("Laya leaves %s: %s", place or "the default device", failure)
        self._model = None
        gc.collect()
        self._device = CPU
        return place, str(failure)

    def _moved(self, device: str, why: str) -> None:
        place = f"instead of {device}" if device else "only"
        self._tell("cpu", f"Laya runs on the processor {place}{': ' if why else ''}{_short(why)}")

    def _tell(self, code: str, message: str) -> None:
        if code not in self._lasting:
            self._lasting[code] = message
            self._on_notice(Warned(where="laya", code=code, message=message))


def _call(model: LayaModel, lines: Sequence[str], questions: Mapping[str, Any], language: str) -> _Call:
    state, tokens = model.fit(lines, questions)
    request = model.request(state, questions, language)
    return _Call(state, tokens, request, plain_response(model.predict(request)))


def _short(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= _LONGEST_REASON else line[: _LONGEST_REASON - 1] + "…"
