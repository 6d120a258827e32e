"""Writes tables batch by batch, under another name until they are complete."""

from __future__ import annotations

import contextlib
import datetime
import decimal
import io
import json
import math
import os
import stat
import sys
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, Protocol

import pyarrow as pa
import pyarrow.csv
import pyarrow.ipc
import pyarrow.parquet

from lode._table_command.endings import rename, temporary_file
from lode._table_command.errors import Refusal
from lode._table_command.formats import compression_of
from lode._table_command.json_lines import with_value
from lode._table_command.layouts import Layout, of_leaves
from lode._table_command.times import rows_of

_group_bytes = 32 << 20
_most_group_bytes = 512 << 20
_group_rows = 1 << 20
_most_parquet_levels = 99  # this leaves out the root, which readers count, too


class Writer(Protocol):
    def write_table(self, table: pa.Table) -> None: ...
    def close(self) -> None: ...


class Sink(io.RawIOBase):
    """The file that writers write to. Once abandoned, it drops what they add when they are closed."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._written = 0
        self._abandoned = False

    def abandon(self) -> None:
        self._abandoned = True

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        size = memoryview(data).nbytes
        if not self._abandoned:
            self._file.write(data)
        self._written += size
        return size

    def tell(self) -> int:
        return self._written


@contextlib.contextmanager
def output_file(path: str) -> Iterator[Sink]:
    """Opens a file to write. A regular file gets its name when the block ends well, and is removed otherwise."""
    if path == "-":
        if sys.stdout is None:
            raise Refusal("-: standard output is closed")
        yield Sink(sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        mode = stat.S_IFREG | (0o666 & ~_umask())
    if not stat.S_ISREG(mode):
        with open(path, "wb") as file:
            yield Sink(file)
        return
    target = os.path.realpath(path)
    with temporary_file(target) as (number, temporary):
        with os.fdopen(number, "wb") as file:
            os.fchmod(file.fileno(), stat.S_IMODE(mode))
            yield Sink(file)
            file.flush()
            os.fsync(file.fileno())
        rename(temporary, target)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


class BatchWriter:
    """Gathers batches until they are some MiB, and then writes them together, so that row groups do not become many.

    If the layout has group_rows, Parquet's groups have that many rows, unless they are too large to be held.
    """

    def __init__(self, path: str, format: str, file: Sink, schema: pa.Schema, layout: Layout = Layout()) -> None:
        self._refuse(path, format, schema)
        self._path = path
        self._schema = schema
        self._file = file
        compression = None if path == "-" else compression_of(path)
        self._packed: Any = None
        if compression is not None:
            self._packed = pa.CompressedOutputStream(pa.PythonFile(file, mode="w"), compression)
        self._writer: Writer = _writers[format](self._packed or file, schema, layout)
        self._most_rows, self._most_bytes = _group_rows, _group_bytes
        if format == "parquet" and layout.group_rows is not None:
            self._most_rows = layout.group_rows
            self._most_bytes = sys.maxsize if layout.is_firm else _most_group_bytes
        self.written_rows = 0
        self._waiting: list[pa.RecordBatch] = []
        self._bytes = 0
        self._rows = 0

    @staticmethod
    def _refuse(path: str, format: str, schema: pa.Schema) -> None:
        if compression_of(path) is not None and format not in ("csv", "jsonl", "lines"):
            raise Refusal(f"{path}: only .csv and .jsonl may be compressed as files; --compression is for others")
        for field in schema:
            if format == "csv" and pa.types.is_nested(field.type):
                raise Refusal(f"{path}: CSV cannot hold the column {field.name!r} of {field.type}")
            if format == "parquet" and _levels(field.type) > _most_parquet_levels:
                raise Refusal(f"{path}: the column {field.name!r} is nested deeper than readers of Parquet follow")
            if format == "jsonl" and _has_binary(field.type):
                raise Refusal(f"{path}: JSON cannot hold the column {field.name!r} of {field.type}")
        repeated = _repeated(schema) if format == "jsonl" else None
        if repeated is not None:
            raise Refusal(f"{path}: an object of JSON cannot hold two values that are called {repeated!r}")

    def write(self, batch: pa.RecordBatch) -> None:
        begin = 0
        while begin < batch.num_rows:
            part = batch.slice(begin, self._most_rows - self._rows)
            begin += part.num_rows
            # nbytes of a slice is its share alone. Filtered rows are a copy, whose bytes count in full.
            self._waiting.append(part)
            self._bytes += part.nbytes
            self._rows += part.num_rows
            if self._bytes >= self._most_bytes or self._rows >= self._most_rows:
                self._flush()

    def _flush(self) -> None:
        waiting, self._waiting, self._bytes, self._rows = self._waiting, [], 0, 0
        if not waiting:
            return
        self.written_rows += sum(batch.num_rows for batch in waiting)
        try:
            self._writer.write_table(pa.Table.from_batches(waiting, self._schema))
        except pa.ArrowInvalid as error:
            if "Dictionary replacement" not in str(error):
                raise
            raise Refusal(
                f"{self._path}: an Arrow file holds one dictionary for each column, and this table has several; "
                "choose .arrows or .parquet"
            ) from error

    def __enter__(self) -> BatchWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: Any) -> None:
        if kind is None:
            self._flush()
            self._close()
            return
        # Closing would write the file's end, such as Parquet's footer, and then a part would look like the whole.
        self._file.abandon()
        with contextlib.suppress(Exception):
            self._close()

    def _close(self) -> None:
        self._writer.close()
        if self._packed is not None:
            self._packed.close()


def _levels(type: pa.DataType) -> int:
    """The number of levels that a type has in Parquet's schema. A list has one more for its items."""
    if not pa.types.is_nested(type):
        return 1
    own = 1 if pa.types.is_struct(type) else 2
    return own + max((_levels(type.field(number).type) for number in range(type.num_fields)), default=0)


