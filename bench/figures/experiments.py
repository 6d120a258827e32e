"""Figures of the experiments: sets, densities, lengths, sizes of the text, worst cases; on the CPU and on a GPU.

experiments.json is of lode-bench-cpu, each experiments-DEVICE.json of lode-bench-gpu."""

import re

import names
from figures import style
from figures.cpu import finding
from figures.registry import figure
from result_folder import engine_of
from tables import way

FIGURES = []
ENGINES = {"lode": style.LODE.called("Lode, one thread"), "hyperscan": style.PEERS["hyperscan"],
           "ahocorasick-rs": style.PEERS["ahocorasick-rs"]}
ON_GPU = style.on_gpu(style.LODE)
CPU, GPU = "one thread", "the GPU"  # as panels are called
TEXTS = {"english": "English", "dna": "DNA", "random": "random bytes", "log": "logs"}


def rows_named(folder, pattern, model="count"):
    """The rows whose whole name matches, in their order."""
    _, content = folder.files.get("experiments", (None, {}))
    return [row for row in content.get("rows", []) if re.fullmatch(pattern, row["name"]) and row["model"] == model]


def rows_of(folder, pattern, model="count"):
    """The same with what the pattern's group catches, a number, by which they are sorted."""
    found = [(int(re.fullmatch(pattern, row["name"]).group(1)), row) for row in rows_named(folder, pattern, model)]
    return sorted(found, key=lambda one: one[0])


def points(rows, name, threads="1"):
    return [(place, engine["gigabytes_per_second"]) for place, row in rows if (engine := engine_of(row, name, threads))]


def gpu_results(folder):
    """What the experiments found on one GPU: through CUDA where there is some."""
    files = folder.all_of("gpu-experiments").values()
    content = min(files, key=lambda one: not one["settings"]["device"].startswith("cuda"), default={"results": []})
    return [one for one in content["results"] if "seconds" in one]


def gpu_points(results, pattern, algorithm="auto", mode="count", place=None):
    """(place, GB/s) of the rows whose whole name matches: of several ways of the algorithm the fastest. `place`: of a
    result; else the number that the pattern's group catches."""
    best = {}
    for one in results:
        match = re.fullmatch(pattern, one["row"])
        if match and way(one["algorithm"])[0] == algorithm and one["mode"] == mode:
            at = place(one) if place else int(match.group(1))
            best[at] = max(best.get(at, 0), one["bytes_per_second"] / 1e9)
    return sorted(best.items())


def where(folder, on_cpu, on_gpu, threads=" (one thread each)"):
    """Which machines a figure is of."""
    return " and ".join(([names.processor(folder) + threads] if on_cpu else [])
                        + ([f"{names.gpu(folder)} (text in its memory)"] if on_gpu else []))


def finish_panels(drawn, axes, titles, label):
    for axis, title in zip(axes, titles):
        style.set_log(axis, "x")
        style.set_log(axis, "y")
        if len(axes) > 1:
            axis.set_title(title)
    style.label(drawn, label, style.SPEED)


@figure(FIGURES, "experiments-sets", "How does the size of a set change the speed, in each kind of text?",
        "experiments.json or experiments-DEVICE.json with rows set-N-TEXT",
        "Half of the patterns can occur in the text, so that larger sets have more matches.")
def sets(folder):
    patterns = {text: rf"set-(\d+)-{kind}" for kind, text in TEXTS.items()}
    on_cpu = {text: rows_of(folder, pattern) for text, pattern in patterns.items()}
    on_gpu = {text: gpu_points(gpu_results(folder), pattern) for text, pattern in patterns.items()}
    shown = [text for text in patterns if len(on_cpu[text]) > 1 or on_gpu[text]]
    if not shown:
        return None
    drawn, axes = style.grid(len(shown), 2.2, sharex=True, sharey=True)
    for axis, text in zip(axes, shown):
        for name, series in ENGINES.items():
            style.draw_line(axis, series, points(on_cpu[text], name))
        style.draw_line(axis, ON_GPU, on_gpu[text])
    finish_panels(drawn, axes, shown, "patterns")
    rows = [row for text in shown for _, row in on_cpu[text]]
    if rows:
        title = finding("Sets of all sizes", rows)
    else:
        most = max(size for line in on_gpu.values() for size, _ in line)
        rates = [rate for line in on_gpu.values() for size, rate in line if size == most]
        title = f"{names.grouped(most)} patterns are searched at {names.span(rates)} GB a second"
    return style.finish(drawn, title, where(folder, rows, any(on_gpu.values())), [*ENGINES.values(), ON_GPU], with_line=True)


