"""Finds documents that share 13 words in a row with a benchmark's questions, so that they can be dropped.

The documents are the chapters of the shipped text. The benchmark quotes twenty of its passages, in capitals and with
other punctuation. So documents and questions are normalised: letters and digits become lower case, one blank stands
between words, and one at either end, so that a run of words matches only whole words.
"""

from __future__ import annotations

import random
import re

import pyarrow as pa
import pyarrow.compute as pc
from engines import run, text_file

import lode
from lode.tables import TableSearch

words_in_a_row = 13


def documents() -> pa.Table:
    chapters: dict[str, list[str]] = {}
    for line in text_file.read_text().splitlines():
        if re.fullmatch(r"[A-Z]\w+ \d+", line):
            chapters[line] = []
        else:
            chapters[next(reversed(chapters))].append(line)
    return pa.table({"title": list(chapters), "text": [" ".join(verses) for verses in chapters.values()]})


def benchmark() -> list[str]:
    chance = random.Random(13)
    words = " ".join(documents()["text"].to_pylist()).split()
    starts = [chance.randrange(len(words) - 30) for _ in range(20)]
    return [" -- ".join(words[start : start + chance.randrange(10, 30)]).upper() for start in starts]


def normalise(batch: pa.Table | pa.RecordBatch) -> pa.Table | pa.RecordBatch:
    """Adds a column `normalised` to the batch."""
    words = pc.replace_substring_regex(pc.utf8_lower(batch.column("text")), r"[^\pL\pN]+", " ")
    normalised = pc.binary_join_element_wise("", pc.utf8_trim_whitespace(words), "", " ")
    return batch.append_column("normalised", normalised)


def patterns() -> list[str]:
    """The runs of 13 words in the questions. Shorter questions have none."""
    questions = normalise(pa.table({"text": benchmark()}))["normalised"].to_pylist()
    found: dict[str, None] = {}
    for question in questions:
        words = question.split()
        for start in range(len(words) - words_in_a_row + 1):
            found[f" {' '.join(words[start : start + words_in_a_row])} "] = None
    return list(found)


def flagged_locally() -> pa.Table:
    search = TableSearch(lode.Searcher(patterns()), "normalised", "flag", name="contaminated")
    return search(normalise(documents())).select(["title", "contaminated"])


def flagged_by_ray() -> pa.Table:
    import ray

    import lode.ray

    rows = ray.data.from_arrow(documents()).repartition(4).map_batches(normalise, batch_format="pyarrow")
    actors = ray.data.ActorPoolStrategy(min_size=1, max_size=2)
    found = lode.ray.search(rows, patterns(), "normalised", "flag", name="contaminated", compute=actors)
    return pa.concat_tables(ray.get(found.select_columns(["title", "contaminated"]).to_arrow_refs()))


def flagged_by_spark(session) -> pa.Table:
    import lode.spark

    frame = session.createDataFrame(documents()).repartition(4)
    frame = frame.mapInArrow(lambda batches: map(normalise, batches), "title string, text string, normalised string")
    found = lode.spark.search(frame, patterns(), "normalised", "flag", name="contaminated")
    return found.select("title", "contaminated").toArrow()


if __name__ == "__main__":
    table = run(__doc__, flagged_locally, flagged_by_ray, flagged_by_spark)
    contaminated = table.filter(table["contaminated"]).sort_by("title")
    print(f"{contaminated.num_rows} of {table.num_rows} documents contain {words_in_a_row} words of the benchmark:")
    print(", ".join(contaminated["title"].to_pylist()))
