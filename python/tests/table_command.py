"""Calls lode-table in tests."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import lode_table as table_package
from lode._table_command.options import parse
from lode._table_command.run import run

command = Path(sys.executable).with_name("lode-table")
# A process that has loaded what the command loads is forked for each call, because loading takes longer than most tests.
loaded = multiprocessing.get_context("forkserver")
loaded.set_forkserver_preload(["lode._table_command.run", "table_command"])


def search(*arguments: str) -> bool:
    return run(parse(["patterns", *arguments]))


def lode_table(*arguments: str, input: bytes = b"") -> subprocess.CompletedProcess:
    """Runs the command in a process that need not load it first."""
    with tempfile.TemporaryDirectory() as room:
        streams = [Path(room, name) for name in ("input", "output", "messages")]
        for stream, content in zip(streams, (input, b"", b"")):
            stream.write_bytes(content)
        process = loaded.Process(target=be_lode_table, args=(arguments, streams, os.getcwd(), dict(os.environ)))
        process.start()
        process.join(120)
        if process.exitcode is None:
            process.kill()
            raise subprocess.TimeoutExpired(arguments, 120)
        return subprocess.CompletedProcess(arguments, process.exitcode, *(path.read_bytes() for path in streams[1:]))


def be_lode_table(arguments: tuple[str, ...], streams: list[Path], folder: str, environment: dict[str, str]) -> None:
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for number, (stream, mode) in enumerate(zip(streams, (os.O_RDONLY, os.O_WRONLY, os.O_WRONLY))):
        os.dup2(os.open(stream, mode), number)
    sys.stdin = open(0, closefd=False)
    sys.argv = ["lode-table", *arguments]
    table_package.main()


def message(done: subprocess.CompletedProcess) -> str:
    assert done.returncode == 2 and done.stdout == b""
    said = done.stderr.decode()
    assert said.startswith("lode-table: ") and said.count("\n") == 1, said
    return said
