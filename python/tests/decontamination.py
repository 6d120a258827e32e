"""What the tests of lode-decontaminate share: an oracle in plain Python, calls of the command, files of all kinds."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import re
import subprocess
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

import lode
import lode_decontaminate as ld
from lode_decontaminate.chores import chores
from lode_decontaminate.options import parse

command = Path(sys.executable).with_name("lode-decontaminate")


def run_command(*arguments: Any, **options: Any) -> subprocess.CompletedProcess:
    return subprocess.run([command, *map(str, arguments)], capture_output=True, text=True, timeout=120, **options)


def run(*arguments: Any, input: str = "") -> subprocess.CompletedProcess:
    """What the command does, without another process, whose start would take most of the time."""
    output, messages = io.StringIO(), io.StringIO()
    given, sys.stdin = sys.stdin, io.StringIO(input)
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(messages):
            options = parse([str(argument) for argument in arguments])
            code = 0 if chores[options.chore](options, lambda told: tell(messages, told)) else 1
    except (ld.Refusal, lode.Error) as error:
        code = 2
        tell(messages, error)
    except SystemExit as end:
        code = int(end.code or 0)
    finally:
        sys.stdin = given
    return subprocess.CompletedProcess(arguments, code, output.getvalue(), messages.getvalue())


def tell(file: io.StringIO, message: object) -> None:
    print(f"lode-decontaminate: {message}", file=file)


def refusal(*arguments: Any) -> str:
    """What the command says when it refuses: one line, and the exit code 2."""
    done = run(*arguments)
    assert done.returncode == 2 and done.stdout == "", done
    assert done.stderr.startswith("lode-decontaminate: ") and done.stderr.count("\n") == 1, done.stderr
    return done.stderr


def words_of(text: str) -> list[str]:
    """The words of a text as the view `words` shows them, by Python's own tables of Unicode."""
    text = unicodedata.normalize("NFKC", text)
    text = re.sub("[\u00ad\u034f\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f\ufeff]", "", text)
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text.casefold()).casefold())
    text = "".join(" " if unicodedata.category(sign).startswith("P") else sign for sign in text)
    return text.split()


def overlap_of(document: str, question: str, n: int, least_words: int) -> tuple[int, int] | None:
    """How many places of n-grams a document has of a question, and the longest run of words; None if it has none."""
    there, wanted = words_of(document), words_of(question)
    n = min(n, len(wanted))
    if len(wanted) < least_words:
        return None
    grams = {tuple(there[at : at + n]) for at in range(len(there) - n + 1)}
    found = sum(tuple(wanted[at : at + n]) in grams for at in range(len(wanted) - n + 1))
    longest = 0
    lengths = [0] * (len(wanted) + 1)
    for word in there:
        lengths = [0, *(lengths[at] + 1 if wanted[at] == word else 0 for at in range(len(wanted)))]
        longest = max(longest, *lengths)
    return (found, longest) if found else None


def write_rows(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    """Writes rows in the format and the compression that the name shows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    suffixes = path.suffixes
    if suffixes[-1] == ".parquet":
        pa.parquet.write_table(pa.Table.from_pylist(list(rows)), path, compression="zstd", row_group_size=3)
    elif suffixes[-1] == ".arrow":
        pa.feather.write_feather(pa.Table.from_pylist(list(rows)), path, compression="lz4", chunksize=3)
    elif suffixes[-1] == ".arrows":
        table = pa.Table.from_pylist(list(rows))
        with pa.ipc.new_stream(path, table.schema) as writer:
            writer.write_table(table, max_chunksize=3)
    else:
        lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
        path.write_bytes(packed(lines, suffixes[-1]))


def packed(data: bytes, suffix: str) -> bytes:
    if suffix == ".gz":
        return gzip.compress(data)
    if suffix == ".zst":
        return bytes(pa.compress(data, "zstd", asbytes=True))
    return data


def unpacked(path: Path) -> bytes:
    with pa.input_stream(str(path), compression="detect") as stream:
        return bytes(stream.read())


def read_rows(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".parquet":
        return pa.parquet.read_table(path).to_pylist()
    if path.suffix == ".arrow":
        return pa.feather.read_table(path).to_pylist()
    if path.suffix == ".arrows":
        return pa.ipc.open_stream(path).read_all().to_pylist()
    return [json.loads(line) for line in unpacked(path).splitlines()]


def hits_of(folder: Path, shard: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in (folder / "hits" / f"{shard}.jsonl").read_text().splitlines()]
    return [line for line in lines if "row" in line]


def report_of(folder: Path, type: str) -> list[dict[str, Any]]:
    lines: Iterable[dict] = map(json.loads, (folder / "report.jsonl").read_text().splitlines())
    return [line for line in lines if line["type"] == type]
