"""The recall guard: which lines hold something, and whether a fact keeps it."""

from __future__ import annotations

import pytest

from stt_daemon.triage.fact import Noted
from stt_daemon.triage.fact_ledger import FactLedger
from stt_daemon.triage.recall import uncovered, worth_keeping
from tests.unit.triage.lines import said


def left(texts: list[str], *facts: str, ledger: FactLedger | None = None) -> list[str]:
    """The ids of the lines that no fact covers, when a reply holds these facts."""
    ledger = ledger or FactLedger(200, 240)
    read = said(*texts, first=10)
    found = ledger.add([Noted(fact) for fact in facts], read).facts
    return [line.id for line in uncovered(read, found, ledger)]


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("The budget is forty thousand euros.", True),
        ("Let's meet tomorrow.", True),
        ("I asked Anna.", True),
        ("We have decided to wait.", True),
        ("Okay, agreed.", True),
        ("Should we decide that?", False),
        ("We might move there.", False),
        ("One of us does the first part.", False),
        ("Good morning everyone, can you hear me?", False),
        ("test test test", False),
    ],
)
def test_a_number_a_date_a_name_or_a_decision_is_something_to_keep(text: str, holds: bool) -> None:
    (line,) = said(text)
    assert worth_keeping(line) is holds
    assert left([text]) == (["u10"] if holds else [])


def test_a_line_is_covered_when_its_number_and_date_are_in_its_facts() -> None:
    text = "We pay forty thousand euros by Friday."
    assert left([text], "40,000 euros are paid by Friday") == []
    assert left([text], "The payment is 40,000 euros", "Payment is due on Friday") == []
    assert left([text], "Somebody pays by Friday") == ["u10"]
    assert left([text], "45,000 euros are paid by Friday") == ["u10"]


def test_a_number_said_in_pieces_is_covered_by_the_whole() -> None:
    assert left(["It was in twenty twenty six."], "It was in 2026") == []


def test_a_line_with_names_only_is_covered_by_any_fact_it_shows() -> None:
    assert left(["I talked to Anna about the server."], "The server was discussed with Anna") == []


def test_a_day_said_in_passing_needs_not_be_in_the_fact() -> None:
    assert left(["We settled on the plan yesterday."], "The plan is settled") == []
    assert left(["Let's talk tomorrow."]) == ["u10"]


def test_what_the_ledger_already_holds_is_covered() -> None:
    ledger = FactLedger(200, 240)
    ledger.add([Noted("The launch is on May 14")], said("The launch is on May 14"))
    assert left(["So, the fourteenth of May it is."], ledger=ledger) == []
    assert left(["The fourteenth of June it is."], ledger=ledger) == ["u10"]


def test_a_repeated_fact_covers_its_line_too() -> None:
    ledger = FactLedger(200, 240)
    ledger.add([Noted("Anna decides")], said("Anna decides"))
    assert left(["Then Anna decides."], "Anna decides", ledger=ledger) == []


def test_the_chat_is_not_guarded() -> None:
    ledger = FactLedger(200, 240)
    (line,) = said("The budget is 500.")
    chat = [type(line)("", "You", line.text, 0, 1)]
    assert uncovered(chat, (), ledger) == ()
