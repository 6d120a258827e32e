"""The pieces of a stream, whatever gives them: files, paths, buffers, iterables."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

_most_piece_bytes = 4 << 20


def pieces_of(source: Any, piece_bytes: int) -> Iterator[Any]:
    """Bytes or buffers of at most some MiB, in order. A piece is used up when the next one is asked for."""
    if isinstance(source, os.PathLike):
        with open(source, "rb", buffering=0) as file:
            yield from _of_file(file, piece_bytes)
    elif hasattr(source, "read"):
        yield from _of_file(source, piece_bytes)
    elif isinstance(source, str) or _is_buffer(source):
        yield from _cut(source)
    else:
        for piece in source:
            yield from _cut(piece)


def _is_buffer(source: Any) -> bool:
    try:
        memoryview(source).release()
    except TypeError:
        return False
    return True


def _cut(piece: Any) -> Iterator[Any]:
    """A long piece in parts, so that the matches of only one wait at a time."""
    data = piece.encode() if isinstance(piece, str) else piece
    view = memoryview(data).cast("B")
    for begin in range(0, len(view), _most_piece_bytes):
        yield view[begin : begin + _most_piece_bytes]


def _of_file(file: Any, piece_bytes: int) -> Iterator[Any]:
    if hasattr(file, "readinto"):
        buffer = memoryview(bytearray(piece_bytes))
        while True:
            got = file.readinto(buffer)
            if got is None:
                raise BlockingIOError("the stream has no bytes now: it must be one that waits for them")
            if got == 0:
                return
            yield buffer[:got]
    while True:
        piece = file.read(piece_bytes)
        if piece is None:
            raise BlockingIOError("the stream has no bytes now: it must be one that waits for them")
        if isinstance(piece, str):
            raise TypeError("the file gives str: open it in binary mode, as offsets are of bytes")
        if not piece:
            return
        yield piece
