"""Patterns with forms: what is found, and what matches tell."""

import base64
import json
import pickle

import numpy as np
import pytest

import lode

dna = lode.Searcher(["GAATTTC", "ACGT"], forms="reverse-complement")


def test_matches_tell_their_form():
    found = dna.find("ACGTGAAATTC")
    assert found.dtype == lode.form_match_dtype
    assert found.tolist() == [(0, 1, 4, 0), (4, 0, 7, lode.form_names.index("reverse-complement"))]
    assert dna.find_first("GAAATTC") == lode.FormMatch(0, 0, 7, "reverse-complement")
    assert dna.find_first("T") is None
    assert dna.count("ACGTGAAATTC") == 2
    assert dna.count_per_pattern("GAAATTCGAATTTC").tolist() == [2, 0]
    assert [batch.tolist() for batch in dna.find_iter([b"GAAA", b"TTC"])] == [[(0, 0, 7, 4)]]
    assert len(dna.find("")) == 0 and dna.find("").dtype == lode.form_match_dtype


def test_without_forms_matches_are_as_ever():
    searcher = lode.Searcher(["he"])
    assert searcher.find("he").dtype == lode.match_dtype
    assert searcher.find_first("he") == lode.Match(0, 0, 2)
    assert searcher.plan.forms == ""


def test_all_spellings_are_found():
    word = "Größe"
    searcher = lode.Searcher([word], forms="utf-16le,utf-16be,base64,json")
    for form, text in {
        "as-given": word.encode(),
        "utf-16le": word.encode("utf-16le"),
        "utf-16be": word.encode("utf-16be"),
        "json": json.dumps(word)[1:-1].encode(),
    }.items():
        found = searcher.find(b"- " + text + b" -")
        assert found.tolist() == [(2, 0, len(text), lode.form_names.index(form))]
    for before in range(3):
        encoded = base64.b64encode(b"x" * before + word.encode() + b"yy")
        assert searcher.find(encoded)["form"].tolist() == [lode.form_names.index("base64")]


def test_names_follow_the_library():
    for form in lode.form_names[1:]:
        assert lode.PatternSet(["ACGT"], forms=form).forms(0) == form


def test_each_pattern_may_have_its_own():
    patterns = lode.PatternSet(["a", "b", "c"], forms=["json", None, "base64,utf-16le"])
    assert [patterns.forms(id) for id in range(3)] == ["json", "", "utf-16le,base64"]
    again = pickle.loads(pickle.dumps(patterns))
    assert [again.forms(id) for id in range(3)] == ["json", "", "utf-16le,base64"]
    plan = lode.compile(patterns)
    assert plan.forms == "utf-16le,base64,json"
    searcher = lode.Searcher(lode.Plan.loads(plan.dumps()))
    assert searcher.find("c\0").tolist() == [(0, 2, 1, 0), (0, 2, 2, 1)]
    assert pickle.loads(pickle.dumps(searcher)).find("c\0").tolist() == [(0, 2, 1, 0), (0, 2, 2, 1)]


def test_pattern_files_name_forms(tmp_path):
    path = tmp_path / "list.jsonl"
    path.write_text('{"text": "abc"}\n{"text": "abc", "forms": ["base64"]}\n')
    patterns = lode.PatternSet.from_file(path, forms="json")
    assert [patterns.forms(0), patterns.forms(1)] == ["json", "base64"]


def test_records_have_one_hit_for_each_pattern():
    records = ["GAAATTCGAATTTC", None, "ACGT", ""]
    assert dna.first(records).tolist() == [[0, -1], [-1, -1], [-1, 0], [-1, -1]]
    assert dna.first(records, "sparse").offsets.tolist() == [0, 0]
    assert dna.count_per_record(records).tolist() == [2, 0, 1, 0]
    found = dna.find_in_records(records)
    assert found.rows.tolist() == [0, 0, 2]
    assert found.matches["form"].tolist() == [4, 0, 0]
    table = found.to_arrow()
    assert table.column("form").to_pylist() == ["reverse-complement", "as-given", "as-given"]
    assert table.column("length").to_pylist() == [7, 7, 4]


@pytest.mark.parametrize(
    ("patterns", "arguments", "kind"),
    [
        (["a"], {"forms": "utf-8"}, "invalid_argument"),
        (["a"], {"forms": ["json", "json"]}, "invalid_argument"),
        ([b"\xff"], {"forms": "json"}, "invalid_pattern"),
        (["kitty"], {"forms": "iupac"}, "invalid_pattern"),
        (["N" * 7], {"forms": "iupac"}, "limit"),
        (lode.PatternSet(["a"]), {"forms": "json"}, "invalid_argument"),
        (lode.compile(["a"]), {"forms": "json"}, "invalid_argument"),
        # "ac" in UTF-16 has the bytes of the second pattern, whose words are of UTF-8.
        (["ac", "a\0c\0"], {"forms": "utf-16le", "condition": "whole-word"}, "unsupported"),
    ],
)
def test_what_is_refused(patterns, arguments, kind):
    with pytest.raises(lode.Error) as raised:
        lode.Searcher(patterns, **arguments).find("a")
    assert raised.value.kind == kind


def test_words_of_utf_16_are_judged_in_its_units():
    text = "caf\u00e9 caf \u201ccaf\u201d".encode("utf-16-le")
    searcher = lode.Searcher(["caf"], forms="utf-16le", condition="whole-word")
    assert searcher.find(text)["offset"].tolist() == [10, 20]


def test_forms_of_other_types_are_refused():
    for wrong in (b"json", 7, {"json": 1}):
        with pytest.raises(TypeError):
            lode.PatternSet(["a"], forms=wrong)
    assert np.dtype(lode.form_match_dtype).names == ("offset", "pattern", "length", "form")
