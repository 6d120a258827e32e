"""lode-decontaminate purify changes nothing but the contamination; review shows hits and keeps verdicts."""

from __future__ import annotations

import json
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path
from threading import Event

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from decontamination import (
    command,
    hits_of,
    packed,
    read_rows,
    refusal,
    report_of,
    run,
    run_command,
    unpacked,
    write_rows,
)
from hypothesis import given
from hypothesis import strategies as st

import lode_decontaminate as ld
from lode_decontaminate.json_values import place_of
from lode_decontaminate.rewriters import LineRewriter, TableRewriter
from lode_decontaminate.shards import crawl_endings
from lode_table.files import files_of

question = "A robe takes 2 bolts of blue fiber and half that much white fiber. How many bolts in total does it take?"
text = f"Before: ä {question.upper()} Behind ß."
cut_text = "Before: ä \n? Behind ß."
masked_text = f"Before: ä {'#' * (len(question) - 1)}? Behind ß."
ROWS = [
    {"id": 1, "meta": {"text": "Nothing of the kind.", "n": 1}},
    {"id": 2, "meta": {"text": None, "n": 2}},
    {"id": 3, "meta": {"text": text, "n": 3}},
    {"id": 4, "meta": None},
    {"id": 5, "meta": {"text": text, "n": 5}},
    {"id": 6, "meta": {"text": "The end.", "n": 6}},
]
KINDS = ["a.jsonl", "a.jsonl.gz", "a.jsonl.zst", "a.parquet", "a.arrow", "a.arrows"]


