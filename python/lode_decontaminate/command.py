"""The command `lode-decontaminate`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

from lode_decontaminate.options import parse
from lode_table.commands import Say, run_command


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command. Gives 0 if something was found, 1 if nothing was, 2 after an error; signals end the process."""
    saves_memory = "a smaller --block-bytes or fewer --threads may help"
    return run_command("lode-decontaminate", lambda: parse(arguments), _load, saves_memory)


def _load() -> Callable[[argparse.Namespace, Say], bool]:
    from lode_decontaminate.chores import chores

    return lambda options, say: chores[options.chore](options, say)
