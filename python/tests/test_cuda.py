"""Searches and fills memory of a CUDA device where it lies. This needs a GPU and libcuda, but no other software."""

from __future__ import annotations

import ctypes
import gc

import numpy as np
import pytest
from cuda_memory import Cuda, DlpackArray, InterfaceArray

import lode

words = ["he", "she", "hers"]
text = b"ushers " * 5000
expected = lode.Searcher(words, "cpu").find(text).tolist()
absent = [row for row in lode.devices() if row.name.startswith("cuda") and not row.available]
if absent:
    pytest.skip(f"there is no CUDA device: {absent[0].reason}", allow_module_level=True)


@pytest.fixture(scope="module")
def cuda() -> Cuda:
    return Cuda()


@pytest.fixture(scope="module")
def searcher() -> lode.Searcher:
    return lode.Searcher(words, "cuda")


@pytest.mark.parametrize("make", [InterfaceArray, DlpackArray], ids=["interface", "dlpack"])
def test_texts_of_others(cuda, searcher, make):
    pointer = cuda.upload(text)
    source = make(pointer, (len(text),))
    assert searcher.find(source).tolist() == expected
    assert searcher.count(source) == len(expected)
    resident = lode.ResidentText(source, "cuda")
    assert len(resident) == len(text)
    for _ in range(2):
        assert searcher.count_per_pattern(resident).tolist() == [5000] * 3
    # This part begins at an odd address.
    assert searcher.find(make(pointer + 1, (5,))).tolist() == [(0, 1, 3), (1, 0, 2), (1, 2, 4)]
    assert searcher.count(make(pointer, (0,))) == 0
    cuda.free(pointer)


def test_what_is_held(cuda, searcher):
    pointer = cuda.upload(text)
    source = DlpackArray(pointer, (len(text),))
    assert searcher.count(source) == len(expected)
    gc.collect()
    assert source.releases == 1 and source.streams == [1]
    resident = lode.ResidentText(source, "cuda")
    gc.collect()
    assert source.releases == 1
    del resident
    gc.collect()
    assert source.releases == 2
    cuda.free(pointer)


def test_the_callers_stream_is_waited_for(cuda):
    size = 1 << 28
    pointer = cuda.allocate(size)
    stream = cuda.new_stream()
    searcher = lode.Searcher(["z" * 16], "cuda")
    searcher.prepare()
    for byte in b"azaz":
        for _ in range(20):
            cuda.set_later(pointer, byte, size, stream)
        found = searcher.count(InterfaceArray(pointer, (size,), stream=stream))
        assert found == (size - 15 if byte == ord("z") else 0)
    cuda.free(pointer)


def test_memory_that_is_not_the_devices(searcher):
    host = ctypes.create_string_buffer(text)
    with pytest.raises(lode.InvalidArgumentError):
        searcher.count(InterfaceArray(ctypes.addressof(host), (len(text),)))


def test_records_and_a_matrix_on_the_device(cuda, searcher):
    records = [b"ushers", None, b"", b"the hers"] * 100
    resident = lode.ResidentRecords(records, "cuda")
    on_host = lode.Searcher(words, "cpu").first(records)
    assert np.array_equal(searcher.first(resident), on_host)
    assert searcher.contains(resident).values.tolist() == (on_host >= 0).any(axis=1).tolist()
    for make in (
        lambda pointer: InterfaceArray(pointer, (400, 3), "<i4"),
        lambda pointer: DlpackArray(pointer, (400, 3), (0, 32)),
    ):
        pointer = cuda.upload(b"\7" * on_host.nbytes)
        out = make(pointer)
        assert searcher.first(resident, out=out) is out
        filled = np.frombuffer(cuda.download(pointer, on_host.nbytes), np.int32).reshape(400, 3)
        assert np.array_equal(filled, on_host)
        cuda.free(pointer)
    with pytest.raises(lode.Error) as caught:
        searcher.first(records, out=InterfaceArray(16, (400, 3), "<i4"))
    assert caught.value.kind == "unsupported"
