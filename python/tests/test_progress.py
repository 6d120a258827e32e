"""A function that is given as `progress` hears how far a search is."""

from __future__ import annotations

import pytest
import pyarrow as pa

import lode

text = b"ushers " * 3_000_000
column = pa.chunked_array([[text[:700_000].decode()] * 5, [None], [text.decode()]])
searcher = lode.Searcher(["he", "she"], threads=2)
encoded = pa.array(["she " * 400_000, "he " * 400_000, None] * 5).dictionary_encode()
encoded_bytes = 7 * 400_000
column_bytes = 5 * 700_000 + len(text)


@pytest.mark.parametrize(
    ("search", "total"),
    [
        (lambda progress: searcher.find(text, progress=progress), len(text)),
        (lambda progress: searcher.count(text, progress=progress), len(text)),
        (lambda progress: searcher.count_per_pattern(text, progress=progress), len(text)),
        (lambda progress: searcher.count(column, progress=progress), column_bytes),
        (lambda progress: searcher.count_per_pattern(column, progress=progress), column_bytes),
        (lambda progress: searcher.count_per_record(column, progress=progress), column_bytes),
        (lambda progress: searcher.first(column, progress=progress), column_bytes),
        (lambda progress: searcher.first(column, "sparse", progress=progress), column_bytes),
        (lambda progress: searcher.find_in_records(column, progress=progress), column_bytes),
        (lambda progress: searcher.contains_matrix(column, progress=progress), column_bytes),
        (lambda progress: searcher.count(encoded, progress=progress), encoded_bytes),
        (lambda progress: searcher.count_per_pattern(encoded, progress=progress), encoded_bytes),
        (lambda progress: searcher.find_in_records(encoded, progress=progress), encoded_bytes),
    ],
)
def test_it_grows_to_the_whole(search, total):
    told: list[tuple[int, int]] = []
    search(lambda done, whole: told.append((done, whole)))
    assert told and told[-1] == (total, total)
    assert all(before[0] <= after[0] for before, after in zip(told, told[1:]))
    assert {whole for _, whole in told} == {total}


def test_a_plan():
    told: list[tuple[int, int]] = []
    lode.compile([b"%07d" % number for number in range(300_000)], progress=lambda done, whole: told.append((done, whole)))
    assert told and all(0 <= done <= whole for done, whole in told)


@pytest.mark.parametrize("source", [text, column], ids=["text", "column"])
def test_what_it_raises_ends_the_search(source):
    class Enough(Exception):
        pass

    calls = []

    def stop(done, whole):
        calls.append(done)
        raise Enough(done)

    with pytest.raises(Enough):
        searcher.count(source, progress=stop)
    assert len(calls) == 1
    assert searcher.count(b"ushers") == 2


def test_what_is_no_function():
    with pytest.raises(TypeError, match="progress"):
        searcher.count(text, progress=5)
