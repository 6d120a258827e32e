"""Numbers with nouns, for messages and pages."""

from __future__ import annotations


def counted(count: int, noun: str, number: str | None = None) -> str:
    """A count and its noun, such as `1 shard` or `2 shards`.

    number  the count as it is to be shown, if not by its digits alone
    """
    return f"{number or count} {noun}{'' if count == 1 else 's'}"
