"""BooleanColumn: a yes or no for each of many records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from lode import _lode


class BooleanColumn(np.ndarray[Any, np.dtype[np.bool_]]):
    """A bool for each record, or null where the record is null: an array of NumPy that knows its nulls.

    It works wherever an array of bools does, as in `frame[column]`, `frame["hit"] = column` and `~column & others`, and
    a null counts as False there. NumPy and pandas derive plain arrays from it. An index, iteration and `to_pylist` give
    True, False, or None for a null. A slice, or an array of indices, gives a BooleanColumn. It is also a column of
    Arrow: pyarrow.array(column), `to_arrow` and everything else that reads __arrow_c_array__ see the nulls. It is
    read-only.
    """

    # This is None in arrays that NumPy derives from a column, by reshape() or astype(). They are like any other array.
    _nulls: npt.NDArray[np.bool_] | None = None
    _bits: _lode.BooleanColumn | None = None

    def __new__(cls, values: npt.ArrayLike, nulls: npt.ArrayLike | None = None) -> BooleanColumn:
        given = np.array(values, np.bool_)
        lacks = np.zeros(given.shape, np.bool_) if nulls is None else np.array(nulls, np.bool_)
        if given.ndim != 1 or lacks.shape != given.shape:
            raise ValueError(f"a column needs a bool and a null for each record, not {given.shape} and {lacks.shape}")
        return of_arrays(given & ~lacks, lacks)

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        return array[()] if return_scalar or array.ndim == 0 else np.asarray(array)

    @property
    def values(self) -> npt.NDArray[Any]:
        """A plain array of bools, shape (records,); False for nulls. Each use makes a new one."""
        return np.array(self)

    @property
    def nulls(self) -> npt.NDArray[np.bool_]:
        """A plain array of bools, shape (records,): whether each record is null. Each use makes a new one."""
        return np.zeros(self.shape, np.bool_) if self._nulls is None else self._nulls.copy()

    @property
    def null_count(self) -> int:
        """The number of nulls."""
        return 0 if self._nulls is None else int(np.count_nonzero(self._nulls))

    def to_pylist(self) -> list[Any]:
        """A list with True, False, or None for each record; None stands for a null."""
        found: list[Any] = self.tolist()
        if self.null_count != 0 and self._nulls is not None:
            for null in np.flatnonzero(self._nulls).tolist():
                found[null] = None
        return found

    def to_arrow(self) -> Any:
        """A pyarrow.BooleanArray with the nulls."""
        import pyarrow as pa

        return pa.array(self)

    @property
    def __arrow_c_array__(self) -> Any:
        """The method of the Arrow C data interface. It ignores a requested schema, as the interface allows."""
        if self._nulls is None:
            raise AttributeError("an array that was derived from a BooleanColumn is not a column of Arrow")
        if self._bits is None:
            self._bits = _lode.BooleanColumn(np.asarray(self).view(np.uint8), self._nulls.view(np.uint8))
        return self._bits.__arrow_c_array__

    def __getitem__(self, index: Any) -> Any:
        found = np.asarray(self)[index]
        if self._nulls is None:
            return found
        nulls = self._nulls[index]
        if np.ndim(found) == 0:
            return None if nulls else bool(found)
        return of_arrays(found, nulls) if found.ndim == 1 else found

    def __iter__(self) -> Iterator[Any]:
        return iter(np.asarray(self)) if self._nulls is None else iter(self.to_pylist())

    def __bool__(self) -> bool:
        if self.size > 1:
            raise ValueError(
                f"the truth of {self.size} values is ambiguous: .any() tells whether a pattern occurs in any record, "
                ".all() whether one occurs in every record"
            )
        return bool(np.asarray(self))

    def __repr__(self) -> str:
        if self._nulls is None:
            return repr(np.asarray(self))
        return f"<lode.BooleanColumn: {len(self)} values, {self.null_count} nulls>"

    __str__ = __repr__

    def __copy__(self) -> BooleanColumn:
        return self

    def __deepcopy__(self, memo: Any) -> BooleanColumn:
        return self

    def __reduce__(self) -> Any:
        plain = np.asarray(self)
        return plain.__reduce__() if self._nulls is None else (of_arrays, (plain, self._nulls))


def of_arrays(values: npt.NDArray[np.bool_], nulls: npt.NDArray[np.bool_], bits: Any = None) -> BooleanColumn:
    """Makes a column of arrays that nobody else will change. Values of nulls must be False."""
    column: BooleanColumn = values.view(BooleanColumn)
    column.flags.writeable = False
    column._nulls = nulls
    column._bits = bits
    return column


def of_bits(bits: _lode.BooleanColumn) -> BooleanColumn:
    """Makes a column of the bits that a search gave."""
    return of_arrays(bits.values, bits.nulls, bits)
