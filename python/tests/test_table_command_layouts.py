"""Tests the compression and row groups of files that lode-table writes, and what it says at the end."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet
import pytest
from table_command import lode_table, message, search

from lode._table_command.errors import Refusal
from lode._table_command.layouts import of_arrow
from lode._table_command.options import codecs

rows = 10_000
table = pa.table({"text": [f"he {number}" if number % 4 else None for number in range(rows)], "n": range(rows)})


@pytest.fixture
def room(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("patterns").write_text("he\nshe\n")
    return tmp_path


def codecs_of(path: str) -> dict[str, str]:
    metadata = pa.parquet.read_metadata(path)
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    columns = [group.column(number) for group in groups for number in range(group.num_columns)]
    found = {column.path_in_schema: column.compression for column in columns}
    assert all(found[column.path_in_schema] == column.compression for column in columns)
    return found


def groups_of(path: str) -> list[int]:
    metadata = pa.parquet.read_metadata(path)
    return [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)]


@pytest.mark.parametrize("codec", list(codecs))
@pytest.mark.parametrize("action", ["--filter", "--flag", "--matches"])
def test_parquet_keeps_its_codec(room, codec, action):
    pa.parquet.write_table(table, "in.parquet", compression=codec)
    search("in.parquet", "--column", "text", "--out", "out.parquet", action)
    given = set(codecs_of("in.parquet").values())
    assert set(codecs_of("out.parquet").values()) == given == {"UNCOMPRESSED" if codec == "none" else codec.upper()}


def test_parquet_keeps_the_codec_of_each_column(room):
    wide = table.append_column("a.b", table["n"]).append_column("l", pa.array([[{"x": 1}]] * rows))
    kinds = {"text": "zstd", "n": "none", "a.b": "gzip", "l.list.element.x": "zstd"}
    pa.parquet.write_table(wide, "in.parquet", compression=kinds)
    search("in.parquet", "--column", "text", "--out", "out.parquet", "--matches")
    added = {f"text_matches.list.element.{name}": "ZSTD" for name in ("offset", "pattern", "length")}
    assert codecs_of("out.parquet") == {**codecs_of("in.parquet"), **added}


@pytest.mark.parametrize("group_rows", [100, 999, 4096, rows])
@pytest.mark.parametrize("batch_rows", ["7000", "64"])
def test_parquet_keeps_its_row_groups(room, group_rows, batch_rows):
    pa.parquet.write_table(table, "in.parquet", row_group_size=group_rows)
    search("in.parquet", "--column", "text", "--out", "out.parquet", "--flag", "--batch-rows", batch_rows)
    assert groups_of("out.parquet") == groups_of("in.parquet")
    search("in.parquet", "--column", "text", "--out", "out.parquet", "--batch-rows", batch_rows)
    whole, rest = divmod(rows * 3 // 4, group_rows)
    assert groups_of("out.parquet") == [group_rows] * whole + [rest] * (rest != 0)
    assert pa.parquet.read_table("out.parquet")["n"].to_pylist() == [n for n in range(rows) if n % 4]


def test_row_groups_of_more_than_a_million_rows(room):
    large = pa.table({"text": pa.array(["he"]).take(pa.array([0] * 1_300_000))})
    pa.parquet.write_table(large, "in.parquet", row_group_size=1_200_000)
    search("in.parquet", "--column", "text", "--out", "out.parquet")
    assert groups_of("out.parquet") == [1_200_000, 100_000]


def test_row_groups_too_large_to_be_held(room, monkeypatch):
    monkeypatch.setattr("lode._table_command.writers._most_group_bytes", 10_000)
    pa.parquet.write_table(table, "in.parquet")
    search("in.parquet", "--column", "text", "--out", "out.parquet", "--flag", "--batch-rows", "100")
    assert max(groups_of("out.parquet")) < 1000
    options = ["--row-group-rows", "5000", "--batch-rows", "100"]
    search("in.parquet", "--column", "text", "--out", "out.parquet", "--flag", *options)
    assert groups_of("out.parquet") == [5000, 5000]


def test_options(room):
    pa.parquet.write_table(table, "in.parquet", compression="gzip")
    arguments = ["in.parquet", "--column", "text", "--flag", "--out"]
    search(*arguments, "out.parquet", "--compression", "zstd:19", "--row-group-rows", "3000")
    assert set(codecs_of("out.parquet").values()) == {"ZSTD"} and groups_of("out.parquet") == [3000, 3000, 3000, 1000]
    sizes = []
    for level in ("1", "19"):
        search(*arguments, "out.parquet", "--compression", f"zstd:{level}")
        sizes.append(Path("out.parquet").stat().st_size)
    assert sizes[1] < sizes[0]
    search(*arguments, "out.jsonl")
    search("out.jsonl", *arguments[1:], "again.parquet", "--compression", "brotli:3", "--name", "again")
    assert set(codecs_of("again.parquet").values()) == {"BROTLI"}
    for options, said in (
        (["out.csv", "--compression", "zstd"], "for Parquet and Arrow"),
        (["out.arrow", "--compression", "snappy"], "Arrow has no compression snappy"),
        (["out.arrow", "--row-group-rows", "5"], "for Parquet"),
    ):
        with pytest.raises(Refusal, match=said):
            search(*arguments, *options)
    for option, said in (
        ("zip", b"there is no compression 'zip'"),
        ("zstd:23", b"levels 1 to 22"),
        ("gzip:0", b"not a whole number of at least 1"),
        ("snappy:1", b"no levels"),
        ("zstd:", b"not a whole number"),
    ):
        done = lode_table("patterns", *arguments, "out.parquet", "--compression", option)
        assert done.returncode == 2 and said in done.stderr


@pytest.mark.parametrize("codec", [None, "lz4", "zstd"])
@pytest.mark.parametrize("ending", ["arrow", "arrows"])
@pytest.mark.parametrize("has_dictionary", [False, True])
def test_arrow_keeps_its_codec(room, codec, ending, has_dictionary):
    given = table.set_column(0, "text", table["text"].dictionary_encode()) if has_dictionary else table
    options = pa.ipc.IpcWriteOptions(compression=codec)
    make = pa.ipc.new_file if ending == "arrow" else pa.ipc.new_stream
    with make(f"in.{ending}", given.schema, options=options) as writer:
        writer.write_table(given)
    begins = {"arrow": 8, "arrows": 0}
    for target in ("arrow", "arrows"):
        assert search(f"in.{ending}", "--column", "text", "--out", f"out.{target}", "--flag")
        for path, kind in ((f"in.{ending}", ending), (f"out.{target}", target)):
            with open(path, "rb") as file:
                assert of_arrow(file, begins[kind]).codec == codec
    assert search(f"in.{ending}", "--column", "text", "--out", "out.arrow", "--compression", "zstd:9")
    with open("out.arrow", "rb") as file:
        assert of_arrow(file, 8).codec == "zstd"


def test_codecs_of_what_is_no_arrow(room):
    for content in (b"", b"x" * 100, b"\xff\xff\xff\xff", b"\xff\xff\xff\xff\x40\0\0\0" + bytes(range(64))):
        Path("odd").write_bytes(content)
        with open("odd", "rb") as file:
            assert of_arrow(file, 0).codec is None


def test_numbers_of_rows_at_the_end(room):
    pa.parquet.write_table(table, "in.parquet")
    matched = rows * 3 // 4
    for options, code, written in (
        ([], 0, matched),
        (["-v"], 0, rows - matched),
        (["--flag"], 0, rows),
        (["--counts", "--batch-rows", "77"], 0, rows),
    ):
        for target in ("out.parquet", "out.jsonl", "/dev/null"):
            done = lode_table(
                "patterns", "in.parquet", "--column", "text", "--out", target, "--out-format", "jsonl", *options
            )
            assert (done.returncode, done.stdout) == (code, b"")
            assert done.stderr.decode() == f"lode-table: {rows} rows read, {matched} matched, {written} written\n"
    assert "rows" not in message(lode_table("absent", "in.parquet", "--column", "text", "--out", "out.csv"))
    Path("in.jsonl").write_text('{"text": "he"}\n{"text": "x"}\n\n{"text": null}\n')
    done = lode_table("patterns", "in.jsonl", "--column", "text", "--out", "out.jsonl", "-v")
    assert done.stderr == b"lode-table: 3 rows read, 1 matched, 2 written\n"
