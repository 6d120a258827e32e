"""The folder of a run: what was searched for, and what was found in each shard.

run.json         the settings, and what each benchmark has
items.jsonl      the items, a line each
common.jsonl     the n-grams that were left out, and why
crawl.json       the shards of the last search, finished or not, and the longest line that any search allowed
decision.json    the decision of the last report
hits/NAME.jsonl  what was found in the shard NAME, a line for each document and item; the last line is about the shard
report.jsonl, report.html
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, NamedTuple

from lode_decontaminate.deciding import Decision, decide
from lode_decontaminate.errors import Refusal, blaming
from lode_decontaminate.numerals import counted
from lode_decontaminate.shards import Shard
from lode_table.files import rename, temporary_file

_tail_bytes = 1 << 16
_shard_facts = ("name", "size_bytes", "changed_ns")


class Gap(NamedTuple):
    """How many shards of a crawl were not searched, because the search was ended."""

    unsearched: int
    shards: int

    def __str__(self) -> str:
        return f"the search has not come to {self.unsearched} of {counted(self.shards, 'shard')}; run `find` again"


class RunFolder:
    """The files of a run. Each of them is whole or absent."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)

    def file(self, name: str) -> str:
        """The path of a file of the run."""
        return os.path.join(self.path, name)

    def hits_file(self, shard_name: str) -> str:
        """The path of the file with what was found in a shard."""
        return self.file(os.path.join("hits", f"{shard_name}.jsonl"))

    def settings(self) -> dict[str, Any] | None:
        """What run.json holds; None if there is no run here."""
        return _held(self.file("run.json"))

    def require_settings(self) -> dict[str, Any]:
        """What run.json holds. Raises Refusal if there is no run here."""
        settings = self.settings()
        if settings is None:
            raise Refusal(f"{self.path}: there is no run; `lode-decontaminate find --out {self.path}` makes one")
        if not os.path.exists(self.file("crawl.json")):
            raise Refusal(f"{self.path}: it was made by another version; choose another --out, and run `find` again")
        return settings

    def items(self) -> list[dict[str, Any]]:
        """The items that were searched for, in the order of their numbers."""
        return list(read_lines(self.file("items.jsonl")))

    def crawl(self) -> dict[str, Any]:
        """What crawl.json holds: `shards`, each with name, size_bytes and changed_ns, and `block_bytes`."""
        return _held(self.file("crawl.json")) or {"shards": [], "block_bytes": 1}

    def keep_crawl(self, shards: Iterable[Shard], block_bytes: int) -> None:
        """Notes which shards a search is about to search."""
        rows = [{name: getattr(shard, name) for name in _shard_facts} for shard in shards]
        most = max(block_bytes, self.crawl()["block_bytes"])
        with whole_file(self.file("crawl.json")) as file:
            file.write(line_of({"block_bytes": most, "shards": rows}))

    def shards(self) -> list[dict[str, Any]]:
        """What is known of each finished shard of the last search, by name."""
        wanted = {tuple(row[name] for name in _shard_facts) for row in self.crawl()["shards"]}
        return [footer for footer in self.searched() if tuple(footer[name] for name in _shard_facts) in wanted]

    def gap(self, shards: Sequence[Mapping[str, Any]]) -> Gap:
        """How much of the last search is missing, if these are its finished shards."""
        wanted = len(self.crawl()["shards"])
        return Gap(wanted - len(shards), wanted)

    def decision(self) -> Decision:
        """The decision of the last report; the usual one if there is none."""
        held = _held(self.file("decision.json"))
        return Decision() if held is None else decide(held["by"], held["threshold"])

    def keep_decision(self, decision: Decision) -> None:
        """Keeps the decision of a report."""
        with whole_file(self.file("decision.json")) as file:
            file.write(line_of(decision._asdict()))

    def searched(self) -> list[dict[str, Any]]:
        """What is known of each shard that any search has finished, by name."""
        made = []
        for folder, folders, files in os.walk(self.file("hits")):
            folders.sort()
            for name in sorted(files):
                if name.endswith(".jsonl"):
                    footer = _footer(os.path.join(folder, name))
                    if footer is not None:
                        made.append(footer)
        return sorted(made, key=lambda footer: str(footer["name"]))

    def is_finished(self, shard: Shard) -> bool:
        """Whether a shard was searched, and is still what it was."""
        footer = _footer(self.hits_file(shard.name))
        return footer is not None and _same(footer, shard)

    def hits(self, shard_name: str) -> Iterator[dict[str, Any]]:
        """Yields what was found in a shard, by row, then item."""
        for line in read_lines(self.hits_file(shard_name)):
            if "row" in line:
                yield line


def _held(path: str) -> dict[str, Any] | None:
    """The object that a file of JSON holds; None if there is no such file."""
    with blaming(path):
        try:
            with open(path, encoding="utf-8") as file:
                held: dict[str, Any] = json.load(file)
                return held
        except FileNotFoundError:
            return None
        except ValueError as error:
            raise Refusal(f"{path}: it is damaged ({error})") from error


def _same(footer: Mapping[str, Any], shard: Shard) -> bool:
    return (footer["size_bytes"], footer["changed_ns"]) == (shard.size_bytes, shard.changed_ns)


def require_same(footer: Mapping[str, Any]) -> Shard:
    """The shard as it was searched. Raises Refusal if it has gone or changed since."""
    path = str(footer["shard"])
    with blaming(path):
        facts = os.stat(path)
    shard = Shard(path, footer["name"], footer["format"], facts.st_size, facts.st_mtime_ns)
    if not _same(footer, shard):
        raise Refusal(f"{path}: it has changed since it was searched; run `find` again")
    return shard


def _footer(path: str) -> dict[str, Any] | None:
    """The last line of a file of hits; None if there is no such file."""
    with blaming(path):
        try:
            with open(path, "rb") as file:
                end = file.seek(0, os.SEEK_END)
                file.seek(max(0, end - _tail_bytes))
                last = file.read().rstrip(b"\n").rpartition(b"\n")[2]
        except FileNotFoundError:
            return None
    try:
        made: dict[str, Any] = json.loads(last)
        return made if "shard" in made else None
    except (ValueError, TypeError) as error:
        raise Refusal(f"{path}: it is damaged; delete it, and run `find` again") from error


def read_lines(path: str) -> Iterator[dict[str, Any]]:
    """Yields the objects of a file of JSON Lines that this package has written."""
    with blaming(path), open(path, encoding="utf-8", newline="\n") as file:
        for number, line in enumerate(file, 1):
            try:
                yield json.loads(line)
            except ValueError as error:
                raise Refusal(f"{path}: line {number}: it is damaged ({error})") from error


@contextlib.contextmanager
def whole_file(path: str) -> Iterator[BinaryIO]:
    """Opens a file to write, which gets its name when the block ends well, and is removed otherwise."""
    with blaming(path):
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with temporary_file(os.path.abspath(path)) as (number, temporary):
            with os.fdopen(number, "wb") as file:
                os.fchmod(file.fileno(), 0o666 & ~_umask)
                yield file
            rename(temporary, os.path.abspath(path))


def write_lines(path: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Writes objects as JSON Lines."""
    with whole_file(path) as file:
        for row in rows:
            file.write(line_of(row))


def line_of(row: Mapping[str, Any]) -> bytes:
    """An object as a line of JSON. What is no Unicode is escaped, so that every text can be written."""
    line = json.dumps(row, ensure_ascii=False)
    try:
        return line.encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(row).encode() + b"\n"


def _current_umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


_umask = _current_umask()
