"""Searches shards on a cluster of Ray or Spark: each task takes a shard.

Workers read the crawl and write into the folder of the run, so both must lie where all machines see them under one
path. If a worker dies, its shard is searched again elsewhere; since a shard's file is whole or absent, nothing is lost
or doubled.
"""

from __future__ import annotations

import dataclasses
import os
import pickle
from collections.abc import Callable, Sequence
from typing import Any

from lode_decontaminate.errors import Refusal
from lode_decontaminate.folders import RunFolder
from lode_decontaminate.hits import HitSearch
from lode_decontaminate.searching import Job, make_search, search_shards
from lode_decontaminate.shards import Shard

_kept: dict[bytes, tuple[Job, HitSearch]] = {}  # this worker process's last job, by its name


def search_on(engine: str, job: Job, shards: Sequence[Shard]) -> None:
    """Searches shards on a cluster. Raises Refusal if one cannot be read, or the cluster's package is missing."""
    if not shards:
        return
    folder = RunFolder(os.path.abspath(job.folder.path))
    away = dataclasses.replace(job, folder=folder, settings=job.settings._replace(threads=1))
    there = [shard._replace(path=os.path.abspath(shard.path)) for shard in shards]
    try:
        refusals = _engines[engine](pickle.dumps(away), there)
    except ModuleNotFoundError as error:
        raise Refusal(f"--on {engine} needs a package that the extra `{engine}` brings: {error.name}") from error
    for refusal in refusals:
        if refusal is not None:
            raise Refusal(refusal)


def _on_ray(job: bytes, shards: Sequence[Shard]) -> list[str | None]:
    import ray

    if not ray.is_initialized():
        ray.init()
    held, name = ray.put(job), os.urandom(16)
    task = ray.remote(num_cpus=1, max_retries=-1)(_search)
    found: list[str | None] = ray.get([task.remote(name, held, shard) for shard in shards])
    return found


def _on_spark(job: bytes, shards: Sequence[Shard]) -> list[str | None]:
    from pyspark.sql import SparkSession

    context = SparkSession.builder.getOrCreate().sparkContext
    held, name = context.broadcast(job), os.urandom(16)
    found: list[str | None] = (
        context.parallelize(shards, len(shards)).map(lambda shard: _search(name, held.value, shard)).collect()
    )
    return found


_engines: dict[str, Callable[[bytes, Sequence[Shard]], list[str | None]]] = {"ray": _on_ray, "spark": _on_spark}
engines = tuple(_engines)


def _search(name: bytes, job: bytes, shard: Any) -> str | None:
    """Searches a shard in a worker, and gives why that was refused: an exception would come back as a long text."""
    if name not in _kept:
        made: Job = pickle.loads(job)
        _kept.clear()
        _kept[name] = (made, make_search(made))
    held, search = _kept[name]
    try:
        search_shards(held, [Shard(*shard)], search)
    except Refusal as refusal:
        return str(refusal)
    return None
