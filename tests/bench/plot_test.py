"""lode-bench plot on made-up results: which figures there are, what they say, text as text, the same bytes twice, a whole
report. And that the figures of docs/ are those of the committed results."""

import argparse
import contextlib
import io
import json
import re
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import xml.etree.ElementTree
from pathlib import Path

import support
import made_up
import plot
import result_folder
from figures import style
from report_test import Report  # noqa: F401: the same reports, looked at in a browser

DOCS = support.BENCH.parent / "docs"


def names_of(definition):
    """(name, definition) of the rows that a definition stands for."""
    made = [(definition["name"], definition)]
    for axis, values in sorted(definition.get("each", {}).items()):
        made = [(f"{name}-{value}", one | ({"patterns": one["patterns"] | {"count": value}} if axis == "count" else {}))
                for name, one in made for value in values]
    return made


NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
# Marks and clips are named by hashes of their places, of which processors round the last digits differently.
HASHED = re.compile(r"\b(?:[mp]|C[0-9a-f]+_[0-9a-f]+_)[0-9a-f]{10}\b")
MOST_POINTS_APART = 0.001
OF_LIBRARY = ["cpu-building", "cpu-models", "cpu-one-pattern", "cpu-sets", "cpu-texts"]  # figures of library.json


def show_the_same(svg, other):
    """Whether two figures do. Of other versions of matplotlib, which lay out otherwise, only words are compared."""
    versions = {re.search(r"Matplotlib v([\d.]+)", one).group(1) for one in (svg, other)}
    if len(versions) > 1:
        texts = [re.findall(r"<text[^>]*>([^<]*[^\W\d][^<]*)</text>", one) for one in (svg, other)]
        return sorted(texts[0]) == sorted(texts[1])
    plain = [HASHED.sub("", one) for one in (svg, other)]
    if NUMBER.sub("0", plain[0]) != NUMBER.sub("0", plain[1]):
        return False
    return all(one == two or abs(float(one) - float(two)) <= MOST_POINTS_APART
               for one, two in zip(*map(NUMBER.findall, plain), strict=True))


def title_of(svg, gid="title"):
    part = re.search(rf'<g id="{gid}">(.*?)</g>', svg, re.S)
    return " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", part.group(1))) if part else ""


