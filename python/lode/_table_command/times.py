"""Writes times for JSON in ISO 8601, with the digits of nanoseconds, which Python's own classes do not hold."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

import pyarrow as pa

Written = Callable[[Any], Any]

_epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def rows_of(column: pa.Array) -> list[Any]:
    """The column's values as objects of Python, with a str for each time of nanoseconds."""
    if pa.types.is_dictionary(column.type) and _writer_of(column.type.value_type) is not None:
        column = column.dictionary_decode()
    write = _writer_of(column.type)
    if write is None:
        values: list[Any] = column.to_pylist()
        return values
    return [write(value) for value in column.cast(_numbers(column.type)).to_pylist()]


def _writer_of(type: pa.DataType) -> Written | None:
    """A function that writes the times in a value as str; they come as whole numbers (see `_numbers`).

    It is None if the type has no times of nanoseconds.
    """
    write = _of_list(type) if _is_list(type) else _of_struct(type) if pa.types.is_struct(type) else _of_scalar(type)
    return None if write is None else lambda value: None if value is None else write(value)


def _of_scalar(type: pa.DataType) -> Written | None:
    if getattr(type, "unit", None) != "ns":
        return None
    if pa.types.is_timestamp(type):
        zone = None if type.tz is None else pa.lib.string_to_tzinfo(type.tz)
        return lambda number: _timestamp(number, zone)
    return _duration if pa.types.is_duration(type) else _time


def _of_list(type: pa.DataType) -> Written | None:
    write = _writer_of(type.value_type)
    return None if write is None else lambda items: [write(item) for item in items]


def _of_struct(type: pa.DataType) -> Written | None:
    writers = {field.name: write for field in type if (write := _writer_of(field.type)) is not None}
    if not writers:
        return None
    return lambda fields: {name: writers[name](item) if name in writers else item for name, item in fields.items()}


def _is_list(type: pa.DataType) -> bool:
    return bool(pa.types.is_list(type) or pa.types.is_large_list(type) or pa.types.is_fixed_size_list(type))


def _numbers(type: pa.DataType) -> pa.DataType:
    """The type with whole numbers for times of nanoseconds."""
    if _of_scalar(type) is not None:
        return pa.int64()
    if pa.types.is_struct(type):
        return pa.struct([field.with_type(_numbers(field.type)) for field in type])
    if not _is_list(type):
        return type
    items = type.value_field.with_type(_numbers(type.value_type))
    if pa.types.is_fixed_size_list(type):
        return pa.list_(items, type.list_size)
    return pa.large_list(items) if pa.types.is_large_list(type) else pa.list_(items)


def _split(nanoseconds: int) -> tuple[datetime.timedelta, int]:
    """The whole microseconds, and the nanoseconds that are left."""
    whole, left = divmod(nanoseconds, 1000)
    return datetime.timedelta(microseconds=whole), left


def _timestamp(nanoseconds: int, zone: Any) -> str:
    since, left = _split(nanoseconds)
    moment = _epoch + since
    moment = moment.replace(tzinfo=None) if zone is None else moment.astimezone(zone)
    if left == 0:
        return moment.isoformat()
    text = moment.isoformat(timespec="microseconds")
    digits = len("2000-01-01T00:00:00.000000")
    return f"{text[:digits]}{left:03d}{text[digits:]}"


def _time(nanoseconds: int) -> str:
    since, left = _split(nanoseconds)
    time = (_epoch + since).time()
    return time.isoformat() if left == 0 else f"{time.isoformat(timespec='microseconds')}{left:03d}"


def _duration(nanoseconds: int) -> str:
    since, left = _split(nanoseconds)
    if left == 0:
        return str(since)
    return f"{since}{'' if since.microseconds else '.000000'}{left:03d}"
