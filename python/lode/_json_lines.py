"""Reads a field of JSON Lines into Arrow, without the rest of each object."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from lode import _lode


def strings_of_lines(lines: bytes, names: Sequence[str]) -> pa.LargeStringArray | None:
    """The string of a field in each line, null where a line lacks it; blank lines do not count.

    names  lead to the field, from object to object

    None if a line is not exactly one object of valid JSON in UTF-8, or the field holds anything but a string or null.
    """
    read = _lode.strings_of_lines(lines, names)
    if read is None:
        return None
    offsets, data, has_string = read
    valid = None if has_string.all() else pa.array(has_string.view("bool")).buffers()[1]
    return pa.LargeStringArray.from_buffers(len(has_string), pa.py_buffer(offsets), pa.py_buffer(data), valid)
