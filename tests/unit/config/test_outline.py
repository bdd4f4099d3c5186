"""The outline knows the line of every key."""

from __future__ import annotations

import pytest

from stt_daemon.config.toml_lines import Outline

TEXT = '''\
top = 1 # comment = no
[a] # [not]
x = """
[b]
y = 1 \\""" still
"""
"quoted key" = 'it''s'
z = [ # ]
  "]", { n = 1 },
]
s.t = "a # b"
[[list]]
name = "one"
[list.sub]
deep = 1
[[list]]
name = "two"
[ "c.d" . e ]
f = {g = "}"}
'''.replace("'it''s'", "'it'")


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("top",), 1),
        (("a",), 2),
        (("a", "x"), 3),
        (("a", "quoted key"), 7),
        (("a", "z"), 8),
        (("a", "s"), 11),
        (("a", "s", "t"), 11),
        (("list", 0), 12),
        (("list", 0, "name"), 13),
        (("list", 0, "sub", "deep"), 15),
        (("list", 1), 16),
        (("list", 1, "name"), 17),
        (("c.d", "e", "f"), 19),
        (("c.d", "e", "f", "g"), 19),
        (("list", 1, "missing"), 16),
        (("nowhere",), None),
    ],
)
def test_a_key_is_found_on_its_line(path: tuple[str | int, ...], line: int | None) -> None:
    assert Outline(TEXT).line_of(*path) == line


def test_windows_line_ends_count_once() -> None:
    assert Outline("a = 1\r\n\r\nb = 2\r\n").line_of("b") == 3


def test_what_looks_like_a_key_inside_a_value_is_none() -> None:
    places = Outline(TEXT).places
    assert ("b",) not in [place.path for place in places]
    assert ("a", "y") not in [place.path for place in places]


def test_repeated_keys_and_headings_are_paired_but_array_entries_are_not() -> None:
    outline = Outline("a = 1\na = 2\n[[c]]\n[[c]]\n[s]\nk = 1\n[s]\nk = 2\n")
    assert [(first.line, again.line) for first, again in outline.repeated()] == [(1, 2), (5, 7), (6, 8)]
