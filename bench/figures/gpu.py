"""Figures of lode-bench-gpu: shares of the read ceiling, named algorithms, OpenCL beside CUDA, several GPUs."""

import re

from figures import style
from figures.registry import figure

FIGURES = []
AIM = style.Series("aim", style.BLACK, "|")
FAMILIES = {
    "dna": style.Series("DNA, 20 bytes", style.GREEN, "D"),
    "phrases-12-32": style.Series("English, 12–32 bytes, few matches", style.BLUE),
    "english-8-20": style.Series("English, 8–20 bytes, many matches", style.VERMILION, "^"),
}
ALGORITHMS = {
    "auto": style.Series("auto", style.BLACK, "*"),
    "vector": style.Series("vector", style.BLUE),
    "filter": style.Series("filter", style.SKY, "s", hollow=True, line="--"),
    "balanced": style.Series("balanced", style.GREEN, "D"),
    "boyer-moore": style.Series("boyer-moore, best cascading", style.ORANGE, "v"),
    "rabin-karp": style.Series("rabin-karp", style.PURPLE, "P"),
    "naive": style.Series("naive", style.VERMILION, "^"),
}
LENGTHS = [(style.BLUE, "o"), (style.VERMILION, "^"), (style.GREEN, "D"), (style.PURPLE, "s"), (style.ORANGE, "v")]


def automatic(folder, *roles):
    """Good results of the algorithm that is taken unless one is named, in the device's memory."""
    return [result for result in folder.gpu.of(*roles) if result.algorithm == "auto" and result.good
            and result.mode in ("count", "find")] if folder.gpu else []


@figure(FIGURES, "gpu-one-pattern", "One pattern on a GPU", "cuda.json with rows of one pattern",
        "Share of the read ceiling, the rate of the best of several kernels that only read the same resident text. "
        "Bars are the aims of counting.")
def one_pattern(folder):
    results = [result for result in automatic(folder, "cuda") if result.patterns == 1 and result.share_of_read]
    if not results:
        return None
    counting, listing = style.Series("counting", style.BLUE), style.Series("listing", style.SKY, "s", hollow=True)
    names = list(dict.fromkeys(result.row for result in results))
    contestants = {AIM: {result.row: result.aim.least for result in results
                         if result.aim and result.against == "read" and result.mode == "count"}}
    for series, mode in ((counting, "count"), (listing, "find")):
        contestants[series] = {result.row: result.share_of_read for result in results if result.mode == mode}
    drawn, (axis,) = style.grid(1, 0.9 + 0.27 * len(names))
    style.draw_dots(axis, names, contestants)
    axis.set_xlim(0, 1.03)
    style.set_percent(axis, "x")
    axis.set_xlabel("of reading")
    style.add_legend(drawn, [counting, listing, AIM])
    return drawn


@figure(FIGURES, "gpu-sets", "Sets on a GPU", "cuda.json with rows of sets of two sizes",
        "Share of the read ceiling: the rate of the best of several kernels that only read the same resident text.")
def sets(folder):
    drawn, (axis,) = style.grid(1, 3.4)
    shown, sizes = [], set()
    for family, series in FAMILIES.items():
        results = [result for result in automatic(folder, "cuda") if result.share_of_read and result.mode == "count"
                   and re.fullmatch(re.escape(family) + r"-\d+", result.row)]
        if len(results) < 2:
            continue
        shown.append(series)
        sizes |= {result.patterns for result in results}
        style.draw_line(axis, series, [(result.patterns, result.share_of_read) for result in results])
        aims = style.Series("", series.color, series.marker, hollow=True)
        axis.plot([result.patterns for result in results if result.aim],
                  [result.aim.least for result in results if result.aim],
                  **{**aims.look(False), "markerfacecolor": "none", "zorder": 3})
    if not shown:
        style.pyplot.close(drawn)
        return None
    style.set_log(axis, "x", sorted(sizes))
    axis.set_ylim(0, 1)
    style.set_percent(axis)
    axis.set_xlabel("patterns")
    axis.set_ylabel("of reading")
    style.add_legend(drawn, [*shown, style.Series("aims", style.GREY, "o", hollow=True, line="none")], with_line=True)
    return drawn


def named(folder):
    """(algorithm, length of the pattern) → good result, of the rows that were measured with named algorithms."""
    if not folder.gpu:
        return {}
    results = [result for result in folder.gpu.of("cuda") if result.mode == "count" and result.good
               and "pattern" in result.definition]
    rows = {result.row for result in results if result.algorithm != "auto"}
    return {(result.algorithm, len(result.definition["pattern"])): result for result in results if result.row in rows}


@figure(FIGURES, "gpu-algorithms", "Named algorithms on a GPU, by length of the pattern",
        "cuda.json with named algorithms for patterns of two lengths",
        "Bytes of resident text a second; reading: the read ceiling. Of boyer-moore the fastest degree of cascading.")
