"""Opens the report in a headless Chromium, in a wide and a narrow window, and measures what it shows there.

Nothing may be wider than the window but what scrolls in itself; every figure and table has a size; the texts of a figure
lie within it and not on each other."""

import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import support

WINDOWS = {"wide": 1400, "narrow": 420}
MEASURE = """<script>
addEventListener("load", () => {
  document.querySelectorAll("details").forEach(details => { details.open = true; });
  const box = element => { const {left, top, right, bottom, width, height} = element.getBoundingClientRect();
                           return {left, top, right, bottom, width, height}; };
  const figures = [...document.querySelectorAll("figure")].map(figure => {
    const svg = figure.querySelector("svg");
    return {name: figure.id, svg: svg && box(svg), scroll: box(figure.querySelector(".scroll") || figure),
            marks: figure.querySelectorAll("use, path").length, caption: figure.querySelector("figcaption").innerText,
            texts: [...figure.querySelectorAll("text")].map(text => ({text: text.textContent, ...box(text)}))};
  });
  const tables = [...document.querySelectorAll("table")].map(table => ({
    rows: table.rows.length, ...box(table), scroll: box(table.parentElement),
    scrolls: getComputedStyle(table.parentElement).overflowX}));
  const outside = [...document.querySelectorAll("body *")].filter(element => !element.closest(".scroll > *") &&
    element.getBoundingClientRect().right > innerWidth + 1).map(element => element.outerHTML.slice(0, 80));
  const told = document.createElement("pre");
  told.id = "measured";
  told.textContent = JSON.stringify({window: innerWidth, page: document.documentElement.scrollWidth, figures, tables,
                                     outside});
  document.body.replaceChildren(told);
});
</script>"""


def measure(page, width):
    """What the browser shows of the page in a window of this width."""
    with tempfile.TemporaryDirectory() as room:
        path = Path(room) / "page.html"
        path.write_text(page.replace("</body>", MEASURE + "</body>"), encoding="utf-8")
        command = [support.browser(), "--headless", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={room}/user",
                   f"--window-size={width},1000", "--dump-dom", path.as_uri()]
        if os.geteuid() == 0:
            command.insert(1, "--no-sandbox")  # Chromium's own sandbox is not for root.
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    found = re.search(r'<pre id="measured">(.*?)</pre>', done.stdout, re.S)
    if not found:
        raise AssertionError(f"the browser did not run the measuring script: {done.stdout[:300]} {done.stderr[-300:]}")
    unescaped = found.group(1).replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", "\u00a0").replace("&amp;", "&")
    return json.loads(unescaped)


def cover(one, other):
    """Whether two texts lie on each other by more than a pixel."""
    return (min(one["right"], other["right"]) - max(one["left"], other["left"]) > 1 and
            min(one["bottom"], other["bottom"]) - max(one["top"], other["top"]) > 3)


def faults(shown, width, figure_count, table_count):
    """What is wrong with the page, in words."""
    found = []
    if shown["window"] != width:
        found.append(f"the window is {shown['window']} wide, not {width}")
    if shown["page"] > width:
        found.append(f"the page is {shown['page']} wide")
    found += [f"outside of the window: {element}" for element in shown["outside"]]
    if len(shown["figures"]) != figure_count or len(shown["tables"]) != table_count:
        found.append(f"{len(shown['figures'])} figures and {len(shown['tables'])} tables")
    for figure in shown["figures"]:
        name, svg = figure["name"], figure["svg"]
        if not svg or svg["width"] < 300 or svg["height"] < 60 or figure["marks"] < 10 or not figure["caption"]:
            found.append(f"{name}: empty")
            continue
        if figure["scroll"]["right"] > width or figure["scroll"]["width"] < 300:
            found.append(f"{name}: not within the window")
        texts = [text for text in figure["texts"] if text["text"].strip()]
        for place, text in enumerate(texts):
            if text["width"] < 1 or text["height"] < 5:
                found.append(f"{name}: '{text['text']}' is not shown")
            if (text["left"] < svg["left"] - 1 or text["right"] > svg["right"] + 1 or text["top"] < svg["top"] - 1 or
                    text["bottom"] > svg["bottom"] + 1):
                found.append(f"{name}: '{text['text']}' is cut off")
            found += [f"{name}: '{text['text']}' on '{other['text']}'" for other in texts[:place] if cover(text, other)]
    for table in shown["tables"]:
        if table["rows"] < 2 or table["height"] < 20 or table["scroll"]["right"] > width or table["scrolls"] != "auto":
            found.append(f"a table of {table['rows']} rows, {table['width']} × {table['height']}")
    return found


@unittest.skipUnless(support.browser() or os.environ.get("LODE_REQUIRE_BROWSER") == "1", "no Chromium")
class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.made_up, cls.shown = ((support.drawn(kind) / "report.html").read_text(encoding="utf-8")
                                  for kind in ("made-up", "shown"))

    def check(self, page):
        for name, width in WINDOWS.items():
            with self.subTest(window=name):
                figure_count, table_count = page.count("<figure "), page.count("<table>")
                self.assertGreater(figure_count, 0)
                self.assertGreater(table_count, 0)
                self.assertEqual(faults(measure(page, width), width, figure_count, table_count), [])

    def test_made_up_results(self):
        import figures
        self.assertEqual(self.made_up.count("<figure "), len(figures.ALL))
        self.check(self.made_up)

    def test_shown_results(self):
        self.check(self.shown)

    def broken(self, page, width=420):
        return " ".join(faults(measure(page, width), width, self.made_up.count("<figure "),
                               self.made_up.count("<table>")))

    def test_faults_are_seen(self):
        whole = self.made_up
        self.assertIn("the page is", self.broken(whole.replace(".scroll { overflow-x: auto;", ".scroll {")))
        self.assertIn("outside of the window", self.broken(whole.replace("<nav>", '<nav style="width: 500px">')))
        self.assertIn(": empty", self.broken(re.sub(r"<svg.*?</svg>", "", whole, count=1, flags=re.S)))
        self.assertIn("tables", self.broken(re.sub(r"<table>.*?</table>", "", whole, count=1, flags=re.S)))
        self.assertIn("is cut off", self.broken(whole.replace('viewBox="0 0 ', 'viewBox="90 0 ', 1)))
        self.assertIn("' on '", self.broken(whole.replace("<svg", '<svg style="font-size: 40px"', 1).replace(
            "</head>", "<style>figure:first-of-type text { font-size: 40px !important }</style></head>")))


if __name__ == "__main__":
    support.main(["matplotlib", "markdown", "browser"])
