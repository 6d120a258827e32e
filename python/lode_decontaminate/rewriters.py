"""Writes shards anew, of each format: rows are left out, or their texts are changed; all else stays as it is."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from threading import Event
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import pyarrow as pa

from lode._fields import leaf_column, leaf_type, with_leaf_column
from lode_decontaminate.errors import Refusal, blaming
from lode_decontaminate.folders import line_of, whole_file
from lode_decontaminate.json_values import place_of
from lode_decontaminate.removing import Removal
from lode_decontaminate.shards import Shard, blocks_of, byte_order_mark_of
from lode_table.files import BatchWriter, Sizes, compression_of, guarded, open_source, output_file

_block_bytes = 8 << 20


class Guilty(NamedTuple):
    """What is to be removed in a contaminated document, and whose it is."""

    runs: list[tuple[int, int]]
    """Offsets and lengths, in bytes."""
    items: list[dict[str, Any]]


class _Spans:
    """Changes texts, and writes what it removes as lines of JSON."""

    def __init__(self, shard: Shard, removal: Removal, file: BinaryIO) -> None:
        self._shard = shard
        self._removal = removal
        self._file = file

    def changed(self, text: bytes, row: int, guilty: Guilty) -> bytes:
        spans = self._removal.spans(text, guilty.runs)
        for begin, end in spans:
            taken = text[begin:end].decode(errors="surrogateescape")
            place = {"shard": self._shard.name, "row": row, "offset": begin, "length": end - begin}
            self._file.write(line_of({**place, "items": guilty.items, "text": taken}))
        return self._removal.without(text, spans)


class LineRewriter:
    """Writes JSON Lines anew. Lines that stay are copied; of one that changes, the searched string alone is another."""

    def __init__(self, shard: Shard, field: str, removal: Removal | None, stop: Event, block_bytes: int) -> None:
        self._shard = shard
        self._field = field
        self._removal = removal
        self._stop = stop
        self._block_bytes = block_bytes

    def rewrite(self, guilty: Mapping[int, Guilty], target: str, aside: str, room: ExitStack) -> int:
        """Writes a shard and what is removed from it, and gives the number of rows read."""
        removed = room.enter_context(whole_file(aside))
        kept = room.enter_context(whole_file(target))
        row = 0
        with ExitStack() as streams:
            dropped = removed if self._removal is not None else _packed(removed, aside, streams)
            spans = None if self._removal is None else _Spans(self._shard, self._removal, removed)
            clean = _packed(kept, target, streams)
            clean.write(byte_order_mark_of(self._shard.path))
            for block in blocks_of(self._shard, self._field, self._block_bytes):
                _go_on(self._stop)
                pieces: list[bytes] = []
                for line in io.BytesIO(block.lines or b""):
                    if not line.strip():
                        pieces.append(line)
                        continue
                    found = guilty.get(row)
                    if found is None:
                        pieces.append(line)
                    elif spans is None:
                        dropped.write(line)
                    else:
                        pieces.append(self._changed(line, row, found, spans))
                    row += 1
                clean.write(b"".join(pieces))
        return row

    def _changed(self, line: bytes, row: int, guilty: Guilty, spans: _Spans) -> bytes:
        place = place_of(line, self._field)
        if place is None:
            raise Refusal(f"{self._shard.path}: row {row}: the field {self._field!r} is no string any more")
        text = spans.changed(place.value.encode(errors="surrogateescape"), row, guilty)
        return place.with_value(text.decode(errors="surrogateescape"))


def _go_on(stop: Event) -> None:
    if stop.is_set():
        raise Refusal("the purification was ended")


def _packed(file: BinaryIO, path: str, room: ExitStack) -> Any:
    """A stream that packs what is written into a file, if the file's name shows a compression."""
    compression = compression_of(path)
    if compression is None:
        return file
    return room.enter_context(pa.CompressedOutputStream(pa.PythonFile(file, mode="w"), compression))


