"""Searches a crawl for the n-grams of benchmarks, shard by shard, and keeps what was found in a folder."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import lode
from lode_decontaminate.benchmarks import Item
from lode_decontaminate.clusters import engines, search_on
from lode_decontaminate.errors import Refusal, blaming
from lode_decontaminate.folders import RunFolder, read_lines, whole_file, write_lines
from lode_decontaminate.ngrams import NgramIndex, index_ngrams, ngrams_of_texts, words_of_items
from lode_decontaminate.numerals import counted
from lode_decontaminate.overlaps import OverlapSearch
from lode_decontaminate.searching import Job, search_shards
from lode_decontaminate.settings import Settings, check
from lode_decontaminate.shards import Shard, blocks_of, crawl_endings, open_bytes, parse_lines
from lode_table.files import files_of, is_within, told_left_out

_sampled_shards = 16
_sample_block_bytes = 4 << 20
_least_common_documents = 10
_format_version = 2


class Found(NamedTuple):
    """What a call of `find` did."""

    folder: RunFolder
    shards: int
    skipped: int
    """How many of the shards had been searched before."""
    common: int
    """How many n-grams were left out."""


def find(
    items: Sequence[Item],
    crawl: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    field: str,
    out: str | os.PathLike[str],
    settings: Settings = Settings(),
    tell: Callable[[str], None] = lambda message: None,
    on: str = "local",
) -> Found:
    """Searches a crawl for the items of benchmarks, and writes what it finds into a folder.

    items     of `read_benchmark`
    crawl     a path, or several: of files, globs, or folders with JSON Lines (also .gz, .zst), Parquet, Arrow
    field     the searched field; `a.b` is b within a
    out       the folder. Shards that it has already are not searched again, so a run that was ended can go on
    settings  what is searched for, and how
    tell      is called with messages for the user
    on        'local', or for a cluster 'ray' or 'spark': its workers must see the crawl and `out` under the same paths

    Raises Refusal if something cannot be read or written, if `out` holds a run with other settings, or for invalid
    settings.
    """
    check(settings, items)
    if on not in ("local", *engines):
        raise Refusal(f"nothing is called {on!r} to search on; there are: local {' '.join(engines)}")
    folder = RunFolder(out)
    shards = _shards_of([crawl] if isinstance(crawl, (str, os.PathLike)) else crawl, folder, tell)
    index = index_ngrams(items, settings.n, settings.least_words, settings.view)
    if len(index.patterns) == 0:
        raise Refusal(f"no item has {counted(settings.least_words, 'word')}; nothing can be searched for")
    _tell_short(index, tell)
    known = _known(items, field, settings)
    index, common = _prepare(folder, index, items, shards, field, settings, known, tell)
    left = [shard for shard in shards if not folder.is_finished(shard)]
    if len(left) < len(shards):
        tell(f"searched before: {len(shards) - len(left)} of {counted(len(shards), 'shard')}")
    job = Job(folder, index, items, field, settings)
    if on == "local":
        search_shards(job, left)
    else:
        search_on(on, job, left)
    return Found(folder, len(shards), len(shards) - len(left), common)


def _shards_of(crawl: Sequence[str | os.PathLike[str]], folder: RunFolder, tell: Callable[[str], None]) -> list[Shard]:
    """The shards of a crawl, without the run's own files, which may lie within it."""
    paths = [os.fspath(path) for path in crawl]
    files = files_of(paths, crawl_endings)
    shards = [shard for shard in files.found if not is_within(shard.path, folder.path)]
    if files.found and not shards:
        raise Refusal(f"{' '.join(paths)}: the crawl lies within --out {folder.path}; choose another --out")
    if not shards:
        raise Refusal("no crawl was given")
    left_out = [path for path in files.left_out if not is_within(path, folder.path)]
    if left_out:
        tell(told_left_out(left_out))
    searched = {footer["name"]: footer["shard"] for footer in folder.searched()}
    for shard in shards:
        other = searched.get(shard.name, os.path.abspath(shard.path))
        if other != os.path.abspath(shard.path):
            raise Refusal(f"{shard.path}: {folder.path} has a shard of this name, {other}; choose another --out")
    return shards


def _tell_short(index: NgramIndex, tell: Callable[[str], None]) -> None:
    short = int(np.count_nonzero(index.item_ngrams == 0))
    if short:
        tell(f"too short to be searched for: {short} of {counted(len(index.item_ngrams), 'item')}")


def _known(items: Sequence[Item], field: str, settings: Settings) -> dict[str, Any]:
    """What decides the answers, so that a run goes on only with the same."""
    digest = hashlib.sha256()
    for item in items:
        digest.update(json.dumps(item).encode())
    background = hashlib.sha256()
    for path in settings.background:
        background.update(_read_background(path))
    return {
        "version": _format_version,
        "lode": lode.version(),
        "n": settings.n,
        "view": settings.view,
        "least_words": settings.least_words,
        "common": settings.common,
        "field": field,
        "items": digest.hexdigest(),
        "background": background.hexdigest() if settings.background else "",
    }


