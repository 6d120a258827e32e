"""The folder of a run: what lode-decontaminate keeps there, and that no older or unfinished run passes for it."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from decontamination import hits_of, read_rows, refusal, report_of, run, write_rows

import lode_decontaminate as ld

question = "A robe takes 2 bolts of blue fiber and half that much white fiber. How many bolts in total does it take?"
other = "Josh decides to try flipping a house. He buys a house for $80,000 and then puts in $50,000 in repairs."
ROWS = [{"text": "Nothing of the kind."}, {"text": f"Seen: {question}"}, {"text": f"Read: {other}"}]


@pytest.fixture
def room(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_rows(Path("robe.jsonl"), [{"id": "robe", "question": question}])
    write_rows(Path("house.jsonl"), [{"id": "house", "question": other}])
    write_rows(Path("crawl/a.jsonl"), ROWS)
    return tmp_path


def find(*options: str, benchmark: str = "robe.jsonl", crawl: str = "crawl", code: int = 0) -> str:
    done = run("find", "--benchmark", benchmark, "--crawl", crawl, "--out", "found", *options)
    assert done.returncode == code, done
    return done.stderr


def end_within_a_shard() -> None:
    """A search of five shards that ends within the last."""
    for name in "bcd":
        write_rows(Path(f"crawl/{name}.jsonl"), ROWS)
    Path("crawl/e.jsonl").write_text('{"text": "x"}\n{"text": \n')
    assert "e.jsonl: line 2" in refusal(
        "find", "--benchmark", "robe.jsonl", "--crawl", "crawl", "--out", "found", "--common", "0", "--threads", "1"
    )


def test_a_crawl_is_purified_anew_after_another_search_into_the_same_folder(room: Path):
    find()
    assert run("purify", "found", "--out", "clean").returncode == 0
    assert read_rows(Path("clean/a.jsonl")) == [ROWS[0], ROWS[2]]
    shutil.rmtree("found")
    find(benchmark="house.jsonl")
    assert "clean: it was made of another run" in refusal("purify", "found", "--out", "clean")
    shutil.rmtree("found")
    find()
    hits = Path("found/hits/a.jsonl.jsonl")
    lines = hits.read_text().splitlines(keepends=True)
    hits.write_text(lines[-1])
    assert run("purify", "found", "--out", "clean").returncode == 1
    assert read_rows(Path("clean/a.jsonl")) == ROWS


@pytest.mark.parametrize("lost", ["clean/a.jsonl", "clean.removed/a.jsonl"])
def test_a_shard_that_is_gone_is_written_again(room: Path, lost):
    find()
    for _ in range(2):
        assert run("purify", "found", "--out", "clean").returncode == 0
        Path(lost).unlink()
    assert "finished before" not in run("purify", "found", "--out", "clean").stderr and Path(lost).exists()


def test_a_part_of_a_search_does_not_pass_for_the_whole(room: Path):
    end_within_a_shard()
    left = 5 - len(list(Path("found/hits").glob("*.jsonl")))
    assert 1 <= left < 5
    told = f"the search has not come to {left} of 5 shards; run `find` again"
    done = run("report", "found")
    assert told in done.stderr and report_of(Path("found"), "run")[0]["unsearched_shards"] == left
    assert f"has not come to {left} of 5 shards" in Path("found/report.html").read_text()
    assert told in refusal("purify", "found", "--out", "clean")
    assert told in run("review", "found", input="q\n").stderr
    write_rows(Path("crawl/e.jsonl"), ROWS)
    find("--common", "0")
    assert "not come to" not in run("report", "found").stderr
    assert run("purify", "found", "--out", "clean").returncode == 0


def test_shards_that_left_the_crawl_leave_the_report(room: Path):
    write_rows(Path("crawl/b.jsonl"), ROWS)
    find()
    Path("crawl/b.jsonl").unlink()
    find()
    assert run("report", "found").stdout.splitlines()[1] == "1 of 3 documents contaminated, in 1 shard"
    assert run("purify", "found", "--out", "clean").returncode == 0
    assert not Path("clean/b.jsonl").exists()


def test_a_hidden_file_that_is_named_is_a_shard(room: Path):
    shutil.copy("crawl/a.jsonl", ".hidden.jsonl")
    find(crawl=".hidden.jsonl")
    assert run("report", "found").stdout.splitlines()[1] == "1 of 3 documents contaminated, in 1 shard"
    assert run("purify", "found", "--out", "clean").returncode == 0
    assert len(read_rows(Path("clean/.hidden.jsonl"))) == 2


def test_a_verdict_counts_only_for_the_shard_that_was_looked_at(room: Path):
    find()
    assert run("review", "found", input="x\n").returncode == 0
    assert run("report", "found").returncode == 1
    write_rows(Path("crawl/a.jsonl"), [*ROWS, ROWS[0]])
    find()
    assert run("report", "found").returncode == 0
    assert run("review", "found", input="x\n").returncode == 0
    assert run("report", "found").returncode == 1


def test_the_decision_of_the_last_report_counts(room: Path):
    half = " ".join(question.split()[:15])
    write_rows(Path("crawl/a.jsonl"), [{"text": half}, ROWS[1]])
    find("--decide", "overlap", "--threshold", "14")
    done = run("purify", "found", "--out", "clean")
    assert done.stdout.splitlines() == [
        "2 documents read, 2 dropped, 1 shard written to clean",
        "Decided by overlap: 14 or more",
    ]
    assert run("report", "found", "--threshold", "20").stdout.splitlines()[1].startswith("1 of 2 documents")
    assert run("report", "found").stdout.splitlines()[1].startswith("1 of 2 documents")
    assert ld.purify("found", "again").decision == ld.decide("overlap", 20)
    assert (
        "Decided by share: 0.1"
        in run("purify", "found", "--out", "third", "--decide", "share", "--threshold", "0.1").stdout
    )
    assert len(run("review", "found", input="n\n" * 9).stdout.split(" words in a row")) == 2
    assert report_of(Path("found"), "run")[0]["decide"] == "overlap"
    run("report", "found", "--decide", "overlap")
    run("report", "found", "--decide", "share", "--threshold", "0.2")
    assert run("report", "found", "--decide", "share").returncode == 0
    assert report_of(Path("found"), "run")[0]["threshold"] == 0.5


def test_a_clean_crawl_is_not_written_into_the_run(room: Path):
    find()
    before = {path: path.read_bytes() for path in Path("found").rglob("*.*") if path.is_file()}
    os.symlink("found", "link")
    for options in (
        ["--out", "found"],
        ["--out", "link/deep"],
        ["--out", "clean", "--removed", "found"],
        ["--out", "clean", "--removed", "found/hits"],
    ):
        assert "choose another folder" in refusal("purify", "found", *options)
    assert {path: path.read_bytes() for path in Path("found").rglob("*.*") if path.is_file()} == before


def test_a_line_may_be_as_long_as_a_block(room: Path):
    long = json.dumps({"text": "word " * 3_500_000 + question})
    Path("crawl/a.jsonl").write_text(f"{long}\n{json.dumps(ROWS[1])}\n")
    find("--block-bytes", "18000000")
    assert len(hits_of(Path("found"), "a.jsonl")) == 2
    find("--block-bytes", "1000")
    assert run("purify", "found", "--out", "clean").stdout.startswith("2 documents read, 2 dropped")
    assert "it is longer than 1000 bytes; a larger --block-bytes allows more" in refusal(
        "find", "--benchmark", "robe.jsonl", "--crawl", "crawl", "--out", "other", "--block-bytes", "1000"
    )


def test_places_that_cannot_be_written_are_told(room: Path):
    find()
    Path("file").write_text("x")
    assert "file" in refusal("purify", "found", "--out", "file")
    assert "Not a directory" in refusal("purify", "found", "--out", "file")
    assert "crawl: the crawl lies within --out crawl; choose another --out" in refusal(
        "find", "--benchmark", "robe.jsonl", "--crawl", "crawl", "--out", "crawl"
    )
    for threshold in ("inf", "1e400", "-inf", "2.5"):
        assert "must be a whole number of at least 1" in refusal(
            "report", "found", "--decide", "overlap", f"--threshold={threshold}"
        )


def test_the_removed_go_beside_the_folder_that_a_dot_names(room: Path, monkeypatch):
    find(crawl=str(room / "crawl"))
    Path("deep").mkdir()
    monkeypatch.chdir("deep")
    assert run("purify", "../found", "--out", ".").returncode == 0
    assert len(read_rows(room / "deep/a.jsonl")) == 2 and len(read_rows(room / "deep.removed/a.jsonl")) == 1


def test_a_folder_of_another_version_is_refused(room: Path):
    find()
    Path("found/crawl.json").unlink()
    for chore in (["report", "found"], ["review", "found"], ["purify", "found", "--out", "clean"]):
        assert "it was made by another version" in refusal(*chore)


def test_messages_count_one_and_many(room: Path):
    write_rows(Path("crawl/a.jsonl"), ROWS[1:2])
    done = run("find", "--benchmark", "robe.jsonl", "--crawl", "crawl", "--out", "found")
    assert done.stdout.splitlines()[:2] == [
        "robe: 1 of 1 item contaminated (100.0%)",
        "1 of 1 document contaminated, in 1 shard",
    ]
    assert "Something was found of 1 item. The marked text" in Path("found/report.html").read_text()
    told = run("purify", "found", "--out", "clean").stdout
    assert told.startswith("1 document read, 1 dropped, 1 shard written to clean\n")
