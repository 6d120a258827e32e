"""One look for all figures: who has which mark, colours that colour-blind people can tell apart, axes, titles, text as
text."""

import io
import textwrap
from dataclasses import dataclass, replace

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot  # noqa: E402
from matplotlib.lines import Line2D  # noqa: E402
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator  # noqa: E402

from names import NARROW_SPACE, grouped  # noqa: E402

WIDTH_INCHES = 7.4
TITLE_LETTERS, SUBTITLE_LETTERS = 81, 116  # as many as a line of that width holds
TITLE_POINTS, SUBTITLE_POINTS = 11.5, 8.5
# The palette of Okabe and Ito.
BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, VERMILION, PURPLE = (
    "#000000", "#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7")
GREY = "#777777"
SPEED = "GB/s, more is better"

matplotlib.rcParams.update({
    "svg.fonttype": "none", "svg.hashsalt": "lode", "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial", "sans-serif"], "font.size": 9, "axes.titlesize": 9,
    "axes.titlelocation": "left", "axes.labelsize": 9, "figure.labelsize": 9, "legend.fontsize": 8.5,
    "legend.frameon": False, "legend.handlelength": 2.2, "legend.columnspacing": 1.4, "legend.borderpad": 0,
    "legend.borderaxespad": 0, "axes.spines.top": False, "axes.spines.right": False, "axes.edgecolor": GREY,
    "axes.grid": True, "axes.axisbelow": True, "grid.color": "#dddddd", "grid.linewidth": 0.6, "xtick.color": "#333333",
    "ytick.color": "#333333", "lines.linewidth": 1.5, "lines.markersize": 5, "figure.constrained_layout.use": True})


@dataclass(frozen=True)
class Series:
    """How one contestant looks, in every figure the same. fill: of the mark, as matplotlib calls it."""
    label: str
    color: str
    marker: str = "o"
    fill: str = "full"
    line: str = "-"
    edge: str = ""  # of the marker, where its color is too bright

    def called(self, label):
        return replace(self, label=label)

    def handle(self, with_line):
        return Line2D([], [], **self.look(with_line))

    def look(self, with_line):
        # Lode lies above all others; a mark that is not full is larger, so that it shows around another.
        bar = self.marker in "|_"
        return {"label": self.label, "color": self.color, "marker": self.marker,
                "linestyle": self.line if with_line else "none", "fillstyle": "full" if self.fill == "none" else self.fill,
                "markerfacecolor": "white" if self.fill == "none" else self.color, "markerfacecoloralt": "white",
                "markeredgecolor": self.edge or self.color, "markeredgewidth": 2 if bar else 1.2,
                "markersize": 11 if bar else 5.4 if self.fill == "full" else 6.5,
                "zorder": 2.1 if bar else 3 if self.color == BLUE else 2.5, "clip_on": False}


# Lode is a blue circle, and nothing else is: full for one thread or where there is one only, hollow for all threads, half
# for a GPU. The same holds for its named algorithms.
LODE = Series("Lode", BLUE)
READ = Series("reading alone", GREY, "|")
AIM = Series("aim", BLACK, "|")
PEERS = {
    "hyperscan": Series("Hyperscan", VERMILION, "^"),
    "memmem": Series("memmem", GREEN, "P"),
    "std::boyer_moore_searcher": Series("std::boyer_moore_searcher", PURPLE, "X"),
    "StringZilla": Series("StringZilla", ORANGE, "v"),
    "pyahocorasick": Series("pyahocorasick", BLACK, "X"),
    "ahocorasick-rs": Series("ahocorasick-rs", YELLOW, "D", edge=BLACK),
    "rg": Series("ripgrep", ORANGE, "s"),
    "grep": Series("grep", GREEN, "D"),
    "ugrep": Series("ugrep", PURPLE, "v"),
}
ALGORITHMS = {
    "naive": Series("naive", GREY, "D"),
    "balanced": Series("balanced", GREEN, "s"),
    "vector": Series("vector", SKY, "s"),
    "filter": Series("filter", PURPLE, "D"),
    "rabin-karp": Series("rabin-karp", ORANGE, "^"),
    "boyer-moore": Series("boyer-moore", VERMILION, "P"),
}


def on_all_threads(series):
    return replace(series, label=f"{series.label}, all threads", fill="none", line="--")


def on_gpu(series):
    return replace(series, label=f"{series.label} on the GPU", fill="left", line="-.")


