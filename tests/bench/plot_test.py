"""lode-bench plot on made-up results: which figures there are, text as text, the same bytes twice, a whole report."""

import argparse
import contextlib
import io
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path

import support
import made_up
import plot


class Plot(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.room = Path(cls.temporary.name)
        cls.all = made_up.write(cls.room / "all", made_up.everything())
        cls.before = {path.name: path.read_bytes() for path in cls.all.iterdir()}
        cls.code, cls.errors = cls.plot(cls.all, output="of-all")

    @classmethod
    def plot(cls, *folders, output="output"):
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            code = plot.main(argparse.Namespace(results=folders, output=cls.room / output))
        return code, errors.getvalue()

    def drawn(self, name, output="output"):
        return {path.stem: path.read_text(encoding="utf-8") for path in (self.room / output / name).glob("*.svg")}

    def test_everything_is_drawn_where_all_results_are_there(self):
        import figures
        self.assertEqual(self.code, 0, self.errors)
        svgs = self.drawn("all", "of-all")
        self.assertEqual(set(svgs), {figure.name for figure in figures.ALL})
        for name, svg in svgs.items():
            with self.subTest(name):
                root = xml.etree.ElementTree.fromstring(svg)
                texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
                self.assertGreater(len(texts), 6)
                self.assertGreater(len(list(root.iter("{http://www.w3.org/2000/svg}use"))), 4)
        report = (self.room / "of-all" / "report.html").read_text(encoding="utf-8")
        self.assertEqual(report.count("<figure "), len(figures.ALL))
        self.assertNotIn("Figures without results", report)
        for needed in ("A processor &lt;with&gt;", "1.2.3", "0" * 40, "lode-bench-gpu --device cuda --json cuda.json",
                       "not installed", "A <code>note</code>.", "records.json: made up"):
            self.assertIn(needed, report)

    def test_the_report_needs_nothing_else_and_names_are_unique(self):
        other = shutil.copytree(self.all, self.room / "other")
        self.assertEqual(self.plot(self.all, other)[0], 0)
        report = (self.room / "output" / "report.html").read_text(encoding="utf-8")
        outside = re.findall(r"""(?:src|href)=["'](?!#)[^"']*|@import|url\((?!#)[^)]*""", report)
        self.assertEqual(outside, [])
        names = re.findall(r'\bid="([^"]+)"', report)
        self.assertEqual(len(names), len(set(names)))
        used = set(re.findall(r'href="#([^"]+)"', report)) | set(re.findall(r"url\(#([^)]+)\)", report))
        self.assertEqual(used - set(names), set())

    def test_what_was_not_measured_is_left_out_and_named(self):
        files = made_up.everything()
        only = {"scaling": ["cpu-threads"], "library": ["cpu-one-pattern", "cpu-sets", "cpu-texts"],
                "commands": ["commands-sets", "commands-texts", "cpu-threads"],
                "records": ["records-seconds", "records-times-strstr"],
                "cuda": ["gpu-one-pattern", "gpu-sets", "gpu-algorithms", "gpu-cascading"]}
        for kind, expected in only.items():
            with self.subTest(kind):
                folder = made_up.write(self.room / kind, {"machine": files["machine"], kind: files[kind]})
                self.assertEqual(self.plot(folder)[0], 0)
                self.assertEqual(sorted(self.drawn(kind)), sorted(expected))
                report = (self.room / "output" / "report.html").read_text(encoding="utf-8")
                self.assertIn("Figures without results", report)
                self.assertIn("OpenCL against CUDA: needs opencl.json beside cuda.json", report)

    def test_a_figure_that_lost_its_results_does_not_stay(self):
        files = made_up.everything()
        folder = made_up.write(self.room / "fewer", {name: files[name] for name in ("machine", "records", "scaling")})
        self.assertEqual(self.plot(folder)[0], 0)
        self.assertIn("records-seconds", self.drawn("fewer"))
        (folder / "records.json").unlink()
        self.assertEqual(self.plot(folder)[0], 0)
        self.assertEqual(list(self.drawn("fewer")), ["cpu-threads"])

    def test_the_same_results_give_the_same_bytes(self):
        self.assertEqual(self.plot(self.all, output="again")[0], 0)
        self.assertEqual(self.drawn("all", "of-all"), self.drawn("all", "again"))
        self.assertEqual(*((self.room / output / "report.html").read_bytes() for output in ("of-all", "again")))

    def test_plotting_changes_no_results(self):
        self.assertEqual({path.name: path.read_bytes() for path in self.all.iterdir()}, self.before)

    def test_folders_without_results_exit_2(self):
        (self.room / "empty").mkdir()
        done = subprocess.run([sys.executable, support.LODE_BENCH, "plot", self.room / "empty"], text=True,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("holds no results", done.stderr)

    def test_committed_results_can_be_drawn(self):
        folders = sorted(path for path in (support.BENCH / "results").iterdir() if path.is_dir())
        self.assertTrue(folders)
        code, errors = self.plot(*folders)
        self.assertEqual(code, 0, errors)
        self.assertTrue(all(self.drawn(folder.name) for folder in folders), errors)


if __name__ == "__main__":
    support.main(["matplotlib", "markdown"])
