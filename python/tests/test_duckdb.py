"""The functions that `lode.duckdb` gives to connections of DuckDB."""

from __future__ import annotations

import doctest
import gc
import importlib
import subprocess
import sys
import threading
import time
import weakref

import duckdb
import pyarrow as pa
import pytest
from column_checks import answers, expected_answers, replaced
from hypothesis import given, settings
from hypothesis import strategies as st

import lode
import lode.duckdb

patterns = [b"he", b"she", b"hers"]
searcher = lode.Searcher(patterns, "cpu", threads=1)
rows = ["ushers", None, "", "none", "the she", "žhe", None, "hers " * 50]
bytes_rows = [None if row is None else row.encode() + b"\xff" for row in rows]
expected = expected_answers(rows, patterns)
shared = duckdb.connect()
all_names = {"t_contains", "t_count", "t_first", "t_matches", "t_replace", "t_mask"}


@pytest.fixture
def connection():
    with duckdb.connect() as made:
        fill(made, rows)
        lode.duckdb.register(made, searcher, "t")
        yield made


def fill(connection, given_rows, type: str = "") -> None:
    """Makes the table `given` of rows."""
    is_bytes = any(isinstance(row, bytes) for row in given_rows)
    texts = pa.array(given_rows, pa.binary() if is_bytes else pa.string())
    connection.register("arrow_rows", pa.table({"n": range(len(given_rows)), "text": texts}))
    cast = f"::{type}" if type else ""
    connection.execute(f"create or replace table given as select n, text{cast} as text from arrow_rows")
    connection.unregister("arrow_rows")


def column(connection, expression: str) -> list:
    return [row[0] for row in connection.execute(f"select {expression} from given order by n").fetchall()]


def functions_of(connection) -> set[str]:
    return {row[0] for row in connection.execute("select function_name from duckdb_functions()").fetchall()} & all_names


def stars(found: bytes) -> bytes:
    return b"*" * len(found)


@pytest.mark.parametrize("type", ["VARCHAR", "BLOB", "ENUM"])
def test_types_of_columns(connection, type):
    given_rows = bytes_rows if type == "BLOB" else rows
    letters = ", ".join(f"'{row}'" for row in sorted({row for row in rows if row is not None}))
    fill(connection, given_rows, f"enum ({letters})" if type == "ENUM" else "")
    assert column(connection, "typeof(text)")[0].startswith(type)
    for answer in answers:
        assert column(connection, f"t_{answer}(text)") == expected[answer]
    assert column(connection, "t_mask(text, '*')") == [replaced(row, patterns, stars) for row in given_rows]
    wanted = [replaced(row, patterns, lambda found: b"<" + found + b">") for row in given_rows]
    assert column(connection, "t_replace(text, '<{match}>')") == wanted


def test_types_of_answers(connection):
    match = 'STRUCT("offset" BIGINT, pattern INTEGER, length INTEGER)'
    relation = connection.sql(
        "select t_contains(text), t_count(text), t_first(text), t_matches(text), t_replace(text, ''), "
        "t_mask(text, '*'), t_replace(text::blob, ''), t_mask(text::blob, '*') from given"
    )
    types = [str(type).replace('"pattern"', "pattern").replace('"length"', "length") for type in relation.types]
    assert types == ["BOOLEAN", "BIGINT", match, f"{match}[]", "VARCHAR", "VARCHAR", "BLOB", "BLOB"]
    pieces = connection.sql("select n, unnest(t_matches(text), recursive := true) from given order by all").fetchall()
    assert pieces == [
        (row, *match.values()) for row, matches in enumerate(expected["matches"]) for match in matches or []
    ]
    assert connection.sql("select t_first('ushers').pattern, t_matches('ushers')[2]['offset']").fetchall() == [(1, 2)]


def test_filters_and_constants(connection):
    kept = connection.sql("select n from given where t_contains(text) order by n").fetchall()
    assert [row[0] for row in kept] == [number for number, hit in enumerate(expected["contains"]) if hit]
    others = connection.sql("select n from given where not t_contains(text) order by n").fetchall()
    assert [row[0] for row in others] == [number for number, hit in enumerate(expected["contains"]) if hit is False]
    by_answer = connection.sql("select t_contains(text) as hit, sum(t_count(text)) from given group by hit").fetchall()
    assert dict(by_answer) == {None: None, False: 0, True: sum(count or 0 for count in expected["count"])}
    assert connection.sql("select t_contains('the'), T_COUNT('xyz'), t_first('')").fetchall() == [(True, 0, None)]
    expressions = [f"t_{answer}({{}})" for answer in answers] + ["t_replace({}, 'x')", "t_mask({}, '*')"]
    for expression in expressions:
        assert connection.sql(f"select {expression.format('null')}").fetchall() == [(None,)]
        for given_rows in ([], [None] * 5000):
            fill(connection, given_rows)
            assert column(connection, expression.format("text")) == given_rows


