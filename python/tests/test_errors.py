"""A wrong value raises a lode.Error of the right kind, and a wrong type raises a TypeError."""

from __future__ import annotations

import io
import mmap
import pathlib
from pathlib import Path

import numpy as np
import pytest

import lode
from lode.tables import TableSearch, search_column

searcher = lode.Searcher(["he", "she"], "cpu")
plan = lode.compile(["he"])

of_texts = {
    name: getattr(searcher, name) for name in ("find", "find_first", "count", "count_per_pattern", "contains")
} | {"find_iter": lambda text: list(searcher.find_iter(text)), "resident": lambda text: lode.ResidentText(text, "cpu")}
of_records = {
    name: getattr(searcher, name)
    for name in (
        "count",
        "count_per_pattern",
        "count_per_record",
        "contains",
        "first",
        "find_in_records",
        "contains_matrix",
    )
} | {"records": lode.Records, "patterns": lode.PatternSet}


def released() -> memoryview:
    view = memoryview(b"he")
    view.release()
    return view


def closed() -> mmap.mmap:
    mapping = mmap.mmap(-1, 10)
    mapping.close()
    return mapping


def with_steps() -> np.ndarray:
    return np.zeros((4, 4), np.uint8)[:, ::2]


values = {"surrogate": lambda: "\ud800", "released": released, "closed": closed, "steps": with_steps}


@pytest.mark.parametrize("make", values.values(), ids=values)
@pytest.mark.parametrize("call", of_texts.values(), ids=of_texts)
def test_texts_that_cannot_be_read(call, make):
    if make is closed and call is of_texts["find_iter"]:
        pytest.skip("a mapping is a file to find_iter, and raises for itself")
    with pytest.raises(lode.InvalidArgumentError, match="cannot be read") as caught:
        call(make())
    assert caught.value.kind == "invalid_argument"


@pytest.mark.parametrize("make", values.values(), ids=values)
@pytest.mark.parametrize("call", of_records.values(), ids=of_records)
def test_records_and_patterns_that_cannot_be_read(call, make):
    with pytest.raises(lode.InvalidArgumentError, match="cannot be read"):
        call(["he", make()])


@pytest.mark.parametrize(
    "call",
    [
        lambda: lode.PatternSet(["a"], labels=["\ud800"]),
        lambda: lode.compile(["a"], text_sample="\ud800"),
        lambda: lode.Searcher(["a"], line_terminator="\ud800"),
        lambda: lode.Plan.loads(released()),
        lambda: lode.Records.of_lines("\ud800"),
        lambda: lode.Records.of_length(released(), 1),
        lambda: lode.code_point_offsets("\ud800", [0]),
        lambda: list(searcher.find_iter([b"h", "\ud800"])),
        lambda: list(searcher.find_iter([b"h", with_steps()])),
    ],
)
def test_other_values_that_cannot_be_read(call):
    with pytest.raises(lode.InvalidArgumentError, match="cannot be read"):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda path: searcher.find(Path(path)),
        lambda path: list(searcher.find_iter(Path(path))),
        lode.PatternSet.from_file,
        lode.Plan.load,
        plan.save,
    ],
)
def test_paths(call, tmp_path: Path):
    with pytest.raises(lode.InvalidArgumentError, match="null byte"):
        call("a\0b")
    for path in (tmp_path, tmp_path / "absent" / "file"):
        with pytest.raises(lode.InputOutputError) as caught:
            call(str(path))
        assert str(path) in str(caught.value) and caught.value.kind == "input_output"


too_large = 1 << 64
numbers = {
    "threads": (
        lambda number: lode.Searcher(["a"], threads=number),
        lambda number: lode.Searcher(plan, threads=number),
        lambda number: lode.compile(["a"], threads=number),
        lambda number: lode.ResidentText("a", "cpu", threads=number),
        lambda number: lode.ResidentRecords(["a"], "cpu", threads=number),
    ),
    "memory_limit_bytes": (lambda number: lode.Searcher(["a"], memory_limit_bytes=number),),
    "begin": tuple(
        lambda number, call=getattr(searcher, name): call(b"he", begin=number)
        for name in ("find", "find_first", "count", "count_per_pattern", "contains")
    ),
    "end": tuple(
        lambda number, call=getattr(searcher, name): call(b"he", end=number)
        for name in ("find", "find_first", "count", "count_per_pattern", "contains")
    ),
    "length": (lambda number: lode.Records.of_length(b"abc", number),),
}


