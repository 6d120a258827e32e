"""Finds matches with bytes.find, which is slow and independent of the library."""

from __future__ import annotations

from collections.abc import Sequence


def fold(data: bytes, ignore_case: bool) -> bytes:
    return data.lower() if ignore_case else data


def occurrences(text: bytes, patterns: Sequence[bytes], ignore_case: bool | Sequence[bool] = False) -> list[tuple]:
    """All (offset, id, length), in sorted order."""
    found = []
    for number, pattern in enumerate(patterns):
        folds = ignore_case if isinstance(ignore_case, bool) else ignore_case[number]
        # lower() of bytes folds only ASCII letters, as the library does.
        haystack, needle = fold(text, folds), fold(pattern, folds)
        at = haystack.find(needle)
        while at >= 0:
            found.append((at, number, len(needle)))
            at = haystack.find(needle, at + 1)
    return sorted(found)


def leftmost(found: list[tuple], longest: bool) -> list[tuple]:
    """The occurrences that a leftmost kind keeps."""
    kept, free = [], 0
    while candidates := [match for match in found if match[0] >= free]:
        start = candidates[0][0]
        here = [match for match in candidates if match[0] == start]
        best = min(here, key=lambda match: (-match[2] if longest else 0, match[1]))
        kept.append(best)
        free = best[0] + best[2]
        found = candidates
    return kept


def first_dense(records: Sequence[bytes | None], patterns: Sequence[bytes]) -> list[list[int]]:
    return [[-1 if record is None else record.find(pattern) for pattern in patterns] for record in records]
