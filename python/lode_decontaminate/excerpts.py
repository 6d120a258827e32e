"""Excerpts of texts, cut between characters."""

from __future__ import annotations

context_bytes = 200
"""How many bytes of a document an excerpt has on either side of what matches."""

_most_matched_bytes = 4000


def excerpt_of(text: bytes, offset: int, length: int) -> list[str]:
    """What stands before a match, the match, and what stands behind it. A very long match is shown in part."""
    end = offset + length
    before = text[_cut_behind(text, max(0, offset - context_bytes)) : offset]
    shown = text[offset:end]
    if length > _most_matched_bytes:
        half = _most_matched_bytes // 2
        head, tail = _cut_before(shown, half), _cut_behind(shown, length - half)
        shown = shown[:head] + " […] ".encode() + shown[tail:]
    behind = text[end : _cut_before(text, min(len(text), end + context_bytes))]
    return [part.decode(errors="replace") for part in (before, shown, behind)]


def _cut_before(text: bytes, at: int) -> int:
    """The last place at or before this one that lies between characters."""
    least = max(0, at - 3)
    while at > least and at < len(text) and text[at] & 0xC0 == 0x80:
        at -= 1
    return at


def _cut_behind(text: bytes, at: int) -> int:
    """The first place at or behind this one that lies between characters."""
    most = min(len(text), at + 3)
    while at < most and text[at] & 0xC0 == 0x80:
        at += 1
    return at
