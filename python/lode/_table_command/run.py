"""The work of `lode-table`: it searches a table for patterns and writes another table."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack

import pyarrow as pa
import tqdm

from lode._lode import PatternSet, Plan, read_pattern_file
from lode._searcher import Searcher
from lode._table_command.errors import Refusal, blaming, guarded
from lode._table_command.formats import format_of
from lode._table_command.layouts import Layout
from lode._table_command.options import codecs
from lode._table_command.readers import Sizes, Source, open_lines, open_source
from lode._table_command.strings import checked
from lode._table_command.writers import BatchWriter, output_file
from lode.tables import TableSearch

__all__ = ["Refusal", "run"]

_codecs = {"parquet": tuple(codecs), "arrow": ("none", "lz4", "zstd"), "arrows": ("none", "lz4", "zstd")}


def run(options: argparse.Namespace, tell: Callable[[str], None] = lambda message: None) -> bool:
    """Searches and writes, and returns whether some row matched. Calls `tell` with the numbers of rows.

    Raises Refusal, lode.Error and BrokenPipeError.
    """
    if options.patterns == "-" and options.table == "-":
        raise Refusal("only one of PATTERNS and TABLE can be standard input")
    in_format = format_of(options.table, options.in_format, "--in-format")
    out_format = format_of(options.out, options.out_format, "--out-format")
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
    with ExitStack() as room:
        sizes = Sizes(options.batch_rows, options.block_bytes)
        with blaming(options.table):
            # Lines stay as they are but for the numbers that are added to them.
            if in_format == out_format == "jsonl" and options.action != "replace":
                added = None if options.action in ("filter", "exclude") else search.name
                source = open_lines(options.table, options.column, added, sizes, room)
                out_format = "lines"
            else:
                source = open_source(options.table, in_format, sizes, room)
        schema = search.schema(source.schema)
        with blaming(options.out):
            file = room.enter_context(output_file(options.out))
            layout = _layout(options, source.layout, in_format, out_format)
            writer = room.enter_context(BatchWriter(options.out, out_format, file, schema, layout))
        reading = _Counted(source.batches)
        source = source._replace(batches=iter(reading))
        if out_format != "csv":
            source = source._replace(batches=checked(source.batches, options.table))
        matching = _search_all(search, source, writer, options)
        with blaming(options.out):
            room.close()
    # With -v `matching` counts the rows without a pattern, but `matched` always counts the rows in which one occurs.
    matched = reading.rows - matching if options.action == "exclude" else matching
    if not options.quiet:
        tell(f"{reading.rows} rows read, {matched} matched, {writer.written_rows} written")
    return matching != 0


class _Counted:
    """Yields batches, and counts the rows of those that were taken."""

    def __init__(self, batches: Iterable[pa.RecordBatch]) -> None:
        self._batches = batches
        self.rows = 0

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        for batch in self._batches:
            self.rows += batch.num_rows
            yield batch


def _layout(options: argparse.Namespace, given: Layout, in_format: str, out_format: str) -> Layout:
    """The layout of the output: the input's if both have the same format, but options come first."""
    layout = given if in_format == out_format or {in_format, out_format} == {"arrow", "arrows"} else Layout()
    if options.compression is not None:
        codec, level = options.compression
        if out_format not in _codecs:
            raise Refusal(f"{options.out}: --compression is for Parquet and Arrow")
        if codec not in _codecs[out_format]:
            raise Refusal(f"{options.out}: Arrow has no compression {codec}; it has: {' '.join(_codecs[out_format])}")
        layout = layout._replace(codec=codec, level=level)
    if options.row_group_rows is not None:
        if out_format != "parquet":
            raise Refusal(f"{options.out}: --row-group-rows is for Parquet")
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


def _search_all(search: TableSearch, source: Source, writer: BatchWriter, options: argparse.Namespace) -> int:
    matching = 0
    # The bar is shown only on a terminal, and only after the first second.
    with tqdm.tqdm(total=source.rows, unit="row", unit_scale=True, disable=None, delay=1, leave=False) as progress:
        for batch in guarded(source.batches, options.table):
            table, rows = search.count_rows(pa.Table.from_batches([batch]))
            matching += rows
            with blaming(options.out):
                for part in table.to_batches():
                    writer.write(part)
            progress.update(batch.num_rows)
    return matching
