"""Searcher.replace: texts and columns of every kind, against plain replacing in Python."""

import pickle
import re

import ahocorasick_rs
import lode
import lode.tables
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

WORDS = ["Ada", "Adam", "Bo", "b c"]
SEARCHER = lode.Searcher(WORDS, device="cpu")


def by_re(text, function=lambda word: f"<{word}>"):
    """The leftmost longest words of a str, replaced by `re`."""
    pattern = "|".join(sorted(map(re.escape, WORDS), key=len, reverse=True))
    return re.sub(pattern, lambda match: function(match[0]), text)


@given(st.lists(st.one_of(st.none(), st.text(alphabet="AdamBo bcß"), st.sampled_from(WORDS)), max_size=12))
def test_equals_re(rows):
    text = " ".join(row or "" for row in rows)
    assert SEARCHER.replace(text, "<{match}>") == by_re(text)
    assert SEARCHER.replace(text.encode(), b"<{match}>") == by_re(text).encode()
    assert SEARCHER.replace(text, mask="*") == by_re(text, lambda word: "*" * len(word))
    assert SEARCHER.replace(text, lambda match, found: found[::-1]) == by_re(text, lambda word: word[::-1])
    wanted = [None if row is None else by_re(row) for row in rows]
    assert SEARCHER.replace(rows, "<{match}>") == wanted
    assert SEARCHER.replace(rows, lambda match, found: b"<" + found + b">") == wanted
    assert SEARCHER.replace(pa.array(rows, pa.string()), "<{match}>").to_pylist() == wanted


@given(
    st.sets(st.text(alphabet="abcß", min_size=1, max_size=4), min_size=1, max_size=30),
    st.lists(st.text(alphabet="abcß ", max_size=30), max_size=8),
)
def test_equals_other_packages(words, rows):
    """polars replaces by the leftmost match of the pattern that comes first, ahocorasick-rs tells where matches are."""
    patterns = sorted(words)
    texts = [f"<{number}>" for number in range(len(patterns))]
    series = pl.Series(rows, dtype=pl.String)
    first = lode.Searcher(patterns, match_kind="leftmost-first", device="cpu")
    assert first.replace(series, texts).equals(series.str.replace_many(patterns, texts, leftmost=True))
    finder = ahocorasick_rs.AhoCorasick(patterns, matchkind=ahocorasick_rs.MatchKind.LeftmostLongest)
    for row, replaced in zip(rows, lode.Searcher(patterns, device="cpu").replace(rows, texts)):
        expected, at = "", 0
        for pattern, begin, end in finder.find_matches_as_indexes(row):
            expected += row[at:begin] + texts[pattern]
            at = end
        assert replaced == expected + row[at:]


def test_says_which_pattern_it_was():
    searcher = lode.Searcher(lode.PatternSet(["Ada", "Bo"], labels=["she", None]), device="cpu")
    assert searcher.replace("Ada, Bo", "{id}{label}{{}}") == "0she{}, 1Bo{}"
    assert searcher.replace("Ada, Bo", ["x", "{match}{match}"]) == "x, BoBo"
    assert searcher.replace("Ada, Bo", {"she": "her"}) == "her, Bo"
    seen = []
    searcher.replace("Ada, Bo", lambda match, found: seen.append((match, found)) or "")
    assert seen == [((0, 0, 3), b"Ada"), ((5, 1, 2), b"Bo")]


def test_replacements_of_the_patterns(tmp_path):
    listed = lode.PatternSet(["Ada", "Bo", "Cy"], labels=["she", None, None], replacements=["<{label}>", None, b""])
    assert [listed.replacement(id) for id in range(3)] == [b"<{label}>", None, b""]
    assert listed.has_replacements and not lode.PatternSet(["Ada"]).has_replacements
    path = tmp_path / "list.jsonl"
    path.write_text(
        '{"text": "Ada", "label": "she", "replacement": "<{label}>"}\n{"text": "Bo"}\n{"text": "Cy", "replacement": ""}\n'
    )
    plans = [lode.compile(listed), lode.compile(lode.PatternSet.from_file(path)), lode.compile(pickle.loads(pickle.dumps(listed)))]
    for plan in [*plans, pickle.loads(pickle.dumps(plans[0]))]:
        searcher = lode.Searcher(plan, device="cpu")
        assert searcher.replace("Ada, Bo, Cy", "{match}{form}") == "<she>, Boas-given, "
        assert searcher.replace(["Bo", None, "Ada"], "x") == ["x", None, "<she>"]
        assert searcher.replace("Ada, Bo, Cy", mask="*") == "***, **, **"
        assert searcher.replace("Ada, Bo, Cy", ["1", "2", "3"]) == "1, 2, 3"
        assert searcher.replace("Ada, Bo, Cy", {"Bo": "B."}) == "Ada, B., Cy"
        with pytest.raises(lode.Error, match="pattern 1, 'Bo', has no replacement"):
            searcher.replace("Ada, Bo, Cy")
    assert lode.Searcher(lode.PatternSet(["Bo"], replacements=["B."]), device="cpu").replace(["Bo", "Bob"]) == ["B.", "B.b"]
    with pytest.raises(lode.Error, match="braces") as refused:
        lode.PatternSet(["Bo"], replacements=["{word}"])
    assert refused.value.kind == "invalid_argument"
    with pytest.raises(lode.Error, match="2 replacements for 1 patterns"):
        lode.PatternSet(["Bo"], replacements=["a", "b"])
    with pytest.raises(TypeError, match="put it in a list"):
        lode.PatternSet(["Bo"], replacements="ab")
    with pytest.raises(TypeError, match="no replacements of their own"):
        SEARCHER.replace("Ada")


