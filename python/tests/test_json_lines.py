"""The reader of one string in each line of JSON Lines answers as Python's json does, or says that it is unclear."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lode._json_lines import strings_of_lines

texts = st.text(st.characters(codec="utf-8"), max_size=40)
values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(1 << 62), 1 << 62),
    st.floats(allow_nan=False, allow_infinity=False),
    texts,
    st.lists(texts, max_size=3),
    st.dictionaries(texts, texts, max_size=2),
)
names = st.sampled_from(["text", "te\\xt", "ж", '"', "text2"])
rows = st.dictionaries(st.one_of(names, texts), values, max_size=4)


@given(st.lists(st.tuples(rows, st.none() | texts, st.booleans()), max_size=12), names, st.data())
def test_strings_are_those_of_pythons_json(drawn, name, data):
    expected, lines = [], b""
    for row, string, is_ascii in drawn:
        row.pop(name, None)
        if string is not None or is_ascii:
            items = [*row.items()]
            items.insert(data.draw(st.integers(0, len(items))), (name, string))
            row = dict(items)
        expected.append(string)
        blanks = data.draw(st.sampled_from(["", " ", "\t \r"]))
        lines += f"{blanks}{json.dumps(row, ensure_ascii=is_ascii)}{blanks}\n".encode()
        lines += data.draw(st.sampled_from([b"", b"\n", b" \r\n"]))
    if data.draw(st.booleans()):
        lines = lines.removesuffix(b"\n")
    found = strings_of_lines(lines, name)
    found.validate(full=True)
    assert found.to_pylist() == expected


def test_a_field_may_lie_within_objects():
    lines = b'{"a":{"b":"x","c":{"b":7}}}\n{"a":null}\n{"a":{"b":null}}\n{}\n{"b":"y"}\n{"a":{}}\n{"a.b":"z","a":7}'
    assert strings_of_lines(lines, "a.b").to_pylist() == ["x", None, None, None, None, None, "z"]
    assert strings_of_lines(b'{"a":{"b":{"c":"x"}}}', "a.b.c").to_pylist() == ["x"]
    assert strings_of_lines(b'{"":{"":"x"},"a":{"":"y"}}', ".").to_pylist() == ["x"]
    assert strings_of_lines(b'{"":{"":"x"},"a":{"":"y"}}', "a.").to_pylist() == ["y"]


def test_a_name_may_be_forbidden():
    lines = b'{"text":"x","n":1}\n{"text":"y","m":{"hits":2}}'
    assert strings_of_lines(lines, "text", "hits").to_pylist() == ["x", "y"]
    assert strings_of_lines(lines, "text", "n") is None
    assert strings_of_lines(lines, "text", "text") is None


@pytest.mark.parametrize("size", [0, 1, 31, 32, 63, 64, 65, 127, 128, 129, 1000, 100_000])
def test_a_line_may_end_anywhere_before_the_end(size):
    text = "x" * size
    line = json.dumps({"text": text}).encode()
    for lines in (line, line + b"\n", line + b"\n" + b'{"text":"y"}', b'{"text":"y"}\n' * 3 + line):
        assert text in strings_of_lines(lines, "text").to_pylist()


@pytest.mark.parametrize(
    "line",
    [
        b"null",
        b"7",
        b"[]",
        b'"text"',
        b'{"text":7}',
        b'{"text":["a"]}',
        b'{"text":"a","text":"a"}',
        b'{"text":"a","n":1,"n":2}',
        b'{"text":"a","n":[{"m":{"x":1,"x":1}}]}',
        b'{"text":"a","n":' + b"[" * 950 + b"]" * 950 + b"}",
        b'{"text":"a"}{}',
        b'{"text":"a"} {"text":"b"}',
        b'{"text":"a"',
        b'{"text":"a"}}',
        b'{"text":"a","n":tru}',
        b'{"text":"a","n":0777}',
        b'{"text":"\xff"}',
        b'{"text":"a","n":"\xff"}',
        b'{"text":"\\ud800"}',
        b'{"text":"\\x"}',
        b'{"text":"a\tb"}',
        b"{'text':'a'}",
        b'{"text":"a"}\x00',
    ],
)
def test_what_is_unclear_is_not_answered(line):
    for lines in (line, b'{"text":"x"}\n' + line, line + b"\n" + b'{"text":"x"}\n' * 20):
        assert strings_of_lines(lines, "text") is None


def test_an_object_within_names_must_be_one():
    assert strings_of_lines(b'{"a":7}', "a.b") is None
    assert strings_of_lines(b'{"a":{"b":1}}', "a.b") is None
