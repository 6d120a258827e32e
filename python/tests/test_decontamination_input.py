"""What lode-decontaminate takes for a document and for an item: nothing is lost or misread without a word."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pyarrow as pa
import pytest
from decontamination import hits_of, packed, refusal, run, write_rows

import lode_decontaminate as ld

question = "A robe takes 2 bolts of blue fiber and half that much white fiber. How many bolts in total does it take?"
QUOTED = json.dumps({"text": question})


@pytest.fixture
def room(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_rows(Path("quiz.jsonl"), [{"id": "robe", "question": question}])
    return tmp_path


def find(*crawl: str) -> list:
    return ["find", "--benchmark", "quiz.jsonl", "--crawl", *crawl, "--out", "found"]


@pytest.mark.parametrize(
    ("lines", "number"),
    [
        (f'{{"text":"a"}}{{"text":"b"}}\n\n{QUOTED}\n{{"text":"c"}}\n', 1),
        (f'{{"text":"a"}} {{"text":"b"}}\n \t\r\n{QUOTED}\n', 1),
        (f'{{"text":"a"}}\n\n{{"text":\n"b"}}\n{QUOTED}\n', 3),
        (f'{{"text":"a"}}\n{{"text":"b",\n\n"n":1}}\n{QUOTED}\n', 2),
        (f'{{"text":"a"}}\n{{"text":"b"}} null\n{QUOTED}\n', 2),
        (f"\n{QUOTED}\n[]\n", 3),
        (f'{{"text":"a"}}\n{{}} {{}}\n \n{QUOTED}', 2),
    ],
)
def test_a_line_is_exactly_one_object(room: Path, lines, number):
    Path("a.jsonl").write_text(lines)
    assert f"a.jsonl: line {number}: " in refusal(*find("a.jsonl"))


def test_blanks_around_objects_and_lines_are_nothing(room: Path):
    Path("a.jsonl").write_bytes(b'\n \t{"text":"a"} \r\n\r\n' + QUOTED.encode() + b'\r\n {"text":"b"}\t')
    assert run(*find("a.jsonl")).returncode == 0
    assert [hit["row"] for hit in hits_of(Path("found"), "a.jsonl")] == [1]
    assert run("purify", "found", "--out", "clean").returncode == 0
    assert Path("clean/a.jsonl").read_bytes() == b'\n \t{"text":"a"} \r\n\r\n {"text":"b"}\t'


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({"type": "text", "content": question}, "text"),
        ({"meta": {"text": question}}, "text"),
        ({"note": '"text"', "content": question}, "text"),
        ({"meta": "a.b", "a.c": question}, "a.b"),
    ],
)
def test_a_field_that_no_line_has_is_refused(room: Path, row, field):
    write_rows(Path("a.jsonl"), [row, row])
    assert f"no field is called {field!r}; there are: {', '.join(row)}" in refusal(*find("a.jsonl"), "--field", field)


@pytest.mark.parametrize("is_ascii", [True, False])
@pytest.mark.parametrize("field", ["тело", "a.тело"])
def test_a_field_may_be_escaped_and_stand_in_values_too(room: Path, field, is_ascii):
    inner = {"тело": question}
    rows = [{"note": f'"{field}"', "x": None}, {"note": field, **({"a": inner} if "." in field else inner)}]
    Path("a.jsonl").write_text("".join(json.dumps(row, ensure_ascii=is_ascii) + "\n" for row in rows))
    done = run(*find("a.jsonl"), "--field", field)
    assert done.returncode == 0, done.stderr
    assert f"the field {field!r} has no text in 1 of 2 documents" in done.stderr
    assert run("purify", "found", "--out", "clean", "--mask", "x").returncode == 0
    assert question[:20] not in Path("clean/a.jsonl").read_text()


def test_documents_without_the_field_are_counted_wherever_they_are(room: Path):
    write_rows(Path("a.jsonl"), [{"text": "x"}] * 10 + [{"body": question}] * 2)
    done = run(*find("a.jsonl"), "--block-bytes", "140")
    assert (done.returncode, "the field 'text' has no text in 2 of 12 documents" in done.stderr) == (1, True)
    assert "has no text in 2 of 12 documents" in Path("found/report.html").read_text()


def test_links_are_followed_and_what_is_left_out_is_told(room: Path):
    write_rows(Path("away/a.jsonl"), [{"text": question}])
    write_rows(Path("crawl/b.jsonl"), [{"text": "x"}])
    os.symlink("../away", "crawl/link")
    os.symlink("../crawl", "crawl/link/loop")
    for name in ("c.jsonl.xz", "d.jsonl.1", "_e.jsonl", "_SUCCESS", ".hidden.jsonl"):
        Path("crawl", name).write_text("x")
    done = run(*find("crawl"), "--common", "0")
    assert "in 2 shards" in done.stdout, done
    told = "crawl/_e.jsonl, crawl/c.jsonl.xz, crawl/d.jsonl.1"
    assert f"left out, because a name shows no known format or begins with _: 3 files: {told}" in done.stderr
    os.symlink("nowhere", "crawl/f.jsonl")
    assert "crawl/f.jsonl: No such file or directory" in refusal(*find("crawl"))


def test_what_is_no_regular_file_is_refused(room: Path):
    os.mkfifo("a.jsonl")
    assert "a.jsonl: it is not a regular file" in refusal(*find("a.jsonl"))
    assert "a.jsonl: it is not a regular file" in refusal("find", "--benchmark", "a.jsonl", *find("quiz.jsonl")[3:])


def test_a_path_is_a_path_and_an_empty_column_has_no_hits(room: Path):
    write_rows(Path("crawl/a.jsonl"), [{"text": question}])
    items = ld.read_benchmark("quiz.jsonl")
    for number, crawl in enumerate(("crawl", Path("crawl"), [Path("crawl/a.jsonl")])):
        assert ld.find(items, crawl, "text", f"found{number}").shards == 1
    for column in ([], [None], pa.array([None]), pa.chunked_array([pa.nulls(2)])):
        assert ld.find_in_column(column, items) == []


def test_a_short_part_that_is_there_as_a_whole_is_an_overlap():
    passage = " ".join(f"w{number}" for number in range(42))
    item = ld.Item("quiz", "1", (("question", "how many eggs do they lay daily"), ("passage", passage)))
    hits = ld.find_in_column(["How many eggs do they lay daily?", passage[:60], "eggs do they lay daily"], [item])
    assert [(hit["row"], hit["is_whole"], ld.decide("overlap").says(hit)) for hit in hits] == [
        (0, True, True),
        (1, False, False),
    ]


@pytest.mark.parametrize(("least_words", "count"), [(21, 1), (22, 1), (23, 0)])
def test_least_words_hold_for_questions_longer_than_an_ngram(least_words, count):
    longer = ld.Item("quiz", "2", (("question", " ".join(f"w{number}" for number in range(99))),))
    items = [ld.Item("quiz", "1", (("question", question),)), longer]
    assert len(ld.find_in_column([question], items, ld.Settings(least_words=least_words))) == count


def test_a_share_is_not_rounded_before_it_is_compared():
    words = [f"w{number}" for number in range(15)]
    item = ld.Item("quiz", "1", (("question", " ".join(words)),))
    hit = ld.find_in_column([" ".join(words[:13])], [item])[0]
    assert (hit["found"], hit["ngrams"]) == (1, 3)
    assert ld.decide("share", 1 / 3).says(hit) and not ld.decide("share", 0.3334).says(hit)


def test_optional_fields_are_looked_up_in_each_row(room: Path):
    rows = [
        {"question": "one", "answer": None, "id": "a"},
        {"question": "two", "answer": "yes", "task_id": "b", "passage": "p", "choices": None},
        {"question": "three", "solution": "B", "context": "c", "options": ["x", "y"]},
    ]
    names = dict.fromkeys(name for row in rows for name in row)
    rows = [{name: row.get(name) for name in names} for row in rows]
    expected = [
        ld.Item("made", "a", (("question", "one"),)),
        ld.Item("made", "b", (("question", "two"), ("passage", "p")), "yes"),
        ld.Item("made", "2", (("question", "three"), ("choices", "x\ny"), ("passage", "c")), "y"),
    ]
    for name in ("made.jsonl", "made.parquet"):
        write_rows(Path(name), rows)
        assert ld.read_benchmark(name) == expected
    fields = ld.Fields(passage=("context",), named=frozenset(["passage"]))
    assert ld.read_benchmark("made.jsonl", fields=fields)[2].parts[2] == ("passage", "c")
    assert "no field is called 'hint'; there are: question, answer, id, task_id, passage, choices, " in refusal(
        "find", "--benchmark", "made.jsonl", "--passage", "hint", "--crawl", "quiz.jsonl", "--out", "found"
    )


@pytest.mark.parametrize(
    ("answer", "choices", "expected"),
    [
        ("y", ["x", "y", "z"], "y"),
        ("B", ["x", "y", "z"], "y"),
        ("b", ["x", "y", "z"], "y"),
        ("Z", ["x", "y"], "Z"),
        ("三", ["二", "三", "四"], "三"),
        ("五", ["二", "三", "四"], "五"),
        ("ß", ["x", "y"], "ß"),
        (2.0, ["x", "y", "z"], "z"),
        (1, ["x", "y"], "y"),
        (7, ["x", "y"], "7"),
        (2.0, None, "2"),
        (2.5, None, "2.5"),
        ("B", None, "B"),
        (True, ["x", "y"], None),
    ],
)
def test_answers_name_a_choice_or_are_texts(room: Path, answer, choices, expected):
    write_rows(Path("made.jsonl"), [{"question": "one", "answer": answer, "choices": choices}])
    assert ld.read_benchmark("made.jsonl")[0].answer == expected


def test_a_background_may_be_compressed(room: Path):
    write_rows(Path("a.jsonl"), [{"text": question}])
    Path("known.txt.gz").write_bytes(packed(f"Some text.\n{question}\n".encode(), ".gz"))
    assert "all n-grams are common" in run(*find("a.jsonl"), "--background", "known.txt.gz").stderr
    Path("known.txt.gz").write_bytes(b"not packed")
    assert "known.txt.gz: " in refusal(*find("a.jsonl"), "--background", "known.txt.gz")


def test_a_benchmark_is_called_by_its_name_without_the_known_ending(room: Path):
    for path, name in (
        ("mmlu.law.jsonl", "mmlu.law"),
        ("mmlu.law.JSON.gz", "mmlu.law"),
        ("v1.2.parquet", "v1.2"),
        ("bench.v1.2/a.jsonl", "bench.v1.2"),
        (".jsonl", ".jsonl"),
    ):
        file = Path(path)
        file.parent.mkdir(exist_ok=True)
        if file.suffix == ".parquet":
            write_rows(file, [{"question": question}])
        elif file.name != ".jsonl":
            file.write_bytes(packed(json.dumps({"question": question}).encode(), file.suffix))
        else:
            continue
        assert ld.read_benchmark(file if file.parent == Path() else file.parent)[0].benchmark == name
    both = ["--benchmark", "one/a.jsonl", "--benchmark", "two/a.jsonl"]
    for folder in ("one", "two"):
        write_rows(Path(folder, "a.jsonl"), [{"question": question}])
    assert "name them apart with NAME=PATH" in refusal("find", *both, "--crawl", "quiz.jsonl", "--out", "found")


def test_streams_of_arrow_may_be_called_arrow_and_arrays_of_json_are_told(room: Path):
    write_rows(Path("crawl/a.arrows"), [{"text": "x"}, {"text": question}])
    os.rename("crawl/a.arrows", "crawl/a.arrow")
    assert run(*find("crawl")).returncode == 0
    assert run("purify", "found", "--out", "clean").returncode == 0
    assert pa.ipc.open_stream("clean/a.arrow").read_all().to_pylist() == [{"text": "x"}]
    Path("a.json").write_text(json.dumps([{"text": question}], indent=1))
    assert "it is a JSON array; JSON Lines is needed, with one object a line; jq -c '.[]' makes it" in refusal(
        *find("a.json")
    )
    assert "a.json: it is a JSON array" in refusal("find", "--benchmark", "a.json", *find("quiz.jsonl")[3:])


def test_half_a_surrogate_pair_is_told_with_its_line(room: Path):
    Path("a.jsonl").write_text(QUOTED + '\n{"text": "\\ud800 x"}\n')
    assert "a.jsonl: line 2: it has half a surrogate pair" in refusal(*find("a.jsonl"))
