"""Gathers what was found in all shards, and writes it as JSON Lines and as a page."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from lode_decontaminate.deciding import Decision
from lode_decontaminate.folders import Gap, RunFolder, read_lines, whole_file, write_lines
from lode_decontaminate.numerals import counted
from lode_decontaminate.pages import page_of
from lode_decontaminate.verdicts import Judge, Verdicts

thresholds = tuple(tenths / 10 for tenths in range(1, 11))
"""The shares for which a report says how many items a document has at least so much of."""

_most_documents = 100_000


@dataclass
class ItemFindings:
    """What was found of one item."""

    facts: dict[str, Any]
    """The item as items.jsonl has it."""
    documents: int = 0
    """In how many documents some of it stands."""
    contaminated: int = 0
    """How many documents it contaminates."""
    longest: int = 0
    """The words of the longest run in any document."""
    share: float = 0.0
    """The largest share of its n-grams in one document."""
    best: dict[str, Any] | None = None
    """The hit with that share; of several the one with the longest run, then the first."""

    def add(self, hit: dict[str, Any], shard: str, judge: Judge) -> bool:
        """Takes a hit in, and tells whether it is contamination."""
        is_contaminated = judge.says(shard, hit)
        self.documents += 1
        self.contaminated += is_contaminated
        self.longest = max(self.longest, hit["longest"])
        self.share = max(self.share, hit["share"])
        if self.best is None or (hit["share"], hit["longest"]) > (self.best["share"], self.best["longest"]):
            self.best = {"shard": shard, **hit}
        return is_contaminated


@dataclass
class Report:
    """What was found in all shards."""

    settings: dict[str, Any]
    decision: Decision
    items: list[ItemFindings]
    shards: list[dict[str, Any]]
    documents: list[dict[str, Any]] = field(default_factory=list)
    """The contaminated documents, the highest score first; at most a hundred thousand."""
    contaminated_documents: int = 0
    gap: Gap = Gap(0, 0)
    """How many shards are missing, because the search was ended."""
    left_out: list[dict[str, Any]] = field(default_factory=list)
    """The n-grams that were left out as common."""

    @property
    def rows(self) -> int:
        return sum(shard["rows"] for shard in self.shards)

    @property
    def without_text(self) -> int:
        """How many documents have no text in the searched field."""
        return sum(shard["without_text"] for shard in self.shards)

    def notes(self) -> Iterator[str]:
        """What a reader must know before trusting the numbers."""
        if self.gap.unsearched:
            yield str(self.gap)
        if self.without_text:
            name = self.settings["settings"]["field"]
            yield f"the field {name!r} has no text in {self.without_text} of {counted(self.rows, 'document')}"

    def benchmarks(self) -> list[dict[str, Any]]:
        """For each benchmark: how many items there are, searched and contaminated, and for each threshold how many."""
        made = []
        for name in self.settings["benchmarks"]:
            theirs = [item for item in self.items if item.facts["benchmark"] == name]
            made.append(
                {
                    "benchmark": name,
                    "items": len(theirs),
                    "searched": sum(item.facts["ngrams"] > 0 for item in theirs),
                    "contaminated": sum(item.contaminated > 0 for item in theirs),
                    "by_share": {
                        f"{least:.1f}": sum(item.share >= least - 1e-9 for item in theirs) for least in thresholds
                    },
                    "touched": sum(item.documents > 0 for item in theirs),
                }
            )
        return made

    def found_items(self) -> list[ItemFindings]:
        """The items of which something was found: the contaminated first, then by share and length."""
        found = [item for item in self.items if item.documents]
        return sorted(found, key=lambda item: (item.contaminated == 0, -item.share, -item.longest))

    def lines(self) -> Iterator[str]:
        """The report in a few lines, for a terminal."""
        for row in self.benchmarks():
            share = row["contaminated"] / row["items"]
            items = counted(row["items"], "item")
            yield f"{row['benchmark']}: {row['contaminated']} of {items} contaminated ({share:.1%})"
        documents, shards = counted(self.rows, "document"), counted(len(self.shards), "shard")
        yield f"{self.contaminated_documents} of {documents} contaminated, in {shards}"


def gather(folder: RunFolder, decision: Decision) -> Report:
    """Reads what a run has found, and decides. Raises Refusal if there is no run, or it is damaged."""
    settings = folder.require_settings()
    items = [ItemFindings(facts) for facts in folder.items()]
    shards = folder.shards()
    report = Report(settings, decision, items, shards, gap=folder.gap(shards))
    report.left_out = list(read_lines(folder.file("common.jsonl")))
    judge = Judge(decision, Verdicts(folder, shards))
    order = itertools.count()
    highest: list[tuple[float, int, int, dict[str, Any]]] = []
    for shard in report.shards:
        for _, hits in itertools.groupby(folder.hits(shard["name"]), key=lambda hit: int(hit["row"])):
            guilty = [hit for hit in hits if items[hit["item"]].add(hit, shard["name"], judge)]
            if not guilty:
                continue
            report.contaminated_documents += 1
            entry = _document(shard["name"], guilty)
            # Among equal documents the first one wins, so its number counts down.
            heapq.heappush(highest, (entry["share"], entry["longest"], -next(order), entry))
            if len(highest) > _most_documents:
                heapq.heappop(highest)
    report.documents = [entry for *_, entry in sorted(highest, key=lambda row: row[:3], reverse=True)]
    return report


def _document(shard: str, guilty: list[dict[str, Any]]) -> dict[str, Any]:
    best = max(guilty, key=lambda hit: (hit["share"], hit["longest"]))
    return {
        "shard": shard,
        "row": best["row"],
        "share": best["share"],
        "longest": max(hit["longest"] for hit in guilty),
        "items": [{"benchmark": hit["benchmark"], "id": hit["id"], "share": hit["share"]} for hit in guilty],
    }


def write_report(folder: RunFolder, decision: Decision | None = None) -> Report:
    """Writes report.jsonl and report.html into the folder of a run, and gives what they say.

    The decision is kept there: `purify` goes by it, unless it is given another. None takes the one that was kept.
    """
    decision = folder.decision() if decision is None else decision
    report = gather(folder, decision)
    write_lines(folder.file("report.jsonl"), _lines(report))
    with whole_file(folder.file("report.html")) as file:
        file.write(page_of(report).encode(errors="replace"))
    folder.keep_decision(decision)
    return report


def _lines(report: Report) -> Iterator[dict[str, Any]]:
    yield {
        "type": "run",
        "settings": report.settings["settings"],
        "decide": report.decision.by,
        "threshold": report.decision.threshold,
        "shards": len(report.shards),
        "unsearched_shards": report.gap.unsearched,
        "documents": report.rows,
        "documents_without_text": report.without_text,
        "contaminated_documents": report.contaminated_documents,
        "ngrams": report.settings["ngrams"],
        "common_ngrams": report.settings["common"],
    }
    for row in report.benchmarks():
        yield {"type": "benchmark", **row}
    for item in report.items:
        yield {
            "type": "item",
            "benchmark": item.facts["benchmark"],
            "id": item.facts["id"],
            "ngrams": item.facts["ngrams"],
            "is_contaminated": item.contaminated > 0,
            "share": item.share,
            "longest": item.longest,
            "documents": item.documents,
            "contaminated_documents": item.contaminated,
            "best": None if item.best is None else {key: item.best[key] for key in _best_keys},
        }
    for document in report.documents:
        yield {"type": "document", **document}


_best_keys = ("shard", "row", "share", "found", "longest", "answer", "runs", "excerpt")
