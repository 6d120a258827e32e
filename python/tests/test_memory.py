"""A search keeps nothing that it was given, and everything that it needs lives while it runs."""

from __future__ import annotations

import gc
import mmap
import resource
import sys
import threading
import weakref

import numpy as np
import pyarrow as pa
import pytest

import lode


def test_nothing_is_kept():
    searcher = lode.Searcher(["he"])
    text = bytes(b"ushers" * 10)
    letters = "naïve ushers" * 10
    for source in (text, letters):
        before = sys.getrefcount(source)
        for _ in range(5):
            searcher.find(source)
            searcher.count(source)
            list(searcher.find_iter(source))
        assert sys.getrefcount(source) == before
    growing = bytearray(b"ushers")
    searcher.find(growing)
    list(searcher.find_iter(growing))
    growing += b"!"  # this would fail if the buffer were still exported
    with pytest.raises(TypeError):
        searcher.find(growing, begin="a")
    growing += b"!"
    with mmap.mmap(-1, 4096) as mapping:
        searcher.find(mapping)


def test_records_hold_what_they_borrow():
    growing = bytearray(b"one\ntwo")
    records = lode.Records.of_lines(growing)
    with pytest.raises(BufferError):
        growing += b"!"
    del records
    gc.collect()
    growing += b"!"


def test_records_hold_their_column():
    allocated = pa.total_allocated_bytes()
    column = pa.array([b"x" * 1000] * 1000)
    records = lode.Records(column)
    del column
    gc.collect()
    assert pa.total_allocated_bytes() > allocated
    assert lode.Searcher([b"x" * 1000]).count(records) == 1000
    del records
    gc.collect()
    assert pa.total_allocated_bytes() == allocated


def test_results_outlive_searchers():
    searcher = lode.Searcher(["a"])
    matches = searcher.find("aaa")
    counts = searcher.count_per_pattern("aaa")
    offsets = matches["offset"]
    del searcher, matches
    gc.collect()
    assert offsets.tolist() == [0, 1, 2] and counts.tolist() == [3]


def test_streams_hold_their_searcher():
    batches = lode.Searcher(["a"]).find_iter(iter([b"ba", b"a"]))
    gc.collect()
    assert np.concatenate(list(batches))["offset"].tolist() == [1, 2]


def test_searchers_go():
    searcher = lode.Searcher(["a"])
    searcher.find("aaa")
    alive = weakref.ref(searcher)
    del searcher
    gc.collect()
    assert alive() is None


def test_a_buffer_stays_exported_while_it_is_searched():
    """Another thread tries to resize the buffer during the search."""
    text = bytearray(b"a" * (1 << 20))
    searcher = lode.Searcher([b"a" * 5_000 + b"b"], "cpu", algorithm="naive", threads=1)
    searcher.prepare()
    refused = threading.Event()
    ended = threading.Event()

    def search():
        searcher.count(text)
        ended.set()

    thread = threading.Thread(target=search)
    thread.start()
    while not ended.is_set() and not refused.is_set():
        try:
            text += b"a"
        except BufferError:
            refused.set()
    thread.join()
    assert refused.is_set()
    text += b"a"


def test_nothing_leaks():
    searcher = lode.Searcher(["a", "b"])
    text = "ab" * 50_000
    column = pa.array([text] * 10)
    plan = lode.compile([str(number) for number in range(5000)])
    error_column = pa.array([1])

    def once():
        searcher.find(text)
        searcher.contains(column)
        pa.array(searcher.contains(column))
        searcher.first(column, "sparse")
        lode.Plan.loads(plan.dumps())
        list(searcher.find_iter(text))
        for source in (5, error_column):
            with pytest.raises(TypeError):
                lode.Records(source)
        with pytest.raises(lode.Error):
            lode.PatternSet(["a", ""])

    for _ in range(20):
        once()
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    rounds = 100
    for _ in range(rounds):
        once()
    gc.collect()
    grown_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    # A round has more than 3 MiB of results, so a leak of one round's would show.
    assert grown_kib < rounds * 1024
