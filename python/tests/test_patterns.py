"""Makes, keeps and sends PatternSets and Plans."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lode


def test_patterns_are_bytes_whatever_they_are_given_as():
    patterns = lode.PatternSet([b"a\0b", "äö", bytearray(b"c"), memoryview(b"xdx")[1:2]])
    assert list(patterns) == [b"a\0b", "äö".encode(), b"c", b"d"]
    assert len(patterns) == 4 and patterns[-1] == b"d"
    assert (patterns.total_bytes, patterns.min_length, patterns.max_length) == (9, 1, 4)
    with pytest.raises(IndexError):
        patterns[4]
    assert list(lode.PatternSet(str(number) for number in range(3))) == [b"0", b"1", b"2"]


def test_case_rules_and_labels():
    patterns = lode.PatternSet(["a", "b"], ignore_case=[True, False], labels=["first", None])
    assert [patterns.ignore_case(number) for number in range(2)] == [True, False]
    assert [patterns.label(number) for number in range(2)] == ["first", ""]
    assert patterns.has_labels and not lode.PatternSet(["a"]).has_labels
    assert lode.Searcher(patterns).find("AaBb")["offset"].tolist() == [0, 1, 3]
    again = pickle.loads(pickle.dumps(patterns))
    assert list(again) == list(patterns)
    assert [again.label(number) for number in range(2)] == ["first", ""]
    assert lode.Searcher(again).find("AaBb")["offset"].tolist() == [0, 1, 3]


@pytest.mark.parametrize(
    ("patterns", "options", "kind"),
    [
        ([""], {}, "invalid_pattern"),
        (["a", b""], {}, "invalid_pattern"),
        ([b"x" * ((1 << 20) + 1)], {}, "limit"),
        (["a"], {"ignore_case": [True, False]}, "invalid_argument"),
        (["a", "b"], {"ignore_case": [True]}, "invalid_argument"),
        (["a", "b"], {"labels": ["a"]}, "invalid_argument"),
    ],
)
def test_patterns_that_are_none(patterns, options, kind):
    with pytest.raises(lode.Error) as caught:
        lode.PatternSet(patterns, **options)
    assert caught.value.kind == kind


def test_an_empty_set_compiles_to_nothing():
    with pytest.raises(lode.InvalidArgumentError) as caught:
        lode.compile([])
    assert caught.value.kind == "invalid_pattern"


@pytest.mark.parametrize("patterns", ["abc", b"abc", [1], [None], 5], ids=repr)
def test_wrong_types(patterns):
    with pytest.raises(TypeError):
        lode.PatternSet(patterns)


def test_an_iterable_that_fails():
    def patterns():
        yield "a"
        raise KeyError("no more")

    with pytest.raises(KeyError):
        lode.PatternSet(patterns())


def test_rules_belong_to_the_set():
    for made in (lode.PatternSet(["a"]), lode.compile(["a"])):
        with pytest.raises(lode.InvalidArgumentError):
            lode.Searcher(made, ignore_case=True)


def test_pattern_files(tmp_path: Path):
    lines = tmp_path / "lines"
    lines.write_bytes(b"she\nhe\n")
    assert list(lode.PatternSet.from_file(lines)) == [b"she", b"he"]
    assert list(lode.PatternSet.from_file(str(lines), ignore_case=True)) == [b"she", b"he"]
    hexadecimal = tmp_path / "hex"
    hexadecimal.write_text("00 ff\n61\n")
    assert list(lode.PatternSet.from_file(hexadecimal, format="hex")) == [b"\x00\xff", b"a"]
    objects = tmp_path / "jsonl"
    objects.write_text('{"text": "ab", "label": "x", "ignore_case": true}\n{"hex": "00"}\n')
    patterns = lode.PatternSet.from_file(objects, format="jsonl")
    assert list(patterns) == [b"ab", b"\0"] and patterns.label(0) == "x" and patterns.ignore_case(0)

    lines.write_bytes(b"she\n\nhe\n")
    with pytest.warns(UserWarning, match="empty"):
        assert len(lode.PatternSet.from_file(lines)) == 2
    lines.write_bytes(b"she\r\nhe\r\n")
    with pytest.warns(UserWarning, match="CR LF.*strip_carriage_return=True drops it$"):
        assert list(lode.PatternSet.from_file(lines)) == [b"she\r", b"he\r"]
    assert list(lode.PatternSet.from_file(lines, strip_carriage_return=True)) == [b"she", b"he"]
    hexadecimal.write_text("0\n")
    with pytest.raises(lode.InvalidArgumentError, match=":1:") as caught:
        lode.PatternSet.from_file(hexadecimal, format="hex")
    assert caught.value.kind == "invalid_pattern"
    with pytest.raises(lode.InputOutputError):
        lode.PatternSet.from_file(tmp_path / "absent")
    with pytest.raises(lode.InvalidArgumentError, match="format"):
        lode.PatternSet.from_file(lines, format="csv")


@given(st.lists(st.binary(min_size=1, max_size=30), min_size=1, max_size=50), st.booleans())
def test_plans_survive(patterns, ignore_case):
    plan = lode.compile(patterns, ignore_case=ignore_case, text_sample=b"".join(patterns))
    assert plan.distinct_count <= len(patterns)
    text = b"-".join(patterns)
    expected = lode.Searcher(plan).find(text).tolist()
    blob = plan.dumps()
    for again in (lode.Plan.loads(blob), lode.Plan.loads(memoryview(blob)), pickle.loads(pickle.dumps(plan))):
        assert list(again.patterns) == list(plan.patterns)
        if not ignore_case:  # else letters beyond ASCII are as the plan's view shows them
            assert list(again.patterns) == patterns
        assert again.dumps() == blob
        assert lode.Searcher(again).find(text).tolist() == expected


def test_plans_in_files(tmp_path: Path):
    plan = lode.compile(["she", "he"])
    path = tmp_path / "words.plan"
    plan.save(path)
    assert lode.Plan.load(path).dumps() == plan.dumps()
    path.write_bytes(plan.dumps()[:-1])
    with pytest.raises(lode.Error) as caught:
        lode.Plan.load(path)
    assert caught.value.kind == "damaged_plan"
    with pytest.raises(lode.Error) as caught:
        lode.Plan.loads(b"no plan")
    assert caught.value.kind == "damaged_plan"
    with pytest.raises(lode.InputOutputError):
        plan.save(tmp_path / "absent" / "words.plan")


def test_searchers_travel():
    searcher = lode.Searcher(["she", "he"], "cpu", match_kind="leftmost-longest")
    again = pickle.loads(pickle.dumps(searcher))
    assert again.find("she").tolist() == searcher.find("she").tolist() == [(0, 0, 3)]
    assert again.device.name == "cpu" and list(again.patterns) == [b"she", b"he"]


def test_errors_travel():
    with pytest.raises(lode.Error) as caught:
        lode.PatternSet([""])
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is lode.InvalidArgumentError
    assert (again.kind, str(again)) == (caught.value.kind, str(caught.value))


def test_patterns_outlive_their_plan():
    patterns = lode.compile(["one", "two"]).patterns
    assert list(patterns) == [b"one", b"two"]
