"""lode-bench run: what was finished before a kill stays as it was, results of something else are refused; and peers that
are Python packages: verified, measured, or named with the reason. Needs the programs, whose build folder is in
LODE_BENCH_BUILD; what needs none is tested all the same."""

import argparse
import contextlib
import csv
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock
from pathlib import Path

import support
import made_up
import machine
import peers
import run
import run_state

BUILD = os.environ.get("LODE_BENCH_BUILD")
ROWS = ("one-rare", "one-frequent", "english-4", "dna-one")
FACTS = {"commit": "c", "processor": "p", "cores": 2, "memory_bytes": 1, "kernel": "k", "system": "s",
         "versions": {"lode": "1"}}
# A package as the real one is called, which counts as it is told.
STRINGZILLA = """
import time
__capabilities__ = ("serial", "made-up")

def count(text, pattern, allowoverlap):
    whole, found, at = bytes(text), 0, -1
    while (at := whole.find(pattern, at + 1)) >= 0:
        found += 1
    time.sleep({seconds})
    return found + {wrong}
"""

# Stands for every program: leaves a made-up file where it is told to, and notes how it was called.
PROGRAM = """#!{python}
import os, shutil, sys
with open({calls!r}, "a", encoding="utf-8") as calls:
    print(os.path.basename(sys.argv[0]), *sys.argv[1:], file=calls)
if "--version" in sys.argv:
    print("lode 0")
elif "--list-devices" in sys.argv:
    print("cpu\\tmade up\\ncuda:0\\tA GPU, driver for CUDA 13.0\\ncuda:1\\tanother\\nopencl:0\\tA GPU, driver 1.2.3")
    print("opencl:1\\tnot available: made up\\ninstruction sets of the CPU: none")
elif "--json" in sys.argv:
    target = sys.argv[sys.argv.index("--json") + 1]
    shutil.copy(os.path.join({made_up!r}, os.path.basename(target)), target)
"""


