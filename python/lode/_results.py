"""The types of results."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lode._lode import PatternSet

match_dtype: np.dtype[np.void] = np.dtype([("offset", "<u8"), ("pattern", "<u4"), ("length", "<u4")])
"""The type of each match that `Searcher.find` gives: the offset of its first byte, the pattern's id, and its length."""

form_match_dtype: np.dtype[np.void] = np.dtype([*match_dtype.descr, ("form", "u1")])
"""The type of each match if the patterns have forms: `form` is the place of the form's name in `form_names`."""

form_names = ("as-given", "utf-16le", "utf-16be", "iupac", "reverse-complement", "base64", "json")
"""What may stand at a match: the pattern as it was given, or a form of it."""

_length_bits = 27  # the form has the bits above


def matches_of(found: npt.NDArray[Any], has_forms: bool) -> npt.NDArray[np.void]:
    """The matches that the library gave as bytes. Without forms they are not copied."""
    matches = found.view(match_dtype)
    if not has_forms:
        return matches
    result = np.empty(len(matches), form_match_dtype)
    result["offset"] = matches["offset"]
    result["pattern"] = matches["pattern"]
    result["length"] = matches["length"] & ((1 << _length_bits) - 1)
    result["form"] = matches["length"] >> _length_bits
    return result


class Match(NamedTuple):
    """An occurrence of a pattern, which stands at text[offset : offset + length], in bytes."""

    offset: int
    pattern: int
    length: int


class FormMatch(NamedTuple):
    """A Match of patterns that have forms: what stands there is the pattern 'as-given', or a form of it."""

    offset: int
    pattern: int
    length: int
    form: str


class _RowsAndMatches(NamedTuple):
    row_starts: npt.NDArray[np.uint64]
    matches: npt.NDArray[np.void]


class RecordMatches(_RowsAndMatches):
    """All matches in many records, by rows: those in record r are matches[row_starts[r] : row_starts[r + 1]].

    row_starts  shape (records + 1,)
    matches     shape (matches,), of `match_dtype`, with forms of `form_match_dtype`; offsets are in bytes from the
                record's first byte
    patterns    the PatternSet that was searched for, with the labels of `to_arrow`; not part of the tuple

    >>> found = lode.Searcher(["he", "she"]).find_in_records(["she", None, "the"])
    >>> list(zip(found.rows.tolist(), found.matches["offset"].tolist()))
    [(0, 0), (0, 1), (2, 1)]
    """

    patterns: PatternSet | None

    def __new__(
        cls, row_starts: npt.NDArray[np.uint64], matches: npt.NDArray[np.void], patterns: PatternSet | None = None
    ) -> RecordMatches:
        made = super().__new__(cls, row_starts, matches)
        made.patterns = patterns
        return made

    @property
    def rows(self) -> npt.NDArray[np.int64]:
        """The number of each match's record, shape (matches,). Each use makes a new array."""
        counts = np.diff(self.row_starts).astype(np.int64)
        return np.repeat(np.arange(len(counts), dtype=np.int64), counts)

    def to_arrow(self) -> Any:
        """A pyarrow.Table with a row for each match.

        Its columns are `row` and `offset` (int64), `length` and `pattern` (int32), and `label`, a dictionary of strings
        with the pattern's label, which is null if the pattern has none. If patterns have forms, `form` follows, a
        dictionary of their names.
        """
        import pyarrow as pa

        # The integers are signed, as in `lode.tables.match_type`, because some engines that read Arrow have no others.
        pattern = self.matches["pattern"].astype(np.int32)
        columns = {
            "row": pa.array(self.rows),
            "offset": pa.array(self.matches["offset"].astype(np.int64)),
            "length": pa.array(self.matches["length"].astype(np.int32)),
            "pattern": pa.array(pattern),
            "label": labels_of(self.patterns, pattern),
        }
        if self.matches.dtype == form_match_dtype:
            forms = pa.array(self.matches["form"].astype(np.int32))
            columns["form"] = pa.DictionaryArray.from_arrays(forms, pa.array(form_names))
        return pa.table(columns)


def labels_of(patterns: PatternSet | None, ids: npt.NDArray[np.int32]) -> Any:
    """The label of each of these patterns, a pyarrow dictionary of strings; null if the pattern has none."""
    import pyarrow as pa

    if patterns is None or not patterns.has_labels:
        return pa.nulls(len(ids), pa.dictionary(pa.int32(), pa.string()))
    # A set may have millions of patterns, so labels are asked only for those that were found.
    found, places = np.unique(ids, return_inverse=True)
    labels = [patterns.label(number) for number in found.tolist()]
    numbers = {label: number for number, label in enumerate(dict.fromkeys(filter(None, labels)))}
    indices = np.array([numbers.get(label, -1) for label in labels], np.int32)[places]
    return pa.DictionaryArray.from_arrays(pa.array(indices, mask=indices < 0), pa.array(list(numbers), pa.string()))


class SparseHits(NamedTuple):
    """The hits of a records x patterns matrix, by rows (CSR): record r has [row_starts[r], row_starts[r + 1])."""

    row_starts: npt.NDArray[np.uint64]
    """Shape (records + 1,)."""
    patterns: npt.NDArray[np.uint32]
    """Shape (hits,): the patterns' ids, which increase within a row."""
    offsets: npt.NDArray[np.uint64]
    """Shape (hits,): where the pattern first occurs, in bytes from the record's first byte."""
