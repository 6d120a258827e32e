"""Searches one text of every kind, and compares what is found."""

from __future__ import annotations

import array
import mmap
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import leftmost, occurrences

import lode

words = [b"he", b"she", b"hers"]
ushers = [(1, 1, 3), (2, 0, 2), (2, 2, 4)]

few_letters = st.lists(st.sampled_from(b"abAB\n\0"), max_size=200).map(bytes)
some_patterns = st.lists(
    st.one_of(
        st.lists(st.sampled_from(b"abAB\n\0"), min_size=1, max_size=12).map(bytes), st.binary(min_size=1, max_size=5)
    ),
    min_size=1,
    max_size=20,
)


def test_result_is_one_structured_array():
    matches = lode.Searcher(words).find(b"ushers")
    assert matches.tolist() == ushers
    assert matches.dtype == lode.match_dtype
    assert matches["offset"].dtype == np.uint64
    assert matches["pattern"].dtype == np.uint32
    assert matches["length"].dtype == np.uint32
    assert matches.flags.writeable and matches.flags.c_contiguous


def test_no_match_is_an_empty_array():
    searcher = lode.Searcher(words)
    for text in (b"", b"nothing"):
        matches = searcher.find(text)
        assert matches.shape == (0,)
        assert matches.dtype == lode.match_dtype
        assert searcher.find_first(text) is None
        assert searcher.count(text) == 0
        assert searcher.contains(text) is False


@pytest.mark.parametrize(
    "text",
    [
        b"ushers",
        "ushers",
        bytearray(b"ushers"),
        memoryview(b"ushers"),
        memoryview(b"..ushers..")[2:8],
        np.frombuffer(b"ushers", np.uint8),
        np.frombuffer(b"ushers", "S1"),
        array.array("B", b"ushers"),
    ],
    ids=lambda text: type(text).__name__,
)
def test_kinds_of_texts(text):
    searcher = lode.Searcher(words)
    assert searcher.find(text).tolist() == ushers
    assert searcher.count(text) == 3
    assert searcher.count_per_pattern(text).tolist() == [1, 1, 1]
    assert searcher.contains(text) is True
    assert searcher.find_first(text) == lode.Match(1, 1, 3)


def test_files_and_mappings(tmp_path: Path):
    path = tmp_path / "text"
    path.write_bytes(b"ushers")
    searcher = lode.Searcher(words)
    assert searcher.find(path).tolist() == ushers
    assert searcher.count(path) == 3
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapping:
        assert searcher.find(mapping).tolist() == ushers


def test_a_str_is_a_text_and_no_path(tmp_path: Path):
    path = tmp_path / "ushers"
    path.write_bytes(b"nothing")
    assert lode.Searcher(words).count(str(path)) == 3


def test_files_that_cannot_be_read(tmp_path: Path):
    searcher = lode.Searcher(words)
    for path in (tmp_path / "absent", tmp_path):
        with pytest.raises(lode.InputOutputError) as caught:
            searcher.find(path)
        assert caught.value.kind == "input_output"
        assert isinstance(caught.value, lode.Error) and isinstance(caught.value, OSError)
        assert str(path) in str(caught.value)


def test_what_is_no_text():
    searcher = lode.Searcher(words)
    for text in (5, None, object()):
        with pytest.raises(TypeError, match="a text must be"):
            searcher.find(text)
    with pytest.raises(TypeError, match="records"):
        searcher.find([b"a", b"b"])


def test_offsets_of_a_str_are_of_bytes():
    text = "naïve café, café"
    matches = lode.Searcher(["café"]).find(text)
    assert matches["offset"].tolist() == [7, 14]
    places = lode.code_point_offsets(text, matches["offset"])
    assert places.dtype == np.uint64
    assert [text[place : place + 4] for place in places.tolist()] == ["café", "café"]
    assert matches["length"].tolist() == [5, 5]


@given(st.text(max_size=50), st.randoms(use_true_random=False))
def test_code_point_offsets(text, random):
    encoded = text.encode("utf-8", "replace")
    text = encoded.decode()
    expected = [index for index, letter in enumerate(text) for _ in letter.encode()] + [len(text)]
    offsets = list(range(len(encoded) + 1))
    assert lode.code_point_offsets(text, offsets).tolist() == expected
    assert lode.code_point_offsets(encoded, offsets).tolist() == expected
    random.shuffle(offsets)
    assert lode.code_point_offsets(text, offsets).tolist() == [expected[offset] for offset in offsets]


def test_code_point_offsets_of_what_is_not_there():
    assert lode.code_point_offsets("abc", []).tolist() == []
    assert lode.code_point_offsets("äb", [[0, 2], [3, 1]]).tolist() == [[0, 1], [2, 0]]
    for offset in (4, -1):
        with pytest.raises(lode.InvalidArgumentError):
            lode.code_point_offsets("abc", [offset])
    for offset in (1 << 64, -(1 << 64)):
        with pytest.raises(lode.InvalidArgumentError, match="^an offset is negative or lies behind the text$"):
            lode.code_point_offsets("abc", [offset])
    with pytest.raises(lode.InvalidArgumentError, match="^offsets must form an array: "):
        lode.code_point_offsets("abc", [[0], [0, 1]])
    with pytest.raises(TypeError):
        lode.code_point_offsets("abc", [0.5])


