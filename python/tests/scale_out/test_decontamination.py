"""Tests lode-decontaminate on clusters of Ray and Spark: they find what one process finds, also when a worker dies."""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest
import rows

import lode_decontaminate as ld

question = "A robe takes 2 bolts of blue fiber and half that much white fiber. How many bolts in total does it take?"
items = [ld.Item("quiz", "robe", (("question", question),), "3")]
worker_names = {"ray": b"ray::_search", "spark": b"pyspark.daemon"}


@pytest.fixture(params=["ray", "spark"])
def engine(request) -> str:
    request.getfixturevalue({"ray": "ray_cluster", "spark": "spark"}[request.param])
    return str(request.param)


@pytest.fixture(scope="module")
def crawl(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("crawl")
    chance = random.Random(3)
    for number in range(6):
        texts = [" ".join(f"w{chance.randrange(999)}" for _ in range(300)) for _ in range(3000)]
        texts[number * 7] = f"{question.upper()} {number}"
        pa.parquet.write_table(pa.table({"text": texts}), folder / f"{number}.parquet")
    return folder


def hits(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in (folder / "hits").glob("[0-9]*")}


@pytest.fixture(scope="module")
def expected(crawl: Path, tmp_path_factory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("local")
    ld.find(items, [str(crawl)], "text", folder)
    found = hits(folder)
    assert len(found) == 6 and all('"id": "robe"' in text for text in found.values())
    return found


def test_equal_to_one_process(engine: str, crawl: Path, expected, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(crawl.parent)
    found = ld.find(items, [crawl.name], "text", os.path.relpath(tmp_path / "found"), on=engine)
    assert (found.shards, found.skipped) == (6, 0)
    assert hits(tmp_path / "found") == expected


def test_a_worker_dies(engine: str, crawl: Path, expected, tmp_path: Path):
    killed: list[int] = []
    over = threading.Event()

    def kill_one() -> None:
        while not over.is_set() and not killed:
            if any((tmp_path / "hits").glob("[0-9]*")):
                killed.extend(list(workers(worker_names[engine]))[:1])
                for process in killed:
                    rows.kill(process)
            time.sleep(0.001)

    killer = threading.Thread(target=kill_one)
    killer.start()
    try:
        ld.find(items, [str(crawl)], "text", tmp_path, on=engine)
    finally:
        over.set()
        killer.join()
    assert killed
    assert hits(tmp_path) == expected


def workers(name: bytes) -> Iterator[int]:
    """The processes that work on a task; those of Spark are children of a process with the same name."""
    named = {int(path.parent.name) for path in Path("/proc").glob("[0-9]*/cmdline") if name in read(path)}
    for process in sorted(named):
        if name.startswith(b"ray") or rows.parent_of(process) in named:
            yield process


def read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:  # the process has ended
        return b""


def test_a_refusal_is_one_line(engine: str, tmp_path: Path):
    for number in range(3):
        (tmp_path / f"{number}.jsonl").write_text('{"text": "x"}\n{"text": 7}\n')
    with pytest.raises(
        ld.Refusal, match=r"/\d.jsonl: line 2: the field 'text' holds no string; a search needs strings$"
    ):
        ld.find(items, [str(tmp_path)], "text", tmp_path / "found", ld.Settings(common=0), on=engine)
    assert hits(tmp_path / "found") == {}