@settings(max_examples=50)  # each registers its words, which takes DuckDB a while
@given(
    st.lists(st.one_of(st.none(), st.text(alphabet="hesrž ", max_size=20)), max_size=12),
    st.lists(st.text(alphabet="hesr", min_size=1, max_size=3), min_size=1, max_size=4),
)
def test_against_loops(rows, words):
    given_patterns = [word.encode() for word in words]
    wanted = expected_answers(rows, given_patterns)
    lode.duckdb.register(shared, lode.Searcher(words, "cpu", threads=1), "w")
    fill(shared, rows)
    for answer in answers:
        assert column(shared, f"w_{answer}(text)") == wanted[answer]
    made = column(shared, "w_replace(text, '<{match}>')")
    assert made == [replaced(row, given_patterns, lambda word: b"<" + word + b">") for row in rows]


def test_replacements_of_each_row(connection):
    connection.execute("create or replace table given as select range as n, 'the ' || range as text from range(5000)")
    made = column(connection, "t_replace(text, case n % 3 when 0 then 'a' when 1 then '{match}{id}' end)")
    assert made == [
        ["ta", "the0", None][number % 3] + f" {number}" if number % 3 != 2 else None for number in range(5000)
    ]
    masks = column(connection, "t_mask(text::blob, case n % 2 when 0 then '*' else '#' end)")
    assert masks == [f"t{'#' * 2 if number % 2 else '**'} {number}".encode() for number in range(5000)]
    assert column(connection, "t_replace(text, null)") == [None] * 5000
    assert connection.sql("select t_replace('the'::blob, '\\xFF'::blob)").fetchall() == [(b"t\xff",)]


def test_replacements_of_the_patterns(connection):
    own = lode.Searcher(lode.PatternSet(["Ada", "Bo"], replacements=["A.", None]), "cpu")
    lode.duckdb.register(connection, own, "own")
    assert connection.sql("select own_replace('Ada, Bo', '?'), own_mask('Ada', '-')").fetchall() == [("A., ?", "---")]
    with pytest.raises(duckdb.Error, match="pattern 1, 'Bo', has no replacement"):
        connection.sql("select own_replace('Ada')").fetchall()
    all_own = lode.Searcher(lode.PatternSet(["Ada", "Bo"], replacements=["A.", "B."]), "cpu")
    lode.duckdb.register(connection, all_own, "own")
    assert connection.sql("select own_replace('Ada'), own_replace('Bo'::blob)").fetchall() == [("A.", b"B.")]
    with pytest.raises(duckdb.BinderException, match="t_replace"):
        connection.sql("select t_replace('the')").fetchall()


def test_forms_kinds_and_views(connection):
    spelled = lode.Searcher(["GATTTC"], "cpu", forms="reverse-complement")
    lode.duckdb.register(connection, spelled, "s")
    match = {"offset": 1, "pattern": 0, "length": 6, "form": "reverse-complement"}
    found = connection.sql("select s_first('xGAAATC'), s_matches('xGAAATC'), s_first('A')").fetchall()
    assert found == [(match, [match], None)]
    longest = lode.Searcher(patterns, "cpu", match_kind="leftmost-longest")
    lode.duckdb.register(connection, longest, "s")
    assert connection.sql("select s_count('ushers the'), s_contains('x'), s_count(null)").fetchall() == [
        (2, False, None)
    ]
    words = lode.Searcher(["big cat"], "cpu", view="words")
    lode.duckdb.register(connection, words, "s")
    assert connection.sql(
        "select s_contains('a BIG,' || chr(10) || 'CAT!'), s_replace('Big-cat.', 'dog')"
    ).fetchall() == [(True, "dog.")]


def test_long_rows(connection):
    fill(connection, ["x" * 10_000_000 + "she", "he", None])
    assert column(connection, "t_first(text)['offset']") == [10_000_000, 0, None]
    assert column(connection, "length(t_replace(text, ''))") == [10_000_000, 0, None]


