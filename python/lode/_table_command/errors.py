"""What the command refuses, and whose fault a failure is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import pyarrow as pa

Item = TypeVar("Item")


class Refusal(Exception):
    """An error with the message that the user gets."""


@contextmanager
def blaming(path: str) -> Iterator[None]:
    """Failures to read or write within become a Refusal that names the file. A broken pipe stays one."""
    try:
        yield
    except BrokenPipeError:
        raise
    except (OSError, UnicodeError, pa.ArrowException) as error:
        reason = getattr(error, "strerror", None) or str(error).strip() or type(error).__name__
        raise Refusal(f"{path}: {reason}") from error


def guarded(items: Iterable[Item], path: str) -> Iterator[Item]:
    """The items; a failure to get the next one names the file."""
    iterator = iter(items)
    while True:
        with blaming(path):
            try:
                item = next(iterator)
            except StopIteration:
                return
        yield item
