"""Reads tables as batches of rows, from files of any format."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import chain
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.csv
import pyarrow.ipc
import pyarrow.json
import pyarrow.parquet

from lode._fields import has_leaf
from lode._json_lines import strings_of_lines
from lode._table_command.errors import Refusal
from lode._table_command.formats import compression_of
from lode._table_command.json_lines import CheckedNumbers, Line, lines_of, object_of, text_of
from lode._table_command.json_objects import CheckedObjects
from lode._table_command.layouts import Layout, of_arrow, of_parquet

_batch_bytes = 16 << 20
_buffer_bytes = 4 << 20
_least_batch_rows = 1 << 12
_most_batch_rows = 1 << 18
_arrow_file_header_bytes = 8


class Source(NamedTuple):
    """A table that is read once, from its first row to its last."""

    schema: pa.Schema
    batches: Iterator[pa.RecordBatch]
    rows: int | None
    """The number of rows; None if it is not known before the end."""
    layout: Layout = Layout()
    """The layout of the file, as far as the file says it."""


class Sizes(NamedTuple):
    """Decides how much is read at a time."""

    batch_rows: int | None
    """The rows of a batch; None means as many as take some MiB."""
    block_bytes: int
    """The bytes of a block of a text format; each row must fit into one."""


def open_source(
    path: str, format: str, sizes: Sizes, room: ExitStack, columns: Sequence[str] | None = None
) -> Source:
    """Opens a table, which `room` will close. Raises OSError and pyarrow's exceptions.

    columns  of Parquet only these are read, which may be leaves as `a.b`; the schema is that of all. Other formats
             give all columns
    """
    if compression_of(path) is not None and format not in ("csv", "jsonl"):
        raise Refusal(f"{path}: only .csv and .jsonl may be compressed as files; unpack it first")
    source = _open_parquet(path, sizes, room, columns) if format == "parquet" else _openers[format](path, sizes, room)
    return source._replace(batches=_pieces(source.batches, sizes.batch_rows))


def open_lines(
    path: str, column: str, added: str | None, sizes: Sizes, room: ExitStack, may_be_empty: bool = False
) -> Source:
    """Opens JSON Lines that will be written as JSON Lines.

    The table has a column with the texts, as binary, and one with the lines as they came.

    added         the name of the column that will be added; a line that has it already is refused
    may_be_empty  whether there need not be a line
    """
    if compression_of(path) is None or path == "-":
        stream = _opened(path, room)
    else:
        stream = _stream(path, room)
    blocks = lines_of(stream, path, sizes.block_bytes)
    first = next(blocks, [])
    if not first and not may_be_empty:
        raise Refusal(f"{path}: there is no line")
    # The name of the second column must differ from `column` and `added`, so it is longer than both.
    schema = pa.schema([(column, pa.large_binary()), (f"{column}, {added}, line", pa.large_binary())])
    batches = _batches_of_lines(chain([first] if first else [], blocks), path, column, added, schema)
    return Source(schema, _pieces(batches, sizes.batch_rows), None)


def _batches_of_lines(
    blocks: Iterable[list[Line]], path: str, column: str, added: str | None, schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    is_first = True
    for lines in blocks:
        # A name that does not occur in the first block is most likely a mistake.
        if is_first:
            _require_column(lines, path, column)
        is_first = False
        strings = strings_of_lines(b"\n".join(line.text for line in lines), column, added or "")
        texts = _texts_of(lines, path, column, added) if strings is None else strings.cast(pa.large_binary())
        yield pa.record_batch([texts, pa.array([line.text for line in lines], pa.large_binary())], schema=schema)


def _require_column(lines: Iterable[Line], path: str, column: str) -> None:
    known: dict[str, None] = {}
    for line in lines:
        row = object_of(line, path)
        if has_leaf(row, column):
            return
        known.update(dict.fromkeys(row))
    raise Refusal(f"{path}: no column is called {column!r}; there are: {', '.join(known)}")


def _texts_of(lines: Iterable[Line], path: str, column: str, added: str | None) -> pa.Array:
    """The texts of lines, some of which are at fault, or are such that only Python's json reads them."""
    texts = []
    for line in lines:
        row = object_of(line, path)
        if added in row:
            raise Refusal(f"{path}: line {line.number}: a column is called {added!r} already; choose another name")
        texts.append(text_of(row, column, line, path))
    return pa.array(texts, pa.large_binary())


