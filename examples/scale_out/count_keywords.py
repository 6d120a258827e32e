"""Counts how often each keyword of a block list occurs in logs, by day.

The logs are made up, and always the same: fourteen days of a web server. All occurrences count, even if they overlap.
"""

from __future__ import annotations

import random

import pyarrow as pa
import pyarrow.compute as pc
from engines import run

import lode
from lode.tables import TableSearch

keywords = ["/admin", "/etc/passwd", "union select", "<script", "../", "sqlmap", "admin"]


def logs() -> pa.Table:
    chance = random.Random(7)
    paths = ["/", "/index.html", "/login", "/admin/login.php", "/static/../../etc/passwd", "/q?id=1 union select 1"]
    agents = ["Mozilla/5.0", "curl/8.5", "sqlmap/1.7", "administrator"]
    days, lines = [], []
    for _ in range(20_000):
        days.append(f"2026-03-{chance.randrange(1, 15):02}")
        path = chance.choices(paths, [500, 300, 200, 5, 2, 1])[0]
        agent = chance.choices(agents, [600, 100, 3, 1])[0]
        lines.append(f'10.0.{chance.randrange(256)}.{chance.randrange(256)} "GET {path}" 200 "{agent}"')
    return pa.table({"day": days, "line": lines})


def searcher() -> lode.Searcher:
    return lode.Searcher(keywords, ignore_case=True)


def count(batch: pa.Table) -> pa.Table:
    """Makes a row for each day and pattern that occur together in a batch with matches."""
    matches = batch.column("line_matches").combine_chunks()
    pattern = pc.struct_field(pc.list_flatten(matches), "pattern")
    day = batch.column("day").take(pc.list_parent_indices(matches))
    counts = pa.table({"day": day, "pattern": pattern}).group_by(["day", "pattern"]).aggregate([([], "count_all")])
    return counts.rename_columns({"count_all": "count"})


def counts_locally() -> pa.Table:
    return count(TableSearch(searcher(), "line", "matches")(logs()))


def counts_by_ray() -> pa.Table:
    import ray

    import lode.ray

    rows = ray.data.from_arrow(logs()).repartition(4)
    actors = ray.data.ActorPoolStrategy(min_size=1, max_size=2)
    found = lode.ray.search(rows, searcher().plan, "line", "matches", compute=actors)
    # There is one part for each block, and few enough of them to be added up here.
    parts = ray.get(found.map_batches(count, batch_size=None, batch_format="pyarrow").to_arrow_refs())
    sums = pa.concat_tables(parts).group_by(["day", "pattern"]).aggregate([("count", "sum")])
    return sums.rename_columns({"count_sum": "count"})


def counts_by_spark(session) -> pa.Table:
    from pyspark.sql import functions

    import lode.spark

    frame = session.createDataFrame(logs()).repartition(4)
    found = lode.spark.search(frame, searcher().plan, "line", "matches")
    each = found.select("day", functions.explode("line_matches.pattern").alias("pattern"))
    return each.groupBy("day", "pattern").count().toArrow()


if __name__ == "__main__":
    table = run(__doc__, counts_locally, counts_by_ray, counts_by_spark)
    for row in table.sort_by([("day", "ascending"), ("pattern", "ascending")]).to_pylist():
        print(row["day"], row["count"], keywords[row["pattern"]], sep="\t")
