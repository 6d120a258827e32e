"""Searches through a view: what differs in writing alone is found, with offsets of the original."""

import pickle
import re
import unicodedata

import lode
import lode.tables
import pyarrow as pa
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
    assert searcher.contains(["STRASSE", None, "ПАРОЛЬ", "пар"]).to_pylist() == [True, None, True, False]
    table = pa.table({"text": ["die STRASSE", "der Weg"]})
    assert lode.tables.TableSearch(searcher, "text", "flag")(table)["text_flag"].to_pylist() == [True, False]
    batches = searcher.find_iter(["Stra", "SSE"])
    assert [match for batch in batches for match in batch.tolist()] == [(0, 0, 7)]


def test_texts_are_decoded():
    text = "Москва, МИР".encode("utf-16")
    assert lode.Searcher(["мир"], "cpu", ignore_case=True, view="utf-16").find(text).tolist() == [(18, 0, 6)]
    genome = b">one\nACG\nTT\n>two\nGG\n"
    assert lode.Searcher(["GTT", "TGG"], "cpu", view="fasta").find(genome).tolist() == [(7, 0, 4)]
    rows = [None if row is None else row.encode("utf-16-le") for row in ("мир", "МИР!", None, "мор")]
    searcher = lode.Searcher(["мир"], "cpu", view="utf-16le,fold-simple")
    assert searcher.contains(rows).to_pylist() == [True, True, None, False]
    assert searcher.find_in_records(rows).matches.tolist() == [(0, 0, 6), (0, 0, 6)]


def test_a_row_ends_what_a_view_takes_together():
    assert lode.Searcher(["e"], view="nfc").find_in_records(["e", "\u0301x"]).rows.tolist() == [0]
    searcher = lode.Searcher(["a "], view="one-space")
    assert searcher.find_in_records(["a ", " a  "]).matches.tolist() == [(0, 0, 2), (1, 0, 3)]
    assert searcher.replace(["a ", " a  "], "x") == ["x", " x"]


def test_what_views_do_not_know_is_refused():
    with pytest.raises(lode.Error, match="no step 'bold'"):
        lode.Searcher(["a"], view="bold")
    with pytest.raises(lode.Error, match="pattern 1"):
        lode.compile(["a", "!"], view="drop-punctuation")


SAMPLES = {
    "Russian": "Съешь же ЕЩЁ этих мягких французских булок, да Выпей чаю. ПАРОЛЬ: пароль, Пароль.",
    "Greek": "Ξεσκεπάζω την ψυχοφθόρα ΒΔΕΛΥΓΜΊΑ. ὈΔΥΣΣΕΎΣ, ὀδυσσεύς, Οδυσσεύσ.",
    "Turkish": "Pijamalı hasta yağız şoföre çabucak güvendi. IĞDIR, ığdır, İstanbul, istanbul.",
    "German": "Falsches Üben von Xylophonmusik quält jeden größeren ZWERG; Straße, STRAẞE, strasse.",
    "Chinese": "我能吞下玻璃而不伤身体。ＡＢＣ abc Ａbc",
    "Arabic": "نص حكيم له سر قاطع وذو شأن عظيم. IP عنوان ip",
    "signs": "K k K ſ s S µ μ Μ Å å Å",
}


@pytest.mark.parametrize("language", SAMPLES)
def test_case_is_ignored_as_python_ignores_it(language):
    """Python's re folds letter by letter, too. It also takes for equal what folds to different letters (İ and i, ſt and
    st), so only letters with a simple folding are compared."""
    text = SAMPLES[language]
    words = sorted({word for word in re.findall(r"\w+", text) if "İ" not in word})
    searcher = lode.Searcher(words, "cpu", ignore_case=True)
    found = [(offset, pattern_id, length) for offset, pattern_id, length in searcher.find(text).tolist()]
    expected = []
    for pattern_id, word in enumerate(words):
        for start in range(len(text)):
            piece = text[start : start + len(word)]
            if len(piece) == len(word) and all(simple_fold(a) == simple_fold(b) for a, b in zip(piece, word, strict=True)):
                expected.append((len(text[:start].encode()), pattern_id, len(piece.encode())))
    assert found == sorted(expected)


def simple_fold(letter):
    folded = letter.casefold()
    if len(folded) == 1:
        return folded
    return {"ẞ": "ß"}.get(letter, letter)  # what folds to several letters folds to itself, but for this one


def test_words_are_found_as_an_engineer_would_normalize():
    def normalized(text):
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
        spaced = "".join(" " if unicodedata.category(letter).startswith("P") else letter for letter in folded)
        return " ".join(spaced.split())

    for text in SAMPLES.values():
        words = normalized(text).split()
        phrases = [" ".join(words[at : at + 3]) for at in range(len(words) - 2)] or [" ".join(words)]
        counts = lode.Searcher(phrases, "cpu", view="words").count_per_pattern(text.replace(" ", "\n  "))
        assert all(count >= 1 for count in counts.tolist()), text
