"""Makes a crawl without contamination: documents are dropped, or what they quote is cut or masked."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from threading import Event
from typing import Any, NamedTuple

import tqdm

from lode_decontaminate.deciding import Decision
from lode_decontaminate.errors import Refusal, blaming
from lode_decontaminate.folders import RunFolder, require_same, whole_file
from lode_decontaminate.removing import Removal
from lode_decontaminate.rewriters import Guilty, LineRewriter, TableRewriter, check_removal
from lode_decontaminate.shards import Shard
from lode_decontaminate.verdicts import Judge, Verdicts
from lode_table.files import is_within

_state_folder = ".lode-decontaminate"


class Purified(NamedTuple):
    """What a call of `purify` did, over all shards."""

    shards: int
    skipped: int
    """How many of the shards were finished before."""
    rows: int
    changed: int
    """How many documents were dropped, cut or masked."""
    decision: Decision
    """What was contamination."""


def purify(
    folder: RunFolder | str | os.PathLike[str],
    out: str | os.PathLike[str],
    removal: Removal | None = None,
    decision: Decision | None = None,
    *,
    removed: str | os.PathLike[str] | None = None,
    threads: int = 0,
) -> Purified:
    """Writes each shard of a run without its contaminated documents, or without what they quote.

    folder    of `find`
    out       the folder of the new shards. They have the names, formats, codecs, schemas and orders of the old ones
    removal   None drops the documents; else what is cut or masked in them
    decision  what is contamination; None takes that of the last report; verdicts of `review` come first
    removed   the folder for what was removed, by default `out` plus .removed. Dropped documents are in shards as
              the others; of what was cut or masked there is a line of JSON each
    threads   how many shards are written at once; 0 means as many as there are cores

    A shard that is finished is not written again. Raises Refusal if a shard was not searched or has changed since, if
    something cannot be read or written, if `out` was made of another run or with another decision or removal, or if
    `out` or `removed` lies in the folder of the run.
    """
    run = folder if isinstance(folder, RunFolder) else RunFolder(folder)
    settings = run.require_settings()["settings"]
    decision = run.decision() if decision is None else decision
    target = os.fspath(out)
    aside = os.fspath(removed) if removed is not None else f"{os.path.abspath(target)}.removed"
    searched = run.shards()
    verdicts = Verdicts(run, searched)
    known = {
        "run": os.path.abspath(run.path),
        "settings": settings,
        "decide": [decision.by, decision.threshold],
        "removal": None if removal is None else list(removal),
        "verdicts": verdicts.listed(),
        "removed": os.path.abspath(aside),
    }
    gap = run.gap(searched)
    if gap.unsearched:
        raise Refusal(f"{run.path}: {gap}")
    shards = [require_same(footer) for footer in searched]
    _refuse_own(run, shards, target, aside)
    if removal is not None:
        for shard in shards:
            check_removal(shard, settings["field"])
    state = _State(os.path.join(target, _state_folder), known)
    purifier = _Purifier(run, settings["field"], target, aside, removal, Judge(decision, verdicts), state)
    left = [shard for shard in shards if not purifier.is_finished(shard)]
    _purify_each(purifier, left, threads or len(os.sched_getaffinity(0)))
    facts = [state.facts(shard) for shard in shards]
    rows, changed = (sum(fact[key] for fact in facts) for key in ("rows", "changed"))
    return Purified(len(shards), len(shards) - len(left), rows, changed, decision)


def _purify_each(purifier: _Purifier, shards: Sequence[Shard], threads: int) -> None:
    if not shards:
        return
    total = sum(shard.size_bytes for shard in shards)
    # The bar is shown only on a terminal, and only after the first second.
    with (
        tqdm.tqdm(total=total, unit="B", unit_scale=True, disable=None, delay=1, leave=False) as progress,
        ThreadPoolExecutor(min(threads, len(shards))) as pool,
    ):
        made = {pool.submit(purifier, shard): shard for shard in shards}
        try:
            for future in as_completed(made):
                future.result()
                progress.update(made[future].size_bytes)
        finally:
            purifier.stop.set()
            for future in made:
                future.cancel()


def _refuse_own(run: RunFolder, shards: Sequence[Shard], target: str, aside: str) -> None:
    """Refuses folders in which something would be written over the run, or over a shard of the crawl."""
    for folder in (target, aside):
        if is_within(folder, run.path):
            raise Refusal(f"{folder}: the folder of the run is no place for a crawl; choose another folder")
    own = {os.path.realpath(shard.path) for shard in shards}
    for folder, shard in itertools.product((target, aside), shards):
        path = os.path.realpath(os.path.join(folder, shard.name))
        if path in own:
            raise Refusal(f"{path}: it is a shard of the crawl; choose another folder")
        if is_within(path, run.path):
            raise Refusal(f"{path}: it would lie in the folder of the run; choose another folder")
    if os.path.realpath(target) == os.path.realpath(aside):
        raise Refusal(f"{target}: what is removed must go to another folder")


class _State:
    """What is finished, in a hidden folder of the output."""

    def __init__(self, path: str, known: Mapping[str, Any]) -> None:
        self._path = path
        settings = os.path.join(path, "purify.json")
        said = json.dumps(known, sort_keys=True)
        held = _read(settings)
        if held is None:
            with whole_file(settings) as written:
                written.write(said.encode())
        elif held != said:
            folder = os.path.dirname(path)
            raise Refusal(
                f"{folder}: it was made of another run, or with other options or verdicts; choose another --out"
            )

    def facts(self, shard: Shard) -> dict[str, Any]:
        held = _read(self._file(shard))
        facts: dict[str, Any] = json.loads(held) if held is not None else {}
        return facts

    def finish(self, shard: Shard, facts: Mapping[str, Any]) -> None:
        with whole_file(self._file(shard)) as file:
            file.write(json.dumps(facts).encode())

    def _file(self, shard: Shard) -> str:
        return os.path.join(self._path, "shards", f"{shard.name}.json")


def _read(path: str) -> str | None:
    """The text of a file; None if there is none."""
    with blaming(path):
        try:
            with open(path, encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            return None


class _Purifier:
    """Writes one shard anew."""

    def __init__(
        self,
        run: RunFolder,
        field: str,
        target: str,
        aside: str,
        removal: Removal | None,
        judge: Judge,
        state: _State,
    ) -> None:
        self._run = run
        self._field = field
        self._target = target
        self._aside = aside
        self._removal = removal
        self._judge = judge
        self._state = state
        self.stop = Event()
        """Ends what is being written in other threads."""
        self._block_bytes = run.crawl()["block_bytes"]

    def __call__(self, shard: Shard) -> None:
        made_from = self._made_from(shard)
        guilty = self._guilty(shard)
        target, aside = self._places(shard)
        with ExitStack() as room:
            rows = self._rewriter(shard).rewrite(guilty, target, aside, room)
        self._state.finish(shard, {**made_from, "rows": rows, "changed": len(guilty)})

    def is_finished(self, shard: Shard) -> bool:
        """Whether a shard was written from what is there now, and what was written is there still."""
        facts, made_from = self._state.facts(shard), self._made_from(shard)
        return {key: facts.get(key) for key in made_from} == made_from and all(map(os.path.isfile, self._places(shard)))

    def _made_from(self, shard: Shard) -> dict[str, int]:
        """What tells the state of a shard, and of what was found in it."""
        hits = os.stat(self._run.hits_file(shard.name))
        return {
            "size_bytes": shard.size_bytes,
            "changed_ns": shard.changed_ns,
            "hits_size_bytes": hits.st_size,
            "hits_changed_ns": hits.st_mtime_ns,
        }

    def _places(self, shard: Shard) -> tuple[str, str]:
        """Where a shard goes, and what is removed from it."""
        aside = shard.name if self._removal is None else f"{shard.name}.spans.jsonl"
        return os.path.join(self._target, shard.name), os.path.join(self._aside, aside)

    def _rewriter(self, shard: Shard) -> LineRewriter | TableRewriter:
        if shard.format == "jsonl":
            return LineRewriter(shard, self._field, self._removal, self.stop, self._block_bytes)
        return TableRewriter(shard, self._field, self._removal, self.stop)

    def _guilty(self, shard: Shard) -> dict[int, Guilty]:
        """The contaminated rows of a shard, and what is to be removed in them."""
        guilty: dict[int, Guilty] = {}
        for hit in self._run.hits(shard.name):
            if self._judge.says(shard.name, hit):
                row = guilty.setdefault(hit["row"], Guilty([], []))
                row.runs.extend((run["offset"], run["length"]) for run in hit["runs"])
                row.items.append({"benchmark": hit["benchmark"], "id": hit["id"]})
        return guilty
