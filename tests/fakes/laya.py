"""A loaded Laya checkpoint whose answers a test decides; behind the real lane it stands for the package."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Answer = Callable[[str, Mapping[str, Any]], dict[str, Any]]
"""Answers the question with this id and definition."""


def answer_of(qid: str, definition: Mapping[str, Any]) -> dict[str, Any]:
    """What a checkpoint says that is not sure of anything: the option it names stays the same."""
    common = {"confidence": 0.4, "answer_confidence": 0.7, "action": {"act_probability": 0.99}}
    if definition["type"] == "noul":
        return {"type": "noul", "noul": 0.3, **common}
    if definition["type"] == "choice":
        return {"type": "choice", "choice": min(definition["criteria"]), "probabilities": {}, **common}
    return {"type": "score", "score": 0.5, "legend": {}, "probabilities": {}, **common}


class FakeLayaModel:
    """Each question comes to 10 tokens and one for each word of the state; nothing is ever too long.

    `failures` are raised by the next calls, in order. `moves_to` is where it runs after the next call.
    """

    def __init__(
        self,
        device: str = "cpu",
        *,
        answer: Answer = answer_of,
        failures: Sequence[Exception] = (),
        moves_to: str = "",
        remark: str = "",
    ) -> None:
        self.device = device
        self.remark = remark
        self.calls: list[dict[str, Any]] = []
        self._answer = answer
        self.failures = list(failures)
        self._moves_to = moves_to

    def fit(self, lines: Sequence[str], questions: Mapping[str, Any]) -> tuple[str, Mapping[str, int]]:
        state = "\n".join(lines)
        return state, {qid: 10 + len(state.split()) for qid in questions}

    def request(self, state: str, questions: Mapping[str, Any], language: str) -> dict[str, Any]:
        return {"state": state, "questions": dict(questions), "lang": language or None}

    def predict(self, request: Mapping[str, Any]) -> dict[str, Any]:
        self.calls.append(dict(request))
        if self.failures:
            raise self.failures.pop(0)
        if self._moves_to:
            self.device, self._moves_to = self._moves_to, ""
            self.remark = "no memory left"
        _, tokens = self.fit(request["state"].split("\n"), request["questions"])
        answers = {qid: self._answer(qid, asked) for qid, asked in request["questions"].items()}
        return {"answers": answers, "usage": {"input_tokens": sum(tokens.values()), "output_tokens": 0}}
