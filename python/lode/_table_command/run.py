"""The work of `lode-table`: it searches a table for patterns and writes another table."""

from __future__ import annotations

import argparse
import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import Any

import pyarrow as pa
import tqdm

from lode._errors import InvalidArgumentError
from lode._fields import leaf_column
from lode._lode import PatternSet, Plan, read_pattern_file
from lode._searcher import Searcher
from lode._table_command.errors import Refusal, blaming, guarded
from lode._table_command.jobs import Job, jobs_of
from lode._table_command.layouts import Layout
from lode._table_command.options import codecs
from lode._table_command.readers import Sizes, Source, open_lines, open_source
from lode._table_command.strings import checked
from lode._table_command.summary import Tally, write_summary
from lode._table_command.writers import BatchWriter, output_file
from lode.tables import TableSearch

__all__ = ["Refusal", "run"]

_codecs = {"parquet": tuple(codecs), "arrow": ("none", "lz4", "zstd"), "arrows": ("none", "lz4", "zstd")}


def run(options: argparse.Namespace, tell: Callable[[str], None] = lambda message: None) -> bool:
    """Searches and writes, and returns whether some row matched. Calls `tell` with the numbers of rows.

    Raises Refusal, lode.Error and BrokenPipeError.
    """
    jobs = jobs_of(options, tell)
    _check_summary(options.summary, jobs)
    if options.threads != 0:
        pa.set_cpu_count(options.threads)
    search = TableSearch(
        _searcher(options),
        options.column,
        options.action,
        name=options.name,
        replacement=_replacement(options),
        mask=options.mask,
    )
    tally = None if options.summary is None else Tally(search.searcher)
    facts = []
    for job in jobs:
        facts.append(_search_table(job, search, tally, options))
    if tally is not None:
        write_summary(options.summary, facts, tally)
    rows, matched, written = (sum(fact[key] for fact in facts) for key in ("rows", "matched", "written"))
    if not options.quiet:
        tables = "" if len(jobs) == 1 else f"{len(jobs)} tables: "
        tell(f"{tables}{rows} rows read, {matched} matched, {written} written")
    # With -v a row matches if no pattern occurs in it, but `matched` always counts the rows in which one occurs.
    return bool(rows - matched if options.action == "exclude" else matched)


def _check_summary(path: str | None, jobs: list[Job]) -> None:
    """Refuses a summary that would be written over a table, or among its bytes."""
    files = [file for job in jobs for file in (job.table, job.out)]
    if path == "-" and any(job.out == "-" for job in jobs):
        raise Refusal("--summary -: standard output is for the table; name a file")
    if path not in (None, "-") and os.path.realpath(path) in map(os.path.realpath, files):
        raise Refusal(f"--summary {path}: it is one of the tables; name another file")


def _search_table(
    job: Job, search: TableSearch, tally: Tally | None, options: argparse.Namespace
) -> dict[str, Any]:
    """Searches a table and writes another. Gives their names, and how many rows there were."""
    with ExitStack() as room:
        sizes = Sizes(options.batch_rows, options.block_bytes)
        in_format, out_format = job.in_format, job.out_format
        with blaming(job.table):
            # Lines stay as they are but for the numbers that are added to them.
            if in_format == out_format == "jsonl" and options.action != "replace":
                added = None if options.action in ("filter", "exclude") else search.name
                source = open_lines(job.table, options.column, added, sizes, room, may_be_empty=job.makes_folder)
                out_format = "lines"
            else:
                source = open_source(job.table, in_format, sizes, room)
        with _blaming_arguments(job.table):
            schema = search.schema(source.schema)
        with blaming(job.out):
            if job.makes_folder:
                os.makedirs(os.path.dirname(job.out), exist_ok=True)
            file = room.enter_context(output_file(job.out))
            layout = _layout(options, source.layout, job)
            writer = room.enter_context(BatchWriter(job.out, out_format, file, schema, layout))
        reading = _Counted(source.batches)
        source = source._replace(batches=iter(reading))
        if out_format != "csv":
            source = source._replace(batches=checked(source.batches, job.table))
        matching = _search_all(search, source, writer, tally, job)
        with blaming(job.out):
            room.close()
    matched = reading.rows - matching if options.action == "exclude" else matching
    return {
        "table": job.table,
        "out": job.out,
        "rows": reading.rows,
        "matched": matched,
        "written": writer.written_rows,
    }


@contextlib.contextmanager
def _blaming_arguments(path: str) -> Iterator[None]:
    """Names the table in errors of the library, which knows only its columns."""
    try:
        yield
    except InvalidArgumentError as error:
        raise Refusal(f"{path}: {error}") from error


class _Counted:
    """Yields batches, and counts the rows of those that were taken."""

    def __init__(self, batches: Iterable[pa.RecordBatch]) -> None:
        self._batches = batches
        self.rows = 0

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        for batch in self._batches:
            self.rows += batch.num_rows
            yield batch


def _layout(options: argparse.Namespace, given: Layout, job: Job) -> Layout:
    """The layout of the output: the input's if both have the same format, but options come first."""
    in_format, out_format = job.in_format, job.out_format
    layout = given if in_format == out_format or {in_format, out_format} == {"arrow", "arrows"} else Layout()
    if options.compression is not None:
        codec, level = options.compression
        if out_format not in _codecs:
            raise Refusal(f"{job.out}: --compression is for Parquet and Arrow")
        if codec not in _codecs[out_format]:
            raise Refusal(f"{job.out}: Arrow has no compression {codec}; it has: {' '.join(_codecs[out_format])}")
        layout = layout._replace(codec=codec, level=level)
    if options.row_group_rows is not None:
        if out_format != "parquet":
            raise Refusal(f"{job.out}: --row-group-rows is for Parquet")
        layout = layout._replace(group_rows=options.row_group_rows, is_firm=True)
    return layout


def _searcher(options: argparse.Namespace) -> Searcher:
    path = "/dev/stdin" if options.patterns == "-" else options.patterns
    patterns: Plan | PatternSet
    if options.pattern_format == "plan":
        patterns = Plan.load(path)
    else:
        patterns = read_pattern_file(
            path, options.pattern_format, options.ignore_case, options.crlf, "--crlf", options.forms
        )
    return Searcher(
        patterns,
        options.device,
        condition=options.condition,
        algorithm=options.algorithm,
        threads=options.threads,
        view=options.view,
    )


def _replacement(options: argparse.Namespace) -> str | list[bytes] | None:
    if options.replacements is None:
        text: str | None = options.replace
        return text
    with blaming(options.replacements), open(options.replacements, "rb") as file:
        lines = file.read().split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    return [line.removesuffix(b"\r") for line in lines] if options.crlf else lines


def _search_all(search: TableSearch, source: Source, writer: BatchWriter, tally: Tally | None, job: Job) -> int:
    matching = 0
    # The bar is shown only on a terminal, and only after the first second.
    with tqdm.tqdm(total=source.rows, unit="row", unit_scale=True, disable=None, delay=1, leave=False) as progress:
        for batch in guarded(source.batches, job.table):
            if tally is not None:
                tally.add(leaf_column(batch, search.column))
            table, rows = search.count_rows(pa.Table.from_batches([batch]))
            matching += rows
            with blaming(job.out):
                for part in table.to_batches():
                    writer.write(part)
            progress.update(batch.num_rows)
    return matching
