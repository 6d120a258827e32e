"""Finds the words of texts as a view shows them, and where they stand in the original.

A word is a run of viewed bytes between blanks. Where it begins and ends in the original, a match may begin and end:

    original   To be --  or      offsets 0 3 9
    viewed     to be or          words   0 1 2
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import lode

Offsets = npt.NDArray[np.int64]

_blanks = b" \t\n\v\f\r"
_is_blank = np.isin(np.arange(256), np.frombuffer(_blanks, np.uint8))
_letter, _blank, _dropped = 0, 1, 2


class Words(NamedTuple):
    """Words by the offsets of their first bytes, and of the bytes behind their last."""

    begins: Offsets
    ends: Offsets


class ViewedWords(NamedTuple):
    """The words of one text: what the view shows of it, and where each word stands there and in the original."""

    viewed: bytes
    in_viewed: Words
    in_original: Words

    def text_of(self, first: int, last: int) -> bytes:
        """What the view shows from the first of these words to the last, both included."""
        return self.viewed[int(self.in_viewed.begins[first]) : int(self.in_viewed.ends[last])]


def view_words(text: bytes, view: str) -> ViewedWords:
    """The words of one text. Texts may hold anything, also bytes that are not UTF-8."""
    pieces = lode.view_text(text, view)
    whole = b"".join(piece[2] for piece in pieces)
    if not whole:
        nothing = Words(np.zeros(0, np.int64), np.zeros(0, np.int64))
        return ViewedWords(whole, nothing, nothing)
    begins, ends = _origins(pieces)
    first, last = _edges(~_is_blank[np.frombuffer(whole, np.uint8)], np.zeros(1, np.int64))
    return ViewedWords(whole, Words(first, last + 1), Words(begins[first], ends[last]))


def _origins(pieces: list[tuple[int, int, bytes]]) -> tuple[Offsets, Offsets]:
    """Where in the original what each viewed byte stands for begins and ends.

    Each byte of a run stands for one byte. Each byte of a segment that has another length stands for all of it.
    """
    offsets, lengths = (np.array([piece[at] for piece in pieces], np.int64) for at in (0, 1))
    counts = np.array([len(piece[2]) for piece in pieces], np.int64)
    is_segment = counts != lengths
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    begins = np.repeat(offsets, counts) + np.where(np.repeat(is_segment, counts), 0, within)
    return begins, begins + np.repeat(np.where(is_segment, lengths, 1), counts)


def words_of_rows(rows: Any, view: str) -> tuple[Words, Offsets]:
    """The words of all rows, one behind the other, and where the rows begin, shape (rows + 1,).

    rows  a pyarrow.LargeBinaryArray without nulls; offsets count from its first byte

    ASCII is taken all at once, because a view shows each of its bytes alike wherever it stands. Other rows are viewed
    one by one.
    """
    starts = np.frombuffer(rows.buffers()[1], np.int64)[rows.offset : rows.offset + len(rows) + 1]
    base = int(starts[0])
    data = rows.buffers()[2]
    held = np.frombuffer(data if data is not None else b"", np.uint8)[base : int(starts[-1])]
    starts = starts - base
    has_other = np.zeros(len(rows), np.bool_)
    others = np.flatnonzero(held >= 128)
    has_other[np.searchsorted(starts, others, "right") - 1] = True
    words = _words_of_ascii(held, starts, view)
    if not has_other.any():
        return words, starts
    is_plain = ~has_other[np.searchsorted(starts, words.begins, "right") - 1]
    begins, ends = [words.begins[is_plain]], [words.ends[is_plain]]
    for row in np.flatnonzero(has_other).tolist():
        found = view_words(held[starts[row] : starts[row + 1]].tobytes(), view).in_original
        begins.append(found.begins + starts[row])
        ends.append(found.ends + starts[row])
    all_begins = np.concatenate(begins)
    order = np.argsort(all_begins, kind="stable")
    return Words(all_begins[order], np.concatenate(ends)[order]), starts


def decodes(view: str) -> bool:
    """Whether a view takes texts for anything but UTF-8, or shows only sequences of them."""
    # The first is a byte order mark of UTF-16, the second a header line of FASTA. Other views show both.
    marked, headed = (b"".join(piece[2] for piece in lode.view_text(text, view)) for text in (b"\xff\xfea\0", b">a"))
    return not marked.startswith(b"\xff\xfe") or b"a" not in headed


def has_blanks(view: str) -> bool:
    """Whether words are still apart in what the view shows."""
    return bool(_kinds(view)[ord(" ")] == _blank)


def _words_of_ascii(held: npt.NDArray[np.uint8], starts: Offsets, view: str) -> Words:
    kinds = _kinds(view)[held]
    kept = None
    if (kinds == _dropped).any():
        kept = np.flatnonzero(kinds != _dropped)
        kinds = kinds[kept]
        starts = np.searchsorted(kept, starts)
    first, last = _edges(kinds == _letter, starts[:-1])
    if kept is not None:
        first, last = kept[first], kept[last]
    return Words(first, last + 1)


def _edges(is_letter: npt.NDArray[np.bool_], starts: Offsets) -> tuple[Offsets, Offsets]:
    """The first and the last letters of words; none goes over one of the starts."""
    before = np.empty(len(is_letter) + 1, np.bool_)
    before[0] = False
    before[1:] = is_letter
    is_first = is_letter.copy()
    is_first &= ~before[:-1]
    inner = starts[(starts > 0) & (starts < len(is_letter))]
    is_first[inner] = is_letter[inner]
    is_last = is_letter.copy()
    is_last[:-1] &= ~is_letter[1:]
    is_last[inner - 1] = is_letter[inner - 1]
    return np.flatnonzero(is_first), np.flatnonzero(is_last)


@lru_cache(maxsize=16)
def _kinds(view: str) -> npt.NDArray[np.uint8]:
    """What each byte of ASCII is in a view: a letter of a word, a blank, or dropped."""
    kinds = np.full(256, _letter, np.uint8)
    for byte in range(128):
        shown = b"".join(piece[2] for piece in lode.view_text(bytes([byte]), view))
        kinds[byte] = _dropped if not shown else _blank if not shown.strip(_blanks) else _letter
    return kinds
