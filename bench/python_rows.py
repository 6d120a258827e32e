#!/usr/bin/env python3
"""Measures the Python package: over Arrow columns, beside what its own C++ call took, and against packages of PyPI.

    ./dev bench-python [--output FILE] [options]

Rows of the result, each for two sets of patterns of the shipped text's language, phrases (rare) and words (frequent):

  arrow   a whole column counted with all threads: the call from Python, as a share of what the C++ call within took
  peers   one core: Lode, pyahocorasick and ahocorasick-rs count all occurrences, Lode and polars flag rows
  short   one core: rows of 20 bytes flagged
  databases   one core: Lode within DuckDB, polars and pandas beside their own functions; see database_rows.py
  decontaminate   one core: a crawl of JSON Lines against the n-grams of a benchmark; see decontamination_rows.py

Texts are verses drawn with one seed, patterns drawn with another; each row ends in LF, which no pattern has, so that who
searches the whole column at once finds what rows have. Counts are compared before anything is timed; slow packages get a
piece of the column. All programs of a row run once, then all a second time; ratios are taken within a repetition, and
medians of them are shown.
"""

import argparse
import json
import os
import random
import statistics
import sys
import time
from pathlib import Path

os.environ["POLARS_MAX_THREADS"] = "1"  # read when polars is loaded
root = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.dont_write_bytecode = True

import machine  # noqa: E402
import numpy as np  # noqa: E402
import pyarrow as pa  # noqa: E402
from database_rows import database_rows  # noqa: E402
from decontamination_rows import decontamination_rows  # noqa: E402
from python_peers import PEERS, version_of  # noqa: E402

import lode  # noqa: E402

AIMS = {
    "of the C++ call": 0.9,
    "pyahocorasick": 10,
    "ahocorasick-rs": 10,
    "polars": 5,
    "duckdb, regexp": 5,
    "duckdb, contains": 5,
    "pandas": 5,
    "python": 20,
    "GB/s": 1,
    "GB/s of JSON Lines": 0.3,
}


def pattern_sets(count):
    chance = random.Random(2)
    phrases = (root / "examples/data/phrases.txt").read_text().splitlines()
    words = sorted({word for phrase in phrases for word in phrase.split() if len(word) >= 5 and word.isalpha()})
    sets = {"phrases": phrases, "words": words}
    return {name: chance.sample(all_of, min(count, len(all_of))) for name, all_of in sets.items()}


