"""Replaces one string in a line of JSON, and leaves all else of the line as it is, byte by byte.

{"id": 7.50, "meta": {"text": "old"}}   field meta.text   ->   {"id": 7.50, "meta": {"text": "new"}}
"""

from __future__ import annotations

import json

_decode = json.JSONDecoder(parse_float=str, parse_int=str).raw_decode
_blanks = " \t\r\n"


def string_of(line: bytes, field: str) -> tuple[str, str, str] | None:
    """What stands before the string of a field, the string as text, and what stands behind it; None if it is not there.

    Bytes that are not UTF-8 are surrogates in all three, as `surrogateescape` makes them.
    """
    text = line.decode(errors="surrogateescape")
    place = _value(text, _behind_blanks(text, 0), [field]) or _value(text, _behind_blanks(text, 0), field.split("."))
    if place is None or text[place] != '"':
        return None
    value, end = _decode(text, place)
    return text[:place], value, text[end:]


def with_string(before: str, value: str, behind: str) -> bytes:
    """The line with another string. It is escaped as far as the rest of the line is."""
    is_ascii = before.isascii() and behind.isascii() and value.isascii()
    return f"{before}{json.dumps(value, ensure_ascii=is_ascii)}{behind}".encode(errors="surrogateescape")


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
