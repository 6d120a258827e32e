"""Allocates memory of a CUDA device with only ctypes and libcuda, and gives arrays in it as CuPy and PyTorch do."""

from __future__ import annotations

import ctypes
from typing import Any


class DLDevice(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("number", ctypes.c_int32)]


class DLDataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", DLDevice),
        ("ndim", ctypes.c_int32),
        ("dtype", DLDataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class DLManagedTensor(ctypes.Structure):
    pass


_deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(DLManagedTensor))
DLManagedTensor._fields_ = [("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", _deleter)]

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class InterfaceArray:
    """An array with __cuda_array_interface__."""

    def __init__(self, pointer: int, shape: tuple[int, ...], typestr: str = "|u1", **more: Any) -> None:
        self.__cuda_array_interface__ = {
            "shape": shape,
            "typestr": typestr,
            "data": (pointer, more.pop("read_only", False)),
            "version": 3,
            **more,
        }


class DlpackArray:
    """An array with DLPack of a version before 1. It counts its requests and releases, and lives until it is released.
    """

    _lent: list[DlpackArray] = []

    def __init__(
        self,
        pointer: int,
        shape: tuple[int, ...],
        dtype: tuple[int, int] = (1, 8),
        device: tuple[int, int] = (2, 0),
        strides: tuple[int, ...] | None = None,
    ) -> None:
        self.device = device
        self.streams: list[Any] = []
        self.releases = 0
        self._shape = (ctypes.c_int64 * len(shape))(*shape)
        self._strides = None if strides is None else (ctypes.c_int64 * len(strides))(*strides)
        self._release = _deleter(self._on_release)
        self._managed = DLManagedTensor()
        tensor = self._managed.tensor
        tensor.data = pointer
        tensor.device = DLDevice(*device)
        tensor.ndim = len(shape)
        tensor.dtype = DLDataType(dtype[0], dtype[1], 1)
        tensor.shape = ctypes.cast(self._shape, ctypes.POINTER(ctypes.c_int64))
        if self._strides is not None:
            tensor.strides = ctypes.cast(self._strides, ctypes.POINTER(ctypes.c_int64))
        self._managed.deleter = self._release

    def _on_release(self, managed: Any) -> None:
        self.releases += 1
        self._lent.remove(self)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device

    def __dlpack__(self, stream: Any = None) -> Any:
        self.streams.append(stream)
        self._lent.append(self)
        return _new_capsule(ctypes.addressof(self._managed), b"dltensor", None)


class Cuda:
    """The first device's primary context. Raises OSError with the reason if there is no device."""

    def __init__(self) -> None:
        self._driver = ctypes.CDLL("libcuda.so.1")
        self._run("cuInit", 0)
        count = ctypes.c_int()
        self._run("cuDeviceGetCount", ctypes.byref(count))
        if count.value == 0:
            raise OSError("the driver has no device")
        self._context = ctypes.c_void_p()
        self._run("cuDevicePrimaryCtxRetain", ctypes.byref(self._context), 0)
        self._run("cuCtxPushCurrent_v2", self._context)

    def _run(self, name: str, *arguments: Any) -> None:
        result = getattr(self._driver, name)(*arguments)
        if result != 0:
            raise OSError(f"{name} failed with {result}")

    def allocate(self, size: int) -> int:
        pointer = ctypes.c_uint64()
        self._run("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(size))
        return pointer.value

    def free(self, pointer: int) -> None:
        self._run("cuMemFree_v2", ctypes.c_uint64(pointer))

    def upload(self, data: bytes) -> int:
        pointer = self.allocate(max(len(data), 1))
        self._run("cuMemcpyHtoD_v2", ctypes.c_uint64(pointer), data, ctypes.c_size_t(len(data)))
        return pointer

    def download(self, pointer: int, size: int) -> bytes:
        data = ctypes.create_string_buffer(size)
        self._run("cuMemcpyDtoH_v2", data, ctypes.c_uint64(pointer), ctypes.c_size_t(size))
        return data.raw

    def new_stream(self) -> int:
        stream = ctypes.c_void_p()
        self._run("cuStreamCreate", ctypes.byref(stream), 1)  # 1 means that the default stream does not wait for it
        assert stream.value is not None
        return stream.value

    def set_later(self, pointer: int, byte: int, size: int, stream: int) -> None:
        self._run(
            "cuMemsetD8Async",
            ctypes.c_uint64(pointer),
            ctypes.c_ubyte(byte),
            ctypes.c_size_t(size),
            ctypes.c_void_p(stream),
        )
