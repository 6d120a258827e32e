"""Tests lode.spark on a cluster of two executors."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pyarrow as pa
import pytest
import rows
from pyspark import cloudpickle

import lode
import lode.spark
from lode.tables import TableSearch, actions

for _module in (sys.modules[__name__], rows):
    cloudpickle.register_pickle_by_value(_module)


@pytest.mark.parametrize("type", rows.types, ids=str)
def test_actions_equal_those_of_one_process(spark, type):
    table = rows.table(60, type)
    searcher = lode.Searcher(rows.patterns)
    frame = spark.createDataFrame(table).repartition(2)
    for action in actions if type == pa.string() else ("matches",):
        further = {"replacement": "<{id}>"} if action == "replace" else {}
        found = lode.spark.search(frame, rows.patterns, "text", action, **further)
        assert rows.in_order(found.toArrow()) == rows.in_order(TableSearch(searcher, "text", action, **further)(table))


def test_options(spark):
    frame = spark.createDataFrame(pa.table({"id": [0, 1], "text": ["HE", "the"]}))
    options = {"ignore_case": True, "condition": "whole-word"}
    found = lode.spark.search(frame, ["he"], "text", name="word", searcher_options=options)
    assert rows.in_order(found.toArrow()) == [
        {"id": 0, "text": "HE", "word": True},
        {"id": 1, "text": "the", "word": False},
    ]


def test_what_is_refused_at_once(spark):
    frame = spark.createDataFrame(rows.table(3))
    with pytest.raises(lode.InvalidArgumentError, match="no column"):
        lode.spark.search(frame, ["he"], "texts")
    with pytest.raises(lode.InvalidArgumentError, match="of int64"):
        lode.spark.search(frame, ["he"], "id")


def test_workers_keep_their_searchers(monkeypatch):
    class Broadcast:
        uses = 0
        blob = lode.compile(["he"]).dumps()

        @property
        def value(self):
            self.uses += 1
            return self.blob

    monkeypatch.setattr(lode.spark, "_kept", {})
    broadcast = Broadcast()
    first = lode.spark._searcher("a", broadcast, {})
    assert lode.spark._searcher("a", broadcast, {}) is first and broadcast.uses == 1
    for key in "bcde":
        lode.spark._searcher(key, broadcast, {})
        assert len(lode.spark._kept) <= 4
    assert lode.spark._searcher("a", broadcast, {}) is not first


class Dying(TableSearch):
    """Kills its process, or the executor that it belongs to, in its third batch, unless another one has died already.
    """

    folder = ""
    kills = "worker"
    batches = 0

    def __call__(self, batch):
        rows.note_process(self.folder)
        self.batches += 1
        if self.batches == 3 and rows.first_to_come(self.folder):
            # A daemon of Python forks the workers, and the executor has started that daemon.
            rows.kill(os.getpid() if self.kills == "worker" else rows.parent_of(os.getppid()))
        return super().__call__(batch)


@pytest.mark.parametrize("kills", ["worker", "executor"])
def test_a_process_that_dies(spark, tmp_path: Path, monkeypatch, kills):
    monkeypatch.setattr(Dying, "folder", str(tmp_path))
    monkeypatch.setattr(Dying, "kills", kills)
    monkeypatch.setattr(lode.spark, "TableSearch", Dying)
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "100")
    table = rows.table(2400)
    frame = spark.createDataFrame(table).repartition(4)
    found = lode.spark.search(frame, rows.patterns, "text", "matches").toArrow()
    expected = TableSearch(lode.Searcher(rows.patterns), "text", "matches")(table)
    assert rows.in_order(found) == rows.in_order(expected)
    assert Path(tmp_path, "died").exists()
    assert rows.processes(tmp_path) >= 2
