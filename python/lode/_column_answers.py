"""What a search finds in each row of a column, as columns of Arrow: the answers for DuckDB, polars and pandas."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Generic, Literal, TypeVar, get_args

import numpy as np
import pyarrow as pa

from lode._columns import column_of, is_column, records_of
from lode._lode import Records
from lode._rewriting import Replacement
from lode._searcher import Searcher
from lode.tables import match_type_of, search_column

Answer = Literal["contains", "count", "first", "matches"]

answers: tuple[Answer, ...] = get_args(Answer)

Column = TypeVar("Column")


def require_searcher(searcher: Any) -> Searcher:
    """The searcher itself. Raises TypeError if it is anything else, such as a list of patterns."""
    if not isinstance(searcher, Searcher):
        raise TypeError(f"a column is searched by a lode.Searcher, not by {type(searcher).__name__}")
    return searcher


def type_of(searcher: Searcher, answer: Answer) -> Any:
    """The type of the column that `answer_column` gives."""
    match = match_type_of(searcher)
    types = {"contains": pa.bool_(), "count": pa.int64(), "first": match, "matches": pa.list_(match)}
    return types[answer]


def answer_column(searcher: Searcher, column: Any, answer: Answer) -> Any:
    """Searches a column, and gives a pyarrow.Array or ChunkedArray with the answer for each row.

    Null rows have null answers. 'first' is null, too, if no pattern occurs.
    """
    records = _records_of(column)
    if answer in ("contains", "count"):
        if searcher.match_kind != "overlapping":
            return _of_leftmost(searcher, records, answer)
        return search_column(searcher, records, "flag" if answer == "contains" else "counts")
    lists = search_column(searcher, records, "matches")
    if answer == "matches":
        return lists
    parts = lists.chunks if isinstance(lists, pa.ChunkedArray) else [lists]
    firsts = [_firsts(part) for part in parts]
    return firsts[0] if len(firsts) == 1 else pa.chunked_array(firsts)


def check_replacement(searcher: Searcher, replacement: Replacement | None, mask: str | bytes | None) -> None:
    """Raises now what `Searcher.replace` would raise for these arguments when the column is there."""
    searcher.replace("", replacement, mask=mask)


def replace_column(
    searcher: Searcher, column: Any, replacement: Replacement | None = None, mask: str | bytes | None = None
) -> Any:
    """What `Searcher.replace` gives of a column; a column of no type but null is given back."""
    try:
        return searcher.replace(column, replacement, mask=mask)
    except TypeError:
        if not _is_null(column):
            raise
        return column


def _records_of(column: Any) -> Records:
    try:
        return records_of(column)
    except TypeError:
        if not _is_null(column):
            raise
        return records_of([None] * len(column))


def _is_null(column: Any) -> bool:
    """Whether a column is of Arrow's type null, or of categories of which there are none."""
    column = column_of(column)
    if not is_column(column):
        return False
    try:
        imported = pa.chunked_array(column)
    except (pa.ArrowException, TypeError):
        return False
    if pa.types.is_dictionary(imported.type):
        return all(len(chunk.dictionary) == 0 for chunk in imported.chunks)
    return bool(pa.types.is_null(imported.type))


def _of_leftmost(searcher: Searcher, records: Records, answer: Answer) -> Any:
    """The answers of a searcher of a leftmost kind, which finds matches in records and does nothing else with them."""
    counts = np.diff(searcher.find_in_records(records).row_starts).astype(np.int64)
    return pa.array(counts if answer == "count" else counts != 0, mask=records.nulls)


def _firsts(lists: Any) -> Any:
    """The first element of each list, null if there is none."""
    starts = lists.offsets.to_numpy()[:-1]
    is_empty = lists.value_lengths().fill_null(0).to_numpy() == 0
    return lists.values.take(pa.array(starts, mask=is_empty))


class ColumnSearch(ABC, Generic[Column]):
    """Each method gives a column of the kind that it was asked of: a Series a Series, an expression an expression.

    `searcher` is a lode.Searcher throughout; anything else raises a TypeError. A null row has a null answer. Offsets
    and lengths count bytes (of UTF-8). Columns of strings or bytes can be searched, and categories of these. A search
    of any other column raises a TypeError.
    """

    def __init__(self, column: Column) -> None:
        self._column = column

    def contains(self, searcher: Searcher) -> Column:
        """Tells for each row whether any pattern occurs: a column of bool."""
        return self._answer(require_searcher(searcher), "contains")

    def count(self, searcher: Searcher) -> Column:
        """Counts the matches in each row: a column of int64."""
        return self._answer(require_searcher(searcher), "count")

    def first(self, searcher: Searcher) -> Column:
        """Finds the first match in each row, the one that `Searcher.find_first` gives: a column of the type that
        `lode.tables.match_type_of` gives. It is null if no pattern occurs.
        """
        return self._answer(require_searcher(searcher), "first")

    def matches(self, searcher: Searcher) -> Column:
        """Finds all matches in each row: a column of lists of what `first` gives, sorted by offset, then pattern."""
        return self._answer(require_searcher(searcher), "matches")

    def replace(
        self, searcher: Searcher, replacement: Replacement | None = None, *, mask: str | bytes | None = None
    ) -> Column:
        """Puts replacements in the place of matches, as `Searcher.replace` does: a column of the same type.

        replacement  a str or bytes, a list with one for each pattern, a dict by label, or a function; none if all
                     patterns have one of their own
        mask         instead: a character for each byte of a match

        Raises at once what `Searcher.replace` raises for arguments.
        """
        check_replacement(require_searcher(searcher), replacement, mask)
        return self._replace(searcher, replacement, mask)

    @abstractmethod
    def _answer(self, searcher: Searcher, answer: Answer) -> Column: ...

    @abstractmethod
    def _replace(self, searcher: Searcher, replacement: Replacement | None, mask: str | bytes | None) -> Column: ...
