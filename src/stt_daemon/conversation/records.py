"""The lines of `chat.jsonl` as data: writing what happened, and building the history from it again.

Pure: the caller appends each record as one JSON line, and adds nothing to it. A record's `type`:

- `user`: `n`, `kind`, `text`, `session`, `wall`
- `assistant`: `n`, `text` ("": no reply came), `cites`, `session`, `wall`, and the `ReplyFigures`
- `summary`: `through`, `text`, `session`, `wall`, and the `ReplyFigures` of the call that wrote it
- `rewind`: `to` (the last exchange that stays), `wall`
- `forget`: `wall`

`carried` is true on records that repeat the memory at the start of a new session's file: they are for
rebuilding, and not for showing or exporting.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from stt_daemon.conversation.history import Checkpoint, Exchange, History
from stt_daemon.domain.citations import Citation

Record = dict[str, Any]


@dataclass(frozen=True)
class ReplyFigures:
    """What a call to the model cost. Times in seconds; None where the server or the failure left it open."""

    model: str = ""
    finish_reason: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    estimated: bool = False
    first_token_s: float | None = None
    duration_s: float | None = None


def user_record(exchange: Exchange, wall: str, *, carried: bool = False) -> Record:
    record = {
        "type": "user",
        "n": exchange.number,
        "kind": exchange.kind,
        "text": exchange.user,
        "session": exchange.session,
        "wall": wall,
    }
    return _marked(record, carried)


def reply_record(
    exchange: Exchange,
    wall: str,
    *,
    session: str,
    cites: Sequence[Citation] = (),
    figures: ReplyFigures | None = None,
    carried: bool = False,
) -> Record:
    record = {
        "type": "assistant",
        "n": exchange.number,
        "text": exchange.reply,
        "cites": [cite.form(session) for cite in cites],
        "session": session,
        "wall": wall,
        **(asdict(figures) if figures else {}),
    }
    return _marked(record, carried)


def summary_record(
    checkpoint: Checkpoint, wall: str, *, figures: ReplyFigures | None = None, carried: bool = False
) -> Record:
    record = {
        "type": "summary",
        "through": checkpoint.through,
        "text": checkpoint.summary,
        "session": checkpoint.session,
        "wall": wall,
        **(asdict(figures) if figures else {}),
    }
    return _marked(record, carried)


def rewind_record(to: int, wall: str) -> Record:
    return {"type": "rewind", "to": to, "wall": wall}


def forget_record(wall: str) -> Record:
    return {"type": "forget", "wall": wall}


@dataclass(frozen=True)
class Rebuilt:
    """A history read back. `skipped` records could not be used; nobody answered the `lost` exchanges."""

    history: History
    skipped: int
    lost: tuple[Exchange, ...]


def rebuild(records: Iterable[Mapping[str, Any]]) -> Rebuilt:
    """The history that these records describe.

    A record that is torn, of an unknown type or out of order is skipped. An exchange without a reply counts
    as never answered: whoever waited for it is gone.
    """
    history, skipped = History(), 0
    for record in records:
        try:
            _replay(history, record)
        except (KeyError, TypeError, ValueError, AttributeError):
            skipped += 1
    waiting = [exchange.number for exchange in history.view().exchanges if not exchange.settled]
    lost = [settled for number in waiting if (settled := history.settle(number)) is not None]
    return Rebuilt(history, skipped, tuple(lost))


def _replay(history: History, record: Mapping[str, Any]) -> None:
    kind = record["type"]
    if kind == "user":
        number = _whole(record["n"])
        if record["kind"] not in ("chat", "command") or number < 1:
            raise ValueError("no such kind of exchange")
        history.ask(
            _text(record["text"]), session=_text(record["session"]), kind=record["kind"], number=number
        )
    elif kind == "assistant":
        if history.settle(_whole(record["n"]), _text(record["text"])) is None:
            raise ValueError("a reply to nothing")
    elif kind == "summary":
        checkpoint = Checkpoint(_whole(record["through"]), _text(record["text"]), _text(record["session"]))
        history.restore_checkpoint(checkpoint)
    elif kind == "rewind":
        history.rewind_to(_whole(record["to"]))
    elif kind == "forget":
        history.forget()
    else:
        raise ValueError("an unknown type")


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError("not a whole number")
    return value


def _marked(record: Record, carried: bool) -> Record:
    return {**record, "carried": True} if carried else record
