"""The safe subset of Markdown in chat replies: emphasis, lists, code. Pure; one thread.

Everything else stays the text it is: links, images, HTML, headings, tables, entities, backslashes. The
parser starts from nothing and only these rules are switched on, so a new one cannot slip in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

from stt_daemon.apps.tui.text import shown_lines
from stt_daemon.apps.tui.wrap import Piece, Row, wrap

_NESTING = 20
_PARSER = MarkdownIt("zero", {"maxNesting": _NESTING}).enable(
    ["fence", "list", "backticks", "emphasis", "newline"]
)

_BULLET = "• "
_CODE_INDENT = 2
_LANGUAGE = re.compile(r"[\w+#.-]+")
_CITED = re.compile(r"\[(?=u\d)[^\[\]\n]{2,160}\]")
_UTTERANCE = re.compile(r"(?<![\w:])u\d{1,9}\b")


@dataclass(frozen=True)
class Paragraph:
    """Text that is broken into rows as one. `indent` is where it starts, `hang` where it goes on."""

    pieces: tuple[Piece, ...]
    indent: int = 0
    hang: int = 0
    code: bool = False

    def rows(self, width: int) -> list[Row]:
        return wrap(self.pieces, width, indent=self.indent, hang=self.hang, fold=self.code)


class GrowingReply:
    """A reply that comes in pieces: only its last block is parsed again with each of them."""

    def __init__(self) -> None:
        self.text = ""
        self._settled: list[Paragraph] = []
        self._open = ""

    def grow(self, delta: str) -> None:
        self.text += delta
        self._open += delta

    def paragraphs(self) -> list[Paragraph]:
        """The reply as far as it is known."""
        tokens, lines = _parse(self._open)
        start = _last_block(tokens)
        if start:
            self._settled += _paragraphs("\n".join(lines[:start]))
            self._settled.append(Paragraph(()))
            self._open = "\n".join(lines[start:])
        return [*self._settled, *_paragraphs(self._open)]


def paragraphs(text: str) -> list[Paragraph]:
    """A whole reply."""
    return _paragraphs(text)


def plain_paragraphs(text: str, style: str = "") -> list[Paragraph]:
    """A text in which nothing is Markdown; rows of a list item hang below its text."""
    return [Paragraph((Piece(line, style),), hang=_hang(line)) for line in shown_lines(text)]


def _parse(text: str) -> tuple[list[Token], list[str]]:
    lines = shown_lines(text)
    return _PARSER.parse("\n".join(lines)), lines


def _last_block(tokens: Sequence[Token]) -> int:
    """The line at which the last of several blocks of the top level begins, else 0."""
    starts = [token.map[0] for token in tokens if token.level == 0 and token.map and token.nesting >= 0]
    return starts[-1] if len(starts) > 1 else 0


def _hang(line: str) -> int:
    return len(line) - len(line.lstrip(" ")) + (2 if line.lstrip(" ").startswith(("- ", "* ", "• ")) else 0)


def _paragraphs(text: str) -> list[Paragraph]:
    tokens, _ = _parse(text)
    if any(token.level >= _NESTING - 1 for token in tokens):
        # The parser leaves out what is nested deeper.
        return plain_paragraphs(text)
    return list(_blocks(tokens))


def _blocks(tokens: Sequence[Token]) -> Iterator[Paragraph]:
    """Blocks in order; a blank line between those of the top level."""
    lists: list[int | None] = []
    marker, seen = "", False
    for token in tokens:
        if token.level == 0 and token.map and token.nesting >= 0:
            if seen:
                yield Paragraph(())
            seen = True
        if marker and token.type not in ("paragraph_open", "inline"):
            # An item without text of its own: "42." is a whole answer.
            yield from _texts((), marker, 2 * len(lists))
            marker = ""
        if token.type == "bullet_list_open":
            lists.append(None)
        elif token.type == "ordered_list_open":
            lists.append(int(token.attrs.get("start", 1)))
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            lists.pop()
        elif token.type == "list_item_open":
            marker = _marker(lists)
        elif token.type == "inline":
            yield from _texts(token.children or (), marker, 2 * len(lists))
            marker = ""
        elif token.type == "fence":
            yield from _code(token, 2 * len(lists))


def _marker(lists: list[int | None]) -> str:
    number = lists[-1]
    if number is None:
        return _BULLET
    lists[-1] = number + 1
    return f"{number}. "


def _texts(tokens: Sequence[Token], marker: str, indent: int) -> Iterator[Paragraph]:
    """The lines of a paragraph; each line end in it is meant."""
    first = max(0, indent - 2) if marker else indent
    pieces: list[Piece] = [Piece(marker, "strong")] if marker else []
    hang = first + len(marker)
    for piece in _pieces(tokens):
        if piece.text == "\n":
            yield Paragraph(tuple(pieces), first, hang)
            pieces, first = [], hang
        else:
            pieces.append(piece)
    yield Paragraph(tuple(pieces), first, hang)


def _pieces(tokens: Sequence[Token]) -> Iterator[Piece]:
    strong = emphasis = 0
    for token in tokens:
        if token.type in ("strong_open", "strong_close"):
            strong += token.nesting
        elif token.type in ("em_open", "em_close"):
            emphasis += token.nesting
        elif token.type in ("softbreak", "hardbreak"):
            yield Piece("\n")
        elif token.type == "code_inline":
            yield Piece(token.content, "code")
        elif token.content:
            yield from _cited(token.content, "strong" if strong else "emphasis" if emphasis else "")


def _cited(text: str, style: str) -> Iterator[Piece]:
    """Text with its citations of the present session set apart."""
    at = 0
    for bracket in _CITED.finditer(text):
        for hit in _UTTERANCE.finditer(text, bracket.start(), bracket.end()):
            if text[at : hit.start()]:
                yield Piece(text[at : hit.start()], style)
            yield Piece(hit.group(), "cite", hit.group())
            at = hit.end()
    if text[at:]:
        yield Piece(text[at:], style)


def _code(token: Token, indent: int) -> Iterator[Paragraph]:
    if token.info.strip() and not _LANGUAGE.fullmatch(token.info.strip()):
        yield Paragraph((Piece(token.info.strip(), "quiet"),), indent + _CODE_INDENT, indent + _CODE_INDENT)
    for line in token.content.removesuffix("\n").split("\n"):
        yield Paragraph((Piece(line, "code"),), indent + _CODE_INDENT, indent + _CODE_INDENT, code=True)