def column_of(size_bytes, row_bytes=None):
    """Verses, or pieces of them of one length, each with LF at its end."""
    verses = (root / "examples/data/text.txt").read_bytes().splitlines(keepends=True)
    drawn = np.random.default_rng(1).integers(len(verses), size=size_bytes // (sum(map(len, verses)) // len(verses)))
    data = b"".join([verses[number] for number in drawn])
    if row_bytes is None:
        ends = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n")) + 1
    else:
        pieces = np.frombuffer(data[: len(data) // row_bytes * row_bytes], np.uint8).reshape(-1, row_bytes).copy()
        pieces[:, -1] = ord("\n")
        data = pieces.tobytes()
        ends = np.arange(1, len(pieces) + 1) * row_bytes
    offsets = np.concatenate(([0], ends)).astype(np.int64)
    return pa.LargeStringArray.from_buffers(len(ends), pa.py_buffer(offsets), pa.py_buffer(data))


def bytes_of(column):
    offsets = np.frombuffer(column.buffers()[1], np.int64)[column.offset : column.offset + len(column) + 1]
    return memoryview(column.buffers()[2]).cast("B")[int(offsets[0]) : int(offsets[-1])]


def piece_of(column, size_bytes):
    return column.slice(0, max(1, int(len(column) * min(1, size_bytes / len(bytes_of(column))))))


def timed(call):
    begin = time.perf_counter()
    result = call()
    return result, time.perf_counter() - begin


class Contest:
    """Programs that must agree, and then are timed in turn."""

    def __init__(self, name, repetitions):
        self.name, self.repetitions = name, repetitions
        self.programs = {}

    def add(self, name, size_bytes, run):
        """`run` gives what programs of this size must agree on."""
        self.programs[name] = (size_bytes, run)

    def measure(self):
        answers = {}
        for name, (size_bytes, run) in self.programs.items():
            answer = run()
            if answers.setdefault(size_bytes, answer) != answer:
                raise SystemExit(f"{self.name}: {name} gives {answer}, others {answers[size_bytes]}")
        seconds = {name: [] for name in self.programs}
        for _ in range(self.repetitions):
            for name, (_, run) in self.programs.items():
                seconds[name].append(timed(run)[1])
        rates = {name: [self.programs[name][0] / value for value in values] for name, values in seconds.items()}
        return {
            "row": self.name,
            "answers": {str(size): answer for size, answer in answers.items()},
            "bytes": {name: size for name, (size, _) in self.programs.items()},
            "gigabytes_per_second": {name: [rate / 1e9 for rate in values] for name, values in rates.items()},
        }


def arrow_row(name, patterns, column, repetitions):
    """The call from Python beside the time that the C++ call within it took by its own clock."""
    searcher = lode.Searcher(patterns, "cpu")
    searcher.prepare(texts=True, records=True)
    size = len(bytes_of(column))
    matches = searcher.count(column)
    if matches != searcher.count(bytes_of(column)):
        raise SystemExit(f"arrow, {name}: records and text disagree")
    shares, rates = [], []
    for _ in range(repetitions):
        stats = {}
        counted, seconds = timed(lambda: searcher.count(column, stats=stats))
        if counted != matches:
            raise SystemExit(f"arrow, {name}: {counted} matches, before {matches}")
        shares.append(stats["seconds"] / seconds)
        rates.append(size / seconds / 1e9)
    return {
        "row": f"arrow, {name}",
        "bytes": size,
        "matches": matches,
        "gigabytes_per_second": {"lode": rates},
        "of the C++ call": shares,
    }


def peer_rows(name, patterns, column, arguments):
    one = lode.Searcher(patterns, "cpu", threads=1)
    one.prepare(texts=True, records=True)
    piece = piece_of(column, arguments.peer_bytes)
    data = bytes_of(piece)
    counts = Contest(f"count, {name}", arguments.repetitions)
    counts.add("lode", len(data), lambda: one.count(piece))
    missing = {}
    for peer_name in ("pyahocorasick", "ahocorasick-rs"):
        if version_of(peer_name) is None:
            missing[peer_name] = "not installed"
            continue
        peer = PEERS[peer_name]([pattern.encode() for pattern in patterns], False)
        text = peer.prepare(data)
        counts.add(peer_name, len(data), lambda peer=peer, text=text: peer.count(text))
    flags = Contest(f"flag, {name}", arguments.repetitions)
    flags.add("lode", len(data), lambda: int(np.count_nonzero(one.contains(piece).values)))
    try:
        import polars

        series = polars.from_arrow(piece)
        flags.add("polars", len(data), lambda: int(series.str.contains_any(patterns).sum()))
    except ModuleNotFoundError:
        missing["polars"] = "not installed"
    return [{**contest.measure(), "not_run": missing} for contest in (counts, flags)]


def rows_in_databases(name, patterns, column, arguments):
    pieces = [piece_of(column, size) for size in (arguments.peer_bytes, arguments.database_bytes)]
    sized = [(piece, len(bytes_of(piece))) for piece in pieces]
    contests, missing = database_rows(name, patterns, sized, lambda row: Contest(row, arguments.repetitions))
    rows = [contest.measure() for contest in contests]
    for row in rows[-1:]:
        row["not_run"] = missing
    return rows


def short_row(name, patterns, column, repetitions):
    one = lode.Searcher(patterns, "cpu", threads=1)
    one.prepare(texts=False, records=True)
    contest = Contest(f"rows of 20 bytes, {name}", repetitions)
    contest.add("lode", len(bytes_of(column)), lambda: int(np.count_nonzero(one.contains(column).values)))
    return contest.measure()


def table_of(rows):
    """Rows for people: rates are medians, ratios medians of those of each repetition."""
    yield f"{'row':28} {'program':16} {'GB/s':>8}  {'lode is':>10}  aim"
    for row in rows:
        rates = row["gigabytes_per_second"]
        for name, values in rates.items():
            told, aim = "", ""
            if name in AIMS:
                ratio = statistics.median(ours / theirs for ours, theirs in zip(rates["lode"], values))
                told, aim = f"{ratio:.1f} x", f">= {AIMS[name]} x"
            elif name == "lode" and "of the C++ call" in row:
                told = f"{100 * statistics.median(row['of the C++ call']):.1f} % of C++"
                aim = f">= {100 * AIMS['of the C++ call']:.0f} %"
            elif name == "lode" and row["row"].startswith("rows of 20"):
                aim = f">= {AIMS['GB/s']} GB/s"
            elif name == "lode" and row["row"].startswith("decontaminate"):
                aim = f">= {AIMS['GB/s of JSON Lines']} GB/s"
            yield f"{row['row']:28} {name:16} {statistics.median(values):8.4f}  {told:>10}  {aim}"
        for name, reason in row.get("not_run", {}).items():
            yield f"{row['row']:28} {name:16} not run: {reason}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--column-bytes", type=int, default=1_000_000_000, help="of the column counted as a whole")
    parser.add_argument("--peer-bytes", type=int, default=32_000_000, help="of the piece that all packages search")
    parser.add_argument("--database-bytes", type=int, default=1_000_000, help="of the piece in DuckDB and pandas")
    parser.add_argument("--short-bytes", type=int, default=256_000_000, help="of the rows of 20 bytes")
    parser.add_argument("--crawl-bytes", type=int, default=400_000_000, help="of the texts of a crawl")
    parser.add_argument("--patterns", type=int, default=1000, help="of each set")
    parser.add_argument("--repetitions", type=int, default=5)
    choices = ["all", "databases", "decontamination"]
    parser.add_argument("--rows", choices=choices, default="all", help="which rows to measure")
    parser.add_argument("--output", help="a JSON file with every repetition")
    arguments = parser.parse_args()
    is_all = arguments.rows == "all"
    column = column_of(arguments.column_bytes if is_all else arguments.peer_bytes)
    short = column_of(arguments.short_bytes, 20) if is_all else None
    rows = []
    if arguments.rows != "databases":
        sample = (root / "examples/data/text.txt").read_text()
        sizes = (arguments.crawl_bytes, arguments.peer_bytes)
        rows += decontamination_rows(sample, *sizes, lambda row: Contest(row, arguments.repetitions))
    for name, patterns in () if arguments.rows == "decontamination" else pattern_sets(arguments.patterns).items():
        if is_all:
            rows.append(arrow_row(name, patterns, column, arguments.repetitions))
            rows += peer_rows(name, patterns, column, arguments)
            rows.append(short_row(name, patterns, short, arguments.repetitions))
        rows += rows_in_databases(name, patterns, column, arguments)
    print("\n".join(table_of(rows)))
    if arguments.output:
        packages = ("lode", "numpy", "pyarrow", "pyahocorasick", "ahocorasick-rs", "polars", "duckdb", "pandas")
        result = {
            "kind": "python",
            "command_line": sys.argv,
            "commit": machine.commit_of(root),
            "machine": {"processor": machine.processor_name(), "cores": os.cpu_count()},
            "versions": {package: version_of(package) for package in packages},
            "rows": rows,
        }
        Path(arguments.output).write_text(json.dumps(result, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
