"""Figures of lode-bench-gpu: shares of the read ceiling, named algorithms, OpenCL beside CUDA, several GPUs."""

import re

import names
from figures import style
from figures.registry import figure

FIGURES = []
FAMILIES = {"dna": "DNA 20-mers", "phrases-12-32": "English, few matches",
            "english-8-20": "English, many matches"}
OF_READING = "of the speed of reading, more is better"
READING = "Reading: the best of several kernels that only read the same text in the same run."


def automatic(folder, *roles):
    """Good results of the algorithm that is taken unless one is named, in the device's memory."""
    return [result for result in folder.gpu.of(*roles) if result.algorithm == "auto" and result.good
            and result.mode in ("count", "find")] if folder.gpu else []


def subtitle(folder, what):
    return f"{names.gpu(folder)} · {what}"


def shares(folder, rows, series, label, title, what):
    """A row of marks for each name: Series → {name: share}."""
    drawn, (axis,) = style.grid(1, 0.7 + 0.25 * len(rows))
    style.draw_dots(axis, rows, series)
    axis.set_xlim(0, 1.03 * max([1, *(share for shown in series.values() for share in shown.values())]))
    style.set_percent(axis, "x")
    style.label(drawn, label)
    return style.finish(drawn, title, subtitle(folder, what), series if len(series) > 1 else ())


def titled(result):
    return names.row(result.row) + (", listed" if result.mode == "find" else "")


@figure(FIGURES, "gpu-one-pattern", "How near does a GPU come to the speed of its memory?",
        "cuda.json with rows of one pattern", READING)
def one_pattern(folder):
    results = [result for result in automatic(folder, "cuda") if result.patterns == 1 and result.share_of_read]
    counts = [result for result in results if result.mode == "count"]
    if not counts:
        return None
    found = {style.LODE: {titled(result): result.share_of_read for result in results},
             style.AIM: {titled(result): result.aim.least for result in counts if result.aim and result.against == "read"}}
    span = names.span([one.share_of_read for one in counts], names.percent)
    return shares(folder, [titled(result) for result in results], found, OF_READING,
                  f"One pattern is counted at {span} % of the speed of reading",
                  "a text in its memory, all matches counted or listed")


@figure(FIGURES, "gpu-sets", "How does the size of a set change the speed on a GPU?",
        "cuda.json with rows of sets of two sizes",
        READING + " English: few matches with patterns of 12 to 32 bytes, many with 8 to 20 bytes.")
def sets(folder):
    found = {}
    for result in automatic(folder, "cuda"):
        match = re.fullmatch(rf"({'|'.join(FAMILIES)})-\d+", result.row)
        if match and result.share_of_read and result.mode == "count":
            found.setdefault(match.group(1), []).append(result)
    found = {family: results for family, results in found.items() if len(results) > 1}
    if not found:
        return None
    sizes = sorted({result.patterns for results in found.values() for result in results})
    lying = style.replace(style.AIM, marker="_")
    drawn, axes = style.grid(len(found), 2.6, columns=3, sharex=True, sharey=True)
    for axis, (family, results) in zip(axes, found.items()):
        style.draw_line(axis, style.LODE, [(result.patterns, result.share_of_read) for result in results])
        aims = [(result.patterns, result.aim.least) for result in results if result.aim]
        if aims:
            axis.plot(*zip(*aims), **lying.look(False))
        style.set_log(axis, "x", sizes)
        axis.tick_params(axis="x", labelrotation=30)
        axis.set_title(FAMILIES[family])
        axis.set_ylim(0, 1)
        style.set_percent(axis)
    style.label(drawn, "patterns", OF_READING)
    ends = [names.span([result.share_of_read for results in found.values() for result in results
                        if result.patterns == size], names.percent) for size in (sizes[0], sizes[-1])]
    return style.finish(drawn, f"{names.grouped(sizes[0])} patterns are counted at {ends[0]} % of reading, "
                        f"{names.grouped(sizes[-1])} at {ends[1]} %", subtitle(folder, "a text in its memory"),
                        [style.LODE, lying], with_line=True)


