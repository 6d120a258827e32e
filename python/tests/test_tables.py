"""TableSearch searches a column and gives the table with what was found."""

from __future__ import annotations

import pickle

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import occurrences

import lode
from lode.tables import TableSearch, actions, match_type, match_type_of, search_column

patterns = [b"he", b"she", b"hers"]
texts = ["ushers", None, "none", "", "the"]
found = [[(1, 1, 3), (2, 0, 2), (2, 2, 4)], None, [], [], [(1, 0, 2)]]
types = [
    pa.string(),
    pa.large_string(),
    pa.string_view(),
    pa.binary(),
    pa.large_binary(),
    pa.binary_view(),
    pa.dictionary(pa.int8(), pa.string()),
    pa.dictionary(pa.int32(), pa.binary()),
]


def search_of(searcher, action, **options):
    if action == "replace":
        options = {"replacement": "<{match}>", **options}
    return TableSearch(searcher, "text", action, **options)


def as_dicts(matches):
    return None if matches is None else [dict(zip(("offset", "pattern", "length"), match)) for match in matches]


def table_of(type: pa.DataType = pa.string()) -> pa.Table:
    if pa.types.is_dictionary(type):
        column = pa.array(texts, type.value_type).dictionary_encode().cast(type)
    else:
        column = pa.array(texts, type)
    return pa.table({"id": range(5), "text": column}, metadata={"kept": "yes"})


@pytest.mark.parametrize("type", types, ids=str)
@pytest.mark.parametrize("as_batch", [False, True])
def test_actions(type, as_batch):
    table = table_of(type)
    rows = table.to_batches()[0] if as_batch else table
    searcher = lode.Searcher(patterns)
    results = {action: search_of(searcher, action)(rows) for action in actions}
    for action, result in results.items():
        assert result.schema == search_of(searcher, action).schema(table.schema)
        assert result.schema.metadata == table.schema.metadata
        result.validate(full=True)
        assert isinstance(result, pa.RecordBatch if as_batch else pa.Table)
    given = [text if text is None else text.encode() for text in texts] if "binary" in str(type) else texts
    assert results["filter"].to_pydict() == {"id": [0, 4], "text": [given[0], given[4]]}
    assert results["exclude"].to_pydict() == {"id": [1, 2, 3], "text": given[1:4]}
    assert results["flag"]["text_flag"].to_pylist() == [True, None, False, False, True]
    assert results["counts"]["text_counts"].to_pylist() == [3, None, 0, 0, 1]
    assert results["matches"]["text_matches"].to_pylist() == [as_dicts(matches) for matches in found]
    for action in ("flag", "counts", "matches"):
        assert results[action].select(["id", "text"]) == rows
    replaced = ["u<she>rs", None, "none", "", "t<he>"]
    if "binary" in str(type):
        replaced = [text if text is None else text.encode() for text in replaced]
    assert results["replace"].to_pydict() == {"id": list(range(5)), "text": replaced}
    added = search_of(searcher, "replace", name="new")(rows)
    assert added.select(["id", "text"]) == rows
    assert added["new"].to_pylist() == replaced and added.schema.field("new").type == type


@given(
    st.lists(st.one_of(st.none(), st.lists(st.sampled_from(b"ab"), max_size=12).map(bytes)), max_size=30),
    st.lists(st.lists(st.sampled_from(b"ab"), min_size=1, max_size=4).map(bytes), min_size=1, max_size=5),
    st.data(),
)
def test_against_loops(records, patterns, data):
    cut = data.draw(st.integers(0, len(records)))
    column = pa.array(records, pa.binary())
    table = pa.table({"text": pa.chunked_array([column.slice(0, cut), column.slice(cut)])})
    searcher = lode.Searcher(patterns)
    expected = [None if record is None else occurrences(record, patterns) for record in records]
    result = TableSearch(searcher, "text", "matches")(table)
    assert result["text_matches"].to_pylist() == [as_dicts(matches) for matches in expected]
    kept = TableSearch(searcher, "text", "filter")(table)["text"].to_pylist()
    assert kept == [record for record, matches in zip(records, expected) if matches]
    counts = TableSearch(searcher, "text", "counts")(table)["text_counts"].to_pylist()
    assert counts == [None if matches is None else len(matches) for matches in expected]


def test_dictionaries_with_null_values():
    column = pa.DictionaryArray.from_arrays([0, 1, None, 0], ["he", None])
    table = pa.table({"text": column})
    searcher = lode.Searcher(patterns)
    assert TableSearch(searcher, "text", "counts")(table)["text_counts"].to_pylist() == [1, None, None, 1]
    assert TableSearch(searcher, "text", "flag")(table)["text_flag"].to_pylist() == [True, None, None, True]


def test_an_empty_table():
    for action in actions:
        search = search_of(lode.Searcher(patterns), action)
        result = search(table_of().slice(0, 0))
        assert result.num_rows == 0 and result.schema == search.schema(table_of().schema)


