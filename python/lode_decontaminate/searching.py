"""Searches shards on the cores of one machine, and writes what is found in each."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any, NamedTuple

import tqdm

from lode_decontaminate.benchmarks import Item
from lode_decontaminate.errors import Refusal
from lode_decontaminate.folders import RunFolder, line_of, whole_file
from lode_decontaminate.hits import HitSearch
from lode_decontaminate.ngrams import NgramIndex
from lode_decontaminate.settings import Settings
from lode_decontaminate.shards import Block, Shard, blocks_of, parse_lines, require_field


class _BlockHits(NamedTuple):
    rows: int
    without_text: int
    """How many rows have no text in the field."""
    documents: int
    hits: list[dict[str, Any]]


@dataclass(frozen=True)
class Job:
    """What every shard of a run is searched for. It can be pickled."""

    folder: RunFolder
    index: NgramIndex
    items: Sequence[Item]
    field: str
    settings: Settings


def search_shards(job: Job, shards: Sequence[Shard], search: HitSearch | None = None) -> None:
    """Searches shards, and writes what is found in each. Without a search it makes one for the job."""
    if shards:
        _ShardSearches(job, search or make_search(job)).run(shards)


def make_search(job: Job) -> HitSearch:
    """The search for a job; each of its callers searches with one thread."""
    return HitSearch(job.items, job.index, job.settings._replace(threads=1))


class _ShardSearches:
    """Searches shards at once: each has a thread that reads it, and blocks of all are searched by the same threads."""

    def __init__(self, job: Job, search: HitSearch) -> None:
        self._folder = job.folder
        self._field = job.field
        self._block_bytes = job.settings.block_bytes
        self._search = search
        self._threads = job.settings.threads or len(os.sched_getaffinity(0))
        self._stop = threading.Event()

    def run(self, shards: Sequence[Shard]) -> None:
        readers = min(self._threads, len(shards))
        total = sum(shard.size_bytes for shard in shards)
        # The bar is shown only on a terminal, and only after the first second.
        with (
            tqdm.tqdm(total=total, unit="B", unit_scale=True, disable=None, delay=1, leave=False) as progress,
            ThreadPoolExecutor(self._threads) as pool,
            ThreadPoolExecutor(readers) as reading,
        ):
            waiting = -(-self._threads // readers) + 1
            made = [reading.submit(self._search_shard, shard, pool, waiting, progress) for shard in shards]
            try:
                for future in as_completed(made):
                    future.result()
            finally:
                self._stop.set()
                for future in made:
                    future.cancel()

    def _search_shard(self, shard: Shard, pool: ThreadPoolExecutor, most_waiting: int, progress: Any) -> None:
        """Searches a shard, and writes its hits. At most so many blocks are held."""
        rows = without_text = documents = 0
        waiting: deque[tuple[int, Future[_BlockHits]]] = deque()
        with whole_file(self._folder.hits_file(shard.name)) as file:

            def take() -> None:
                nonlocal rows, without_text, documents
                size, future = waiting.popleft()
                found = future.result()
                for hit in found.hits:
                    hit["row"] += rows
                    file.write(line_of(hit))
                rows += found.rows
                without_text += found.without_text
                documents += found.documents
                progress.update(size)

            is_first = True
            for block in blocks_of(shard, self._field, self._block_bytes):
                if self._stop.is_set():
                    raise Refusal("the search was ended")
                waiting.append((block.size_bytes, pool.submit(self._search_block, block, shard, is_first)))
                is_first = is_first and block.lines is not None and block.lines.isspace()
                if len(waiting) > most_waiting:
                    take()
            while waiting:
                take()
            footer = {
                "shard": os.path.abspath(shard.path),
                "name": shard.name,
                "format": shard.format,
                "size_bytes": shard.size_bytes,
                "changed_ns": shard.changed_ns,
                "rows": rows,
                "without_text": without_text,
                "documents": documents,
            }
            file.write(line_of(footer))

    def _search_block(self, block: Block, shard: Shard, is_first: bool) -> _BlockHits:
        column = block.column
        if block.lines is not None:
            column = parse_lines(block, self._field, shard.path)
            # A name that does not occur in the first block is most likely a mistake.
            if is_first and column.null_count == len(column):
                require_field(block, self._field, shard.path)
        hits = self._search(column)
        return _BlockHits(len(column), column.null_count, len({hit["row"] for hit in hits}), hits)
