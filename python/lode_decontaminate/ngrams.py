"""Makes n-grams of benchmark items, and remembers which of them stand where in which item.

With three words, `the cat sat on the mat` has the n-grams

    position 0  the cat sat      1  cat sat on      2  sat on the      3  on the mat

Equal n-grams of several items are one pattern. A part with fewer words is one pattern as a whole.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lode_decontaminate.benchmarks import Item
from lode_decontaminate.words import view_words

Numbers = npt.NDArray[np.int64]


class Parts(NamedTuple):
    """The searched parts of all items, by their numbers: which item each is of, and how long it is."""

    items: Numbers
    words: Numbers
    names: list[str]


class NgramIndex(NamedTuple):
    """The n-grams of items. Pattern p stands at places[starts[p] : starts[p + 1]]: a part, and a position in it."""

    patterns: Any
    """A pyarrow.LargeBinaryArray, because a million objects of Python would take twice the memory."""
    pattern_words: Numbers
    starts: Numbers
    parts_of_places: Numbers
    positions: Numbers
    parts: Parts
    item_ngrams: Numbers
    """How many places of each item count; 0 if nothing of it is searched for. Shape (items,)."""

    def without(self, left_out: npt.NDArray[np.bool_]) -> NgramIndex:
        """The index without some patterns, whose places no longer count. `left_out` has the shape (patterns,)."""
        if not left_out.any():
            return self
        kept = np.flatnonzero(~left_out)
        counts = np.diff(self.starts)
        keeps_place = np.repeat(~left_out, counts)
        parts = self.parts_of_places[keeps_place]
        return self._replace(
            patterns=self.patterns.take(pa.array(kept)),
            pattern_words=self.pattern_words[kept],
            starts=np.concatenate([np.zeros(1, np.int64), np.cumsum(counts[kept])]),
            parts_of_places=parts,
            positions=self.positions[keeps_place],
            item_ngrams=np.bincount(self.parts.items[parts], minlength=len(self.item_ngrams)),
        )


def index_ngrams(items: Sequence[Item], n: int, least_words: int, view: str) -> NgramIndex:
    """Indexes the n-grams of parts that have `least_words` words. A part of fewer than n words is one as a whole."""
    numbers: dict[bytes, int] = {}
    # Arrays, because lists would hold an object for each number.
    pattern_words, patterns_of_places, parts_of_places, positions = (array("q") for _ in range(4))
    part_items: list[int] = []
    part_words: list[int] = []
    part_names: list[str] = []
    for item_number, item in enumerate(items):
        for name, text in item.parts:
            part = len(part_items)
            grams, words = _ngrams(text, n, least_words, view)
            part_items.append(item_number)
            part_words.append(words)
            part_names.append(name)
            for position, gram in enumerate(grams):
                number = numbers.setdefault(gram, len(pattern_words))
                if number == len(pattern_words):
                    pattern_words.append(min(n, words))
                patterns_of_places.append(number)
                parts_of_places.append(part)
                positions.append(position)
    patterns = pa.array(list(numbers), pa.large_binary())
    del numbers
    places = np.frombuffer(patterns_of_places, np.int64)
    order = np.argsort(places, kind="stable")
    counts = np.bincount(places, minlength=len(patterns))
    parts = Parts(np.array(part_items, np.int64), np.array(part_words, np.int64), part_names)
    place_parts = np.frombuffer(parts_of_places, np.int64)[order]
    return NgramIndex(
        patterns=patterns,
        pattern_words=np.frombuffer(pattern_words, np.int64),
        starts=np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)]),
        parts_of_places=place_parts,
        positions=np.frombuffer(positions, np.int64)[order],
        parts=parts,
        item_ngrams=np.bincount(parts.items[place_parts], minlength=len(items)),
    )


def words_of_items(index: NgramIndex) -> list[int]:
    """How many words the longest part of each item has."""
    words = np.zeros(len(index.item_ngrams), np.int64)
    np.maximum.at(words, index.parts.items, index.parts.words)
    return [int(count) for count in words]


def ngrams_of_texts(texts: Iterable[str | bytes], n: int, view: str) -> Iterator[bytes]:
    """Yields the n-grams of texts; of a text with fewer words the whole text."""
    for text in texts:
        yield from _ngrams(text, n, 1, view)[0]


def _ngrams(text: str | bytes, n: int, least_words: int, view: str) -> tuple[list[bytes], int]:
    """The n-grams of a text in the order of their positions, and the number of its words."""
    words = view_words(text.encode(errors="surrogatepass") if isinstance(text, str) else text, view)
    count = len(words.in_viewed.begins)
    if count < max(least_words, 1):
        return [], count
    if count < n:
        return [words.text_of(0, count - 1)], count
    return [words.text_of(at, at + n - 1) for at in range(count - n + 1)], count
