"""The namespace `lode` of polars: of Series, and of expressions in eager frames and in lazy plans."""

from __future__ import annotations

import io
import pickle
from concurrent.futures import ThreadPoolExecutor

import polars as pl
import pyarrow as pa
import pytest
from column_checks import answers, expected_answers, replaced
from hypothesis import given
from hypothesis import strategies as st

import lode
import lode.polars

patterns = [b"he", b"she", b"hers"]
searcher = lode.Searcher(patterns, "cpu", threads=1)
rows = ["ushers", None, "", "none", "the she", "žhe", None, "hers " * 50]
expected = expected_answers(rows, patterns)
masked = [replaced(row, patterns, lambda found: b"*" * len(found)) for row in rows]
match_dtype = pl.Struct({"offset": pl.Int64, "pattern": pl.Int32, "length": pl.Int32})
dtypes = {"contains": pl.Boolean, "count": pl.Int64, "first": match_dtype, "matches": pl.List(match_dtype)}


def expressions(column: str = "text") -> list[pl.Expr]:
    return [getattr(pl.col(column).lode, answer)(searcher).alias(answer) for answer in answers]


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_lazy_plans(engine):
    plan = pl.LazyFrame({"text": rows}).with_columns(
        *expressions(), masked=pl.col("text").lode.replace(searcher, mask="*")
    )
    schema = {"text": pl.String, **dtypes, "masked": pl.String}
    assert plan.collect_schema() == schema
    frame = plan.collect(engine=engine)
    assert frame.schema == schema
    assert {answer: frame[answer].to_list() for answer in answers} == expected
    assert frame["masked"].to_list() == masked


def test_eager_frames_and_series():
    frame = pl.DataFrame({"text": rows})
    found = frame.select(*expressions())
    series = frame["text"]
    for answer in answers:
        assert found[answer].to_list() == expected[answer]
        of_series = getattr(series.lode, answer)(searcher)
        assert isinstance(of_series, pl.Series) and of_series.name == "text" and of_series.dtype == dtypes[answer]
        assert of_series.to_list() == expected[answer]
    made = series.lode.replace(searcher, mask="*")
    assert made.name == "text" and made.dtype == pl.String and made.to_list() == masked
    assert frame.select(pl.col("text").lode.count(searcher)).columns == ["text"]
    assert frame.filter(pl.col("text").lode.contains(searcher)).height == expected["contains"].count(True)


@given(
    st.lists(st.one_of(st.none(), st.text(alphabet="hesrž ", max_size=20)), max_size=12),
    st.lists(st.text(alphabet="hesr", min_size=1, max_size=3), min_size=1, max_size=4),
)
def test_against_loops(rows, words):
    found = lode.Searcher(words, "cpu", threads=1)
    series = pl.Series("text", rows, pl.String)
    given_patterns = [word.encode() for word in words]
    wanted = expected_answers(rows, given_patterns)
    for answer in answers:
        assert getattr(series.lode, answer)(found).to_list() == wanted[answer]
    made = series.to_frame().lazy().select(pl.col("text").lode.replace(found, "<{match}>")).collect()["text"]
    assert made.to_list() == [replaced(row, given_patterns, lambda word: b"<" + word + b">") for row in rows]


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
@pytest.mark.parametrize(
    "dtype", [pl.String, pl.Binary, pl.Categorical, pl.Enum(sorted({row for row in rows if row is not None}))], ids=str
)
def test_types_of_columns(dtype, engine):
    given_rows = [None if row is None else row.encode() for row in rows] if dtype == pl.Binary else rows
    plan = pl.LazyFrame({"text": pl.Series(given_rows, dtype=dtype)})
    found = plan.select(*expressions()).collect(engine=engine)
    assert {answer: found[answer].to_list() for answer in answers} == expected
    rewritten = plan.select(pl.col("text").lode.replace(searcher, mask="*"))
    if dtype == pl.Enum:
        with pytest.raises(TypeError, match="cast it to String or Categorical"):
            rewritten.collect(engine=engine)
        return
    made = rewritten.collect(engine=engine)["text"]
    assert made.dtype == rewritten.collect_schema()["text"] == dtype
    assert made.to_list() == (
        [None if row is None else row.encode() for row in masked] if dtype == pl.Binary else masked
    )


