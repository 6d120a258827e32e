"""lode-table changes no value that passes through it, and refuses values that a format cannot hold."""

from __future__ import annotations

import datetime
import decimal
import io
import json
import math
import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.ipc
import pyarrow.json
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from table_command import lode_table, message, search

import lode
from lode._table_command.errors import Refusal
from lode._table_command.json_lines import CheckedNumbers
from lode._table_command.times import rows_of

odd_lines = [
    '{"n": 18446744073709551616, "text": "she", "f": 1.10, "l": [1e400, {"x": -0}]}',
    '{ "text":"h\\u0065" ,  "only here": 0.1000000000000000055511151231257827 }',
    '{"text": null, "text_flag2": {}}',
    '{"n": 1}',
    "{}",
    '{"n": [], "text": "she, he", "ä": "ö", "at": "2020-01-01"}',
]
counts_of_odd_lines = [2, 1, None, None, None, 3]


@pytest.fixture
def room(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("patterns").write_text("he\nshe\n")
    return tmp_path


def lines_of(name: str) -> list[str]:
    return Path(name).read_text().splitlines()


@pytest.mark.parametrize("batch_rows", ["1", "4", "1000"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\n \n"])
def test_lines_of_json_stay_as_they_are(room, end, batch_rows):
    Path("in.jsonl").write_bytes(end.join(odd_lines).encode())
    options = ["in.jsonl", "--column", "text", "--out", "out.jsonl", "--batch-rows", batch_rows]
    assert search(*options)
    assert lines_of("out.jsonl") == [odd_lines[0], odd_lines[1], odd_lines[5]]
    assert search(*options, "-v")
    assert lines_of("out.jsonl") == odd_lines[2:5]
    assert search(*options, "--counts")
    for line, given_line, count in zip(lines_of("out.jsonl"), odd_lines, counts_of_odd_lines, strict=True):
        assert line.startswith(given_line[:-1].rstrip())
        assert json.loads(line) == {**json.loads(given_line), "text_counts": count}
    assert lines_of("out.jsonl")[4] == '{"text_counts": null}'
    assert search(*options, "--matches", "--name", 'a "b"')
    found = [json.loads(line)['a "b"'] for line in lines_of("out.jsonl")]
    assert found[1] == [{"offset": 0, "pattern": 0, "length": 2}] and found[3] is None
    assert search(*options, "--flag")
    assert [json.loads(line)["text_flag"] for line in lines_of("out.jsonl")] == [True, True, None, None, None, True]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda values: st.lists(values, max_size=3) | st.dictionaries(st.text(max_size=3), values, max_size=3),
    max_leaves=6,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(
            st.dictionaries(st.text(max_size=4), json_values, max_size=4),
            st.none() | st.text(st.sampled_from("hesü\n\"\\ \u2028"), max_size=8),
        ),
        min_size=1,
        max_size=12,
    ),
    st.integers(1, 5),
    st.booleans(),
)
def test_lines_of_json_against_json(room, rows, batch_rows, is_ascii):
    values = [{**row, "text": text} for row, text in rows]
    for row in values:
        row.pop("text_counts", None)
    lines = [json.dumps(row, ensure_ascii=is_ascii) for row in values]
    Path("in.jsonl").write_text("".join(line + "\n" for line in lines), newline="\n")
    options = ["in.jsonl", "--column", "text", "--out", "out.jsonl", "--batch-rows", str(batch_rows)]
    search(*options, "--counts")
    out = Path("out.jsonl").read_bytes().decode().split("\n")
    assert out.pop() == ""
    for line, row in zip(out, values, strict=True):
        text = row["text"]
        expected = None if text is None else text.count("he") + text.count("she")
        assert json.loads(line) == {**row, "text_counts": expected}
    search(*options)
    kept = [line for line, row in zip(lines, values) if row["text"] is not None and "he" in row["text"]]
    assert Path("out.jsonl").read_bytes().decode() == "".join(line + "\n" for line in kept)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b'{"text": 5}', "the column 'text' holds no string"),
        (b'{"text": ["she"]}', "the column 'text' holds no string"),
        (b'{"text": "she", "text": "x"}', "twice"),
        (b'{"text": "x", "o": {"a": 1, "a": 2}}', "twice"),
        (b'{"text": "\\ud800"}', "not valid Unicode"),
        (b'{"text": "a\xff"}', "not valid UTF-8"),
        (b'{"text": "a", "b": "\xc3("}', "not valid UTF-8"),
        (b'{"text": "a"} {"text": "b"}', "Extra data"),
        (b'{"text": "a"', "line 4: "),
        (b'["text"]', "no object"),
        (b'{"text": NaN}', "NaN is not a number of JSON"),
        (b'{"text": "a", "b": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "line 4: "),
        (b'{"text": "a", "text_flag": null}', "called 'text_flag' already"),
        (b'{"text": "a", "text_fl\\u0061g": 1}', "called 'text_flag' already"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_lines_that_are_none(room, line, said):
    Path("in.jsonl").write_bytes(b'{"text": "she"}\n\n{"text": "he"}\n' + line + b"\n")
    Path("out.jsonl").write_text("before")
    told = message(lode_table("patterns", "in.jsonl", "--column", "text", "--out", "out.jsonl", "--flag"))
    assert told.startswith("lode-table: in.jsonl: line 4: ") and said in told
    assert Path("out.jsonl").read_text() == "before"


def test_lines_that_are_none_as_a_whole(room):
    options = ["--column", "text", "--out", "out.jsonl"]
    for content, said in (("", "no line"), ("\n \n", "no line"), ('{"a": 1}\n{"b": 1}\n', "there are: a, b")):
        Path("in.jsonl").write_text(content)
        assert said in message(lode_table("patterns", "in.jsonl", *options))
    Path("in.jsonl").write_text('{"text": "he"}\n{"text": "' + "x" * 300_000 + '"}\n')
    with pytest.raises(Refusal, match="in.jsonl: line 2: it is longer than 65536 bytes"):
        search("in.jsonl", *options, "--block-bytes", "65536")
    assert search("in.jsonl", *options, "--block-bytes", "300100")
    assert sorted(os.listdir()) == ["in.jsonl", "out.jsonl", "patterns"]


def test_a_byte_order_mark_is_no_part_of_a_line(room):
    Path("in.jsonl").write_bytes(b'\xef\xbb\xbf{"text": "she"}\n')
    assert search("in.jsonl", "--column", "text", "--out", "out.jsonl")
    assert Path("out.jsonl").read_bytes() == b'{"text": "she"}\n'


whole = 1 << 53
changed = [
    ("18446744073709551615", "1"),
    ("9223372036854775809", "1"),
    ("-9223372036854775809", "1"),
    (str(whole + 1), "0.5"),
    (f"[1, {whole + 1}]", "[0.5]"),
    (f"[0.{'3' * 40}, {whole + 1}]", "[0.5]"),
    ("1" * 50, "0.5"),
    (f'{{"a": [{{"b": {whole + 1}}}]}}', '{"a": [{"b": 0.5}]}'),
    ("123456789012345678901234567890", "0.5"),
]


@pytest.mark.parametrize(("value", "other"), changed, ids=lambda value: value)
@pytest.mark.parametrize("is_late", [False, True])
def test_numbers_that_would_change(room, value, other, is_late):
    rows = 30_000 if is_late else 3
    lines = [f'{{"text": "12345678901234567890", "n": {other}}}'] * rows
    lines[rows - 2] = f'{{"text": "x", "n": {value}}}'
    Path("in.jsonl").write_text("\n".join(lines))
    for target in ("out.parquet", "out.arrow", "out.csv") if "[" not in value else ("out.parquet",):
        options = ["in.jsonl", "--column", "text", "--out", target, "--flag", "--block-bytes", "65536"]
        said = message(lode_table("patterns", *options))
        assert f"in.jsonl: line {rows - 1}: the column 'n" in said and "would change" in said
        assert not Path(target).exists()


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b'{"text": "a\xff", "n": %d}\n', 2),
        (b'{"text": "\xff", "n": 1} {"text": "she", "n": %d}\n', 2),
        (b'{"text": "she", "n": 1} {"text": "she", "n": %d}\n', 2),
        (b'{\n  "text": "she",\n  "n": %d\n}\n', 4),
        (b'{"text": "she", "n":\n%d\n}\n', 3),
        (b'{"text": "she", "o": [\n\n{"n": %d}\n]}\n', 4),
        (b'{"text": "she"}\n{"text": "she", "o": [{"n": 1},\r\n {"n": %d}]}\n', 4),
    ],
    ids=["bytes", "bytes and two", "two", "pretty", "alone", "within", "within, behind another"],
)
@pytest.mark.parametrize("block", ["", " " * 70_000 + "\n"])
@pytest.mark.parametrize("target", ["out.csv", "out.parquet"])
def test_numbers_in_lines_that_arrow_alone_takes(room, content, line, block, target):
    head = b'{"text": "she", "n": 0.5}\n'
    if b'"o"' in content:
        head, target = b'{"text": "she", "n": 5, "o": [{"n": 0.5}]}\n', "out.parquet"
    Path("in.jsonl").write_bytes(head + block.encode() + content % (whole + 1))
    options = ["in.jsonl", "--column", "text", "--out", target, "--flag", "--block-bytes", "65536"]
    said = message(lode_table("patterns", *options))
    assert f"in.jsonl: line {line + len(block.splitlines())}: " in said and "change" in said
    assert not Path(target).exists()


