"""Committed words never change."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stt_daemon.lanes.agreement import Agreed, LocalAgreement
from stt_daemon.lanes.words import split_words

vocabulary = st.sampled_from([" we", " ship", " it", " on", " Friday", " Friday.", " not", " No,", " no"])


def passes(agreement: LocalAgreement, *texts: str, t0: float = 0.0) -> list[Agreed]:
    return [agreement.hear(t0, split_words(text)) for text in texts]


def test_the_first_pass_is_tentative() -> None:
    assert passes(LocalAgreement(), "we ship it") == [Agreed("", "we ship it")]


def test_what_two_passes_agree_on_is_committed() -> None:
    *_, last = passes(LocalAgreement(), "we ship it on", "We ship it, Monday or")
    assert last == Agreed("We ship it,", "Monday or")


def test_agreement_goes_on_behind_the_committed_words() -> None:
    *_, last = passes(LocalAgreement(), "we ship", "we ship it on", "we ship it on Friday")
    assert last == Agreed("we ship it on", "Friday")


def test_a_pass_that_takes_back_committed_words_changes_nothing() -> None:
    *_, last = passes(LocalAgreement(), "we ship it", "we ship it", "")
    assert last == Agreed("we ship it", "")


def test_committed_words_are_found_again_when_they_moved() -> None:
    *_, last = passes(LocalAgreement(), "okay we ship it", "okay we ship it", "O K we ship it on")
    assert last == Agreed("okay we ship it", "on")


def test_another_start_is_another_utterance() -> None:
    agreement = LocalAgreement()
    passes(agreement, "we ship it", "we ship it")
    assert agreement.hear(7.5, split_words("on Friday")) == Agreed("", "on Friday")


def test_scripts_without_spaces_are_committed_by_character() -> None:
    *_, last = passes(LocalAgreement(), "我们周五", "我们周五发布")
    assert last == Agreed("我们周五", "发布")


@given(st.lists(st.lists(vocabulary, max_size=12), max_size=12))
def test_the_committed_text_only_grows_at_its_end(heard: list[list[str]]) -> None:
    agreement = LocalAgreement()
    before = ""
    for words in heard:
        agreed = agreement.hear(0.0, words)
        assert agreed.committed.startswith(before)
        before = agreed.committed


@given(st.lists(vocabulary, min_size=1, max_size=12))
def test_two_equal_passes_commit_everything(words: list[str]) -> None:
    agreement = LocalAgreement()
    agreement.hear(0.0, words)
    assert agreement.hear(0.0, words) == Agreed("".join(words).strip(), "")