def test_match_kind_and_view():
    first = lode.Searcher(["Ada", "Adam"], match_kind="leftmost-first", device="cpu")
    assert first.replace("Adam", "x") == "xm"
    words = lode.Searcher(["big cat"], view="words", device="cpu")
    assert words.replace("a BIG,\n CAT!", "dog") == "a dog!"
    assert words.replace(["a BIG,\n CAT!", None, "cat"], mask="█") == ["a █████████!", None, "cat"]


@pytest.mark.parametrize(
    "type_",
    [pa.string(), pa.large_string(), pa.binary(), pa.large_binary(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())],
    ids=str,
)
def test_arrow_columns_keep_their_type(type_):
    rows = ["Ada", None, "", "no", "Bo and Ada", "no"]
    if type_ in (pa.binary(), pa.large_binary()):
        rows = [None if row is None else row.encode() for row in rows]
    column = pa.array(rows, pa.string() if pa.types.is_dictionary(type_) else type_).cast(type_)
    wanted = [None if row is None else row.replace(*pair(row, "Ada", "x")).replace(*pair(row, "Bo", "x")) for row in rows]
    for given_column in (column, pa.chunked_array([column[:2], column[2:]]), column[1:5]):
        made = SEARCHER.replace(given_column, "x")
        assert made.type == type_
        assert type(made) is type(given_column)
        assert made.to_pylist() == (wanted if len(made) == len(wanted) else wanted[1:5])
        made.validate(full=True)


def pair(row, old, new):
    return (old.encode(), new.encode()) if isinstance(row, bytes) else (old, new)


def test_frames_keep_their_library():
    series = pl.Series("names", ["Ada", None, "Bo"])
    made = SEARCHER.replace(series, "x")
    assert made.name == "names" and made.dtype == series.dtype and made.to_list() == ["x", None, "x"]
    for dtype in (object, "string", "string[pyarrow]"):
        series = pd.Series(["Ada", None, "Bo"], index=[3, 1, 2], name="names", dtype=dtype)
        made = SEARCHER.replace(series, "x")
        assert made.name == "names" and made.dtype == series.dtype and list(made.index) == [3, 1, 2]
        assert made[3] == "x" and pd.isna(made[1]) and made[2] == "x"


def test_files_and_buffers(tmp_path):
    path = tmp_path / "text"
    path.write_bytes(b"Ada \xff Bo")
    assert SEARCHER.replace(path, "x") == b"x \xff x"
    assert SEARCHER.replace(bytearray(b"Ada"), "x") == b"x"
    assert SEARCHER.replace(np.frombuffer(b"Ada", np.uint8), "x") == b"x"
    assert SEARCHER.replace(path, lambda match, found: b"y") == b"y \xff y"


def test_statistics_and_progress():
    stats = {}
    SEARCHER.replace(["Ada", "Bo Bo", None], "x", stats=stats)
    assert stats["matches"] == 3
    seen = []
    SEARCHER.replace("Ada" * 1000, "x", stats=stats, progress=lambda done, total: seen.append((done, total)))
    assert stats["matches"] == 1000


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        ({"replacement": "{word}"}, "invalid_argument"),
        ({"replacement": ["x"]}, "invalid_argument"),
        ({"replacement": {"Cy": "x"}}, "invalid_argument"),
        ({"mask": "ab"}, "invalid_argument"),
        ({"mask": ""}, "invalid_argument"),
    ],
)
def test_refused(arguments, kind):
    for source in ("Ada", ["Ada"], pa.array(["Ada"])):
        with pytest.raises(lode.Error) as raised:
            SEARCHER.replace(source, **arguments)
        assert raised.value.kind == kind


def test_types_that_are_refused():
    for arguments in ({}, {"replacement": "x", "mask": "y"}, {"replacement": 5}):
        with pytest.raises(TypeError):
            SEARCHER.replace("Ada", **arguments)
    with pytest.raises(TypeError):
        SEARCHER.replace(5, "x")
    with pytest.raises(UnicodeDecodeError):
        lode.Searcher([b"\xc3"], device="cpu").replace("é", "x")


