"""Tests lode.ray on a cluster of two workers."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pyarrow as pa
import pytest
import ray
import ray.cloudpickle
import rows

import lode
import lode.ray
from lode.tables import TableSearch, actions

pytestmark = pytest.mark.usefixtures("ray_cluster")
for _module in (sys.modules[__name__], rows):
    ray.cloudpickle.register_pickle_by_value(_module)


def collected(dataset) -> pa.Table:
    return pa.concat_tables(ray.get(dataset.to_arrow_refs()), promote_options="permissive")


@pytest.mark.parametrize("type", rows.types, ids=str)
def test_actions_equal_those_of_one_process(type):
    table = rows.table(60, type)
    searcher = lode.Searcher(rows.patterns)
    for action in actions if type == pa.string() else ("matches",):
        dataset = ray.data.from_arrow([table.slice(0, 20), table.slice(20)])
        further = {"replacement": "<{id}>"} if action == "replace" else {}
        size = ray.data.ActorPoolStrategy(size=1)
        found = lode.ray.search(dataset, rows.patterns, "text", action, compute=size, **further)
        assert rows.in_order(collected(found)) == rows.in_order(TableSearch(searcher, "text", action, **further)(table))


def test_options():
    dataset = ray.data.from_arrow(pa.table({"id": [0, 1], "text": ["HE", "the"]}))
    options = {"view": "fold", "condition": "whole-word"}
    found = lode.ray.search(dataset, ["he"], "text", name="word", searcher_options=options)
    assert rows.in_order(collected(found)) == [
        {"id": 0, "text": "HE", "word": True},
        {"id": 1, "text": "the", "word": False},
    ]


def test_what_actors_are_given():
    class Dataset:
        def map_batches(self, worker, **arguments):
            return arguments

    for device, asked, gpus in (("cpu", None, 0), ("cuda", None, 1), ("cuda:0", 0.5, 0.5), ("opencl", None, 0)):
        given = lode.ray.search(Dataset(), ["he"], "text", device=device, num_cpus=2, num_gpus=asked, memory=7)
        assert (given["num_gpus"], given["num_cpus"], given["memory"]) == (gpus, 2, 7)
        plan, options = given["fn_constructor_args"][:2]
        assert options == {"device": device, "threads": 2}
        assert list(lode.Plan.loads(ray.get(plan)).patterns) == [b"he"]


def test_what_is_refused_at_once():
    dataset = ray.data.from_arrow(rows.table(3))
    with pytest.raises(lode.InvalidArgumentError, match="no action"):
        lode.ray.search(dataset, ["he"], "text", "count")
    with pytest.raises(lode.Error):
        lode.ray.search(dataset, ["he"], "text", searcher_options={"algorithm": "magic"})


class Dying(lode.ray.BatchSearch):
    """Kills its process in its third batch, unless another process has died already."""

    folder = ""

    def __init__(self, *arguments) -> None:
        super().__init__(*arguments)
        self.batches = 0

    def __call__(self, batch):
        rows.note_process(self.folder)
        self.batches += 1
        if self.batches == 3 and rows.first_to_come(self.folder):
            rows.kill(os.getpid())
        time.sleep(0.02)
        return super().__call__(batch)


def test_an_actor_that_dies(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(Dying, "folder", str(tmp_path))
    monkeypatch.setattr(lode.ray, "BatchSearch", Dying)
    table = rows.table(2400)
    dataset = ray.data.from_arrow([table.slice(begin, 100) for begin in range(0, 2400, 100)])
    found = lode.ray.search(
        dataset, rows.patterns, "text", "matches", num_cpus=0.5, compute=ray.data.ActorPoolStrategy(size=2)
    )
    expected = TableSearch(lode.Searcher(rows.patterns), "text", "matches")(table)
    assert rows.in_order(collected(found)) == rows.in_order(expected)
    assert Path(tmp_path, "died").exists()
    assert rows.processes(tmp_path) >= 3  # there were two, and one that replaced the dead one
