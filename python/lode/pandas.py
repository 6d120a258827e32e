"""Searches columns of pandas: importing this module gives every Series the accessor `lode`.

It needs pandas and pyarrow, which the extra `pandas` brings.

>>> import lode, lode.pandas
>>> import pandas
>>> frame = pandas.DataFrame({"text": ["kitty and puppy", None, "none"]})
>>> animals = lode.Searcher(["kitty", "puppy"])
>>> frame["text"].lode.count(animals).tolist()
[2, <NA>, 0]
>>> frame[frame["text"].lode.contains(animals)].index.tolist()
[0]

The answers are a Series with the same index and name, of a type that knows missing values: `boolean` for `contains` and
`Int64` for `count`, or Arrow's types if the searched Series is of one. `first` and `matches` are always of Arrow's
types; the accessors `.struct` and `.list` of pandas take them apart.
"""

from __future__ import annotations

import pandas as pd
import pyarrow as pa

from lode._column_answers import Answer, ColumnSearch, answer_column, replace_column
from lode._rewriting import Replacement
from lode._searcher import Searcher


@pd.api.extensions.register_series_accessor("lode")
class SeriesSearch(ColumnSearch[pd.Series]):
    """`series.lode`: the searches of a Series, which give a Series."""

    def _answer(self, searcher: Searcher, answer: Answer) -> pd.Series:
        series = self._column
        found = answer_column(searcher, series, answer)
        if isinstance(series.dtype, pd.ArrowDtype) or answer in ("first", "matches"):
            column = found if isinstance(found, pa.ChunkedArray) else pa.chunked_array([found])
            values = pd.arrays.ArrowExtensionArray(column)
        else:
            nullable = {pa.bool_(): pd.BooleanDtype(), pa.int64(): pd.Int64Dtype()}
            values = found.to_pandas(types_mapper=nullable.get).array
        return pd.Series(values, index=series.index, name=series.name)

    def _replace(self, searcher: Searcher, replacement: Replacement | None, mask: str | bytes | None) -> pd.Series:
        return replace_column(searcher, self._column, replacement, mask)
