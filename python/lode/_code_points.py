"""Turns offsets of bytes into offsets of code points."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from lode import _lode
from lode._errors import make_error


def code_point_offsets(text: Any, offsets: npt.ArrayLike) -> npt.NDArray[np.uint64]:
    """Turns offsets of bytes in UTF-8 into offsets of code points, as Python counts in a str.

    text     a str, or its UTF-8 as bytes or a buffer
    offsets  of any shape, in any order; if they are sorted, one pass over the text suffices, else they are sorted first

    A byte within a code point gets the offset of that code point. The text's length in bytes gets its length in code
    points. Raises lode.Error of kind 'invalid_argument' for an offset behind the end of the text.
    """
    try:
        wanted = np.asarray(offsets)
    except ValueError as error:
        raise make_error("invalid_argument", f"offsets must form an array: {error}") from error
    if wanted.size != 0 and wanted.dtype.kind not in "ui":
        _refuse(offsets, wanted.dtype)
    if wanted.dtype.kind == "i" and wanted.size != 0 and wanted.min() < 0:
        raise make_error("invalid_argument", "an offset is negative")
    flat = np.ascontiguousarray(wanted.reshape(-1), dtype=np.uint64)
    if np.all(flat[1:] >= flat[:-1]):
        return _lode.code_points_at(text, flat).reshape(wanted.shape)
    order = np.argsort(flat, kind="stable")
    places = np.empty_like(flat)
    places[order] = _lode.code_points_at(text, flat[order])
    return places.reshape(wanted.shape)


def _refuse(offsets: npt.ArrayLike, kind: np.dtype[Any]) -> NoReturn:
    """Raises the error for offsets that NumPy did not take as integers.

    Python's integers may be too large for NumPy's types, such as 2**70: these are out of range. The rest are of a wrong
    type.
    """
    each = np.asarray(offsets, np.object_).reshape(-1)
    if all(isinstance(offset, int) and not isinstance(offset, bool) for offset in each):
        raise make_error("invalid_argument", "an offset is negative or lies behind the text")
    raise TypeError(f"offsets must be integers, not {kind}")
