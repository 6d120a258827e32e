"""Makes the page of a report: one file of HTML that needs nothing else, for wide and narrow windows, light and dark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING

from lode_decontaminate.numerals import counted
from lode_decontaminate.spans import joined
from lode_decontaminate.words import view_words

if TYPE_CHECKING:
    from lode_decontaminate.reports import ItemFindings, Report

_most_items = 500
_most_documents = 200
_most_common = 50
_most_characters = 4000

_style = """
:root { color-scheme: light dark; --text: #1c2024; --soft: #5c6670; --line: #d9dee3; --page: #ffffff; --panel: #f5f7f9;
  --mark: #ffe08a; --bar: #d1495b; --rest: #e4e8ec; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e9ec; --soft: #9aa5b1; --line: #39424b; --page: #14181c;
  --panel: #1d2329; --mark: #6b5410; --bar: #e56b7a; --rest: #323a42; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 70rem; color: var(--text); background: var(--page);
  font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; } h2 { font-size: 1.2rem; margin: 2.5rem 0 .5rem; }
p { margin: .25rem 0 .75rem; max-width: 46rem; } .soft { color: var(--soft); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .88rem; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .3rem .35rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
th.wide, td.wide { white-space: normal; text-align: left; min-width: 14rem; }
details { border: 1px solid var(--line); border-radius: .5rem; margin: .5rem 0; background: var(--panel); }
summary { cursor: pointer; padding: .5rem .75rem; display: flex; flex-wrap: wrap; gap: .25rem 1rem;
  align-items: center; }
summary b { overflow-wrap: anywhere; flex: 1 1 12rem; }
.bar { flex: 0 0 7rem; height: .6rem; border-radius: .3rem; background: var(--rest); overflow: hidden; }
.bar i { display: block; height: 100%; background: var(--bar); }
.sides { display: grid; grid-template-columns: 1fr 1fr; gap: .75rem; padding: 0 .75rem .75rem; }
.sides h3 { font-size: .85rem; margin: .25rem 0; color: var(--soft); font-weight: 600; overflow-wrap: anywhere; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--page); border: 1px solid var(--line);
  border-radius: .35rem; padding: .6rem; font-size: .92rem; }
