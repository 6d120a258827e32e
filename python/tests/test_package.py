"""Tests the package as a whole: types, documentation, the examples of pages, devices."""

from __future__ import annotations

import ast
import doctest
import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pyarrow as pa
import pytest
from oracle import first_dense
from pages import examples_of
from record_checks import check_all

import lode
import lode._lode
import lode_decontaminate

# these guides have examples marked `run`
PAGES = ("python", "tables-and-clusters", "databases", "decontamination", "records", "coming-from")


def test_version():
    assert lode.__version__ == lode.version() == metadata.version("lode-search")


@pytest.mark.parametrize("package", [lode, lode_decontaminate])
def test_every_public_name_is_documented(package):
    for name in package.__all__:
        thing = getattr(package, name)
        if isinstance(thing, type) or callable(thing):
            assert thing.__doc__, name
        if isinstance(thing, type) and thing.__module__.startswith("lode"):
            for member, value in vars(thing).items():
                if not member.startswith("_") and callable(value):
                    assert value.__doc__, f"{name}.{member}"


def test_public_classes_are_of_the_package():
    for name in ("PatternSet", "Plan", "Records", "BooleanColumn", "Device", "ResidentRecords", "ResidentText"):
        assert getattr(lode, name).__module__ == "lode"


def test_stubs_are_there():
    folder = Path(lode.__file__).parent
    assert (folder / "py.typed").exists()
    stub = ast.parse((folder / "_lode.pyi").read_text())
    stubbed = {node.name for node in stub.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    compiled = {name for name in dir(lode._lode) if not name.startswith("_")}
    assert compiled <= stubbed


def test_types():
    packages = [part for name in ("lode", "lode_table", "lode_decontaminate") for part in ("-p", name)]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull, *packages],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_dockerfile_passes_its_linter():
    root = Path(__file__).parents[2]
    linter = Path(sys.executable).parent / "hadolint"
    done = subprocess.run([linter, root / "Dockerfile"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_command_comes_with_the_package():
    command = Path(sys.executable).parent / "lode"
    done = subprocess.run([command, "--version"], capture_output=True, text=True, timeout=60)
    assert done.stdout.startswith(f"lode {lode.__version__}\n"), done.stderr


def test_representations():
    column = lode.Searcher(["a"]).contains(["a", None])
    for thing, expected in (
        (lode.PatternSet(["a", "bc"]), "<lode.PatternSet: 2 patterns of 3 bytes>"),
        (lode.Records(["a", None]), "<lode.Records: 2 records of 1 bytes>"),
        (column, "<lode.BooleanColumn: 2 values, 1 nulls>"),
        (lode.open_device("cpu"), "<lode.Device cpu>"),
        (lode.Searcher(["a"], "cpu"), "<lode.Searcher: 1 patterns on cpu>"),
    ):
        assert repr(thing) == expected
    assert repr(lode.compile(["a"])).startswith("<lode.Plan: 1 patterns, ")


def test_doctests():
    for package in (lode, lode_decontaminate):
        result = doctest.testmod(package)
        assert result.attempted > 0 and result.failed == 0


def test_the_reference_is_up_to_date(repository: Path):
    program = repository / "python" / "tools" / "api_reference.py"
    made = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=120, check=True).stdout
    assert made == (repository / "docs" / "python-api.md").read_text(), "run ./dev python-docs"


@pytest.mark.parametrize("page", ["README.md", *(f"docs/guide/{name}.md" for name in PAGES)])
def test_examples_of_pages(repository: Path, tmp_path: Path, page):
    """The blocks of a page that are marked `run` print what the page says. They run from top to bottom in one folder.
    """
    programs = {"python": [sys.executable, "-W", "error", "-c"], "sh": ["bash", "-ec"]}
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    examples = examples_of(repository / page, "run")
    assert examples
    for language, source, expected in examples:
        command = [*programs[language], source]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}  # both go to one place, as on a terminal
        done = subprocess.run(command, **pipes, text=True, timeout=120, cwd=tmp_path, env=environment)
        assert done.stdout == expected


def test_devices():
    rows = lode.devices()
    assert rows[0].name == "cpu" and rows[0].available and not rows[0].is_gpu
    assert all(row.available == (row.reason == "") for row in rows)
    assert lode.open_device("cpu") is lode.open_device("cpu")
    for row in rows:
        if not row.available and row.is_gpu:
            with pytest.raises(lode.Error) as caught:
                lode.open_device(row.name)
            assert caught.value.kind in ("device", "invalid_argument")
    with pytest.raises(lode.Error) as caught:
        lode.ResidentText("text", "cpu")
    assert caught.value.kind == "unsupported"
    with pytest.raises(TypeError):
        lode.open_device(5)


def test_a_gpu():
    """PoCL counts as a GPU, too."""
    gpus = [row.name for row in lode.devices() if row.available and row.name.startswith(("opencl:", "cuda:"))]
    if not gpus:
        if os.environ.get("LODE_REQUIRE_OPENCL") == "1":
            pytest.fail("there is no OpenCL device, and LODE_REQUIRE_OPENCL is set")
        pytest.skip("there is no GPU")
    name = gpus[0]
    text = b"ushers " * 1000
    searcher = lode.Searcher(["he", "she"], name)
    expected = lode.Searcher(["he", "she"], "cpu").find(text)
    stats: dict = {}
    assert searcher.find(text, stats=stats).tolist() == expected.tolist()
    assert stats["device"] == name
    resident = lode.ResidentText(text, name)
    assert len(resident) == len(text)
    assert searcher.count(resident) == len(expected)
    assert searcher.find(resident).tolist() == expected.tolist()
    assert searcher.contains(["she", "none", None]).values.tolist() == [True, False, False]
    assert searcher.first(["she", "the"]).tolist() == [[1, 0], [1, -1]]
    records = [b"she", None, b"the", b"none", b"she"]
    plain = pa.array(records)
    chunked = pa.chunked_array([plain.slice(1), plain])
    for source in (records, plain, chunked, plain.dictionary_encode(), plain.cast(pa.binary_view())):
        expected_records = source if isinstance(source, list) else source.to_pylist()
        on_device = lode.ResidentRecords(source, name)
        check_all(searcher, on_device, first_dense(expected_records, [b"he", b"she"]), expected_records)
    with pytest.raises(lode.Error) as caught:
        lode.ResidentRecords(records, "cpu")
    assert caught.value.kind == "unsupported"
    with pytest.raises(lode.Error) as caught:
        lode.Searcher(["he"], "cpu").contains(on_device)
    assert caught.value.kind == "unsupported"
    with pytest.raises(lode.Error) as caught:
        lode.Searcher(["he"], "cpu").count(resident)
    assert caught.value.kind == "unsupported"