def test_slices_chunks_and_nothing():
    whole = pl.Series("text", rows)
    for begin in range(len(rows) + 1):
        for end in range(begin, len(rows) + 1):
            part = whole[begin:end]
            chunked = pl.concat([part, whole], rechunk=False)
            assert chunked.n_chunks() == (2 if end > begin else 1)
            for answer in answers:
                method = getattr(part.lode, answer)(searcher)
                assert method.dtype == dtypes[answer] and method.to_list() == expected[answer][begin:end]
                wanted = expected[answer][begin:end] + expected[answer]
                assert getattr(chunked.lode, answer)(searcher).to_list() == wanted
            assert chunked.lode.replace(searcher, mask="*").to_list() == masked[begin:end] + masked
    nulls = pl.Series("text", [None, None])
    assert nulls.dtype == pl.Null
    for answer in answers:
        found = nulls.to_frame().lazy().select(getattr(pl.col("text").lode, answer)(searcher)).collect()["text"]
        assert found.dtype == dtypes[answer] and found.to_list() == [None, None]


def test_long_rows():
    """Views of Arrow keep short strings within them and long ones elsewhere."""
    long = ["x" * 10_000_000 + "she", "he", None, "y" * 13 + "hers"]
    found = pl.DataFrame({"text": long}).lazy().select(*expressions()).collect(engine="streaming")
    assert found["count"].to_list() == [2, 1, None, 2]
    assert found["first"].struct.field("offset").to_list() == [10_000_000, 0, None, 13]
    made = pl.Series(long).lode.replace(searcher, "")
    assert made.str.len_bytes().to_list() == [10_000_000, 0, None, 13]


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_many_rows_in_batches(engine):
    count = 300_000
    plan = pl.LazyFrame({"text": [f"row {number} {'she' * (number % 3)}" for number in range(count)]})
    found = plan.select(pl.col("text").lode.count(searcher)).collect(engine=engine)["text"]
    assert found.to_list() == [2 * (number % 3) for number in range(count)]
    kept = plan.with_row_index().filter(pl.col("text").lode.contains(searcher)).collect(engine=engine)
    assert kept["index"].to_list() == [number for number in range(count) if number % 3]


def test_files_that_are_scanned(tmp_path):
    path = tmp_path / "rows.parquet"
    pl.DataFrame({"text": rows * 100, "n": range(800)}).write_parquet(path, row_group_size=64)
    plan = pl.scan_parquet(path).filter(pl.col("text").lode.contains(searcher), pl.col("n") < 400)
    kept = plan.select("n").collect(engine="streaming")["n"].to_list()
    assert kept == [number for number in range(400) if expected["contains"][number % 8]]
    pl.scan_parquet(path).with_columns(hits=pl.col("text").lode.count(searcher)).sink_parquet(
        tmp_path / "found.parquet"
    )
    assert pl.read_parquet(tmp_path / "found.parquet")["hits"].to_list() == expected["count"] * 100


def test_groups_and_windows():
    frame = pl.DataFrame({"text": rows, "group": [1, 1, 2, 2, 1, 2, 1, 2]})
    sums = frame.lazy().group_by("group").agg(pl.col("text").lode.count(searcher).sum()).sort("group").collect()
    wanted = {1: 0, 2: 0}
    for group, count in zip(frame["group"], expected["count"]):
        wanted[group] += count or 0
    assert dict(sums.rows()) == wanted
    lists = frame.group_by("group", maintain_order=True).agg(pl.col("text").lode.contains(searcher))
    assert dict(lists.rows())[1] == [value for value, group in zip(expected["contains"], frame["group"]) if group == 1]
    over = frame.select(pl.col("text").lode.count(searcher).sum().over("group"))["text"].to_list()
    assert over == [wanted[group] for group in frame["group"]]
    either = pl.when(pl.col("text").lode.contains(searcher)).then(pl.lit("hit")).otherwise(pl.lit("none"))
    assert frame.select(either)["literal"].to_list() == ["hit" if hit else "none" for hit in expected["contains"]]


def test_plans_travel():
    pytest.importorskip("cloudpickle")  # polars takes functions apart with it
    expression = pickle.loads(pickle.dumps(pl.col("text").lode.matches(searcher)))
    assert pl.DataFrame({"text": rows}).select(expression)["text"].to_list() == expected["matches"]
    plan = pl.LazyFrame({"text": rows}).select(pl.col("text").lode.count(searcher))
    again = pl.LazyFrame.deserialize(io.BytesIO(plan.serialize()))
    assert again.collect()["text"].to_list() == expected["count"]


