"""Searches texts that arrive in pieces."""

from __future__ import annotations

import gzip
import io
import os
import threading
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import leftmost, occurrences

import lode


def all_of(batches) -> list[tuple]:
    found = []
    for batch in batches:
        assert batch.dtype == lode.match_dtype and len(batch) != 0
        found += batch.tolist()
    return found


@given(
    st.lists(st.lists(st.sampled_from(b"ab"), max_size=20).map(bytes), max_size=20),
    st.lists(st.lists(st.sampled_from(b"ab"), min_size=1, max_size=9).map(bytes), min_size=1, max_size=8),
    st.booleans(),
    st.sampled_from(["overlapping", "leftmost-longest", "leftmost-first"]),
)
def test_pieces_against_loops(pieces, patterns, flush, kind):
    text = b"".join(pieces)
    expected = occurrences(text, patterns)
    if kind != "overlapping":
        expected = leftmost(expected, kind == "leftmost-longest")
    searcher = lode.Searcher(patterns, match_kind=kind)
    assert all_of(searcher.find_iter(pieces, flush=flush)) == expected
    assert all_of(searcher.find_iter(iter(pieces), flush=flush)) == expected
    assert all_of(searcher.find_iter(io.BytesIO(text), piece_bytes=3, flush=flush)) == expected
    assert all_of(searcher.find_iter(text, flush=flush)) == expected


def test_kinds_of_sources(tmp_path: Path):
    searcher = lode.Searcher(["he", "she"])
    expected = [(1, 1, 3), (2, 0, 2)]
    path = tmp_path / "text"
    path.write_bytes(b"ushers")
    packed = tmp_path / "text.gz"
    packed.write_bytes(gzip.compress(b"ushers"))
    for source in (b"ushers", "ushers", bytearray(b"ushers"), path, ["us", b"he", memoryview(b"rs")]):
        assert all_of(searcher.find_iter(source)) == expected
    for file in (open(path, "rb"), open(path, "rb", buffering=0), gzip.open(packed)):
        with file:
            assert all_of(searcher.find_iter(file, piece_bytes=2)) == expected

    class OnlyRead:
        def __init__(self):
            self.left = [b"us", b"hers", b""]

        def read(self, size):
            return self.left.pop(0)

    assert all_of(searcher.find_iter(OnlyRead())) == expected


def test_sources_that_fail(tmp_path: Path):
    searcher = lode.Searcher(["he"])
    with pytest.raises(TypeError, match="binary"):
        list(searcher.find_iter(io.StringIO("ushers")))
    with pytest.raises(TypeError):
        list(searcher.find_iter(5))
    with pytest.raises(TypeError):
        list(searcher.find_iter([5]))
    with pytest.raises(lode.InputOutputError):
        list(searcher.find_iter(tmp_path / "absent"))
    with pytest.raises(lode.InvalidArgumentError):
        list(searcher.find_iter(b"", piece_bytes=0))

    def pieces():
        yield b"he"
        raise KeyError("the writer failed")

    with pytest.raises(KeyError):
        list(searcher.find_iter(pieces()))


def test_columns_are_no_texts_in_pieces():
    """Rows would be joined, and a match that crosses two of them is not one."""
    searcher = lode.Searcher(["he", "she"])
    column = pa.array(["us", "hers"])
    pandas_like = type("Series", (list,), {"__array__": None})
    for source in (
        column,
        pa.chunked_array([column, column]),
        pa.table({"text": column}),
        column.dictionary_encode(),
        lode.Records(["us", "hers"]),
        np.array(["us", "hers"]),
        np.array(["us", "hers"], object),
        pandas_like(["us", "hers"]),
    ):
        with pytest.raises(TypeError, match=r"find_in_records\(\)"):
            searcher.find_iter(source)
    assert searcher.find_in_records(column).matches.tolist() == [(0, 0, 2)]
    assert all_of(searcher.find_iter(column.to_pylist())) == [(1, 1, 3), (2, 0, 2)]  # these are pieces of one text


def test_a_stream_larger_than_its_buffer():
    searcher = lode.Searcher([b"needle", b"le"], threads=1)
    piece = b"." * 999_997 + b"needle"
    pieces = 24
    offsets = [number * len(piece) + 999_997 for number in range(pieces)]
    expected = [match for at in offsets for match in ((at, 0, 6), (at + 4, 1, 2))]
    batches = list(searcher.find_iter(piece for _ in range(pieces)))
    assert len(batches) > 1
    assert np.concatenate(batches).tolist() == expected
    assert all_of(searcher.find_iter(piece * pieces)) == expected


def test_flush_reports_from_a_pipe_that_stays_open():
    searcher = lode.Searcher([b"he"])
    read_end, write_end = os.pipe()
    with open(read_end, "rb", buffering=0) as file, open(write_end, "wb", buffering=0) as writer:
        batches = searcher.find_iter(file, flush=True)
        writer.write(b"the end ...")
        assert next(batches).tolist() == [(1, 0, 2)]
        writer.write(b"he")
        threading.Timer(0.05, writer.close).start()
        assert all_of(batches) == [(11, 0, 2)]


def test_a_stream_may_be_left_early():
    batches = lode.Searcher([b"e"]).find_iter((b"he" for _ in range(10)), flush=True)
    assert next(batches)["offset"].tolist() == [1]
    batches.close()


def test_conditions_hold_across_pieces():
    searcher = lode.Searcher(["cat"], condition="whole-word")
    assert all_of(searcher.find_iter([b"con", b"cat c", b"at", b"!"])) == [(7, 0, 3)]