@pytest.mark.parametrize("digits", [50, 310, 5_000])
def test_numbers_of_very_many_digits(room, digits):
    for other in ("0.5", "5"):
        Path("in.jsonl").write_text(f'{{"text": "she", "n": {other}}}\n{{"text": "he", "n": {"7" * digits}}}\n')
        for target in ("out.parquet", "out.csv"):
            said = message(lode_table("patterns", "in.jsonl", "--column", "text", "--out", target, "--flag"))
            assert "in.jsonl: line 2: the column 'n' has 777" in said and "would change" in said and len(said) < 300
            assert not Path(target).exists()


def test_lines_with_long_numbers_that_pass(room):
    lines = ['\ufeff{"text": "12345678901234567890", "n": 0.5}', "", ' {"text": "she", "n": 1.12345678901234567890} ']
    Path("in.jsonl").write_text("\r\n".join([*lines, '{"text": "12345678901234567890", "n": 7}']))
    search("in.jsonl", "--column", "text", "--out", "out.parquet", "--flag")
    assert pa.parquet.read_table("out.parquet")["n"].to_pylist() == [0.5, 1.1234567890123457, 7.0]


def test_numbers_that_do_not_change(room):
    numbers = [0, -1, (1 << 63) - 1, -(1 << 63), 1234567890123456789]
    floats = [0.5, float(whole), 1e300, 0.1, float(whole * 1024)]
    lines = [
        f'{{"text": "9999999999999999999999", "n": {number}, "f": {int(value) if value == whole else value}, "b": true}}'
        for number, value in zip(numbers, floats)
    ]
    Path("in.jsonl").write_text("\n".join(lines) + "\n")
    search("in.jsonl", "--column", "text", "--out", "out.parquet", "--flag")
    table = pa.parquet.read_table("out.parquet")
    assert table["n"].to_pylist() == numbers and table["n"].type == pa.int64()
    assert table["f"].to_pylist() == floats


