"""Searches through a view: what differs in writing alone is found, with offsets of the original."""

import pickle

import lode
import pytest


def test_a_view_finds_what_differs_in_writing():
    searcher = lode.Searcher(["straße", "пароль"], "cpu", view="fold")
    assert searcher.find("STRASSE ПАРОЛЬ").tolist() == [(0, 0, 7), (8, 1, 12)]
    words = lode.Searcher(["to be or not"], "cpu", view="words")
    assert words.find(" To be -\n  or NOT").tolist() == [(1, 0, 16)]
    assert words.contains("to be (or not)")
    assert words.count("TO BE: OR NOT, to be or not") == 2


def test_a_plan_holds_its_view(tmp_path):
    plan = lode.compile(["Naïve"], view="drop-marks,fold")
    assert plan.view == "fold,drop-marks"
    assert plan.patterns[0] == b"naive"
    assert plan.patterns.label(0) == "Naïve"
    plan.save(tmp_path / "plan")
    for other in (lode.Plan.load(tmp_path / "plan"), pickle.loads(pickle.dumps(plan))):
        assert other.view == plan.view
        assert lode.Searcher(other, "cpu").count("NAI\u0308VE") == 1
    with pytest.raises(lode.Error, match="the view was decided"):
        lode.Searcher(plan, "cpu", view="fold")


def test_a_text_is_shown_as_it_is_searched(tmp_path):
    assert lode.view_text("Straße  ÖL", "fold,one-space") == [
        (0, 4, b"stra"), (4, 2, b"ss"), (6, 1, b"e"), (7, 2, b" "), (9, 3, "öl".encode())]  # fmt: skip
    path = tmp_path / "text"
    path.write_bytes("ein  Öl".encode())
    assert lode.Searcher(["EIN ÖL"], "cpu", view="fold,one-space").find(path).tolist() == [(0, 0, 8)]


def test_tables_and_streams_are_searched_through_views():
    searcher = lode.Searcher(["straße", "пароль"], "cpu", view="fold")
    assert searcher.contains(["STRASSE", None, "ПАРОЛЬ", "пар"]).tolist() == [True, None, True, False]
    stream = searcher.stream()
    pieces = [stream.push("Stra"), stream.push("SSE"), stream.finish()]
    assert [match for piece in pieces for match in piece.tolist()] == [(0, 0, 7)]


def test_texts_are_decoded():
    text = "Москва, МИР".encode("utf-16")
    assert lode.Searcher(["мир"], "cpu", ignore_case=True, view="utf-16").find(text).tolist() == [(18, 0, 6)]
    genome = b">one\nACG\nTT\n>two\nGG\n"
    assert lode.Searcher(["GTT", "TGG"], "cpu", view="fasta").find(genome).tolist() == [(7, 0, 4)]
    with pytest.raises(lode.Error, match="UTF-8"):
        lode.Searcher(["a"], "cpu", view="utf-16").contains(["a"])


def test_what_views_do_not_know_is_refused():
    with pytest.raises(lode.Error, match="no step 'bold'"):
        lode.Searcher(["a"], view="bold")
    with pytest.raises(lode.Error, match="pattern 1"):
        lode.compile(["a", "!"], view="drop-punctuation")
