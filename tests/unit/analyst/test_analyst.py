"""The rolling summary, driven by hand and as a stage with a model that works, is down, slow or babbles."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stt_daemon.analyst import AnalystStage, RollingSummary, SummarySnapshot
from stt_daemon.analyst.bullets import LONGEST_BULLET, MOST_BULLETS, read_summary
from stt_daemon.analyst.rolling import BLOCK_CHARS, NOTHING_YET
from stt_daemon.config.prompts import SUMMARY
from stt_daemon.domain import Utterance
from stt_daemon.errors import LlmError

PATIENCE_S = 20.0


def said(number: int, t1: float, text: str = "", speaker: str = "Anna") -> Utterance:
    text = text or f"point {number}"
    return Utterance(f"u{number}", number, t1 - 1, t1, "", speaker, "mic", text, "en", "", -0.2, 0.0)


def rolling(n: int | None = 3, s: float | None = 60.0, window: float = 10.0) -> RollingSummary:
    return RollingSummary(recent_window_s=window, flush_every_n=n, flush_every_s=s, prompt_template=SUMMARY)


# The state


def test_an_utterance_is_recent_until_it_is_older_than_the_window() -> None:
    state = rolling()
    state.hear(said(1, 1.0))
    assert [u.id for u in state.hear(said(2, 11.0)).recent] == ["u1", "u2"]
    snapshot = state.hear(said(3, 11.1))
    assert [u.id for u in snapshot.recent] == ["u2", "u3"]
    assert snapshot.waiting == 1


def test_a_fold_is_due_when_enough_have_left_the_window() -> None:
    state = rolling(n=3, s=None)
    for number in range(1, 4):
        state.hear(said(number, float(number)))
        assert state.due() is None
    state.hear(said(4, 12.5))  # u1 and u2 leave
    assert state.due() is None
    state.hear(said(5, 13.5))
    fold = state.due()
    assert fold is not None
    assert [u.id for u in fold.utterances] == ["u1", "u2", "u3"]
    assert "Anna: point 1\nAnna: point 2\nAnna: point 3" in fold.prompt
    assert NOTHING_YET in fold.prompt


def test_a_fold_is_due_when_any_waits_and_enough_time_has_passed() -> None:
    state = rolling(n=100, s=60.0)
    state.hear(said(1, 1.0))
    state.hear(said(2, 60.9))
    assert state.due() is None
    state.hear(said(3, 61.0))
    fold = state.due()
    assert fold is not None
    assert [u.id for u in fold.utterances] == ["u1"]


def test_time_alone_folds_nothing() -> None:
    state = rolling(n=1, s=1.0, window=1000.0)
    for number in range(1, 100):
        state.hear(said(number, float(number)))
        assert state.due() is None


@pytest.mark.parametrize(("n", "s"), [(None, None), (0, 0.0)])
def test_a_condition_can_be_switched_off(n: int | None, s: float | None) -> None:
    state = rolling(n=n, s=s)
    for number in range(1, 500):
        state.hear(said(number, 10.0 * number))
        assert state.due() is None


def test_one_fold_at_a_time_and_what_leaves_meanwhile_goes_into_the_next() -> None:
    state = rolling(n=1, s=None, window=0.5)
    state.hear(said(1, 1.0))
    state.hear(said(2, 2.0))
    first = state.due()
    assert first is not None
    for number in (3, 4):
        state.hear(said(number, float(number)))
        assert state.due() is None
    snapshot = state.folded(first, "- Anna: one")
    assert snapshot == SummarySnapshot("- Anna: one", snapshot.recent if snapshot else (), 2)
    state.hear(said(5, 5.0))
    second = state.due()
    assert second is not None
    assert [u.id for u in second.utterances] == ["u2", "u3", "u4"]
    assert "- Anna: one" in second.prompt


@pytest.mark.parametrize("reply", ["", "I cannot do that.", None, 7, "-", "---", "# Summary"])
def test_nonsense_leaves_the_summary_and_loses_no_words(reply: object) -> None:
    state = rolling(n=2, s=None, window=0.5)
    for number in (1, 2, 3):
        state.hear(said(number, float(number)))
    fold = state.due()
    assert fold is not None
    assert state.folded(fold, reply) is None
    assert state.snapshot.waiting == 2
    state.hear(said(4, 4.0))
    assert state.due() is None  # a model that is down is not asked at every utterance
    state.hear(said(5, 5.0))
    again = state.due()
    assert again is not None
    assert [u.id for u in again.utterances] == ["u1", "u2", "u3", "u4"]


def test_after_an_outage_what_waits_is_folded_in_pieces_in_order() -> None:
    state = rolling(n=1, s=None, window=0.5)
    words = "word " * 200
    for number in range(1, 31):
        state.hear(said(number, float(number), words))
    read: list[str] = []
    for number in range(31, 60):
        state.hear(said(number, float(number), "short"))
        fold = state.due()
        if fold is not None:
            assert len(fold.prompt) < BLOCK_CHARS + len(SUMMARY) + 200
            read += [u.id for u in fold.utterances]
            state.folded(fold, f"- after {number}")
    assert read == [f"u{n}" for n in range(1, len(read) + 1)]
    assert state.snapshot.waiting <= 1


def test_one_endless_utterance_is_folded_all_the_same() -> None:
    state = rolling(n=1, s=None, window=0.5)
    state.hear(said(1, 1.0, "word " * BLOCK_CHARS))
    state.hear(said(2, 2.0))
    assert state.due() is not None


def test_after_clear_nothing_of_before_comes_back() -> None:
    state = rolling(n=1, s=None, window=0.5)
    state.hear(said(1, 1.0))
    state.hear(said(2, 2.0))
    fold = state.due()
    assert fold is not None
    assert state.clear() == SummarySnapshot("", ())
    assert state.folded(fold, "- old") is None
    state.failed(fold, "late")
    assert state.hear(said(3, 3.0)).summary == ""
    state.hear(said(4, 4.0))
    assert state.due() is not None


def test_a_summary_of_before_is_gone_on_from() -> None:
    state = rolling(n=1, s=None, window=0.5)
    assert state.clear("- Anna: earlier").summary == "- Anna: earlier"
    state.hear(said(1, 1.0))
    state.hear(said(2, 2.0))
    fold = state.due()
    assert fold is not None
    assert "- Anna: earlier" in fold.prompt


def test_braces_in_speech_and_summary_stay_as_they_are() -> None:
    state = rolling(n=1, s=None, window=0.5)
    state.clear("- {new_block} {0}")
    state.hear(said(1, 1.0, "a {summary} {x}"))
    state.hear(said(2, 2.0))
    fold = state.due()
    assert fold is not None
    assert "- {new_block} {0}" in fold.prompt
    assert "Anna: a {summary} {x}" in fold.prompt


@pytest.mark.parametrize(
    "template", ["{summary}", "{new_block}", "{summary}{new_block}{more}", "{summary}{0}{"]
)
def test_a_template_without_its_places_is_refused(template: str) -> None:
    with pytest.raises(ValueError, match=r"place|needs|expected"):
        RollingSummary(recent_window_s=1, flush_every_n=1, flush_every_s=1, prompt_template=template)


@settings(deadline=None, max_examples=100)
@given(
    gaps=st.lists(st.sampled_from((0.0, 0.5, 3.0, 11.0, 70.0)), min_size=1, max_size=120),
    n=st.integers(0, 8),
    s=st.sampled_from((0.0, 20.0, 60.0)),
    window=st.sampled_from((0.0, 10.0, 60.0)),
)
def test_the_number_of_folds_is_what_the_three_parameters_imply(
    gaps: list[float], n: int, s: float, window: float
) -> None:
    """Against a second count of the rule, written from its definition."""
    state = rolling(n=n, s=s, window=window)
    times, folds = [], 0
    now = 0.0
    expected, folded_at, folded = 0, gaps[0] + 1.0, 0
    for number, gap in enumerate(gaps, start=1):
        now += gap
        times.append(now + 1.0)
        state.hear(said(number, now + 1.0))
        fold = state.due()
        if fold is not None:
            folds += 1
            state.folded(fold, "- a point")
        outside = sum(t < now + 1.0 - window for t in times)
        waiting = outside - folded
        if waiting and ((n and waiting >= n) or (s and now + 1.0 - folded_at >= s)):
            expected, folded_at, folded = expected + 1, now + 1.0, outside
    assert folds == expected
    assert state.snapshot.waiting == sum(t < times[-1] - window for t in times) - folded


def test_a_scripted_hour() -> None:
    """An utterance every 10 s: 353 leave the window of 60 s, which makes 70 folds of five.

    By time it is one a minute, the first when the first utterance leaves, 80 s in; with both, that one and
    then five at a time.
    """
    for n, s, folds in ((5, 0.0, 70), (0, 60.0, 59), (1000, 0.0, 0), (5, 60.0, 71)):
        state = rolling(n=n, s=s, window=60.0)
        count = 0
        for number in range(1, 361):
            state.hear(said(number, 10.0 * number))
            fold = state.due()
            if fold is not None:
                count += 1
                state.folded(fold, "- a point")
        assert count == folds, (n, s)


# The reply


@pytest.mark.parametrize(
    ("reply", "summary"),
    [
        ("- Anna: budget is 5k\n- Ben owns the plan", "- Anna: budget is 5k\n- Ben owns the plan"),
        (
            "Updated summary:\n\n* Anna: one\n• Ben: two\n1. Cem: three\n\nLet me know!",
            "- Anna: one\n- Ben: two\n- Cem: three",
        ),
        ("```\n- **Anna**: one\n  and more\n```", "- **Anna**: one and more"),
        ("- one\n- one\n- two", "- one\n- two"),
        ("- a\x1b[31mb\u202e", "- a[31mb"),
        ("-5 degrees\n- minus five", "- minus five"),
    ],
)
def test_points_are_kept_with_their_speakers_and_the_rest_is_not(reply: str, summary: str) -> None:
    assert read_summary(reply) == summary


def test_there_are_at_most_six_points_of_bounded_length() -> None:
    summary = read_summary("\n".join(f"- point {n} {'x' * 2000}" for n in range(20)))
    assert summary is not None
    lines = summary.splitlines()
    assert len(lines) == MOST_BULLETS == 6
    assert max(map(len, lines)) <= LONGEST_BULLET + 2


@settings(max_examples=200)
@given(st.text())
def test_a_summary_is_points_or_nothing(reply: str) -> None:
    summary = read_summary(reply)
    assert summary is None or all(line.startswith("- ") for line in summary.split("\n"))
    assert summary is None or read_summary(summary) == summary


# The stage


def stage(generator: Callable[[str], object], n: int = 2) -> AnalystStage:
    return AnalystStage(
        generator,  # type: ignore[arg-type]
        recent_window_s=0.5,
        flush_every_n=n,
        flush_every_s=None,
        prompt_template=SUMMARY,
    )


def through(analyst: AnalystStage, count: int) -> list[SummarySnapshot]:
    """What the stage makes of so many utterances and an end."""

    async def run() -> list[SummarySnapshot]:
        inbox: asyncio.Queue[Utterance | None] = asyncio.Queue()
        outbox: asyncio.Queue[SummarySnapshot] = asyncio.Queue()
        for number in range(1, count + 1):
            inbox.put_nowait(said(number, float(number)))
        inbox.put_nowait(None)
        await asyncio.wait_for(analyst.run(inbox, outbox), PATIENCE_S)
        return [outbox.get_nowait() for _ in range(outbox.qsize())]

    return asyncio.run(run())


def down(prompt: str) -> str:
    raise LlmError("nobody answers")


def broken(prompt: str) -> str:
    raise StopIteration


def leaving(prompt: str) -> str:
    raise SystemExit(3)


@pytest.mark.parametrize(
    "generator",
    [down, broken, leaving, lambda _: "", lambda _: None, lambda _: "no points", lambda _: b"- x"],
)
def test_without_a_model_each_utterance_has_its_one_snapshot(generator: Callable[[str], object]) -> None:
    snapshots = through(stage(generator), 20)
    assert len(snapshots) == 20
    assert [snapshot.recent[-1].seq for snapshot in snapshots] == list(range(1, 21))
    assert {snapshot.summary for snapshot in snapshots} == {""}


def test_each_fold_has_one_more_snapshot() -> None:
    async def run() -> tuple[list[SummarySnapshot], int]:
        asked: queue.Queue[str] = queue.Queue()

        def answer(prompt: str) -> str:
            asked.put(prompt)
            return f"- Anna: fold {asked.qsize()}"

        inbox: asyncio.Queue[Utterance | None] = asyncio.Queue()
        outbox: asyncio.Queue[SummarySnapshot] = asyncio.Queue()
        running = asyncio.create_task(stage(answer).run(inbox, outbox))
        snapshots = []
        for number in range(1, 12):
            await inbox.put(said(number, float(number)))
            snapshots.append(await asyncio.wait_for(outbox.get(), PATIENCE_S))
            if number % 2 and number > 1:
                snapshots.append(await asyncio.wait_for(outbox.get(), PATIENCE_S))
        await inbox.put(None)
        await asyncio.wait_for(running, PATIENCE_S)
        assert outbox.empty()
        return snapshots, asked.qsize()

    snapshots, folds = asyncio.run(run())
    assert folds == 5
    assert len(snapshots) == 11 + 5
    assert snapshots[-1].summary == "- Anna: fold 5"


def test_a_slow_model_delays_no_snapshot_and_its_fold_comes_later() -> None:
    async def run() -> None:
        release = threading.Event()
        calls: list[str] = []

        def slow(prompt: str) -> str:
            calls.append(prompt)
            release.wait(PATIENCE_S)
            return "- Anna: at last"

        inbox: asyncio.Queue[Utterance | None] = asyncio.Queue()
        outbox: asyncio.Queue[SummarySnapshot] = asyncio.Queue()
        running = asyncio.create_task(stage(slow).run(inbox, outbox))
        for number in range(1, 31):
            await inbox.put(said(number, float(number)))
            snapshot = await asyncio.wait_for(outbox.get(), PATIENCE_S)
            assert (snapshot.recent[-1].seq, snapshot.summary) == (number, "")
        assert len(calls) == 1
        release.set()
        last = await asyncio.wait_for(outbox.get(), PATIENCE_S)
        assert last.summary == "- Anna: at last"
        await inbox.put(None)
        await asyncio.wait_for(running, PATIENCE_S)

    asyncio.run(run())


def test_a_model_that_never_answers_does_not_keep_the_stage_from_being_cancelled() -> None:
    async def run() -> None:
        begun = threading.Event()
        never = threading.Event()

        def hang(prompt: str) -> str:
            begun.set()
            never.wait()
            return ""

        inbox: asyncio.Queue[Utterance | None] = asyncio.Queue()
        outbox: asyncio.Queue[SummarySnapshot] = asyncio.Queue()
        running = asyncio.create_task(stage(hang).run(inbox, outbox))
        for number in range(1, 4):
            await inbox.put(said(number, float(number)))
            await asyncio.wait_for(outbox.get(), PATIENCE_S)
        assert await asyncio.get_running_loop().run_in_executor(None, begun.wait, PATIENCE_S)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        never.set()

    asyncio.run(run())
