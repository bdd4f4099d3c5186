"""A transcript as txt, md, srt, vtt or json. Pure; any thread.

Times are seconds on the session's axis. All text is made plain, and what a format would read as markup is
escaped, so that spoken words can neither format nor link nor end a cue. Subtitles leave gaps and
marks out. The chat that went with a transcript is a section of md and a part of json.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from stt_daemon.domain import Gap, Utterance
from stt_daemon.domain.text import plain
from stt_daemon.errors import UsageError
from stt_daemon.sessions.chat_turns import ChatTurn, chat_turns
from stt_daemon.sessions.marks import Mark, mark_object

Item = Utterance | Gap | Mark

MIN_CUE_S = 0.7
"""A cue shorter than this cannot be read; subtitle guidelines ask for about 20 frames at least."""

_MD_SPECIAL = re.compile(r"[\\`*_\[\]<>&~|$#@{}]|(?<=\w):(?=//)|(?<=www)\.", re.IGNORECASE)
# What opens a list or underlines a heading at the beginning of a line.
_MD_OPENING = re.compile(r"^(?:[-+=]|\d+(?=[.)]))")
# SubRip has no escapes. A word joiner shows nothing and keeps players from seeing a tag or an override.
_SRT_TAG = re.compile(r"<(?=[A-Za-z/])|\{(?=[\\A-Za-z])")


def render(form: str, items: Sequence[Item], *, about: Mapping[str, Any] | None = None) -> str:
    """The whole text of one export, ending in a line end unless it is empty.

    `form` is one of FORMATS. `about` is what is known of the whole: `title` heads md, its `chat` (records of
    chat.jsonl) ends it, and all of it goes into json. Raises UsageError for another form.
    """
    try:
        renderer = _RENDERERS[form]
    except KeyError:
        raise UsageError(f"unknown format {plain(form)!r}", mend=f"accepted: {', '.join(FORMATS)}") from None
    return renderer(items, about or {})


def clock_text(seconds: float, *, fraction: str = "") -> str:
    """`HH:MM:SS`, rounded down, or with `fraction` ("," or ".") to the millisecond; hours grow past 99."""
    milliseconds = round(max(0.0, seconds) * 1000)
    hours, rest = divmod(milliseconds, 3_600_000)
    minutes, rest = divmod(rest, 60_000)
    whole, milliseconds = divmod(rest, 1000)
    text = f"{hours:02}:{minutes:02}:{whole:02}"
    return f"{text}{fraction}{milliseconds:03}" if fraction else text


def _txt(items: Sequence[Item], about: Mapping[str, Any]) -> str:
    return "".join(f"{clock_text(_start(item))} {_said(item, str)}\n" for item in items)


def _md(items: Sequence[Item], about: Mapping[str, Any]) -> str:
    title = _md_escape(plain(str(about.get("title") or "Transcript")))
    lines = [f"# {title}", ""]
    for item in items:
        if not isinstance(item, Utterance):
            lines += [f"*{clock_text(_start(item))} {_said(item, _md_escape)}*", ""]
        else:
            lines += [f"**{clock_text(item.t0)}** {_said(item, _md_escape)}", ""]
    turns = chat_turns(about.get("chat", ()))
    if turns:
        starts = {item.id: item.t0 for item in items if isinstance(item, Utterance)}
        lines += ["## Chat", ""]
        for turn in turns:
            lines += [*_md_turn(turn, starts), ""]
    return "\n".join(lines)


def _md_turn(turn: ChatTurn, starts: Mapping[str, float]) -> Iterator[str]:
    """A message or reply with its own lines, and the times of the lines of the transcript that it cites."""
    said = [line for line in (plain(line).strip() for line in turn.text.split("\n")) if line]
    first, *more = said or [""]
    who = f"{turn.who} (taken back)" if turn.taken_back else turn.who
    when = f"**{_md_escape(plain(turn.clock))}** " if turn.clock else ""
    rows = [f"{when}{who}: {_md_escape(first)}", *(_md_row(line) for line in more)]
    yield "\\\n".join(rows)  # a backslash before a line end keeps it
    times = [f"{cite} {clock_text(starts[cite])}" for cite in turn.cites if cite in starts]
    if times:
        yield ""
        yield f"*{', '.join(times)}*"


def _srt(items: Sequence[Item], about: Mapping[str, Any]) -> str:
    return "".join(
        f"{number}\n{_span(start, end, ',')}\n{_srt_escape(text)}\n\n"
        for number, (start, end, text) in enumerate(_cues(items), start=1)
    )


def _vtt(items: Sequence[Item], about: Mapping[str, Any]) -> str:
    cues = (f"{_span(start, end, '.')}\n{_vtt_escape(text)}\n\n" for start, end, text in _cues(items))
    return "WEBVTT\n\n" + "".join(cues)


def _json(items: Sequence[Item], about: Mapping[str, Any]) -> str:
    body = {**_plain_lines(about), "transcript": [_plain_values(_object(item)) for item in items]}
    return json.dumps(body, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


_RENDERERS: dict[str, Callable[[Sequence[Item], Mapping[str, Any]], str]] = {
    "txt": _txt,
    "md": _md,
    "srt": _srt,
    "vtt": _vtt,
    "json": _json,
}
FORMATS = tuple(_RENDERERS)


def _start(item: Item) -> float:
    return item.t if isinstance(item, Mark) else item.t0


def _object(item: Item) -> dict[str, Any]:
    if isinstance(item, Mark):
        return mark_object(item)
    return {"type": "gap" if isinstance(item, Gap) else "utterance", **asdict(item)}


def _said(item: Item, escape: Callable[[str], str]) -> str:
    """`Speaker: text`, or what is missing, in brackets."""
    if isinstance(item, Gap):
        return escape(f"[{item.t1 - item.t0:.1f} s missing: {plain(item.reason)}]")
    if isinstance(item, Mark):
        return escape(f"[note: {plain(item.note)}]" if item.note else "[marked]")
    text = escape(plain(item.text))
    return f"{escape(plain(item.speaker))}: {text}" if item.speaker else text


def _cues(items: Sequence[Item]) -> Iterator[tuple[float, float, str]]:
    """Start, end and text of each utterance; short ones stay up longer, but not into the next."""
    spoken = [item for item in items if isinstance(item, Utterance) and plain(item.text).strip()]
    for index, item in enumerate(spoken):
        following = spoken[index + 1].t0 if index + 1 < len(spoken) else float("inf")
        end = max(item.t1, min(item.t0 + MIN_CUE_S, following), item.t0 + 0.001)
        yield item.t0, end, plain(item.text).strip()


def _span(start: float, end: float, fraction: str) -> str:
    return f"{clock_text(start, fraction=fraction)} --> {clock_text(end, fraction=fraction)}"


def _md_escape(text: str) -> str:
    return _MD_SPECIAL.sub(r"\\\g<0>", text)


def _md_row(text: str) -> str:
    """Text at the beginning of a line: what would open a list or underline a heading becomes an entity."""
    return _MD_OPENING.sub(lambda hit: f"&#{ord(hit.group()[0])};{hit.group()[1:]}", _md_escape(text))


def _srt_escape(text: str) -> str:
    return _SRT_TAG.sub("\\g<0>\u2060", text.replace("-->", "->"))


def _vtt_escape(text: str) -> str:
    # Without ">" no text can hold the arrow that starts a cue's times.
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _plain_lines(value: Any) -> Any:
    """JSON values with their texts made plain a line at a time: replies and briefs have lines."""
    if isinstance(value, str):
        return "\n".join(plain(line) for line in value.split("\n"))
    if isinstance(value, Mapping):
        return {plain(str(key)): _plain_lines(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain_lines(item) for item in value]
    return value


def _plain_values(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: plain(value) if isinstance(value, str) else value for key, value in values.items()}
