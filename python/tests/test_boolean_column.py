"""BooleanColumn is an array of bools to NumPy and to libraries of tables, and has nulls for those who ask for them."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lode

searcher = lode.Searcher(["he", "she"], "cpu")
rows = ["ushers", None, "none", "the"]
expected = [True, None, False, True]
plain = [True, False, False, True]


@pytest.fixture
def mask() -> lode.BooleanColumn:
    return searcher.contains(rows)


def test_arrays_of_numpy(mask):
    assert isinstance(mask, np.ndarray)
    for array in (np.asarray(mask), mask.__array__(), mask.__array__(np.bool_), np.asarray(mask, bool), mask.values):
        assert type(array) is np.ndarray and array.dtype == np.bool_ and array.tolist() == plain
    assert np.array(mask, copy=False).tolist() == plain
    assert np.asarray(mask, dtype=np.int8).tolist() == mask.__array__(dtype=np.int8, copy=True).tolist() == [1, 0, 0, 1]
    assert np.array(mask, dtype=object, copy=True).tolist() == plain
    written = np.array(mask, copy=True)
    written[0] = False
    mask.values[0] = False
    assert mask[0] is True
    with pytest.raises(ValueError, match="read-only"):
        mask[0] = False
    assert (mask.dtype, mask.shape, mask.size, mask.ndim, len(mask)) == (np.bool_, (4,), 4, 1, 4)
    assert mask.any() and not mask.all() and mask.sum() == np.count_nonzero(mask) == 2
    assert np.flatnonzero(mask).tolist() == [0, 3]


def test_operators_give_plain_arrays(mask):
    for result, values in (
        (~mask, [False, True, True, False]),
        (mask & np.array([True, True, True, False]), [True, False, False, False]),
        ([False, False, True, False] | mask, [True, False, True, True]),
        (mask ^ mask, [False] * 4),
        (mask == plain, [True] * 4),
        (np.logical_not(mask), [False, True, True, False]),
    ):
        assert type(result) is np.ndarray and result.tolist() == values
    assert mask.astype(int).tolist() == [1, 0, 0, 1] and pa.array(mask.astype(int)).to_pylist() == [1, 0, 0, 1]
    assert mask.reshape(2, 2)[1].tolist() == [False, True] and mask.reshape(2, 2)[1, 1] == np.True_
    copied = mask.copy()
    copied[1] = True
    assert list(copied) == [True, True, False, True] and repr(copied) == "array([ True,  True, False,  True])"
    assert pa.array(copied).to_pylist() == [True, True, False, True]


def test_items(mask):
    assert list(mask) == [value for value in mask] == mask.to_pylist() == mask.to_arrow().to_pylist() == expected
    assert [mask[at] for at in range(-4, 4)] == expected * 2
    assert mask[np.int64(-1)] is True and mask[1] is None and mask[2] is False
    for index in (4, -5):
        with pytest.raises(IndexError):
            mask[index]
    for part in (slice(1, 3), slice(None, None, -1), slice(5, 9), ..., slice(-2, None)):
        assert mask[part].to_pylist() == (expected if part is ... else expected[part])
        assert pa.array(mask[part]).to_pylist() == mask[part].to_pylist()
    assert mask[[3, 1]].to_pylist() == [True, None] and mask[mask].to_pylist() == [True, True]
    assert mask.null_count == 1 and mask[2:].null_count == 0 and mask.nulls.tolist() == [False, True, False, False]


@given(st.lists(st.sampled_from([True, False, None]), max_size=40), st.slices(40))
def test_slices_against_lists(values, part):
    column = searcher.contains([{True: "he", False: "x", None: None}[value] for value in values])
    again = lode.BooleanColumn([bool(value) for value in values], [value is None for value in values])
    for one in (column, again):
        assert one[part].to_pylist() == values[part] == pa.array(one[part]).to_pylist()
        assert np.asarray(one).tolist() == [bool(value) for value in values]


def test_truth(mask):
    with pytest.raises(ValueError, match=r"4 values .* ambiguous: \.any\(\) .* \.all\(\)"):
        bool(mask)
    with pytest.raises(ValueError, match="ambiguous"):
        if searcher.contains(["none", "nothing"]):
            pass
    assert bool(searcher.contains(["he"])) is True
    assert not searcher.contains(["none"]) and not searcher.contains([None])
    try:
        nothing = bool(np.array([], bool))
    except ValueError:
        with pytest.raises(ValueError, match="empty"):
            bool(searcher.contains([]))
    else:
        with pytest.warns(DeprecationWarning, match="empty"):
            assert bool(searcher.contains([])) == nothing


def test_frames_of_pandas(mask):
    frame = pd.DataFrame({"text": rows, "n": [1, 2, 3, 4]}, index=list("abcd"))
    frame["hit"] = mask
    assert frame["hit"].dtype == np.bool_ and frame["hit"].tolist() == plain
    assert type(frame["hit"].to_numpy()) is np.ndarray
    for kept in (frame[mask], frame.loc[mask], frame[frame["n"].gt(0) & mask], frame[mask & (frame["n"] > 0)]):
        assert kept["n"].tolist() == [1, 4] and kept.index.tolist() == ["a", "d"]
    assert frame[~mask]["n"].tolist() == [2, 3]
    assert frame.loc[mask, "n"].tolist() == frame["n"][mask].tolist() == frame.iloc[mask]["n"].tolist() == [1, 4]
    frame.loc[mask, "n"] = 0
    assert frame["n"].tolist() == [0, 2, 3, 0] and frame["n"].where(mask, 9).tolist() == [0, 9, 9, 0]
    assert frame.assign(other=mask)["other"].tolist() == pd.Series(mask).tolist() == plain
    assert pd.DataFrame({"hit": mask})["hit"].dtype == np.bool_


def test_other_filters(mask):
    assert np.arange(4)[mask].tolist() == [0, 3] and np.arange(8).reshape(4, 2)[mask, 1].tolist() == [1, 7]
    frame = pl.DataFrame({"n": [1, 2, 3, 4]})
    assert frame.filter(mask)["n"].to_list() == frame["n"].filter(mask).to_list() == [1, 4]
    assert frame.with_columns(hit=mask)["hit"].to_list() == plain
    assert pl.Series(mask.to_arrow()).to_list() == expected
    table = pa.table({"n": [1, 2, 3, 4]})
    assert table.filter(mask)["n"].to_pylist() == table["n"].filter(mask).to_pylist() == [1, 4]
    assert pa.compute.filter(table["n"].chunk(0), mask).to_pylist() == [1, 4]
    assert pa.table({"hit": mask})["hit"].to_pylist() == expected


def test_copies(mask):
    for same in (pickle.loads(pickle.dumps(mask)), copy.copy(mask), copy.deepcopy(mask)):
        assert isinstance(same, lode.BooleanColumn) and same.to_pylist() == expected
        assert repr(same) == str(same) == "<lode.BooleanColumn: 4 values, 1 nulls>"
    derived = pickle.loads(pickle.dumps(mask.reshape(2, 2)))
    assert derived.tolist() == [plain[:2], plain[2:]]
    with pytest.raises(ValueError, match="for each record"):
        lode.BooleanColumn([True], [False, True])
