"""lode-decontaminate finds what plain Python finds, in all kinds of files, and goes on where it was ended."""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import signal
import subprocess
import time
import unicodedata
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest
from decontamination import (
    command,
    hits_of,
    overlap_of,
    packed,
    refusal,
    report_of,
    run,
    run_command,
    words_of,
    write_rows,
)
from hypothesis import given
from hypothesis import strategies as st

import lode
import lode_decontaminate as ld
from lode_decontaminate.answers import answers_of
from lode_decontaminate.overlaps import Run
from lode_decontaminate.words import view_words, words_of_rows

question = "A robe takes 2 bolts of blue fiber and half that much white fiber. How many bolts in total does it take?"
other = "Josh decides to try flipping a house. He buys a house for $80,000 and then puts in $50,000 in repairs."
quotation = f"Seen in a forum: {question.upper()} I do not know."

vocabulary = st.sampled_from(
    ["a", "b", "C", "É", "e\u0301", "ß", "ss", "ﬁ", "fi", "３", "$2", "naïve", "дом", "ДОМ", "a_b", "½"]
)
gaps = st.sampled_from([" ", "  ", "\n", ", ", " — ", "\u00a0", "\u3000", ".", "…", " \u200b", "\u00ad", "_", "’", "+"])
texts = st.lists(st.tuples(gaps, vocabulary), max_size=12).map(lambda pairs: "".join(map("".join, pairs)))


def item(id: str, text: str, answer: str | None = None) -> ld.Item:
    return ld.Item("quiz", id, (("question", text),), answer)


@given(documents=st.lists(texts, max_size=5), questions=st.lists(texts, min_size=1, max_size=4), n=st.integers(1, 4))
def test_equal_to_plain_python(documents, questions, n):
    items = [item(str(number), text) for number, text in enumerate(questions)]
    settings = ld.Settings(n=n, least_words=1)
    expected = {
        (row, number): found
        for row, document in enumerate(documents)
        for number, text in enumerate(questions)
        if (found := overlap_of(document, text, n, 1)) is not None
    }
    if not any(map(words_of, questions)):
        with pytest.raises(ld.Refusal):
            ld.find_in_column(documents, items, settings)
        return
    hits = ld.find_in_column(pa.array(documents, pa.string()), items, settings)
    assert {(hit["row"], hit["item"]): (hit["found"], hit["longest"]) for hit in hits} == expected
    for hit in hits:
        document, wanted = documents[hit["row"]].encode(), words_of(questions[hit["item"]])
        for stretch in hit["runs"]:
            quoted = document[stretch["offset"] : stretch["offset"] + stretch["length"]].decode()
            assert words_of(quoted) == wanted[stretch["word"] : stretch["word"] + stretch["words"]]
            assert words_of(quoted) and not quoted[0].isspace() and not quoted[-1].isspace()


@given(
    st.lists(texts.map(str.encode) | st.binary(max_size=8), max_size=5),
    st.sampled_from(["words", "drop-punctuation", ""]),
)
def test_words_of_many_rows_are_those_of_each(rows, view):
    words, starts = words_of_rows(pa.array(rows, pa.large_binary()), view)
    expected = [view_words(row, view).in_original for row in rows]
    assert words.begins.tolist() == [
        begin + start for start, its in zip(starts, expected) for begin in its.begins.tolist()
    ]
    assert words.ends.tolist() == [end + start for start, its in zip(starts, expected) for end in its.ends.tolist()]


def wide(text: str) -> str:
    return "".join(chr(ord(sign) + 0xFEE0) if "a" <= sign <= "z" else sign for sign in text)


