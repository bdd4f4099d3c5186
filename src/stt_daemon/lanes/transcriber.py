"""From a segment's audio to a recognition: language, engine, guards, seam.

State of one session, owned by the whisper lane's worker thread. Nothing of one text enters the prompt of
the next, so a loop cannot feed itself.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

from stt_daemon.domain import Segment
from stt_daemon.lanes.agreement import Agreed, LocalAgreement
from stt_daemon.lanes.guards import Evidence, Repeats, judge_sound, judge_text, measure
from stt_daemon.lanes.language import LanguageGuess, SessionLanguage
from stt_daemon.lanes.seams import join_seam
from stt_daemon.lanes.speech_engine import NOTHING_HEARD, Heard, Samples, SpeechEngine, Window
from stt_daemon.lanes.words import split_words

log = logging.getLogger(__name__)

# Two segments touch when the cut lies between two samples; anything more is a pause.
_TOUCHING_S = 0.05


@dataclass(frozen=True)
class Recognition:
    """What became of a segment. `dropped` != "": it holds no utterance, and why.

    `flags` of an utterance: "loop" and "loop:N" (a phrase that went round N times is kept once),
    "forced_cut" (the length limit ended it), "seam" (a word doubled by the cut before it was removed).
    """

    text: str
    language: str
    avg_logprob: float
    no_speech_prob: float
    flags: tuple[str, ...] = ()
    dropped: str = ""


@dataclass(frozen=True)
class Hypothesis:
    """What the open utterance sounds like so far: all words of this pass, and which of them are agreed on.

    `words` join to the text. An empty hypothesis with a `doubt` was not fit to show.
    """

    words: tuple[str, ...]
    language: str
    agreed: Agreed
    doubt: str = ""


@dataclass(frozen=True)
class _Cut:
    """The segment before, if the length limit ended it."""

    text: str
    t1: float


class Transcriber:
    """`beam_size` 0 means 1, which is what live transcription wants.

    `language` fixes the session's language ("" lets it follow the speech), `known_language` is where a
    continued session stood.
    """

    def __init__(
        self,
        *,
        language: str = "",
        known_language: str = "",
        beam_size: int = 0,
        initial_prompt: str = "",
        hotwords: tuple[str, ...] = (),
        window: Window = "auto",
    ) -> None:
        self._language = SessionLanguage(language, known_language)
        self._beam_size = beam_size or 1
        self._prompt = initial_prompt
        self._hotwords = tuple(word.strip() for word in hotwords if word.strip())
        self._window: Window = window
        self._repeats = Repeats()
        self._agreement = LocalAgreement()
        self._cut: _Cut | None = None

    @property
    def language(self) -> str:
        """The session's language; "" until one is known."""
        return self._language.current

    def finish(self, engine: SpeechEngine, segment: Segment, samples: Samples) -> Recognition:
        """Transcribe a closed segment."""
        result = self._finish(engine, segment, samples)
        kept = not result.dropped
        self._cut = _Cut(result.text, segment.t1) if kept and segment.reason == "max" else None
        if not kept:
            log.info("%s holds no utterance: %s", segment.wav, result.dropped)
        return result

    def _finish(self, engine: SpeechEngine, segment: Segment, samples: Samples) -> Recognition:
        loudness = measure(samples)
        why = judge_sound(loudness)
        if why:
            return self._dropped(NOTHING_HEARD, why)
        voiced_s = _voiced(segment)
        # Nobody measured the voice of a file that was found after a crash: such a one fixes no language.
        sure_s = voiced_s or 0.0
        guess = self._guess(engine, samples)
        heard = self._hear(engine, samples, self._language.choose(guess, sure_s), retry=True)
        evidence = Evidence(
            voiced_s, loudness.level_db, heard.avg_logprob, heard.no_speech_prob, heard.compression_ratio
        )
        verdict = judge_text(heard.text, evidence, prompt=self._prompt, hotwords=self._hotwords)
        why = verdict.dropped or self._repeats.judge(verdict.text, evidence)
        if why:
            return self._dropped(heard, why, verdict.flags)
        self._language.learn(guess, sure_s)
        text, flags = verdict.text, verdict.flags
        if self._cut is not None and abs(segment.t0 - self._cut.t1) < _TOUCHING_S:
            joined = join_seam(self._cut.text, text)
            if joined != text:
                text, flags = joined, (*flags, "seam")
        if segment.reason == "max":
            flags = (*flags, "forced_cut")
        return Recognition(text, heard.language, heard.avg_logprob, heard.no_speech_prob, flags)

    def suppose(self, engine: SpeechEngine, t0: float, samples: Samples) -> Hypothesis:
        """One pass over the open utterance that starts at `t0`; fast, and shown only if nothing is odd."""
        loudness = measure(samples)
        doubt = judge_sound(loudness)
        heard = NOTHING_HEARD
        if not doubt:
            heard = self._hear(engine, samples, self._language.current, retry=False)
            evidence = Evidence(
                None, loudness.level_db, heard.avg_logprob, heard.no_speech_prob, heard.compression_ratio
            )
            verdict = judge_text(heard.text, evidence, prompt=self._prompt, hotwords=self._hotwords)
            doubt = verdict.dropped or ("a loop" if verdict.flags else "")
        if doubt:
            # It neither confirms nor contradicts the pass before it.
            return Hypothesis((), heard.language, self._agreement.latest(t0), doubt)
        words = split_words(heard.text)
        return Hypothesis(tuple(words), heard.language, self._agreement.hear(t0, words))

    def _guess(self, engine: SpeechEngine, samples: Samples) -> LanguageGuess:
        if not self._language.needs_guess or engine.english_only:
            return LanguageGuess("", 0.0)
        return engine.detect_language(samples)

    def _hear(self, engine: SpeechEngine, samples: Samples, language: str, *, retry: bool) -> Heard:
        return engine.transcribe(
            samples,
            language="en" if engine.english_only else language,
            beam_size=self._beam_size if retry else 1,
            initial_prompt=self._prompt,
            hotwords=self._hotwords,
            window=self._window,
            retry=retry,
        )

    @staticmethod
    def _dropped(heard: Heard, why: str, flags: tuple[str, ...] = ()) -> Recognition:
        return Recognition("", heard.language, heard.avg_logprob, heard.no_speech_prob, flags, why)


def _voiced(segment: Segment) -> float | None:
    return None if segment.reason == "lost" and segment.voiced_s <= 0 else segment.voiced_s
