"""Refuses strings that are not UTF-8: some readers let them pass, but a file with strings must not hold them."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from lode._table_command.errors import Refusal


def checked(batches: Iterator[pa.RecordBatch], path: str) -> Iterator[pa.RecordBatch]:
    """Yields the same batches. Refuses strings that are not UTF-8, and names their row, from 1 on, and their column."""
    before = 0
    for batch in batches:
        for name, column in zip(batch.schema.names, batch.columns):
            reason = _fault_of(column)
            if reason is None:
                continue
            if "UTF8" not in reason:
                raise Refusal(f"{path}: the column {name!r} is malformed: {reason}")
            row = _first_fault(column)
            where = "" if row is None else f"row {before + row + 1}: "
            raise Refusal(
                f"{path}: {where}the column {name!r} is not valid UTF-8, which only CSV can be written with; "
                "make it a column of binary, or convert it"
            )
        yield batch
        before += batch.num_rows


def _fault_of(column: pa.Array) -> str | None:
    reason = _fault_of_all(column)
    # Any other fault forbids reading the column: its offsets may point anywhere.
    if reason is None or "UTF8" not in reason:
        return reason
    reason = _fault_beside_strings(column)
    if reason is not None:
        return reason
    # If the column is a slice, Arrow has checked the values of all rows of the whole, also those outside the slice. So
    # the slice's own values are checked alone.
    return _fault_of_all(_alone(column))


def _fault_beside_strings(column: pa.Array) -> str | None:
    """A fault beside those of strings. Arrow reports only the first fault of a column, which may hide another one."""
    if pa.types.is_dictionary(column.type):
        values = pa.nulls(len(column.dictionary))
        of_indices = _fault_of_all(pa.DictionaryArray.from_arrays(column.indices, values, safe=False))
        return of_indices or _fault_beside_strings(column.dictionary)
    if pa.types.is_nested(column.type):
        column = column.view(_of_bytes(column.type))
    reason = _fault_of_all(column)
    return None if reason is None or "UTF8" in reason else reason


def _of_bytes(type: pa.DataType) -> pa.DataType:
    """The type with binary for strings."""
    if pa.types.is_struct(type):
        return pa.struct([field.with_type(_of_bytes(field.type)) for field in type])
    if pa.types.is_map(type):
        return pa.map_(_of_bytes(type.key_type), _of_bytes(type.item_type), type.keys_sorted)
    if pa.types.is_list(type):
        return pa.list_(type.value_field.with_type(_of_bytes(type.value_type)))
    if pa.types.is_large_list(type):
        return pa.large_list(type.value_field.with_type(_of_bytes(type.value_type)))
    if pa.types.is_fixed_size_list(type):
        return pa.list_(type.value_field.with_type(_of_bytes(type.value_type)), type.list_size)
    return {pa.string(): pa.binary(), pa.large_string(): pa.large_binary()}.get(type, type)


def _fault_of_all(column: pa.Array) -> str | None:
    try:
        column.validate(full=True)
    except pa.ArrowInvalid as error:
        return str(error)
    return None


def _alone(column: pa.Array) -> pa.Array:
    """A copy of the rows without values of other rows. A dictionary stays whole, because all of it would be written."""
    try:
        return column.take(pa.array(range(len(column)), pa.int64()))
    except pa.ArrowNotImplementedError:
        return column


def _first_fault(column: pa.Array) -> int | None:
    """The first row that is at fault by itself; None if the fault belongs to all rows, such as one in a dictionary."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if _fault_of(column) is None or _fault_of(column.slice(0, 0)) is not None:
        return None
    begin, end = 0, len(column)  # the row is in [begin, end)
    while end - begin > 1:
        middle = (begin + end) // 2
        if _fault_of(column.slice(begin, middle - begin)) is None:
            begin = middle
        else:
            end = middle
    return begin
