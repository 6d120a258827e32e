"""Tells whether the answer of an item stands near its question in a document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lode_decontaminate.ngrams import ngrams_of_texts
from lode_decontaminate.overlaps import Run
from lode_decontaminate.words import view_words

near_bytes = 2000
"""How many bytes before the first and behind the last shared words are looked at."""

_least_share = 0.5


class Answers(NamedTuple):
    """The n-grams of each item's answer; None for an item without one."""

    ngrams: Sequence[Sequence[bytes] | None]
    view: str

    def has(self, item: int) -> bool:
        return self.ngrams[item] is not None

    def is_near(self, item: int, text: bytes, runs: Sequence[Run]) -> bool:
        """Whether at least half of the answer's n-grams stand beside the shared words, within `near_bytes`."""
        grams = self.ngrams[item]
        if grams is None:
            return False
        shown = _around(text, runs, self.view)
        found = sum(b" " + gram + b" " in shown for gram in grams)
        return found >= _least_share * len(grams)


def answers_of(answers: Sequence[str | None], n: int, view: str) -> Answers:
    """The answers of items, in their order. An answer without a word is none."""
    made = [None if answer is None else list(ngrams_of_texts([answer], n, view)) or None for answer in answers]
    return Answers(made, view)


def _around(text: bytes, runs: Sequence[Run], view: str) -> bytes:
    """What a view shows of the text around runs, without the runs themselves, with a blank at each end."""
    spans = sorted((run.offset, run.offset + run.length) for run in runs)
    at = max(0, spans[0][0] - near_bytes)
    end = max(span[1] for span in spans) + near_bytes
    pieces = []
    for begin, behind in spans:
        if begin > at:
            pieces.append(text[at:begin])
        at = max(at, behind)
    pieces.append(text[at:end])
    shown = []
    for piece in pieces:
        words = view_words(piece, view)
        if len(words.in_viewed.begins):
            shown.append(words.text_of(0, len(words.in_viewed.begins) - 1))
    return b" " + b" \n ".join(shown) + b" "
