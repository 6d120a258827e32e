"""Searches of a column of a table, answered by columns of the table: what `lode-table`, `lode.ray` and `lode.spark` do.

Needs pyarrow, which the extra `table` brings.

>>> import pyarrow
>>> import lode.tables
>>> search = lode.tables.TableSearch(lode.Searcher(["kitty", "puppy"]), "text", "counts")
>>> search(pyarrow.table({"text": ["kitty and puppy", None, "none"]})).to_pydict()
{'text': ['kitty and puppy', None, 'none'], 'text_counts': [2, None, 0]}
"""

from __future__ import annotations

from typing import Any, Literal, TypeVar, get_args

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lode._columns import records_of
from lode._errors import make_error
from lode._frames import Frame, frame_of, table_of
from lode._lode import Records
from lode._results import RecordMatches
from lode._searcher import Searcher

Action = Literal["filter", "exclude", "flag", "matches", "counts"]
"""What `TableSearch` does with a table."""

actions: tuple[str, ...] = get_args(Action)

match_type = pa.struct([("offset", pa.int64()), ("pattern", pa.int32()), ("length", pa.int32())])
"""An element of the column that 'matches' adds. All signed, as Spark knows no others."""

_larger = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
_added_types = {"flag": pa.bool_(), "matches": pa.list_(match_type), "counts": pa.int64()}
_most_list_elements = (1 << 31) - 1

Rows = TypeVar("Rows")


def is_searchable(type: pa.DataType) -> bool:
    """Whether a column of this type can be searched: binary or string, large, fixed-size or view, or a dictionary."""
    if pa.types.is_dictionary(type):
        type = type.value_type
    kinds = (pa.string(), pa.binary(), pa.large_string(), pa.large_binary(), pa.string_view(), pa.binary_view())
    return type in kinds or bool(pa.types.is_fixed_size_binary(type))


def search_column(searcher: Searcher, column: Any, action: Literal["flag", "matches", "counts"]) -> Any:
    """A column of Arrow with what a search found in each row, null where the row is null.

    column  Records, or what makes them: an Arrow column of binary or string, a Series, a DuckDB relation of one column,
            or a list
    action  'flag', 'matches' or 'counts', as `TableSearch` takes them

    Gives a pyarrow.Array; for more than 2^31 - 1 matches in all a pyarrow.ChunkedArray. Raises as `lode.Records` does.
    """
    _require_searcher(searcher)
    if action not in tuple(_added_types):
        raise make_error("invalid_argument", f"{action!r} makes no column; there are: {' '.join(_added_types)}")
    parts = _found(searcher, column, action)[0]
    return parts[0] if len(parts) == 1 else pa.chunked_array(parts)


class TableSearch:
    """A search of one column: called with a table, it gives one of the same kind.

    That is a pyarrow.Table or RecordBatch, or a DataFrame of polars or pandas (with the index of its rows); a DuckDB
    relation, and whatever else has __arrow_c_stream__ with columns, gives a pyarrow.Table.

    searcher  a Searcher of overlapping matches, the default
    column    the name of the column to search: of binary or string, a large or view kind, or a dictionary of these
    action    'filter'   keeps the rows in which some pattern occurs
              'exclude'  keeps the others, those that are null among them
              'flag'     adds a column of bool: whether some pattern occurs; null where the row is null
              'matches'  adds a column of lists of `match_type`: every occurrence; null where the row is null
              'counts'   adds a column of int64: the number of occurrences; null where the row is null
    name      of the column that is added; by default that of the searched one with '_flag', '_matches' or '_counts'

    Raises lode.Error of kind 'invalid_argument' for an action that is none, a searcher of leftmost kinds and, when
    called, for columns that are missing, cannot be searched, or are there already. Immutable; safe to use from any
    number of threads; can be pickled.
    """

    def __init__(self, searcher: Searcher, column: str, action: Action = "flag", *, name: str | None = None) -> None:
        _require_searcher(searcher)
        if not isinstance(column, str):
            raise TypeError(f"a column is named by a str, not {type(column).__name__}")
        if action not in actions:
            raise make_error("invalid_argument", f"there is no action {action!r}; there are: {' '.join(actions)}")
        if searcher.match_kind != "overlapping":
            raise make_error("invalid_argument", "columns are searched for all occurrences, not for leftmost ones")
        if name is not None and action not in _added_types:
            raise make_error("invalid_argument", f"{action!r} adds no column that could be called {name!r}")
        self.searcher = searcher
        self.column = column
        self.action: Action = action
        self.name = f"{column}_{action}" if name is None else name

    def schema(self, given: pa.Schema) -> pa.Schema:
        """The schema of what a call gives for tables of a schema."""
        self._check_names(given.names)
        type = given.field(self.column).type
        if not is_searchable(type):
            raise make_error(
                "invalid_argument", f"the column {self.column!r} is of {type}; a search needs string or binary"
            )
        if self.action not in _added_types:
            return given
        return given.append(pa.field(self.name, _added_types[self.action]))

    def __call__(self, rows: Rows) -> Rows:
        """The table with what was found.

        Raises lode.Error of kind 'limit' where a record batch has more than 2^31 - 1 matches; a table may.
        """
        return self.count_rows(rows)[0]

    def count_rows(self, rows: Rows) -> tuple[Rows, int]:
        """The result of a call, and the number of rows that it keeps ('filter', 'exclude') or that have matches."""
        frame = frame_of(rows)
        return self._of_table(table_of(rows)) if frame is None else self._of_frame(frame)

    def _of_table(self, rows: Any) -> tuple[Any, int]:
        schema = self.schema(rows.schema)
        records = Records(rows.column(self.column))
        if self.action not in _added_types:
            keep, kept = self._kept(records)
            return (rows if kept == len(keep) else _where(rows, pa.array(keep))), kept
        parts, matching = _found(self.searcher, records, self.action)
        if len(parts) != 1 and isinstance(rows, pa.RecordBatch):
            raise make_error("limit", "a record batch cannot hold more than 2^31 - 1 matches; take smaller ones")
        return _with(rows, schema, parts[0] if len(parts) == 1 else pa.chunked_array(parts)), matching

    def _of_frame(self, frame: Frame) -> tuple[Any, int]:
        self._check_names(frame.names())
        try:
            records = records_of(frame.column(self.column))
        except TypeError as error:
            raise make_error("invalid_argument", f"the column {self.column!r} cannot be searched: {error}") from error
        if self.action not in _added_types:
            keep, kept = self._kept(records)
            return frame.where(keep), kept
        parts, matching = _found(self.searcher, records, self.action)
        return frame.with_column(self.name, pa.chunked_array(parts)), matching

    def _check_names(self, names: list[str]) -> None:
        count = names.count(self.column)
        if count != 1:
            there_are = "several columns are" if count else "no column is"
            known = ", ".join(map(str, names))
            raise make_error("invalid_argument", f"{there_are} called {self.column!r}; there are: {known}")
        if self.action in _added_types and self.name in names:
            raise make_error("invalid_argument", f"a column is called {self.name!r} already; choose another name")

    def _kept(self, records: Records) -> tuple[npt.NDArray[np.bool_], int]:
        """Which rows stay, and how many those are."""
        keep = np.asarray(self.searcher.contains(records))
        if self.action == "exclude":
            keep = ~keep
        return keep, int(np.count_nonzero(keep))


