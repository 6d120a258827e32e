"""Makes pieces of a stream, from files, paths, buffers and iterables."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from lode._errors import make_error

_most_piece_bytes = 4 << 20


def pieces_of(source: Any, piece_bytes: int) -> Iterator[Any]:
    """Yields bytes or buffers of at most some MiB, in order. A piece is invalid once the next one is asked for."""
    if isinstance(source, os.PathLike):
        yield from _of_path(source, piece_bytes)
    elif hasattr(source, "read"):
        yield from _of_file(source, piece_bytes)
    elif isinstance(source, str) or is_buffer(source):
        yield from _cut(source)
    else:
        for piece in source:
            yield from _cut(piece)


def require_pieces(source: Any) -> None:
    """Raises TypeError if the source gives no pieces."""
    gives = isinstance(source, os.PathLike) or hasattr(source, "read") or hasattr(source, "__iter__")
    if not gives and not is_buffer(source):
        raise TypeError(
            "a text in pieces is a binary file, a path, an iterable of bytes, or one of these, "
            f"not {type(source).__name__}"
        )


def is_buffer(source: Any) -> bool:
    """Whether the source is a buffer, even one that cannot be read any more, such as a closed mmap."""
    try:
        memoryview(source).release()
    except TypeError:
        return False
    except (ValueError, BufferError):
        return True
    return True


def _cut(piece: Any) -> Iterator[Any]:
    """Yields a long piece in parts, so that only the matches of one part wait in memory."""
    if not isinstance(piece, str) and not is_buffer(piece):
        raise TypeError(f"a piece of a text must be bytes, str or a buffer, not {type(piece).__name__}")
    try:
        view = memoryview(piece.encode() if isinstance(piece, str) else piece)
        if not view.c_contiguous:
            raise ValueError("it is not contiguous")
        view = view.cast("B") if view.nbytes != 0 else memoryview(b"")
    except (ValueError, BufferError) as error:  # UnicodeEncodeError is a ValueError
        raise make_error("invalid_argument", f"a piece of a text cannot be read: {error}") from error
    for begin in range(0, len(view), _most_piece_bytes):
        yield view[begin : begin + _most_piece_bytes]


def _of_path(path: Any, piece_bytes: int) -> Iterator[Any]:
    try:
        file = open(path, "rb", buffering=0)
    except OSError as error:
        raise make_error("input_output", f"{os.fspath(path)}: {error.strerror}") from error
    except ValueError as error:
        raise make_error("invalid_argument", f"a path cannot be read: {error}") from error
    with file:
        pieces = _of_file(file, piece_bytes)
        while True:
            try:
                piece = next(pieces, None)
            except OSError as error:
                raise make_error("input_output", f"{os.fspath(path)}: {error.strerror}") from error
            if piece is None:
                return
            yield piece


def _has_no_bytes() -> Exception:
    return make_error("input_output", "the stream has no bytes yet, and does not wait for them: make it a blocking one")


def _of_file(file: Any, piece_bytes: int) -> Iterator[Any]:
    if hasattr(file, "readinto"):
        buffer = memoryview(bytearray(piece_bytes))
        while True:
            got = file.readinto(buffer)
            if got is None:
                raise _has_no_bytes()
            if got == 0:
                return
            yield buffer[:got]
    while True:
        piece = file.read(piece_bytes)
        if piece is None:
            raise _has_no_bytes()
        if isinstance(piece, str):
            raise TypeError("the file gives str: open it in binary mode, because offsets count bytes")
        if not piece:
            return
        yield piece
