"""Rows of bench/python_rows.py: Lode within DuckDB, polars and pandas, beside what these packages have themselves.

  flag     whether any pattern occurs: `contains` against contains_any of polars, a regular expression of all patterns in
           DuckDB and pandas, and in DuckDB also contains() of each pattern
  count    matches of each row: all of them against find_many of polars; leftmost ones against regular expressions
  replace  matches by one character: against replace_many of polars, and regular expressions

Each is a whole query, one core, from the package's own column to one number.
"""

import re

import pyarrow as pa

import lode


def database_rows(name, patterns, columns, contest_of):
    """The contests whose packages are installed, and then why the others are not there.

    columns     pairs of a column and its number of bytes: a large one, for polars, and a small one, for packages that take
                a thousand times as long
    contest_of  makes a Contest of its name
    """
    large, small = columns
    every = lode.Searcher(patterns, "cpu", threads=1)
    every.prepare(texts=True, records=True)
    leftmost = lode.Searcher(patterns, "cpu", threads=1, match_kind="leftmost-first")
    leftmost.prepare()
    contests, missing = [], {}
    for package, add, column in (
        ("polars", add_polars, large),
        ("duckdb", add_duckdb, small),
        ("pandas", add_pandas, small),
    ):
        named = {word: contest_of(f"{word} in {package}, {name}") for word in ("flag", "count", "replace")}
        try:
            add(named, patterns, *column, every, leftmost)
            contests += named.values()
        except ModuleNotFoundError:
            missing[package] = "not installed"
    return contests, missing


def regular_expression(patterns):
    return "|".join(map(re.escape, patterns))


def add_polars(contests, patterns, column, size, every, leftmost):
    import polars

    import lode.polars  # noqa: F401

    plan = polars.Series("text", polars.from_arrow(column)).to_frame().lazy()
    text = polars.col("text")

    def run(expression):
        return lambda: int(plan.select(expression.sum()).collect().item())

    contests["flag"].add("lode", size, run(text.lode.contains(every)))
    contests["flag"].add("polars", size, run(text.str.contains_any(patterns)))
    contests["count"].add("lode", size, run(text.lode.count(every)))
    contests["count"].add("polars", size, run(text.str.find_many(patterns, overlapping=True).list.len()))
    contests["replace"].add("lode", size, run(text.lode.replace(leftmost, "_").str.len_bytes()))
    replaced = text.str.replace_many(patterns, ["_"], leftmost=True)
    contests["replace"].add("polars", size, run(replaced.str.len_bytes()))


def add_duckdb(contests, patterns, column, size, every, leftmost):
    import duckdb

    import lode.duckdb

    connection = duckdb.connect()
    connection.execute("set threads = 1")
    connection.register("rows_of_arrow", pa.table({"text": column}))
    connection.execute("create table texts as select text from rows_of_arrow")
    connection.execute("create table patterns as select unnest($1) as pattern", [patterns])
    lode.duckdb.register(connection, every, "every")
    lode.duckdb.register(connection, leftmost, "leftmost")
    expression = regular_expression(patterns).replace("'", "''")

    def run(query):
        return lambda: int(connection.execute(query).fetchone()[0])

    contests["flag"].add("lode", size, run("select count(*) from texts where every_contains(text)"))
    by_expression = f"select count(*) from texts where regexp_matches(text, '{expression}')"
    contests["flag"].add("duckdb, regexp", size, run(by_expression))
    each = "select count(*) from texts where exists (select 1 from patterns where contains(text, pattern))"
    contests["flag"].add("duckdb, contains", size, run(each))
    contests["count"].add("lode", size, run("select sum(leftmost_count(text)) from texts"))
    counted = f"select sum(len(regexp_extract_all(text, '{expression}'))) from texts"
    contests["count"].add("duckdb, regexp", size, run(counted))
    contests["replace"].add("lode", size, run("select sum(strlen(leftmost_replace(text, '_'))) from texts"))
    replaced = f"select sum(strlen(regexp_replace(text, '{expression}', '_', 'g'))) from texts"
    contests["replace"].add("duckdb, regexp", size, run(replaced))


def add_pandas(contests, patterns, column, size, every, leftmost):
    import pandas

    import lode.pandas  # noqa: F401

    series = pandas.Series(column.to_pandas(), dtype="str")
    expression = regular_expression(patterns)
    contests["flag"].add("lode", size, lambda: int(series.lode.contains(every).sum()))
    contests["flag"].add("pandas", size, lambda: int(series.str.contains(expression).sum()))
    contests["count"].add("lode", size, lambda: int(series.lode.count(leftmost).sum()))
    contests["count"].add("pandas", size, lambda: int(series.str.count(expression).sum()))

    def length(replaced):
        return int(replaced.str.len().sum())

    contests["replace"].add("lode", size, lambda: length(series.lode.replace(leftmost, "_")))
    contests["replace"].add("pandas", size, lambda: length(series.str.replace(expression, "_", regex=True)))
