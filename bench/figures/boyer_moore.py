"""Figures of parallel Boyer–Moore as its paper has them: by threads, by degree of cascading, and on all devices."""

import re

import names
from figures import style
from figures.experiments import ENGINES, ON_GPU, gpu_points, gpu_results, points, rows_of, where
from figures.registry import figure
from tables import way

FIGURES = []
ROWS = r"length-(\d+)"
BOYER_MOORE = style.ALGORITHMS["boyer-moore"]
PARALLEL = r"lode boyer-moore, (?:static|dynamic), \d+ chunks"


def parallel(row, value):
    """Of Boyer–Moore on several threads: "all" or their number → what each schedule and number of chunks has."""
    found = {}
    for engine in row["engines"]:
        if re.fullmatch(PARALLEL, engine["name"]) and value in engine:
            found.setdefault(engine["threads"], []).append(engine[value])
    return found


@figure(FIGURES, "boyer-moore-threads", "What do threads bring to Boyer–Moore?", "experiments.json with rows length-N",
        "Of each length of the pattern the best schedule and number of chunks; the band is from the length that gains least "
        "to the one that gains most. The grey line is linear.")
def threads(folder):
    every = folder.files.get("experiments", (None, {}))[1].get("threads")
    gains = {1: [1.0]}
    for _, row in rows_of(folder, ROWS):
        for count, found in parallel(row, "times_one_thread").items():
            gains.setdefault(every if count == "all" else int(count), []).append(max(found))
    if len(gains) < 2:
        return None
    drawn, (axis,) = style.grid(1, 2.8)
    style.draw_band(axis, BOYER_MOORE, gains)
    counts = sorted(gains)
    axis.plot(counts, counts, color=style.GREY, linewidth=1, zorder=1)
    for which in "xy":
        style.set_log(axis, which, counts)
    style.label(drawn, "threads", "times one thread, more is better")
    return style.finish(drawn, f"Boyer–Moore on {counts[-1]} threads is {names.span(gains[counts[-1]])} times as fast as on one",
                        f"{names.processor(folder)} · one pattern counted in English, patterns of several lengths")


def by_degree(results):
    """Degree of cascading → times none, of each length, with the shape of the launch that is usual."""
    rates = {}
    for one in results:
        match = re.fullmatch(ROWS, one["row"])
        name, degree, groups, _ = way(one["algorithm"])
        if match and name == "boyer-moore" and degree and not groups:
            rates.setdefault(match.group(1), {})[degree] = one["bytes_per_second"]
    times = {}
    for found in rates.values():
        for degree, rate in found.items():
            if 1 in found:
                times.setdefault(degree, []).append(rate / found[1])
    return times


@figure(FIGURES, "boyer-moore-cascading", "How many pieces of text should a work-item search as one?",
        "experiments-DEVICE.json with rows length-N",
        "The degree of cascading is that number of pieces. The line is the median of all lengths, the band from the length "
        "that gains least to the one that gains most.")
def cascading(folder):
    times = by_degree(gpu_results(folder))
    if len(times) < 2:
        return None
    drawn, (axis,) = style.grid(1, 2.8)
    style.draw_band(axis, BOYER_MOORE, times)
    axis.axhline(1, color=style.GREY, linewidth=1, zorder=1)
    style.set_log(axis, "x", sorted(times))
    axis.set_ylim(bottom=0)
    style.label(drawn, "degree of cascading", "times no cascading, more is better")
    best = max(times, key=lambda degree: sorted(times[degree])[len(times[degree]) // 2])
    return style.finish(drawn, f"Boyer–Moore is fastest with {best} pieces: {names.span(times[best], '{:.2f}'.format)} times as "
                        "fast as with one", f"{names.gpu(folder)} · one pattern counted in English in its memory")


@figure(FIGURES, "boyer-moore-devices", "Is Boyer–Moore still worth its skips?", "experiments.json with two rows length-N",
        "Of Boyer–Moore the best schedule, number of chunks, cascading and shape.")
def devices(folder):
    rows = rows_of(folder, ROWS)
    if len(rows) < 2:
        return None
    fastest = {length: [rate for found in parallel(row, "gigabytes_per_second").values() for rate in found]
               for length, row in rows}
    pairs = {"on one thread": {ENGINES["lode"]: points(rows, "lode"),
                               BOYER_MOORE.called("boyer-moore, one thread"): points(rows, "lode boyer-moore")},
             "on all threads": {style.on_all_threads(BOYER_MOORE): [(length, max(rates)) for length, rates in fastest.items()
                                                                   if rates]},
             "on the GPU": {ON_GPU: gpu_points(gpu_results(folder), ROWS),
                            style.on_gpu(BOYER_MOORE): gpu_points(gpu_results(folder), ROWS, "boyer-moore")}}
    drawn, (axis,) = style.grid(1, 3.2)
    told = []
    for place, lines in pairs.items():
        for look, line in lines.items():
            style.draw_line(axis, look, line)
        lode, its = (dict(line) for line in list(lines.values())[:2]) if len(lines) > 1 else ({}, {})
        ratios = [lode[length] / its[length] for length in its if length in lode]
        told += [f"{names.span(ratios)} times as fast {place}"] if ratios else []
    style.set_log(axis, "y")
    axis.set_xticks(sorted({length for lines in pairs.values() for line in lines.values() for length, _ in line}))
    style.label(drawn, "length of the pattern, bytes", style.SPEED)
    title = f"What Lode takes instead of Boyer–Moore is {' and '.join(told)}" if told else "Boyer–Moore alone"
    return style.finish(drawn, title, where(folder, True, pairs["on the GPU"][ON_GPU], threads=""),
                        [look for lines in pairs.values() for look in lines], with_line=True, columns=3)
