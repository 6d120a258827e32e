"""Reads the searched field of the files of a crawl, a block of rows at a time."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.json

from lode._fields import leaf_column, has_leaf, leaf_of, leaf_type
from lode._json_lines import strings_of_lines
from lode.tables import is_searchable
from lode_decontaminate.errors import Refusal, blaming
from lode_table.files import (
    Line,
    Sizes,
    TableFile,
    compression_of,
    endings,
    guarded,
    object_of,
    open_source,
)

# JSON is taken for JSON Lines here, and CSV is no format of a crawl.
crawl_endings = {".json": "jsonl", **{ending: format for ending, format in endings.items() if format != "csv"}}
"""The formats of a crawl, by the ends of names."""
Shard = TableFile
"""A file of a crawl."""
_byte_order_mark = b"\xef\xbb\xbf"
_buffer_bytes = 1 << 16
_counted_bytes = 1 << 17


class Block(NamedTuple):
    """Some rows of a shard: lines of JSON, or a column with the searched field."""

    lines: bytes | None
    column: Any
    first_line: int
    line_count: int
    """How many lines there are, with those that are empty."""
    size_bytes: int
    """How many bytes of the file it took, about."""


def open_bytes(path: str, room: ExitStack) -> _Unpacked:
    """A stream of a file's bytes, unpacked if its name shows a compression."""
    return _Unpacked(path, room)


class _Unpacked:
    """Reads a file, compressed or not, and knows how far it is in the file itself."""

    def __init__(self, path: str, room: ExitStack) -> None:
        self._file = room.enter_context(open(path, "rb", buffering=0))
        compression = compression_of(path)
        raw: Any = self._file
        if compression is not None:
            raw = room.enter_context(pa.CompressedInputStream(pa.PythonFile(self._file, mode="r"), compression))
        self._stream = room.enter_context(io.BufferedReader(raw, _buffer_bytes))

    def read(self, size: int = -1) -> bytes:
        """So many bytes, fewer only at the end; all that are left if the size is -1."""
        return self._stream.read(size)

    def read_line(self, most_bytes: int) -> bytes:
        """The rest of a line, but not more than so many bytes."""
        return self._stream.readline(most_bytes)

    @property
    def place(self) -> int:
        """How many bytes of the file have been read."""
        return self._file.tell()


def byte_order_mark_of(path: str) -> bytes:
    """The byte order mark that a file of lines begins with, if it does."""
    with blaming(path), ExitStack() as room:
        head = open_bytes(path, room).read(len(_byte_order_mark))
    return head if head == _byte_order_mark else b""


def blocks_of(shard: Shard, field: str, block_bytes: int, most_line_bytes: int | None = None) -> Iterator[Block]:
    """Yields the rows of a shard in blocks. Raises Refusal if it cannot be read, or has no such field.

    block_bytes      how much of a file of JSON Lines is read at a time
    most_line_bytes  how long a line of it may be; None means as long as a block
    """
    if shard.format == "jsonl":
        return _blocks_of_lines(shard, block_bytes, most_line_bytes or block_bytes)
    return _blocks_of_table(shard, field)


def _blocks_of_lines(shard: Shard, block_bytes: int, most_line_bytes: int) -> Iterator[Block]:
    line, place = 1, 0
    with blaming(shard.path), ExitStack() as room:
        stream = open_bytes(shard.path, room)
        while lines := stream.read(block_bytes):
            if not lines.endswith(b"\n"):
                room_bytes = most_line_bytes - (len(lines) - lines.rfind(b"\n") - 1)
                rest = stream.read_line(room_bytes + 2)
                if len(rest.rstrip(b"\n")) > room_bytes:
                    number = line + _count_lines(lines)
                    raise Refusal(
                        f"{shard.path}: line {number}: it is longer than {most_line_bytes} bytes; a larger "
                        "--block-bytes allows more"
                    )
                lines += rest
            if line == 1:
                lines = lines.removeprefix(_byte_order_mark)
            count = _count_lines(lines) + (not lines.endswith(b"\n"))
            if lines:
                yield Block(lines, None, line, count, stream.place - place)
            line += count
            place = stream.place


def _blocks_of_table(shard: Shard, field: str) -> Iterator[Block]:
    with ExitStack() as room:
        with blaming(shard.path):
            source = open_source(shard.path, shard.format, Sizes(None, 0), room, [field])
            _require_field(source.schema, field, shard.path)
        for batch in guarded(source.batches, shard.path):
            size = shard.size_bytes * batch.num_rows // source.rows if source.rows else batch.nbytes
            yield Block(None, leaf_column(batch, field), 0, 0, size)


def _require_field(schema: pa.Schema, field: str, path: str) -> None:
    type = leaf_type(schema, field)
    if type is None:
        raise Refusal(f"{path}: no field is called {field!r}; there are: {', '.join(schema.names)}")
    if not is_searchable(type):
        raise Refusal(f"{path}: the field {field!r} is of {type}; a search needs string or binary")


def parse_lines(block: Block, field: str, path: str) -> Any:
    """The column of a field in lines of JSON, in which a line without it is null.

    Raises Refusal if a line is not exactly one object, or the field holds anything but a string.
    """
    strings = strings_of_lines(block.lines or b"", field)
    return _parse_with_arrow(block, field, path) if strings is None else strings