mark { background: var(--mark); color: inherit; border-radius: .15rem; }
@media (max-width: 44rem) { .sides { grid-template-columns: 1fr; } body { padding: 1rem .75rem 3rem; } }
"""


def page_of(report: Report) -> str:
    """The page of a report."""
    return "".join(_page(report))


def _page(report: Report) -> Iterator[str]:
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield f"<title>Contamination report</title>\n<style>{_style}</style>\n</head>\n<body>\n"
    yield "<h1>Contamination report</h1>\n"
    yield from _head(report)
    yield from _benchmarks(report)
    yield from _items(report)
    yield from _documents(report)
    yield from _common(report)
    yield "</body>\n</html>\n"


def _head(report: Report) -> Iterator[str]:
    known = report.settings["settings"]
    yield (
        f"<p><strong>{_number(report.contaminated_documents)} of {_count(report.rows, 'document')}</strong> "
        f"contaminated, in {_count(len(report.shards), 'shard')}.</p>\n"
    )
    for note in report.notes():
        yield f"<p>{escape(note.replace('`', ''))}.</p>\n"
    yield (
        f'<p class="soft">An item contaminates a document if {escape(str(report.decision))}. '
        f"N-grams have {known['n']} words; the view is {escape(known['view'] or 'none')}; the searched field is "
        f"{escape(known['field'])}. Made by lode-decontaminate {escape(known['lode'])}.</p>\n"
    )


def _benchmarks(report: Report) -> Iterator[str]:
    rows = report.benchmarks()
    shares = list(rows[0]["by_share"]) if rows else []
    yield "<h2>Benchmarks</h2>\n"
    yield "<p>The columns on the right count the items of which so much stands in one document.</p>\n"
    heads = ["benchmark", "items", "searched", "contaminated", *(f"≥ {float(share):.0%}" for share in shares)]
    cells = []
    for row in rows:
        share = row["contaminated"] / row["items"]
        found = [_number(row[key]) for key in ("items", "searched")]
        found.append(f"{_number(row['contaminated'])} ({share:.1%})")
        cells.append([escape(row["benchmark"]), *found, *(_number(count) for count in row["by_share"].values())])
    yield _table(heads, cells)


def _items(report: Report) -> Iterator[str]:
    found = report.found_items()
    yield "<h2>Items</h2>\n"
    if not found:
        yield "<p>No n-gram of any item was found.</p>\n"
        return
    yield (
        f"<p>Something was found of {_count(len(found), 'item')}. The marked text stands in both: on the left in the "
        "item, on the right in the document that has most of it.</p>\n"
    )
    for item in found[:_most_items]:
        yield from _item(item, report.settings["settings"]["view"])
    if len(found) > _most_items:
        yield f'<p class="soft">{_number(len(found) - _most_items)} more are in report.jsonl.</p>\n'


def _item(item: ItemFindings, view: str) -> Iterator[str]:
    best = item.best
    assert best is not None
    state = "contaminated" if item.contaminated else "not contaminated"
    yield "<details>\n<summary>"
    yield f"<b>{escape(item.facts['benchmark'])} {escape(item.facts['id'])}</b>"
    yield f'<span class="bar"><i style="width:{item.share:.0%}"></i></span>'
    yield f"<span>{item.share:.0%} of {item.facts['ngrams']}</span><span>{_count(item.longest, 'word')} in a row</span>"
    yield f'<span class="soft">{_count(item.documents, "document")}, {state}</span></summary>\n'
    yield '<div class="sides">\n<div>'
    for name, text in item.facts["parts"].items():
        spans = [(run["word"], run["words"]) for run in best["runs"] if run["part"] == name]
        yield f'<h3>{escape(name)}</h3><div class="text">{_marked(text, spans, view)}</div>'
    if item.facts["answer"] is not None:
        near = {True: "stands near the question", False: "does not stand near", None: "has no word"}[best["answer"]]
        yield f'<h3>answer ({near})</h3><div class="text">{escape(_short(item.facts["answer"]))}</div>'
    longest = best["runs"][0]
    before, shown, behind = best["excerpt"]
    yield f"</div>\n<div><h3>{escape(best['shard'])}, row {best['row']}, offset {longest['offset']}, "
    yield f"{longest['length']} bytes</h3>"
    yield f'<div class="text">{escape(before)}<mark>{escape(shown)}</mark>{escape(behind)}</div></div>\n'
    yield "</div>\n</details>\n"


def _documents(report: Report) -> Iterator[str]:
    if not report.documents:
        return
    yield "<h2>Documents</h2>\n"
    cells = []
    for row in report.documents[:_most_documents]:
        items = ", ".join(f"{item['benchmark']} {item['id']}" for item in row["items"][:5])
        more = f" and {len(row['items']) - 5} more" if len(row["items"]) > 5 else ""
        found = [escape(row["shard"]), _number(row["row"]), f"{row['share']:.0%}", _number(row["longest"])]
        cells.append([*found, escape(items + more)])
    yield _table(["shard", "row", "share", "words in a row", "items"], cells, wide=4)
    left = report.contaminated_documents - min(len(report.documents), _most_documents)
    if left:
        yield f'<p class="soft">{_number(left)} more are in report.jsonl and in hits/.</p>\n'


def _common(report: Report) -> Iterator[str]:
    if not report.left_out:
        return
    yield "<h2>Left out</h2>\n"
    yield (
        f"<p>{_number(len(report.left_out))} of {_number(report.settings['ngrams'])} n-grams are common, in a sample "
        "of the crawl or in the background text, and were not searched for.</p>\n"
    )
    cells = []
    for row in report.left_out[:_most_common]:
        why = "background" if row["reason"] == "background" else f"{row['documents']} of {row['sampled']} documents"
        cells.append([escape(why), escape(row["ngram"])])
    yield _table(["where", "n-gram"], cells, wide=1)
    if len(report.left_out) > _most_common:
        more = _number(len(report.left_out) - _most_common)
        yield f'<p class="soft">{more} more are in common.jsonl.</p>\n'


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], wide: int = -1) -> str:
    """A table of escaped cells; the column `wide` may break its lines."""
    head = "".join(f"<th{' class=wide' * (at == wide)}>{escape(name)}</th>" for at, name in enumerate(heads))
    body = []
    for row in rows:
        cells = (f'<td class="wide">{cell}</td>' if at == wide else f"<td>{cell}</td>" for at, cell in enumerate(row))
        body.append(f"<tr>{''.join(cells)}</tr>\n")
    return f'<div class="scroll"><table>\n<tr>{head}</tr>\n{"".join(body)}</table></div>\n'


def _marked(text: str, spans: Sequence[tuple[int, int]], view: str) -> str:
    """A text of an item with words marked: so many from a word on."""
    data = text.encode(errors="surrogatepass")
    made, at = [], 0
    for begin, end in marked_spans(data, spans, view):
        made.append(f"{_shown(data[at:begin])}<mark>{_shown(data[begin:end])}</mark>")
        at = end
    made.append(_shown(data[at:]))
    return "".join(made)


def marked_spans(data: bytes, spans: Sequence[tuple[int, int]], view: str) -> list[tuple[int, int]]:
    """Where words stand in a text, in bytes: so many from a word on. Spans that touch or overlap become one."""
    words = view_words(data, view).in_original
    return joined((int(words.begins[word]), int(words.ends[word + count - 1])) for word, count in spans)


def _shown(data: bytes) -> str:
    return escape(_short(data.decode(errors="replace")))


def _short(text: str) -> str:
    return text if len(text) <= _most_characters else text[:_most_characters] + " […]"


def _count(count: int, noun: str) -> str:
    return counted(count, noun, _number(count))


def _number(number: int) -> str:
    """A number with narrow blanks between thousands."""
    return f"{number:,}".replace(",", "\u202f")
