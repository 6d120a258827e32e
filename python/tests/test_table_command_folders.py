"""Tests lode-table on several tables: which are searched, where each is written, and the summary."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from table_command import lode_table, message

table = pa.table({"id": ["007", "2", "3", "4"], "text": ["ushers", None, "none", 'the "he", she\nsaid']})
lines = "".join(json.dumps(row) + "\n" for row in table.to_pylist())


@pytest.fixture
def room(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("patterns").write_text("he\nshe\nzebra\n")
    Path("crawl/deep").mkdir(parents=True)
    pa.parquet.write_table(table, "crawl/a.parquet", compression="zstd")
    Path("crawl/deep/b.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    Path("crawl/c.jsonl").write_text(lines)
    for left_out in ("_metadata", "_c.jsonl", "notes.txt", ".hidden.jsonl"):
        Path("crawl", left_out).write_text("nothing")
    return tmp_path


def files(folder: str) -> list[str]:
    return sorted(os.path.relpath(path, folder) for path in Path(folder).rglob("*") if path.is_file())


def search(*arguments: str, code: int = 0) -> str:
    done = lode_table("patterns", *arguments)
    assert done.returncode == code, done.stderr
    return done.stderr.decode()


def test_each_table_of_a_folder_is_written_under_its_name(room):
    said = search("crawl", "--column", "text", "--out", "clean/", "-v")
    assert files("clean") == ["a.parquet", "c.jsonl", "deep/b.jsonl.gz"]
    assert pa.parquet.read_table("clean/a.parquet").to_pylist() == table.to_pylist()[1:3]
    assert pa.parquet.ParquetFile("clean/a.parquet").metadata.row_group(0).column(0).compression == "ZSTD"
    kept = "".join(lines.splitlines(keepends=True)[1:3])
    assert Path("clean/c.jsonl").read_text() == kept
    assert gzip.decompress(Path("clean/deep/b.jsonl.gz").read_bytes()).decode() == kept
    assert "3 tables: 12 rows read, 6 matched, 6 written" in said
    assert "crawl/_c.jsonl, crawl/notes.txt" in said and "hidden" not in said


def test_the_format_may_be_another(room):
    search("crawl/*.parquet", "crawl/deep", "--column", "text", "--out", "made/", "--out-format", "csv", "--counts")
    assert files("made") == ["a.csv", "b.csv"]
    assert pa.csv.read_csv("made/b.csv")["text_counts"].to_pylist() == [2, None, 0, 4]
    Path("lines").mkdir()
    Path("lines/x").write_text(lines)
    Path("y.log").write_text(lines)
    assert "no file of a known format" in message(lode_table("patterns", "lines", "--column", "text", "--out", "m/"))
    assert "2 tables" in search("lines", "y.log", "--column", "text", "--out", "m/", "--in-format", "jsonl")
    assert files("m") == ["x", "y.log"]


def test_a_shard_may_be_empty(room):
    Path("crawl/empty.jsonl").write_text("\n")
    assert "4 tables: 12 rows read" in search("crawl", "--column", "text", "--out", "o/", "--flag")
    assert Path("o/empty.jsonl").read_bytes() == b""
    assert "there is no line" in message(lode_table("patterns", "crawl/empty.jsonl", "--column", "text", "--out", "o.jsonl"))


@pytest.mark.parametrize("ending", ["gz", "zst", "bz2", "lz4"])
@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_text_is_compressed_as_the_name_says(room, ending, format):
    for action in ("--flag", "--mask=*"):
        search("crawl/c.jsonl", "--column", "text", "--out", f"o.{format}.{ending}", action)
        search("crawl/c.jsonl", "--column", "text", "--out", f"o.{format}", action)
        with pa.input_stream(f"o.{format}.{ending}") as stream:
            assert stream.read() == Path(f"o.{format}").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["crawl", "--out", "o.parquet"], "o.parquet: several tables need a folder"),
        (["crawl/a.parquet", "crawl/c.jsonl", "--out", "-", "--out-format", "csv"], "-: several tables need a folder"),
        (["-", "--in-format", "csv", "--out", "o/"], "standard input has no name"),
        (["-", "crawl", "--out", "o/"], "standard input can be only one"),
        (["crawl", "--out", "crawl"], "crawl: all tables lie within it"),
        (["crawl/a.parquet", "crawl/c.jsonl", "--out", "crawl/"], "crawl/a.parquet: it is one of the tables"),
        (["crawl/c.jsonl", "other/c.jsonl", "--out", "o/"], "crawl/c.jsonl has the same name"),
        (["crawl/a.parquet", "crawl/a.pq", "--out", "o/", "--out-format", "csv"], "o/a.csv: both"),
        (["crawl/x*.parquet", "--out", "o/"], "crawl/x*.parquet: no file has such a name"),
        (["crawl/nothing.parquet", "--out", "o/"], "crawl/nothing.parquet: No such file"),
        (["crawl", "--out", "o/", "--column", "body"], "crawl/a.parquet: no column is called 'body'"),
        (["crawl/deep", "--out", "o/", "--column", "body"], "b.jsonl.gz: no column is called 'body'; there are: id, text"),
        (["crawl", "--out", "o/", "--summary", "away/s.json"], "away/s.json: No such file"),
        (["crawl", "--out", "o/", "--summary", "crawl/c.jsonl"], "crawl/c.jsonl: it is one of the tables"),
        (["crawl", "--out", "o/", "--summary", "o/../o/a.parquet"], "it is one of the tables"),
        (["crawl/c.jsonl", "--out", "-", "--out-format", "jsonl", "--summary", "-"], "standard output is for the table"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_errors(room, arguments, said):
    Path("other").mkdir()
    Path("other/c.jsonl").write_text(lines)
    if "crawl/a.pq" in arguments:
        pa.parquet.write_table(table, "crawl/a.pq")
    before = files("crawl")
    column = [] if "--column" in arguments else ["--column", "text"]
    done = lode_table("patterns", *arguments, *column)
    assert done.returncode == 2 and said in done.stderr.decode()
    assert files("crawl") == before


def test_a_table_that_fails_ends_the_command_and_the_others_stay(room):
    Path("crawl/b.jsonl").write_text('{"text": "he"}\n{"text": \n')
    done = lode_table("patterns", "crawl", "--column", "text", "--out", "o/")
    assert done.returncode == 2 and b"crawl/b.jsonl: line 2: " in done.stderr
    assert files("o") == ["a.parquet"]


def test_what_an_earlier_call_wrote_is_not_searched(room):
    for _ in range(2):
        assert "3 tables" in search("crawl", "--column", "text", "--out", "crawl/clean/")
    assert files("crawl/clean") == ["a.parquet", "c.jsonl", "deep/b.jsonl.gz"]


def test_the_summary_tells_tables_and_patterns(room):
    Path("list.jsonl").write_text('{"text":"he","label":"short"}\n{"text":"zebra"}\n{"hex":"ff"}\n{"text":"she"}\n')
    done = lode_table("list.jsonl", "crawl", "--column", "text", "--out", "o/", "--matches", "--summary", "s.json")
    assert done.returncode == 0
    held = json.loads(Path("s.json").read_text())
    assert (held["rows"], held["matched"], held["written"]) == (12, 6, 12)
    assert held["tables"][0] == {"table": "crawl/a.parquet", "out": "o/a.parquet", "rows": 4, "matched": 2, "written": 4}
    assert [row["table"] for row in held["tables"]] == ["crawl/a.parquet", "crawl/c.jsonl", "crawl/deep/b.jsonl.gz"]
    assert held["patterns"] == [
        {"pattern": 0, "text": "he", "label": "short", "rows": 6, "occurrences": 12},
        {"pattern": 3, "text": "she", "label": "", "rows": 6, "occurrences": 6},
    ]
    row = pa.parquet.read_table("o/a.parquet")["text_matches"].to_pylist()[0]
    assert [match["label"] for match in row] == [None, "short"]
    Path("odd").write_bytes(b"\xff\n")
    pa.parquet.write_table(pa.table({"b": [b"\xff\xff"]}), "odd.parquet")
    done = lode_table("odd", "odd.parquet", "--column", "b", "--out", "o.parquet", "--summary", "-")
    assert json.loads(done.stdout)["patterns"] == [{"pattern": 0, "base64": "/w==", "rows": 1, "occurrences": 2}]


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_a_column_may_lie_within_objects(room, ending):
    inner = [{"text": "ushers"}, None, {"text": None}, {"text": "no"}]
    rows = [{"m": value, "n": number} for number, value in enumerate(inner, 1)]
    if ending == "jsonl":
        Path("in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        pa.parquet.write_table(pa.Table.from_pylist(rows), "in.parquet")
    search(f"in.{ending}", "--column", "m.text", "--out", "o.jsonl", "--counts", "--name", "hits")
    made = [json.loads(line) for line in Path("o.jsonl").read_text().splitlines()]
    assert made == [{**row, "hits": hits} for row, hits in zip(rows, [2, None, None, 0])]
    search(f"in.{ending}", "--column", "m.text", "--out", "o.jsonl", "--mask", "*")
    made = [json.loads(line) for line in Path("o.jsonl").read_text().splitlines()]
    assert [row["m"] for row in made] == [{"text": "u***rs"}, None, {"text": None}, {"text": "no"}]
    search(f"in.{ending}", "--column", "m.text", "--out", "o.jsonl", "-v")
    assert [json.loads(line)["n"] for line in Path("o.jsonl").read_text().splitlines()] == [2, 3, 4]


@pytest.mark.parametrize("action", ["--filter", "--counts", "--matches"])
def test_lines_are_the_same_however_they_are_read(room, monkeypatch, action):
    from lode._table_command import readers
    from lode._table_command.options import parse
    from lode._table_command.run import run

    some = [
        '{"text": "ushers", "n": 1.50, "big": 12345678901234567890123}',
        '{"text": "ushers", "n": 12345678901234567}  ',
        '\t{"text": null}',
        '{"n": {"text": "he"}, "text_": "he"}\r',
        "",
        '{"text": "\\u0068\\u0065 \\ud83d\\ude00 é", "é": [1, {"text": "x"}]}',
        '{"text": "the", "text_": "\\u0000"}',
        '{"id": 1, "id": 2, "text": "she"}',
        '{"text": "he", "deep": ' + "[" * 2000 + "]" * 2000 + "}",
    ]
    for chosen in ([0, 1, 2, 3, 4], [1, 2, 3, 4, 5, 6], [6, 8, 1], [7, 1], [3, 2, 6]):
        Path("in.jsonl").write_text("\ufeff" + "\n".join(some[number] for number in chosen))
        made = []
        for read in (readers.strings_of_lines, lambda *_: None):
            monkeypatch.setattr(readers, "strings_of_lines", read)
            arguments = ["patterns", "in.jsonl", "--column", "text", "--out", "o.jsonl", action, "--quiet"]
            try:
                made.append((run(parse(arguments)), Path("o.jsonl").read_bytes()))
            except readers.Refusal as error:
                made.append(str(error))
            monkeypatch.undo()
            monkeypatch.chdir(room)
        assert made[0] == made[1]


def test_lines_that_have_the_added_name_are_refused(room):
    Path("in.jsonl").write_text('{"text": "he"}\n{"text": "x", "text_counts": 1}\n')
    done = lode_table("patterns", "in.jsonl", "--column", "text", "--out", "o.jsonl", "--counts")
    assert done.returncode == 2 and b"in.jsonl: line 2: a column is called 'text_counts' already" in done.stderr
