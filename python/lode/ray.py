"""Searches a column of a Ray dataset, with actors that each get the plan once.

Every node needs ray[data] and pyarrow, which the extra `ray` brings.

    import lode.ray, ray

    rows = ray.data.read_parquet("s3://crawl/")
    clean = lode.ray.search(rows, ["kitty", "puppy"], "text", "exclude")
    clean.write_parquet("s3://clean/")

The patterns are compiled by the caller, and the plan goes into the object store as one blob, from which every actor
makes its searcher. If an actor or a node dies, Ray replaces it: another one searches its batches again, and no row is
lost or doubled.
"""

from __future__ import annotations

from typing import Any

import ray
import ray.data

from lode._lode import Plan
from lode._searcher import Searcher, plan_of
from lode._rewriting import Replacement
from lode.tables import Action, TableSearch


class BatchSearch:
    """The class of an actor. It is called with batches (pyarrow.Table), as `TableSearch` is."""

    def __init__(
        self, plan: Any, options: dict[str, Any], column: str, action: Action, further: dict[str, Any]
    ) -> None:
        searcher = Searcher(Plan.loads(ray.get(plan)), **options)
        searcher.prepare(texts=action == "matches", records=action != "matches")
        self._search = TableSearch(searcher, column, action, **further)

    def __call__(self, batch: Any) -> Any:
        return self._search(batch)


def search(
    dataset: Any,
    patterns: Any,
    column: str,
    action: Action = "flag",
    *,
    name: str | None = None,
    replacement: Replacement | None = None,
    mask: str | bytes | None = None,
    device: str = "cpu",
    searcher_options: dict[str, Any] | None = None,
    num_cpus: float = 1,
    num_gpus: float | None = None,
    batch_size: int | None = None,
    **arguments: Any,
) -> Any:
    """Searches a column, and gives a dataset with what was found. It is lazy, like all of Ray Data.

    dataset              a ray.data.Dataset
    patterns             a Plan, a PatternSet, or a list of bytes or str
    column, action,      as `lode.tables.TableSearch` takes them
      name, replacement,
      mask
    device               the device of each actor: 'cpu', or 'cuda', which takes one GPU for each actor
    searcher_options     further arguments of `lode.Searcher`: ignore_case, view, forms, condition, threads …; threads is
                         num_cpus unless it is given
    num_cpus, num_gpus   how many Ray reserves for each actor; num_gpus is 1 for 'cuda', else 0
    batch_size           how many rows are searched at a time; None means a block
    arguments            further arguments of Dataset.map_batches: compute (a ray.data.ActorPoolStrategy with the number
                         of actors, by default as many as fit), memory, runtime_env …

    Ray decides the order of rows: it is that of the dataset if the execution option preserve_order is set. Raises the
    errors of `lode.compile` and `TableSearch`; those for columns come when the dataset is executed.
    """
    if not isinstance(device, str):
        raise TypeError(f"device must be a str, which every actor opens by itself, not {type(device).__name__}")
    options = dict(searcher_options or {})
    plan = plan_of(
        patterns,
        options.pop("ignore_case", False),
        view=options.pop("view", ""),
        forms=options.pop("forms", None),
    )
    options.setdefault("threads", max(1, int(num_cpus)))
    options["device"] = device
    if num_gpus is None:
        num_gpus = 1 if device.partition(":")[0] == "cuda" else 0
    # Wrong arguments are refused here, before an actor starts. The device is not tried: this node may lack it.
    further: dict[str, Any] = {"name": name, "replacement": replacement, "mask": mask}
    TableSearch(Searcher(plan, **{**options, "device": "cpu"}), column, action, **further)
    return dataset.map_batches(
        BatchSearch,
        fn_constructor_args=(ray.put(plan.dumps()), options, column, action, further),
        batch_format="pyarrow",
        batch_size=batch_size,
        num_cpus=num_cpus,
        num_gpus=num_gpus,
        **arguments,
    )
