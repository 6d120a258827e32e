"""Searches a column of a Spark data frame, with Python workers that keep the searcher from task to task.

The driver and the executors need pyspark and pyarrow, which the extra `spark` brings.

    import lode.spark

    rows = spark.read.parquet("s3://crawl/")
    lode.spark.search(rows, ["kitty", "puppy"], "text", "exclude").write.parquet("s3://clean/")

The driver compiles the patterns, and the plan is broadcast as one blob. If a task fails, with its worker or its node,
Spark runs it again; no row is lost or doubled.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

from lode._lode import Plan
from lode._searcher import Searcher, plan_of
from lode._rewriting import Replacement
from lode.tables import Action, TableSearch

_most_kept = 4
_kept: dict[Any, Searcher] = {}  # this worker process's searchers, by plan and options; the last used is at the end


def search(
    frame: Any,
    patterns: Any,
    column: str,
    action: Action = "flag",
    *,
    name: str | None = None,
    replacement: Replacement | None = None,
    mask: str | bytes | None = None,
    device: str = "cpu",
    searcher_options: dict[str, Any] | None = None,
) -> Any:
    """Searches a column, and gives a data frame with what was found. It is lazy, like all of Spark.

    frame                a pyspark.sql.DataFrame of a classic session (Spark Connect has no broadcasts)
    patterns             a Plan, a PatternSet, or a list of bytes or str
    column, action,      as `lode.tables.TableSearch` takes them; the column is of StringType or BinaryType
      name, replacement,
      mask
    device               the device of each worker: 'cpu' or 'cuda' …
    searcher_options     further arguments of `lode.Searcher`: ignore_case, view, forms, condition, threads …; threads is 1
                         unless it is given, because Spark runs a task for each core

    Workers search spark.sql.execution.arrow.maxRecordsPerBatch rows at a time. If rows are short, more than the default
    of 10 000 is faster. Raises the errors of `lode.compile` and `TableSearch`.
    """
    if not isinstance(device, str):
        raise TypeError(f"device must be a str, which every worker opens by itself, not {type(device).__name__}")
    options = dict(searcher_options or {})
    plan = plan_of(
        patterns,
        options.pop("ignore_case", False),
        view=options.pop("view", ""),
        forms=options.pop("forms", None),
    )
    options.setdefault("threads", 1)
    options["device"] = device
    # Wrong arguments are refused here, before a worker starts. The device is not tried: the driver may lack it.
    further: dict[str, Any] = {"name": name, "replacement": replacement, "mask": mask}
    local = TableSearch(Searcher(plan, **{**options, "device": "cpu"}), column, action, **further)
    schema = from_arrow_schema(local.schema(to_arrow_schema(frame.schema)))
    blob = plan.dumps()
    broadcast = frame.sparkSession.sparkContext.broadcast(blob)
    key = (hashlib.sha256(blob).digest(), tuple(sorted(options.items())))

    def of_partition(batches: Iterator[Any]) -> Iterator[Any]:
        found = TableSearch(_searcher(key, broadcast, options), column, action, **further)
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
