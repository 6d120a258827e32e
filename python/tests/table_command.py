"""Calls lode-table in tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from lode._table_command.options import parse
from lode._table_command.run import run

command = Path(sys.executable).with_name("lode-table")


def search(*arguments: str) -> bool:
    return run(parse(["patterns", *arguments]))


def lode_table(*arguments: str, **options) -> subprocess.CompletedProcess:
    return subprocess.run([command, *arguments], capture_output=True, timeout=120, **options)


def message(done: subprocess.CompletedProcess) -> str:
    assert done.returncode == 2 and done.stdout == b""
    said = done.stderr.decode()
    assert said.startswith("lode-table: ") and said.count("\n") == 1, said
    return said
