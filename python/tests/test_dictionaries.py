"""Dictionary columns are searched by distinct value and answered by row."""

from __future__ import annotations

import gc

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import first_dense, occurrences
from record_checks import check_all

import lode

patterns = [b"kitty", b"puppy", b"p"]
values = [b"kitty and puppy", None, b"puppy, elephant", b"", b"none"]
indices = [2, 0, None, 1, 2, 4, 2, 3, 0, None, 4]
rows = [None if index is None else values[index] for index in indices]
value_types = [
    pa.binary(),
    pa.large_binary(),
    pa.string(),
    pa.large_string(),
    pa.binary_view(),
    pa.string_view(),
]
index_types = [pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64()]


def dictionary(
    indices, values, index_type: pa.DataType = pa.int32(), value_type: pa.DataType = pa.binary()
) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(indices, index_type), pa.array(values, value_type))


@pytest.mark.parametrize("value_type", value_types, ids=str)
@pytest.mark.parametrize("index_type", index_types, ids=str)
def test_types(index_type, value_type):
    is_text = pa.types.is_string(value_type) or value_type in (pa.large_string(), pa.string_view())
    given = [value.decode() if is_text and value is not None else value for value in values]
    column = dictionary(indices, given, index_type, value_type)
    check_all(lode.Searcher(patterns), column, first_dense(rows, patterns), rows)


def test_slices_and_chunks():
    searcher = lode.Searcher(patterns)
    column = dictionary(indices, values)
    other = dictionary([1, None, 0], [b"p", b"kitty"], pa.int8()).cast(column.type)
    dense = first_dense(rows, patterns)
    for begin in range(len(rows) + 1):
        for end in range(begin, len(rows) + 1):
            part = column.slice(begin, end - begin)
            check_all(searcher, part, dense[begin:end], rows[begin:end])
            chunked = pa.chunked_array([part, other], column.type)
            others = [b"kitty", None, b"p"]
            expected = dense[begin:end] + first_dense(others, patterns)
            check_all(searcher, chunked, expected, rows[begin:end] + others)


def test_fixed_size_values():
    column = dictionary([1, 0, None, 1], [b"abc", b"xab"], pa.int16(), pa.binary(3))
    records = [b"xab", b"abc", None, b"xab"]
    check_all(lode.Searcher(["a", "c"]), column, first_dense(records, [b"a", b"c"]), records)


def test_nulls_and_nothing():
    searcher = lode.Searcher(patterns)
    for column, expected in (
        (dictionary([], []), []),
        (dictionary([None, None], []), [None, None]),
        (dictionary([None, 0], [None]), [None, None]),
        (dictionary([0, 0], [b""]), [b"", b""]),
        (pa.chunked_array([], pa.dictionary(pa.int32(), pa.string())), []),
    ):
        check_all(searcher, column, first_dense(expected, patterns), expected)


@given(
    st.lists(st.one_of(st.none(), st.lists(st.sampled_from(b"ab\n"), max_size=20).map(bytes)), min_size=1, max_size=20),
    st.data(),
)
def test_against_loops(values, data):
    numbers = st.one_of(st.none(), st.integers(0, len(values) - 1))
    indices = data.draw(st.lists(numbers, max_size=60))
    words = data.draw(
        st.lists(st.lists(st.sampled_from(b"ab\n"), min_size=1, max_size=4).map(bytes), min_size=1, max_size=5)
    )
    column = dictionary([0, *indices], values, data.draw(st.sampled_from(index_types))).slice(1)
    records = [None if index is None else values[index] for index in indices]
    check_all(lode.Searcher(words), column, first_dense(records, words), records)


def test_distinct_values_are_searched_once():
    searcher = lode.Searcher(patterns, "cpu")
    column = dictionary([0, 1, 1, 0] * 1000, [b"kitty", b"x" * 100])
    stats: dict = {}
    assert searcher.contains(column, stats=stats).values.sum() == 2000
    assert (stats["bytes"], stats["matches"]) == (105, 2000)
    assert searcher.count(column, stats=stats) == 2000
    assert (stats["bytes"], stats["matches"]) == (105, 2000)
    searcher.first(column, stats=stats)
    assert (stats["bytes"], stats["matches"]) == (105, 2000)
    searcher.first(column, "sparse", stats=stats)
    assert (stats["bytes"], stats["matches"]) == (105, 2000)
    assert searcher.count_per_record(column, stats=stats).sum() == 2000
    assert (stats["bytes"], stats["matches"]) == (105, 2000)
    searcher.count_per_pattern(column, stats=stats)
    assert stats["matches"] == 2000 and stats["bytes"] < column.dictionary_decode().nbytes