def _require_searcher(searcher: Any) -> None:
    if not isinstance(searcher, Searcher):
        raise TypeError(f"a column is searched by a lode.Searcher, not by {type(searcher).__name__}")


def _found(searcher: Searcher, column: Any, action: str) -> tuple[list[Any], int]:
    """The arrays of a column with what was found, and in how many rows that is something."""
    records = records_of(column)
    if action == "flag":
        flags = searcher.contains(records)
        return [pa.array(flags)], int(np.count_nonzero(flags))
    if action == "counts":
        counts = searcher.count_per_record(records)
        return [pa.array(counts.astype(np.int64), mask=records.nulls)], int(np.count_nonzero(counts))
    found = searcher.find_in_records(records)
    return _lists(found, records.nulls), int(np.count_nonzero(np.diff(found.row_starts)))


def _lists(found: RecordMatches, nulls: Any) -> list[Any]:
    """Arrays of lists, each of no more elements than 32 bits can number."""
    starts, matches = found
    arrays: list[Any] = []
    begin = 0
    while begin < len(nulls) or not arrays:
        # The last row that ends within the limit; one that is longer by itself cannot be held.
        end = int(np.searchsorted(starts, starts[begin] + np.uint64(_most_list_elements), "right")) - 1
        if end == begin and len(nulls) != 0:
            raise make_error("limit", f"row {begin} has more than 2^31 - 1 matches, which no list of Arrow holds")
        part = matches[int(starts[begin]) : int(starts[end])]
        elements = pa.StructArray.from_arrays(
            [pa.array(part[field.name].astype(str(field.type))) for field in match_type],
            fields=list(match_type),
        )
        offsets = pa.array((starts[begin : end + 1] - starts[begin]).astype(np.int32))
        mask = pa.array(nulls[begin:end]) if nulls[begin:end].any() else None
        arrays.append(pa.ListArray.from_arrays(offsets, elements, type=pa.list_(match_type), mask=mask))
        begin = end
    return arrays


def _where(rows: Any, keep: Any) -> Any:
    """The rows that are to be kept."""
    try:
        return _filtered(rows, keep)
    except pa.ArrowNotImplementedError:  # views within lists or structures, runs
        return _in_runs(rows, keep)


def _in_runs(rows: Any, keep: Any) -> Any:
    """The same for columns of any type: the runs of rows to be kept as slices."""
    edges = np.flatnonzero(np.diff(keep.to_numpy(zero_copy_only=False), prepend=False, append=False))
    table = rows if isinstance(rows, pa.Table) else pa.Table.from_batches([rows])
    parts = [table.slice(begin, end - begin) for begin, end in edges.reshape(-1, 2).tolist()]
    kept = pa.concat_tables(parts) if parts else table.slice(0, 0)
    if isinstance(rows, pa.Table):
        return kept
    batches = kept.combine_chunks().to_batches()
    return batches[0] if batches else rows.slice(0, 0)


def _filtered(rows: Any, keep: Any) -> Any:
    """Arrow cannot filter columns of views, which are therefore copied twice."""
    plain = [field.with_type(_larger.get(field.type, field.type)) for field in rows.schema]
    schema = pa.schema(plain, rows.schema.metadata)
    if schema == rows.schema:
        return rows.filter(keep)
    return rows.cast(schema).filter(keep).cast(rows.schema)


def _with(rows: Any, schema: pa.Schema, column: Any) -> Any:
    made_of = [*rows.columns, column]
    return type(rows).from_arrays(made_of, schema=schema)