def as_decimals(table: pa.Table) -> list[decimal.Decimal]:
    """The numbers in the form that CSV gives them."""
    text = io.BytesIO()
    pa.csv.write_csv(table, text, pa.csv.WriteOptions(include_header=False))
    return [decimal.Decimal(line) for line in text.getvalue().decode().split()]


whole_numbers = st.integers(-(1 << 70), 1 << 70) | st.builds(
    lambda bits, more, sign: sign * ((1 << bits) + more),
    st.integers(49, 69),
    st.integers(-2, 2),
    st.sampled_from([1, -1]),
)


@given(st.lists(whole_numbers, min_size=1, max_size=8), st.integers(1, 50), st.booleans())
@example([1 << 53, -(1 << 53), 1 << 60], 7, True)
@example([1 << 53, (1 << 53) + 1], 7, True)
@example([1 << 64], 50, True)
@example([1 << 54], 50, True)
def test_numbers_against_what_comes_out(numbers, piece_bytes, of_floats):
    """A number that passes comes out of Arrow with the same digits. A refused one would not, or has more than 53 bits.
    """

    class Pieces:
        def __init__(self, data: bytes) -> None:
            self.left = data

        def readinto(self, buffer) -> int:
            part, self.left = self.left[:piece_bytes], self.left[piece_bytes:]
            buffer[: len(part)] = part
            return len(part)

    schema = pa.schema([("n", pa.float64() if of_floats else pa.int64())])
    lines = [f'{{"n": {number}}}\n' for number in numbers]
    stream = CheckedNumbers(Pieces("".join(lines).encode().rstrip()), schema, "in")
    passed = b""
    count = len(numbers)
    try:
        while part := stream.read(64):
            passed += part
    except Refusal as refusal:
        count = int(str(refusal).removeprefix("in: line ").partition(":")[0]) - 1
        assert f"the column 'n' has {numbers[count]} " in str(refusal)
        assert numbers[count].bit_length() > (53 if of_floats else 63)
    else:
        assert passed == "".join(lines).encode().rstrip()
    if count != 0:
        options = pa.json.ParseOptions(explicit_schema=schema)
        table = pa.json.read_json(pa.py_buffer("".join(lines[:count]).encode()), parse_options=options)
        assert as_decimals(table) == [decimal.Decimal(number) for number in numbers[:count]]