@pytest.mark.parametrize(
    ("name", "call"),
    [(name, call) for name, calls in numbers.items() for call in calls],
    ids=lambda value: value if isinstance(value, str) else "",  # each process must see the same ids
)
def test_numbers(name, call):
    for number in (-1, too_large):
        with pytest.raises(lode.InvalidArgumentError, match=f"{name} must be from 0 to [0-9]+, not {number}"):
            call(number)
    for number, bits in ((10**5000, 16610), (-(10**5000), 16610)):
        with pytest.raises(lode.InvalidArgumentError, match=f"{name} must be from 0 to [0-9]+, not an int of {bits} bits"):
            call(number)
    for number in ("1", 1.0):
        with pytest.raises(TypeError, match=f"{name} must be an int, not (str|float)"):
            call(number)


def test_numbers_of_numpy_are_numbers():
    assert searcher.find(b"she", begin=np.int64(1), end=np.uint8(3)).tolist() == [(1, 0, 2)]


def test_threads_beyond_32_bits():
    with pytest.raises(lode.InvalidArgumentError, match="threads must be from 0 to 4294967295"):
        lode.compile(["a"], threads=1 << 32)


def test_indices_that_no_sequence_has():
    for call in (
        lode.PatternSet(["a"]).__getitem__,
        lode.PatternSet(["a"]).label,
        lode.PatternSet(["a"]).ignore_case,
        lode.Records(["a"]).__getitem__,
    ):
        for index in (1, -2, 1 << 70):
            with pytest.raises(IndexError):
                call(index)
        with pytest.raises(TypeError):
            call("0")


def test_offsets_of_code_points():
    for offsets in ([too_large], [-1, 1 << 63], [4], [-1], [[1], [1, 2]]):
        with pytest.raises(lode.InvalidArgumentError):
            lode.code_point_offsets("abc", offsets)
    for offsets in ([0.5], ["0"], [None], [True]):
        with pytest.raises(TypeError):
            lode.code_point_offsets("abc", offsets)


def test_streams():
    with pytest.raises(lode.InvalidArgumentError, match="at least 1"):
        searcher.find_iter(b"", piece_bytes=0)  # the call itself raises, not the first batch
    with pytest.raises(TypeError):
        searcher.find_iter(b"", piece_bytes="1")
    with pytest.raises(TypeError, match="must be bytes, str or a buffer, not int"):
        list(searcher.find_iter([5]))

    class Nothing(io.RawIOBase):
        def readinto(self, buffer):
            return None

    class NothingToRead:
        def read(self, size):
            return None

    for file in (Nothing(), NothingToRead()):
        with pytest.raises(lode.InputOutputError, match="no bytes yet"):
            list(searcher.find_iter(file))


def test_what_a_source_raises_goes_on():
    class Failing(io.RawIOBase):
        def readinto(self, buffer):
            raise ConnectionResetError("by the peer")

    with pytest.raises(ConnectionResetError):
        list(searcher.find_iter(Failing()))
    with open(pathlib.Path(__file__), "rb") as file:
        pass
    with pytest.raises(ValueError, match="closed file") as caught:
        list(searcher.find_iter(file))
    assert not isinstance(caught.value, lode.Error)


def test_arguments_of_other_types():
    for call in (
        lambda: searcher.find(b"he", stats=[]),
        lambda: searcher.contains(["he"], stats=5),
        lambda: searcher.first(["he"], out=[[0, 0]]),
        lambda: searcher.first(["he"], out=5),
        lambda: TableSearch(["he"], "text"),
        lambda: TableSearch(searcher, 5),
        lambda: TableSearch(searcher, "text")([{"text": "he"}]),
        lambda: search_column(["he"], ["he"], "flag"),
    ):
        with pytest.raises(TypeError):
            call()
    for action in ("count", []):
        with pytest.raises(lode.InvalidArgumentError):
            search_column(searcher, ["he"], action)


def test_malformed_interfaces():
    class Array:
        def __init__(self, interface):
            self.__cuda_array_interface__ = interface

    class Column:
        def __arrow_c_array__(self):
            return 1, 2

    class Stream:
        def __arrow_c_stream__(self):
            return 5

    class OfDlpack:
        def __dlpack_device__(self):
            return 1, 0

        def __dlpack__(self, **_):
            return 5

    for interface in ({}, {"typestr": "x", "shape": (1,), "data": (0, False)}):
        with pytest.raises(lode.InvalidArgumentError, match="__cuda_array_interface__"):
            searcher.find(Array(interface))
    for column in (Column(), Stream()):
        with pytest.raises(TypeError, match="no capsule"):
            searcher.contains(column)
    with pytest.raises(lode.InvalidArgumentError, match="cannot be read"):
        searcher.find(OfDlpack())


class Thing:
    pass


