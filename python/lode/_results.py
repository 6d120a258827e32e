"""What searches give."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

match_dtype: np.dtype[np.void] = np.dtype([("offset", "<u8"), ("pattern", "<u4"), ("length", "<u4")])
"""What `Searcher.find` gives: the offset of the first byte, the pattern's id, and how many bytes it has."""


class Match(NamedTuple):
    """An occurrence: the pattern stands at text[offset : offset + length] (in bytes)."""

    offset: int
    pattern: int
    length: int


class RecordMatches(NamedTuple):
    """All matches of many records, by rows: those of record r are matches[row_starts[r] : row_starts[r + 1]]."""

    row_starts: npt.NDArray[np.uint64]
    """Shape (records + 1,)."""
    matches: npt.NDArray[np.void]
    """Shape (matches,), of `match_dtype`; offsets are in bytes from the record's first byte."""


class SparseHits(NamedTuple):
    """The hits of a records x patterns matrix, by rows (CSR): of record r [row_starts[r], row_starts[r + 1])."""

    row_starts: npt.NDArray[np.uint64]
    """Shape (records + 1,)."""
    patterns: npt.NDArray[np.uint32]
    """Shape (hits,): ids, increasing within a row."""
    offsets: npt.NDArray[np.uint64]
    """Shape (hits,): of the pattern's first occurrence, in bytes from the record's first byte."""