def test_whole_numbers_beside_fractions_in_csv(room):
    for number in (whole, -whole, 10**15 + 1):
        Path("in.jsonl").write_text(f'{{"text": "she", "n": 0.5}}\n{{"text": "he", "n": {number}}}\n')
        search("in.jsonl", "--column", "text", "--out", "out.csv")
        assert decimal.Decimal(lines_of("out.csv")[2].split(",")[1]) == number
    for number in (1 << 64, 1 << 60, -(1 << 54), whole + 2):
        Path("in.jsonl").write_text(f'{{"text": "she", "n": 0.5}}\n{{"text": "he", "n": {number}}}\n')
        with pytest.raises(Refusal, match=f"in.jsonl: line 2: the column 'n' has {number} and is read as double"):
            search("in.jsonl", "--column", "text", "--out", "out.csv")


def invalid(type: pa.DataType = pa.string()) -> pa.Array:
    """A column of strings, the fourth of which is not UTF-8."""
    whole = pa.array([b"she", None, b"x", b"a\xff and more than twelve bytes", b"he"], pa.large_binary())
    bytes_of = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary(), pa.string_view(): pa.binary_view()}
    column = whole.cast(bytes_of[type])
    return pa.Array.from_buffers(type, len(column), column.buffers())


def invalid_columns() -> dict[str, pa.Array]:
    strings = invalid()
    starts = pa.array(range(6), pa.int32())
    return {
        "string": strings,
        "large_string": invalid(pa.large_string()),
        "list": pa.ListArray.from_arrays(starts, strings),
        "struct": pa.StructArray.from_arrays([strings], ["s"]),
        "dictionary": pa.DictionaryArray.from_arrays(pa.array(range(5)), strings),
    }


