"""One look for all figures: sizes, colours that colour-blind people can tell apart, axes, legends, text as text."""

import io
from dataclasses import dataclass

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot  # noqa: E402
from matplotlib.lines import Line2D  # noqa: E402
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator  # noqa: E402

WIDTH_INCHES = 7.4
# The palette of Okabe and Ito.
BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, VERMILION, PURPLE = (
    "#000000", "#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7")
GREY = "#777777"

matplotlib.rcParams.update({
    "svg.fonttype": "none", "svg.hashsalt": "lode", "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial", "sans-serif"], "font.size": 9, "axes.titlesize": 9,
    "axes.titlelocation": "left", "axes.labelsize": 9, "legend.fontsize": 8.5, "legend.frameon": False,
    "legend.handlelength": 1.6, "legend.columnspacing": 1.4, "axes.spines.top": False, "axes.spines.right": False,
    "axes.edgecolor": GREY, "axes.grid": True, "axes.axisbelow": True, "grid.color": "#dddddd", "grid.linewidth": 0.6,
    "xtick.color": "#333333", "ytick.color": "#333333", "lines.linewidth": 1.5, "lines.markersize": 5,
    "figure.constrained_layout.use": True})


@dataclass(frozen=True)
class Series:
    """How one contestant looks, in every figure the same."""
    label: str
    color: str
    marker: str = "o"
    hollow: bool = False
    line: str = "-"
    edge: str = ""  # of the marker, where its color is too bright

    def handle(self, with_line):
        return Line2D([], [], label=self.label, **self.look(with_line))

    def look(self, with_line):
        # A hollow mark is larger, so that it shows around another at the same place.
        size = 11 if self.marker == "|" else 6.5 if self.hollow else 4.8
        return {"color": self.color, "marker": self.marker, "linestyle": self.line if with_line else "none",
                "markerfacecolor": "white" if self.hollow else self.color, "markeredgecolor": self.edge or self.color,
                "markeredgewidth": 2 if self.marker == "|" else 1.2, "markersize": size,
                "zorder": 2.1 if self.hollow or self.marker == "|" else 2.5, "clip_on": False}


def grid(panels, height_inches, columns=2, **options):
    """A figure and its axes, row by row."""
    columns = min(panels, columns)
    rows = -(-panels // columns)
    drawn, axes = pyplot.subplots(rows, columns, figsize=(WIDTH_INCHES, height_inches * rows), squeeze=False, **options)
    flat = list(axes.flat)
    for spare in flat[panels:]:
        spare.remove()
    return drawn, flat[:panels]


def add_legend(drawn, series, with_line=False, columns=4):
    """Above the figure, where it can cover nothing."""
    drawn.legend(handles=[one.handle(with_line) for one in series], loc="lower left", bbox_to_anchor=(0, 1),
                 ncol=columns)


def grouped(value):
    """1000000 → 1 000 000, with narrow spaces; no needless zeros."""
    return f"{value:,.0f}".replace(",", "\u202f") if value >= 1000 else f"{value:g}"


def set_log(axis, which, values=None):
    """A logarithmic axis with plain numbers; ticks at `values`, or at the powers of ten."""
    line = axis.xaxis if which == "x" else axis.yaxis
    (axis.set_xscale if which == "x" else axis.set_yscale)("log")
    if values is None:
        line.set_major_locator(LogLocator(base=10, numticks=12))
        low, high = (axis.get_xlim if which == "x" else axis.get_ylim)()
        if high / low < 100:
            line.set_major_locator(LogLocator(base=10, subs=(1, 2, 5), numticks=12))
        elif which == "x" and high / low > 800_000:  # there is no room to write six or more long numbers side by side
            line.set_major_locator(LogLocator(base=100, numticks=12))
    else:
        line.set_ticks(values)
        line.set_minor_locator(NullLocator())
    line.set_major_formatter(FuncFormatter(lambda value, _: grouped(value)))
    line.set_minor_formatter(NullFormatter())


def set_percent(axis, which="y"):
    line = axis.xaxis if which == "x" else axis.yaxis
    line.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.0f} %"))


def add_gigabits(axis):
    """The same speeds in bits, at the right edge of an axis of GB/s."""
    bits = axis.secondary_yaxis("right", functions=(lambda bytes_rate: 8 * bytes_rate, lambda bits_rate: bits_rate / 8))
    bits.set_ylabel("Gbit/s")
    bits.yaxis.set_major_formatter(FuncFormatter(lambda value, _: grouped(value)))
    bits.yaxis.set_minor_formatter(NullFormatter())


def draw_line(axis, series, points):
    """points: (x, y), sorted by x. Returns whether there were any."""
    points = sorted(points)
    if points:
        axis.plot(*zip(*points), **series.look(True))
    return bool(points)


def draw_dots(axis, names, contestants, ranges=None):
    """A row of marks for each name, from top to bottom. contestants: Series → {name: x}; ranges: the same of pairs."""
    for series, values in contestants.items():
        places = [place for place, name in enumerate(names) if name in values]
        for place in places:
            if ranges and names[place] in ranges.get(series, {}):
                axis.hlines(place, *ranges[series][names[place]], color=series.color, linewidth=1, alpha=0.6)
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


def finish_speeds(drawn, axis, shown, places, label):
    """The axes and the legend of a figure of speeds by some number, both on log scales."""
    set_log(axis, "x", places)
    set_log(axis, "y")
    axis.set_xlabel(label)
    axis.set_ylabel("GB/s")
    add_legend(drawn, shown, with_line=True)
    return drawn