def _parse_with_arrow(block: Block, field: str, path: str) -> Any:
    """As `parse_lines`, and slower. Arrow also takes bytes that are not UTF-8, and numbers of any length."""
    lines = block.lines or b""
    count = block.line_count if _are_plain(lines) else _count_objects(block, path)
    if count == 0:
        return pa.array([], pa.string())
    *outer, last = _names_of(block, field, path)
    type = pa.field(last, pa.string())
    for name in reversed(outer):
        type = pa.field(name, pa.struct([type]))
    try:
        table = pyarrow.json.read_json(
            pa.BufferReader(lines),
            read_options=pyarrow.json.ReadOptions(use_threads=False, block_size=len(lines) + 1),
            parse_options=pyarrow.json.ParseOptions(
                explicit_schema=pa.schema([type]), unexpected_field_behavior="ignore"
            ),
        )
    except pa.ArrowInvalid as error:
        _blame_line(block, field, path)
        raise Refusal(f"{path}: lines from {block.first_line} on: {str(error).splitlines()[0]}") from error
    if table.num_rows != count:
        _blame_line(block, field, path)
        raise Refusal(f"{path}: lines from {block.first_line} on: each must hold one object")
    column = leaf_column(table, field)
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _count_lines(lines: bytes) -> int:
    """How many lines end in these bytes. NumPy counts several times as fast as bytes do, in pieces that caches hold."""
    held = np.frombuffer(lines, np.uint8)
    pieces = (held[begin : begin + _counted_bytes] for begin in range(0, len(held), _counted_bytes))
    return sum(int(np.count_nonzero(piece == ord("\n"))) for piece in pieces)


def _are_plain(lines: bytes) -> bool:
    """Whether each line begins with `{` and ends with `}`, and none is empty.

    Within an object no `{` follows a `}`. So each such line holds at least one object, and if there are as many rows as
    lines, exactly one. Arrow crashes where there is no object at all. Levels need no check: what is not of the searched
    field is skipped, however deep it is.
    """
    held = np.frombuffer(lines, np.uint8)
    ends = np.flatnonzero(held == ord("\n"))
    if not lines.endswith(b"\n"):
        ends = np.append(ends, len(held))
    starts = np.append(0, ends[:-1] + 1)
    last = ends - 1
    last = np.where(held[last] == ord("\r"), last - 1, last)
    return bool((held[starts] == ord("{")).all() and (held[last] == ord("}")).all())


def _count_objects(block: Block, path: str) -> int:
    """How many lines are not blank. Raises Refusal for one that does not begin with `{` and end with `}`."""
    count = 0
    for line in _lines_of(block):
        if not (line.text.startswith(b"{") and line.text.endswith(b"}")):
            if line.text.startswith(b"[") and count == 0 and block.first_line == 1:
                raise refusal_of_array(path)
            _object_of(line, path)
            raise Refusal(f"{path}: line {line.number}: it must hold one object")
        count += 1
    return count


def refusal_of_array(path: str) -> Refusal:
    """What the user is told about a file that begins with `[`."""
    return Refusal(f"{path}: it is a JSON array; JSON Lines is needed, with one object a line; jq -c '.[]' makes it")


def _lines_of(block: Block) -> Iterator[Line]:
    """Yields the lines that are not blank, without the blanks of JSON at their ends."""
    for number, text in enumerate((block.lines or b"").split(b"\n"), block.first_line):
        if stripped := text.strip(b" \t\r"):
            yield Line(number, stripped)


def _names_of(block: Block, field: str, path: str) -> list[str]:
    """The field as it is, or the names that lead to it from object to object; the first line that has either decides."""
    if "." not in field:
        return [field]
    row = next((row for row in _rows_of(block, path) if has_leaf(row, field)), {})
    return [field] if field in row else field.split(".")


def _rows_of(block: Block, path: str) -> Iterator[dict[str, Any]]:
    return (_object_of(line, path) for line in _lines_of(block))


def _object_of(line: Line, path: str) -> dict[str, Any]:
    """The object in a line, whose texts need not be UTF-8."""
    return object_of(line._replace(text=line.text.decode(errors="replace").encode()), path)


def _blame_line(block: Block, field: str, path: str) -> None:
    """Raises Refusal for the first line at fault, with its number."""
    for line in _lines_of(block):
        row = _object_of(line, path)
        try:
            json.dumps(row, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            raise Refusal(
                f"{path}: line {line.number}: it has half a surrogate pair, which no text can hold"
            ) from error
        value = leaf_of(row, field)
        if value is not None and not isinstance(value, str):
            raise Refusal(f"{path}: line {line.number}: the field {field!r} holds no string; a search needs strings")


def require_field(block: Block, field: str, path: str) -> None:
    """Raises Refusal if no line of a block has a field."""
    names: dict[str, None] = {}
    for row in _rows_of(block, path):
        if has_leaf(row, field):
            return
        names.update(dict.fromkeys(row))
    if names:
        raise Refusal(f"{path}: no field is called {field!r}; there are: {', '.join(names)}")