def test_many_rows_on_several_threads(connection):
    connection.execute("set threads = 4")
    connection.execute(
        "create table many as select i, 'row ' || i || repeat('she', i % 3) as text from range(500000) as r(i)"
    )
    shared = lode.Searcher(patterns, "cpu")  # of all cores
    lode.duckdb.register(connection, shared, "s")
    assert connection.sql(
        "select count(*), sum(s_count(text)), sum(len(s_matches(text))), "
        "sum(length(s_mask(text, '*')) - length(text)), count(*) filter (s_contains(text) != (i % 3 > 0)) from many"
    ).fetchall() == [(500_000, 999_998, 999_998, 0, 0)]


def test_several_connections(connection):
    """Cursors and threads of their own use the functions at the same time."""
    wrong: list = []

    def search(cursor) -> None:
        for _ in range(10):
            for answer in answers:
                if column(cursor, f"t_{answer}(text)") != expected[answer]:
                    wrong.append(answer)

    threads = [threading.Thread(target=search, args=(connection.cursor(),)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_files(tmp_path):
    path = str(tmp_path / "rows.duckdb")
    first, second = duckdb.connect(path), duckdb.connect(path)
    fill(first, rows)
    lode.duckdb.register(first, searcher, "t")
    assert column(second, "t_count(text)") == expected["count"]
    with pytest.raises(lode.InvalidArgumentError, match="'t_contains' already"):
        lode.duckdb.register(second, searcher, "t")
    with pytest.raises(lode.InvalidArgumentError, match="registered nothing as 't'"):
        lode.duckdb.unregister(second, "t")
    first.close()
    del first
    gc.collect()
    assert column(second, "t_count(text)") == expected["count"]  # the function is there after its connection
    assert column(second, "t_replace(encode(text), '')")[4] == b"t "
    second.close()
    with duckdb.connect(path, read_only=True) as reader:
        assert functions_of(reader) == set()
        lode.duckdb.register(reader, searcher, "t")
        assert column(reader, "t_contains(text)") == expected["contains"]


def test_functions_are_replaced_and_removed(connection):
    assert functions_of(connection) == all_names
    lode.duckdb.register(connection, lode.Searcher(["none"], "cpu"), "T")  # SQL takes no notice of case
    assert column(connection, "t_count(text)") == [0, None, 0, 1, 0, 0, None, 0]
    lode.duckdb.unregister(connection, "t")
    assert functions_of(connection) == set()
    with pytest.raises(duckdb.CatalogException, match="t_count"):
        column(connection, "t_count(text)")
    with pytest.raises(lode.InvalidArgumentError, match="registered nothing"):
        lode.duckdb.unregister(connection, "t")
    lode.duckdb.register(connection, searcher, "t")
    lode.duckdb.register(connection, searcher, "u")
    lode.duckdb.unregister(connection, "t")
    assert column(connection, "u_count(text)") == expected["count"]


def test_prepared_queries_see_what_is_registered(connection):
    connection.execute("prepare counts as select t_count(text) from given order by n")
    assert connection.execute("execute counts").fetchall()[0] == (3,)
    lode.duckdb.register(connection, lode.Searcher(["s"], "cpu"), "t")
    assert connection.execute("execute counts").fetchall()[0] == (2,)


def test_a_query_goes_on_when_its_functions_are_replaced(connection):
    connection.execute("create table many as select 'row she ' || i as text from range(1000000) as r(i)")
    slow = lode.Searcher(["she", *map(str, range(3000))], "cpu", threads=1)
    lode.duckdb.register(connection, slow, "t")
    other, found = connection.cursor(), []
    wanted = other.sql("select sum(t_count(text)) from many").fetchall()
    thread = threading.Thread(target=lambda: found.extend(other.sql("select sum(t_count(text)) from many").fetchall()))
    thread.start()
    time.sleep(0.05)
    lode.duckdb.register(connection, searcher, "t")
    gc.collect()
    thread.join()
    assert found == wanted


def test_searchers_are_let_go():
    kept = []
    with duckdb.connect() as connection:
        for number in range(8):
            one = lode.Searcher([f"word {number}"], "cpu")
            kept.append(weakref.ref(one))
            lode.duckdb.register(connection, one, "t")
            lode.duckdb.register(connection, one, "u")
            lode.duckdb.unregister(connection, "u")
            del one
        gc.collect()
        alive = [reference() is not None for reference in kept]
        assert alive == [False] * 3 + [True] * 5  # the registered one, and the last four before it
        assert connection.sql("select t_contains('word 7')").fetchall() == [(True,)]


def test_searchers_take_turns(connection):
    """A searcher that was replaced may come back, whatever was registered meanwhile."""
    words = [f"word{number}" for number in range(7)]
    searchers = [lode.Searcher([word], "cpu") for word in words]
    for count in range(1, len(words) + 1):
        for number in [*range(count), *range(count)]:
            lode.duckdb.register(connection, searchers[number], "t")
            found = connection.execute("select t_count($1)", [words[number]]).fetchall()
            assert found == [(1,)]


def test_searchers_that_were_refused_are_let_go(connection):
    refused = lode.Searcher(["he"], "cpu")
    with pytest.raises(lode.InvalidArgumentError):
        lode.duckdb.register(connection, refused, "list")
    reference = weakref.ref(refused)
    del refused
    for number in range(5):
        lode.duckdb.register(connection, lode.Searcher([f"{number}"], "cpu"), "t")
    gc.collect()
    assert reference() is None


def test_connections_are_let_go():
    connection = duckdb.connect()
    lode.duckdb.register(connection, searcher, "t")
    assert connection.execute("select t_count('the')").fetchall() == [(1,)]
    reference = weakref.ref(connection)
    del connection
    gc.collect()
    assert reference() is None


def test_names_and_arguments(connection):
    for name in ("", "5", "a-b", "a b", "é", "a.b", 'a"'):
        with pytest.raises(lode.InvalidArgumentError, match="is not a name for functions"):
            lode.duckdb.register(connection, searcher, name)
    for wrong in (None, 5, b"t"):
        with pytest.raises(TypeError, match="named by a str"):
            lode.duckdb.register(connection, searcher, wrong)
    with pytest.raises(TypeError, match="searched by a lode.Searcher, not by list"):
        lode.duckdb.register(connection, ["he"], "u")
    for wrong in (None, lode, connection.sql("select 1")):
        with pytest.raises(TypeError, match="on a connection of DuckDB"):
            lode.duckdb.register(wrong, searcher, "u")
    for name in ("list", "ARRAY", "regexp"):  # these would hide list_contains(), array_contains(), regexp_replace() …
        with pytest.raises(lode.InvalidArgumentError, match=f"'{name}_.*' already"):
            lode.duckdb.register(connection, searcher, name)
    assert connection.sql("select list_contains([1], 1), regexp_replace('a', 'a', 'b')").fetchall() == [(True, "b")]
    connection.execute("create macro mine_count(x) as 5")
    with pytest.raises(lode.InvalidArgumentError, match="'mine_count' already"):
        lode.duckdb.register(connection, searcher, "mine")
    connection.begin()
    with pytest.raises(lode.InvalidArgumentError, match="transaction"):
        lode.duckdb.register(connection, searcher, "u")
    connection.rollback()
    lode.duckdb.register(connection, searcher, "u")
    assert column(connection, "u_contains(text)") == expected["contains"]


def test_what_queries_refuse(connection):
    for expression in ("t_contains(5)", "t_count([text])", "t_first(n)", "t_matches(1.5)"):
        with pytest.raises(duckdb.Error, match="a search needs a column of binary or string"):
            column(connection, expression)
    for expression in (
        "t_replace(n, 'x')",
        "t_mask(n, 'x')",
        "t_replace(text)",
        "t_contains(text, text)",
        "t_contains()",
    ):
        with pytest.raises(duckdb.BinderException, match="No function matches"):
            column(connection, expression)
    with pytest.raises(duckdb.Error, match="in braces"):
        column(connection, "t_replace(text, '{word}')")
    with pytest.raises(duckdb.Error, match="mask"):
        column(connection, "t_mask(text, 'ab')")
    cutting = lode.Searcher([b"\xc3"], "cpu")
    lode.duckdb.register(connection, cutting, "c")
    with pytest.raises(duckdb.Error, match="not UTF-8"):
        connection.sql("select c_replace('é', 'x')").fetchall()
    assert connection.sql("select c_replace(encode('é'), 'x')").fetchall() == [(b"x\xa9",)]


def test_the_default_connection():
    """`duckdb` itself is a connection; it is tried in a process of its own, because all tests share it."""
    program = """
import duckdb, lode, lode.duckdb
lode.duckdb.register(duckdb, lode.Searcher(["he"], "cpu"), "t")
assert duckdb.sql("select t_count('the')").fetchall() == [(1,)]
lode.duckdb.register(duckdb, lode.Searcher(["y"], "cpu"), "t")
lode.duckdb.register(duckdb.default_connection(), lode.Searcher(["x"], "cpu"), "t")
assert duckdb.sql("select t_count('the')").fetchall() == [(0,)]
lode.duckdb.unregister(duckdb, "t")
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)


@pytest.mark.parametrize("name", ["duckdb", "polars", "pandas"])
def test_examples_of_docstrings(name):
    result = doctest.testmod(importlib.import_module(f"lode.{name}"))
    assert result.attempted > 3 and result.failed == 0
