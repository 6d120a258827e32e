"""lode-table refuses lines of JSON that Arrow's reader must not see."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st
from table_command import lode_table, message, search

from lode._table_command.errors import Refusal
from lode._table_command.json_objects import CheckedObjects, most_levels

good = b'{"text": "he"}\n'


@pytest.fixture
def room(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("patterns").write_text("he\nshe\n")
    return tmp_path


def nested(levels: int, opening: bytes = b"[", closing: bytes = b"]") -> bytes:
    return b'{"text": "he", "a": ' + opening * levels + closing * levels + b"}"


wrong = [
    (b"null", "it holds no object"),
    (b" null ", "it holds no object"),
    (b"5", "it holds no object"),
    (b'"text"', "it holds no object"),
    (b"[]", "it holds no object"),
    (b"true", "it holds no object"),
    (b"[" * 100_000 + b"]" * 100_000, "it holds no object"),
    (b"[" * 100_000, "it holds no object"),
    (b'{"text": "he"} null', "there is something beside its object"),
    (b'{"text": "he"} null {"text": "she"}', "there is something beside its object"),
    (b'null {"text": "he"}', "it holds no object"),
    (b'{"text": "he"},', "there is something beside its object"),
    (nested(100_000), "it is nested more than"),
    (nested(1_000), "it is nested more than"),
    (nested(100_000, b'{"a": ', b"}"), "it is nested more than"),
    (b'{"text": "he", "a": ' + b"[" * 100_000, "it is nested more than"),
]


@pytest.mark.parametrize("target", ["out.parquet", "out.jsonl"])
@pytest.mark.parametrize("end", [b"\n", b""])
@pytest.mark.parametrize("before", [0, 1, 3])
@pytest.mark.parametrize(("line", "said"), wrong, ids=lambda value: repr(value[:16]) if isinstance(value, bytes) else "")
def test_lines_that_hold_no_object(room, line, said, before, end, target):
    Path("in.jsonl").write_bytes(good * before + line + end + (good if end else b""))
    with pytest.raises(Refusal, match=f"in.jsonl: line {before + 1}: " + (said if target == "out.parquet" else "")):
        search("in.jsonl", "--column", "text", "--out", target)
    assert not Path(target).exists()


@pytest.mark.parametrize("line", [b"null", nested(100_000)])
def test_files_of_nothing_else(room, line):
    """The command runs in a process of its own, because it might crash."""
    for content in (line, line + b"\n", (line + b"\n") * 3):
        Path("in.jsonl").write_bytes(content)
        for target in ("out.parquet", "out.csv"):
            told = message(lode_table("patterns", "in.jsonl", "--column", "text", "--out", target))
            assert told.startswith("lode-table: in.jsonl: line 1: ")
    late = good * 400_000 + line + b"\n"
    told = message(lode_table("patterns", "-", "--in-format", "jsonl", "--column", "text", "--out", "o.csv", input=late))
    assert told.startswith("lode-table: -: line 400001: ")


def test_brackets_across_lines(room):
    Path("in.jsonl").write_bytes(b'{"text": "he", "a":\n' + b"[\n" * 100_000 + b"]" * 100_000 + b"}\n")
    with pytest.raises(Refusal, match=f"line {most_levels + 1}: it is nested"):
        search("in.jsonl", "--column", "text", "--out", "out.parquet")


def test_objects_that_pass(room):
    content = (
        b'\xef\xbb\xbf{"text": "he [[[ null {\\" }", "a": [[1], [2]]}\r\n'
        b"\n"
        b'{"text": "x",\n "a": [\n[3]]\n}\n'
        b'  {"text": "} null", "a": []} {"text": "she", "a": null}\n'
        b'{"text": "y", "a": [' + b"[5], " * 1000 + b"[5]]}\n"
        b'{"text": "' + b"[{" * 1000 + b'", "a": []}'
    )
    Path("in.jsonl").write_bytes(content)
    assert search("in.jsonl", "--column", "text", "--out", "out.parquet", "--counts")
    found = pa.parquet.read_table("out.parquet")
    assert found["text_counts"].to_pylist() == [1, 0, 0, 2, 0, 0]
    assert len(found["a"][4]) == 1001


def test_as_deep_as_parquet_goes(room):
    for levels in (40, 49, 60):
        Path("in.jsonl").write_bytes(nested(levels) + b"\n")
        assert search("in.jsonl", "--column", "text", "--out", "out.arrow")
        if levels < 50:
            assert search("in.jsonl", "--column", "text", "--out", "out.parquet")
            assert pa.parquet.read_table("out.parquet").num_rows == 1
        else:
            with pytest.raises(Refusal, match="out.parquet: the column 'a' is nested deeper"):
                search("in.jsonl", "--column", "text", "--out", "out.parquet")


scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.text(alphabet='ab"\\[]{}\n, ', max_size=8))
values = st.recursive(scalars, lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text("a]"), inner)), max_leaves=8)


@given(st.lists(values, max_size=12), st.integers(1, 60), st.sampled_from(["\n", "\r\n", "\n\n"]), st.booleans())
def test_against_json(rows, piece_bytes, end, is_wrapped):
    """The error names the line of the first value that is not an object, whatever the pieces in which a file comes."""
    rows = [{"a": row} for row in rows] if is_wrapped else rows
    data = "".join(json.dumps(row) + end for row in rows).encode()
    bad = next((number for number, row in enumerate(rows) if not isinstance(row, dict)), None)
    stream = CheckedObjects(io.BytesIO(data), "f")

    def read_all() -> bytes:
        return b"".join(iter(lambda: stream.read(piece_bytes), b""))

    if bad is None:
        assert read_all() == data
    else:
        with pytest.raises(Refusal, match=f"f: line {bad * end.count(chr(10)) + 1}: it holds no object"):
            read_all()