def _read_background(path: str) -> bytes:
    with blaming(path), ExitStack() as room:
        return open_bytes(path, room).read()


def _prepare(
    folder: RunFolder,
    index: NgramIndex,
    items: Sequence[Item],
    shards: Sequence[Shard],
    field: str,
    settings: Settings,
    known: dict[str, Any],
    tell: Callable[[str], None],
) -> tuple[NgramIndex, int]:
    """Leaves common n-grams out. A run that goes on leaves out the same as before."""
    before = folder.settings()
    changed = [] if before is None else sorted(key for key in known if before["settings"].get(key) != known[key])
    # A run that has finished no shard, such as one whose --field was a mistake, has nothing to lose.
    if before is not None and (not changed or folder.searched()):
        if changed:
            raise Refusal(f"{folder.path}: it holds a run with other {', '.join(changed)}; choose another --out")
        folder.keep_crawl(shards, settings.block_bytes)
        common = {line["ngram"].encode(errors="surrogateescape") for line in read_lines(folder.file("common.jsonl"))}
        left_out = pc.is_in(index.patterns, pa.array(list(common), pa.large_binary())).to_numpy(zero_copy_only=False)
    else:
        reasons = _common_of(index, shards, field, settings)
        left_out = np.array([reason is not None for reason in reasons], np.bool_)
        folder.keep_crawl(shards, settings.block_bytes)
        _write_run(folder, index, index.without(left_out), reasons, items, known)
    count = int(np.count_nonzero(left_out))
    if count:
        ngrams = counted(len(index.patterns), "n-gram")
        tell(f"left out as common: {count} of {ngrams}; {folder.file('common.jsonl')} has them")
    kept = index.without(left_out)
    if len(kept.patterns) == 0:
        raise Refusal("all n-grams are common; nothing can be searched for")
    return kept, count


def _common_of(
    index: NgramIndex, shards: Sequence[Shard], field: str, settings: Settings
) -> list[dict[str, Any] | None]:
    """Why each pattern is left out; None for one that is not."""
    reasons: list[dict[str, Any] | None] = [None] * len(index.patterns)
    if settings.background:
        known: set[bytes] = set()
        for text in map(_read_background, settings.background):
            known.update(ngrams_of_texts([text, *text.split(b"\n")], settings.n, settings.view))
        there = pc.is_in(index.patterns, pa.array(list(known), pa.large_binary())).to_numpy(zero_copy_only=False)
        for number in np.flatnonzero(there).tolist():
            reasons[number] = {"reason": "background"}
    if settings.common > 0:
        counts, documents = _count_in_sample(index, shards, field, settings)
        least = max(_least_common_documents, settings.common * documents)
        for number in np.flatnonzero(counts >= least).tolist():
            reasons[number] = {"reason": "sample", "documents": int(counts[number]), "sampled": documents}
    return reasons


def _count_in_sample(index: NgramIndex, shards: Sequence[Shard], field: str, settings: Settings) -> tuple[Any, int]:
    """In how many documents of a sample, the beginning of up to 16 shards, each pattern stands, and their number."""
    search = OverlapSearch(index, settings.n, settings.view, settings.threads, settings.device)
    counts, documents = np.zeros(len(index.patterns), np.int64), 0
    numbers = sorted({len(shards) * at // _sampled_shards for at in range(_sampled_shards)})
    for number in numbers:
        shard = shards[number]
        block_bytes = min(settings.block_bytes, _sample_block_bytes)
        block = next(blocks_of(shard, field, block_bytes, settings.block_bytes), None)
        if block is None:
            continue
        column = parse_lines(block, field, shard.path) if block.lines is not None else block.column
        counts += search.count_documents(column)
        documents += len(column)
    return counts, documents


def _write_run(
    folder: RunFolder,
    index: NgramIndex,
    kept: NgramIndex,
    reasons: Iterable[dict[str, Any] | None],
    items: Sequence[Item],
    known: dict[str, Any],
) -> None:
    common = [
        {"ngram": index.patterns[number].as_py().decode(errors="surrogateescape"), **reason}
        for number, reason in enumerate(reasons)
        if reason is not None
    ]
    write_lines(folder.file("common.jsonl"), common)
    words = words_of_items(index)
    write_lines(
        folder.file("items.jsonl"),
        (
            {
                "benchmark": item.benchmark,
                "id": item.id,
                "parts": dict(item.parts),
                "answer": item.answer,
                "words": words[number],
                "ngrams": int(kept.item_ngrams[number]),
            }
            for number, item in enumerate(items)
        ),
    )
    benchmarks = {item.benchmark: 0 for item in items}
    for item in items:
        benchmarks[item.benchmark] += 1
    described = {
        "settings": known,
        "benchmarks": benchmarks,
        "ngrams": len(index.patterns),
        "common": len(common),
    }
    with whole_file(folder.file("run.json")) as file:
        file.write(json.dumps(described, ensure_ascii=False, indent=2).encode() + b"\n")
