"""Takes spans out of texts: cuts them, or masks them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from lode_decontaminate.spans import joined

default_margin = 200
"""How many characters on either side are cut with a quotation, unless another number is given."""

_most_character_bytes = 4


class Removal(NamedTuple):
    """How spans are taken out of a text.

    mask    None cuts them, and leaves a line break in their place; a character stands for each of their characters
    margin  how many characters on either side go, too
    """

    mask: str | None
    margin: int

    def spans(self, text: bytes, runs: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
        """The spans of runs (offset, length) with their margins, as (begin, end); those that touch are one."""
        return joined(self._widened(text, offset, offset + length) for offset, length in runs)

    def without(self, text: bytes, spans: Sequence[tuple[int, int]]) -> bytes:
        """The text without spans, which are sorted and apart."""
        pieces, at = [], 0
        for begin, end in spans:
            pieces.append(text[at:begin])
            if self.mask is not None:
                pieces.append(self.mask.encode() * len(_characters(text[begin:end])))
            elif begin > 0 and end < len(text):
                pieces.append(b"\n")
            at = end
        return b"".join([*pieces, text[at:]])

    def _widened(self, text: bytes, begin: int, end: int) -> tuple[int, int]:
        if self.margin == 0:
            return begin, end
        before = _characters(text[max(0, begin - _most_character_bytes * self.margin) : begin])[-self.margin :]
        behind = _characters(text[end : end + _most_character_bytes * self.margin])[: self.margin]
        return begin - len(_bytes(before)), end + len(_bytes(behind))


def _characters(data: bytes) -> str:
    """The characters of bytes; each byte that is not UTF-8 is one."""
    return data.decode(errors="surrogateescape")


def _bytes(characters: str) -> bytes:
    return characters.encode(errors="surrogateescape")
