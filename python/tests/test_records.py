"""Searches many short texts: lists, lines, and columns of Arrow."""

from __future__ import annotations

import gc

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from arrow_exporter import ArrayExporter, StreamExporter
from hypothesis import given
from hypothesis import strategies as st
from oracle import first_dense
from record_checks import check_all

import lode

patterns = [b"kitty", b"puppy", b"p"]
texts = [b"kitty and puppy", None, b"puppy, elephant", b"", b"none"]
dense = [[0, 10, 10], [-1, -1, -1], [-1, 0, 0], [-1, -1, -1], [-1, -1, -1]]
columns = [
    pa.array(texts, pa.binary()),
    pa.array(texts, pa.large_binary()),
    pa.array([text and text.decode() for text in texts], pa.string()),
    pa.array([text and text.decode() for text in texts], pa.large_string()),
    pa.array(texts, pa.binary_view()),
    pa.array([text and text.decode() for text in texts], pa.string_view()),
]
views = (pa.binary_view(), pa.string_view())

some_records = st.lists(
    st.one_of(st.none(), st.lists(st.sampled_from(b"ab\n"), max_size=30).map(bytes)), max_size=40
)
some_patterns = st.lists(st.lists(st.sampled_from(b"ab\n"), min_size=1, max_size=6).map(bytes), min_size=1, max_size=8)


@pytest.mark.parametrize("column", columns, ids=lambda column: str(column.type))
def test_columns(column):
    check_all(lode.Searcher(patterns), column, dense, texts)


@pytest.mark.parametrize("column", columns, ids=lambda column: str(column.type))
def test_slices_and_chunks(column):
    searcher = lode.Searcher(patterns)
    for begin in range(len(texts) + 1):
        for end in range(begin, len(texts) + 1):
            part = column.slice(begin, end - begin)
            check_all(searcher, part, dense[begin:end], texts[begin:end])
            chunked = pa.chunked_array([column.slice(end), part, column.slice(0, begin)], column.type)
            check_all(
                searcher,
                chunked,
                dense[end:] + dense[begin:end] + dense[:begin],
                texts[end:] + texts[begin:end] + texts[:begin],
            )


def test_no_chunks():
    check_all(lode.Searcher(patterns), pa.chunked_array([], pa.string()), [], [])


def test_fixed_size_binary():
    records = [b"abc", None, b"xab", b"bca"]
    column = pa.array(records, pa.binary(3))
    expected = [[0, 2], [-1, -1], [1, -1], [2, 1]]
    searcher = lode.Searcher(["a", "c"])
    check_all(searcher, column, expected, records)
    check_all(searcher, column.slice(1, 2), expected[1:3], records[1:3])
    assert lode.Records(column.slice(2)).copied_bytes == 0


@given(some_records, some_patterns, st.data())
def test_against_loops(records, patterns, data):
    searcher = lode.Searcher(patterns)
    expected = first_dense(records, patterns)
    check_all(searcher, records, expected, records)
    kind = data.draw(st.sampled_from([pa.binary(), pa.large_binary(), pa.binary_view()]))
    begin = data.draw(st.integers(0, len(records)))
    column = pa.array([b"filler", *records], kind).slice(1)
    cut = pa.chunked_array([column.slice(0, begin), column.slice(begin)])
    check_all(searcher, column, expected, records)
    check_all(searcher, cut, expected, records)


def test_long_views():
    """Views of more than twelve bytes point into other buffers."""
    records = [b"x" * number + b"needle" if number % 3 else None for number in range(100)]
    column = pa.array(records, pa.binary_view())
    check_all(lode.Searcher([b"needle"]), column, first_dense(records, [b"needle"]), records)


def test_views_in_blocks():
    """There are rows of some MiB, texts in order and out of order, and matches in every block."""
    long, short = b"x" * 40_000 + b"needle", b"needle"
    for records in (
        [long] * 400,
        [long if number % 3 else None for number in range(400)],
        [long if number % 100 else short for number in range(400)],
        [short, b"", None] * 200_000,
        [b"y" * (6 << 20) + short, None, b"y" * (6 << 20)],
    ):
        column = pl.Series(records, dtype=pl.Binary)
        for part in (column, column.reverse()):
            given = part.to_list()
            expected = [record is not None and record.endswith(b"needle") for record in given]
            searcher = lode.Searcher([b"needle", b"absent"], "cpu")
            held = lode.Records(part)
            assert searcher.contains(held).values.tolist() == expected
            assert searcher.count(held) == sum(expected)
            assert searcher.count_per_record(held).tolist() == expected
            assert searcher.find_in_records(held).rows.tolist() == np.flatnonzero(expected).tolist()
            assert (searcher.first(held)[:, 0] >= 0).tolist() == expected
            assert searcher.first(held, "sparse").row_starts[-1] == sum(expected)
            assert searcher.count_per_pattern(held).tolist() == [sum(expected), 0]
            assert held[-1] == given[-1]


