"""Which language a session is held in, as far as the audio tells.

Pure state, owned by one thread (the whisper lane's worker).
"""

from __future__ import annotations

from dataclasses import dataclass

# A short or unsure segment says little: Whisper names silence English with certainty, and single polite
# words of one language in the middle of another are common.
MIN_PROBABILITY = 0.8
MIN_VOICED_S = 3.0
# How many sure segments in a row move a session that already has a language.
SEGMENTS_TO_CHANGE = 2


@dataclass(frozen=True)
class LanguageGuess:
    """A language code ("en") and how sure the model is, 0 to 1. "" and 0: nothing was detected."""

    language: str
    probability: float


class SessionLanguage:
    """Follows confident segments only.

    `fixed` is a configured language ("" for none) and is then the answer to everything; an English-only
    model fixes "en". `known` is where a continued session stood.
    """

    def __init__(self, fixed: str = "", known: str = "") -> None:
        self._fixed = fixed
        self._current = fixed or known
        self._challenger = ""
        self._wins = 0

    @property
    def current(self) -> str:
        """The session's language; "" until one is known."""
        return self._current

    @property
    def needs_guess(self) -> bool:
        """Whether detection has any bearing."""
        return not self._fixed

    def choose(self, guess: LanguageGuess, voiced_s: float) -> str:
        """The language to transcribe a segment in.

        Its own if that is certain or the session has none yet, else the session's.
        """
        if self._fixed:
            return self._fixed
        if self._sure(guess, voiced_s) or not self._current:
            return guess.language
        return self._current

    def learn(self, guess: LanguageGuess, voiced_s: float) -> None:
        """Take a segment into account that turned out to be speech. Never call it for a dropped one."""
        if self._fixed or not self._sure(guess, voiced_s):
            return
        if guess.language == self._current:
            self._challenger, self._wins = "", 0
            return
        self._wins = self._wins + 1 if guess.language == self._challenger else 1
        self._challenger = guess.language
        if not self._current or self._wins >= SEGMENTS_TO_CHANGE:
            self._current = guess.language
            self._challenger, self._wins = "", 0

    @staticmethod
    def _sure(guess: LanguageGuess, voiced_s: float) -> bool:
        return bool(guess.language) and guess.probability >= MIN_PROBABILITY and voiced_s >= MIN_VOICED_S
