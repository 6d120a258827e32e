"""Tests arrays of devices without a device: which are refused, and why. DLPack arrays of the host are searched, too."""

from __future__ import annotations

import ctypes
import sys

import numpy as np
import pytest
from cuda_memory import DlpackArray, InterfaceArray

import lode
import lode._lode
from lode._device_arrays import device_array_of

words = ["he", "she", "hers"]
text = ctypes.create_string_buffer(b"ushers", 6)
address = ctypes.addressof(text)
cpu = lode.Searcher(words, "cpu")
has_cuda = any(row.available and row.name.startswith("cuda:") for row in lode.devices())


class Tensor:
    """An array with DLPack but without the buffer protocol, like those of PyTorch."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_dlpack_of_the_host():
    for source in (Tensor(np.frombuffer(b"ushers", np.uint8).copy()), DlpackArray(address, (6,), device=(1, 0))):
        assert cpu.find(source).tolist() == [(1, 1, 3), (2, 0, 2), (2, 2, 4)]
        assert cpu.count(source) == 3 and cpu.contains(source)
        assert cpu.count_per_pattern(source).tolist() == [1, 1, 1]
        assert cpu.find_first(source) == lode.Match(1, 1, 3)


def test_dlpack_of_the_host_is_let_go():
    source = DlpackArray(address, (6,), device=(1, 0))
    assert cpu.count(source) == 3
    assert source.releases == len(source.streams) == 1


def test_wrong_dtypes():
    wrong = (
        Tensor(np.zeros(4, np.float32)),
        DlpackArray(address, (1,), dtype=(2, 32)),
        InterfaceArray(address, (1,), "<f4"),
    )
    for source in wrong:
        with pytest.raises(TypeError, match="uint8"):
            cpu.count(source)


def test_arrays_that_are_not_contiguous():
    with pytest.raises((lode.InvalidArgumentError, BufferError, ValueError)):
        cpu.count(Tensor(np.zeros((4, 4), np.uint8)[:, ::2]))
    for source in (
        InterfaceArray(address, (3,), strides=(2,)),
        InterfaceArray(address, (2, 3), strides=(1, 2)),
        DlpackArray(address, (3,), strides=(2,)),
        DlpackArray(address, (2, 2), strides=(1, 2)),
    ):
        with pytest.raises(lode.InvalidArgumentError, match="contiguous"):
            cpu.count(source)


def test_masks_and_other_devices():
    with pytest.raises(TypeError, match="mask"):
        cpu.count(InterfaceArray(address, (6,), mask=object()))
    with pytest.raises(TypeError, match="number for it is 10"):
        cpu.count(DlpackArray(address, (6,), device=(10, 0)))


def test_what_arrays_say():
    for source, kind, read_only, stream in (
        (InterfaceArray(16, (2, 3), "<i4", read_only=True, stream=7), "i", True, 7),
        (InterfaceArray(16, (2, 3), "<u4", strides=(12, 4)), "u", False, None),
        (DlpackArray(16, (2, 3), (0, 32)), "i", False, 1),
        (DlpackArray(16, (2, 3), (2, 32), strides=(3, 1)), "f", False, 1),
    ):
        array = device_array_of(source)
        assert array is not None
        assert (array.pointer, array.shape, array.item_bytes, array.size_bytes) == (16, (2, 3), 4, 24)
        assert (array.kind, array.is_read_only, array.stream) == (kind, read_only, stream)
    assert device_array_of(np.zeros(3)) is None and device_array_of(None) is None


def test_interfaces_of_before_streams():
    """Version 2 of the interface names no stream. PyTorch has that version, so its work is ordered through DLPack."""
    alone = InterfaceArray(16, (6,), version=2)
    array = device_array_of(alone)
    assert array is not None and array.stream == 1
    both = DlpackArray(16, (6,))
    both.__cuda_array_interface__ = alone.__cuda_array_interface__
    array = device_array_of(both)
    assert array is not None and array.stream == 1
    assert both.streams == [1]
    both.__cuda_array_interface__ = InterfaceArray(16, (6,), stream=7).__cuda_array_interface__
    array = device_array_of(both)
    assert array is not None and array.stream == 7
    assert both.streams == [1]


@pytest.mark.parametrize("is_read_only", [False, True])
def test_capsules_of_dlpack_1(is_read_only):
    array = np.arange(6, dtype=np.int32).reshape(2, 3)
    array.flags.writeable = not is_read_only
    capsule = array.__dlpack__(max_version=(1, 0))
    pointer, shape, strides, kind, item_bits, read_only, owner = lode._lode.inspect_dlpack(capsule)
    assert (pointer, shape, strides) == (array.ctypes.data, [2, 3], [3, 1])
    assert (kind, item_bits, read_only) == ("i", 32, is_read_only)
    before = sys.getrefcount(array)
    del capsule, owner
    assert sys.getrefcount(array) == before - 1


def test_the_cpu_cannot_search_them():
    for source in (InterfaceArray(address, (6,)), DlpackArray(address, (6,))):
        for search in (cpu.find, cpu.count, cpu.contains, cpu.find_first, cpu.count_per_pattern):
            with pytest.raises(lode.Error, match="the device is cpu") as caught:
                search(source)
            assert caught.value.kind == "unsupported"
        with pytest.raises(lode.Error, match="the device is cpu"):
            lode.ResidentText(source, "cpu")


@pytest.mark.skipif(has_cuda, reason="there is a CUDA device")
def test_without_a_cuda_device():
    source = InterfaceArray(address, (6,))
    with pytest.raises(lode.Error) as caught:
        lode.ResidentText(source, "cuda")
    assert caught.value.kind == "device"
    opencl = [row.name for row in lode.devices() if row.available and row.name.startswith("opencl:")]
    for name in opencl[:1]:
        with pytest.raises(lode.Error) as caught:
            lode.ResidentText(source, name)
        assert caught.value.kind == "unsupported"


def test_matrices_that_cannot_be_filled():
    records = lode.Records(["kitty", "puppy"])
    for out, message in (
        (InterfaceArray(address, (2, 3), "<f4"), "of int32"),
        (InterfaceArray(address, (2, 3), "<u4"), "of int32"),
        (InterfaceArray(address, (2, 3), "<i8"), "of int32"),
        (InterfaceArray(address, (3, 2), "<i4"), "shape"),
        (InterfaceArray(address, (2, 3), "<i4", read_only=True), "written"),
        (InterfaceArray(address, (2, 3), "<i4", strides=(4, 8)), "contiguous"),
        (DlpackArray(address, (2, 3), (2, 32)), "of int32"),
    ):
        with pytest.raises(lode.InvalidArgumentError, match=message):
            cpu.first(records, out=out)
    with pytest.raises(lode.Error, match="the device is cpu"):
        cpu.first(records, out=InterfaceArray(address, (2, 3), "<i4"))


@pytest.mark.parametrize("array", [np.array(["kitty"], object), np.array(["kitty"])])
def test_arrays_whose_memory_holds_no_text(array):
    with pytest.raises(TypeError, match="cannot be searched"):
        lode.Searcher(["kitty"]).contains(array)
