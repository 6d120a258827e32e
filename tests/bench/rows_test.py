"""What the programs make of the definitions of rows: counts that are expected, and what is refused; and what results
tell of where they are from. Needs the programs, whose build folder is in LODE_BENCH_BUILD; GPUs take part where OpenCL
has a device."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import support
import machine

BUILD = Path(os.environ["LODE_BENCH_BUILD"])
MATCHES = (1 << 20) - 5  # six letters begin at all places of a MiB but the last five
ROW = {"name": "row", "text": "repeated", "pattern": "aaaaaa"}


class Rows(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.room = Path(temporary.name)
        self.results = self.room / "results.json"

    def measure(self, program, row, *more):
        definitions = self.room / "rows.json"
        texts = {"repeated": {"mebibytes": 2, "quick_mebibytes": 1}}
        definitions.write_text(json.dumps({"texts": texts, "rows": [row]}), encoding="utf-8")
        return subprocess.run([BUILD / "bin" / program, "--quick", "--repetitions", "1", "--rows", definitions,
                               "--json", self.results, *more], capture_output=True, text=True, check=False)

    def read(self):
        return json.loads(self.results.read_text(encoding="utf-8"))

    def measure_on_gpu(self, row, *more):
        done = self.measure("lode-bench-gpu", row, "--device", "opencl:0", *more)
        if done.returncode == 2 and os.environ.get("LODE_REQUIRE_OPENCL") != "1":
            self.skipTest(done.stderr)
        return done


class OnTheCpu(Rows):
    def test_the_right_count_is_measured(self):
        done = self.measure("lode-bench-cpu", {**ROW, "quick_expected": MATCHES, "expected": 1}, "--commit",
                            "of-the-sources")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.read()["commit"], "of-the-sources")
        self.assertEqual(self.read()["machine"]["processor"], machine.processor_name())
        self.assertGreater(self.read()["machine"]["cores"], 0)
        self.assertIn("--commit of-the-sources", self.read()["command_line"])
        self.assertTrue(any("seconds" in engine for engine in self.read()["rows"][0]["engines"]))

    def test_a_wrong_count_is_refused(self):
        done = self.measure("lode-bench-cpu", {**ROW, "quick_expected": MATCHES - 1})
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(f"counts {MATCHES} matches in the text, the definition of the row says {MATCHES - 1}; "
                      "nothing of it is reported", done.stderr)
        self.assertFalse(self.results.exists() and self.read()["rows"])

    def test_each_of_several_rows_has_its_count(self):
        several = {**ROW, "each": {"kibibytes": [1, 2, 4]}}
        right, wrong = {"row-1": 1019, "row-2": 2043}, {"row-1": 1019, "row-2": 2044}
        for counts in (list(right.values()) + [None], right):
            with self.subTest(counts):
                done = self.measure("lode-bench-cpu", {**several, "quick_expected": counts})
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual([row["matches"] for row in self.read()["rows"]], [1019, 2043, 4091])
        for counts in (list(wrong.values()) + [None], wrong):
            with self.subTest(counts):
                done = self.measure("lode-bench-cpu", {**several, "quick_expected": counts})
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("row-2: lode counts 2043 matches in the text, the definition of the row says 2044",
                              done.stderr)

    def test_of_another_text_nothing_is_expected(self):
        sample = self.room / "sample.txt"
        sample.write_text("Other words than those of the shipped sample. " * 200, encoding="utf-8")
        for option in (("--text-bytes", "64KiB"), ("--sample", sample)):
            with self.subTest(option[0]):
                done = self.measure("lode-bench-cpu", {**ROW, "quick_expected": 1}, *option)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_peers_that_a_row_leaves_out_are_named(self):
        done = self.measure("lode-bench-cpu", {**ROW, "peers": False})
        self.assertEqual(done.returncode, 0, done.stderr)
        engines = {engine["name"]: engine for engine in self.read()["rows"][0]["engines"]}
        for name in ("hyperscan", "memmem", "std::boyer_moore_searcher", "StringZilla"):
            self.assertEqual(engines[name]["not_run"], "left out by the definition of the row")
        for name, listed_bytes in (("lode", 0), ("lode find", 16)):
            engine = engines[name]
            self.assertEqual(engine["bytes_moved"], engine["bytes"] + listed_bytes * engine["matches"])

    def test_one_count_of_several_rows_and_of_none_are_refused(self):
        def several(counts):
            return {**ROW, "each": {"kibibytes": [1, 2]}, "expected": counts}

        for row, reason in ((several(1), "each row of 'row' has its own count: 'expected' is a list"),
                            (several([1]), "'expected' has 1 for 2 rows"),
                            (several({"row-3": 1}), "'expected' names a row that is none of them"),
                            ({**ROW, "expected": [1]}, "type must be number"),
                            ({**ROW, "model": "build", "expected": 1}, "counts nothing")):
            with self.subTest(reason):
                done = self.measure("lode-bench-cpu", row)
                self.assertEqual(done.returncode, 2)
                self.assertIn(reason, done.stderr)


class OfRecords(Rows):
    def test_results_tell_where_they_are_from_and_how_many_patterns_are_present(self):
        done = subprocess.run([BUILD / "bin" / "lode-bench-records", "--megabytes", "1", "--only", "short-records-4",
                               "--repetitions", "1", "--commit", "of-the-sources", "--json", self.results],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        (row,) = self.read()["workloads"]
        self.assertEqual((row["patterns_present"], row["patterns"]), (4, 4))
        self.assertEqual(self.read()["commit"], "of-the-sources")
        self.assertEqual(self.read()["machine"]["processor"], machine.processor_name())


class OnAGpu(Rows):
    def test_the_right_count_is_measured(self):
        done = self.measure_on_gpu({**ROW, "find": True, "quick_expected": MATCHES}, "--commit",
                                   "of-the-sources")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = [(one["mode"], one["matches"], one["equal_to_cpu"], one["bytes_moved"])
                 for one in self.read()["results"]]
        self.assertEqual(found, [("count", MATCHES, True, 1 << 20), ("find", MATCHES, True, (1 << 20) + 8 * MATCHES)])
        self.assertEqual(self.read()["commit"], "of-the-sources")
        self.assertEqual(self.read()["machine"]["processor"], machine.processor_name())
        self.assertIn("driver", self.read()["ran_on"][0])
        self.assertIn("lode-bench-gpu: row\n", done.stderr)

    def test_the_size_of_work_groups_that_ran_is_told(self):
        done = self.measure_on_gpu({**ROW, "algorithms": ["boyer-moore/1/2x32", "boyer-moore/64/2x4096"]})
        self.assertEqual(done.returncode, 0, done.stderr)
        ran = {one["algorithm"]: one["ran_group_items"] for one in self.read()["results"]}
        self.assertEqual(ran["boyer-moore/1/2x32"], 32)
        self.assertIn(ran["boyer-moore/64/2x4096"], range(1, 1025))

    def test_a_wrong_count_is_refused(self):
        done = self.measure_on_gpu({**ROW, "quick_expected": MATCHES + 1})
        self.assertEqual(done.returncode, 1, done.stderr)
        (one,) = self.read()["results"]
        self.assertEqual(one["error"], f"the CPU counts {MATCHES}, the definition of the row says {MATCHES + 1}")
        self.assertNotIn("seconds", one)
        # A run that goes on still tells of it.
        self.assertEqual(self.measure_on_gpu({**ROW, "quick_expected": MATCHES + 1}, "--resume").returncode, 1)


if __name__ == "__main__":
    support.main()