@pytest.mark.parametrize(
    "wrong", [None, 5, 1.5, True, Thing(), Thing, plan, {"he": 1}], ids=lambda value: type(value).__name__
)
def test_what_is_of_a_wrong_type_is_said_in_words(wrong):
    """Messages say what was given and what is wanted, and nothing of signatures in C++ or of iteration."""
    kind = type(wrong).__name__
    resident = [lambda: lode.ResidentRecords(wrong, "cpu"), lambda: lode.ResidentText("he", wrong)]
    calls = {
        "patterns are a list of bytes or str": [lambda: lode.PatternSet(wrong), lambda: lode.Searcher(wrong)],
        "a pattern must be bytes, str": [lambda: lode.Searcher(["he", wrong])],
        "labels are a list": [lambda: lode.PatternSet(["he"], labels=wrong)],
        "records are an Arrow column": [
            lambda: lode.Records(wrong),
            lambda: searcher.find_in_records(wrong),
            lambda: searcher.first(wrong),
            lambda: search_column(searcher, wrong, "flag"),
            resident[0],
        ],
        "a text must be bytes, str, a buffer or a path": [
            lambda: searcher.find(wrong),
            lambda: searcher.count(wrong),
            lambda: searcher.contains(wrong),
        ],
        "a text must be bytes, str or a buffer": [
            lambda: lode.Records.of_lines(wrong),
            lambda: lode.code_point_offsets(wrong, [0]),
        ],
        "a plan must be bytes": [lambda: lode.Plan.loads(wrong)],
        "a device is named by a str": [lambda: lode.Searcher(["he"], wrong), resident[1]],
        "a TableSearch searches": [lambda: TableSearch(searcher, "text")(wrong)],
        **{
            f"{name} must be a str": [lambda name=name: lode.Searcher(["he"], **{name: wrong})]
            for name in ("match_kind", "condition", "algorithm", "instruction_set")
        },
        "format must be a str": [lambda: lode.PatternSet.from_file(__file__, format=wrong)] * (wrong is not None),
        "a line terminator must be bytes": [lambda: lode.Searcher(["he"], line_terminator=wrong)],
        "expected str, bytes or os.PathLike": [
            lambda: lode.Plan.load(wrong),
            lambda: plan.save(wrong),
            lambda: lode.PatternSet.from_file(wrong),
        ],
        "ignore_case.* must be True or False": [
            lambda: lode.Searcher(["he"], ignore_case=wrong),
            lambda: lode.PatternSet.from_file(__file__, ignore_case=wrong),
        ],
    }
    accepted = {"NoneType": "labels", "bool": "ignore_case", "Plan": "patterns"}.get(kind, "nothing")
    for said, each in calls.items():
        for call in [] if said.startswith(accepted) else each:
            with pytest.raises(TypeError, match=f"^.*{said}.* not .*{kind}"):
                call()


def test_texts_in_place_of_lists():
    for text in ("he", b"he", bytearray(b"he")):
        for call in (
            lambda: lode.Searcher(text),
            lambda: lode.compile(text),
            lambda: lode.PatternSet(["he"], labels=text),
            lambda: lode.Records(text),
            lambda: searcher.find_in_records(text),
            lambda: searcher.first(text),
        ):
            with pytest.raises(TypeError, match="this is one text: put it in a list"):
                call()
    for rules in ("yes", b"yes"):
        with pytest.raises(TypeError, match="must be True or False, not (str|bytes)"):
            lode.Searcher(["he"], ignore_case=rules)
    with pytest.raises(TypeError, match="a plan is bytes, as dumps.* not str; Plan.load reads a file"):
        lode.Plan.loads("plan")
    with pytest.raises(TypeError, match="PatternSet.from_file reads a file"):
        lode.Searcher(Path("patterns"))
    with pytest.raises(TypeError, match=r"find_iter\(\) takes files"), open(__file__, "rb") as file:
        searcher.find(file)
    for nothing in ([], (), np.array([], object), iter(())):
        with pytest.raises(lode.InvalidArgumentError, match="there is no pattern: give at least one"):
            lode.Searcher(nothing)
    assert list(lode.Searcher(np.array(["he", "she"])).patterns) == [b"he", b"she"]


def test_errors_that_are_raised_anew():
    """Other libraries make an error again from its message alone, to say more about it."""
    for kind in (lode.Error, lode.InvalidArgumentError, lode.InputOutputError):
        again = kind("the message, and more")
        assert str(again) == "the message, and more"
        assert again.kind == {lode.Error: "", lode.InvalidArgumentError: "invalid_argument"}.get(kind, "input_output")