def check_removal(shard: Shard, field: str) -> None:
    """Raises Refusal if texts of a shard cannot be changed because of the type of their column."""
    if shard.format == "jsonl":
        return
    with blaming(shard.path), ExitStack() as room:
        type = leaf_type(open_source(shard.path, shard.format, Sizes(None, 0), room, [field]).schema, field)
    # A file of Arrow holds one dictionary for all rows, which would have to be known before the first is written.
    if pa.types.is_fixed_size_binary(type) or (pa.types.is_dictionary(type) and shard.format == "arrow"):
        raise Refusal(f"{shard.path}: the column {field!r} is of {type}; drop the documents instead")


class TableRewriter:
    """Writes Parquet and Arrow anew, with the codec and the row groups that they had."""

    def __init__(self, shard: Shard, field: str, removal: Removal | None, stop: Event) -> None:
        self._shard = shard
        self._field = field
        self._removal = removal
        self._stop = stop

    def rewrite(self, guilty: Mapping[int, Guilty], target: str, aside: str, room: ExitStack) -> int:
        """Writes a shard and what is removed from it, and gives the number of rows read."""
        path, format = self._shard.path, self._shard.format
        with blaming(path):
            source = open_source(path, format, Sizes(None, _block_bytes), room)
        spans: _Spans | None = None
        removed: BatchWriter | None = None
        if self._removal is not None:
            spans = _Spans(self._shard, self._removal, room.enter_context(whole_file(aside)))
        else:
            removed = self._writer(aside, source, room)
        clean = self._writer(target, source, room)
        rows = 0
        for batch in guarded(source.batches, path):
            _go_on(self._stop)
            theirs = {row - rows: guilty[row] for row in range(rows, rows + batch.num_rows) if row in guilty}
            if spans is not None:
                clean.write(self._changed(batch, rows, theirs, spans) if theirs else batch)
            else:
                assert removed is not None
                for begin, end, is_dropped in _stretches(batch.num_rows, sorted(theirs)):
                    (removed if is_dropped else clean).write(batch.slice(begin, end - begin))
            rows += batch.num_rows
        return rows

    def _writer(self, path: str, source: Any, room: ExitStack) -> BatchWriter:
        room.enter_context(blaming(path))
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        file = room.enter_context(output_file(path))
        return room.enter_context(BatchWriter(path, self._shard.format, file, source.schema, source.layout))

    def _changed(self, batch: Any, first_row: int, guilty: Mapping[int, Guilty], spans: _Spans) -> Any:
        column = leaf_column(batch, self._field)
        texts: dict[int, bytes] = {}
        for row in sorted(guilty):
            value = column[row].as_py()
            text = value.encode() if isinstance(value, str) else bytes(value)
            texts[row] = spans.changed(text, first_row + row, guilty[row])
        return with_leaf_column(batch, self._field, _with_texts(column, texts))


def _stretches(rows: int, dropped: list[int]) -> Iterator[tuple[int, int, bool]]:
    """Yields (begin, end, whether it is dropped) for neighbouring rows that share a fate."""
    fates = np.zeros(rows, np.bool_)
    fates[dropped] = True
    edges = [0, *(np.flatnonzero(np.diff(fates)) + 1).tolist(), rows]
    for begin, end in zip(edges, edges[1:]):
        if begin < end:
            yield begin, end, bool(fates[begin])


def _with_texts(column: Any, texts: Mapping[int, bytes]) -> Any:
    """The column with other texts in some rows, of the same type."""
    type = column.type
    if pa.types.is_dictionary(type):
        return _with_texts(column.dictionary_decode(), texts).dictionary_encode().cast(type)
    values = column.to_pylist() if len(texts) * 8 > len(column) else None
    if values is not None:
        for row, text in texts.items():
            values[row] = _value(text, type)
        return pa.array(values, type)
    pieces, at = [], 0
    for row, text in sorted(texts.items()):
        pieces += [column.slice(at, row - at), pa.array([_value(text, type)], type)]
        at = row + 1
    return pa.concat_arrays([*pieces, column.slice(at)])


def _value(text: bytes, type: Any) -> Any:
    is_text = type in (pa.string(), pa.large_string(), pa.string_view())
    return text.decode(errors="replace") if is_text else text