@pytest.mark.parametrize("target", ["out.parquet", "out.arrow", "out.arrows", "out.jsonl"])
@pytest.mark.parametrize("kind", invalid_columns())
@pytest.mark.parametrize("batch_rows", ["1", "2", "100"])
def test_strings_that_are_not_utf_8(room, kind, target, batch_rows):
    given_table = pa.table({"text": ["she"] * 5, "other": invalid_columns()[kind]})
    with pa.ipc.new_stream("in.arrows", given_table.schema) as writer:
        writer.write_table(given_table)
    Path(target).write_text("before")
    for option in ("--filter", "--flag"):
        # Each batch has the whole dictionary, so each of them is at fault.
        row = "(row 4: )?" if kind == "dictionary" and batch_rows != "100" else "row 4: "
        with pytest.raises(Refusal, match=f"in.arrows: {row}the column 'other' is not valid UTF-8"):
            search("in.arrows", "--column", "text", "--out", target, option, "--batch-rows", batch_rows)
    assert Path(target).read_text() == "before"


def test_strings_of_views_that_are_not_utf_8(room):
    given_table = pa.table({"text": invalid(pa.string_view())})
    with pa.ipc.new_stream("in.arrows", given_table.schema) as writer:
        writer.write_table(given_table)
    with pytest.raises(Refusal, match="in.arrows: row 4: the column 'text' is not valid UTF-8"):
        search("in.arrows", "--column", "text", "--out", "out.arrows")


@pytest.mark.parametrize("batch_rows", ["1", "100"])
@pytest.mark.parametrize(
    "kind", ["string", "list", "struct", "list of wrong strings", "dictionary", "dictionary of structures"]
)
def test_offsets_that_point_anywhere(room, kind, batch_rows):
    offsets = pa.py_buffer(np.array([0, 60_000_000, 3], np.int32))
    if kind == "string":
        column = pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"abc")])
    elif kind == "dictionary":
        column = pa.DictionaryArray.from_arrays(pa.array([60_000_000, 3]), invalid(), safe=False)
    elif "struct" in kind:
        strings = pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"abc")])
        column = pa.StructArray.from_arrays([invalid().slice(2, 2), strings], ["a", "b"])
        if kind != "struct":
            column = pa.DictionaryArray.from_arrays(pa.array([0, 1]), column)
    else:
        strings = pa.array(["a", "b", "c"]) if kind == "list" else invalid()
        column = pa.Array.from_buffers(pa.list_(pa.string()), 2, [None, offsets], children=[strings])
    batch = pa.record_batch([pa.array(["she", "he"]), column], ["text", "other"])
    with pa.ipc.new_stream("in.arrows", batch.schema) as writer:
        writer.write_batch(batch)
    for target in ("out.parquet", "out.jsonl"):
        options = ["in.arrows", "--column", "text", "--out", target, "--batch-rows", batch_rows]
        said = message(lode_table("patterns", *options))
        assert said.startswith("lode-table: in.arrows: the column 'other' is malformed: "), said
        assert not Path(target).exists()


@pytest.mark.parametrize("source", ["in.parquet", "in.csv", "in.jsonl"])
def test_files_of_strings_that_are_not_utf_8(room, source):
    column = invalid()
    if source == "in.parquet":
        pa.parquet.write_table(pa.table({"text": column}), source)
    elif source == "in.csv":
        Path(source).write_bytes(b'text\nshe\n""\nx\na\xff\nhe\n')
    else:
        Path(source).write_bytes(b'{"text": "she"}\n{"text": null}\n{"text": "x"}\n{"text": "a\xff"}\n{"text": "he"}\n')
    said = message(lode_table("patterns", source, "--column", "text", "--out", "out.parquet"))
    assert f"{source}: row 4: the column 'text' is not valid UTF-8" in said and "CSV" in said
    assert not Path("out.parquet").exists()


def test_bytes_of_csv_go_through_as_they_are(room):
    Path("in.csv").write_bytes(b"text\nna\xefve she\nno\xff\n")
    assert search("in.csv", "--column", "text", "--out", "out.csv", "--counts")
    assert Path("out.csv").read_bytes() == b'"text","text_counts"\n"na\xefve she",2\n"no\xff",0\n'


