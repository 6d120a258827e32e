"""Starts clusters of two processes on this machine, one of Ray and one of Spark, for all tests."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "examples" / "scale_out"))

import engines  # noqa: E402


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """With two processes, one runs all that is Ray's and the other all that is Spark's, each with its own cluster."""
    for item in items:
        item.add_marker(pytest.mark.xdist_group("spark" if "spark" in item.nodeid else "ray"))


@pytest.fixture(scope="session")
def ray_cluster():
    with engines.ray_cluster():
        yield


@pytest.fixture(scope="session")
def spark():
    # A Spark session whose executors are processes of their own, so that they can die.
    with engines.spark_session("local-cluster[2,1,1024]") as session:
        yield session


@pytest.fixture
def examples():
    """The three examples as modules."""
    import count_keywords
    import decontaminate
    import pyspark.cloudpickle
    import ray.cloudpickle
    import scan_files

    modules = {"decontaminate": decontaminate, "count_keywords": count_keywords, "scan_files": scan_files}
    for module in modules.values():
        # Workers cannot import these modules, so the functions are sent by value.
        ray.cloudpickle.register_pickle_by_value(module)
        pyspark.cloudpickle.register_pickle_by_value(module)
    return modules