def test_matrices_that_are_too_small():
    core = lode.Searcher(patterns)._core
    records = lode.Records(dictionary([0, 1, 1, 0], [b"kitty", b"x"]))
    for method, matrix in (
        (core.first_dense, np.zeros((2, 3), np.int32)),
        (core.contains_matrix, np.zeros((2, 1), np.uint8)),
    ):
        with pytest.raises(lode.Error) as caught:
            method(records, matrix, (None, None))
        assert caught.value.kind == "limit"


def test_records_of_a_dictionary():
    records = lode.Records(dictionary(indices, values))
    assert [len(records), records.null_count, records.longest] == [11, 3, 15]
    assert records.total_bytes == sum(len(row or b"") for row in rows)
    assert [records[number] for number in range(len(records))] == rows


def test_nothing_is_copied():
    column = dictionary(indices, values)
    records = lode.Records(column)
    assert records.copied_bytes == 0
    assert records.addresses == [column.dictionary.buffers()[2].address]


def test_a_slice_searches_what_it_uses():
    column = dictionary(range(1000), [b"%04d" % number for number in range(1000)])
    part = column.slice(500, 10)
    assert lode.Records(part).copied_bytes == 40
    stats: dict = {}
    assert lode.Searcher(["0503"], "cpu").contains(part, stats=stats).values.tolist() == [n == 3 for n in range(10)]
    assert stats["bytes"] == 40


def test_dictionaries_are_let_go():
    gc.collect()
    allocated = pa.total_allocated_bytes()
    records = lode.Records(dictionary(indices, values))
    gc.collect()
    assert lode.Searcher(patterns).count(records) == sum(len(occurrences(row or b"", patterns)) for row in rows)
    del records
    gc.collect()
    assert pa.total_allocated_bytes() == allocated


def test_patterns_of_a_dictionary():
    assert list(lode.PatternSet(dictionary([1, 0, 1], [b"he", b"she"]))) == [b"she", b"he", b"she"]
    with pytest.raises(lode.InvalidArgumentError, match="null"):
        lode.PatternSet(dictionary([1, None], [b"he", b"she"]))


def test_indices_that_point_nowhere():
    for index_type, index in ((pa.int32(), 2), (pa.int8(), -1), (pa.uint64(), 2**63)):
        numbers = pa.array([0, index], index_type)
        column = pa.DictionaryArray.from_arrays(numbers, pa.array(["a", "b"]), safe=False)
        with pytest.raises(lode.InvalidArgumentError, match="malformed"):
            lode.Records(column)
    # The index of a null may have any value.
    bits = pa.py_buffer(bytes([0b01]))
    numbers = pa.Array.from_buffers(pa.int32(), 2, [bits, pa.py_buffer(np.array([1, 77], np.int32))])
    column = pa.DictionaryArray.from_arrays(numbers, pa.array(["a", "b"]), safe=False)
    assert lode.Searcher(["b"]).contains(column).values.tolist() == [True, False]


@pytest.mark.parametrize("number", [77, -1, 2**31 - 1])
@pytest.mark.parametrize("is_null_first", [False, True])
def test_indices_that_change(number, is_null_first):
    """The owner of a column may change it at any time, so borrowed indices are checked whenever they are used."""
    numbers = np.array([1, 0, 2, 1], np.int32)
    bits = np.array([0b1011 if is_null_first else 0b1111], np.uint8)
    indices = pa.Array.from_buffers(pa.int32(), 4, [pa.py_buffer(bits), pa.py_buffer(numbers)])
    column = pa.DictionaryArray.from_arrays(indices, pa.array(["a", "ab", "b"]), safe=False)
    records = lode.Records(column)
    searcher = lode.Searcher(["b", "a"], "cpu")
    assert searcher.count_per_record(records).tolist() == [2, 1, 0 if is_null_first else 1, 2]
    numbers[2] = number
    bits[0] = 0b1111
    core = searcher._core
    for search in (
        searcher.contains,
        searcher.count_per_record,
        searcher.find_in_records,
        searcher.first,
        lambda records: searcher.first(records, "sparse"),
        searcher.contains_matrix,
        lambda records: records[2],
        lambda records: core.first_dense(records, np.zeros((4, 2), np.int64), (None, None)),
    ):
        with pytest.raises(lode.InvalidArgumentError, match="was changed after it was imported"):
            search(records)
    assert searcher.count(records) == (5 if is_null_first else 6)  # count() reads no index again
    assert records[3] == b"ab"
    numbers[2] = 0
    assert searcher.count_per_record(records).tolist() == [2, 1, 1, 2]


def test_dictionaries_of_other_types():
    with pytest.raises(TypeError, match="dictionary of the Arrow format 'l'"):
        lode.Records(pa.array([1, 2, 1]).dictionary_encode())
