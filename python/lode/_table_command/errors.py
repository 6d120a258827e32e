"""The error that the user gets, and helpers that add the name of the file at fault."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import pyarrow as pa

Item = TypeVar("Item")


class Refusal(Exception):
    """An error whose message is written for the user."""


@contextmanager
def blaming(path: str) -> Iterator[None]:
    """Turns failures to read or write into a Refusal that names the file. A BrokenPipeError passes unchanged."""
    try:
        yield
    except BrokenPipeError:
        raise
    except (OSError, UnicodeError, pa.ArrowException) as error:
        reason = getattr(error, "strerror", None) or str(error).strip() or type(error).__name__
        raise Refusal(f"{path}: {reason}") from error


def guarded(items: Iterable[Item], path: str) -> Iterator[Item]:
    """Yields the items. If getting the next one fails, the error names the file."""
    iterator = iter(items)
    while True:
        with blaming(path):
            try:
                item = next(iterator)
            except StopIteration:
                return
        yield item