class Room(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.room = Path(self.temporary.name)


class State(Room):
    def state(self, **changed):
        return run_state.State(self.room, FACTS | changed, "digest")

    def test_parts_go_on_until_they_are_finished(self):
        state = self.state()
        self.assertTrue(state.is_new)
        self.assertTrue(state.begin("library", {"quick": True}))
        state = self.state()
        self.assertFalse(state.is_new)
        self.assertTrue(state.begin("library", {"quick": True}))
        state.finish("library")
        self.assertFalse(self.state().begin("library", {"quick": True}))
        self.assertTrue(self.state().begin("records", {"quick": True}))

    def test_another_commit_machine_program_or_command_is_refused(self):
        self.state().begin("library", {"quick": True})
        for changed in ({"commit": "d"}, {"processor": "q"}, {"cores": 3}, {"versions": {"lode": "2"}}):
            with self.subTest(changed), self.assertRaisesRegex(run_state.Differs, f"{next(iter(changed))} was .*--again"):
                self.state(**changed)
        with self.assertRaisesRegex(run_state.Differs, "programs was digest"):
            run_state.State(self.room, FACTS, "another")
        with self.assertRaisesRegex(run_state.Differs, "quick was True, now it is False"):
            self.state().begin("library", {"quick": False})

    def test_a_file_is_replaced_as_a_whole(self):
        path = self.room / "a.json"
        run_state.write_json(path, {"a": 1})
        with self.assertRaises(TypeError):
            run_state.write_json(path, {"a": object()})
        self.assertEqual(json.loads(path.read_text(encoding="utf-8")), {"a": 1})

    def test_results_of_whole_programs_tell_where_they_are_from(self):
        path = self.room / "commands.json"
        origin = {"commit": "c", "machine": {"processor": "p", "cores": 2}, "command_line": "lode-bench run build"}
        commands = peers.Commands(self.room, True, print, path, origin=origin)
        with unittest.mock.patch.multiple(commands, contests=unittest.mock.DEFAULT, threads=lambda name: {"name": name},
                                          pipe_memory=lambda output: {"name": output}, start_up=lambda: []):
            commands.measure()
        content = json.loads(path.read_text(encoding="utf-8"))
        self.assertEqual({key: content[key] for key in origin}, origin)

    def test_rows_of_whole_programs_are_measured_once(self):
        path = self.room / "commands.json"
        commands = peers.Commands(self.room, True, print, path)
        measured = []

        def row(name):
            measured.append(name)
            return {"name": name}

        content = {}
        for name in ("a", "b", "a"):
            commands.once(content, "contests", name, lambda name=name: row(name))
        self.assertEqual(measured, ["a", "b"])
        content = json.loads(path.read_text(encoding="utf-8"))
        for name in ("b", "c"):
            commands.once(content, "contests", name, lambda name=name: row(name))
        self.assertEqual(measured, ["a", "b", "c"])
        self.assertEqual(json.loads(path.read_text(encoding="utf-8"))["contests"], [{"name": name} for name in "abc"])


class MadeUp(Room):
    """Runs of which the programs are made up."""

    def setUp(self):
        super().setUp()
        self.build, self.results = self.room / "build", self.room / "results"
        self.made_up = made_up.write(self.room / "made-up", made_up.everything())
        self.calls = self.room / "calls.txt"
        (self.build / "bin").mkdir(parents=True)
        for name in run.PROGRAMS:
            program = self.build / "bin" / name
            program.write_text(PROGRAM.format(python=sys.executable, calls=str(self.calls), made_up=str(self.made_up)),
                               encoding="utf-8")
            program.chmod(0o755)

    def run_with(self, *words):
        """Exit code, output and errors of `lode-bench run BUILD WORDS…`."""
        parser = argparse.ArgumentParser()
        run.add_arguments(parser)
        arguments = parser.parse_args([str(self.build), "--output", str(self.results), "--python", sys.executable,
                                       *map(str, words)])
        output, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            code = run.main(arguments)
        return code, output.getvalue(), errors.getvalue()

    def test_experiments_of_gpus_are_compared_by_device(self):
        old = self.room / "old.json"
        slower = json.loads((self.made_up / "experiments-opencl.json").read_text(encoding="utf-8"))
        for one in slower["results"]:
            if one["row"] == "set-1-dna":
                one["seconds"] = [seconds / 2 for seconds in one["seconds"]]
        old.write_text(json.dumps(slower), encoding="utf-8")
        code, output, errors = self.run_with("--part", "gpu-experiments", "--device", "cuda", "--device", "opencl",
                                             "--compare", old)
        self.assertEqual(code, 1, errors)
        self.assertIn("Slower: 1\n", output)
        self.assertRegex(output, r"set-1-dna: auto, count +0\.500")
        self.assertIn("Faster: 0\nVanished: 0\nAppeared: 0\n", output)
        code, output, _ = self.run_with("--part", "gpu-experiments", "--device", "cuda", "--device", "opencl",
                                        "--compare", self.made_up / "experiments-opencl.json")
        self.assertEqual(code, 0, output)

    def test_a_part_is_compared_with_a_file_of_its_kind(self):
        code, output, errors = self.run_with("--part", "records", "--part", "library", "--compare",
                                             self.made_up / "library.json")
        self.assertEqual(code, 0, errors)
        self.assertIn("Vanished: 0\nAppeared: 0\n", output)

    def called(self):
        """The programs that were called to measure, in their order."""
        lines = self.calls.read_text(encoding="utf-8").splitlines() if self.calls.exists() else []
        return [line.split()[0] for line in lines if "--json" in line]

    def test_tables_of_gpus_have_least_and_most_and_call_finding_listing(self):
        done = subprocess.run([sys.executable, support.BENCH / "gpu_tables.py", self.made_up], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.made_up / "gpu.csv", newline="", encoding="utf-8") as file:
            row = next(csv.DictReader(file))
        measured = made_up.gpu_files()["cuda"]["results"][0]["seconds"]
        self.assertEqual([float(row[name]) for name in ("least", "seconds", "most")], sorted(measured))
        summary = (self.made_up / "summary.md").read_text(encoding="utf-8")
        self.assertIn("| one rare word (`one-rare`) | listing |", summary)
        self.assertNotIn("| find |", summary)

    def measure_commands(self):
        run_state.write_json(self.results / "commands.json", made_up.commands())
        return made_up.commands()

    def test_a_full_run_measures_all_parts_and_goes_on(self):
        full = ("--full", "--device", "cuda", "--device", "opencl")
        with unittest.mock.patch("peers.Commands") as measuring:
            measuring.return_value.measure.side_effect = KeyboardInterrupt
            self.assertEqual(self.run_with(*full)[0], 130)
            before = self.called()
            self.assertEqual(before, ["lode-bench-cpu", "lode-bench-records"])
            measuring.return_value.measure.side_effect = self.measure_commands
            code, summary, errors = self.run_with(*full)
        self.assertEqual(code, 0, errors)
        self.assertEqual(self.called()[len(before):], ["lode-bench-cpu", "lode-bench-gpu", "lode-bench-gpu"])
        for name in ("library", "commands", "experiments", "experiments-cuda", "experiments-opencl"):
            self.assertTrue((self.results / f"{name}.csv").exists(), name)
        for heading in ("In process: counting", "Records × patterns", "Whole processes", "Experiments: counting",
                        "Experiments: listing", "Experiments on cuda", "Experiments on opencl"):
            self.assertTrue(f"\n## {heading}" in summary, heading)
        self.assertEqual(self.run_with(*full)[0], 0)
        self.assertEqual(len(self.called()), 5)

    def test_machine_json_names_the_gpus_that_take_part(self):
        def known():
            return json.loads((self.results / "machine.json").read_text(encoding="utf-8"))

        self.assertEqual(self.run_with("--part", "library")[0], 0)
        self.assertNotIn("devices", known())
        code, summary, errors = self.run_with("--part", "records", "--device", "cuda", "--device", "opencl:1")
        self.assertEqual(code, 0, errors)
        self.assertEqual(known()["devices"], {"cuda:0": "A GPU, driver for CUDA 13.0",
                                              "opencl:1": "not available: made up"})
        self.assertIn("cuda:0: A GPU, driver for CUDA 13.0; opencl:1: ", summary)
        machine_json = known()
        machine_json["devices"]["cuda:0"] = "an older one"
        run_state.write_json(self.results / "machine.json", machine_json)
        code, _, errors = self.run_with("--part", "gpu-experiments", "--device", "cuda")
        self.assertEqual(code, 2)
        self.assertIn("another cuda:0: it was an older one, now it is A GPU", errors)

    def test_all_names_of_devices_are_understood(self):
        lode = self.build / "bin" / "lode"
        for option, names in (("cuda:all", ["cuda:0", "cuda:1"]), ("cuda:0,1", ["cuda:0", "cuda:1"]),
                              ("cuda:0,cuda:1", ["cuda:0", "cuda:1"]), ("cuda:1", ["cuda:1"]),
                              ("opencl", ["opencl:0"])):
            with self.subTest(option):
                self.assertEqual(list(machine.devices(lode, [option])), names)
        told = self.room / "version"
        for line in ("NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Wed\n",
                     "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build\n"):
            told.write_text(line, encoding="utf-8")
            self.assertEqual(machine.nvidia_driver(told), "580.159.04")
        self.assertIsNone(machine.nvidia_driver(self.room / "absent"))

    def test_records_have_a_csv_and_may_be_large(self):
        self.assertEqual(self.run_with("--part", "records", "--large")[0], 0)
        self.assertIn(" --large\n", self.calls.read_text(encoding="utf-8"))
        with open(self.results / "records.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        measured = [one for row in made_up.records()["workloads"] for one in row["contestants"]]
        of_cells = [row for row in rows if row["place"] == "cuda:0 resident, in turns"]
        self.assertEqual([(row["contestant"], row["least"], row["times_cell_kernel"]) for row in of_cells[:2]],
                         [("filter", "0.099", "4.0"), ("a work-item for each cell", "0.396", "")])
        for row, one in zip([row for row in rows if row not in of_cells], measured, strict=True):
            self.assertEqual([row[name] for name in ("contestant", "place", "output")],
                             [one[name] for name in ("name", "place", "output")])
            self.assertEqual([float(row[name]) for name in ("least", "seconds", "most")], sorted(one["seconds"]))
        self.assertEqual({row["share_present"] for row in rows}, {"0.75"})
        self.assertEqual(self.run_with("--part", "records")[0], 2)
        for words in (("--quick",), ("--part", "library")):
            code, _, errors = self.run_with("--large", *words)
            self.assertEqual(code, 2)
            self.assertIn("--large is a size of records", errors)

    def test_experiments_of_gpus_have_least_and_most(self):
        self.assertEqual(self.run_with("--part", "gpu-experiments", "--device", "cuda")[0], 0)
        with open(self.results / "experiments-cuda.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        measured = made_up.everything()["experiments-cuda"]["results"]
        for row, one in zip(rows, measured, strict=True):
            found = [float(row[name]) for name in ("least", "seconds", "most") if row[name]]
            self.assertEqual(found, sorted(one.get("seconds", [])))
            self.assertEqual((row["mode"], row["not_run"]), (one["mode"], one.get("not_run", "")))
            self.assertEqual(row["ran_group_items"], str(one.get("ran_group_items", "")))

    def test_what_differs_is_told_apart_from_what_failed(self):
        for name in ("cuda", "experiments-cuda"):
            path = self.made_up / f"{name}.json"
            content = json.loads(path.read_text(encoding="utf-8"))
            content["results"] += made_up.gpu_faults()
            path.write_text(json.dumps(content), encoding="utf-8")
        done = subprocess.run([sys.executable, support.BENCH / "gpu_tables.py", self.made_up], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        summary = (self.made_up / "summary.md").read_text(encoding="utf-8")
        self.assertRegex(summary, r"\n\| one pattern of 50 bytes \(`one-50`\) \| listing \|.*\| \*\*no, differs\*\* \| \*\*DIFFERS\*\* \|\n")
        self.assertRegex(summary, r"\n\| one pattern of 20 bytes \(`one-20`\) \| counting \|.*\| \*\*no, failed\*\* \| \*\*FAILED\*\* \|\n")
        self.assertIn("listing, cuda.json: **DIFFERS**: counts 3, the CPU counts 4\n", summary)
        code, summary, errors = self.run_with("--part", "gpu-experiments", "--device", "cuda")
        self.assertEqual(code, 0, errors)
        self.assertRegex(summary, r"\n\| one pattern of 50 bytes \(`one-50`\) \| listing \| – \| – \| \*\*DIFFERS\*\* \|")
        self.assertRegex(summary, r"\n\| one pattern of 20 bytes \(`one-20`\) \| counting \| – \| – \| \*\*FAILED\*\* \|")
        with open(self.results / "experiments-cuda.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([(row["row"], row["mode"], row["bytes"], row["not_run"]) for row in rows[-2:]],
                         [("one-50", "find", str(8 << 30), "counts 3, the CPU counts 4"),
                          ("one-20", "count", "", "the device is lost")])

    def test_every_program_is_told_the_commit_and_the_repetitions(self):
        with unittest.mock.patch("peers.Commands") as measuring:
            measuring.return_value.measure.side_effect = self.measure_commands
            code, _, errors = self.run_with("--full", "--device", "cuda", "--repetitions", "2")
        self.assertEqual(code, 0, errors)
        self.assertEqual(measuring.call_args.args[-1], 2)
        calls = [line for line in self.calls.read_text(encoding="utf-8").splitlines() if "--json" in line]
        self.assertEqual(len(calls), 4)
        commit = json.loads((self.results / "machine.json").read_text(encoding="utf-8"))["commit"]
        for call in calls:
            self.assertEqual(call.count(" --repetitions 2"), 1, call)
            self.assertIn(f" --commit {commit} ", call)
        origin = measuring.call_args.kwargs["origin"]
        self.assertEqual(origin["commit"], commit)
        self.assertEqual(set(origin["machine"]), {"processor", "cores"})
        self.assertTrue(origin["command_line"].startswith("lode-bench"))
        code, _, errors = self.run_with("--full", "--device", "cuda")
        self.assertEqual(code, 2)
        self.assertIn("repetitions was 2", errors)

    def test_a_program_that_cannot_be_started_is_an_error(self):
        (self.build / "bin" / "lode-bench-cpu").chmod(0o644)
        code, _, errors = self.run_with("--part", "library")
        self.assertEqual(code, 2)
        self.assertIn("lode-bench run: ", errors)
        self.assertIn("lode-bench-cpu", errors)

    def test_a_full_run_without_gpus_leaves_their_experiments_out(self):
        with unittest.mock.patch("peers.Commands") as measuring:
            measuring.return_value.measure.side_effect = self.measure_commands
            code, summary, errors = self.run_with("--full")
        self.assertEqual(code, 0, errors)
        self.assertEqual(self.called(), ["lode-bench-cpu", "lode-bench-records", "lode-bench-cpu"])
        self.assertNotIn("Experiments on", summary)
        with contextlib.redirect_stderr(io.StringIO()), self.assertRaises(SystemExit):
            self.run_with("--full", "--part", "library")

    def test_a_run_of_experiments_alone_has_a_summary_of_them(self):
        for words, heading in ((("experiments",), "## Experiments: counting"),
                               (("gpu-experiments", "--device", "opencl"), "## Experiments on opencl")):
            with self.subTest(words[0]):
                code, summary, errors = self.run_with("--again", "--part", *words)
                self.assertEqual(code, 0, errors)
                self.assertIn(heading, summary)
                self.assertEqual((self.results / "summary.md").read_text(encoding="utf-8") + "\n", summary)

    def test_what_cannot_be_compared_is_said_before_anything_is_measured(self):
        code, _, errors = self.run_with("--part", "library", "--compare", self.room / "absent.json")
        self.assertEqual(code, 2)
        self.assertIn("absent.json", errors)
        self.assertFalse(self.results.exists())


@unittest.skipUnless(BUILD, "LODE_BENCH_BUILD names no build folder")
class Killed(Room):
    def command(self, *more):
        return [sys.executable, support.LODE_BENCH, "run", BUILD, "--quick", "--part", "library", "--only",
                "|".join(ROWS), "--python", sys.executable, "--output", self.room / "results", *more]

    def start(self):
        """Until a row is finished."""
        # A group of its own, so that all programs of the run get what a terminal or a failure of power would give them.
        started = subprocess.Popen(self.command(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                   start_new_session=True)
        self.addCleanup(started.stderr.close)
        limit = time.monotonic() + 120
        while not self.rows() and started.poll() is None and time.monotonic() < limit:
            time.sleep(0.01)
        self.assertIsNone(started.poll(), "the run ended before it could be interrupted")
        return started

    def rows(self):
        path = self.room / "results" / "library.json"
        return json.loads(path.read_text(encoding="utf-8"))["rows"] if path.exists() else []

    def finish(self, *more):
        return subprocess.run(self.command(*more), capture_output=True, text=True, check=False)

    def check_that_it_goes_on(self):
        before = self.rows()
        self.assertTrue(0 < len(before) < len(ROWS))
        done = self.finish()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"{before[0]['name']} was measured before", done.stderr)
        after = self.rows()
        self.assertEqual(after[:len(before)], before)
        self.assertEqual([row["name"] for row in after], list(ROWS))
        for name in ("library.csv", "summary.md", "machine.json"):
            self.assertTrue((self.room / "results" / name).exists(), name)

    def test_a_killed_run_goes_on_and_mixes_nothing(self):
        started = self.start()
        os.killpg(started.pid, signal.SIGKILL)
        started.wait()
        self.check_that_it_goes_on()

        finished = self.rows()
        done = self.finish()
        self.assertEqual(done.returncode, 0)
        self.assertIn("library: all of it was measured before", done.stderr)
        self.assertEqual(self.rows(), finished)

        path = self.room / "results" / "run.json"
        state = json.loads(path.read_text(encoding="utf-8"))
        state["of"]["commit"] = "another"
        path.write_text(json.dumps(state), encoding="utf-8")
        done = self.finish()
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, "commit was another, now it is .*--output, or --again")
        self.assertEqual(self.rows(), finished)
        path.unlink()
        done = self.finish()
        self.assertEqual(done.returncode, 2)
        self.assertIn("nothing tells what they are of", done.stderr)
        done = self.finish("--again", "--compare", self.room / "results" / "library.json")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertIn("Vanished: 0\nAppeared: 0\n", done.stdout)
        self.assertNotEqual(self.rows(), finished)

    def test_an_interrupted_run_says_so_and_goes_on(self):
        started = self.start()
        os.killpg(started.pid, signal.SIGINT)
        _, errors = started.communicate(timeout=60)
        self.assertEqual(started.returncode, 130, errors)
        self.assertIn("the same command with the same folder goes on", errors)
        self.check_that_it_goes_on()


@unittest.skipUnless(BUILD, "LODE_BENCH_BUILD names no build folder")
class PythonPeers(Room):
    def measure(self, wrong, model="count", seconds=0, patterns=None, options=()):
        """Exit code, errors and the engines of a row, with a StringZilla that counts so many too many, and takes so long."""
        packages = self.room / "packages"
        (packages / "stringzilla-9.8.7.dist-info").mkdir(parents=True, exist_ok=True)
        (packages / "stringzilla-9.8.7.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: stringzilla\n"
                                                                           "Version: 9.8.7\n", encoding="utf-8")
        (packages / "stringzilla.py").write_text(STRINGZILLA.format(wrong=wrong, seconds=seconds), encoding="utf-8")
        python = self.room / "python3"
        # Without the packages of this machine.
        python.write_text(f'#!/bin/sh\nPYTHONPATH={packages} exec {sys.executable} -S "$@"\n', encoding="utf-8")
        python.chmod(0o755)
        rows = self.room / "rows.json"
        rows.write_text(json.dumps({"texts": {"english": {"mebibytes": 1, "quick_mebibytes": 1}}, "rows": [
            {"name": "row", "model": model, "text": "english", **(patterns or {"pattern": "an"})}]}), encoding="utf-8")
        results = self.room / "results.json"
        results.unlink(missing_ok=True)
        done = subprocess.run([Path(BUILD) / "bin" / "lode-bench-cpu", "--quick", "--rows", rows, "--python", python,
                               "--json", results, *options], capture_output=True, text=True, check=False)
        engines = json.loads(results.read_text(encoding="utf-8"))["rows"][0]["engines"] if results.exists() else []
        return done.returncode, done.stderr, {engine["name"]: engine for engine in engines if engine["threads"] == "1"}

    def test_a_right_one_is_measured_and_missing_ones_are_named(self):
        code, errors, engines = self.measure(0)
        self.assertEqual(code, 0, errors)
        measured = engines["StringZilla"]
        self.assertEqual(measured["detail"], "stringzilla 9.8.7, made-up")
        self.assertEqual(measured["matches"], engines["hyperscan" if "seconds" in engines["hyperscan"] else "memmem"]["matches"])
        self.assertEqual(len(measured["seconds"]["all"]), 3)
        for name in ("pyahocorasick", "ahocorasick-rs"):
            self.assertEqual(engines[name]["not_run"], f"not installed: pip install {name}")

    def test_a_wrong_one_lets_nothing_be_reported(self):
        code, errors, engines = self.measure(1)
        self.assertEqual((code, engines), (1, {}))
        self.assertIn("StringZilla counts", errors)

    def test_one_that_is_too_slow_is_ended_and_named(self):
        begin = time.monotonic()
        code, errors, engines = self.measure(0, seconds=100, options=("--most-seconds", "0.5"))
        self.assertEqual(code, 0, errors)
        self.assertEqual(engines["StringZilla"]["not_run"], "too slow: > 0.5 s")
        self.assertIn("seconds", engines["lode"])
        self.assertLess(time.monotonic() - begin, 60)

    def test_what_compiles_for_too_long_is_ended_and_named(self):
        many = {"patterns": {"kind": "english", "count": 10000}}
        code, errors, engines = self.measure(0, patterns=many)
        self.assertEqual(code, 0, errors)
        if "was not there" in engines["hyperscan"].get("not_run", ""):
            self.skipTest(engines["hyperscan"]["not_run"])
        self.assertIn("seconds", engines["hyperscan"])  # so it counts as Lode does
        code, errors, engines = self.measure(0, patterns=many, options=("--most-seconds", "0.01"))
        self.assertEqual(code, 0, errors)
        self.assertEqual(engines["hyperscan"]["not_run"], "too slow: > 0.01 s")

    def test_a_slow_one_has_fewer_repetitions(self):
        code, errors, engines = self.measure(0, seconds=4)
        self.assertEqual(code, 0, errors)
        self.assertEqual(len(engines["StringZilla"]["seconds"]["all"]), 2)
        self.assertEqual(len(engines["lode"]["seconds"]["all"]), 3)

    def test_what_it_does_not_serve_is_said(self):
        for model, reason in (("find", "lists no positions"), ("stream", "no streams"), ("records", "no records")):
            with self.subTest(model):
                code, errors, engines = self.measure(0, model)
                self.assertEqual(code, 0, errors)
                self.assertIn(reason, engines["StringZilla"]["not_run"])
                self.assertIn("seconds", engines["lode"])


if __name__ == "__main__":
    support.main()
