"""The accessor `lode` of Series of pandas."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from column_checks import answers, expected_answers, replaced
from hypothesis import given
from hypothesis import strategies as st

import lode
import lode.pandas

patterns = [b"he", b"she", b"hers"]
searcher = lode.Searcher(patterns, "cpu", threads=1)
rows = ["ushers", None, "", "none", "the she", "žhe", None, "hers " * 50]
index = pd.Index([7, 3, 7, 5, 1, 2, 9, 8], name="key")
expected = expected_answers(rows, patterns)
masked = [replaced(row, patterns, lambda found: b"*" * len(found)) for row in rows]
arrow_match = pa.struct([("offset", pa.int64()), ("pattern", pa.int32()), ("length", pa.int32())])
dtypes = {
    "contains": pd.BooleanDtype(),
    "count": pd.Int64Dtype(),
    "first": pd.ArrowDtype(arrow_match),
    "matches": pd.ArrowDtype(pa.list_(arrow_match)),
}
arrow_dtypes = {**dtypes, "contains": pd.ArrowDtype(pa.bool_()), "count": pd.ArrowDtype(pa.int64())}


def values_of(series: pd.Series) -> list:
    return pa.array(series, from_pandas=True).to_pylist()


@pytest.mark.parametrize(
    "dtype",
    [
        None,
        object,
        "string",
        "string[python]",
        "category",
        *map(pd.ArrowDtype, (pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string()))),
    ],
    ids=str,
)
def test_types_of_columns(dtype):
    series = pd.Series(rows, index=index, dtype=dtype, name="text")
    of_arrow = isinstance(dtype, pd.ArrowDtype)
    for answer in answers:
        found = getattr(series.lode, answer)(searcher)
        assert isinstance(found, pd.Series) and found.name == "text" and found.index.equals(index)
        assert found.index.name == "key"
        assert found.dtype == (arrow_dtypes if of_arrow else dtypes)[answer]
        assert values_of(found) == expected[answer]
    made = series.lode.replace(searcher, mask="*")
    assert made.name == "text" and made.index.equals(index)
    assert made.dtype == "category" if dtype == "category" else made.dtype == series.dtype
    assert [None if pd.isna(value) else value for value in made] == masked


def test_columns_of_bytes():
    given_rows = [None if row is None else row.encode() for row in rows]
    for dtype in (object, pd.ArrowDtype(pa.binary()), pd.ArrowDtype(pa.large_binary())):
        series = pd.Series(given_rows, dtype=dtype)
        for answer in answers:
            assert values_of(getattr(series.lode, answer)(searcher)) == expected[answer]
        made = series.lode.replace(searcher, mask="*")
        assert [None if pd.isna(value) else value.decode() for value in made] == masked
    mixed = pd.Series(["the", b"she", float("nan"), pd.NA, None], dtype=object)
    assert values_of(mixed.lode.count(searcher)) == [1, 2, None, None, None]


def test_frames_are_filtered():
    frame = pd.DataFrame({"text": rows, "n": range(len(rows))}, index=index)
    kept = frame[frame["text"].lode.contains(searcher)]
    assert kept["n"].tolist() == [number for number, hit in enumerate(expected["contains"]) if hit]
    assert kept.index.tolist() == [index[number] for number in kept["n"]]
    others = frame[~frame["text"].lode.contains(searcher)]
    assert others["n"].tolist() == [number for number, hit in enumerate(expected["contains"]) if hit is False]
    frame["hits"] = frame["text"].lode.count(searcher)
    assert frame.groupby("text")["hits"].sum()["ushers"] == 3
    assert frame.assign(hit=frame.text.lode.contains(searcher).fillna(False).astype(bool))["hit"].dtype == np.bool_


def test_parts_of_matches():
    series = pd.Series(rows, index=index)
    firsts = series.lode.first(searcher).struct.field("offset")
    assert values_of(firsts) == [None if first is None else first["offset"] for first in expected["first"]]
    assert firsts.index.equals(index)
    lengths = series.dropna().lode.matches(searcher).list.len()
    assert lengths.tolist() == [count for count in expected["count"] if count is not None]


def test_slices_chunks_and_nothing():
    plain = pa.array(rows)
    for begin in range(len(rows) + 1):
        for end in range(begin, len(rows) + 1):
            chunked = pa.chunked_array([plain.slice(begin, end - begin), plain])
            for series, wanted_of in (
                (pd.Series(rows, index=index, dtype="string").iloc[begin:end], lambda given: given[begin:end]),
                (pd.Series(chunked, dtype=pd.ArrowDtype(pa.string())), lambda given: given[begin:end] + given),
            ):
                for answer in answers:
                    found = getattr(series.lode, answer)(searcher)
                    assert values_of(found) == wanted_of(expected[answer]) and found.index.equals(series.index)
    for nothing in (pd.Series([], dtype=object), pd.Series([], dtype="string"), pd.Series(rows)[:0]):
        for answer in answers:
            found = getattr(nothing.lode, answer)(searcher)
            assert len(found) == 0 and found.dtype == dtypes[answer]
        assert len(nothing.lode.replace(searcher, "x")) == 0
    for nulls in (pd.Series([None, None]), pd.Series([None, None], dtype=pd.ArrowDtype(pa.null()))):
        for answer in answers:
            assert getattr(nulls.lode, answer)(searcher).isna().all()


@given(
    st.lists(st.one_of(st.none(), st.text(alphabet="hesrž ", max_size=20)), max_size=12),
    st.lists(st.text(alphabet="hesr", min_size=1, max_size=3), min_size=1, max_size=4),
    st.sampled_from([object, "string", "category"]),
)
def test_against_loops(rows, words, dtype):
    found = lode.Searcher(words, "cpu", threads=1)
    series = pd.Series(rows, dtype=dtype)
    given_patterns = [word.encode() for word in words]
    wanted = expected_answers(rows, given_patterns)
    for answer in answers:
        assert values_of(getattr(series.lode, answer)(found)) == wanted[answer]
    made = [None if pd.isna(value) else value for value in series.lode.replace(found, "<{match}>")]
    assert made == [replaced(row, given_patterns, lambda word: b"<" + word + b">") for row in rows]


def test_long_rows():
    series = pd.Series(["x" * 10_000_000 + "she", "he", None])
    assert values_of(series.lode.first(searcher))[0]["offset"] == 10_000_000
    assert series.lode.replace(searcher, "").str.len()[:2].tolist() == [10_000_000, 0]


def test_forms_and_kinds():
    spelled = lode.Searcher(["GATTTC"], "cpu", forms="reverse-complement")
    found = pd.Series(["xGAAATC", None]).lode.first(spelled)
    assert values_of(found) == [{"offset": 1, "pattern": 0, "length": 6, "form": "reverse-complement"}, None]
    longest = lode.Searcher(patterns, "cpu", match_kind="leftmost-longest")
    assert values_of(pd.Series(["ushers the", None]).lode.count(longest)) == [2, None]


def test_what_is_refused():
    series = pd.Series(rows)
    for call in (series.lode.contains, series.lode.first, series.lode.replace):
        with pytest.raises(TypeError, match="searched by a lode.Searcher, not by list"):
            call(["he"])
    for numbers in (
        pd.Series([1, 2]),
        pd.Series([1, 2], dtype=object),
        pd.Series([1.5], dtype=pd.ArrowDtype(pa.float64())),
    ):
        with pytest.raises(TypeError):
            numbers.lode.contains(searcher)
    with pytest.raises(lode.InvalidArgumentError, match="braces"):
        series.lode.replace(searcher, "{word}")
    with pytest.raises(TypeError):
        series.lode.replace(searcher)
    with pytest.raises(AttributeError):
        pd.DataFrame({"text": rows}).lode  # noqa: B018