def _pieces(batches: Iterator[pa.RecordBatch], batch_rows: int | None) -> Iterator[pa.RecordBatch]:
    """Yields large batches in parts."""
    for batch in batches:
        rows = batch_rows or _rows_of_a_batch(batch.nbytes, batch.num_rows)
        for begin in range(0, batch.num_rows, rows):
            yield batch.slice(begin, rows)


def _rows_of_a_batch(size_bytes: int, rows: int) -> int:
    return max(1, min(_most_batch_rows, rows * _batch_bytes // max(size_bytes, 1)))


def _seekable(path: str, room: ExitStack) -> Any:
    """Opens a file to be read at any offset. A pipe is read to its end first."""
    file = _opened(path, room)
    if not file.seekable():
        return io.BytesIO(file.read())
    return file if path == "-" else room.enter_context(pa.OSFile(path))


def _opened(path: str, room: ExitStack) -> Any:
    """Opens a file with Python, whose errors are shorter than pyarrow's. A pipe can be opened only once."""
    return sys.stdin.buffer if path == "-" else room.enter_context(open(path, "rb"))


def _stream(path: str, room: ExitStack) -> Any:
    file = _opened(path, room)
    if path != "-" and file.seekable():
        return room.enter_context(pa.input_stream(path, compression=compression_of(path)))
    compression = None if path == "-" else compression_of(path)
    raw = pa.PythonFile(file, mode="r")
    return raw if compression is None else room.enter_context(pa.CompressedInputStream(raw, compression))


def _open_parquet(path: str, sizes: Sizes, room: ExitStack, columns: Sequence[str] | None = None) -> Source:
    # With pre_buffer the reader would keep all that it has read until the end.
    file = room.enter_context(
        pyarrow.parquet.ParquetFile(_seekable(path, room), buffer_size=_buffer_bytes, pre_buffer=False)
    )
    groups = [file.metadata.row_group(number) for number in range(file.metadata.num_row_groups)]
    rows = min(
        (_rows_of_a_batch(group.total_byte_size, group.num_rows) for group in groups if group.num_rows != 0),
        default=1,
    )
    layout = of_parquet(file.metadata)
    if layout.group_rows is not None:
        # A batch larger than a group of the output would be held in vain. One of few rows costs more than its search.
        rows = min(rows, max(layout.group_rows, _least_batch_rows))
    batches = file.iter_batches(batch_size=sizes.batch_rows or rows, columns=columns)
    return Source(file.schema_arrow, batches, file.metadata.num_rows, layout)


def _open_arrow(path: str, sizes: Sizes, room: ExitStack) -> Source:
    file = _seekable(path, room)
    layout = of_arrow(file, _arrow_file_header_bytes)
    reader = room.enter_context(pyarrow.ipc.open_file(file))
    batches = (reader.get_batch(number) for number in range(reader.num_record_batches))
    return Source(reader.schema, batches, None, layout)


def _open_arrows(path: str, sizes: Sizes, room: ExitStack) -> Source:
    stream = _stream(path, room)
    layout = Layout()
    if path != "-" and os.path.isfile(path):  # a pipe can be read only once, so its layout stays unknown
        with open(path, "rb") as file:
            layout = of_arrow(file, 0)
    reader = room.enter_context(pyarrow.ipc.open_stream(stream))
    return Source(reader.schema, iter(reader), None, layout)


class _Rewound(io.RawIOBase):
    """A stream whose first bytes are read twice: once for names and types, and once as a part of all."""

    def __init__(self, stream: Any, head_bytes: int) -> None:
        self._stream = stream
        self._head: bytes = stream.read(head_bytes)
        self._left = memoryview(self._head)

    @property
    def head(self) -> bytes:
        return self._head

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if len(self._left) == 0:
            got: bytes = self._stream.read(len(buffer))
            buffer[: len(got)] = got
            return len(got)
        count = min(len(buffer), len(self._left))
        buffer[:count] = self._left[:count]
        self._left = self._left[count:]
        return count


def _open_csv(path: str, sizes: Sizes, room: ExitStack) -> Source:
    stream = _Rewound(_stream(path, room), sizes.block_bytes)
    if not stream.head.strip():
        raise Refusal(f"{path}: there is no line with the names of columns")
    parsing = pyarrow.csv.ParseOptions(newlines_in_values=True)
    reading = pyarrow.csv.ReadOptions(block_size=sizes.block_bytes)
    with pyarrow.csv.open_csv(
        pa.py_buffer(stream.head), read_options=reading, parse_options=_lenient(parsing)
    ) as reader:
        names = reader.schema.names
    # If there is one column, an empty line is a row with an empty field.
    parsing = pyarrow.csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=len(names) != 1)
    # All values are read as strings, so that they come out as they went in: 007 stays 007.
    converting = pyarrow.csv.ConvertOptions(
        column_types={name: pa.string() for name in names}, strings_can_be_null=False, check_utf8=False
    )
    reader = room.enter_context(
        pyarrow.csv.open_csv(
            pa.PythonFile(stream, mode="r"),
            read_options=reading,
            parse_options=parsing,
            convert_options=converting,
        )
    )
    return Source(reader.schema, iter(reader), None)


def _lenient(parsing: Any) -> Any:
    """Options that skip a row which the end of the first block cuts."""
    return pyarrow.csv.ParseOptions(
        newlines_in_values=parsing.newlines_in_values, invalid_row_handler=lambda row: "skip"
    )


def _open_jsonl(path: str, sizes: Sizes, room: ExitStack) -> Source:
    stream = _Rewound(CheckedObjects(_stream(path, room), path), sizes.block_bytes)
    whole = stream.head if len(stream.head) < sizes.block_bytes else stream.head[: stream.head.rfind(b"\n") + 1]
    if not whole.strip():
        raise Refusal(f"{path}: there is no line within {sizes.block_bytes} bytes; a larger --block-bytes allows more")
    with pyarrow.json.open_json(
        pa.py_buffer(whole), read_options=pyarrow.json.ReadOptions(block_size=sizes.block_bytes)
    ) as reader:
        schema = pa.schema([field.with_type(_without_times(field.type)) for field in reader.schema])
    reader = room.enter_context(
        pyarrow.json.open_json(
            pa.PythonFile(CheckedNumbers(stream, schema, path), mode="r"),
            read_options=pyarrow.json.ReadOptions(block_size=sizes.block_bytes),
            parse_options=pyarrow.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="error"),
        )
    )
    return Source(reader.schema, iter(reader), None)


def _without_times(type: pa.DataType) -> pa.DataType:
    """The type with strings for times. JSON has no times: Arrow guesses them, and a string must stay as it is."""
    if pa.types.is_timestamp(type):
        return pa.string()
    if pa.types.is_list(type):
        return pa.list_(_without_times(type.value_type))
    if pa.types.is_struct(type):
        return pa.struct([field.with_type(_without_times(field.type)) for field in type])
    return type


_openers: dict[str, Callable[[str, Sizes, ExitStack], Source]] = {
    "parquet": _open_parquet,
    "arrow": _open_arrow,
    "arrows": _open_arrows,
    "csv": _open_csv,
    "jsonl": _open_jsonl,
}