def test_rows_are_counted():
    searcher = lode.Searcher(patterns)
    for action, expected in (("filter", 2), ("exclude", 3), ("flag", 2), ("matches", 2), ("counts", 2), ("replace", 2)):
        assert search_of(searcher, action).count_rows(table_of())[1] == expected


def test_more_matches_than_a_list_array_can_number(monkeypatch):
    monkeypatch.setattr("lode.tables._most_list_elements", 3)
    searcher = lode.Searcher(patterns)
    search = TableSearch(searcher, "text", "matches")
    expected = [as_dicts(matches) for matches in found]
    result = search(table_of())["text_matches"]
    assert result.num_chunks == 2 and result.to_pylist() == expected
    assert search_column(searcher, table_of()["text"], "matches").to_pylist() == expected
    for rows, message in ((table_of().to_batches()[0], "batch"), (pa.table({"text": ["ushers the"]}), "row 0")):
        with pytest.raises(lode.Error, match=message) as caught:
            search(rows)
        assert caught.value.kind == "limit"


def test_columns_of_results():
    searcher = lode.Searcher(patterns)
    for column in (texts, pa.array(texts), pa.chunked_array([texts[:2], texts[2:]]), lode.Records(texts)):
        assert search_column(searcher, column, "flag").to_pylist() == [True, None, False, False, True]
        assert search_column(searcher, column, "counts").to_pylist() == [3, None, 0, 0, 1]
        lists = search_column(searcher, column, "matches")
        assert lists.type == pa.list_(match_type) and lists.to_pylist() == [as_dicts(matches) for matches in found]
    assert search_column(searcher, [], "matches").to_pylist() == []
    with pytest.raises(lode.InvalidArgumentError, match="gives no column"):
        search_column(searcher, texts, "filter")


def test_searches_are_pickled():
    search = pickle.loads(pickle.dumps(TableSearch(lode.Searcher(patterns), "text", "counts", name="n")))
    assert search(table_of())["n"].to_pylist() == [3, None, 0, 0, 1]


def test_the_type_of_matches_is_what_spark_knows():
    assert [field.type for field in match_type] == [pa.int64(), pa.int32(), pa.int32()]


def test_what_is_refused():
    searcher = lode.Searcher(patterns)
    table = table_of()
    for make, message in (
        (lambda: TableSearch(searcher, "text", "count"), "no action"),
        (lambda: TableSearch(searcher, "text", "filter", name="x"), "adds no column"),
        (lambda: TableSearch(lode.Searcher(patterns, match_kind="leftmost-first"), "text"), "not for leftmost ones"),
        (lambda: TableSearch(searcher, "texts")(table), "no column is called 'texts'; there are: id, text"),
        (lambda: TableSearch(searcher, "id")(table), "of int64"),
        (lambda: TableSearch(searcher, "text", name="id")(table), "called 'id' already"),
        (lambda: TableSearch(searcher, "a")(pa.table([texts, texts], names=["a", "a"])), "several"),
    ):
        with pytest.raises(lode.InvalidArgumentError, match=message):
            make()


def test_what_replace_takes():
    searcher = lode.Searcher(patterns)
    for options in ({}, {"replacement": "x", "mask": "y"}, {"replacement": "{word}"}, {"mask": "ab"}, {"replacement": ["x"]}):
        with pytest.raises(lode.InvalidArgumentError):
            TableSearch(searcher, "text", "replace", **options)
    with pytest.raises(lode.InvalidArgumentError, match="no other action"):
        TableSearch(searcher, "text", "flag", replacement="x")
    with pytest.raises(lode.InvalidArgumentError, match="already"):
        TableSearch(searcher, "text", "replace", mask="*", name="id")(table_of())
    masked = pickle.loads(pickle.dumps(TableSearch(searcher, "text", "replace", mask="*")))(table_of())
    assert masked["text"].to_pylist() == ["u***rs", None, "none", "", "t**"]


def test_replacements_of_the_patterns():
    searcher = lode.Searcher(lode.PatternSet(["Ada", "Bo"], replacements=["A.", None]), device="cpu")
    rows = pa.table({"text": ["Ada met Bo", None]})
    assert TableSearch(searcher, "text", "replace", replacement="?")(rows).to_pydict() == {"text": ["A. met ?", None]}
    with pytest.raises(lode.Error, match="pattern 1, 'Bo', has no replacement of its own"):
        TableSearch(searcher, "text", "replace")
    searcher = lode.Searcher(lode.PatternSet(["Ada"], replacements=["A."]), device="cpu")
    assert TableSearch(searcher, "text", "replace")(rows).to_pydict() == {"text": ["A. met Bo", None]}


