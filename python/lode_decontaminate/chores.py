"""What `lode-decontaminate` does: a function for each chore, which gives whether there was something."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable

from lode_decontaminate.benchmarks import Fields, Item, read_benchmark
from lode_decontaminate.deciding import Decision, decide
from lode_decontaminate.finding import find
from lode_decontaminate.folders import RunFolder
from lode_decontaminate.numerals import counted
from lode_decontaminate.purifying import purify
from lode_decontaminate.removing import Removal, default_margin
from lode_decontaminate.reports import write_report
from lode_decontaminate.reviewing import review
from lode_decontaminate.settings import Settings

Tell = Callable[[str], None]


def _find(options: argparse.Namespace, tell: Tell) -> bool:
    folder = RunFolder(options.out)
    decision = _decision(options, folder)
    fields = _fields(options)
    items: list[Item] = []
    for given in options.benchmark:
        name, path = _named(given)
        items += read_benchmark(path, name, fields)
    settings = Settings(
        n=options.n,
        view=options.view,
        least_words=options.least_words,
        common=options.common,
        background=tuple(options.background),
        threads=options.threads,
        device=options.device,
        block_bytes=options.block_bytes,
    )
    find(items, options.crawl, options.field, options.out, settings, tell, options.on)
    return _report(folder, decision, tell)


def _report_again(options: argparse.Namespace, tell: Tell) -> bool:
    folder = RunFolder(options.folder)
    return _report(folder, _decision(options, folder), tell)


def _purify(options: argparse.Namespace, tell: Tell) -> bool:
    removal = None
    if options.cut or options.mask is not None:
        usual = default_margin if options.cut else 0
        removal = Removal(options.mask, usual if options.margin is None else options.margin)
    decision = _decision(options, RunFolder(options.folder))
    made = purify(options.folder, options.out, removal, decision, removed=options.removed, threads=options.threads)
    if made.skipped:
        tell(f"finished before: {made.skipped} of {counted(made.shards, 'shard')}")
    way = "dropped" if removal is None else "cut" if options.cut else "masked"
    documents, shards = counted(made.rows, "document"), counted(made.shards, "shard")
    print(f"{documents} read, {made.changed} {way}, {shards} written to {options.out}")
    print(f"Decided by {made.decision.by}: {made.decision.threshold:g} or more")
    return made.changed != 0


def _review(options: argparse.Namespace, tell: Tell) -> bool:
    folder = RunFolder(options.folder)
    is_colored = options.color == "always" or (
        options.color == "auto" and sys.stdout.isatty() and "NO_COLOR" not in os.environ
    )
    folder.require_settings()
    if (gap := folder.gap(folder.shards())).unsearched:
        tell(str(gap))
    return review(folder, _decision(options, folder), options.all, is_colored)


def _decision(options: argparse.Namespace, folder: RunFolder) -> Decision:
    """The decision of the options. Without --decide it is by what the last report was, and so is the threshold."""
    if options.decide is not None:
        return decide(options.decide, options.threshold)
    kept = folder.decision()
    return kept if options.threshold is None else decide(kept.by, options.threshold)


def _report(folder: RunFolder, decision: Decision, tell: Tell) -> bool:
    report = write_report(folder, decision)
    for note in report.notes():
        tell(note)
    for line in report.lines():
        print(line)
    print(f"The report is {folder.file('report.html')}")
    return report.contaminated_documents != 0


def _fields(options: argparse.Namespace) -> Fields:
    given = {name: getattr(options, name) for name in ("question", "answer", "choices", "passage", "id")}
    given = {name: names for name, names in given.items() if names is not None}
    return Fields()._replace(**given, named=frozenset(given))


def _named(given: str) -> tuple[str | None, str]:
    """The name and the path of NAME=PATH. A path that is there is one, whatever it is called."""
    name, equals, path = given.partition("=")
    return (None, given) if not equals or not name or os.path.exists(given) else (name, path)


chores: dict[str, Callable[[argparse.Namespace, Tell], bool]] = {
    "find": _find,
    "report": _report_again,
    "review": _review,
    "purify": _purify,
}
