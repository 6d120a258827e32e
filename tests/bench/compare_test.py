"""lode-bench compare: what moved, what is noise, what vanished and appeared, of all formats; and its exit codes."""

import copy
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import support
import made_up
from compare import compare
from measurements import Measurement, read
from result_folder import kind_of


def measured(*rates):
    return Measurement(tuple(rates))


def names(rows):
    return [row[0] for row in rows]


class Noise(unittest.TestCase):
    def test_a_change_beyond_noise_and_spread_moved(self):
        slower, faster, vanished, appeared = compare({"a": measured(100, 101, 99), "b": measured(10, 10, 10)},
                                                     {"a": measured(80, 81, 79), "b": measured(12, 12, 12)}, 0.03)
        self.assertEqual((names(slower), names(faster), vanished, appeared), (["a"], ["b"], [], []))
        self.assertAlmostEqual(slower[0][1], 0.8)

    def test_a_change_within_the_spread_of_either_run_did_not_move(self):
        steady, shaky = measured(100, 100, 100), measured(110, 95, 125)
        self.assertEqual(compare({"a": steady}, {"a": shaky}, 0.03), ([], [], [], []))
        self.assertEqual(compare({"a": shaky}, {"a": steady}, 0.03), ([], [], [], []))

    def test_a_change_below_the_noise_did_not_move(self):
        self.assertEqual(compare({"a": measured(100)}, {"a": measured(102)}, 0.03), ([], [], [], []))
        self.assertEqual(names(compare({"a": measured(100)}, {"a": measured(102)}, 0.01)[1]), ["a"])

    def test_rows_vanish_and_appear(self):
        self.assertEqual(compare({"a": measured(1)}, {"b": measured(1)}, 0.03), ([], [], ["a"], ["b"]))

    def test_the_worst_comes_first(self):
        old = {name: measured(100) for name in "abc"}
        new = {"a": measured(90), "b": measured(50), "c": measured(70)}
        self.assertEqual(names(compare(old, new, 0.03)[0]), ["b", "c", "a"])


class Formats(unittest.TestCase):
    def test_every_format_is_told_apart_and_read(self):
        kinds = {**{name: name for name in ("library", "commands", "scaling", "records")}, "cuda": "gpu", "experiments": "library",
                 "experiments-cuda": "gpu-experiments"}
        files = made_up.everything()
        for name, kind in kinds.items():
            with self.subTest(name):
                self.assertEqual(kind_of(files[name]), kind)
                found = read(kind, files[name])
                self.assertTrue(found)
                self.assertTrue(all(len(one.rates) == 3 for one in found.values()))
        self.assertIsNone(kind_of(made_up.MACHINE))

    def test_rates_are_bytes_a_second(self):
        found = read("library", made_up.library())
        self.assertAlmostEqual(found["one-rare: lode, 1 thread"].median / 1e9, 8)
        self.assertAlmostEqual(found["one-rare: lode, all threads"].median / 1e9, 15)
        self.assertNotIn("one-rare: slow, 1 thread", found)
        self.assertAlmostEqual(read("records", made_up.records())["few-hits: memset, 1 thread, write"].median / 1e9, 10)


class Command(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.room = Path(self.temporary.name)

    def run_on(self, old, new, *options):
        done = subprocess.run([sys.executable, support.LODE_BENCH, "compare", old, new, *options], text=True,
                              capture_output=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def test_same_results_exit_0(self):
        old = made_up.write(self.room / "old", made_up.everything())
        code, output, _ = self.run_on(old, old)
        self.assertEqual(code, 0, output)
        self.assertIn("Slower: 0\nFaster: 0\nVanished: 0\nAppeared: 0\n", output)

    def test_one_slower_row_exits_1_and_is_named(self):
        files = made_up.everything()
        old = made_up.write(self.room / "old", files)
        files = copy.deepcopy(files)
        for result in files["cuda"]["results"]:
            if result["row"] == "dna-1000":
                result["seconds"] = [2 * seconds for seconds in result["seconds"]]
        code, output, _ = self.run_on(old, made_up.write(self.room / "new", files))
        self.assertEqual(code, 1, output)
        self.assertIn("Slower: 1\n", output)
        self.assertRegex(output, r"cuda, dna-1000: auto, count +0\.500")
        code, output, _ = self.run_on(old, self.room / "new", "--noise", "150")
        self.assertEqual(code, 0, output)

    def test_faster_and_appeared_exit_0_vanished_exits_1(self):
        old, new = self.room / "a.json", self.room / "b.json"
        few = made_up.library()
        few["rows"] = few["rows"][:1]
        old.write_text(json.dumps(few), encoding="utf-8")
        new.write_text(json.dumps(made_up.library()), encoding="utf-8")
        self.assertEqual(self.run_on(old, new)[0], 0)
        code, output, _ = self.run_on(new, old)
        self.assertEqual(code, 1)
        self.assertIn("dna-1000: lode, 1 thread", output)

    def test_what_cannot_be_compared_exits_2(self):
        library, records = self.room / "library.json", self.room / "records.json"
        library.write_text(json.dumps(made_up.library()), encoding="utf-8")
        records.write_text(json.dumps(made_up.records()), encoding="utf-8")
        empty = self.room / "empty"
        empty.mkdir()
        absent = self.room / "absent.json"
        for old, new in ((library, records), (library, absent), (library, self.room), (empty, empty)):
            with self.subTest(old=old.name, new=new.name):
                code, output, errors = self.run_on(old, new)
                self.assertEqual((code, output), (2, ""))
                self.assertIn("lode-bench compare: ", errors)


if __name__ == "__main__":
    support.main()
