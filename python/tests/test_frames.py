"""Searches frames of polars and pandas and relations of DuckDB, and checks the tables that come back."""

from __future__ import annotations

import subprocess
import sys

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import lode
from lode.tables import TableSearch, search_column

searcher = lode.Searcher(["he", "she"], "cpu")
rows = ["ushers", None, "none", "the"]
numbers = [1, 2, 3, 4]
flags, counts = [True, None, False, True], [2, None, 0, 1]
match_lists = [
    [{"offset": 1, "pattern": 1, "length": 3}, {"offset": 2, "pattern": 0, "length": 2}],
    None,
    [],
    [{"offset": 1, "pattern": 0, "length": 2}],
]


def results_of(frame):
    return {
        action: TableSearch(searcher, "text", action)(frame)
        for action in ("filter", "exclude", "flag", "counts", "matches")
    }


def test_frames_of_polars():
    frame = pl.DataFrame({"text": rows, "n": numbers, "kind": pl.Series(["a", "b", "a", "b"], dtype=pl.Categorical)})
    results = results_of(frame)
    assert all(isinstance(result, pl.DataFrame) for result in results.values())
    assert results["filter"]["n"].to_list() == [1, 4] and results["exclude"]["n"].to_list() == [2, 3]
    assert results["filter"].schema == frame.schema
    for action, values in (("flag", flags), ("counts", counts), ("matches", match_lists)):
        assert results[action][f"text_{action}"].to_list() == values
        assert results[action].drop(f"text_{action}").equals(frame)
    assert TableSearch(searcher, "text", "flag").count_rows(frame)[1] == 2


@pytest.mark.parametrize("dtype", [None, object, "string", "category", pd.ArrowDtype(pa.string())], ids=str)
def test_frames_of_pandas(dtype):
    frame = pd.DataFrame({"text": pd.Series(rows, dtype=dtype), "n": numbers})
    frame.index = list("abcd")
    results = results_of(frame)
    assert all(isinstance(result, pd.DataFrame) for result in results.values())
    assert results["filter"].index.tolist() == ["a", "d"] and results["exclude"].index.tolist() == ["b", "c"]
    assert (results["filter"].dtypes == frame.dtypes).all()
    for action, values in (("flag", flags), ("counts", counts)):
        added = results[action][f"text_{action}"]
        assert added.index.tolist() == frame.index.tolist()
        assert [None if pd.isna(value) else value for value in added] == values
        assert results[action].columns.tolist() == ["text", "n", f"text_{action}"]
    found = results["matches"]["text_matches"].tolist()
    assert [None if each is None else list(each) for each in found] == match_lists
    whole = TableSearch(searcher, "text", "flag", name="hit")(frame.dropna())
    assert whole["hit"].dtype == np.bool_ and whole[whole["hit"]]["n"].tolist() == [1, 4]
    assert TableSearch(searcher, "text", "counts")(frame.dropna())["text_counts"].dtype == np.int64


def test_frames_without_rows():
    for frame in (pl.DataFrame({"text": rows}), pd.DataFrame({"text": rows})):
        for action, result in results_of(frame[:0]).items():
            added = [] if action in ("filter", "exclude") else [f"text_{action}"]
            assert len(result) == 0 and type(result) is type(frame) and list(result.columns) == ["text", *added]


def test_relations_of_duckdb():
    connection = duckdb.connect()
    connection.execute("create table t as select * from (values ('ushers', 1), (null, 2), ('none', 3)) as v(text, n)")
    relation = connection.sql("select text from t order by n")
    assert searcher.contains(relation).to_pylist() == [True, None, False]
    assert searcher.find_in_records(relation).rows.tolist() == [0, 0]
    assert search_column(searcher, relation, "counts").to_pylist() == [2, None, 0]
    assert list(lode.PatternSet(connection.sql("select text from t where text is not null order by n"))) == [
        b"ushers",
        b"none",
    ]
    result = TableSearch(searcher, "text", "counts")(connection.sql("select * from t order by n"))
    assert isinstance(result, pa.Table) and result["text_counts"].to_pylist() == [2, None, 0]
    with pytest.raises(TypeError, match="table of 2 columns"):
        searcher.contains(connection.sql("select * from t"))


def test_tables_of_one_column():
    frame = pd.DataFrame({"text": rows}, index=list("abcd"))
    table = pa.table({"text": rows})
    for source in (frame, pl.DataFrame({"text": rows}), table, table.to_batches()[0]):
        assert searcher.contains(source).to_pylist() == flags
    for begin in range(4):
        assert searcher.contains(table.slice(begin, 2)).to_pylist() == flags[begin : begin + 2]
        assert searcher.contains(table.to_batches()[0].slice(begin)).to_pylist() == flags[begin:]
    chunked = pa.concat_tables([table.slice(1), table])
    assert searcher.contains(chunked).to_pylist() == flags[1:] + flags
    encoded = pa.table({"text": pa.array(rows).dictionary_encode()}).slice(1)
    assert searcher.contains(encoded).to_pylist() == flags[1:]
    structures = pa.StructArray.from_arrays([pa.array(rows)], ["text"], mask=pa.array([False, False, True, False]))
    with pytest.raises(lode.InvalidArgumentError, match="is null"):
        searcher.contains(structures)


