"""Rows of bench/python_rows.py: documents of a crawl that share 13 words in a row with a benchmark, on one core.

  lode     `lode_decontaminate.find`, from the files of both to the file of hits
  python   what is written again and again: json, a regular expression that normalises, and a set of n-grams
  polars   its reader, its own regular expressions, and contains_any

Documents are words of the shipped text in any order, so that they share no n-grams by chance. Each 500th quotes an item
whose capitals and punctuation are others. All programs must find as many documents.
"""

import contextlib
import json
import os
import random
import re
import tempfile
from pathlib import Path

import lode_decontaminate

N = 13
_words = re.compile(r"\W+")


def normalise(text):
    return _words.sub(" ", text.casefold()).strip()


def ngrams_of(text):
    words = normalise(text).split()
    return {" ".join(words[at : at + N]) for at in range(len(words) - N + 1)}


def write_rows(path, rows):
    with open(path, "w") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def documents(words, items, size_bytes, document_bytes, chance):
    number, written = 0, 0
    while written < size_bytes:
        drawn = chance.choices(words, k=chance.randrange(document_bytes // 11, document_bytes // 4))
        if number % 500 == 0:
            drawn[len(drawn) // 2 :] = [chance.choice(items).upper().replace(" ", ", ")]
        text = " ".join(drawn)
        yield {"id": number, "url": f"http://example.org/{number}", "text": text, "meta": {"lang": "en", "score": 0.5}}
        number, written = number + 1, written + len(text)


@contextlib.contextmanager
def one_core():
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def find_with_lode(folder, crawl):
    with tempfile.TemporaryDirectory(dir=folder) as out:
        items = lode_decontaminate.read_benchmark(folder / "benchmark.jsonl")
        settings = lode_decontaminate.Settings(n=N, threads=1, common=0)
        found = lode_decontaminate.find(items, crawl, "text", Path(out) / "run", settings)
        return len({hit["row"] for hit in found.folder.hits(crawl.name)})


def ngrams_of_benchmark(folder):
    return set().union(*(ngrams_of(json.loads(line)["question"]) for line in open(folder / "benchmark.jsonl")))


def find_with_python(folder, crawl):
    wanted = ngrams_of_benchmark(folder)
    with open(crawl) as file:
        return sum(not wanted.isdisjoint(ngrams_of(json.loads(line)["text"])) for line in file)


def find_with_polars(folder, crawl):
    import polars

    wanted = [f" {ngram} " for ngram in ngrams_of_benchmark(folder)]
    text = polars.col("text").str.to_lowercase().str.replace_all(r"\W+", " ")
    is_found = polars.concat_str(polars.lit(" "), text, polars.lit(" ")).str.contains_any(wanted)
    # In one piece, because contains_any builds its automaton anew for each.
    return int(polars.read_ndjson(crawl).rechunk().select(is_found.sum()).item())


def decontamination_rows(sample, size_bytes, slow_bytes, contest_of):
    """The rows for long and for short documents.

    sample      the text whose words are drawn
    size_bytes  of the crawl; slow_bytes of the piece of it that Python and polars get
    contest_of  makes a Contest of its name
    """
    chance = random.Random(5)
    words = sorted(set(_words.split(sample)) - {""})
    items = [" ".join(chance.choices(words, k=chance.randrange(20, 80))) for _ in range(700)]
    rows = []
    with tempfile.TemporaryDirectory() as name, one_core():
        folder = Path(name)
        write_rows(folder / "benchmark.jsonl", [{"id": number, "question": item} for number, item in enumerate(items)])
        for kind, document_bytes in (("4 KB", 4000), ("300 bytes", 300)):
            contest = contest_of(f"decontaminate, documents of {kind}")
            for program, find, most in (
                ("lode", find_with_lode, size_bytes),
                ("lode, small", find_with_lode, slow_bytes),
                ("python", find_with_python, slow_bytes),
                ("polars", find_with_polars, slow_bytes),
            ):
                crawl = folder / f"{document_bytes}-{most}.jsonl"
                if not crawl.exists():
                    write_rows(crawl, documents(words, items, most, document_bytes, random.Random(document_bytes)))
                contest.add(program, crawl.stat().st_size, lambda find=find, crawl=crawl: find(folder, crawl))
            rows.append(contest.measure())
    return rows
