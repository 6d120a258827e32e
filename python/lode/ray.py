"""Searches of a column of a Ray dataset, by actors that get the plan once each.

Needs ray[data] and pyarrow, the extra `ray`, on every node.

    import lode.ray, ray

    rows = ray.data.read_parquet("s3://crawl/")
    clean = lode.ray.search(rows, ["kitty", "puppy"], "text", "exclude")
    clean.write_parquet("s3://clean/")

The patterns are compiled by the caller, and the plan goes into the object store as one blob, from which every actor
makes its searcher. An actor or a node that dies is Ray's to replace: its batches are searched again by another one, and
no row is lost or doubled.
"""

from __future__ import annotations

from typing import Any

import ray
import ray.data

from lode._lode import Plan
from lode._searcher import Searcher, plan_of
from lode.tables import Action, TableSearch


class BatchSearch:
    """What an actor is: called with batches (pyarrow.Table), as `TableSearch` is."""

    def __init__(self, plan: Any, options: dict[str, Any], column: str, action: Action, name: str | None) -> None:
        searcher = Searcher(Plan.loads(ray.get(plan)), **options)
        searcher.prepare(texts=action == "matches", records=action != "matches")
        self._search = TableSearch(searcher, column, action, name=name)

    def __call__(self, batch: Any) -> Any:
        return self._search(batch)


def search(
    dataset: Any,
    patterns: Any,
    column: str,
    action: Action = "flag",
    *,
    name: str | None = None,
    device: str = "cpu",
    searcher_options: dict[str, Any] | None = None,
    num_cpus: float = 1,
    num_gpus: float | None = None,
    batch_size: int | None = None,
    **arguments: Any,
) -> Any:
    """A dataset with what a search of a column found, lazily, as Ray Data has it.

    dataset              a ray.data.Dataset
    patterns             a Plan, a PatternSet, or a list of bytes or str
    column, action,      as `lode.tables.TableSearch` takes them
      name
    device               of each actor: 'cpu', or 'cuda', which takes one GPU for each actor
    searcher_options     further arguments of `lode.Searcher`: ignore_case, condition, algorithm, threads …; threads is
                         num_cpus unless it is given
    num_cpus, num_gpus   that Ray reserves for each actor; num_gpus is 1 for 'cuda', else 0
    batch_size           rows searched at a time; None: a block
    arguments            further ones of Dataset.map_batches: compute (a ray.data.ActorPoolStrategy with the number of
                         actors, by default as many as fit), memory, runtime_env …

    The order of rows is Ray's: that of the dataset where the execution option preserve_order is set. Raises as
    `lode.compile` and `TableSearch` do, for columns when the dataset is executed.
    """
    if not isinstance(device, str):
        raise TypeError(f"the device that actors open is named by a str, not {type(device).__name__}")
    options = dict(searcher_options or {})
    plan = plan_of(patterns, options.pop("ignore_case", False))
    options.setdefault("threads", max(1, int(num_cpus)))
    options["device"] = device
    if num_gpus is None:
        num_gpus = 1 if device.partition(":")[0] == "cuda" else 0
    # What the actors would refuse is refused here, before any of them starts; the device is theirs.
    TableSearch(Searcher(plan, **{**options, "device": "cpu"}), column, action, name=name)
    return dataset.map_batches(
        BatchSearch,
        fn_constructor_args=(ray.put(plan.dumps()), options, column, action, name),
        batch_format="pyarrow",
        batch_size=batch_size,
        num_cpus=num_cpus,
        num_gpus=num_gpus,
        **arguments,
    )
