"""Finds documents of a crawl that quote benchmarks, reports them, and makes a crawl without them: `lode-decontaminate`.

>>> import lode_decontaminate as ld
>>> items = [ld.Item("quiz", "q1", (("question", "How many eggs do the three ducks of Janet lay each day?"),))]
>>> hits = ld.find_in_column(["Q: how many eggs do the three ducks of Janet lay each day"], items)
>>> [(hit["row"], hit["id"], hit["share"], hit["longest"]) for hit in hits]
[(0, 'q1', 1.0, 12)]

It needs pyarrow and tqdm, which the extra `table` brings. They are loaded when a name is used, so that the command can
set up its handling of Ctrl-C first.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lode_decontaminate.benchmarks import Fields, Item, read_benchmark
    from lode_decontaminate.deciding import Decision, decide
    from lode_decontaminate.errors import Refusal
    from lode_decontaminate.finding import Found, find
    from lode_decontaminate.folders import RunFolder
    from lode_decontaminate.hits import find_in_column
    from lode_decontaminate.purifying import Purified, purify
    from lode_decontaminate.removing import Removal
    from lode_decontaminate.reports import Report, write_report
    from lode_decontaminate.settings import Settings

_homes = {
    "Decision": "deciding",
    "Fields": "benchmarks",
    "Found": "finding",
    "Item": "benchmarks",
    "Purified": "purifying",
    "Refusal": "errors",
    "Removal": "removing",
    "Report": "reports",
    "RunFolder": "folders",
    "Settings": "settings",
    "decide": "deciding",
    "find": "finding",
    "find_in_column": "hits",
    "purify": "purifying",
    "read_benchmark": "benchmarks",
    "write_report": "reports",
}

__all__ = [
    "Decision",
    "Fields",
    "Found",
    "Item",
    "Purified",
    "Refusal",
    "Removal",
    "Report",
    "RunFolder",
    "Settings",
    "decide",
    "find",
    "find_in_column",
    "main",
    "purify",
    "read_benchmark",
    "write_report",
]


def __getattr__(name: str) -> Any:
    if name not in _homes:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_homes[name]}"), name)


def main() -> None:
    """Runs the command `lode-decontaminate`, and ends the process."""
    from lode_table import start

    def load() -> Any:
        from lode_decontaminate.command import main as command

        return command

    start("lode-decontaminate", load)
