"""The command `lode-table`, which the package `lode_table` calls."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

from lode._commands import Say, run_command
from lode._table_command.options import parse


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command. Gives 0 if some row matched, 1 if none did, 2 after an error; signals end the process."""
    saves_memory = "a smaller --batch-rows or --block-bytes may help"
    return run_command("lode-table", lambda: parse(arguments), _load, saves_memory)


def _load() -> Callable[[argparse.Namespace, Say], bool]:
    from lode._table_command.run import run

    return run