@pytest.mark.parametrize(
    ("view", "codec", "mark"),
    [
        ("utf-16le", "utf-16le", b""),
        ("utf-16,fold", "utf-16be", b"\xfe\xff"),
        ("utf-32", "utf-32le", b""),
        ("auto", "utf-32be", b"\0\0\xfe\xff"),
        ("auto", "utf-8", b""),
        ("windows-1252", "windows-1252", b""),
        ("fold", "utf-8", b""),
    ],
)
def test_a_text_keeps_its_encoding(view, codec, mark):
    def encode(text):
        return mark + text.encode(codec)

    searcher = lode.Searcher(["Zoë", "b"], view=view, device="cpu")
    for replacement in ("é{match}", "x"):
        expected = encode("a Zoë b".replace("Zoë", replacement.format(match="Zoë")).replace("b", replacement.format(match="b")))
        assert searcher.replace(encode("a Zoë b"), replacement) == expected
        assert searcher.replace([encode("a Zoë b"), None], replacement) == [expected, None]

    def by_function(match, found):
        assert found == "Zoë".encode(codec)
        return "é" if match.offset % 2 == len(encode("a ")) % 2 else b""

    of_one = lode.Searcher(["Zoë"], view=view, device="cpu")
    assert of_one.replace(encode("a Zoë b"), by_function) == encode("a é b")
    assert of_one.replace([encode("a Zoë b")], by_function) == [encode("a é b")]


def test_forms_of_utf_16_keep_their_encoding():
    searcher = lode.Searcher(lode.PatternSet(["Zoë"], forms="utf-16be"), device="cpu")
    text = "Zoë".encode() + b"\xff" + "Zoë".encode("utf-16be")
    expected = "é".encode() + b"\xff" + "é".encode("utf-16be")
    assert searcher.replace(text, "é") == searcher.replace(text, lambda match, found: "é") == expected
    assert searcher.replace([text], "é") == searcher.replace([text], lambda match, found: "é") == [expected]


def test_what_an_encoding_lacks_is_an_error():
    searcher = lode.Searcher(["a"], view="latin-1", device="cpu")
    for replacement in ("П", lambda match, found: "П"):
        with pytest.raises(lode.Error, match="'П' is not in latin-1") as raised:
            searcher.replace(b"a", replacement)
        assert raised.value.kind == "invalid_argument"


def test_exceptions_of_a_function_are_passed_on():
    with pytest.raises(ZeroDivisionError):
        SEARCHER.replace("Ada", lambda match, found: 1 / 0)


def test_categories_take_what_is_written():
    searcher = lode.Searcher(["he", "she"])
    series = pd.Series(["she", "sXe", None], dtype="category")
    replaced = searcher.replace(series, "Y")
    assert isinstance(replaced.dtype, pd.CategoricalDtype)
    assert replaced[:2].tolist() == ["Y", "sXe"]
    assert replaced.isna().tolist() == [False, False, True]
    frame = lode.tables.TableSearch(searcher, "text", "replace", replacement="Y")(pd.DataFrame({"text": series}))
    assert frame["text"][:2].tolist() == ["Y", "sXe"]
    names = pl.Series("text", ["she", "sXe", None], dtype=pl.Enum(["she", "sXe"]))
    assert searcher.replace(names, "Y").to_list() == ["Y", "sXe", None]


def test_matches_come_beside_the_result():
    searcher = lode.Searcher(["Ada", "Bo"], ignore_case=True)
    text, matches = searcher.replace("x ADA met Bo", "<{id}>", with_matches=True)
    assert text == "x <0> met <1>"
    assert matches.tolist() == [(2, 0, 3), (10, 1, 2)]
    rows, found = searcher.replace(["Ada", None, "no, Bo"], mask="*", with_matches=True)
    assert rows == ["***", None, "no, **"]
    assert found.rows.tolist() == [0, 2]
    assert found.matches.tolist() == [(0, 0, 3), (4, 1, 2)]


def test_a_function_gives_text():
    with pytest.raises(TypeError, match="not NoneType"):
        lode.Searcher(["he"]).replace("she", lambda match, bytes_: None)


def test_series_of_polars_stay_utf8():
    """Polars takes every string for UTF-8 without a look, so it must not get another one."""
    searcher = lode.Searcher([b"\xc3"], device="cpu")
    with pytest.raises(lode.InvalidArgumentError, match="not UTF-8"):
        searcher.replace(pl.Series(["é"]), "x")
    assert searcher.replace(pl.Series(["é"]).cast(pl.Binary), "x").to_list() == [b"x\xa9"]
    assert searcher.replace(pl.Series(["e", None]), "x").to_list() == ["e", None]
