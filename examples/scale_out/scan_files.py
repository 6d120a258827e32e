"""Finds indicators, which are byte strings of known malware, in many binary files.

The files are made up, and always the same: random bytes, some with indicators in them. Each file is a row. A real
collection of large files should be searched by path instead, with a task for each: searcher.find(pathlib.Path(…)).
"""

from __future__ import annotations

import contextlib
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
from engines import run

import lode
from lode.tables import TableSearch

indicators = [
    bytes.fromhex("4d5a90000300000004000000ffff0000"),
    bytes.fromhex("e8000000005b81eb"),
    b"X5O!P%@AP[4\\PZX54(P^)7CC)7}",
    b"\x00\x00\x00\x00\x00\x00\x00\x00",
]


@contextlib.contextmanager
def files() -> Iterator[Path]:
    chance = random.Random(3)
    with tempfile.TemporaryDirectory(prefix="scan-") as folder:
        for number in range(64):
            content = bytearray(chance.randbytes(chance.randrange(1, 200_000)))
            for _ in range(chance.randrange(3)):
                at = chance.randrange(len(content))
                content[at:at] = chance.choice(indicators)
            Path(folder, f"{number:04}.bin").write_bytes(content)
        yield Path(folder)


def listed(batch: pa.Table | pa.RecordBatch) -> pa.Table:
    """Makes a row for each match in a batch with the columns `path` and `content_matches`."""
    table = batch if isinstance(batch, pa.Table) else pa.Table.from_batches([batch])
    matches = table["content_matches"].combine_chunks()
    elements = pc.list_flatten(matches)
    names = pc.replace_substring_regex(table["path"], r".*/", "").take(pc.list_parent_indices(matches))
    found = [pc.struct_field(elements, name) for name in ("offset", "pattern")]
    return pa.table([names, *found], names=["file", "offset", "pattern"])


def found_locally() -> pa.Table:
    with files() as folder:
        paths = sorted(folder.iterdir())
        rows = pa.table({"path": [str(path) for path in paths], "content": [path.read_bytes() for path in paths]})
        return listed(TableSearch(lode.Searcher(indicators), "content", "matches")(rows))


def found_by_ray() -> pa.Table:
    import ray

    import lode.ray

    with files() as folder:
        rows = ray.data.read_binary_files(str(folder), include_paths=True).rename_columns({"bytes": "content"})
        actors = ray.data.ActorPoolStrategy(min_size=1, max_size=2)
        found = lode.ray.search(rows, indicators, "content", "matches", compute=actors)
        tables = ray.get(found.map_batches(listed, batch_size=None, batch_format="pyarrow").to_arrow_refs())
        return pa.concat_tables(tables)


def found_by_spark(session) -> pa.Table:
    from pyspark.sql import functions

    import lode.spark

    with files() as folder:
        rows = session.read.format("binaryFile").load(str(folder)).select("path", "content")
        found = lode.spark.search(rows, indicators, "content", "matches")
        each = found.select(
            functions.element_at(functions.split("path", "/"), -1).alias("file"),
            functions.explode("content_matches").alias("match"),
        )
        return each.select("file", "match.offset", "match.pattern").toArrow()


if __name__ == "__main__":
    table = run(__doc__, found_locally, found_by_ray, found_by_spark)
    for row in table.sort_by([(name, "ascending") for name in table.column_names]).to_pylist():
        print(row["file"], row["offset"], indicators[row["pattern"]].hex(), sep="\t")