def manglings(text: str) -> dict[str, str]:
    words = text.split()
    return {
        "case": text.upper(),
        "punctuation": "«" + " — ".join(re.findall(r"[\w$]+", text)) + "»!",
        "blanks": "\u00a0\t ".join(words),
        "line breaks": "\r\n".join(" ".join(words[at : at + 5]) for at in range(0, len(words), 5)),
        "Unicode forms": wide(unicodedata.normalize("NFD", text)),
        "cut in the middle": " ".join(words[: len(words) // 2 + 7]) + " and so on",
    }


@pytest.mark.parametrize("way", list(manglings(question)))
def test_mangled_quotations_are_found(way):
    text = f"Someone wrote: {manglings(question)[way]} Nobody answered."
    hits = ld.find_in_column(["Nothing here.", text, None], [item("robe", question), item("house", other)])
    assert [(hit["row"], hit["id"]) for hit in hits] == [(1, "robe")]
    assert hits[0]["share"] == 1.0 if way != "cut in the middle" else 0 < hits[0]["share"] < 1
    before, shown, _ = hits[0]["excerpt"]
    assert before.endswith("Someone wrote: " if way != "punctuation" else "Someone wrote: «")
    assert words_of(shown) == words_of(question)[: hits[0]["longest"]]


def test_words_are_whole():
    items = [item("1", "one two three four five")]
    assert ld.find_in_column(["bone two three four five", "one two three four fives"], items) == []
    assert len(ld.find_in_column(["one two three four five", "(one-two three/four_five)"], items)) == 2


def test_equal_questions_are_each_found_and_ngrams_of_many_items_count_for_all():
    items = [item("1", question), item("2", question), item("3", other + " " + question)]
    hits = ld.find_in_column([quotation], items)
    assert [(hit["id"], hit["share"] == 1.0, hit["longest"]) for hit in hits] == [
        ("1", True, 22),
        ("2", True, 22),
        ("3", False, 22),
    ]


def test_the_longest_run_does_not_go_over_a_changed_word():
    words = [f"w{number}" for number in range(40)]
    changed = [*words[:20], "other", *words[21:]]
    hit = ld.find_in_column([" ".join(changed)], [item("1", " ".join(words))])[0]
    assert (hit["longest"], [run["words"] for run in hit["runs"]]) == (20, [20, 19])
    assert hit["found"] == 8 + 7


def test_answers_stand_near_or_not():
    answers = answers_of(["3", "half of 2 is 1, so it takes 2 + 1 = 3 bolts", None, "..."], 13, "words")
    text = f"{question} The answer is 3. Really."
    run_of_words = [Run("question", 0, 21, 0, len(question))]
    assert answers.is_near(0, text.encode(), run_of_words)
    assert not answers.is_near(0, f"{question} It is 33.".encode(), run_of_words)
    assert not answers.is_near(0, f"{question}{' x' * 2000} 3".encode(), run_of_words)
    assert not answers.is_near(1, text.encode(), run_of_words)
    assert answers.is_near(
        1,
        f"{question} Half of 2 is 1; so it takes 2+1=3 bolts: half of 2 is 1, so it takes 2 + 1 = 3 bolts".encode(),
        run_of_words,
    )
    assert [answers.has(number) for number in range(4)] == [True, True, False, False]


ROWS = [
    {"id": 1, "text": "Nothing of the kind."},
    {"id": 2, "text": None},
    {"id": 3, "text": quotation},
    {"id": 4, "text": other},
]


@pytest.fixture
def room(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_rows(Path("quiz.jsonl"), [{"id": "robe", "question": question, "answer": "3"}])
    return tmp_path


@pytest.mark.parametrize(
    "name", ["a.jsonl", "a.ndjson", "a.json.gz", "a.jsonl.zst", "a.parquet", "a.arrow", "a.arrows"]
)
def test_every_kind_of_shard(room: Path, name):
    write_rows(room / "crawl" / "deep" / name, ROWS)
    quiz = [{"id": "robe", "question": question, "answer": "3"}, {"id": "no", "question": "Too short"}]
    write_rows(room / "quiz.jsonl", quiz)
    done = run("find", "--benchmark", "quiz.jsonl", "--crawl", "crawl", "--out", "found")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[:2] == [
        "quiz: 1 of 2 items contaminated (50.0%)",
        "1 of 4 documents contaminated, in 1 shard",
    ]
    assert done.stderr.splitlines() == [
        "lode-decontaminate: too short to be searched for: 1 of 2 items",
        "lode-decontaminate: the field 'text' has no text in 1 of 4 documents",
    ]
    hit = hits_of(Path("found"), f"deep/{name}")[0]
    assert (hit["row"], hit["id"], hit["share"], hit["answer"]) == (2, "robe", 1.0, False)
    run_of_words = hit["runs"][0]
    assert quotation[run_of_words["offset"] :][: run_of_words["length"]] == question.upper().rstrip("?")
    assert report_of(Path("found"), "document")[0]["row"] == 2


@pytest.mark.parametrize("name", ["a.jsonl", "a.parquet", "a.arrow"])
def test_nested_fields(room: Path, name):
    rows = [{"meta": {"page": {"body": row["text"]}}, "text": "x"} for row in ROWS]
    write_rows(room / name, rows)
    assert (
        run(
            "find", "--benchmark", "quiz.jsonl", "--crawl", name, "--field", "meta.page.body", "--out", "found"
        ).returncode
        == 0
    )
    assert [hit["row"] for hit in hits_of(Path("found"), name)] == [2]
    said = refusal("find", "--benchmark", "quiz.jsonl", "--crawl", name, "--field", "meta.page.other", "--out", "other")
    assert "no field is called 'meta.page.other'; there are: meta, text" in said


def test_a_field_with_a_dot_in_its_name(room: Path):
    write_rows(room / "a.jsonl", [{"a.b": quotation, "a": {"b": "x"}}])
    assert (
        run("find", "--benchmark", "quiz.jsonl", "--crawl", "a.jsonl", "--field", "a.b", "--out", "found").returncode
        == 0
    )


def test_every_kind_of_benchmark(room: Path):
    choices = {"text": ["two bolts of the blue fiber and one", "three"], "label": ["A", "B"]}
    rows = [{"task_id": "t/1", "prompt": question, "choices": choices, "answer": "B", "passage": other}]
    expected = ld.Item(
        "made", "t/1", (("question", question), ("choices", "\n".join(choices["text"])), ("passage", other)), "three"
    )
    for name in ("made.jsonl", "made.json.gz", "made.jsonl.zst", "made.parquet", "made.arrow"):
        write_rows(room / name, rows)
        assert ld.read_benchmark(name) == [expected]
    Path("lines.txt").write_text(f"\ufeff{question}\r\n\n{other}\n")
    assert ld.read_benchmark("lines.txt") == [
        ld.Item("lines", "0", (("question", question),)), ld.Item("lines", "1", (("question", other),))]  # fmt: skip
    write_rows(room / "folder" / "one.parquet", rows)
    write_rows(room / "folder" / "two.jsonl", [{"question": other}])
    assert [(read.benchmark, read.id) for read in ld.read_benchmark("folder", "named")] == [
        ("named", "t/1"),
        ("named", "two.jsonl:0"),
    ]
    write_rows(room / "nested.jsonl", [{"q": {"stem": question}, "key": 7}])
    fields = ld.Fields(question=("q.stem",), id=("key",))
    assert ld.read_benchmark("nested.jsonl", fields=fields) == [ld.Item("nested", "7", (("question", question),))]


def test_globs_and_many_shards(room: Path):
    for number in range(5):
        write_rows(room / "crawl" / f"{number}.jsonl", ROWS)
    (room / "crawl" / "_SUCCESS").write_text("")
    (room / "crawl" / "notes.md").write_text(quotation)
    done = run(
        "find", "--benchmark", "quiz=quiz.jsonl", "--crawl", "crawl/[0-2].jsonl", "crawl/4.jsonl", "--out", "found"
    )
    assert "4 of 16 documents contaminated, in 4 shards" in done.stdout
    assert (
        run("find", "--benchmark", "quiz=quiz.jsonl", "--crawl", "crawl", "--out", "all").stdout.count(
            "5 of 20 documents"
        )
        == 1
    )


def test_blocks_cut_no_row(room: Path):
    rows = [{"text": quotation if number % 7 == 0 else f"Nothing {number}"} for number in range(200)]
    write_rows(room / "a.jsonl", rows)
    text = Path("a.jsonl").read_bytes().replace(b"\n", b"\n\n", 3).rstrip(b"\n")  # empty lines are no rows
    for name in ("b.jsonl", "b.jsonl.gz"):
        Path(name).write_bytes(packed(b"\xef\xbb\xbf" + text, Path(name).suffix))
        done = run(
            "find",
            "--benchmark",
            "quiz.jsonl",
            "--crawl",
            name,
            "--out",
            f"{name}.found",
            "--block-bytes",
            "400",
            "--common",
            "0",
        )
        assert done.returncode == 0, done.stderr
        assert [hit["row"] for hit in hits_of(Path(f"{name}.found"), name)] == list(range(0, 200, 7))


def test_common_ngrams_are_left_out_and_told(room: Path):
    notice = "licensed under the apache license you may not use this file except in compliance with the license"
    write_rows(room / "quiz.jsonl", [{"id": "1", "question": f"{notice} {other}"}, {"id": "2", "question": question}])
    write_rows(room / "a.jsonl", [{"text": f"{notice}. {number}"} for number in range(200)] + [{"text": quotation}])
    done = run("find", "--benchmark", "quiz.jsonl", "--crawl", "a.jsonl", "--out", "found")
    assert "left out as common: 5 of 37 n-grams; found/common.jsonl has them" in done.stderr
    assert [(hit["row"], hit["id"]) for hit in hits_of(Path("found"), "a.jsonl")] == [(200, "2")]
    common = [json.loads(line) for line in Path("found/common.jsonl").read_text().splitlines()]
    assert {(row["reason"], row["documents"], row["sampled"]) for row in common} == {("sample", 200, 201)}
    Path("known.txt").write_text(f"Some text.\n{question}\n")
    assert (
        run(
            "find", "--benchmark", "quiz.jsonl", "--crawl", "a.jsonl", "--out", "f2", "--background", "known.txt"
        ).returncode
        == 1
    )
    assert hits_of(Path("f2"), "a.jsonl") == []
    assert len(hits_of_all(room, "--common", "0")) == 201


def hits_of_all(room: Path, *options: str) -> list:
    assert run("find", "--benchmark", "quiz.jsonl", "--crawl", "a.jsonl", "--out", "f3", *options).returncode == 0
    return hits_of(Path("f3"), "a.jsonl")


def test_decisions(room: Path):
    half = " ".join(question.split()[:17])
    write_rows(room / "a.jsonl", [{"text": half}, {"text": f"{question} 3"}])
    counts = {}
    assert run("find", "--benchmark", "quiz.jsonl", "--crawl", "a.jsonl", "--out", "found").returncode == 0
    for options in (
        ["share"],
        ["share", "--threshold", "0.9"],
        ["overlap"],
        ["overlap", "--threshold", "17"],
        ["answer"],
    ):
        run("report", "found", "--decide", *options)
        counts[" ".join(options)] = report_of(Path("found"), "run")[0]["contaminated_documents"]
    assert counts == {"share": 2, "share --threshold 0.9": 1, "overlap": 1, "overlap --threshold 17": 2, "answer": 1}
    by_share = report_of(Path("found"), "benchmark")[0]["by_share"]
    assert by_share["0.1"] == by_share["1.0"] == 1
    assert run("report", "found", "--threshold", "1", "--decide", "overlap").returncode == 0
    for options in (["--threshold", "0"], ["--threshold", "1.5"], ["--decide", "overlap", "--threshold", "2.5"]):
        assert "a threshold of" in refusal("report", "found", *options)


def test_the_page_needs_nothing_else_and_shows_both_sides(room: Path):
    write_rows(room / "quiz.jsonl", [{"question": f"<b>{question}</b>"}])
    write_rows(room / "<i>.jsonl", [{"text": f"<script>alert(1)</script> {question.lower()}"}])
    assert run("find", "--benchmark", "quiz.jsonl", "--crawl", "<i>.jsonl", "--out", "found").returncode == 0
    page = Path("found/report.html").read_text()
    assert not re.search(r"https?://|<script|<link|<img|@import|url\(", page)
    assert "prefers-color-scheme: dark" in page and "@media (max-width" in page and 'name="viewport"' in page
    marked = re.findall("<mark>(.*?)</mark>", page)
    assert [words_of(text.replace("&lt;", "<").replace("&gt;", ">")) for text in marked] == [
        words_of(question)
    ] * 2 or len(marked) == 2
    assert "<b>" + question[:10] not in page and "&lt;script&gt;" in page and "&lt;i&gt;.jsonl" in page


def test_a_run_that_was_killed_goes_on(room: Path):
    chance = random.Random(5)
    lines = [
        json.dumps({"text": " ".join(f"w{chance.randrange(999)}" for _ in range(200))}) + "\n" for _ in range(8000)
    ]
    lines[17] = json.dumps({"text": quotation}) + "\n"
    Path("crawl").mkdir()
    for number in range(8):
        Path(f"crawl/{number}.jsonl.gz").write_bytes(gzip.compress("".join(lines).encode(), 1))
    arguments = ["find", "--benchmark", "quiz.jsonl", "--crawl", "crawl", "--threads", "1"]
    process = subprocess.Popen(
        [command, *arguments, "--out", "found"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    hits = Path("found/hits")
    end = time.monotonic() + 60
    while not (hits.exists() and any(hits.glob("[0-9]*.jsonl"))) and process.poll() is None and time.monotonic() < end:
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait()
    finished = {path.name: path.stat().st_mtime_ns for path in hits.glob("[0-9]*.jsonl")}
    assert 0 < len(finished) < 8
    done = run_command(*arguments, "--out", "found")
    assert done.returncode == 0 and f"searched before: {len(finished)} of 8 shards" in done.stderr
    assert all((hits / name).stat().st_mtime_ns == changed for name, changed in finished.items())
    assert run(*arguments, "--out", "whole").returncode == 0
    assert {path.name: path.read_text() for path in hits.glob("[0-9]*.jsonl")} == {
        path.name: path.read_text() for path in Path("whole/hits").glob("[0-9]*.jsonl")}  # fmt: skip
    assert Path("found/report.jsonl").read_text() == Path("whole/report.jsonl").read_text()


def test_a_changed_shard_is_searched_again_and_other_settings_are_refused(room: Path):
    write_rows(room / "a.jsonl", ROWS)
    arguments = ["find", "--benchmark", "quiz.jsonl", "--crawl", "a.jsonl", "--out", "found"]
    assert run(*arguments).returncode == 0
    assert "searched before: 1 of 1 shard" in run(*arguments).stderr
    write_rows(room / "a.jsonl", ROWS[:2])
    done = run(*arguments)
    assert done.returncode == 1 and "searched before" not in done.stderr
    assert "found: it holds a run with other n, view; choose another --out" in refusal(
        *arguments, "--n", "8", "--view", "fold,one-space"
    )


def test_an_interrupt_leaves_nothing_half_written(room: Path):
    lines = json.dumps({"text": "word " * 200}) + "\n"
    Path("a.jsonl.gz").write_bytes(gzip.compress((lines * 200_000).encode(), 1))
    arguments = ["find", "--benchmark", "quiz.jsonl", "--crawl", "a.jsonl.gz", "--out", "found"]
    process = subprocess.Popen([command, *arguments], stderr=subprocess.PIPE)
    end = time.monotonic() + 60
    while not Path("found/hits").exists() and time.monotonic() < end:
        time.sleep(0.002)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60) == (None, b"")
    assert process.returncode == 130
    assert list(Path("found/hits").iterdir()) == []


def test_bad_input(room: Path):
    write_rows(room / "a.jsonl", ROWS)
    find = ["find", "--benchmark", "quiz.jsonl", "--crawl", "a.jsonl", "--out", "found"]
    assert "nowhere.jsonl: No such file or directory" in refusal(*find[:4], "nowhere.jsonl", *find[5:])
    assert "none.jsonl: No such file or directory" in refusal("find", "--benchmark", "none.jsonl", *find[3:])
    assert "no/*.jsonl: no file has such a name" in refusal(*find[:4], "no/*.jsonl", *find[5:])
    Path("empty.jsonl").write_text("")
    assert "empty.jsonl: it has no items" in refusal("find", "--benchmark", "empty.jsonl", *find[3:])
    Path("a.txt").write_text("x")
    assert "a.txt: the name shows no known format" in refusal(*find[:4], "a.txt", *find[5:])
    Path("bad.jsonl").write_text('{"text": "x"}\n{"text": \n{"text": "y"}\n')
    assert "bad.jsonl: line 2: " in refusal(*find[:4], "bad.jsonl", *find[5:])
    Path("two.jsonl").write_text('{"text": "x"}\n{"text": "y"} {"text": "z"}\n')
    assert "two.jsonl: line 2: " in refusal(*find[:4], "two.jsonl", *find[5:])
    Path("null.jsonl").write_text("null\n")
    assert "null.jsonl: line 1: it holds no object" in refusal(*find[:4], "null.jsonl", *find[5:])
    Path("number.jsonl").write_text('{"text": "x"}\n{"text": 7}\n')
    assert "number.jsonl: line 2: the field 'text' holds no string" in refusal(*find[:4], "number.jsonl", *find[5:])
    assert "a.jsonl: no field is called 'body'; there are: id, text" in refusal(*find, "--field", "body")
    assert "quiz.jsonl: no field is called 'stem'" in refusal(*find, "--question", "stem")
    assert "quiz.jsonl: no field is called 'passage'" in refusal(*find, "--passage", "passage")
    Path("a.parquet").write_bytes(b"no parquet")
    assert "a.parquet: " in refusal(*find[:4], "a.parquet", *find[5:])
    Path("a.jsonl.gz").write_bytes(gzip.compress(b'{"text": "x"}\n' * 1000)[:-30])
    assert "a.jsonl.gz: " in refusal(*find[:4], "a.jsonl.gz", *find[5:])
    write_rows(room / "n.parquet", [{"text": 7}])
    assert "n.parquet: the field 'text' is of int64" in refusal(*find[:4], "n.parquet", *find[5:])
    assert "leaves no blanks between words" in refusal(*find, "--view", "drop-space")
    for view in ("latin-1,words", "utf-16", "auto,words", "fasta", "fastq"):
        assert "decodes, but documents are taken for UTF-8" in refusal(*find, "--view", view)
    assert "a view has no step 'nonsense'" in refusal(*find, "--view", "nonsense")
    assert "there is no run" in refusal("report", "nothing")
    write_rows(room / "same.jsonl", [{"id": 1, "question": question}, {"id": 1, "question": other}])
    assert "two items of the benchmark 'same' have the id '1'" in refusal(
        "find", "--benchmark", "same.jsonl", *find[3:]
    )
    long = refusal(*find, "--block-bytes", "50")
    assert "a larger --block-bytes allows more" in long
    assert not list(Path().glob("found/hits/*"))


def test_a_run_within_its_crawl_and_shards_of_one_name(room: Path):
    write_rows(room / "crawl" / "a.jsonl", ROWS)
    find = ["find", "--benchmark", "quiz.jsonl", "--crawl"]
    for _ in range(2):
        done = run(*find, "crawl", "--out", "crawl/found")
        assert "1 of 4 documents contaminated, in 1 shard" in done.stdout, done.stderr
    write_rows(room / "other" / "a.jsonl", ROWS)
    assert "crawl/found has a shard of this name" in refusal(*find, "other", "--out", "crawl/found")
    assert "other/a.jsonl has the same name" in refusal(*find, "other", "crawl", "--out", "both").replace(
        "crawl/a", "other/a"
    )


def test_a_field_may_be_null_in_all_rows(room: Path):
    write_rows(room / "a.jsonl", [{"text": None}, {}])
    assert run("find", "--benchmark", "quiz.jsonl", "--crawl", "a.jsonl", "--out", "found").returncode == 1


def test_the_command(room: Path):
    write_rows(room / "a.jsonl", ROWS)
    find = ["find", "--benchmark", "quiz.jsonl", "--crawl"]
    done = run_command(*find, "a.jsonl", "--out", "found")
    told = "lode-decontaminate: the field 'text' has no text in 1 of 4 documents\n"
    assert (done.returncode, done.stderr) == (0, told) and done.stdout.endswith("The report is found/report.html\n")
    done = run_command(*find, "no\nwhere.jsonl", "--out", "found")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "lode-decontaminate: no where.jsonl: No such file or directory\n"
    assert run_command("find", "--help").stdout.startswith("usage: lode-decontaminate find ")
    for chore in ("find", "report", "review", "purify"):
        done = run_command(chore, "--help", env={**os.environ, "PYTHONIOENCODING": "ascii:strict"})
        assert (done.returncode, done.stderr) == (0, "") and "exit status\n  It is 0 if" in done.stdout
    assert run_command("--version").stdout == f"lode-decontaminate {lode.__version__}\n"
    assert run_command().returncode == run_command("nonsense").returncode == run_command("find").returncode == 2


def test_an_empty_shard_has_no_rows(room: Path):
    Path("a.jsonl").write_text("\n \n")
    pa.parquet.write_table(pa.table({"text": pa.array([], pa.string())}), "b.parquet")
    done = run("find", "--benchmark", "quiz.jsonl", "--crawl", "a.jsonl", "b.parquet", "--out", "found")
    assert done.returncode == 1 and "0 of 0 documents contaminated, in 2 shards" in done.stdout
