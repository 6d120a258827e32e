"""Shows hits one by one in the terminal, and keeps what is said of them."""

from __future__ import annotations

import sys
from typing import Any

from lode_decontaminate.deciding import Decision
from lode_decontaminate.folders import RunFolder
from lode_decontaminate.pages import marked_spans
from lode_decontaminate.verdicts import Judge, Verdicts

_help = "Enter or n: next · b: back · x: false alarm · c: contamination · q: end"
_mark, _plain, _soft = "\x1b[30;43m", "\x1b[0m", "\x1b[2m"
_most_characters = 2000


def review(folder: RunFolder, decision: Decision, has_all: bool, is_colored: bool) -> bool:
    """Shows hits and reads from standard input what to do. Gives whether there was one.

    has_all     also hits that are not contamination
    is_colored  whether colours mark what is shared; else brackets do
    """
    settings = folder.require_settings()["settings"]
    items = folder.items()
    shards = folder.shards()
    verdicts = Verdicts(folder, shards)
    judge = Judge(decision, verdicts)
    hits = [
        (shard["name"], hit)
        for shard in shards
        for hit in folder.hits(shard["name"])
        if has_all or judge.says(shard["name"], hit)
    ]
    hits.sort(key=lambda row: (-row[1]["share"], -row[1]["longest"]))
    show = _Shower(items, settings["view"], is_colored)
    at = 0
    while at < len(hits):
        shard, hit = hits[at]
        print(f"\n{show.head(at + 1, len(hits), shard, hit, verdicts.of(shard, hit))}")
        print(show.body(hit))
        said = _ask()
        if said in (None, "q"):
            break
        if said in ("x", "c"):
            verdicts.add(shard, hit, said == "c")
        at = max(0, at - 1) if said == "b" else at + 1
    return bool(hits)


def _ask() -> str | None:
    """The key that was given; None at the end of the input."""
    while True:
        print(_help, end="\n> ", flush=True)
        line = sys.stdin.readline()
        if not line:
            return None
        word = line.strip().lower() or "n"
        if word in ("n", "b", "x", "c", "q"):
            return word


class _Shower:
    """Makes the text for a hit."""

    def __init__(self, items: list[dict[str, Any]], view: str, is_colored: bool) -> None:
        self._items = items
        self._view = view
        self._is_colored = is_colored

    def head(self, number: int, count: int, shard: str, hit: dict[str, Any], said: bool | None) -> str:
        verdict = {None: "", True: ", said to be contamination", False: ", said to be a false alarm"}[said]
        facts = f"{hit['share']:.0%} of {hit['ngrams']} n-grams, {hit['longest']} words in a row"
        answer = {None: "", True: ", with the answer", False: ", without the answer"}[hit["answer"]]
        where = f"{hit['benchmark']} {hit['id']} in {shard}, row {hit['row']}"
        return f"{number} of {count}: {where}: {facts}{answer}{verdict}"

    def body(self, hit: dict[str, Any]) -> str:
        lines = []
        for name, text in self._items[hit["item"]]["parts"].items():
            spans = [(run["word"], run["words"]) for run in hit["runs"] if run["part"] == name]
            data = text.encode(errors="surrogatepass")
            pieces, at = [], 0
            for begin, end in marked_spans(data, spans, self._view):
                pieces += [_clean(data[at:begin]), self._marked(_clean(data[begin:end]))]
                at = end
            pieces.append(_clean(data[at:]))
            lines += [self._soft(name), "".join(pieces)]
        before, shown, behind = (_clean(part.encode(errors="surrogatepass")) for part in hit["excerpt"])
        lines += [self._soft("document"), f"{before}{self._marked(shown)}{behind}"]
        return "\n".join(lines)

    def _marked(self, text: str) -> str:
        return f"{_mark}{text}{_plain}" if self._is_colored else f"[[{text}]]"

    def _soft(self, text: str) -> str:
        return f"{_soft}{text}{_plain}" if self._is_colored else f"-- {text}"


def _clean(data: bytes) -> str:
    """Text for a terminal: controls, which might move its cursor, become a sign."""
    text = data.decode(errors="replace")
    shown = "".join(sign if sign in "\n\t" or sign.isprintable() else "\ufffd" for sign in text[:_most_characters])
    return shown + (" […]" if len(text) > _most_characters else "")