def algorithms(folder):
    cells = named(folder)
    lengths = sorted({length for _, length in cells})
    if len(lengths) < 2:
        return None
    drawn, (axis,) = style.grid(1, 3.6)
    shown = []
    for name, series in ALGORITHMS.items():
        points = []
        for length in lengths:
            rates = [result.rate for (algorithm, its), result in cells.items()
                     if its == length and algorithm.split("/")[0] == name]
            if rates:
                points.append((length, max(rates) / 1e9))
        if style.draw_line(axis, series, points):
            shown.append(series)
    ceiling = max((result.ceiling for result in cells.values() if result.ceiling), default=None)
    if ceiling:
        axis.axhline(ceiling / 1e9, color=style.GREY, linewidth=1, zorder=1)
        axis.annotate("reading", (lengths[-1], ceiling / 1e9), (0, 2), textcoords="offset points", ha="right",
                      va="bottom", color=style.GREY)
        axis.margins(y=0.08)
    return style.finish_speeds(drawn, axis, shown, lengths, "length of the pattern, bytes")


@figure(FIGURES, "gpu-cascading", "Boyer–Moore on a GPU, by degree of cascading",
        "cuda.json with boyer-moore of two degrees of cascading", "How many pieces of text each work-item searches.")
def cascading(folder):
    cells = {(int(name.split("/")[1]), length): result for (name, length), result in named(folder).items()
             if name.startswith("boyer-moore/")}
    degrees = sorted({degree for degree, _ in cells})
    if len(degrees) < 2:
        return None
    drawn, (axis,) = style.grid(1, 3.2)
    shown = []
    for length, look in zip(sorted({length for _, length in cells}), LENGTHS):
        series = style.Series(f"{length} bytes", *look)
        shown.append(series)
        style.draw_line(axis, series, [(degree, result.rate / 1e9) for (degree, its), result in cells.items()
                                       if its == length])
    return style.finish_speeds(drawn, axis, shown, degrees, "degree of cascading")


def titled(result):
    return result.row + (", listing" if result.mode == "find" else "")


@figure(FIGURES, "gpu-opencl", "OpenCL against CUDA", "opencl.json beside cuda.json",
        "Bars are the aims, shares of what CUDA reaches in the same row.")
def opencl(folder):
    pairs = [(result, folder.gpu.beside(result)) for result in automatic(folder, "opencl")]
    pairs = [(result, cuda) for result, cuda in pairs if cuda]
    if not pairs:
        return None
    through_cuda, through_opencl = style.Series("CUDA", style.GREEN, "D"), style.Series("OpenCL", style.BLUE)
    contestants = {AIM: {titled(one): one.aim.least * cuda.rate / 1e9 for one, cuda in pairs if one.aim},
                   through_cuda: {titled(one): cuda.rate / 1e9 for one, cuda in pairs},
                   through_opencl: {titled(one): one.rate / 1e9 for one, _ in pairs}}
    drawn, (axis,) = style.grid(1, 0.9 + 0.27 * len(pairs))
    style.draw_dots(axis, [titled(result) for result, _ in pairs], contestants)
    axis.set_xlim(left=0)
    axis.xaxis.set_major_formatter(style.FuncFormatter(lambda value, _: style.grouped(value)))
    axis.set_xlabel("GB/s")
    style.add_legend(drawn, [through_opencl, through_cuda, AIM])
    return drawn


@figure(FIGURES, "gpu-several", "Several GPUs", "multi.json or multi-N.json beside single.json",
        "The text is shared out over the GPUs of one host; the grey line is linear, the dotted one the aim.")
def several(folder):
    rows = {}
    for result in automatic(folder, "multi"):
        one = folder.gpu.beside(result)
        if one:
            rows.setdefault(titled(result), {1: 1.0})[folder.gpu.gpus(result)] = result.rate / one.rate
    if not rows:
        return None
    counts = sorted({count for points in rows.values() for count in points})
    drawn, (axis,) = style.grid(1, 3.2)
    shown = [style.Series(name, *look) for name, look in zip(rows, LENGTHS)]
    for series in shown:
        style.draw_line(axis, series, rows[series.label].items())
    axis.plot(counts, counts, color=style.GREY, linewidth=1, zorder=1)
    axis.plot(counts, [0.95 * count if count > 1 else 1 for count in counts], color=style.GREY, linewidth=1,
              linestyle=":", zorder=1)
    axis.set_xticks(counts)
    axis.set_yticks(range(1, max(counts) + 1))
    axis.set_xlabel("GPUs")
    axis.set_ylabel("times as fast as 1 GPU")
    style.add_legend(drawn, shown, with_line=True)
    return drawn
