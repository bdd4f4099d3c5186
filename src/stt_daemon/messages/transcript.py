"""What was heard: speech, partial text, utterances, gaps, turns, and how far transcription lags."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from stt_daemon.domain import Gap, Utterance
from stt_daemon.messages.base import Keep, Message


@dataclass(frozen=True, kw_only=True)
class SpeechChanged(Message):
    """Somebody began or ceased to speak at `t` (session seconds)."""

    topic: ClassVar[str] = "speech"
    public: ClassVar[bool] = True

    state: Literal["start", "end"]
    t: float


@dataclass(frozen=True, kw_only=True)
class PartialHeard(Message):
    """What the open utterance sounds like so far: `committed` words stay, `tentative` ones may change.

    `utterance` is the id the text will have if nothing before it turns out to be empty; `t0` ties it to
    its utterance for certain.
    """

    topic: ClassVar[str] = "partial"
    public: ClassVar[bool] = True
    keep: ClassVar[Keep] = "latest"

    utterance: str
    committed: str
    tentative: str
    t0: float
    t1: float


@dataclass(frozen=True, kw_only=True)
class UtteranceFinished(Message):
    """An utterance is in the journal. `latency_s`: end of speech to this message; None at full speed."""

    topic: ClassVar[str] = "utterance"
    public: ClassVar[bool] = True

    id: str
    seq: int
    t0: float
    t1: float
    wall: str
    speaker: str
    source: str
    text: str
    language: str
    wav: str
    avg_logprob: float
    no_speech_prob: float
    flags: tuple[str, ...] = ()
    latency_s: float | None = None

    @classmethod
    def of(cls, utterance: Utterance, latency_s: float | None) -> UtteranceFinished:
        values = {name: getattr(utterance, name) for name in Utterance.__dataclass_fields__}
        return cls(**values, latency_s=latency_s)

    def utterance(self) -> Utterance:
        return Utterance(**{name: getattr(self, name) for name in Utterance.__dataclass_fields__})


@dataclass(frozen=True, kw_only=True)
class GapMarked(Message):
    """A gap is in the journal."""

    topic: ClassVar[str] = "gap"
    public: ClassVar[bool] = True

    seq: int
    t0: float
    t1: float
    reason: str
    wall: str

    @classmethod
    def of(cls, gap: Gap) -> GapMarked:
        return cls(seq=gap.seq, t0=gap.t0, t1=gap.t1, reason=gap.reason, wall=gap.wall)


@dataclass(frozen=True, kw_only=True)
class TranscriptMissed(Message):
    """The sender had to forget utterances or gaps from `from_seq` on; the journal has them all."""

    topic: ClassVar[str] = "missed"

    from_seq: int


@dataclass(frozen=True, kw_only=True)
class LagChanged(Message):
    """Seconds of recorded audio that wait for transcription."""

    topic: ClassVar[str] = "lag"
    public: ClassVar[bool] = True
    keep: ClassVar[Keep] = "latest"
    sticky: ClassVar[tuple[str, ...] | None] = ()

    seconds: float


@dataclass(frozen=True, kw_only=True)
class TurnEnded(Message):
    """Speech stopped and it stayed quiet for `turn_gap_s`; `utterances` are the ids said in between."""

    topic: ClassVar[str] = "turn"
    public: ClassVar[bool] = True

    utterances: tuple[str, ...]
