"""Searches a column of a table, and gives a table with the answers. `lode-table`, `lode.ray` and `lode.spark` use this.

It needs pyarrow, which the extra `table` brings.

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
from lode._fields import leaf_column, leaf_type, with_leaf_column
from lode._frames import Frame, frame_of, table_of
from lode._lode import Records
from lode._results import RecordMatches, form_names, labels_of
from lode._rewriting import Replacement
from lode._searcher import Searcher

Action = Literal["filter", "exclude", "flag", "matches", "counts", "replace"]
"""What `TableSearch` does with a table."""

actions: tuple[str, ...] = get_args(Action)

match_type = pa.struct([("offset", pa.int64()), ("pattern", pa.int32()), ("length", pa.int32())])
"""The type of each match in the column that 'matches' adds. Its integers are signed, because Spark has no others."""


_larger = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
_adding = ("flag", "matches", "counts")
_most_list_elements = (1 << 31) - 1

Rows = TypeVar("Rows")


def match_type_of(searcher: Searcher) -> pa.StructType:
    """The type of each match of a searcher in the column that 'matches' adds.

    It is `match_type`, with `label` if patterns have labels, which is null for a pattern without one, and with `form`,
    one of `lode.form_names`, if they have forms. Both are strings.
    """
    fields = list(match_type)
    if searcher.plan.patterns.has_labels:
        fields.append(pa.field("label", pa.string()))
    if searcher.plan.forms:
        fields.append(pa.field("form", pa.string()))
    return pa.struct(fields)


def is_searchable(type: pa.DataType) -> bool:
    """Tells whether a column of this type can be searched.

    It must be of binary or string, of a large, fixed-size or view kind of these, or a dictionary of them.
    """
    if pa.types.is_dictionary(type):
        type = type.value_type
    kinds = (pa.string(), pa.binary(), pa.large_string(), pa.large_binary(), pa.string_view(), pa.binary_view())
    return type in kinds or bool(pa.types.is_fixed_size_binary(type))


def search_column(searcher: Searcher, column: Any, action: Literal["flag", "matches", "counts"]) -> Any:
    """Searches a column, and gives a column of Arrow with what was found in each row; null if the row is null.

    column  Records, or anything that Records takes: an Arrow column of binary or string, a Series, a DuckDB relation of
            one column, or a list
    action  'flag', 'matches' or 'counts', as `TableSearch` takes them

    Gives a pyarrow.Array, or a pyarrow.ChunkedArray if there are more than 2^31 - 1 matches in all. Raises the errors
    of `lode.Records`.
    """
    _require_searcher(searcher)
    if action not in _adding:
        raise make_error("invalid_argument", f"{action!r} gives no column; these do: {' '.join(_adding)}")
    parts = _found(searcher, column, action)[0]
    return parts[0] if len(parts) == 1 else pa.chunked_array(parts)


class TableSearch:
    """A search of one column: called with a table, it gives a table of the same kind.

    The table is a pyarrow.Table or RecordBatch, or a DataFrame of polars or pandas (whose index is kept). A DuckDB
    relation, or anything else that exports columns through __arrow_c_stream__, gives a pyarrow.Table.

    searcher  a Searcher of overlapping matches, which is the default
    column    the name of the column to search: of binary or string, a large or view kind, or a dictionary of these.
              In tables and record batches of pyarrow `a.b` is the field b within a, unless a column has that name
    action    'filter'   keeps the rows in which some pattern occurs
              'exclude'  keeps the other rows, also those that are null
              'flag'     adds a column of bool: whether some pattern occurs; null if the row is null
              'matches'  adds a column of lists, whose type `match_type_of` gives: every occurrence; null if the row is
                         null
              'counts'   adds a column of int64: the number of occurrences; null if the row is null
              'replace'  puts replacements in the place of leftmost matches; null if the row is null
    name      the name of the column that is added; by default the searched one's with '_flag', '_matches' or '_counts'.
              'replace' changes the searched column itself unless a name is given
    replacement, mask
              for 'replace', one of the two, or none if patterns have their own, as `Searcher.replace` takes them

    Raises lode.Error of kind 'invalid_argument' for an action that does not exist and for a searcher of a leftmost
    kind; a call raises it for columns that are missing, cannot be searched, or exist already. Immutable, safe to use
    from any number of threads; can be pickled.
    """

    def __init__(
        self,
        searcher: Searcher,
        column: str,
        action: Action = "flag",
        *,
        name: str | None = None,
        replacement: Replacement | None = None,
        mask: str | bytes | None = None,
    ) -> None:
        _require_searcher(searcher)
        if not isinstance(column, str):
            raise TypeError(f"a column is named by a str, not {type(column).__name__}")
        if action not in actions:
            raise make_error("invalid_argument", f"there is no action {action!r}; there are: {' '.join(actions)}")
        if searcher.match_kind != "overlapping":
            raise make_error("invalid_argument", "columns are searched for all occurrences, not for leftmost ones")
        if name is not None and action in ("filter", "exclude"):
            raise make_error("invalid_argument", f"{action!r} adds no column that could be called {name!r}")
        given = (replacement is not None) + (mask is not None)
        if given > (action == "replace"):
            raise make_error("invalid_argument", "'replace' takes a replacement or a mask, and no other action does")
        if action == "replace" and given == 0 and not searcher.plan.patterns.has_replacements:
            raise make_error("invalid_argument", "no replacement is given, and no pattern has one of its own")
        self.searcher = searcher
        self.column = column
        self.action: Action = action
        self.name = name if name is not None else column if action == "replace" else f"{column}_{action}"
        self.replacement = replacement
        self.mask = mask
        if action == "replace":
            searcher.replace("", replacement, mask=mask)  # refuses now what it would refuse then

    def schema(self, given: pa.Schema) -> pa.Schema:
        """The schema of the result for tables of a given schema."""
        self._check_names(given.names, leaf_type(given, self.column) is not None)
        type = leaf_type(given, self.column)
        if not is_searchable(type):
            raise make_error(
                "invalid_argument", f"the column {self.column!r} is of {type}; a search needs string or binary"
            )
        if not self._adds:
            return given
        added = {"flag": pa.bool_(), "matches": pa.list_(match_type_of(self.searcher)), "counts": pa.int64()}
        return given.append(pa.field(self.name, added.get(self.action, type)))

    @property
    def _adds(self) -> bool:
        """Whether a column is added."""
        return self.action in _adding or (self.action == "replace" and self.name != self.column)

    def __call__(self, rows: Rows) -> Rows:
        """Searches a table, and gives it with what was found.

        Raises lode.Error of kind 'limit' if a record batch has more than 2^31 - 1 matches; a table may have more.
        """
        return self.count_rows(rows)[0]

    def count_rows(self, rows: Rows) -> tuple[Rows, int]:
        """The result of a call, and how many rows it keeps ('filter', 'exclude'), else in how many a pattern occurs."""
        frame = frame_of(rows)
        return self._of_table(table_of(rows)) if frame is None else self._of_frame(frame)

    def _of_table(self, rows: Any) -> tuple[Any, int]:
        schema = self.schema(rows.schema)
        if self.action == "replace" and self.column not in rows.schema.names and isinstance(rows, pa.Table):
            batches, counts = zip(*map(self._of_table, rows.to_batches() or [pa.RecordBatch.from_pylist([], rows.schema)]))
            return pa.Table.from_batches(batches, schema), sum(counts)
        searched = leaf_column(rows, self.column)
        records = Records(searched)
        if self.action == "replace":
            column, matching = self._replaced(searched, records)
            if self._adds:
                return _with(rows, schema, column), matching
            if isinstance(rows, pa.RecordBatch):
                return with_leaf_column(rows, self.column, column), matching
            columns = [column if name == self.column else rows.column(at) for at, name in enumerate(schema.names)]
            return pa.Table.from_arrays(columns, schema=schema), matching
        if self.action not in _adding:
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
        if self.action == "replace":
            column, matching = self._replaced(frame.column(self.column), records)
            return frame.with_series(self.name, column), matching
        if self.action not in _adding:
            keep, kept = self._kept(records)
            return frame.where(keep), kept
        parts, matching = _found(self.searcher, records, self.action)
        return frame.with_column(self.name, pa.chunked_array(parts)), matching

    def _check_names(self, names: list[str], is_within: bool = False) -> None:
        count = names.count(self.column)
        if count > 1 or (count == 0 and not is_within):
            there_are = "several columns are" if count else "no column is"
            known = ", ".join(map(str, names))
            raise make_error("invalid_argument", f"{there_are} called {self.column!r}; there are: {known}")
        if self._adds and self.name in names:
            raise make_error("invalid_argument", f"a column is called {self.name!r} already; choose another name")

    def _replaced(self, column: Any, records: Records) -> tuple[Any, int]:
        """The rewritten column, and in how many of its rows a pattern occurs."""
        matching = int(np.count_nonzero(self.searcher.contains(records)))
        return self.searcher.replace(column, self.replacement, mask=self.mask), matching

    def _kept(self, records: Records) -> tuple[npt.NDArray[np.bool_], int]:
        """Which rows are kept, and how many these are."""
        keep = np.asarray(self.searcher.contains(records))
        if self.action == "exclude":
            keep = ~keep
        return keep, int(np.count_nonzero(keep))


def _require_searcher(searcher: Any) -> None:
    if not isinstance(searcher, Searcher):
        raise TypeError(f"a column is searched by a lode.Searcher, not by {type(searcher).__name__}")


def _found(searcher: Searcher, column: Any, action: str) -> tuple[list[Any], int]:
    """The arrays of a column with what was found, and the number of rows in which a pattern occurs."""
    records = records_of(column)
    if action == "flag":
        flags = searcher.contains(records)
        return [pa.array(flags)], int(np.count_nonzero(flags))
    if action == "counts":
        counts = searcher.count_per_record(records)
        return [pa.array(counts.astype(np.int64), mask=records.nulls)], int(np.count_nonzero(counts))
    found = searcher.find_in_records(records)
    return _lists(found, records.nulls, match_type_of(searcher)), int(np.count_nonzero(np.diff(found.row_starts)))


def _lists(found: RecordMatches, nulls: Any, type: pa.StructType) -> list[Any]:
    """Makes arrays of lists, each with no more elements than 32 bits can number."""
    starts, matches = found
    arrays: list[Any] = []
    begin = 0
    while begin < len(nulls) or not arrays:
        # An array ends with the last row that ends within the limit. A single row beyond the limit fits no array.
        end = int(np.searchsorted(starts, starts[begin] + np.uint64(_most_list_elements), "right")) - 1
        if end == begin and len(nulls) != 0:
            raise make_error("limit", f"row {begin} has more than 2^31 - 1 matches, which no list of Arrow holds")
        part = matches[int(starts[begin]) : int(starts[end])]
        elements = pa.StructArray.from_arrays(
            [_field_of(part, field, found.patterns) for field in type],
            fields=list(type),
        )
        offsets = pa.array((starts[begin : end + 1] - starts[begin]).astype(np.int32))
        mask = pa.array(nulls[begin:end]) if nulls[begin:end].any() else None
        arrays.append(pa.ListArray.from_arrays(offsets, elements, type=pa.list_(type), mask=mask))
        begin = end
    return arrays


def _field_of(matches: npt.NDArray[np.void], field: Any, patterns: Any) -> Any:
    if field.name == "label":
        return labels_of(patterns, matches["pattern"].astype(np.int32)).cast(field.type)
    values = matches[field.name]
    if field.name != "form":
        return pa.array(values.astype(str(field.type)))
    return pa.DictionaryArray.from_arrays(pa.array(values.astype(np.int32)), pa.array(form_names)).cast(field.type)


def _where(rows: Any, keep: Any) -> Any:
    """Keeps the rows for which `keep` is true."""
    try:
        return _filtered(rows, keep)
    except pa.ArrowNotImplementedError:  # Arrow cannot filter views within lists or structures, nor runs
        return _in_runs(rows, keep)


def _in_runs(rows: Any, keep: Any) -> Any:
    """Keeps rows of columns of any type, by putting slices together: one for each run of rows to be kept."""
    edges = np.flatnonzero(np.diff(keep.to_numpy(zero_copy_only=False), prepend=False, append=False))
    table = rows if isinstance(rows, pa.Table) else pa.Table.from_batches([rows])
    parts = [table.slice(begin, end - begin) for begin, end in edges.reshape(-1, 2).tolist()]
    kept = pa.concat_tables(parts) if parts else table.slice(0, 0)
    if isinstance(rows, pa.Table):
        return kept
    batches = kept.combine_chunks().to_batches()
    return batches[0] if batches else rows.slice(0, 0)


def _filtered(rows: Any, keep: Any) -> Any:
    """Filters rows. Arrow cannot filter columns of views, so these are cast to large columns and back: two copies."""
    plain = [field.with_type(_larger.get(field.type, field.type)) for field in rows.schema]
    schema = pa.schema(plain, rows.schema.metadata)
    if schema == rows.schema:
        return rows.filter(keep)
    return rows.cast(schema).filter(keep).cast(rows.schema)


def _with(rows: Any, schema: pa.Schema, column: Any) -> Any:
    made_of = [*rows.columns, column]
    return type(rows).from_arrays(made_of, schema=schema)
