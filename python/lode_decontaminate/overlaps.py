"""Finds which documents share n-grams with which items, and how many words in a row.

An n-gram at position p of an item that stands at word w of a document lies on the diagonal w - p. Neighbours on one
diagonal that begin at most n words apart are parts of one *run*: words that are equal in a row.

    item         0 a  1 b  2 c  3 d  4 e          n = 3: a b c at p 0, w 7; b c d at p 1, w 8; diagonal 7
    document     …  7 a  8 b  9 c  10 d  11 x     one run: 4 words from word 0 of the item, word 7 of the document
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

import lode
from lode_decontaminate.ngrams import NgramIndex, Numbers
from lode_decontaminate.words import Words, words_of_rows

_larger = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}


class Run(NamedTuple):
    """Words in a row that a document and a part of an item share."""

    part: str
    word: int
    """Where it begins in the part, in words from 0 on."""
    words: int
    offset: int
    """Where it begins in the document, in bytes."""
    length: int
    """How many bytes of the document it takes."""


class Overlap(NamedTuple):
    """What a document and an item share."""

    row: int
    item: int
    found: int
    """How many places of the item's n-grams were found in this document; of how many the index says."""
    longest: int
    """The words of the longest run."""
    is_whole: bool
    """Whether a run is a whole part of the item."""
    runs: list[Run]


class Documents(NamedTuple):
    """The documents of a block in which some n-gram was found: their rows, texts, and overlaps."""

    rows: list[int]
    texts: list[bytes]
    overlaps: list[Overlap]
    """By row, then item."""


class OverlapSearch:
    """A search for the n-grams of an index in columns of documents. Safe to use from any number of threads."""

    def __init__(self, index: NgramIndex, n: int, view: str, threads: int = 0, device: str = "cpu") -> None:
        self.index = index
        self._n = n
        self._view = view
        self._searcher = None
        if len(index.patterns):
            patterns = lode.PatternSet(index.patterns)
            self._searcher = lode.Searcher(patterns, device, view=view, threads=threads)
            self._searcher.prepare(texts=False, records=True)

    def __call__(self, column: Any) -> Documents:
        """Searches a column of Arrow: string or binary, of any kind. Nulls have nothing."""
        places = self._places(column)
        if places is None:
            return Documents([], [], [])
        rows, starts, texts, words, at_rows, at_words, patterns = places
        overlaps = self._overlaps(rows, starts, words, at_rows, at_words, patterns)
        numbers = {row: number for number, row in enumerate(rows.tolist())}
        kept = sorted({overlap.row for overlap in overlaps})
        return Documents(kept, [texts[numbers[row]].as_py() for row in kept], overlaps)

    def count_documents(self, column: Any) -> Numbers:
        """In how many documents of a column each pattern occurs, shape (patterns,)."""
        counts = np.zeros(len(self.index.patterns), np.int64)
        places = self._places(column)
        if places is not None:
            at_rows, patterns = places[4], places[6]
            pairs = np.unique(at_rows * len(counts) + patterns)
            counts += np.bincount(pairs % len(counts), minlength=len(counts))
        return counts

    def _places(self, column: Any) -> Any:
        """The rows with matches, and the matches that are whole words: their rows' places, words, and patterns."""
        if self._searcher is None:
            return None
        found = self._searcher.find_in_records(column)
        if len(found.matches) == 0:
            return None
        counts: Numbers = np.diff(found.row_starts.astype(np.int64)).astype(np.int64)
        rows = np.flatnonzero(counts)
        texts = _plain(column, rows)
        words, starts = words_of_rows(texts, self._view)
        at_rows = np.repeat(np.arange(len(rows)), counts[rows])
        begins = found.matches["offset"].astype(np.int64) + starts[at_rows]
        at_words, are_words = _whole_words(words, begins, begins + found.matches["length"])
        patterns = found.matches["pattern"].astype(np.int64)[are_words]
        return rows, starts, texts, words, at_rows[are_words], at_words[are_words], patterns

    def _overlaps(
        self, rows: Numbers, starts: Numbers, words: Words, at_rows: Numbers, at_words: Numbers, patterns: Numbers
    ) -> list[Overlap]:
        index = self.index
        # Each match stands for all places of its pattern.
        first = index.starts[patterns]
        counts = index.starts[patterns + 1] - first
        places = np.repeat(first - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts) + np.arange(counts.sum())
        parts, positions = index.parts_of_places[places], index.positions[places]
        at_rows, at_words = np.repeat(at_rows, counts), np.repeat(at_words, counts)
        if len(parts) == 0:
            return []
        diagonals = at_words - positions
        order = np.lexsort((positions, diagonals, parts, at_rows))
        at_rows, at_words, parts, positions, diagonals = (
            values[order] for values in (at_rows, at_words, parts, positions, diagonals)
        )
        is_new = np.ones(len(order), np.bool_)
        is_new[1:] = (
            (np.diff(at_rows) != 0) | (np.diff(parts) != 0) | (np.diff(diagonals) != 0) | (np.diff(positions) > self._n)
        )
        heads = np.flatnonzero(is_new)
        tails = np.append(heads[1:], len(order)) - 1
        run_parts = parts[heads]
        gram_words = np.minimum(self._n, index.parts.words[run_parts])
        run_words = positions[tails] - positions[heads] + gram_words
        run_rows = at_rows[heads]
        begins = words.begins[at_words[heads]]
        ends = words.ends[at_words[tails] + gram_words - 1]
        found = self._found(at_rows, parts, positions)
        return _gathered(
            index,
            rows,
            found,
            run_rows,
            run_parts,
            positions[heads],
            run_words,
            begins - starts[run_rows],
            ends - begins,
        )

    def _found(self, at_rows: Numbers, parts: Numbers, positions: Numbers) -> dict[tuple[int, int], int]:
        """How many different places of an item stand in a row, by row and item."""
        order = np.lexsort((positions, parts, at_rows))
        at_rows, parts, positions = at_rows[order], parts[order], positions[order]
        is_new = np.ones(len(order), np.bool_)
        is_new[1:] = (np.diff(at_rows) != 0) | (np.diff(parts) != 0) | (np.diff(positions) != 0)
        # Parts are numbered by item, so that pairs of row and item come in order, too.
        rows, items = at_rows[is_new], self.index.parts.items[parts[is_new]]
        heads = np.flatnonzero(np.append(True, (np.diff(rows) != 0) | (np.diff(items) != 0)))
        counts = np.diff(np.append(heads, len(rows)))
        return dict(zip(zip(rows[heads].tolist(), items[heads].tolist()), counts.tolist()))


