"""The set-up of all tests. They have a folder of their own for caches, and must test the installed package."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

# This must precede loading the library, so that kernels that the tests compile do not go to the user's cache.
_cache = tempfile.TemporaryDirectory(prefix="lode-python-tests-")
os.environ["XDG_CACHE_HOME"] = os.environ.get("LODE_TEST_CACHE", _cache.name)
os.environ["POCL_EXTRA_BUILD_FLAGS"] = "-cl-opt-disable"  # PoCL takes three times as long to optimize a kernel

import hypothesis  # noqa: E402
import pytest  # noqa: E402

import lode  # noqa: E402

# The settings are those of the other tests: effort 0, 1 or 2, and the same tries in each run unless LODE_TEST_SEED is
# `random`.
_examples = [50, 200, 2000][int(os.environ.get("LODE_TEST_EFFORT", "1"))]
_repeats = os.environ.get("LODE_TEST_SEED") != "random"
hypothesis.settings.register_profile("lode", deadline=None, derandomize=_repeats, max_examples=_examples)
hypothesis.settings.load_profile("lode")

root = Path(__file__).resolve().parents[2]
if Path(lode.__file__).resolve().is_relative_to(root / "python"):
    raise RuntimeError("these tests are for the installed package: ./dev test python")


@pytest.fixture(scope="session")
def repository() -> Path:
    return root


@pytest.fixture(scope="session")
def kjv(repository: Path) -> Path:
    """A real text of some hundred KiB."""
    return repository / "examples" / "data" / "text.txt"
