"""Keeps from Arrow's reader of JSON Lines what it must not see: values that are not objects, and too deep nesting.

The reader turns a line with `null` into a row of nulls, crashes if a file has nothing else, and recurses into each
level of lists until its stack overflows.
"""

from __future__ import annotations

import re
from typing import Any

from lode._table_command.errors import Refusal

most_levels = 100
"""The levels that an object may have. Arrow's files have at most 64, and Parquet's at most 98 of objects."""

_byte_order_mark = b"\xef\xbb\xbf"
_null_behind_object = re.compile(rb"\}[ \t\r]*null")
_not_opening = bytes(byte for byte in range(256) if byte not in b"[{\n")
_tokens = re.compile(rb'"(?:[^"\\\n]|\\.)*"?|[\[{]|[\]}]|\n|[^\s"\[\]{}]+')


class CheckedObjects:
    """Passes the bytes of JSON Lines on, and refuses what is not an object or is too deep before Arrow parses it.

    An object may take several lines, and a line may have several objects, because Arrow takes both. An incomplete line
    is checked as far as it has come: its rest cannot mend a fault.
    """

    def __init__(self, stream: Any, path: str, first_line: int = 1) -> None:
        self._stream = stream
        self._path = path
        self._line = first_line  # the number of the line that comes next
        self._rest: bytes | None = None  # the begin of a line whose end has not come; None before the first byte
        self._depth = 0  # the depth of nesting before that line

    def read(self, size: int) -> bytes:
        got: bytes = self._stream.read(size)
        waiting = self._rest
        data = got.removeprefix(_byte_order_mark) if waiting is None else waiting + got
        end = data.rfind(b"\n") + 1
        if end != 0:
            if self._depth != 0 or not self._are_objects(data, end):
                self._depth = self._walk(data[:end], self._depth)
            self._line += data.count(b"\n", 0, end)
        self._rest = data[end:]
        is_end = len(got) < size
        if is_end or self._depth != 0 or not _is_plain_beginning(self._rest):
            self._walk(self._rest, self._depth)
        return got

    def _are_objects(self, data: bytes, end: int) -> bool:
        """Whether each line is an object, as far as its first and last bytes tell. Walks lines with many brackets.

        Within an object no `{` follows a `}`. So if one line ends in `}` and the next begins with `{`, an object ends
        between them.
        """
        lines = data.count(b"\n", 0, end)
        if not data.startswith(b"{") or data.count(b"\n{", 0, end) != lines - 1:
            return False
        if data.count(b"}\n", 0, end) != lines and data.count(b"}\r\n", 0, end) != lines:
            return False
        if data.find(b"null", 0, end) >= 0 and _null_behind_object.search(data, 0, end) is not None:
            return False
        brackets = data[:end].translate(None, _not_opening).split(b"\n")
        if max(map(len, brackets)) > most_levels:
            for number, (line, opening) in enumerate(zip(data[:end].split(b"\n"), brackets)):
                if len(opening) > most_levels:
                    self._walk(line, 0, number)
        return True

    def _walk(self, data: bytes, depth: int, lines_before: int = 0) -> int:
        """Checks each token, and gives the depth of nesting behind the data."""
        line = self._line + lines_before
        has_object = depth != 0
        for token in _tokens.finditer(data):
            first = data[token.start()]
            if first == ord("\n"):
                line += 1
                has_object = depth != 0
            elif depth == 0 and first != ord("{"):
                reason = "there is something beside its object" if has_object else "it holds no object"
                raise Refusal(f"{self._path}: line {line}: {reason}")
            elif first in b"[{":
                has_object = True
                depth += 1
                if depth > most_levels:
                    raise Refusal(f"{self._path}: line {line}: it is nested more than {most_levels} levels deep")
            elif first in b"]}":
                depth -= 1
        return depth


def _is_plain_beginning(data: bytes) -> bool:
    return not data or (
        data.startswith(b"{")
        and data.count(b"{") + data.count(b"[") <= most_levels
        and _null_behind_object.search(data) is None
    )
