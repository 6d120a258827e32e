"""Finds a field of a table or an object by its name, or within structures as `a.b`. It needs pyarrow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc


def leaf_of(row: Mapping[str, Any], field: str) -> Any:
    """The value of a field, which may lie within objects as `a.b`; None if there is none."""
    if field in row:
        return row[field]
    value: Any = row
    for name in field.split("."):
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    return value


def has_leaf(row: Mapping[str, Any], field: str) -> bool:
    """Whether a row has a field, which may be null, and may lie within objects as `a.b`."""
    if field in row:
        return True
    *outer, last = field.split(".")
    value: Any = row
    for name in outer:
        value = value.get(name) if isinstance(value, Mapping) else None
    return isinstance(value, Mapping) and last in value


def leaf_type(schema: pa.Schema, field: str) -> pa.DataType | None:
    """The type of a field, which may lie within structures as `a.b`; None if there is none."""
    if field in schema.names:
        return schema.field(schema.names.index(field)).type
    type: pa.DataType = pa.struct(list(schema))
    for name in field.split("."):
        if not pa.types.is_struct(type) or type.get_field_index(name) < 0:
            return None
        type = type.field(name).type
    return type


def leaf_column(rows: Any, field: str) -> Any:
    """The column of a field of a table or a record batch, which may lie within structures as `a.b`."""
    if field in rows.schema.names:
        return rows.column(field)
    first, *inner = field.split(".")
    return pc.struct_field(rows.column(first), inner)


def with_leaf_column(batch: Any, field: str, column: Any) -> Any:
    """A record batch with another column for a field, which may lie within structures as `a.b`."""
    names = batch.schema.names
    path = [field] if field in names else field.split(".")
    columns = list(batch.columns)
    at = names.index(path[0])
    columns[at] = column if len(path) == 1 else _with_child(columns[at], path[1:], column)
    return pa.RecordBatch.from_arrays(columns, schema=batch.schema)


def _with_child(structure: Any, path: list[str], column: Any) -> Any:
    at = structure.type.get_field_index(path[0])
    children = structure.flatten()
    children[at] = column if len(path) == 1 else _with_child(children[at], path[1:], column)
    mask = structure.is_null() if structure.null_count else None
    return pa.StructArray.from_arrays(children, fields=list(structure.type), mask=mask)
