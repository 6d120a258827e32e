"""Searches columns of polars: importing this module gives expressions and Series the namespace `lode`.

It needs polars and pyarrow, which the extra `polars` brings.

>>> import lode, lode.polars
>>> import polars
>>> frame = polars.LazyFrame({"text": ["kitty and puppy", None, "none"]})
>>> animals = lode.Searcher(["kitty", "puppy"])
>>> frame.select(polars.col("text").lode.count(animals)).collect()["text"].to_list()
[2, None, 0]

Expressions work in eager frames and in lazy plans, in memory and streaming: their types are known before anything is
searched, and rows are searched in the batches in which they come. Polars does so on all its threads, so a searcher with
`threads=1` is enough. `replace` refuses an Enum, which has no room for what it writes: cast it to String first.
"""

from __future__ import annotations

import functools

import polars as pl
import pyarrow as pa

from lode._column_answers import Answer, ColumnSearch, answer_column, replace_column, type_of
from lode._rewriting import Replacement
from lode._searcher import Searcher


@pl.api.register_series_namespace("lode")
class SeriesSearch(ColumnSearch[pl.Series]):
    """`series.lode`: the searches of a Series, which give a Series."""

    def _answer(self, searcher: Searcher, answer: Answer) -> pl.Series:
        return _answers_of(searcher, answer, self._column)

    def _replace(self, searcher: Searcher, replacement: Replacement | None, mask: str | bytes | None) -> pl.Series:
        return _replaced(searcher, replacement, mask, self._column)


@pl.api.register_expr_namespace("lode")
class ExpressionSearch(ColumnSearch[pl.Expr]):
    """`expression.lode`: the searches of an expression, which give an expression."""

    def _answer(self, searcher: Searcher, answer: Answer) -> pl.Expr:
        function = functools.partial(_answers_of, searcher, answer)
        return self._column.map_batches(function, _dtype_of(searcher, answer), is_elementwise=True)

    def _replace(self, searcher: Searcher, replacement: Replacement | None, mask: str | bytes | None) -> pl.Expr:
        function = functools.partial(_replaced, searcher, replacement, mask)
        return self._column.map_batches(function, pl.self_dtype(), is_elementwise=True)


def _dtype_of(searcher: Searcher, answer: Answer) -> pl.DataType:
    return pl.from_arrow(pa.nulls(0, type_of(searcher, answer))).dtype


def _answers_of(searcher: Searcher, answer: Answer, series: pl.Series) -> pl.Series:
    return pl.Series(series.name, pl.from_arrow(answer_column(searcher, series, answer)))


def _replaced(
    searcher: Searcher, replacement: Replacement | None, mask: str | bytes | None, series: pl.Series
) -> pl.Series:
    if series.dtype == pl.Enum:
        raise TypeError("an Enum has no room for what replace() writes: cast it to String or Categorical first")
    return replace_column(searcher, series, replacement, mask)
