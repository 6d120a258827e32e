"""Exports Arrow arrays and counts their releases. It uses only ctypes."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence


class ArrowSchema(ctypes.Structure):
    pass


class ArrowArray(ctypes.Structure):
    pass


class ArrowArrayStream(ctypes.Structure):
    pass


release_schema = ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowSchema))
release_array = ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowArray))
release_stream = ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowArrayStream))
get_schema = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ArrowArrayStream), ctypes.POINTER(ArrowSchema))
get_next = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ArrowArrayStream), ctypes.POINTER(ArrowArray))
get_last_error = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(ArrowArrayStream))

ArrowSchema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.c_void_p),
    ("dictionary", ctypes.c_void_p),
    ("release", release_schema),
    ("private_data", ctypes.c_void_p),
]
ArrowArray._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.c_void_p),
    ("dictionary", ctypes.c_void_p),
    ("release", release_array),
    ("private_data", ctypes.c_void_p),
]
ArrowArrayStream._fields_ = [
    ("get_schema", get_schema),
    ("get_next", get_next),
    ("get_last_error", get_last_error),
    ("release", release_stream),
    ("private_data", ctypes.c_void_p),
]

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Exporter:
    """Exports string columns ("u") once. The capsules have no destructors, so that only the consumer releases."""

    def __init__(self, chunks: Sequence[Sequence[bytes]], format: bytes = b"u", fails_at: int = -1) -> None:
        self.schema_releases = 0
        self.array_releases = 0
        self.stream_releases = 0
        self.format = format
        self.fails_at = fails_at
        self.given = 0
        self._keep: list = []
        self._chunks = list(chunks)
        # Callbacks must outlive the consumer's last call.
        self._release_schema = release_schema(self._on_release_schema)
        self._release_array = release_array(self._on_release_array)
        self._release_stream = release_stream(self._on_release_stream)
        self._get_schema = get_schema(self._on_get_schema)
        self._get_next = get_next(self._on_get_next)
        self._reason = ctypes.create_string_buffer(b"the disk is gone")
        self._get_last_error = get_last_error(lambda stream: ctypes.addressof(self._reason))

    def _on_release_schema(self, schema) -> None:
        self.schema_releases += 1
        schema.contents.release = release_schema()

    def _on_release_array(self, array) -> None:
        self.array_releases += 1
        array.contents.release = release_array()

    def _on_release_stream(self, stream) -> None:
        self.stream_releases += 1
        stream.contents.release = release_stream()

    def fill_schema(self, schema: ArrowSchema) -> None:
        schema.format = self.format
        schema.name = b""
        schema.release = self._release_schema

    def fill_array(self, array: ArrowArray, records: Sequence[bytes], offsets: Sequence[int] | None = None) -> None:
        if offsets is None:
            offsets = [0]
            for record in records:
                offsets.append(offsets[-1] + len(record))
        offset_buffer = (ctypes.c_int32 * len(offsets))(*offsets)
        data = ctypes.create_string_buffer(b"".join(records) + b"\0")
        buffers = (ctypes.c_void_p * 3)(None, ctypes.addressof(offset_buffer), ctypes.addressof(data))
        self._keep += [offset_buffer, data, buffers]
        array.length = len(offsets) - 1
        array.null_count = 0
        array.offset = 0
        array.n_buffers = 3
        array.buffers = ctypes.cast(buffers, ctypes.POINTER(ctypes.c_void_p))
        array.release = self._release_array

    def _on_get_schema(self, stream, schema) -> int:
        self.fill_schema(schema.contents)
        return 0

    def _on_get_next(self, stream, array) -> int:
        if self.given == self.fails_at:
            return 5
        if self.given == len(self._chunks):
            array.contents.release = release_array()
            return 0
        self.fill_array(array.contents, self._chunks[self.given])
        self.given += 1
        return 0


class ArrayExporter(Exporter):
    def __init__(self, records: Sequence[bytes], offsets: Sequence[int] | None = None, format: bytes = b"u") -> None:
        super().__init__([records], format)
        self._offsets = offsets

    def __arrow_c_array__(self, requested_schema=None):
        schema, array = ArrowSchema(), ArrowArray()
        self._keep += [schema, array]
        self.fill_schema(schema)
        self.fill_array(array, self._chunks[0], self._offsets)
        return (
            _new_capsule(ctypes.addressof(schema), b"arrow_schema", None),
            _new_capsule(ctypes.addressof(array), b"arrow_array", None),
        )


class StreamExporter(Exporter):
    def __arrow_c_stream__(self, requested_schema=None):
        stream = ArrowArrayStream()
        stream.get_schema = self._get_schema
        stream.get_next = self._get_next
        stream.get_last_error = self._get_last_error
        stream.release = self._release_stream
        self._keep.append(stream)
        return _new_capsule(ctypes.addressof(stream), b"arrow_array_stream", None)