class Plot(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.room = Path(cls.temporary.name)
        cls.all = made_up.write(cls.room / "all", made_up.everything())
        cls.before = {path.name: path.read_bytes() for path in cls.all.iterdir()}
        cls.drawn_lines = []  # (title of the figure, label, color, mark)
        cls.code, cls.errors = cls.plot(cls.all, output="of-all", render=cls.note_lines)

    @classmethod
    def plot(cls, *folders, output="output", render=None):
        """Rendering takes most of the time, and is looked at in the folder of everything; elsewhere figures stay empty."""
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors), unittest.mock.patch("figures.style.to_svg", render or cls.leave_empty):
            code = plot.main(argparse.Namespace(results=folders, output=cls.room / output))
        return code, errors.getvalue()

    @staticmethod
    def leave_empty(picture):
        from matplotlib import pyplot
        pyplot.close(picture)
        return "<svg/>"

    @classmethod
    def note_lines(cls, picture, to_svg=style.to_svg):
        title = next(text.get_text() for text in picture.texts if text.get_gid() == "title")
        cls.drawn_lines += [(title, line.get_label(), line.get_color(), line.get_marker())
                            for axis in picture.axes for line in axis.lines]
        return to_svg(picture)

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
        self.assertNotIn("Questions without results", report)
        for needed in ("A processor &lt;with&gt;", "1.2.3", "0" * 40, "lode-bench-gpu --device cuda --json cuda.json",
                       "not installed", "A <code>note</code>.", "records.json: made up"):
            self.assertIn(needed, report)

    def test_the_report_opens_with_numbers_and_a_figure(self):
        report = (self.room / "of-all" / "report.html").read_text(encoding="utf-8")
        opening = report[:report.index("<section ")]
        self.assertEqual(re.findall("<b>(.*?)</b>", opening), ["3.0 ×", "2.0 ×", "98 %", "50 ×"])  # no million was built
        self.assertIn('<figure id="all-commands-sets">', opening)
        for fact in ("<dl>", "<table>"):
            self.assertNotIn(fact, re.sub("<details>.*?</details>", "", report, flags=re.S))

    def test_every_row_of_the_definitions_is_in_a_figure(self):
        """Looked at is what a figure draws: its times, which it has no other need of."""
        import figures
        from matplotlib import pyplot
        looked_at = set()

        class Row(dict):
            def __getitem__(self, key):
                if key in ("engines", "steps", "bytes_per_second"):
                    looked_at.add((self.file, dict.__getitem__(self, "row" if "row" in self else "name")))
                return dict.__getitem__(self, key)

        def named(file, made):
            row = Row(made)
            row.file = file
            return row

        def of_library(name, definition):
            model = definition.get("model", "count")
            patterns = definition.get("patterns", {}).get("count", 1)
            if model == "build":
                return made_up.build_row(name, patterns)
            return made_up.library_row(name, patterns) | {"model": model}

        files, expected = made_up.everything(), set()
        for file, rows_file in (("library", "rows"), ("experiments", "experiments"), ("experiments-cuda", "gpu_experiments")):
            definitions = json.loads((support.BENCH / f"{rows_file}.json").read_text(encoding="utf-8"))["rows"]
            rows = [one for definition in definitions for one in names_of(definition)]
            expected |= {(file, name) for name, _ in rows}
            if file == "experiments-cuda":
                files[file]["results"] = [named(file, made_up.gpu_result(name, 1e12, 1, algorithm)) for name, definition in rows
                                          for algorithm in ("auto", *definition.get("algorithms", []))]
            else:
                files[file]["rows"] = [named(file, of_library(name, definition)) for name, definition in rows]
        self.assertGreater(len(expected), 150)
        folder = result_folder.Folder(made_up.write(self.room / "rows", files))
        for name, (_, content) in folder.files.items():
            if name in ("library", "experiments", "experiments-cuda"):
                content["results" if name == "experiments-cuda" else "rows"] = files[name][
                    "results" if name == "experiments-cuda" else "rows"]
        for figure in figures.ALL:
            picture = figure.draw(folder)
            if picture:
                pyplot.close(picture)
        self.assertEqual(expected - looked_at, set())

    def test_every_figure_says_what_it_found_of_which_machine_and_what_is_better(self):
        for name, svg in self.drawn("all", "of-all").items():
            with self.subTest(name):
                self.assertRegex(title_of(svg), r"\d")
                self.assertRegex(title_of(svg, "subtitle"), "A processor|A GPU")
                self.assertRegex(svg, "(more|less) is better")

    def test_rows_have_names_that_are_read(self):
        import names
        rows = {name for file in ("rows", "experiments", "gpu_rows", "gpu_experiments") for definition in
                json.loads((support.BENCH / f"{file}.json").read_text(encoding="utf-8"))["rows"]
                for name, _ in names_of(definition)}
        shown = " ".join(self.drawn("all", "of-all").values())
        self.assertEqual([row for row in rows if "-" in row and f">{row}<" in shown], [])
        for row, name in (("one-rare", "one rare word"), ("english-8-20-1000", "1\u202f000 words and phrases"),
                          ("find-english-1000", "listing: 1\u202f000 words and phrases"), ("a-new-row", "a new row")):
            self.assertEqual(names.row(row), name)
        self.assertEqual([names.size(value) for value in (1, 1024, 3 << 19, 64 << 30)],
                         ["1\u202fbytes", "1\u202fKiB", "1.5\u202fMiB", "64\u202fGiB"])

    def test_lode_has_one_mark_and_nobody_else_has_it(self):
        marks = [(look.color, look.marker) for look in (style.LODE, *style.PEERS.values(), *style.ALGORITHMS.values())]
        self.assertEqual(len(set(marks)), len(marks))
        self.assertTrue(self.drawn_lines)
        for figure, label, color, marker in self.drawn_lines:
            with self.subTest(figure, label=label):
                self.assertEqual(label.startswith("Lode"), (color, marker) == (style.BLUE, "o"))

    def test_the_report_needs_nothing_else_and_names_are_unique(self):
        for kind in ("made-up", "shown"):  # one folder with every figure, and many with the same ones
            with self.subTest(kind):
                report = (support.drawn(kind) / "report.html").read_text(encoding="utf-8")
                outside = re.findall(r"""(?:src|href)=["'](?!#)[^"']*|@import|url\((?!#)[^)]*""", report)
                self.assertEqual(outside, [])
                names = re.findall(r'\bid="([^"]+)"', report)
                self.assertEqual(len(names), len(set(names)))
                used = set(re.findall(r'href="#([^"]+)"', report)) | set(re.findall(r"url\(#([^)]+)\)", report))
                self.assertEqual(used - set(names), set())

    def test_one_file_is_drawn_whatever_it_is_called(self):
        files = made_up.everything()
        room = made_up.write(self.room / "files", {})
        files["experiments-opencl"] |= {"devices": {"cpu": "made up", "opencl:0": "a made-up GPU"}, "lode_version": "1.2.3"}
        files["commands"] |= {"commit": "of-the-sources", "command_line": "lode-bench run build",
                              "machine": {"processor": "a made-up processor", "cores": 7}}
        only = {"library": "cpu-sets", "experiments": "boyer-moore-devices", "commands": "commands-sets",
                "scaling": "cpu-threads", "records": "records", "cuda": "gpu-one-pattern",
                "experiments-opencl": "boyer-moore-cascading"}
        told = ""
        for kind, expected in only.items():
            with self.subTest(kind):
                path = room / f"my-{kind}-results.json"
                path.write_text(json.dumps(files[kind]), encoding="utf-8")
                code, errors = self.plot(path)
                self.assertEqual(code, 0, errors)
                self.assertIn(expected, self.drawn(path.stem))
                report = (self.room / "output" / "report.html").read_text(encoding="utf-8")
                self.assertNotIn(f">{kind}.json<", report)
                told += re.sub(r"<dt>(.*?)</dt><dd>(.*?)</dd>", r"\1: \2\n", report)
        for fact in ("opencl:0: a made-up GPU", "processor: a made-up processor", "cores: 7", "commit: of-the-sources",
                     "lode-bench run build"):
            self.assertIn(fact, told)

    def test_the_machine_of_one_file_is_that_of_machine_json_beside_it(self):
        self.assertEqual(self.plot(self.all / "library.json")[0], 0)
        self.assertEqual(sorted(self.drawn("library")), OF_LIBRARY)
        self.assertIn("A processor &lt;with&gt;", (self.room / "output" / "report.html").read_text(encoding="utf-8"))

    def test_a_file_without_results_exits_2(self):
        room = made_up.write(self.room / "no-results", {})
        for name, content in (("machine", json.dumps(made_up.MACHINE)), ("number", "1"), ("nothing", "")):
            with self.subTest(name):
                path = room / f"{name}.json"
                path.write_text(content, encoding="utf-8")
                code, errors = self.plot(path)
                self.assertEqual(code, 2)
                self.assertIn("lode-bench plot: ", errors)

    def test_what_was_not_measured_is_left_out_and_named(self):
        files = made_up.everything()
        only = {"scaling": ["cpu-threads"], "library": OF_LIBRARY,
                "commands": ["commands-sets", "commands-texts", "cpu-threads"],
                "records": ["records"], "cuda": ["gpu-one-pattern", "gpu-sets", "gpu-algorithms"]}
        for kind, expected in only.items():
            with self.subTest(kind):
                folder = made_up.write(self.room / kind, {"machine": files["machine"], kind: files[kind]})
                self.assertEqual(self.plot(folder)[0], 0)
                self.assertEqual(sorted(self.drawn(kind)), sorted(expected))
                report = (self.room / "output" / "report.html").read_text(encoding="utf-8")
                self.assertIn("Questions without results", report)
                self.assertIn("What does OpenCL cost where there is CUDA? Needs opencl.json beside cuda.json", report)

    def test_a_figure_that_lost_its_results_does_not_stay(self):
        files = made_up.everything()
        folder = made_up.write(self.room / "fewer", {name: files[name] for name in ("machine", "records", "scaling")})
        self.assertEqual(self.plot(folder)[0], 0)
        self.assertIn("records", self.drawn("fewer"))
        (folder / "records.json").unlink()
        self.assertEqual(self.plot(folder)[0], 0)
        self.assertEqual(list(self.drawn("fewer")), ["cpu-threads"])

    def test_the_same_results_give_the_same_bytes(self):
        outputs = (self.room / "of-all", support.drawn("made-up"))  # of this program, and of another
        files = [{path.relative_to(output): path.read_bytes() for path in output.rglob("*.*")} for output in outputs]
        self.assertGreater(len(files[0]), 1)
        self.assertEqual(*files)

    def test_plotting_changes_no_results(self):
        self.assertEqual({path.name: path.read_bytes() for path in self.all.iterdir()}, self.before)

    def test_folders_without_results_exit_2(self):
        (self.room / "empty").mkdir()
        done = subprocess.run([sys.executable, support.LODE_BENCH, "plot", self.room / "empty"], text=True,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("holds no results", done.stderr)

    def test_all_committed_results_can_be_drawn(self):
        code, errors = self.plot(*support.committed(), output="all-committed")
        self.assertEqual(code, 0, errors)
        for folder in support.committed():
            self.assertTrue(list((self.room / "all-committed" / folder.name).glob("*.svg")), folder.name)

    def test_shown_results_are_drawn_as_the_committed_figures(self):
        shown = sorted(path for path in (DOCS / "figures").iterdir() if path.is_dir())
        self.assertEqual([folder.name for folder in shown], [folder.name for folder in support.shown()])
        self.assertTrue(shown)
        for folder in shown:
            committed = {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("*.svg")}
            drawn = {path.stem: path.read_text(encoding="utf-8")
                     for path in (support.drawn("shown") / folder.name).glob("*.svg")}
            self.assertEqual(set(committed), set(drawn), folder.name)
            stale = [name for name in committed if not show_the_same(committed[name], drawn[name])]
            self.assertEqual(stale, [], f"./dev bench plot {support.BENCH / 'results' / folder.name} --output "
                                        f"{DOCS / 'figures'} draws them anew")

    def test_pages_show_the_figures_that_are_there(self):
        shown = set()
        for page in (*(DOCS / "performance").glob("*.md"), DOCS.parent / "README.md"):
            links = re.findall(r"\]\(([^)]*figures/[^)]+\.svg)\)", page.read_text(encoding="utf-8"))
            shown |= {(page.parent / link).resolve() for link in links}
        self.assertEqual(shown, {path.resolve() for path in (DOCS / "figures").rglob("*.svg")})

    def test_pages_say_of_a_figure_what_it_says(self):
        for page in (DOCS / "performance").glob("*.md"):
            for text, link in re.findall(r"\[([^\]]*)\]\(([^)]*figures/[^)]+\.svg)\)", page.read_text(encoding="utf-8")):
                with self.subTest(page.name, figure=link):
                    said = title_of((page.parent / link).read_text(encoding="utf-8"))
                    self.assertEqual(" ".join(text.split()), said.replace("\u202f", " "))

    def test_figures_that_differ_are_seen(self):
        drawn = self.drawn("all", "of-all")["cpu-sets"]
        self.assertTrue(show_the_same(drawn, drawn))
        mark = re.search(r'<use xlink:href="#m[0-9a-f]{10}" x="(\d+\.\d+)"', drawn)
        self.assertFalse(show_the_same(drawn, drawn.replace(mark.group(1), f"{float(mark.group(1)) + 1:.6f}")))
        self.assertTrue(show_the_same(drawn, drawn.replace(mark.group(1), f"{float(mark.group(1)) + 1e-5:.6f}")))
        self.assertFalse(show_the_same(drawn, drawn.replace("GB/s", "MB/s")))
        other_version = re.sub(r"Matplotlib v[\d.]+", "Matplotlib v9.9.9", drawn)
        self.assertTrue(show_the_same(drawn, other_version.replace(mark.group(1), "1.5")))
        self.assertFalse(show_the_same(drawn, other_version.replace("GB/s", "MB/s")))


if __name__ == "__main__":
    support.main(["matplotlib", "markdown"])
