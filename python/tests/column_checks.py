"""What a column must give, found with plain loops: for the tests of DuckDB, polars and pandas."""

from __future__ import annotations

from collections.abc import Sequence

from oracle import leftmost, occurrences

answers = ("contains", "count", "first", "matches")


def as_bytes(row: str | bytes | None) -> bytes | None:
    return row.encode() if isinstance(row, str) else row


def expected_answers(rows: Sequence[str | bytes | None], patterns: Sequence[bytes]) -> dict[str, list]:
    """The four answers for each row, None for a null."""
    found = [None if row is None else occurrences(as_bytes(row), patterns) for row in rows]
    lists = [None if each is None else [of_match(match) for match in each] for each in found]
    return {
        "contains": [None if each is None else each != [] for each in found],
        "count": [None if each is None else len(each) for each in found],
        "first": [each[0] if each else None for each in lists],
        "matches": lists,
    }


def of_match(match: tuple) -> dict[str, int]:
    offset, pattern, length = match
    return {"offset": offset, "pattern": pattern, "length": length}


def replaced(row: str | bytes | None, patterns: Sequence[bytes], replace) -> str | bytes | None:
    """A row whose leftmost longest matches are replaced by what `replace` gives for their bytes."""
    if row is None:
        return None
    text, parts, at = as_bytes(row), [], 0
    for offset, _, length in leftmost(occurrences(text, patterns), longest=True):
        parts += [text[at:offset], replace(text[offset : offset + length])]
        at = offset + length
    made = b"".join([*parts, text[at:]])
    return made.decode() if isinstance(row, str) else made