def named(folder):
    """(algorithm, length of the pattern) → good result, of the rows that were measured with named algorithms."""
    if not folder.gpu:
        return {}
    results = [result for result in folder.gpu.of("cuda") if result.mode == "count" and result.good
               and "pattern" in result.definition]
    rows = {result.row for result in results if result.algorithm != "auto"}
    return {(result.algorithm, len(result.definition["pattern"])): result for result in results if result.row in rows}


@figure(FIGURES, "gpu-algorithms", "Does Lode choose the fastest algorithm for one pattern on a GPU?",
        "cuda.json with named algorithms for patterns of two lengths",
        "Of boyer-moore the fastest degree of cascading. Grey bars: the read ceiling.")
def algorithms(folder):
    cells = named(folder)
    lengths = sorted({length for _, length in cells})
    if len(lengths) < 2:
        return None
    looks = {"auto": style.LODE, **style.ALGORITHMS}
    drawn, axes = style.grid(len(lengths), 1.9, sharex=True, sharey=True)
    ratios = []
    for axis, length in zip(axes, lengths):
        best = {}
        for (algorithm, its), result in cells.items():
            name = algorithm.split("/")[0]
            if its == length and name in looks:
                best[name] = max(best.get(name, 0), result.rate / 1e9)
        ceiling = max((result.ceiling or 0) / 1e9 for (_, its), result in cells.items() if its == length)
        style.draw_dots(axis, [look.label for look in looks.values()],
                        {look: {look.label: best[name]} for name, look in looks.items() if name in best}
                        | ({style.READ: {style.LODE.label: ceiling}} if ceiling else {}))
        axis.set_xlim(left=0)
        axis.xaxis.set_major_formatter(style.FuncFormatter(lambda value, _: names.grouped(value)))
        axis.set_title(f"{length} bytes")
        if "auto" in best and len(best) > 1:
            ratios.append(best["auto"] / max(rate for name, rate in best.items() if name != "auto"))
    style.label(drawn, style.SPEED)
    title = (f"Lode's own choice has {names.span(ratios, names.percent)} % of the speed of the fastest algorithm" if ratios
             else "Algorithms for one pattern")
    return style.finish(drawn, title, subtitle(folder, "one pattern counted in a text in its memory, by its length"),
                        [style.READ])


@figure(FIGURES, "gpu-opencl", "What does OpenCL cost where there is CUDA?", "opencl.json beside cuda.json",
        "Shares of what CUDA reaches in the same row.")
def opencl(folder):
    pairs = [(result, folder.gpu.beside(result)) for result in automatic(folder, "opencl")]
    found = {titled(result): result.rate / cuda.rate for result, cuda in pairs if cuda}
    if not found:
        return None
    aims = {titled(result): result.aim.least for result, cuda in pairs if cuda and result.aim}
    return shares(folder, list(found), {style.LODE.called("Lode through OpenCL"): found, style.AIM: aims},
                  "of the speed through CUDA, more is better",
                  f"Through OpenCL Lode has {names.span(found.values(), names.percent)} % of its speed through CUDA",
                  "a text in its memory")


@figure(FIGURES, "gpu-several", "What do more GPUs bring?", "multi.json or multi-N.json beside single.json",
        "The text is shared out over the GPUs of one host. 100 % would be as many times one GPU.")
def several(folder):
    found, aims = {}, {}
    for result in automatic(folder, "multi"):
        one, count = folder.gpu.beside(result), folder.gpu.gpus(result)
        if one:
            row = f"{count} GPUs: {titled(result)}"
            found[row] = result.rate / one.rate / count
            aims |= {row: result.aim.least} if result.aim else {}
    if not found:
        return None
    most = max(found, key=lambda row: int(row.split()[0])).split(":")[0]
    return shares(folder, list(found), {style.LODE: found, style.AIM: aims}, "of linear, more is better",
                  f"Up to {most} keep {names.span(found.values(), names.percent)} % of a linear speed-up",
                  "texts in their memory")