def test_series():
    for source in (
        pd.Series(rows),
        pd.Series(["ushers", float("nan"), b"none", "the"], dtype=object),
        pd.Series(["ushers", pd.NA, "none", "the"], dtype=object, index=list("abcd")),
        pd.Series(rows, dtype="category"),
        pd.Index(rows, dtype=object),
        pl.Series(rows),
        pl.Series(rows, dtype=pl.Categorical),
    ):
        assert searcher.contains(source).to_pylist() == flags
        assert searcher.count_per_record(source).tolist() == [2, 0, 0, 1]
        assert search_column(searcher, source, "counts").to_pylist() == counts
    with pytest.raises(TypeError, match="int"):
        searcher.contains(pd.Series([1, 2]))
    assert list(lode.Searcher(pd.Series(["she", "he"], dtype=object)).patterns) == [b"she", b"he"]


def test_rows_of_matches():
    patterns = lode.PatternSet(["he", "she", "us", "s"], labels=["article", None, "pronoun", "article"])
    found = lode.Searcher(patterns, "cpu").find_in_records(rows)
    assert found.rows.tolist() == [0, 0, 0, 0, 0, 3]
    row_starts, matches = found
    assert row_starts is found.row_starts and matches is found.matches
    table = found.to_arrow()
    assert table.schema.names == ["row", "offset", "length", "pattern", "label"]
    assert [str(field.type) for field in table.schema][:4] == ["int64", "int64", "int32", "int32"]
    assert [tuple(row.values()) for row in table.to_pylist()] == [
        (0, 0, 2, 2, "pronoun"),
        (0, 1, 3, 1, None),
        (0, 1, 1, 3, "article"),
        (0, 2, 2, 0, "article"),
        (0, 5, 1, 3, "article"),
        (3, 1, 2, 0, "article"),
    ]
    assert table["label"].null_count == 1 and pl.from_arrow(table).height == 6
    bare = lode.Searcher(["he"], "cpu").find_in_records(rows).to_arrow()
    assert bare["label"].to_pylist() == [None, None] and bare.schema == table.schema
    nothing = searcher.find_in_records([])
    assert nothing.rows.tolist() == [] and nothing.to_arrow().num_rows == 0
    without_patterns = lode.RecordMatches(row_starts, matches)
    assert without_patterns.to_arrow()["label"].null_count == 6


def test_what_is_no_table():
    search = TableSearch(searcher, "text")
    for source, message in (
        (pl.LazyFrame({"text": rows}), "collect"),
        (pl.Series("text", rows), "Series"),
        (pd.Series(rows, name="text"), "Series"),
        (pa.array(rows), "search_column"),
        ({"text": rows}, "not dict"),
        (None, "not NoneType"),
    ):
        with pytest.raises(TypeError, match=message):
            search(source)
    for frame, message in (
        (pl.DataFrame({"texts": rows}), "no column is called 'text'; there are: texts"),
        (pd.DataFrame({5: rows}), "no column is called 'text'; there are: 5"),
        (pd.DataFrame([["a", "b"]], columns=["text", "text"]), "several columns"),
        (pl.DataFrame({"text": numbers}), "int64"),
        (pd.DataFrame({"text": numbers}), "int"),
        (pl.DataFrame({"text": rows, "text_flag": numbers}), "already"),
    ):
        with pytest.raises(lode.InvalidArgumentError, match=message):
            search(frame)


def test_a_library_that_is_being_loaded():
    """Another thread may load pandas or polars while this one searches. Until then their modules are empty."""
    program = """
import sys, types, pyarrow, lode, lode.tables
searcher = lode.Searcher(["he"], "cpu")
column = pyarrow.chunked_array([pyarrow.array(["the"]).dictionary_encode()])
sys.modules["pandas"], sys.modules["polars"] = types.ModuleType("pandas"), types.ModuleType("polars")
assert searcher.contains(column).to_pylist() == searcher.contains(["the"]).to_pylist() == [True]
assert searcher.replace(column, "x").to_pylist() == ["tx"] and searcher.replace(["the"], "x") == ["tx"]
table = lode.tables.TableSearch(searcher, "text")(pyarrow.table({"text": column}))
assert table["text_flag"].to_pylist() == [True]
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
