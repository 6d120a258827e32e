"""Puts replacements in the place of matches, in texts and in columns of any library."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from lode import _lode
from lode._columns import column_of, is_of, records_of, records_or_text
from lode._errors import make_error
from lode._results import Match, form_names, matches_of

_Text = Union[str, bytes]
Replacement = Union[_Text, Sequence[_Text], Mapping[str, _Text], Callable[[Match, bytes], _Text]]


def constants_of(replacement: Any, mask: Any, patterns: _lode.PatternSet) -> tuple[str, Any] | None:
    """The replacements as the core takes them; None if a function gives them."""
    if replacement is not None and mask is not None:
        raise TypeError("replace() takes a replacement or a mask")
    if mask is not None:
        return "mask", mask
    if replacement is None and not patterns.has_replacements:
        raise TypeError("replace() takes a replacement or a mask, for the patterns have no replacements of their own")
    if replacement is None or isinstance(replacement, (str, bytes)):
        return "own", replacement
    if isinstance(replacement, Mapping):
        return "ids", _of_labels(replacement, patterns)
    if callable(replacement):
        return None
    if isinstance(replacement, Iterable):
        return "ids", list(replacement)
    raise TypeError(
        f"a replacement is a str, bytes, a list by id, a dict by label or a function, not {type(replacement).__name__}"
    )


def _of_labels(replacements: Mapping[Any, Any], patterns: _lode.PatternSet) -> list[Any]:
    """A replacement for each pattern; what a dict does not name stays as it is."""
    labels = [patterns.label(id) or patterns[id].decode("utf-8", "surrogateescape") for id in range(len(patterns))]
    unknown = set(replacements) - set(labels)
    if unknown:
        raise make_error("invalid_argument", f"no pattern has the label {sorted(map(str, unknown))[0]!r}")
    return [replacements.get(label, "{match}") for label in labels]


def rewrite(core: Any, source: Any, replacement: Any, mask: Any, asked: Any) -> Any:
    """The source with replacements; the core has a leftmost match kind."""
    constants = constants_of(replacement, mask, core.plan.patterns)
    records = records_or_text(source)
    if records is None:
        if constants is not None:
            text = core.rewrite(source, constants, asked)
        else:
            text = _by_function(core, source, replacement, asked)
        return text.decode() if isinstance(source, str) else text
    if constants is not None:
        offsets, text, validity = core.rewrite_records(records, constants, asked)
        return _like(source, offsets, text, validity)
    return _rows_by_function(core, source, records, replacement, asked)


def _by_function(core: Any, source: Any, function: Callable[[Match, bytes], Any], asked: Any) -> bytes:
    if hasattr(source, "__fspath__"):
        with open(source, "rb") as file:
            text = file.read()
    else:
        text = source.encode() if isinstance(source, str) else bytes(source)
    matches = matches_of(core.find(text, 0, None, asked), bool(core.plan.forms))
    return _replaced(text, matches, function, _codec_of(core.plan.view, text))


def _codec_of(view: str, text: bytes) -> str:
    """The encoding of a text that is searched through a view, as Python names it."""
    encoding = view.split(",")[0]
    detects = encoding == "auto"
    marks = {
        "utf-32": ((b"\xff\xfe\0\0", "utf-32le"), (b"\0\0\xfe\xff", "utf-32be")),
        "utf-16": ((b"\xff\xfe", "utf-16le"), (b"\xfe\xff", "utf-16be")),
    }
    for kind, codecs in marks.items():
        for mark, codec in codecs:
            if (detects or encoding == kind) and text.startswith(mark):
                return codec
        if encoding == kind:
            return kind + "le"
    is_encoding = encoding.startswith(("utf-", "latin-", "iso-", "windows-", "koi8-"))
    return encoding if is_encoding else "utf-8"


def _replaced(
    text: bytes, matches: npt.NDArray[np.void], function: Callable[[Match, bytes], Any], codec: str
) -> bytes:
    parts = []
    at = 0
    for offset, pattern, length, *form in matches.tolist():
        parts.append(text[at:offset])
        at = offset + length
        given = function(Match(offset, pattern, length), text[offset:at])
        if not isinstance(given, (str, bytes)):
            raise TypeError(f"a replacement is str or bytes, not {type(given).__name__}")
        of_form = form_names[form[0]] if form else ""
        encoding = of_form if of_form.startswith("utf-16") and codec == "utf-8" else codec
        parts.append(_encoded(given, encoding) if isinstance(given, str) else given)
    parts.append(text[at:])
    return b"".join(parts)


def _encoded(replacement: str, codec: str) -> bytes:
    try:
        return replacement.encode(codec)
    except UnicodeEncodeError as error:
        lacking = replacement[error.start : error.end]
        raise make_error("invalid_argument", f"'{lacking}' is not in {codec}, the encoding of the text") from None


def _rows_by_function(core: Any, source: Any, records: Any, function: Any, asked: Any) -> Any:
    row_starts, found = core.find_in_records(records, asked)
    matches = matches_of(found, bool(core.plan.forms))
    offsets = np.zeros(len(records) + 1, np.int64)
    rows = []
    for row in range(len(records)):
        text = records[row]
        if text is not None:
            begin, end = int(row_starts[row]), int(row_starts[row + 1])
            codec = _codec_of(core.plan.view, text)
            rows.append(_replaced(text, matches[begin:end], function, codec) if begin != end else text)
        offsets[row + 1] = offsets[row] + (len(rows[-1]) if text is not None else 0)
    nulls = np.array([records[row] is None for row in range(len(records))], np.bool_)
    validity = np.packbits(~nulls, bitorder="little") if nulls.any() else np.empty(0, np.uint8)
    return _like(source, offsets, b"".join(rows), validity)


def _like(source: Any, offsets: npt.NDArray[np.int64], text: Any, validity: npt.NDArray[np.uint8]) -> Any:
    """Rows as the source has them: a column of the same library and type, or a list. `text` is a buffer."""
    if isinstance(source, (list, tuple)):
        return type(source)(_items(source, offsets, bytes(text)))
    import pyarrow as pa

    column = column_of(source)
    is_text, given = _type_of(column)
    made_type = pa.large_string() if is_text else pa.large_binary()
    bits = pa.py_buffer(validity) if len(validity) else None
    made = pa.Array.from_buffers(made_type, len(offsets) - 1, [bits, pa.py_buffer(offsets), pa.py_buffer(text)])
    if is_of(source, "polars", "Series"):
        return _series_of_polars(source, made)
    if given is not None and given != made_type:
        values = given.value_type if pa.types.is_dictionary(given) else given
        made = made.cast(values) if not pa.types.is_fixed_size_binary(values) else made.cast(pa.binary())
        if pa.types.is_dictionary(given):
            made = made.dictionary_encode().cast(given)
    if isinstance(source, pa.ChunkedArray):
        return pa.chunked_array([made])
    return _of_library(source, made)


def require_utf8(column: Any) -> None:
    """Raises lode.Error if a column of strings that were replaced holds bytes that are not UTF-8."""
    import pyarrow as pa

    try:
        column.validate(full=True)
    except pa.ArrowInvalid as error:
        message = "what is left after replacing is not UTF-8, because matches cut characters: search a column of bytes"
        raise make_error("invalid_argument", message) from error


def _items(source: Any, offsets: npt.NDArray[np.int64], text: bytes) -> list[Any]:
    items: list[Any] = []
    for row, given in enumerate(source):
        part = text[offsets[row] : offsets[row + 1]]
        items.append(None if given is None else part.decode() if isinstance(given, str) else part)
    return items


def _type_of(column: Any) -> tuple[bool, Any]:
    """Whether the rows of a column are str, and its type if it is of pyarrow or tells one."""
    import pyarrow as pa

    if isinstance(column, list):  # a Series of objects
        return any(isinstance(row, str) for row in column), None
    if isinstance(column, _lode.Records):
        return False, None
    arrow = column if isinstance(column, (pa.Array, pa.ChunkedArray)) else None
    given = arrow.type if arrow is not None else pa.chunked_array(column).type
    values = given.value_type if pa.types.is_dictionary(given) else given
    is_text = pa.types.is_string(values) or pa.types.is_large_string(values) or str(values) == "string_view"
    return is_text, given


def _series_of_polars(source: Any, made: Any) -> Any:
    """A Series of the type of the source; of strings for an Enum, which may lack what was written."""
    polars = sys.modules["polars"]
    require_utf8(made)  # polars does not look, and may do anything with other bytes
    series = polars.Series(source.name, polars.from_arrow(made))
    return series if source.dtype == polars.Enum else series.cast(source.dtype)


def _of_library(source: Any, made: Any) -> Any:
    if is_of(source, "pandas", "Series", "Index"):
        pandas = sys.modules["pandas"]
        values = made.to_pandas()
        # The categories of the source may lack what was written.
        kind = "category" if isinstance(source.dtype, pandas.CategoricalDtype) else source.dtype
        if isinstance(source, pandas.Series):
            return pandas.Series(values.array, index=source.index, name=source.name).astype(kind)
        return pandas.Index(values, name=source.name).astype(kind)
    return made
