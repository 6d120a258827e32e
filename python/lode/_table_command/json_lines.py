"""Reads JSON Lines as lines, which can be written again unchanged, and refuses numbers that Arrow would change."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import pyarrow as pa

from lode._fields import leaf_of
from lode._table_command.errors import Refusal

_byte_order_mark = b"\xef\xbb\xbf"
# A whole number beyond 2^53, or beyond 64 bits, has at least 16 digits: 2^53 is 9007199254740992. Strings may have as
# many, too. In fractions such as 0.1234567890123456 one of _within_number stands before them.
_many_digits = b"0" * 16
_most_digits = 60
_within_number = b".0123456789"
_blanks = b" \t\r\n"
_digits_as_zeros = bytes(ord("0") if chr(byte).isdigit() and byte < 128 else ord(" ") for byte in range(256))


class Line(NamedTuple):
    """A line that holds an object."""

    number: int
    """Its number in the file, from 1 on."""
    text: bytes
    """Its bytes, without blanks at its ends."""


def lines_of(stream: Any, path: str, block_bytes: int) -> Iterator[list[Line]]:
    """Yields the lines of each block, without empty ones. Refuses lines that do not fit a block."""
    number = 0
    rest: bytes = b""
    while True:
        block: bytes = stream.read(block_bytes)
        if number == 0 and not rest:
            block = block.removeprefix(_byte_order_mark)
        parts = (rest + block).split(b"\n")
        rest = parts.pop() if block else b""
        if len(rest) > block_bytes:
            raise Refusal(
                f"{path}: line {number + len(parts) + 1}: it is longer than {block_bytes} bytes; "
                "a larger --block-bytes allows more"
            )
        lines = [Line(number + at, line) for at, part in enumerate(parts, 1) if (line := part.strip())]
        number += len(parts)
        if lines:
            yield lines
        if not block:
            return


class _Repeated(ValueError):
    pass


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise _Repeated("an object has the same name twice")
    return made


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number of JSON")


# The values of numbers are not needed here. Python refuses to make an int of thousands of digits, but makes a float.
_decode = json.JSONDecoder(object_pairs_hook=_object, parse_int=float, parse_constant=_no_constant).decode


def object_of(line: Line, path: str) -> dict[str, Any]:
    """The object in a line. Its whole numbers become floats, which may differ from them."""
    try:
        row = _decode(line.text.decode())
    except UnicodeDecodeError as error:
        raise Refusal(f"{path}: line {line.number}: it is not valid UTF-8 ({error.reason})") from error
    except RecursionError as error:
        raise Refusal(f"{path}: line {line.number}: it is nested too deep") from error
    except ValueError as error:
        raise Refusal(f"{path}: line {line.number}: {error}") from error
    if not isinstance(row, dict):
        raise Refusal(f"{path}: line {line.number}: it holds no object")
    return row


def text_of(row: dict[str, Any], column: str, line: Line, path: str) -> bytes | None:
    """The bytes of a column's value; None if the row has none."""
    value = leaf_of(row, column)
    if value is None:
        return None
    if not isinstance(value, str):
        raise Refusal(f"{path}: line {line.number}: the column {column!r} holds no string; a search needs strings")
    try:
        return value.encode()
    except UnicodeEncodeError as error:
        reason = f"the column {column!r} is not valid Unicode ({error.reason})"
        raise Refusal(f"{path}: line {line.number}: {reason}") from error


def with_value(text: bytes, name: str, value: Any) -> bytes:
    """Adds a value at the end of the object in a line."""
    body = text[:-1].rstrip()
    separator = b"" if body == b"{" else b", "
    return body + separator + f"{json.dumps(name, ensure_ascii=False)}: {json.dumps(value)}}}".encode()


def _whole_number(text: str) -> int:
    """The number in a text. Of a long one only the beginning counts: Python makes no int of thousands of digits.

    No type holds a number that long, and its beginning is too large for every type as well.
    """
    return int(text[:_most_digits])


