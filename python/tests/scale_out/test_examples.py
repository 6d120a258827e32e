"""Each example gives the same on every engine as in one process."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from pages import examples_of

programs = {
    "decontaminate": ("flagged", ["title"]),
    "count_keywords": ("counts", ["day", "pattern"]),
    "scan_files": ("found", ["file", "offset", "pattern"]),
}
printed = {
    "decontaminate": "19 of 340 documents contain 13 words of the benchmark:",
    "count_keywords": "2026-03-01\t9\t/admin",
    "scan_files": "0000.bin\t",
}


def values(table, keys):
    return table.sort_by([(key, "ascending") for key in keys]).to_pylist()


@pytest.mark.parametrize("name", programs)
def test_on_one_process(repository: Path, name):
    program = repository / "examples" / "scale_out" / f"{name}.py"
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    assert printed[name] in done.stdout


# The third example runs from the command line.
on_clusters = ["count_keywords", "scan_files"]


@pytest.mark.parametrize("name", on_clusters)
def test_on_ray(ray_cluster, examples, name):
    prefix, keys = programs[name]
    expected = getattr(examples[name], f"{prefix}_locally")()
    assert expected.num_rows > 20
    assert values(getattr(examples[name], f"{prefix}_by_ray")(), keys) == values(expected, keys)


@pytest.mark.parametrize("name", on_clusters)
def test_on_spark(spark, examples, name):
    prefix, keys = programs[name]
    expected = getattr(examples[name], f"{prefix}_locally")()
    assert values(getattr(examples[name], f"{prefix}_by_spark")(spark), keys) == values(expected, keys)


@pytest.mark.parametrize("engine", ["ray", "spark"])
def test_from_the_command_line(repository: Path, engine):
    program = repository / "examples" / "scale_out" / "decontaminate.py"
    command = [sys.executable, "-W", "ignore", program]
    expected = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    done = subprocess.run([*command, "--engine", engine], capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    assert done.stdout == expected


def test_the_tutorial(repository: Path, tmp_path: Path):
    examples = examples_of(repository / "docs" / "guide" / "tables-and-clusters.md", "cluster")
    assert len(examples) == 2
    with tempfile.TemporaryDirectory(prefix="ray-") as folder:
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path, "RAY_TMPDIR": folder}
        for _, source, expected in examples:
            command = [sys.executable, "-W", "ignore", "-c", source]
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=240, cwd=tmp_path, env=environment
            )
            assert (done.returncode, done.stdout) == (0, expected), done.stderr
