"""Gets a column, chooses rows and adds a column in frames of polars and pandas. Other tables become pyarrow's."""

from __future__ import annotations

import sys
from typing import Any, Protocol

import pyarrow as pa

from lode._columns import is_of


class Frame(Protocol):
    """A table that stays a table of its library."""

    def names(self) -> list[str]: ...
    def column(self, name: str) -> Any: ...
    def where(self, keep: Any) -> Any: ...
    def with_column(self, name: str, column: Any) -> Any: ...
    def with_series(self, name: str, series: Any) -> Any: ...


class _OfPolars:
    def __init__(self, rows: Any) -> None:
        self._rows = rows

    def names(self) -> list[str]:
        return list(self._rows.columns)

    def column(self, name: str) -> Any:
        return self._rows.get_column(name)

    def where(self, keep: Any) -> Any:
        return self._rows.filter(keep)

    def with_column(self, name: str, column: Any) -> Any:
        added = sys.modules["polars"].from_arrow(column)
        return self._rows.with_columns(added.alias(name))

    def with_series(self, name: str, series: Any) -> Any:
        return self._rows.with_columns(series.alias(name))


class _OfPandas:
    def __init__(self, rows: Any) -> None:
        self._rows = rows

    def names(self) -> list[str]:
        return list(self._rows.columns)

    def column(self, name: str) -> Any:
        return self._rows[name]

    def where(self, keep: Any) -> Any:
        return self._rows.loc[keep]

    def with_column(self, name: str, column: Any) -> Any:
        pandas = sys.modules["pandas"]
        # For a column with nulls pandas would make objects instead of bools, and fractions instead of whole numbers.
        # Its nullable types keep both.
        nullable = {pa.bool_(): pandas.BooleanDtype(), pa.int64(): pandas.Int64Dtype()} if column.null_count else {}
        values = column.to_pandas(types_mapper=nullable.get)
        return self._rows.assign(**{name: values.array})

    def with_series(self, name: str, series: Any) -> Any:
        return self._rows.assign(**{name: series})


def frame_of(rows: Any) -> Frame | None:
    """The frame if the rows are of polars or pandas, else None. Loads neither: a frame's library is loaded already."""
    if is_of(rows, "polars", "DataFrame"):
        return _OfPolars(rows)
    return _OfPandas(rows) if is_of(rows, "pandas", "DataFrame") else None


def table_of(rows: Any) -> pa.Table | pa.RecordBatch:
    """A table of pyarrow: the rows themselves, or made of what exports one, such as a relation of DuckDB.

    Raises TypeError for anything else.
    """
    if isinstance(rows, (pa.Table, pa.RecordBatch)):
        return rows
    kind = type(rows).__name__
    wanted = "a TableSearch searches a pyarrow.Table or RecordBatch, a frame of polars or pandas, or a DuckDB relation"
    if hasattr(rows, "collect"):
        raise TypeError(f"{wanted}, not {kind}: collect() it first")
    if isinstance(rows, (pa.Array, pa.ChunkedArray)) or not hasattr(rows, "__arrow_c_stream__"):
        raise TypeError(f"{wanted}, not {kind}; lode.tables.search_column searches a column alone")
    try:
        return pa.table(rows)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{wanted}, not {kind}: {error}") from error