def test_views_that_change():
    buffer = bytearray(b"a needle in a long haystack")
    views = np.zeros(4, np.int32)
    views[:] = [27, int.from_bytes(buffer[:4], "little"), 0, 0]
    column = pa.Array.from_buffers(
        pa.binary_view(), 1, [None, pa.py_buffer(views), pa.py_buffer(bytes(buffer))]
    )
    records = lode.Records(column)
    searcher = lode.Searcher(["needle"], "cpu")
    assert searcher.contains(records).to_pylist() == [True]
    for place, number in ((0, 28), (0, -1), (2, 1), (2, -1), (3, 1), (3, -5)):
        before = int(views[place])
        views[place] = number
        for search in (searcher.contains, searcher.find_in_records, lambda records: records[0]):
            with pytest.raises(lode.InvalidArgumentError, match="malformed"):
                search(records)
        views[place] = before
    assert searcher.find_in_records(records).matches.tolist() == [(2, 0, 6)]


def test_nothing_is_copied():
    for column in columns:
        if column.type in views:
            assert lode.Records(column).copied_bytes == sum(len(text or b"") for text in texts)
            continue
        for part in (column, column.slice(2)):
            records = lode.Records(part)
            assert records.copied_bytes == 0
            assert records.addresses == [part.buffers()[2].address]
    chunked = pa.chunked_array([columns[0], columns[0].slice(1)])
    assert lode.Records(chunked).addresses == [chunk.buffers()[2].address for chunk in chunked.chunks]
    text = bytearray(b"one\ntwo\n")
    lines = lode.Records.of_lines(text)
    assert lines.addresses == [np.frombuffer(text, np.uint8).ctypes.data] and lines.copied_bytes == 0


def test_results_are_exported_without_a_copy():
    found = lode.Searcher(patterns).contains(columns[0])
    first, second = pa.array(found), pa.array(found)
    assert first.buffers()[1].address == second.buffers()[1].address
    assert first.buffers()[0].address == second.buffers()[0].address
    del found, second
    gc.collect()
    assert first.to_pylist() == [True, None, True, False, False]
    unread = lode.Searcher(patterns).contains(columns[0]).__arrow_c_array__()
    del unread  # capsules that nobody takes over must release by themselves


def test_records_may_be_kept():
    records = lode.Records(pa.array(["a", None, "bc"]))
    gc.collect()
    assert [len(records), records.total_bytes, records.null_count, records.longest] == [3, 3, 1, 2]
    assert [records[0], records[1], records[-1]] == [b"a", None, b"bc"]
    with pytest.raises(IndexError):
        records[3]
    for _ in range(2):
        assert lode.Searcher(["c"]).first(records).tolist() == [[-1], [-1], [1]]


def test_lines_and_lengths():
    lines = lode.Records.of_lines("one\ntwo\n\nthree")
    assert [lines[number] for number in range(len(lines))] == [b"one", b"two", b"", b"three"]
    assert lode.Searcher(["o", "e"]).first(lines).tolist() == [[0, 2], [2, -1], [-1, -1], [-1, 3]]
    assert len(lode.Records.of_lines(b"a\0b\0", terminator=b"\0")) == 2
    blocks = lode.Records.of_length(np.frombuffer(b"abcabd", np.uint8), 3)
    assert lode.Searcher(["d", "ca"]).first(blocks).tolist() == [[-1, -1], [2, -1]]
    for length in (0, 4):
        with pytest.raises(lode.InvalidArgumentError):
            lode.Records.of_length(b"abc", length)


def test_patterns_from_a_column():
    for column in (pa.array(["she", "he"]), pa.chunked_array([["she"], ["he"]]), columns[0].slice(0, 1)):
        expected = column.cast(pa.binary()).to_pylist()
        assert list(lode.PatternSet(column)) == expected
        assert list(lode.Searcher(column).patterns) == expected
    with pytest.raises(lode.InvalidArgumentError, match="null"):
        lode.PatternSet(columns[0])


def test_a_given_matrix_is_filled():
    searcher = lode.Searcher(patterns)
    for kind in (np.int32, np.int64):
        out = np.full((5, 3), 7, kind)
        assert searcher.first(columns[0], out=out) is out
        assert out.tolist() == dense
    unfit = [np.zeros((5, 2), np.int32), np.zeros((5, 3), np.uint32), np.zeros((3, 5), np.int32).T]
    read_only = np.zeros((5, 3), np.int32)
    read_only.flags.writeable = False
    for out in (*unfit, read_only):
        with pytest.raises(lode.InvalidArgumentError):
            searcher.first(columns[0], out=out)
    with pytest.raises(lode.InvalidArgumentError):
        searcher.first(columns[0], "sparse", out=np.zeros((5, 3), np.int32))
    with pytest.raises(lode.InvalidArgumentError, match="form"):
        searcher.first(columns[0], "csr")


