"""What the fields of a section are made of: the base model, checked text types, and their description.

A value that is not accepted is explained from the same declaration that refused it, so the words in an
error, in the example file and in the check cannot differ. Pure; any thread.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from string import Formatter
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin
from urllib.parse import urlsplit

from annotated_types import Ge, Gt, Le, Lt
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr
from pydantic.fields import FieldInfo


class Section(BaseModel):
    """A frozen group of settings. Numbers are numbers: neither `true` nor `"1"` passes for one."""

    model_config = ConfigDict(
        frozen=True,
        strict=True,
        extra="forbid",
        allow_inf_nan=False,
        use_attribute_docstrings=True,
        # A validation error must never carry an API key into a log.
        hide_input_in_errors=True,
    )


@dataclass(frozen=True)
class Accepts:
    """Says in words what a field accepts, where its type alone would not."""

    words: str


_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_SINGLE_QUOTES = (
    "it holds a control character; inside double quotes a backslash starts an escape, "
    "so write a Windows path in single quotes"
)


def _one_line(text: str) -> str:
    if _CONTROL.search(text):
        raise ValueError(_SINGLE_QUOTES)
    return text


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("it is empty")
    return text


def _without_nul(text: str) -> str:
    if "\0" in text:
        raise ValueError("it holds a NUL character")
    return text


def _home_expanded(text: str) -> str:
    """`~` at the start means the home folder, as in a shell."""
    if not text.startswith("~"):
        return text
    try:
        return str(Path(text).expanduser())
    except RuntimeError:
        raise ValueError("its home folder is unknown") from None


def _web_address(text: str) -> str:
    try:
        parts = urlsplit(text)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        valid = False
    if not valid or " " in text:
        raise ValueError("it is not a web address")
    return text


def _summary_template(text: str) -> str:
    try:
        used = {name for _, name, _, _ in Formatter().parse(text) if name is not None}
    except ValueError:
        raise ValueError("its braces do not match") from None
    if used != {"summary", "new_block"}:
        raise ValueError("its placeholders are not the two expected ones")
    return text


def _zero_or_window(tokens: int) -> int:
    if 0 < tokens < 512:
        raise ValueError("no prompt fits into so few tokens")
    return tokens


Text = Annotated[str, AfterValidator(_one_line), Accepts("text in quotes, on one line")]
Name = Annotated[
    str, AfterValidator(_one_line), AfterValidator(_not_blank), Accepts("text in quotes that is not empty")
]
FilePath = Annotated[
    str,
    AfterValidator(_one_line),
    AfterValidator(_not_blank),
    AfterValidator(_home_expanded),
    Accepts("a path in quotes"),
]
OptionalPath = Annotated[
    str,
    AfterValidator(_one_line),
    AfterValidator(_home_expanded),
    Accepts('a path in quotes, or "" for none'),
]
LongText = Annotated[str, AfterValidator(_without_nul), Accepts("text in quotes, several lines allowed")]
NameList = Annotated[
    tuple[Name, ...],
    Field(strict=False),
    Accepts('a list of texts that are not empty, such as ["one", "two"]'),
]
Checkpoints = Annotated[
    tuple[Literal["multilingual"], ...],
    Field(strict=False, min_length=1, max_length=1),
    Accepts('["multilingual"]'),
]
Address = Annotated[
    str,
    AfterValidator(_one_line),
    AfterValidator(_web_address),
    Accepts('an address that starts with http:// or https://, such as "http://127.0.0.1:8080/v1"'),
]
EnvironmentName = Annotated[
    str,
    Field(pattern=r"^([A-Za-z_][A-Za-z0-9_]*)?$"),
    Accepts('the name of an environment variable, such as "LLM_API_KEY", or "" for none'),
]
SummaryTemplate = Annotated[
    str,
    AfterValidator(_without_nul),
    AfterValidator(_summary_template),
    Accepts("text that holds {summary} and {new_block}; other braces are doubled: {{ and }}"),
]
ContextTokens = Annotated[
    int,
    Field(ge=0, le=100_000_000),
    AfterValidator(_zero_or_window),
    Accepts("a whole number from 512 to 100000000, or 0 to ask the server"),
]


def quoted_choices(values: tuple[Any, ...]) -> str:
    """`"a"`, `"a" or "b"`, `"a", "b" or "c"`."""
    quoted = [f'"{value}"' for value in values]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"


def accepted(field: FieldInfo) -> str:
    """What a field accepts, in words for the person who writes the file."""
    for mark in reversed(field.metadata):
        if isinstance(mark, Accepts):
            return mark.words
    return _kind_accepted(field.annotation, field.metadata)


def _kind_accepted(kind: Any, metadata: list[Any]) -> str:
    if get_origin(kind) in (Union, UnionType):
        kind = next(member for member in get_args(kind) if member is not NoneType)
    if get_origin(kind) is Literal:
        return quoted_choices(get_args(kind))
    if kind is bool:
        return "true or false"
    if kind is int:
        return f"a whole number{_range(metadata)}"
    if kind is float:
        return f"a number{_range(metadata)}"
    assert kind in (str, SecretStr), f"a field of type {kind} needs Accepts(...)"
    return "text in quotes"


def _range(metadata: list[Any]) -> str:
    least = next((mark.ge for mark in metadata if isinstance(mark, Ge)), None)
    most = next((mark.le for mark in metadata if isinstance(mark, Le)), None)
    if least is not None and most is not None:
        return f" from {least} to {most}"
    words = [
        *(f"above {mark.gt}" for mark in metadata if isinstance(mark, Gt)),
        *(f"below {mark.lt}" for mark in metadata if isinstance(mark, Lt)),
        *([] if least is None else [f"{least} or more"]),
        *([] if most is None else [f"at most {most}"]),
    ]
    return f" {' and '.join(words)}" if words else ""
