"""The layouts of tables in files: their compression, and the sizes of row groups."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet

_parquet_names = {"UNCOMPRESSED": "none"}
_arrow_codecs = ("lz4", "zstd")  # a codec's place is Arrow's number for it


class Layout(NamedTuple):
    """The choices with which a file is written. None leaves a choice to the format's writer."""

    codec: str | Mapping[str, str] | None = None
    """The codec of all columns, or of each leaf of Parquet's schema by its path."""
    level: int | None = None
    """The codec's level. It is None for a file that was read, because no file says with which level it was written."""
    group_rows: int | None = None
    """The number of rows in a row group of Parquet."""
    is_firm: bool = False
    """Whether row groups have group_rows rows whatever memory these take."""


def of_parquet(metadata: pyarrow.parquet.FileMetaData) -> Layout:
    """The layout of the largest row group, because the last one is mostly smaller than the others."""
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    group = max(groups, key=lambda group: group.num_rows, default=None)
    if group is None or group.num_rows == 0:
        return Layout()
    columns = [group.column(number) for number in range(group.num_columns)]
    codecs = {
        column.path_in_schema: _parquet_names.get(column.compression, column.compression.lower()) for column in columns
    }
    distinct = set(codecs.values())
    return Layout(distinct.pop() if len(distinct) == 1 else codecs, None, group.num_rows)


def of_leaves(codecs: Mapping[str, str], schema: pa.Schema) -> dict[str, str]:
    """A codec for each leaf of a schema. Leaves that were added get the codec that most of the others have."""
    kinds = list(codecs.values())
    usual = max(kinds, key=kinds.count)
    empty = io.BytesIO()
    pyarrow.parquet.write_table(schema.empty_table(), empty)
    leaves = pyarrow.parquet.ParquetFile(empty).schema
    return {path: codecs.get(path, usual) for path in (leaves.column(number).path for number in range(len(leaves)))}


def of_arrow(file: Any, begin: int) -> Layout:
    """The layout of a file in Arrow's IPC format whose messages start at `begin`: the codec of the first with data.

    pyarrow knows the codec, but does not show it. A message has four bytes 0xff, a length in four bytes, a flatbuffer
    of that length, and a body:

        ff ff ff ff  98 00 00 00  [152 bytes of flatbuffer]  [body]
    """
    try:
        while True:
            file.seek(begin)
            mark, length = file.read(4), int.from_bytes(file.read(4), "little")
            if mark != b"\xff\xff\xff\xff" or length == 0:
                return Layout()
            message = _Flatbuffer(file.read(length))
            kind = message.number(message.root, 1, 1)
            data = message.table(message.root, 2)
            if kind == _dictionary_batch and data is not None:
                data = message.table(data, 1)
            if kind in (_dictionary_batch, _record_batch) and data is not None:
                compression = message.table(data, 3)
                return Layout() if compression is None else Layout(_arrow_codecs[message.number(compression, 0, 1)])
            begin += 8 + length + message.number(message.root, 3, 8)
    except (IndexError, ValueError):  # the file is damaged, which pyarrow's reader will report
        return Layout()


_dictionary_batch, _record_batch = 2, 3


class _Flatbuffer:
    """Reads fields of a flatbuffer's tables. A field is a number or another table, and has a number itself."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.root = self._number(0, 4)

    def number(self, table: int, field: int, size: int) -> int:
        """The number in a field; 0 if the table has no such field."""
        place = self._place(table, field)
        return 0 if place is None else self._number(place, size)

    def table(self, table: int, field: int) -> int | None:
        place = self._place(table, field)
        return None if place is None else place + self._number(place, 4)

    def _place(self, table: int, field: int) -> int | None:
        fields = table - int.from_bytes(self._data[table : table + 4], "little", signed=True)
        at = 4 + 2 * field
        offset = self._number(fields + at, 2) if at < self._number(fields, 2) else 0
        return None if offset == 0 else table + offset

    def _number(self, place: int, size: int) -> int:
        if not 0 <= place <= len(self._data) - size:
            raise IndexError(place)
        return int.from_bytes(self._data[place : place + size], "little")
