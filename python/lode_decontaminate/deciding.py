"""Decides which documents are contaminated by which items."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any, Literal, NamedTuple, get_args

from lode_decontaminate.errors import Refusal

By = Literal["share", "overlap", "answer"]
"""What decides: the share of an item's n-grams, the longest overlap in words, or question and answer together."""

_defaults: dict[str, float] = {"share": 0.5, "overlap": 20, "answer": 0.5}


class Decision(NamedTuple):
    """A document is contaminated by an item if this says so of their hit.

    by         'share'    at least this share of the item's n-grams stands in the document
               'overlap'  at least so many words in a row do, or a whole part of the item that is shorter
               'answer'   as 'share', and the answer stands near; an item without an answer goes by its share alone
    threshold  the share, or the number of words
    """

    by: By = "share"
    threshold: float = _defaults["share"]

    def says(self, hit: Mapping[str, Any]) -> bool:
        """Whether a hit is contamination."""
        if self.by == "overlap":
            return bool(hit["longest"] >= self.threshold or hit["is_whole"])
        # The share that a hit tells is rounded.
        is_enough = hit["found"] / hit["ngrams"] >= self.threshold
        return bool(is_enough and (self.by == "share" or hit["answer"] is not False))

    def __str__(self) -> str:
        if self.by == "overlap":
            return f"at least {self.threshold:g} words in a row, or a whole shorter part of it, stand in one document"
        told = f"at least {self.threshold:.0%} of its n-grams stand in one document"
        return told if self.by == "share" else f"{told}, and its answer near them"


def decide(by: str = "share", threshold: float | None = None) -> Decision:
    """Makes a decision. Without a threshold it is 0.5 for shares, 20 for words. Raises Refusal for what none can be."""
    if by not in get_args(By):
        raise Refusal(f"there is no decision by {by!r}; there are: {' '.join(get_args(By))}")
    if threshold is None:
        threshold = _defaults[by]
    if by == "overlap" and not (threshold >= 1 and isfinite(threshold) and threshold == int(threshold)):
        raise Refusal(f"a threshold of words must be a whole number of at least 1, not {threshold:g}")
    if by != "overlap" and not 0 < threshold <= 1:
        raise Refusal(f"a threshold of shares must be above 0 and at most 1, not {threshold:g}")
    return Decision(by, threshold)  # type: ignore[arg-type]