def test_frames_are_rewritten():
    polars, pandas = pytest.importorskip("polars"), pytest.importorskip("pandas")
    search = TableSearch(lode.Searcher(patterns), "text", "replace", mask="*")
    wanted = ["u***rs", None, "none", "", "t**"]
    made = search(polars.DataFrame({"id": range(5), "text": texts}))
    assert made.columns == ["id", "text"] and made["text"].to_list() == wanted
    made = search(pandas.DataFrame({"text": texts}, index=[5, 4, 3, 2, 1]))
    assert list(made.index) == [5, 4, 3, 2, 1]
    assert [None if pandas.isna(text) else text for text in made["text"]] == wanted


def test_matches_tell_the_form():
    searcher = lode.Searcher(["GAATTTC"], forms="reverse-complement")
    table = TableSearch(searcher, "text", "matches")(pa.table({"text": ["GAAATTC", None, "GAATTTC"]}))
    assert table["text_matches"].type == pa.list_(match_type_of(searcher))
    assert table["text_matches"].to_pylist() == [
        [{"offset": 0, "pattern": 0, "length": 7, "form": "reverse-complement"}],
        None,
        [{"offset": 0, "pattern": 0, "length": 7, "form": "as-given"}],
    ]


def test_matches_tell_the_label():
    patterns = lode.PatternSet(["he", "she", "hers"], labels=["pronoun", None, "pronoun"])
    table = TableSearch(lode.Searcher(patterns), "text", "matches")(pa.table({"text": ["ushers", None, "none"]}))
    assert table["text_matches"].type == pa.list_(pa.struct([*match_type, ("label", pa.string())]))
    assert table["text_matches"].to_pylist() == [
        [
            {"offset": 1, "pattern": 1, "length": 3, "label": None},
            {"offset": 2, "pattern": 0, "length": 2, "label": "pronoun"},
            {"offset": 2, "pattern": 2, "length": 4, "label": "pronoun"},
        ],
        None,
        [],
    ]
    patterns = lode.PatternSet(["GAATTTC"], labels=["site"], forms="reverse-complement")
    table = TableSearch(lode.Searcher(patterns), "text", "matches")(pa.table({"text": ["GAAATTC"]}))
    match = {"offset": 0, "pattern": 0, "length": 7, "label": "site", "form": "reverse-complement"}
    assert table["text_matches"].to_pylist() == [[match]]


nested = pa.array(
    [{"a": {"text": text, "n": number}, "m": None} if number != 4 else None for number, text in enumerate(texts)],
    pa.struct([("a", pa.struct([("text", pa.string()), ("n", pa.int64())])), ("m", pa.int64())]),
)


@pytest.mark.parametrize("chunks", [1, 2, 3])
def test_a_column_may_lie_within_structures(chunks):
    whole = pa.table({"id": range(5), "d": nested})
    edges = [len(whole) * at // chunks for at in range(chunks + 1)]
    table = pa.concat_tables([whole.slice(begin, end - begin) for begin, end in zip(edges, edges[1:])])
    searcher = lode.Searcher(patterns)
    flagged = TableSearch(searcher, "d.a.text", "flag")(table)
    assert flagged.column_names == ["id", "d", "d.a.text_flag"]
    inner = [None if row is None else row["a"]["text"] for row in table["d"].to_pylist()]
    wanted = [None if text is None else "he" in text for text in inner]
    assert flagged["d.a.text_flag"].to_pylist() == wanted
    kept = TableSearch(searcher, "d.a.text", "filter")(table)
    assert kept["id"].to_pylist() == [id for id, flag in zip(table["id"].to_pylist(), wanted) if flag]
    masked = TableSearch(searcher, "d.a.text", "replace", mask="*")(table)
    assert masked.schema == table.schema and masked.num_rows == table.num_rows
    for before, after in zip(table["d"].to_pylist(), masked["d"].to_pylist()):
        if before is not None and before["a"]["text"] is not None:
            before["a"]["text"] = {"ushers": "u***rs", "the": "t**"}.get(before["a"]["text"], before["a"]["text"])
        assert after == before
    safe = TableSearch(searcher, "d.a.text", "replace", mask="*", name="safe")(table)
    assert safe["d"].equals(table["d"]) and safe["safe"].to_pylist()[0] == "u***rs"
    empty = TableSearch(searcher, "d.a.text", "replace", mask="*")(table.slice(0, 0))
    assert empty.schema == table.schema and empty.num_rows == 0


def test_a_name_with_a_dot_comes_first():
    table = pa.table({"a": [{"b": "he"}], "a.b": ["none"]})
    assert TableSearch(lode.Searcher(patterns), "a.b", "counts")(table)["a.b_counts"].to_pylist() == [0]
    for column in ("a", "a.", "a.c", "a.b.c", ".", "b"):
        with pytest.raises(lode.InvalidArgumentError):
            TableSearch(lode.Searcher(patterns), column, "counts")(pa.table({"a": [{"b": "he"}]}))