def test_a_dictionary_whose_unused_value_is_not_utf_8(room):
    column = pa.DictionaryArray.from_arrays(pa.array([0, 4]), invalid())
    with pa.ipc.new_stream("in.arrows", pa.schema([("text", column.type)])) as writer:
        writer.write_batch(pa.record_batch([column], ["text"]))
    with pytest.raises(Refusal, match="in.arrows: the column 'text' is not valid UTF-8"):
        search("in.arrows", "--column", "text", "--out", "out.arrows")


def test_nulls_may_lie_over_anything(room):
    offsets = np.array([0, 2, 3], np.int32)
    column = pa.StringArray.from_buffers(2, pa.py_buffer(offsets), pa.py_buffer(b"he\xff"), pa.py_buffer(b"\x01"))
    assert column.to_pylist() == ["he", None]
    with pa.ipc.new_stream("in.arrows", pa.schema([("text", pa.string())])) as writer:
        writer.write_batch(pa.record_batch([column], ["text"]))
    assert search("in.arrows", "--column", "text", "--out", "out.jsonl", "--counts")
    assert lines_of("out.jsonl") == ['{"text": "he", "text_counts": 1}', '{"text": null, "text_counts": null}']


second = 1_000_000_000
moments = [0, 1, 999, 1000, -1, 1577934245123456789, 1577934245123456000, 1577934245 * second, None]


def written(type: pa.DataType, numbers=moments) -> list:
    return rows_of(pa.array(numbers, pa.int64()).cast(type))


def test_nanoseconds_in_json():
    assert written(pa.timestamp("ns")) == [
        "1970-01-01T00:00:00",
        "1970-01-01T00:00:00.000000001",
        "1970-01-01T00:00:00.000000999",
        "1970-01-01T00:00:00.000001",
        "1969-12-31T23:59:59.999999999",
        "2020-01-02T03:04:05.123456789",
        "2020-01-02T03:04:05.123456",
        "2020-01-02T03:04:05",
        None,
    ]
    assert written(pa.timestamp("ns", "Asia/Kolkata"))[4:6] == [
        "1970-01-01T05:29:59.999999999+05:30",
        "2020-01-02T08:34:05.123456789+05:30",
    ]
    assert written(pa.timestamp("ns", "UTC"))[7] == "2020-01-02T03:04:05+00:00"
    assert written(pa.time64("ns"), [0, 1, 1000, 86399 * second + 999_999_999, None]) == [
        "00:00:00",
        "00:00:00.000000001",
        "00:00:00.000001",
        "23:59:59.999999999",
        None,
    ]
    assert written(pa.duration("ns"), [1, 1000, second + 1, 90_000 * second, -1, None]) == [
        "0:00:00.000000001",
        "0:00:00.000001",
        "0:00:01.000000001",
        "1 day, 1:00:00",
        "-1 day, 23:59:59.999999999",
        None,
    ]


@given(st.integers(-(1 << 63), (1 << 63) - 1), st.sampled_from([None, "UTC", "America/New_York", "Asia/Kathmandu"]))
def test_nanoseconds_are_all_there(number, zone):
    text = written(pa.timestamp("ns", zone), [number])[0]
    fraction = text.partition(".")[2][:9] if "." in text else ""
    assert int(fraction.ljust(9, "0") or "0") == number % second
    plain = text if "." not in text else text.partition(".")[0] + text.partition(".")[2][len(fraction) :]
    moment = datetime.datetime.fromisoformat(plain)
    epoch = datetime.datetime(1970, 1, 1, tzinfo=None if zone is None else datetime.timezone.utc)
    assert (moment - epoch) // datetime.timedelta(seconds=1) == number // second