def _gathered(
    index: NgramIndex,
    rows: Numbers,
    found: dict[tuple[int, int], int],
    run_rows: Numbers,
    run_parts: Numbers,
    run_positions: Numbers,
    run_words: Numbers,
    offsets: Numbers,
    lengths: Numbers,
) -> list[Overlap]:
    """Puts runs together by document and item; the longest come first."""
    runs: dict[tuple[int, int], list[Run]] = {}
    whole: set[tuple[int, int]] = set()
    items = index.parts.items[run_parts]
    columns = (run_rows, items, run_parts, run_positions, run_words, offsets, lengths)
    for row, item, part, *run in zip(*(column.tolist() for column in columns)):
        runs.setdefault((row, item), []).append(Run(index.parts.names[part], *run))
        if run[1] == index.parts.words[part]:
            whole.add((row, item))
    overlaps = []
    for (row, item), theirs in sorted(runs.items()):
        theirs.sort(key=lambda run: (-run.words, run.offset, run.part, run.word))
        overlaps.append(Overlap(int(rows[row]), item, found[row, item], theirs[0].words, (row, item) in whole, theirs))
    return overlaps


def _plain(column: Any, rows: npt.NDArray[np.int64]) -> Any:
    """Some rows of a column as large binary."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if column.type in _larger:
        column = column.cast(_larger[column.type])
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    taken = column.take(pa.array(rows))
    if pa.types.is_fixed_size_binary(taken.type):
        taken = taken.cast(pa.binary())
    return taken.cast(pa.large_binary())


def _whole_words(words: Words, begins: Numbers, ends: Numbers) -> tuple[Numbers, npt.NDArray[np.bool_]]:
    """The word at which each match begins, and whether it begins and ends where words do."""
    first = np.searchsorted(words.begins, begins)
    last = np.searchsorted(words.ends, ends)
    inside = (first < len(words.begins)) & (last < len(words.ends))
    are_words = inside.copy()
    are_words[inside] = (words.begins[first[inside]] == begins[inside]) & (words.ends[last[inside]] == ends[inside])
    return first, are_words
