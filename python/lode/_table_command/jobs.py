"""Decides which tables are searched, and where each is written."""

from __future__ import annotations

import argparse
import glob
import os
from collections.abc import Callable, Sequence
from typing import NamedTuple

from lode._table_command.discovery import files_of, is_within, told_left_out
from lode._table_command.errors import Refusal
from lode._table_command.formats import compression_of, endings, format_of


class Job(NamedTuple):
    """A table to be searched, and the file that is written."""

    table: str
    in_format: str
    out: str
    out_format: str
    makes_folder: bool = False
    """Whether the output's folder is made if it is not there."""


def jobs_of(options: argparse.Namespace, tell: Callable[[str], None]) -> list[Job]:
    """One job if a file is written, else one for each table, in the order of the paths and then of names.

    Raises Refusal if no table is there, two would have one name, or one would be written over.
    """
    tables: Sequence[str] = options.tables
    if "-" in tables and (options.patterns == "-" or len(tables) > 1):
        raise Refusal("standard input can be only one of PATTERNS and TABLE")
    out: str = options.out
    is_folder = out.endswith("/") or (out != "-" and os.path.isdir(out))
    if len(tables) == 1 and not is_folder and not _names_several(tables[0]):
        in_format = format_of(tables[0], options.in_format, "--in-format")
        return [Job(tables[0], in_format, out, format_of(out, options.out_format, "--out-format"))]
    if not is_folder:
        raise Refusal(f"{out}: several tables need a folder; let --out be one, or end in /")
    if "-" in tables:
        raise Refusal(f"{out}: standard input has no name that a file in a folder could have; name the file")
    return _jobs_in(out, options, tell)


def _names_several(path: str) -> bool:
    return os.path.isdir(path) or (not os.path.exists(path) and glob.has_magic(path))


def _jobs_in(folder: str, options: argparse.Namespace, tell: Callable[[str], None]) -> list[Job]:
    files = files_of(options.tables, endings if options.in_format is None else _Every(options.in_format))
    # A folder that is searched may hold what an earlier call wrote.
    is_own = is_within if os.path.isdir(folder) else lambda path, folder: False
    found = [file for file in files.found if file.path in options.tables or not is_own(file.path, folder)]
    if not found:
        raise Refusal(f"{folder}: all tables lie within it; choose another --out")
    left_out = [path for path in files.left_out if not is_own(path, folder)]
    if left_out:
        tell(told_left_out(left_out))
    inputs = {os.path.realpath(file.path): file.path for file in found}
    jobs: dict[str, Job] = {}
    for file in found:
        name, out_format = _name_in(file.name, file.format, options.out_format)
        out = os.path.join(folder, name)
        if os.path.realpath(out) in inputs:
            raise Refusal(f"{out}: it is one of the tables; choose another --out")
        other = jobs.setdefault(out, Job(file.path, file.format, out, out_format, True))
        if other.table != file.path:
            raise Refusal(f"{out}: both {other.table} and {file.path} would be written there")
    return list(jobs.values())


class _Every(dict[str, str]):
    """One format for every end of a name, as --in-format says."""

    def __init__(self, format: str) -> None:
        super().__init__(dict.fromkeys(endings, format))
        self._format = format

    def get(self, key: str, default: str | None = None) -> str:  # type: ignore[override]
        return self._format


def _name_in(name: str, in_format: str, out_format: str | None) -> tuple[str, str]:
    """The name of an output, which ends as its format needs, and the format."""
    if out_format is None or out_format == in_format:
        return name, in_format
    stem = name if compression_of(name) is None else os.path.splitext(name)[0]
    ending = next(ending for ending, format in endings.items() if format == out_format)
    return os.path.splitext(stem)[0] + ending, out_format
