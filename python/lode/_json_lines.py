"""Reads a field of JSON Lines into Arrow, without the rest of each object."""

from __future__ import annotations

import pyarrow as pa

from lode import _lode


def strings_of_lines(lines: bytes, field: str, absent: str = "") -> pa.LargeStringArray | None:
    """The string of a field in each line, null where a line lacks it; blank lines do not count.

    field   `a.b` is b within a, unless an object has that name
    absent  a name that no object has; empty allows all

    None if a line is not exactly one object of valid JSON in UTF-8, the field holds anything but a string or null, an
    object has the name `absent`, or one within it has a name twice.
    """
    read = _lode.strings_of_lines(lines, field, absent)
    if read is None:
        return None
    offsets, data, has_string = read
    valid = None if has_string.all() else pa.array(has_string.view("bool")).buffers()[1]
    return pa.LargeStringArray.from_buffers(len(has_string), pa.py_buffer(offsets), pa.py_buffer(data), valid)