@figure(FIGURES, "experiments-density", "What do matches cost, from none to one at every byte?",
        "experiments.json or experiments-DEVICE.json with two rows density-N",
        "Sets of single bytes in random bytes: as many bytes match as are in the set; at 0 a byte that does not occur. "
        "Listing gives offset and id of each match.")
def density(folder):
    looks = {"auto": style.LODE, **{name: style.ALGORITHMS[name] for name in ("vector", "filter", "rabin-karp", "naive")}}
    listing = style.Series("Lode, listing", style.BLUE, fill="none", line="--")
    rows = [(100 * row["matches_per_byte"], row) for _, row in rows_of(folder, r"density-(\d+)")]
    panels = {}
    if len(rows) > 1:
        panels[CPU] = {
            listing: points(rows, "lode find"),
            **{look: points(rows, "lode" if name == "auto" else f"lode {name}") for name, look in looks.items()}}

    def on_gpu(algorithm, mode="count"):
        return gpu_points(gpu_results(folder), r"density-\d+", algorithm, mode, lambda one: 100 * one["matches_per_byte"])

    if on_gpu("auto"):
        panels[GPU] = {listing: on_gpu("auto", "find"), **{look: on_gpu(name) for name, look in looks.items()}}
    panels = {place: lines for place, lines in panels.items() if lines[style.LODE]}
    if not panels:
        return None
    drawn, axes = style.grid(len(panels), 3.0)
    for axis, lines in zip(axes, panels.values()):
        for look, line in lines.items():
            style.draw_line(axis, look, line)
    finish_panels(drawn, axes, panels, "bytes that match, %")
    for axis in axes:
        # There is no place for 0 on a logarithmic axis.
        axis.set_xscale("symlog", linthresh=0.4)
        axis.set_xticks([0, 0.4, 1.6, 6.25, 25, 100], ["0", "0.4", "1.6", "6.3", "25", "100"])
        axis.minorticks_off()
    kept = [[lines[look][-1][1] / lines[look][0][1] for lines in panels.values() if lines[look]]
            for look in (style.LODE, listing)]
    title = f"Where every byte matches counting keeps {names.span(kept[0], names.percent)} % of its speed"
    title += f", listing {names.span(kept[1], names.percent)} %" if kept[1] else ""
    return style.finish(drawn, title, where(folder, CPU in panels, GPU in panels), [*looks.values(), listing],
                        with_line=True, columns=6)


@figure(FIGURES, "experiments-lengths", "Which algorithm suits one pattern, by its length?",
        "experiments.json or experiments-DEVICE.json with two rows prefixes-rare-N or prefixes-common-N, or of these with "
        "-ignore-case",
        "The pattern does not occur; its first bytes are common in the text or rare. Hollow marks: case is ignored.")
def lengths(folder):
    algorithms = {name: style.ALGORITHMS[name] for name in ("naive", "balanced", "vector")}
    places = {CPU: lambda pattern, name: points(rows_of(folder, pattern), f"lode {name}"),
              GPU: lambda pattern, name: gpu_points(gpu_results(folder), pattern, name)}
    panels = {}
    for place, find in places.items():
        for kind in ("rare", "common"):
            for case in ("", "-ignore-case"):
                for name, look in algorithms.items():
                    line = find(rf"prefixes-{kind}{case}-(\d+)", name)
                    if len(line) > 1:
                        look = style.Series(look.label, look.color, look.marker, *(("none", "--") if case else ()))
                        panels.setdefault(f"{place}, {kind} prefixes", {})[look] = line
    if not panels:
        return None
    drawn, axes = style.grid(len(panels), 2.3, sharey="row")
    for axis, lines in zip(axes, panels.values()):
        for look, line in lines.items():
            style.draw_line(axis, look, line)
    finish_panels(drawn, axes, panels, "length of the pattern, bytes")
    ratios = [rate / dict(lines[naive])[length] for lines in panels.values() for look, line in lines.items()
              if look.label == "vector" for length, rate in line for naive in lines
              if naive.label == "naive" and naive.fill == look.fill and length in dict(lines[naive])]
    title = f"One pattern: vector is {names.span(ratios)} times as fast as naive" if ratios else "One pattern by its length"
    shown = [any(panel.startswith(place) for panel in panels) for place in (CPU, GPU)]
    return style.finish(drawn, title, where(folder, *shown),
                        algorithms.values(), with_line=True)


