"""Ctrl-C ends lode-table while it loads its modules."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from table_command import command

# This finder comes before all others. It stops at the import of one module, and makes a file to say so.
site = """
import sys, time

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            open("reached", "w").close()
            time.sleep(60)

sys.meta_path.insert(0, Finder())
"""


@pytest.mark.parametrize("name", ["lode", "numpy", "lode._lode", "argparse", "lode._table_command.run", "pyarrow", "tqdm"])
@pytest.mark.parametrize("is_ignored", [False, True])
def test_interrupts_of_imports(tmp_path: Path, name, is_ignored):
    (tmp_path / "sitecustomize.py").write_text(site.format(name=name))
    arguments = ["patterns", "in.csv", "--column", "text", "--out", "out.csv"]
    # A process inherits ignored signals from its parent, and pytest may itself run with SIGINT ignored. So it is set
    # here.
    action = "signal.SIG_IGN" if is_ignored else "signal.SIG_DFL"
    program = f"import os, signal, sys; signal.signal(signal.SIGINT, {action}); os.execv(sys.argv[1], sys.argv[1:])"
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    launch = [sys.executable, "-S", "-c", program, "/usr/bin/env", f"PYTHONPATH={tmp_path}", command, *arguments]
    process = subprocess.Popen(launch, cwd=tmp_path, env=clean, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with process:
        deadline = time.monotonic() + 60
        while not (tmp_path / "reached").exists():
            assert time.monotonic() < deadline and process.poll() is None, process.communicate()
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        if is_ignored:
            time.sleep(0.2)
            assert process.poll() is None
            process.terminate()
            process.wait(60)
            return
        assert process.communicate(timeout=60) == (b"", b"")
        assert process.returncode == 130