def _has_binary(type: pa.DataType) -> bool:
    if pa.types.is_dictionary(type):
        return _has_binary(type.value_type)
    if pa.types.is_nested(type):
        return any(_has_binary(type.field(number).type) for number in range(type.num_fields))
    kinds = (pa.binary(), pa.large_binary(), pa.binary_view())
    return type in kinds or bool(pa.types.is_fixed_size_binary(type))


def _repeated(fields: Any) -> str | None:
    """The first name that occurs twice in a schema, or in a structure within it."""
    seen: set[str] = set()
    for field in fields:
        if field.name in seen:
            return str(field.name)
        seen.add(field.name)
    for field in fields:
        type = field.type
        if pa.types.is_dictionary(type):
            type = type.value_type
        parts = [type.field(number) for number in range(type.num_fields)]
        within = (
            _repeated(parts)
            if pa.types.is_struct(type)
            else next((name for part in parts if (name := _repeated([part])) is not None), None)
        )
        if within is not None:
            return within
    return None


class _JsonLines:
    def __init__(self, file: Sink, schema: pa.Schema, layout: Layout) -> None:
        self._file = file

    def write_table(self, table: pa.Table) -> None:
        for batch in table.to_batches(max_chunksize=1024):
            columns = [rows_of(column) for column in batch.columns]
            names = batch.schema.names
            lines = [_line_of(dict(zip(names, row))) for row in zip(*columns)]
            self._file.write("".join(line + "\n" for line in lines).encode())

    def close(self) -> None:
        pass


class _SameLines:
    """Writes the lines that `open_lines` gave as they came, with the value of the column that was added."""

    def __init__(self, file: Sink, schema: pa.Schema, layout: Layout) -> None:
        self._file = file
        self._added = schema.names[2:]

    def write_table(self, table: pa.Table) -> None:
        for batch in table.to_batches(max_chunksize=1024):
            lines = batch.column(1).to_pylist()
            for number, name in enumerate(self._added, 2):
                values = batch.column(number).to_pylist()
                lines = [with_value(line, name, value) for line, value in zip(lines, values)]
            self._file.write(b"".join(line + b"\n" for line in lines))

    def close(self) -> None:
        pass


def _line_of(row: Any) -> str:
    try:
        return json.dumps(row, ensure_ascii=False, default=_plain, allow_nan=False)
    except ValueError:
        return json.dumps(_without_nan(row), ensure_ascii=False, default=_plain, allow_nan=False)


def _without_nan(value: Any) -> Any:
    """The value with null for NaN and infinities, for which JSON has no numbers."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    # A map comes as a list of pairs, and pairs are tuples.
    return [_without_nan(item) for item in value] if isinstance(value, (list, tuple)) else value


def _plain(value: Any) -> Any:
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, (decimal.Decimal, datetime.timedelta)):
        return str(value)
    raise TypeError(f"JSON cannot hold {value!r}")


class _Parquet:
    """Writes each table as one row group; by default pyarrow's writer would cut a table of many rows into several."""

    def __init__(self, file: Sink, schema: pa.Schema, layout: Layout) -> None:
        codec = layout.codec
        compression = "snappy" if codec is None else codec if isinstance(codec, str) else of_leaves(codec, schema)
        self._writer = pyarrow.parquet.ParquetWriter(
            file, schema, compression=compression, compression_level=layout.level
        )

    def write_table(self, table: pa.Table) -> None:
        self._writer.write_table(table, row_group_size=table.num_rows)

    def close(self) -> None:
        self._writer.close()


def _arrow_options(layout: Layout) -> Any:
    codec = None if layout.codec in (None, "none") else pa.Codec(layout.codec, compression_level=layout.level)
    return pyarrow.ipc.IpcWriteOptions(compression=codec)


_writers: dict[str, Callable[[Sink, pa.Schema, Layout], Writer]] = {
    "parquet": _Parquet,
    "arrow": lambda file, schema, layout: pyarrow.ipc.new_file(file, schema, options=_arrow_options(layout)),
    "arrows": lambda file, schema, layout: pyarrow.ipc.new_stream(file, schema, options=_arrow_options(layout)),
    "csv": lambda file, schema, layout: pyarrow.csv.CSVWriter(file, schema),
    "jsonl": _JsonLines,
    "lines": _SameLines,
}
