"""Finds the rows in columns of any library, in tables of one column and in lists. Each row is a text of its own."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from lode import _lode
from lode._pieces import is_buffer


def records_of(source: Any) -> _lode.Records:
    """The source itself if it is Records, else Records made of it. Raises TypeError if it has no rows."""
    if isinstance(source, _lode.Records):
        return source
    source = column_of(source)
    if isinstance(source, np.ndarray) and source.dtype.kind in "OUT":
        raise TypeError(f"a NumPy array of {source.dtype} cannot be searched; pass array.tolist(), or an Arrow column")
    return _lode.Records(source)


def records_or_text(source: Any) -> _lode.Records | None:
    """Records if the source has rows, None if it is a text."""
    if isinstance(source, _lode.Records):
        return source
    source = column_of(source)
    return records_of(source) if is_column(source) or isinstance(source, (list, tuple)) else None


def has_rows(source: Any) -> bool:
    """Whether the source is a column, a table or an array of objects: its items are rows, not pieces of a text."""
    if isinstance(source, _lode.Records) or is_column(column_of(source)):
        return True
    if isinstance(source, np.ndarray):
        return source.dtype.kind in "OUT"
    return hasattr(source, "__array__") and not is_buffer(source)  # this holds for every Series and Index of pandas


def is_of(source: Any, library: str, *classes: str) -> bool:
    """Whether the source is of one of these classes of a library. The library is not loaded.

    Another thread may be loading it at the moment, as pyarrow loads pandas when it is first given something. Then it has
    no classes yet, and the source cannot be of one.
    """
    known = (getattr(sys.modules.get(library), name, None) for name in classes)
    return isinstance(source, tuple(found for found in known if isinstance(found, type)))


def is_column(source: Any) -> bool:
    return hasattr(source, "__arrow_c_array__") or hasattr(source, "__arrow_c_stream__")


def column_of(source: Any) -> Any:
    """A column that exports its data, or a list, if the source is of pandas and cannot be imported as it is.

    Any other source is returned as it is.
    """
    if is_of(source, "pandas", "DataFrame") and source.shape[1] == 1:
        source = source.iloc[:, 0]  # the frame would export its index as well
    is_of_pandas = is_of(source, "pandas", "Series", "Index")
    # A Series of objects becomes a list, because pyarrow refuses one that has str in one row and bytes in another.
    if is_column(source) and not (is_of_pandas and source.dtype == object):
        return source
    export = getattr(getattr(source, "array", None), "__arrow_array__", None)
    if export is not None:
        return export()
    # Pandas knows several kinds of missing values.
    return source.astype(object).where(source.notna(), None).tolist() if is_of_pandas else source