def test_nanoseconds_anywhere(room):
    times = pa.array([1, None, 3], pa.timestamp("ns"))
    starts = pa.array([0, 1, 2, 3], pa.int32())
    table = pa.table(
        {
            "text": ["she", "he", "x"],
            "list": pa.ListArray.from_arrays(starts, times),
            "large": pa.LargeListArray.from_arrays(starts.cast(pa.int64()), times),
            "fixed": pa.FixedSizeListArray.from_arrays(times, 1),
            "struct": pa.StructArray.from_arrays([times, pa.array([1, 2, None])], ["at", "n"]),
            "dictionary": times.dictionary_encode(),
            "deep": pa.ListArray.from_arrays(starts, pa.StructArray.from_arrays([times], ["at"])),
            "date": pa.array([datetime.date(2020, 1, 2)] * 3),
            "micro": pa.array([1, 2, 3], pa.timestamp("us")),
            "decimal": pa.array([decimal.Decimal("1.10")] * 3),
        }
    )
    pa.parquet.write_table(table.drop(["dictionary"]), "in.parquet")
    with pa.ipc.new_stream("in.arrows", table.schema) as writer:
        writer.write_table(table)
    first, third = "1970-01-01T00:00:00.000000001", "1970-01-01T00:00:00.000000003"
    for source in ("in.parquet", "in.arrows"):
        search(source, "--column", "text", "--out", "out.jsonl", "--flag", "--batch-rows", "2")
        rows = [json.loads(line) for line in lines_of("out.jsonl")]
        for name in ("list", "large", "fixed"):
            assert [row[name] for row in rows] == [[first], [None], [third]]
        assert [row["struct"] for row in rows] == [{"at": first, "n": 1}, {"at": None, "n": 2}, {"at": third, "n": None}]
        assert [row["deep"] for row in rows] == [[{"at": first}], [{"at": None}], [{"at": third}]]
        assert rows[0]["date"] == "2020-01-02" and rows[2]["micro"] == "1970-01-01T00:00:00.000003"
        assert rows[0]["decimal"] == "1.10"
        if source == "in.arrows":
            assert [row["dictionary"] for row in rows] == [first, None, third]


def test_numbers_of_parquet_in_json(room):
    table = pa.table({"text": ["she"], "n": pa.array([(1 << 64) - 1], pa.uint64()), "f": pa.array([0.1], pa.float32())})
    pa.parquet.write_table(table, "in.parquet")
    search("in.parquet", "--column", "text", "--out", "out.jsonl")
    row = json.loads(lines_of("out.jsonl")[0])
    assert row["n"] == (1 << 64) - 1 and math.isclose(row["f"], 0.1, rel_tol=1e-7) and np.float32(row["f"]) == np.float32(0.1)


def test_names_that_an_object_has_once(room):
    for names, column in (
        (["text", "a", "a"], pa.array([1])),
        (["text", "a", "b"], pa.StructArray.from_arrays([pa.array([1])] * 2, fields=[pa.field("x", pa.int64())] * 2)),
    ):
        table = pa.Table.from_arrays([pa.array(["she"]), column, column], names=names)
        with pa.ipc.new_stream("in.arrows", table.schema) as writer:
            writer.write_table(table)
        with pytest.raises(Refusal, match="out.jsonl: an object of JSON cannot hold two values that are called '[ax]'"):
            search("in.arrows", "--column", "text", "--out", "out.jsonl", "--flag")
        search("in.arrows", "--column", "text", "--out", "out.arrows", "--flag")
        assert pa.ipc.open_stream("out.arrows").read_all().drop(["text_flag"]) == table


def test_carriage_returns_of_patterns(room):
    Path("in.csv").write_text("text\nhe\n")
    Path("patterns").write_bytes(b"he\r\n")
    done = lode_table("patterns", "in.csv", "--column", "text", "--out", "out.csv", "--quiet")
    assert done.returncode == 1 and done.stderr.decode().endswith("as a part of the pattern; --crlf drops it\n")
    assert lode.PatternSet.from_file("patterns", strip_carriage_return=True)[0] == b"he"
