"""What is searched for, and how."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lode_decontaminate.benchmarks import Item
from lode_decontaminate.errors import Refusal
from lode_decontaminate.words import decodes, has_blanks


class Settings(NamedTuple):
    """What is searched for, and how.

    n             the words of an n-gram
    view          which differences in writing do not count, as `lode.compile` takes it
    least_words   a part of an item that has fewer words is not searched for
    common        n-grams in at least this share of the documents of a sample, and in ten of them, are left out; 0: none
    background    files of text whose n-grams are left out, too
    threads       how many threads search; 0 means all cores
    device        as `lode.Searcher` takes it
    block_bytes   how much of a file of JSON Lines is read at a time; a line must fit
    """

    n: int = 13
    view: str = "words"
    least_words: int = 5
    common: float = 0.01
    background: tuple[str, ...] = ()
    threads: int = 0
    device: str = "cpu"
    block_bytes: int = 8 << 20


def check(settings: Settings, items: Sequence[Item]) -> None:
    """Raises Refusal for settings and items that nothing can be searched with."""
    if settings.n < 1 or settings.least_words < 1:
        raise Refusal("an n-gram and the shortest question must have at least one word")
    if not 0 <= settings.common <= 1:
        raise Refusal(f"the share of documents that makes an n-gram common is between 0 and 1, not {settings.common:g}")
    if settings.block_bytes < 1:
        raise Refusal("a block must have at least one byte")
    if decodes(settings.view):
        raise Refusal(f"the view {settings.view!r} decodes, but documents are taken for UTF-8")
    if not has_blanks(settings.view):
        raise Refusal(f"the view {settings.view!r} leaves no blanks between words, so there are no n-grams")
    if not items:
        raise Refusal("no benchmark was given")
    seen: set[tuple[str, str]] = set()
    for item in items:
        key = (item.benchmark, item.id)
        if key in seen:
            raise Refusal(
                f"two items of the benchmark {item.benchmark!r} have the id {item.id!r}; if they are of two files, "
                "name them apart with NAME=PATH"
            )
        seen.add(key)