def test_searchers_of_other_kinds():
    longest = lode.Searcher(patterns, "cpu", match_kind="leftmost-longest")
    found = pl.DataFrame({"text": ["ushers the", None]}).select(
        *[getattr(pl.col("text").lode, answer)(longest).alias(answer) for answer in answers]
    )
    assert found["count"].to_list() == [2, None] and found["contains"].to_list() == [True, None]
    assert found["matches"].list.eval(pl.element().struct.field("pattern")).to_list() == [[1, 0], None]
    spelled = lode.Searcher(["GATTTC"], "cpu", forms="reverse-complement")
    frame = pl.LazyFrame({"text": ["xGAAATC", "GATTTC"]}).select(pl.col("text").lode.first(spelled))
    dtype = frame.collect_schema()["text"]
    assert dtype == pl.Struct({**dict(match_dtype), "form": pl.String})
    assert frame.collect()["text"].to_list() == [
        {"offset": 1, "pattern": 0, "length": 6, "form": "reverse-complement"},
        {"offset": 0, "pattern": 0, "length": 6, "form": "as-given"},
    ]
    words = lode.Searcher(["big cat"], "cpu", view="words")
    assert pl.Series(["a BIG,\n CAT!"]).lode.replace(words, "dog").to_list() == ["a dog!"]


def test_replacements():
    series = pl.Series("text", ["ushers", None, "the"])
    assert series.lode.replace(searcher, ["a", "b", "c"]).to_list() == ["ubrs", None, "ta"]
    assert series.lode.replace(searcher, {"he": "HE"}).to_list() == ["ushers", None, "tHE"]
    by_function = pl.col("text").lode.replace(searcher, lambda match, found: found.upper())
    assert series.to_frame().lazy().select(by_function).collect()["text"].to_list() == ["uSHErs", None, "tHE"]
    own = lode.Searcher(lode.PatternSet(["he"], replacements=["they"]), "cpu")
    assert series.lode.replace(own).to_list() == ["usthey" + "rs", None, "tthey"]


def test_threads_share_a_searcher():
    series = pl.Series("text", rows * 500)

    def search(number: int) -> bool:
        answer = answers[number % 4]
        return getattr(series.lode, answer)(searcher).to_list() == expected[answer] * 500

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(search, range(32)))


def test_what_is_refused():
    column = pl.col("text").lode
    for searcher_given in (["he"], lode.compile(["he"]), None):
        for call in (column.contains, column.matches, pl.Series(rows).lode.count, column.replace):
            with pytest.raises(TypeError, match="searched by a lode.Searcher, not by"):
                call(searcher_given)
    for arguments in ({}, {"replacement": "x", "mask": "*"}, {"replacement": 5}):
        with pytest.raises(TypeError):
            column.replace(searcher, **arguments)
    with pytest.raises(lode.InvalidArgumentError, match="braces"):
        column.replace(searcher, "{word}")
    for expression in (column.contains(searcher), column.replace(searcher, "x")):
        for engine in ("in-memory", "streaming"):
            with pytest.raises(TypeError, match="int64.*a search needs a column of binary or string"):
                pl.LazyFrame({"text": [1, 2]}).select(expression).collect(engine=engine)
    with pytest.raises(pl.exceptions.ColumnNotFoundError):
        pl.LazyFrame({"other": rows}).select(column.contains(searcher)).collect_schema()


def test_text_stays_utf8():
    """Polars takes every string for UTF-8 without a look, so it must not get another one."""
    cutting = lode.Searcher([b"\xc3"], "cpu")
    series = pl.Series(["é"])
    for search in (
        lambda: series.lode.replace(cutting, "x"),
        lambda: cutting.replace(series, "x"),
        lambda: series.to_frame("text").lazy().select(pl.col("text").lode.replace(cutting, "x")).collect(),
    ):
        with pytest.raises(lode.InvalidArgumentError, match="not UTF-8") as refused:
            search()
        assert refused.value.kind == "invalid_argument"
    assert series.cast(pl.Binary).lode.replace(cutting, "x").to_list() == [b"x\xa9"]
    assert cutting.replace(pa.array(["é"]).cast(pa.binary()), "x").to_pylist() == [b"x\xa9"]