_decode_numbers = json.JSONDecoder(parse_int=_whole_number).decode


class CheckedNumbers(io.RawIOBase):
    """Passes the bytes of JSON Lines on to a reader of Arrow, and refuses whole numbers that its types do not hold."""

    def __init__(self, stream: Any, schema: pa.Schema, path: str) -> None:
        self._stream = stream
        self._type = pa.struct(list(schema))
        self._has_numbers = _has_numbers(self._type)
        self._path = path
        self._lines = 0
        self._rest = b""
        self._last = b""  # the last byte of the lines before that is not blank

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        got: int = self._stream.readinto(buffer)
        if not self._has_numbers:
            return got
        whole, ends, rest = (self._rest + bytes(buffer[:got])).rpartition(b"\n") if got else (self._rest, b"", b"")
        self._check(whole)
        self._lines += whole.count(b"\n") + len(ends)
        self._rest = rest
        return got

    def _check(self, lines: bytes) -> None:
        digits = lines.translate(_digits_as_zeros)
        at = 0
        while (found := digits.find(_many_digits, at)) >= 0:
            at = found + len(_many_digits)
            if found > 0 and lines[found - 1] in _within_number:
                continue
            begin = lines.rfind(b"\n", 0, found) + 1
            at = lines.find(b"\n", at)
            at = len(lines) if at < 0 else at
            row = self._row(lines, begin, at)
            changed = None if row is None else _changed(row, self._type, "")
            if row is not None and changed is None:
                continue
            reason = (
                "it has a long number, which might change, and is not an object by itself; write each object as a line"
                if row is None
                else f"{changed}, which would change the number; write JSON Lines, which keep it, or make it a string"
            )
            number = self._lines + lines.count(b"\n", 0, begin) + 1
            raise Refusal(f"{self._path}: line {number}: {reason}")
        self._last = lines.rstrip(_blanks)[-1:] or self._last

    def _row(self, lines: bytes, begin: int, end: int) -> dict[str, Any] | None:
        """The object in a line, or None if the line is not exactly one: Arrow also takes several, and parts of one."""
        line = lines[begin:end]
        if self._lines == 0 and begin == 0:
            line = line.removeprefix(_byte_order_mark)
        before = begin
        while before > 0 and lines[before - 1] in _blanks:
            before -= 1
        # A line that follows the end of an object, or nothing, begins a new object. Any other line continues one.
        if (lines[before - 1 : before] or self._last) not in (b"", b"}"):
            return None
        try:
            row = _decode_numbers(line.decode(errors="replace"))
        except (ValueError, RecursionError):
            return None
        return row if isinstance(row, dict) else None


def _has_numbers(type: pa.DataType) -> bool:
    if pa.types.is_nested(type):
        return any(_has_numbers(type.field(number).type) for number in range(type.num_fields))
    return bool(pa.types.is_integer(type) or pa.types.is_floating(type))


def _changed(value: Any, type: pa.DataType, name: str) -> str | None:
    """Names a whole number that the type would change, for the message of a Refusal; None if there is none."""
    if isinstance(value, dict) and pa.types.is_struct(type):
        parts = [
            (item, type.field(key).type, f"{name}.{key}" if name else key)
            for key, item in value.items()
            if type.get_field_index(key) >= 0
        ]
    elif isinstance(value, list) and pa.types.is_list(type):
        parts = [(item, type.value_type, name) for item in value]
    else:
        if not isinstance(value, int) or isinstance(value, bool) or _holds(type, value):
            return None
        shown = str(value)
        if len(shown) >= _most_digits:
            shown += "…"
        return f"the column {name!r} has {shown} and is read as {type}"
    return next((changed for part in parts if (changed := _changed(*part)) is not None), None)


def _holds(type: pa.DataType, number: int) -> bool:
    if pa.types.is_floating(type):
        return abs(number) <= 1 << 53  # a double may hold a larger number, but is written with other digits: 1e+20
    return not pa.types.is_integer(type) or -(1 << 63) <= number < 1 << 63