@given(few_letters, some_patterns, st.booleans())
def test_against_loops(text, patterns, ignore_case):
    expected = occurrences(text, patterns, ignore_case)
    searcher = lode.Searcher(patterns, ignore_case=ignore_case)
    stats: dict = {}
    assert searcher.find(text, stats=stats).tolist() == expected
    assert stats["matches"] == len(expected) and stats["bytes"] == len(text)
    assert searcher.count(text) == len(expected)
    counts = [sum(match[1] == number for match in expected) for number in range(len(patterns))]
    assert searcher.count_per_pattern(text).tolist() == counts
    assert searcher.contains(text) == bool(expected)
    assert searcher.find_first(text) == (lode.Match(*expected[0]) if expected else None)


@given(few_letters, some_patterns, st.data())
def test_case_rule_of_each_pattern(text, patterns, data):
    rules = data.draw(st.lists(st.booleans(), min_size=len(patterns), max_size=len(patterns)))
    searcher = lode.Searcher(lode.PatternSet(patterns, ignore_case=rules))
    assert searcher.find(text).tolist() == occurrences(text, patterns, rules)


@given(few_letters, some_patterns, st.booleans())
def test_match_kinds(text, patterns, longest):
    searcher = lode.Searcher(patterns, match_kind="leftmost-longest" if longest else "leftmost-first")
    assert searcher.find(text).tolist() == leftmost(occurrences(text, patterns), longest)


@given(few_letters, some_patterns, st.integers(0, 210), st.integers(0, 210))
def test_ranges(text, patterns, begin, end):
    expected = [match for match in occurrences(text, patterns) if begin <= match[0] < end]
    searcher = lode.Searcher(patterns)
    assert searcher.find(text, begin=begin, end=end).tolist() == expected
    assert searcher.count(text, begin=begin, end=end) == len(expected)


def test_conditions():
    text = "a cat, concat\ncat\n"
    assert lode.Searcher(["cat"], condition="whole-word").find(text)["offset"].tolist() == [2, 14]
    assert lode.Searcher(["cat"], condition="whole-line").find(text)["offset"].tolist() == [14]
    by_null = lode.Searcher(["cat"], condition="whole-line", line_terminator=b"\0")
    assert by_null.find(b"a\0cat\0cat\n")["offset"].tolist() == [2]


@pytest.mark.parametrize("algorithm", [row.name for row in lode.algorithms()])
def test_algorithms(algorithm):
    stats: dict = {}
    searcher = lode.Searcher(words, "cpu", algorithm=algorithm)
    assert searcher.find("ushers", stats=stats).tolist() == ushers
    assert stats["algorithm"] == algorithm and stats["device"] == "cpu"


@pytest.mark.parametrize("instruction_set", lode.cpu_instruction_sets())
def test_instruction_sets(instruction_set):
    stats: dict = {}
    searcher = lode.Searcher(words, "cpu", instruction_set=instruction_set)
    assert searcher.find("ushers", stats=stats).tolist() == ushers
    assert stats["instruction_set"] == instruction_set
    lode.Searcher(words, "cpu", algorithm="filter", instruction_set=instruction_set).count("ushers", stats=stats)
    assert stats["strategy"]


def test_a_real_text_with_many_matches(kjv: Path):
    text = kjv.read_bytes()
    patterns = [b"the", b"Moses", b"e", b"unto the"]
    expected = occurrences(text, patterns)
    assert len(expected) > 50_000
    for threads in (1, 2, 5):
        searcher = lode.Searcher(patterns, threads=threads)
        for source in (text, kjv):
            assert np.array_equal(searcher.find(source), np.array(expected, lode.match_dtype))


@pytest.mark.parametrize(
    "options",
    [
        {"algorithm": "grep"},
        {"match_kind": "leftmost"},
        {"condition": "whole_word"},
        {"instruction_set": "mmx"},
        {"line_terminator": b"\r\n"},
        {"device": "gpu"},
    ],
    ids=str,
)
def test_options_that_are_none(options):
    with pytest.raises(lode.InvalidArgumentError) as caught:
        lode.Searcher(words, **options)
    assert caught.value.kind == "invalid_argument"
    assert isinstance(caught.value, ValueError)


def test_an_algorithm_that_does_not_serve():
    refused = [
        row.name
        for row in lode.algorithms()
        if row.name in ("vector", "boyer-moore", "balanced")
    ]
    many = [str(number) for number in range(100_000)]
    seen = 0
    for name in refused:
        try:
            lode.Searcher(many, algorithm=name)
        except lode.Error as error:
            assert error.kind == "unsupported"
            seen += 1
    if seen == 0:
        pytest.skip("every algorithm serves these patterns")
