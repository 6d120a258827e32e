"""Starts small clusters on this machine, and runs an example as --engine says: local, ray or spark."""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa

# The shipped text consists of chapters, each below a heading such as `Genesis 1`.
text_file = Path(__file__).resolve().parents[1] / "data" / "text.txt"


@contextlib.contextmanager
def ray_cluster() -> Iterator[None]:
    """Starts two workers. On a real cluster ray.init() alone does."""
    import ray

    with tempfile.TemporaryDirectory(prefix="ray-") as folder:
        ray.init(
            num_cpus=2,
            object_store_memory=128 << 20,
            include_dashboard=False,
            log_to_driver=False,
            logging_level="error",
            _temp_dir=folder,
        )
        ray.data.DataContext.get_current().enable_progress_bars = False
        try:
            yield
        finally:
            ray.shutdown()


@contextlib.contextmanager
def spark_session(master: str = "local[2]") -> Iterator:
    """Starts two workers. On a real cluster SparkSession.builder.getOrCreate() alone does."""
    import os

    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(master).config("spark.ui.enabled", "false")
    for name, value in (
        ("spark.driver.host", "127.0.0.1"),
        ("spark.driver.memory", "512m"),
        ("spark.executor.memory", "512m"),
        ("spark.sql.shuffle.partitions", "2"),
        ("spark.log.level", "ERROR"),
    ):
        builder = builder.config(name, value)
    with tempfile.TemporaryDirectory(prefix="spark-") as folder:
        session = builder.config("spark.local.dir", folder).getOrCreate()
        try:
            yield session
        finally:
            session.stop()


def run(example: str, local: Callable, on_ray: Callable, on_spark: Callable) -> pa.Table:
    """Runs the example on the engine that the command line names. All engines give the same table."""
    parser = argparse.ArgumentParser(description=example)
    parser.add_argument("--engine", choices=("local", "ray", "spark"), default="local")
    engine = parser.parse_args().engine
    if engine == "ray":
        with ray_cluster():
            return on_ray()
    if engine == "spark":
        with spark_session() as session:
            return on_spark(session)
    return local()
