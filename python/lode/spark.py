"""Searches of a column of a Spark data frame, by Python workers that keep the searcher from task to task.

Needs pyspark and pyarrow, the extra `spark`, where the driver and the executors run.

    import lode.spark

    rows = spark.read.parquet("s3://crawl/")
    lode.spark.search(rows, ["kitty", "puppy"], "text", "exclude").write.parquet("s3://clean/")

The patterns are compiled by the driver, and the plan is broadcast as one blob. A task that fails, with its worker or
its node, is Spark's to run again; no row is lost or doubled.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

from lode._lode import Plan
from lode._searcher import Searcher, plan_of
from lode.tables import Action, TableSearch

_most_kept = 4
_kept: dict[Any, Searcher] = {}  # of a worker process, by plan and options; those used last are at the end


def search(
    frame: Any,
    patterns: Any,
    column: str,
    action: Action = "flag",
    *,
    name: str | None = None,
    device: str = "cpu",
    searcher_options: dict[str, Any] | None = None,
) -> Any:
    """A data frame with what a search of a column found, lazily, as Spark has it.

    frame                a pyspark.sql.DataFrame of a classic session (Spark Connect has no broadcasts)
    patterns             a Plan, a PatternSet, or a list of bytes or str
    column, action,      as `lode.tables.TableSearch` takes them; the column is of StringType or BinaryType
      name
    device               of each worker: 'cpu' or 'cuda' …
    searcher_options     further arguments of `lode.Searcher`: ignore_case, condition, algorithm, threads …; threads is 1
                         unless it is given, as Spark runs a task for each core

    Workers search spark.sql.execution.arrow.maxRecordsPerBatch rows at a time; of short rows a number larger than the
    default of 10 000 is faster. Raises as `lode.compile` and `TableSearch` do.
    """
    if not isinstance(device, str):
        raise TypeError(f"the device that workers open is named by a str, not {type(device).__name__}")
    options = dict(searcher_options or {})
    plan = plan_of(patterns, options.pop("ignore_case", False))
    options.setdefault("threads", 1)
    options["device"] = device
    # What the workers would refuse is refused here; the device is theirs.
    local = TableSearch(Searcher(plan, **{**options, "device": "cpu"}), column, action, name=name)
    schema = from_arrow_schema(local.schema(to_arrow_schema(frame.schema)))
    blob = plan.dumps()
    broadcast = frame.sparkSession.sparkContext.broadcast(blob)
    key = (hashlib.sha256(blob).digest(), tuple(sorted(options.items())))

    def of_partition(batches: Iterator[Any]) -> Iterator[Any]:
        found = TableSearch(_searcher(key, broadcast, options), column, action, name=name)
        return map(found, batches)

    return frame.mapInArrow(of_partition, schema)


def _searcher(key: Any, broadcast: Any, options: dict[str, Any]) -> Searcher:
    searcher = _kept.pop(key, None)
    if searcher is None:
        searcher = Searcher(Plan.loads(broadcast.value), **options)
        if len(_kept) >= _most_kept:
            del _kept[next(iter(_kept))]
    _kept[key] = searcher
    return searcher