@pytest.fixture
def room(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_rows(Path("quiz.jsonl"), [{"id": "robe", "question": question}])
    return tmp_path


def found(*crawl: str) -> None:
    done = run("find", "--benchmark", "quiz.jsonl", "--crawl", *crawl, "--field", "meta.text", "--out", "found")
    assert done.returncode == 0, done.stderr


def changed_rows(new: str) -> list[dict]:
    return [
        {**row, "meta": {**row["meta"], "text": new}} if row["meta"] and row["meta"]["text"] == text else row
        for row in ROWS
    ]


@pytest.mark.parametrize("name", KINDS)
def test_documents_are_dropped(room: Path, name):
    write_rows(room / "crawl" / "deep" / name, ROWS)
    found("crawl")
    done = run("purify", "found", "--out", "clean")
    told = "6 documents read, 2 dropped, 1 shard written to clean\nDecided by share: 0.5 or more\n"
    assert (done.returncode, done.stdout) == (0, told), done.stderr
    assert read_rows(Path("clean/deep") / name) == [ROWS[at] for at in (0, 1, 3, 5)]
    assert read_rows(Path("clean.removed/deep") / name) == [ROWS[2], ROWS[4]]
    if "json" in name:
        old = unpacked(Path("crawl/deep") / name).splitlines(keepends=True)
        assert unpacked(Path("clean/deep") / name) == b"".join(old[at] for at in (0, 1, 3, 5))
    assert_alike(Path("crawl/deep") / name, Path("clean/deep") / name)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize(("way", "expected"), [(["--cut", "--margin", "0"], cut_text), (["--mask", "#"], masked_text)])
def test_quotations_are_cut_or_masked(room: Path, name, way, expected):
    write_rows(room / name, ROWS)
    found(name)
    assert run("purify", "found", "--out", "clean", "--removed", "gone", *way).returncode == 0
    assert read_rows(Path("clean") / name) == changed_rows(expected)
    assert_alike(Path(name), Path("clean") / name)
    removed = [json.loads(line) for line in (Path("gone") / f"{name}.spans.jsonl").read_text().splitlines()]
    offset = len("Before: ä ".encode())
    place = {
        "shard": name,
        "offset": offset,
        "length": len(question) - 1,
        "items": [{"benchmark": "quiz", "id": "robe"}],
    }
    assert removed == [{**place, "row": row, "text": question.upper()[:-1]} for row in (2, 4)]


def assert_alike(old: Path, new: Path) -> None:
    """Both files have one schema, one codec, and rows in groups alike."""
    if old.suffix == ".parquet":
        before, after = pa.parquet.ParquetFile(old), pa.parquet.ParquetFile(new)
        assert after.schema_arrow.equals(before.schema_arrow, check_metadata=True)
        columns = [file.metadata.row_group(0).column(0) for file in (before, after)]
        assert columns[0].compression == columns[1].compression == "ZSTD"
        assert after.metadata.row_group(0).num_rows == 3
    elif old.suffix == ".arrow":
        assert pa.feather.read_table(old).schema == pa.feather.read_table(new).schema
        assert pa.ipc.open_file(new).num_record_batches > 0
    elif old.suffix in (".gz", ".zst"):
        assert old.read_bytes()[:4] == new.read_bytes()[:4]


@pytest.mark.parametrize("margin", [0, 3, 8, 500])
def test_margins_count_characters(margin):
    removal = ld.Removal(None, margin)
    data = "ÄÖÜ дом QUOTED € ende".encode()
    begin = data.index(b"QUOTED")
    spans = removal.spans(data, [(begin, 6)])
    before, behind = "ÄÖÜ дом ", " € ende"
    left = before[: max(0, len(before) - margin)]
    right = behind[margin:]
    assert removal.without(data, spans).decode() == left + ("\n" if left and right else "") + right
    assert ld.Removal("€", margin).without(data, spans).decode().count("€") >= 6


def test_a_mask_keeps_the_number_of_characters():
    data = "ab дом cd".encode()
    removal = ld.Removal("*", 1)
    assert removal.without(data, removal.spans(data, [(3, 6)])).decode() == "ab*****cd"


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


@given(
    outer=st.dictionaries(st.text(max_size=3), values, max_size=3),
    inner=st.dictionaries(st.text(max_size=3), values, max_size=3),
    new=st.text(max_size=8),
    is_ascii=st.booleans(),
    indent=st.sampled_from([None, (" , ", " :\t")]),
)
def test_one_string_of_a_line_changes_and_nothing_else(outer, inner, new, is_ascii, indent):
    row = {**outer, "meta": {**inner, "text": "old"}}
    line = json.dumps(row, ensure_ascii=is_ascii, separators=indent).encode(errors="surrogatepass")
    place = place_of(line, "meta.text")
    assert place is not None and place.value == "old"
    changed = json.loads(place.with_value(new))
    assert changed == {**row, "meta": {**row["meta"], "text": new}}
    assert place.with_value("old") == line


def test_numbers_and_escapes_of_a_line_stay_as_they_are(room: Path):
    line = '{"n": 1.50e3, "big": 123456789012345678901234567890, "a\\u00e9":"\\u2019", "meta" : {"text": "%s"}}\r\n'
    Path("a.jsonl").write_text((line % "Nothing") + "\n" + line % question, newline="")
    found("a.jsonl")
    assert run("purify", "found", "--out", "clean", "--mask", "x").returncode == 0
    expected = (line % "Nothing") + "\n" + line % ("x" * (len(question) - 1) + "?")
    assert Path("clean/a.jsonl").read_bytes().decode() == expected


@pytest.mark.parametrize(
    "type", [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.dictionary(pa.int8(), pa.string())]
)
@pytest.mark.parametrize("rows", [4, 100])
def test_types_of_columns_stay(room: Path, type, rows):
    plain = pa.array(["Nothing", text, None, "x"] + ["y"] * (rows - 4))
    column = plain.dictionary_encode().cast(type) if pa.types.is_dictionary(type) else plain.cast(type)
    table = pa.table({"time": pa.array([0] * rows, pa.timestamp("ns")), "text": column})
    name = "a.arrows" if pa.types.is_dictionary(type) else "a.arrow"
    with (pa.ipc.new_stream if name == "a.arrows" else pa.ipc.new_file)(name, table.schema) as writer:
        writer.write_table(table)
    assert run("find", "--benchmark", "quiz.jsonl", "--crawl", name, "--out", "found").returncode == 0
    for way, expected in ((["--cut", "--margin", "0"], cut_text), ([], None)):
        out = f"clean{len(way)}"
        done = run("purify", "found", "--out", out, *way)
        assert done.returncode == 0, done.stderr
        new = (pa.ipc.open_stream if name == "a.arrows" else pa.ipc.open_file)(f"{out}/{name}").read_all()
        assert new.schema == table.schema
        there = [value.decode() if isinstance(value, bytes) else value for value in new["text"].to_pylist()]
        wanted = plain.to_pylist()
        assert there == ([wanted[0], expected, *wanted[2:]] if expected else [wanted[0], *wanted[2:]])


def test_finished_shards_are_not_written_again(room: Path):
    for number in range(3):
        write_rows(room / "crawl" / f"{number}.jsonl", ROWS)
    found("crawl")
    assert run("purify", "found", "--out", "clean").returncode == 0
    changed = {path: path.stat().st_mtime_ns for path in Path("clean").glob("*.jsonl")}
    done = run("purify", "found", "--out", "clean")
    assert done.returncode == 0 and "finished before: 3 of 3 shards" in done.stderr
    assert {path: path.stat().st_mtime_ns for path in changed} == changed
    assert "or with other options or verdicts; choose another --out" in refusal(
        "purify", "found", "--out", "clean", "--cut"
    )
    assert "it is a shard of the crawl; choose another folder" in refusal("purify", "found", "--out", "crawl")
    write_rows(room / "crawl" / "1.jsonl", ROWS[:3])
    assert "1.jsonl: it has changed since it was searched" in refusal("purify", "found", "--out", "other")
    found("crawl")
    assert run("purify", "found", "--out", "clean").returncode == 0
    assert [row["id"] for row in read_rows(Path("clean/1.jsonl"))] == [1, 2]


def test_a_purification_that_was_killed_goes_on(room: Path):
    rows = [{"meta": {"text": text if number % 200 == 0 else f"{number} " + "word " * 200}} for number in range(8000)]
    for number in range(8):
        write_rows(room / "crawl" / f"{number}.jsonl.gz", rows)
    found("crawl")
    arguments = ["purify", "found", "--threads", "1", "--out"]
    process = subprocess.Popen([command, *arguments, "clean"])
    end = time.monotonic() + 60
    while not list(Path("clean").glob("[0-9]*")) and process.poll() is None and time.monotonic() < end:
        time.sleep(0.002)
    process.kill()
    process.wait()
    finished = {path.name: path.stat().st_mtime_ns for path in Path("clean").glob("[0-9]*")}
    assert 0 < len(finished) < 8
    done = run_command(*arguments, "clean")
    assert done.returncode == 0 and done.stdout.startswith("64000 documents read, 320 dropped, 8 shards written")
    # The end may have come between the last shard and the note that it was finished.
    kept = [name for name, changed in finished.items() if Path("clean", name).stat().st_mtime_ns == changed]
    assert len(kept) >= len(finished) - 1
    assert run(*arguments, "whole").returncode == 0
    for folder in ("", ".removed"):
        for number in range(8):
            name = f"{number}.jsonl.gz"
            assert unpacked(Path(f"clean{folder}", name)) == unpacked(Path(f"whole{folder}", name))


def test_a_clean_crawl_has_no_contamination_left(room: Path):
    rows = [{"meta": {"text": f"{number} {text if number % 6 == 0 else 'none'}"}} for number in range(50)]
    write_rows(room / "crawl" / "a.jsonl.gz", rows)
    found("crawl")
    for way in ([], ["--cut"], ["--mask", "_"]):
        out = f"clean{''.join(way).strip('-_')}"
        assert run("purify", "found", "--out", out, *way).returncode == 0
        assert (
            run(
                "find", "--benchmark", "quiz.jsonl", "--crawl", out, "--field", "meta.text", "--out", f"{out}.found"
            ).returncode
            == 1
        )


def test_review_shows_hits_and_keeps_verdicts(room: Path):
    write_rows(room / "a.jsonl", ROWS)
    found("a.jsonl")
    done = run("review", "found", input="?\nx\nb\nn\nq\n")
    assert done.returncode == 0
    heads = [line for line in done.stdout.splitlines() if " of 2: " in line]
    assert [head.partition(":")[0] for head in heads] == ["1 of 2", "2 of 2", "1 of 2", "2 of 2"]
    assert heads[2].endswith("said to be a false alarm") and "100% of 10 n-grams, 22 words in a row" in heads[0]
    assert f"[[{question.upper()[:-1]}]]? Behind ß." in done.stdout and "\x1b" not in done.stdout
    assert "\x1b[30;43m" in run("review", "found", "--color", "always", input="q\n").stdout
    assert run("report", "found").stdout.splitlines()[1] == "1 of 6 documents contaminated, in 1 shard"
    assert run("purify", "found", "--out", "clean").returncode == 0
    assert [row["id"] for row in read_rows(Path("clean/a.jsonl"))] == [1, 2, 3, 4, 6]
    assert run("review", "found", "--threshold", "1", input="x\n").returncode == 0
    assert run("report", "found").returncode == 1
    assert report_of(Path("found"), "document") == []
    assert run("review", "found").returncode == 1 and len(hits_of(Path("found"), "a.jsonl")) == 2


def test_a_text_that_is_not_utf_8_is_found_and_cut(room: Path):
    line = b'{"meta": {"text": "\xff\xfe ' + question.encode() + b' \xe4"}}\n'
    Path("a.jsonl.gz").write_bytes(packed(line, ".gz"))
    found("a.jsonl.gz")
    assert run("purify", "found", "--out", "clean", "--cut", "--margin", "1").returncode == 0
    assert unpacked(Path("clean/a.jsonl.gz")) == b'{"meta": {"text": "\xff\xfe\\n \xe4"}}\n'
    told = run("purify", "found", "--out", "x", "--margin", "1").stderr
    assert told.startswith("usage: lode-decontaminate purify ") and "--margin is for --cut and --mask" in told


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
def test_escapes_the_byte_order_mark_and_blank_lines_stay(room: Path, mark, name):
    row = {"note": "naive", "meta": {"text": text}}
    escaped, raw = json.dumps(row), json.dumps(row, ensure_ascii=False)
    Path(name).write_bytes(packed(mark + f"\n{escaped}\n\n{raw}\n \n".encode(), Path(name).suffix))
    found(name)
    for way, expected in (
        (["--mask", "█"], text.replace(question.upper()[:-1], "█" * (len(question) - 1))),
        ([], None),
    ):
        assert run("purify", "found", "--out", f"clean{len(way)}", *way).returncode == 0
        new = {"note": "naive", "meta": {"text": expected}}
        lines = [json.dumps(new), "", json.dumps(new, ensure_ascii=False)] if expected else [""]
        whole = mark + "\n".join(["", *lines, " ", ""]).encode()
        assert unpacked(Path(f"clean{len(way)}") / name) == whole
    Path(name).write_bytes(packed(b"\n \n", Path(name).suffix))
    assert run("find", "--benchmark", "quiz.jsonl", "--crawl", name, "--out", "blank").returncode == 1
    assert run("purify", "blank", "--out", "as-it-was").returncode == 1
    assert unpacked(Path("as-it-was") / name) == b"\n \n"


@pytest.mark.parametrize("type", [pa.dictionary(pa.int32(), pa.string()), pa.binary(len(question))])
def test_columns_that_cannot_change_are_refused_at_once(room: Path, type):
    column = pa.array([question, "x" * len(question)])
    column = (
        column.dictionary_encode().cast(type) if pa.types.is_dictionary(type) else column.cast(pa.binary()).cast(type)
    )
    pa.feather.write_feather(pa.table({"text": column}), "a.arrow")
    assert run("find", "--benchmark", "quiz.jsonl", "--crawl", "a.arrow", "--out", "found").returncode == 0
    said = f"a.arrow: the column 'text' is of {type}; drop the documents instead"
    assert said in refusal("purify", "found", "--out", "clean", "--mask", "x")
    assert not Path("clean").exists()
    assert run("purify", "found", "--out", "clean").returncode == 0


@pytest.mark.parametrize("name", ["a.jsonl", "a.parquet"])
def test_a_failure_ends_what_other_threads_write(room: Path, name):
    write_rows(Path(name), ROWS)
    stop = Event()
    stop.set()
    shard = files_of([name], crawl_endings).found[0]
    with pytest.raises(ld.Refusal, match="was ended"), ExitStack() as streams:
        if name == "a.jsonl":
            LineRewriter(shard, "meta.text", None, stop, 1 << 20).rewrite({}, "new/a", "old/a", streams)
        else:
            TableRewriter(shard, "meta.text", None, stop).rewrite({}, "new/a", "old/a", streams)
    assert not list(Path("new").iterdir()) and not list(Path("old").iterdir())