def test_statistics():
    stats: dict = {}
    lode.Searcher(patterns, "cpu").contains(pa.chunked_array([columns[0], columns[0]]), stats=stats)
    assert stats["matches"] == 4 and stats["device"] == "cpu" and stats["bytes"] == 2 * 34


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (pa.array([1, 2]), "'l'"),
        (pa.array([["a"]]), "binary or string"),
        (pa.table({"a": ["a"], "b": ["b"]}), "table of 2 columns; give one column"),
        (pa.record_batch({"a": ["a"], "b": ["b"]}), "one column"),
        (pa.table({}), "one column"),
        (pa.array([{"a": {"b": "c"}}]), "structures"),
        ({"a": "b"}, "not dict"),
        (pa.array([None, None]), "'n'"),
        ("one text", "one text"),
        (b"one text", "one text"),
        ([1], "a record must be"),
        (5, "not iterable"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_what_are_no_records(source, message):
    with pytest.raises(TypeError, match=message):
        lode.Records(source)


def test_forms_of_the_bit_matrix():
    many = [b"%02d" % number for number in range(20)]
    found = lode.Searcher(many).contains_matrix([b"05 17", None, b""])
    assert found.dtype == np.bool_ and found.shape == (3, 20)
    assert np.argwhere(found).tolist() == [[0, 5], [0, 17]]
    with pytest.raises(lode.InvalidArgumentError, match="form"):
        lode.Searcher(many).contains_matrix([], "csr")


def test_each_record_is_a_text_of_its_own():
    records = ["a cat", None, "cat", "concat", "", "cat cat"]
    words = lode.Searcher(["cat"], condition="whole-word").find_in_records(records)
    assert words.row_starts.tolist() == [0, 1, 1, 2, 2, 2, 4]
    assert words.matches["offset"].tolist() == [2, 0, 0, 4]
    longest = lode.Searcher(["at", "ata"], match_kind="leftmost-longest").find_in_records(["atata", "at"])
    assert longest.row_starts.tolist() == [0, 1, 2]
    assert longest.matches.tolist() == [(0, 1, 3), (0, 0, 2)]
    lines = lode.Records.of_lines("ab\nba\nab")
    assert lode.Searcher(["b", "\n", "ab", "ba"]).find_in_records(lines).matches.tolist() == [
        (0, 2, 2), (1, 0, 1), (0, 0, 1), (0, 3, 2), (0, 2, 2), (1, 0, 1)
    ]  # fmt: skip


def test_ranges_are_for_texts():
    searcher = lode.Searcher(patterns)
    for method in (searcher.count, searcher.count_per_pattern, searcher.contains):
        with pytest.raises(lode.InvalidArgumentError):
            method(columns[0], begin=1)


def test_leftmost_kinds_are_for_texts():
    searcher = lode.Searcher(patterns, match_kind="leftmost-first")
    with pytest.raises(lode.InvalidArgumentError):
        searcher.first(columns[0])
    assert searcher.count("puppy") == 1


def test_an_array_is_released_once():
    exporter = ArrayExporter([b"kitty", b"", b"puppy"])
    records = lode.Records(exporter)
    assert lode.Searcher(patterns).first(records)[:, :2].tolist() == [[0, -1], [-1, -1], [-1, 0]]
    assert exporter.array_releases == 0
    del records
    gc.collect()
    assert exporter.array_releases == 1

    exporter = ArrayExporter([b"kitty"])
    assert lode.Searcher(patterns).contains(exporter).values.tolist() == [True]
    gc.collect()
    assert exporter.array_releases == 1


def test_a_stream_is_released_once():
    exporter = StreamExporter([[b"kitty"], [], [b"puppy", b"none"]])
    records = lode.Records(exporter)
    assert (exporter.stream_releases, exporter.schema_releases, exporter.array_releases) == (1, 1, 0)
    assert lode.Searcher(patterns).contains(records).values.tolist() == [True, True, False]
    del records
    gc.collect()
    assert (exporter.stream_releases, exporter.schema_releases, exporter.array_releases) == (1, 1, 3)


def test_a_stream_that_fails():
    exporter = StreamExporter([[b"kitty"], [b"puppy"]], fails_at=1)
    with pytest.raises(lode.InputOutputError, match="the disk is gone"):
        lode.Records(exporter)
    gc.collect()
    assert (exporter.stream_releases, exporter.schema_releases, exporter.array_releases) == (1, 1, 1)


def test_columns_that_contradict_themselves():
    for offsets in ([0, 5, 3], [-1, 2, 3], [0, 3, -2], [0, -1, 3]):
        exporter = ArrayExporter([b"abcdef"], offsets)
        with pytest.raises(lode.InvalidArgumentError):
            lode.Records(exporter)
        gc.collect()
        assert exporter.array_releases == 1
    for format in (b"i", b"", b"w:x", b"w:-1"):
        exporter = StreamExporter([[b"a"]], format)
        with pytest.raises((TypeError, lode.InvalidArgumentError)):
            lode.Records(exporter)
        gc.collect()
        assert (exporter.stream_releases, exporter.schema_releases, exporter.array_releases) == (1, 1, 0)


def test_series_that_hold_arrow_data_without_exporting_it():
    class Extension:
        def __arrow_array__(self, type=None):
            return pa.chunked_array([["ushers", None], ["none"]])

    class Series:
        array = Extension()

    searcher = lode.Searcher(["he", "she", "hers"])
    assert pa.array(searcher.contains(Series())).to_pylist() == [True, None, False]
    assert searcher.count_per_record(Series()).tolist() == [3, 0, 0]
