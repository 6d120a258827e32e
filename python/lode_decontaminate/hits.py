"""Hits: what a document and an item share, as it is written and shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from lode_decontaminate.answers import answers_of
from lode_decontaminate.benchmarks import Item
from lode_decontaminate.errors import Refusal
from lode_decontaminate.excerpts import excerpt_of
from lode_decontaminate.ngrams import NgramIndex, index_ngrams
from lode_decontaminate.numerals import counted
from lode_decontaminate.overlaps import Overlap, OverlapSearch, Run
from lode_decontaminate.settings import Settings, check

Hit = dict[str, Any]


class HitSearch:
    """A search for the items of benchmarks in columns of documents. Safe to use from any number of threads."""

    def __init__(self, items: Sequence[Item], index: NgramIndex, settings: Settings) -> None:
        self._items = items
        self._index = index
        self._search = OverlapSearch(index, settings.n, settings.view, settings.threads, settings.device)
        self._answers = answers_of([item.answer for item in items], settings.n, settings.view)

    def __call__(self, column: Any) -> list[Hit]:
        """The hits in a column of Arrow, by row, then item."""
        found = self._search(column)
        texts = dict(zip(found.rows, found.texts))
        return [self._hit(overlap, texts[overlap.row]) for overlap in found.overlaps]

    def _hit(self, overlap: Overlap, text: bytes) -> Hit:
        number = overlap.item
        item = self._items[number]
        count = int(self._index.item_ngrams[number])
        longest = overlap.runs[0]
        return {
            "row": overlap.row,
            "benchmark": item.benchmark,
            "id": item.id,
            "item": number,
            "share": round(overlap.found / count, 6),
            "found": overlap.found,
            "ngrams": count,
            "longest": overlap.longest,
            "is_whole": overlap.is_whole,
            "answer": self._answers.is_near(number, text, overlap.runs) if self._answers.has(number) else None,
            "runs": [dict(zip(Run._fields, run)) for run in overlap.runs],
            "excerpt": excerpt_of(text, longest.offset, longest.length),
        }


def find_in_column(column: Any, items: Sequence[Item], settings: Settings = Settings()) -> list[Hit]:
    """Searches a column in memory for the items of benchmarks.

    column    an Arrow array of strings or binary, or a list; nulls have no hits
    items     of `read_benchmark`
    settings  what is searched for, and how. Nothing is left out as common

    Gives a hit for each row and item that share an n-gram, by row, then item: a dict as the files of a run hold it,
    with `row`, `benchmark`, `id`, `share` (of the item's n-grams), `longest` (words in a row), `answer` (whether it
    stands near; None if the item has none), `is_whole` (whether some part of the item is there as a whole), `runs`
    (with offset and length in bytes of the row) and `excerpt`. Raises Refusal for invalid settings.
    """
    check(settings, items)
    index = index_ngrams(items, settings.n, settings.least_words, settings.view)
    if len(index.patterns) == 0:
        raise Refusal(f"no item has {counted(settings.least_words, 'word')}; nothing can be searched for")
    rows = column if isinstance(column, (pa.Array, pa.ChunkedArray)) else pa.array(column)
    if pa.types.is_null(rows.type):
        rows = rows.cast(pa.string())
    return HitSearch(items, index, settings)(rows)