def grid(panels, height_inches, columns=2, **options):
    """A figure and its axes, row by row."""
    columns = min(panels, columns)
    rows = -(-panels // columns)
    drawn, axes = pyplot.subplots(rows, columns, figsize=(WIDTH_INCHES, height_inches * rows), squeeze=False, **options)
    flat = list(axes.flat)
    for spare in flat[panels:]:
        spare.remove()
    return drawn, flat[:panels]


def label(drawn, x="", y=""):
    """What the axes show; of several once for all."""
    if len(drawn.axes) == 1:
        drawn.axes[0].set(xlabel=x, ylabel=y)
    else:
        drawn.supxlabel(x)
        drawn.supylabel(y)


def finish(drawn, title, subtitle, series=(), with_line=False, columns=4):
    """Above the axes, where it can cover nothing: what was found, where and what was measured, who is who."""
    height = drawn.get_figheight()
    top = 0.12  # inches above the axes
    if series:
        # Only those that were drawn stand in the legend.
        shown = {line.get_label() for axis in drawn.axes for line in axis.lines}
        handles = [one.handle(with_line) for one in series if one.label in shown]
        legend = drawn.legend(handles=handles, loc="lower left", bbox_to_anchor=(0, 1 + top / height), ncol=columns)
        top += legend.get_window_extent(drawn.canvas.get_renderer()).height / drawn.dpi + 0.1
    for name, text, letters, points in (("subtitle", subtitle, SUBTITLE_LETTERS, SUBTITLE_POINTS),
                                        ("title", title, TITLE_LETTERS, TITLE_POINTS)):
        lines = textwrap.wrap(text.replace(" %", f"{NARROW_SPACE}%"), letters)
        drawn.text(0, 1 + top / height, "\n".join(lines), fontsize=points, va="bottom", linespacing=1.25, gid=name,
                   color="#555555" if name == "subtitle" else BLACK, weight="bold" if name == "title" else "normal")
        top += len(lines) * 1.3 * points / 72 + 0.05
    return drawn


def set_log(axis, which, values=None, narrow=False):
    """A logarithmic axis with plain numbers; ticks at `values`, or at the powers of ten, in narrow panels of a hundred."""
    line = axis.xaxis if which == "x" else axis.yaxis
    (axis.set_xscale if which == "x" else axis.set_yscale)("log")
    if values is None:
        line.set_major_locator(LogLocator(base=10, numticks=12))
        low, high = (axis.get_xlim if which == "x" else axis.get_ylim)()
        if high / low < 100:
            line.set_major_locator(LogLocator(base=10, subs=(1, 2, 5), numticks=12))
        elif narrow or which == "x" and high / low > 800_000:  # long numbers need room
            line.set_major_locator(LogLocator(base=100, numticks=12))
    else:
        line.set_ticks(values)
    line.set_minor_locator(NullLocator())
    line.set_major_formatter(FuncFormatter(lambda value, _: grouped(value)))


def set_percent(axis, which="y"):
    line = axis.xaxis if which == "x" else axis.yaxis
    line.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.0f}{NARROW_SPACE}%"))


def draw_line(axis, series, points):
    """points: (x, y), in any order."""
    points = sorted(points)
    if points:
        axis.plot(*zip(*points), **series.look(True))


def draw_band(axis, series, rates):
    """rates: x → several y. A line through their medians, a band from the least to the most."""
    places = sorted(rates)
    axis.fill_between(places, [min(rates[x]) for x in places], [max(rates[x]) for x in places], color=series.color,
                      alpha=0.25, linewidth=0)
    draw_line(axis, series, [(x, sorted(rates[x])[len(rates[x]) // 2]) for x in places])


def draw_dots(axis, names, contestants, ranges=None):
    """A row of marks for each name, from top to bottom. contestants: Series → {name: x}; ranges: the same of pairs."""
    for series, values in contestants.items():
        places = [place for place, name in enumerate(names) if name in values]
        for place in places:
            if ranges and names[place] in ranges.get(series, {}):
                axis.hlines(place, *ranges[series][names[place]], color=series.color, linewidth=1, alpha=0.6)
        if places:
            axis.plot([values[names[place]] for place in places], places, **series.look(False))
    axis.set_yticks(range(len(names)), names)
    axis.set_ylim(len(names) - 0.5, -0.5)
    axis.tick_params(axis="y", length=0)


def to_svg(drawn):
    """The figure as an SVG document, the same bytes for the same results; the figure is closed."""
    target = io.StringIO()
    drawn.savefig(target, format="svg", bbox_inches="tight", pad_inches=0.05, metadata={"Date": None})
    pyplot.close(drawn)
    return "\n".join(line.rstrip() for line in target.getvalue().splitlines()) + "\n"
