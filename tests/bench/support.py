"""What all tests of the benches' Python share: the modules under test, and what makes a test be left out."""

import atexit
import functools
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BENCH = Path(__file__).resolve().parents[2] / "bench"
LODE_BENCH = BENCH / "lode-bench"
sys.path.insert(0, str(BENCH))
sys.dont_write_bytecode = True

LEFT_OUT = 77  # ctest reports this as skipped


def committed():
    """The folders of committed results that `plot` reads. One that holds tables alone has no figures."""
    return sorted({path.parent for path in (BENCH / "results").glob("*/*.json")})


def shown():
    """Those whose figures docs/ shows."""
    return [folder for folder in committed() if (BENCH.parent / "docs" / "figures" / folder.name).is_dir()]


@functools.cache
def drawn(kind):
    """The folder with the figures and the report of all made-up or of the shown results ("made-up", "shown"), as the
    command draws them: once for all tests of a program, because it takes most of their time."""
    import made_up
    room = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, room)
    if kind == "shown":
        folders = shown()
    else:
        folders = [made_up.write(room / "all", made_up.everything())]
    subprocess.run([sys.executable, LODE_BENCH, "plot", *folders, "--output", room / "drawn"], check=True,
                   capture_output=True)
    return room / "drawn"


def browser():
    """A Chromium, or None."""
    return next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "google-chrome"))), None)


def missing(needs):
    """What is not installed of python modules and "browser"."""
    return [need for need in needs if not (browser() if need == "browser" else importlib.util.find_spec(need))]


def main(needs=()):
    """Runs the tests of the calling file; where something is missing they are left out, or fail where the environment
    says LODE_REQUIRE_PLOT=1 (for a browser, LODE_REQUIRE_BROWSER=1)."""
    lacking = missing(needs)
    if lacking:
        required = [need for need in lacking
                    if os.environ.get("LODE_REQUIRE_BROWSER" if need == "browser" else "LODE_REQUIRE_PLOT") == "1"]
        print(f"{'Missing' if required else 'Left out, because not installed'}: {', '.join(lacking)}")
        sys.exit(1 if required else LEFT_OUT)
    program = unittest.main(exit=False)
    sys.exit(0 if program.result.wasSuccessful() and program.result.testsRun else 1)
