"""Reads arrays that are not buffers, in the memory of GPUs or of the host: __cuda_array_interface__ and DLPack."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lode import _lode
from lode._errors import make_error

_cpu, _cuda, _cuda_host, _cuda_managed = 1, 2, 3, 13  # DLPack's numbers for kinds of devices
_legacy_default_stream = 1


class DeviceArray(NamedTuple):
    """A contiguous array in the memory of a CUDA device."""

    pointer: int
    shape: tuple[int, ...]
    item_bytes: int
    kind: str
    """The kind of its elements, as NumPy names it: 'i', 'u', 'f' …"""
    is_read_only: bool
    stream: int | None
    """The stream that writes the array and must be waited for; None if there is none."""
    owner: Any
    """The object that keeps the memory alive."""

    @property
    def size_bytes(self) -> int:
        return math.prod(self.shape) * self.item_bytes


def device_array_of(source: Any) -> DeviceArray | None:
    """The array if the source is one of CUDA, else None."""
    interface = getattr(source, "__cuda_array_interface__", None)
    # PyTorch's interface is of a version that names no stream. With DLPack PyTorch orders its work itself.
    if interface is not None and (_names_streams(interface) or not hasattr(source, "__dlpack__")):
        try:
            return _of_interface(source, interface)
        except (KeyError, IndexError) as error:
            raise make_error("invalid_argument", f"the array's __cuda_array_interface__ lacks {error}") from error
    kind = _dlpack_kind(source)
    return _of_dlpack(source) if kind in (_cuda, _cuda_managed) else None


def text_of(source: Any, device: _lode.Device) -> Any:
    """The source as a search takes it: an array of CUDA as a ResidentText, a host's with DLPack alone as a buffer."""
    if isinstance(source, np.ndarray) and source.dtype.kind in "OU":
        raise TypeError(f"a NumPy array of {source.dtype} cannot be searched; pass a list of str, or an Arrow column")
    if isinstance(source, (bytes, str, np.ndarray)):
        return source
    array = device_array_of(source)
    if array is not None:
        if array.item_bytes != 1:
            raise TypeError(f"a text needs elements of one byte, not of {array.item_bytes}: view the array as uint8")
        return adopt(array, device)
    kind = _dlpack_kind(source)
    if kind is None:
        return source
    if kind not in (_cpu, _cuda_host):
        raise TypeError(f"the array is in the memory of a device that is not CUDA (DLPack's number for it is {kind})")
    try:
        view = np.from_dlpack(source)
    except (ValueError, BufferError, RuntimeError) as error:
        raise make_error("invalid_argument", f"the array cannot be read: {error}") from error
    if view.dtype.itemsize != 1:
        raise TypeError(f"a text needs elements of one byte, not of {view.dtype.itemsize}: view the array as uint8")
    return view


def adopt(array: DeviceArray, device: _lode.Device) -> _lode.ResidentText:
    """The array's bytes as a text. Waits until its stream has written them."""
    wait_for(array, device)
    return _lode.adopt(device, array.pointer, array.size_bytes, array.owner)


def wait_for(array: DeviceArray, device: _lode.Device) -> None:
    """Waits until the array's stream has written it."""
    if device.name == "cpu":
        reason = "the array is in the memory of a GPU, and the device is cpu: use 'cuda', or copy it to the host"
        raise make_error("unsupported", reason)
    if array.stream is not None:
        _lode.wait_for_stream(device, array.stream)


def _names_streams(interface: Any) -> bool:
    return bool(interface.get("version", 0) >= 3)


def _of_interface(source: Any, interface: Any) -> DeviceArray:
    if interface.get("mask") is not None:
        raise TypeError("an array with a mask cannot be searched")
    kind = interface["typestr"]
    shape = tuple(interface["shape"])
    if not kind[2:].isdecimal():
        raise make_error("invalid_argument", f"the array's __cuda_array_interface__ has the type {kind!r}")
    item_bytes = int(kind[2:])
    strides = interface.get("strides")
    if strides is not None:
        _require_contiguous(shape, strides, item_bytes)
    pointer, is_read_only = interface["data"]
    stream = interface.get("stream") if _names_streams(interface) else _legacy_default_stream
    return DeviceArray(pointer or 0, shape, item_bytes, kind[1], is_read_only, stream, source)


def _of_dlpack(source: Any) -> DeviceArray:
    # The producer makes this stream wait for its work, and the search then waits for the stream.
    try:
        capsule = source.__dlpack__(stream=_legacy_default_stream, max_version=(1, 0))
    except TypeError:  # the producer is older than DLPack 1.0, which brought max_version
        capsule = source.__dlpack__(stream=_legacy_default_stream)
    pointer, shape, strides, kind, item_bits, is_read_only, owner = _lode.inspect_dlpack(capsule)
    _require_contiguous(shape, strides, 1)
    return DeviceArray(
        pointer, tuple(shape), item_bits // 8, kind, is_read_only, _legacy_default_stream, owner
    )


def _dlpack_kind(source: Any) -> int | None:
    ask = getattr(source, "__dlpack_device__", None)
    return None if ask is None else int(ask()[0])


def _require_contiguous(shape: Sequence[int], strides: Sequence[int], step: int) -> None:
    for length, stride in zip(reversed(shape), reversed(strides)):
        if length > 1 and stride != step and 0 not in shape:
            raise make_error("invalid_argument", "the array is not contiguous: make a contiguous copy of it")
        step *= length
