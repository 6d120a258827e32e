"""Strings that are none: what readers let pass and no file with strings may hold."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from lode._table_command.errors import Refusal


def checked(batches: Iterator[pa.RecordBatch], path: str) -> Iterator[pa.RecordBatch]:
    """The same batches; strings that are not UTF-8 are refused with their row, from 1 on, and column."""
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
    # What is malformed otherwise must not be read: offsets may point anywhere.
    if reason is None or "UTF8" not in reason:
        return reason
    reason = _fault_beside_strings(column)
    if reason is not None:
        return reason
    # Of what a slice of lists, structures or a dictionary has within it, Arrow checks all that the whole has.
    return _fault_of_all(_alone(column))


def _fault_beside_strings(column: pa.Array) -> str | None:
    """What is malformed, which may lie behind the strings that Arrow told of."""
    if pa.types.is_dictionary(column.type):
        values = pa.nulls(len(column.dictionary))
        of_indices = _fault_of_all(pa.DictionaryArray.from_arrays(column.indices, values, safe=False))
        return of_indices or _fault_beside_strings(column.dictionary)
    if pa.types.is_nested(column.type):
        column = column.view(_of_bytes(column.type))
    reason = _fault_of_all(column)
    return None if reason is None or "UTF8" in reason else reason


def _of_bytes(type: pa.DataType) -> pa.DataType:
    """The same with binary for strings."""
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
    """The same rows without what others have; with all of a dictionary, which would be written."""
    try:
        return column.take(pa.array(range(len(column)), pa.int64()))
    except pa.ArrowNotImplementedError:
        return column


def _first_fault(column: pa.Array) -> int | None:
    """The first row that is at fault by itself; None where that is something of all rows, such as a dictionary."""
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
