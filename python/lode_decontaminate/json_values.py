"""Replaces one string in a line of JSON, and leaves all else of the line as it is, byte by byte.

{"id": 7.50, "meta": {"text": "old"}}   field meta.text   ->   {"id": 7.50, "meta": {"text": "new"}}
"""

from __future__ import annotations

import json
from typing import NamedTuple

_decode = json.JSONDecoder(parse_float=str, parse_int=str).raw_decode
_blanks = " \t\r\n"


class Place(NamedTuple):
    """A string in a line, and what stands around it. Bytes that are not UTF-8 are surrogates, by `surrogateescape`."""

    before: str
    value: str
    """The string as text."""
    behind: str
    is_escaped: bool
    """Whether what is not ASCII is escaped in the string, or would be, as far as the line shows."""

    def with_value(self, value: str) -> bytes:
        """The line with another string, escaped as the old one was."""
        made = json.dumps(value, ensure_ascii=self.is_escaped)
        return f"{self.before}{made}{self.behind}".encode(errors="surrogateescape")


def place_of(line: bytes, field: str) -> Place | None:
    """Where the string of a field stands in a line; None if it is not there."""
    text = line.decode(errors="surrogateescape")
    place = _value(text, _behind_blanks(text, 0), [field]) or _value(text, _behind_blanks(text, 0), field.split("."))
    if place is None or text[place] != '"':
        return None
    value, end = _decode(text, place)
    is_escaped = text[place:end].isascii() and (not value.isascii() or text.isascii())
    return Place(text[:place], value, text[end:], is_escaped)


def _value(text: str, at: int, path: list[str]) -> int | None:
    """Where the value of a path begins in the object that begins at `at`. Of equal names the last counts."""
    if text[at : at + 1] != "{":
        return None
    found = None
    at = _behind_blanks(text, at + 1)
    while text[at] == '"':
        name, at = _decode(text, at)
        at = _behind_blanks(text, _behind_blanks(text, at) + 1)  # the colon
        if name == path[0]:
            found = at
        at = _behind_blanks(text, _decode(text, at)[1])
        if text[at] == ",":
            at = _behind_blanks(text, at + 1)
    if found is None or len(path) == 1:
        return found
    return _value(text, found, path[1:])


def _behind_blanks(text: str, at: int) -> int:
    while text[at] in _blanks:
        at += 1
    return at