@figure(FIGURES, "experiments-models", "What do listing, streams and records cost, by size of the set?",
        "experiments.json with two rows of one of the models: find-N-TEXT, stream-… or records-…",
        "Streams come in pieces of a MiB; records are lines, of which each pattern's first occurrence is told.")
def models(folder):
    panels = {title: rows for model, title in {"find": "listing", "stream": "streams", "records": "records"}.items()
              if len(rows := rows_of(folder, rf"{model}-(\d+).*", model)) > 1}
    if not panels:
        return None
    drawn, axes = style.grid(len(panels), 2.4, columns=3)
    for axis, rows in zip(axes, panels.values()):
        for name, series in ENGINES.items():
            style.draw_line(axis, series, points(rows, name))
    finish_panels(drawn, axes, panels, "patterns")
    return style.finish(drawn, finding("Listing, streams and records", [row for rows in panels.values() for _, row in rows]),
                        where(folder, True, False), ENGINES.values(), with_line=True)


@figure(FIGURES, "experiments-scale", "How large must a text be?",
        "experiments.json or experiments-DEVICE.json with two rows scale-N",
        "Small texts lie in caches, and a call has its own cost.")
def scale(folder):
    rows = [(kibibytes * 1024, row) for kibibytes, row in rows_of(folder, r"scale-(\d+)")]
    on_gpu = gpu_points(gpu_results(folder), r"scale-\d+", place=lambda one: one["text_bytes"])
    lines = {ENGINES["lode"]: points(rows, "lode"),
             style.on_all_threads(style.LODE): points(rows, "lode auto, dynamic", "all"), ON_GPU: on_gpu}
    lines = {look: line for look, line in lines.items() if len(line) > 1}
    if not lines:
        return None
    drawn, (axis,) = style.grid(1, 3.0)
    for look, line in lines.items():
        style.draw_line(axis, look, line)
    finish_panels(drawn, [axis], [""], "text")
    sizes = sorted({size for line in lines.values() for size, _ in line})
    axis.set_xticks(sizes, map(names.size, sizes), fontsize=8)
    look, line = list(lines.items())[-1]
    full = max(rate for _, rate in line)
    slow = max((size for size, rate in line if rate < full / 2), default=0)
    half = names.size(min(size for size, _ in line if size > slow))
    return style.finish(drawn, f"From {half} of text on {look.label} has at least half of its full {names.plain(full)} GB/s",
                        f"{where(folder, rows, on_gpu, threads='')} · one rare word counted", lines, with_line=True)


@figure(FIGURES, "experiments-worst", "How slow can it become?",
        "experiments.json or experiments-DEVICE.json with two rows worst-NAME",
        "Texts and patterns that are bad for one of the algorithms, and all algorithms on each; bench/README.md says which for "
        "which. Last four words at once, the case of the tutorial on comparing vectors.")
def worst(folder):
    pattern = r"worst-.*|four-words"
    looks = {"auto": style.LODE, **style.ALGORITHMS}
    rows = {row["name"]: row for row in rows_named(folder, pattern)}

    def on_cpu(name):
        return {names.row(case): engine["gigabytes_per_second"] for case, row in rows.items()
                if (engine := engine_of(row, name))}

    def on_gpu(name):
        return dict(gpu_points(gpu_results(folder), pattern, name, place=lambda one: names.row(one["row"])))

    panels = {CPU: {style.PEERS["hyperscan"]: on_cpu("hyperscan"),
                    **{look: on_cpu("lode" if name == "auto" else f"lode {name}") for name, look in looks.items()}},
              GPU: {look: on_gpu(name) for name, look in looks.items()}}
    panels = {place: contestants for place, contestants in panels.items() if len(contestants[style.LODE]) > 1}
    if not panels:
        return None
    cases = list(dict.fromkeys(case for contestants in panels.values() for case in contestants[style.LODE]))
    cases.sort(key=names.row("four-words").__eq__)
    drawn, axes = style.grid(len(panels), 0.7 + 0.28 * len(cases), sharey=True)
    for axis, (place, contestants) in zip(axes, panels.items()):
        style.draw_dots(axis, cases, contestants)
        style.set_log(axis, "x")
        if len(panels) > 1:
            axis.set_title(place)
    style.label(drawn, style.SPEED)
    least = [f"{names.plain(min(contestants[style.LODE].values()))} GB/s on {place}" for place, contestants in panels.items()]
    return style.finish(drawn, f"In the worst cases Lode keeps at least {' and '.join(least)}",
                        where(folder, CPU in panels, GPU in panels), [*looks.values(), style.PEERS["hyperscan"]])
