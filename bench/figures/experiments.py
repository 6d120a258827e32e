"""Figures of the experiments: sets, densities, lengths, sizes of the text, worst cases; on the CPU and beside it on GPUs.

experiments.json is of lode-bench-cpu, each experiments-DEVICE.json of lode-bench-gpu."""

import re

from figures import style
from figures.registry import figure
from result_folder import engine_of
from tables import way

FIGURES = []
LODE = style.Series("Lode", style.BLUE)
LODE_BOLD = style.Series("Lode", style.BLACK, "o", hollow=True, line="--")  # beside algorithms, of which it takes one
LODE_FINDS = style.Series("Lode listing", style.SKY, "s", hollow=True)
LODE_ALL = style.Series("Lode, all threads", style.BLUE, "o", hollow=True, line="--")
HYPERSCAN = style.Series("Hyperscan", style.VERMILION, "^")
AHO_CORASICK = style.Series("ahocorasick-rs", style.YELLOW, "D", edge=style.BLACK)
NAMED = {"naive": style.Series("naive", style.GREY, "D"), "balanced": style.Series("balanced", style.GREEN, "s"),
         "vector": style.Series("vector", style.BLUE), "filter": style.Series("filter", style.PURPLE, "v"),
         "rabin-karp": style.Series("rabin-karp", style.ORANGE, "^"),
         "boyer-moore": style.Series("boyer-moore", style.VERMILION, "P")}
BUILDING = {"plan, 1 thread": style.Series("plan", style.GREEN, "s"),
            "plan, all threads": style.Series("plan, all threads", style.GREEN, "s", hollow=True, line="--"),
            "searcher": style.Series("searcher", style.PURPLE, "v")}
DEVICES = [(style.GREEN, "D"), (style.PURPLE, "s"), (style.ORANGE, "v"), (style.SKY, "P")]


def rows_named(folder, pattern, model="count"):
    """The rows whose whole name matches, in their order."""
    _, content = folder.files.get("experiments", (None, {}))
    return [row for row in content.get("rows", []) if re.fullmatch(pattern, row["name"]) and row["model"] == model]


def rows_of(folder, pattern, model="count"):
    """The same with what the pattern's group catches, a number, by which they are sorted."""
    found = [(int(re.fullmatch(pattern, row["name"]).group(1)), row) for row in rows_named(folder, pattern, model)]
    return sorted(found, key=lambda one: one[0])


def points(rows, name, threads="1", value="gigabytes_per_second"):
    return [(place, engine[value]) for place, row in rows
            if (engine := engine_of(row, name, threads)) and value in engine]


def devices_of(folder):
    """Device → results of its experiments that ran."""
    return {content["settings"]["device"]: [one for one in content["results"] if "seconds" in one]
            for content in folder.all_of("gpu-experiments").values()}


def look_of(folder, device):
    """How a device looks in all figures that have it beside the CPU."""
    return style.Series(device, *DEVICES[list(devices_of(folder)).index(device) % len(DEVICES)])


def device_points(results, pattern, algorithm="auto", mode="count", place=None):
    """(place, GB/s) of the rows whose whole name matches: of several ways of the algorithm the fastest. `place`: of a
    result; else the number that the pattern's group catches."""
    best = {}
    for one in results:
        match = re.fullmatch(pattern, one["row"])
        if match and way(one["algorithm"])[0] == algorithm and one["mode"] == mode:
            at = place(one) if place else int(match.group(1))
            best[at] = max(best.get(at, 0), one["bytes_per_second"] / 1e9)
    return sorted(best.items())


def draw_engines(axis, rows, series, shown):
    for (name, threads), look in series.items():
        if style.draw_line(axis, look, points(rows, name, threads)) and look not in shown:
            shown.append(look)


def finish_panel(axis, title, label):
    style.set_log(axis, "x")
    style.set_log(axis, "y")
    axis.set_title(title)
    axis.set_xlabel(label)
    axis.set_ylabel("GB/s")


@figure(FIGURES, "experiments-sets", "Sets of 1 to a million patterns",
        "experiments.json or experiments-DEVICE.json with rows set-N-TEXT",
        "On the CPU one thread; on GPUs the text is in their memory. Half of the patterns can occur in the text, so that "
        "larger sets have more matches.")
def sets(folder):
    found = {kind: rows_of(folder, rf"set-(\d+)-{kind}") for kind in ("english", "dna", "random", "log")}
    on_gpus = devices_of(folder).values()
    found = {kind: rows for kind, rows in found.items()
             if len(rows) > 1 or any(device_points(results, rf"set-(\d+)-{kind}") for results in on_gpus)}
    if not found:
        return None
    drawn, axes = style.grid(len(found), 2.4)
    shown = []
    for axis, (kind, rows) in zip(axes, found.items()):
        draw_engines(axis, rows, {("lode", "1"): LODE, ("hyperscan", "1"): HYPERSCAN,
                                  ("ahocorasick-rs", "1"): AHO_CORASICK}, shown)
        for device, results in devices_of(folder).items():
            look = look_of(folder, device)
            if style.draw_line(axis, look, device_points(results, rf"set-(\d+)-{kind}")) and look not in shown:
                shown.append(look)
        finish_panel(axis, kind, "patterns")
    style.add_legend(drawn, shown, with_line=True)
    return drawn


@figure(FIGURES, "experiments-density", "From no match to one at every byte",
        "experiments.json or experiments-DEVICE.json with two rows density-N",
        "Sets of single bytes in random bytes: as many bytes match as are in the set; at 0 a byte that does not occur. On "
        "the CPU one thread. Listing gives offset and id of each match.")
def density(folder):
    rows = [(100 * row["matches_per_byte"], row) for _, row in rows_of(folder, r"density-(\d+)")]
    devices = {device: results for device, results in devices_of(folder).items()
               if device_points(results, r"density-(\d+)")}
    titles = (["CPU"] if len(rows) > 1 else []) + list(devices)
    if not titles:
        return None
    drawn, axes = style.grid(len(titles), 3.0)
    named = ("vector", "filter", "rabin-karp", "naive")
    shown = []
    series = {("lode", "1"): LODE_BOLD, ("lode find", "1"): LODE_FINDS}
    if "CPU" in titles:
        draw_engines(axes[0], rows, {**series, **{(f"lode {name}", "1"): NAMED[name] for name in named}}, shown)
    ways = [("auto", "count", LODE_BOLD), ("auto", "find", LODE_FINDS), *((name, "count", NAMED[name]) for name in named)]
    for axis, results in zip(axes[len(titles) - len(devices):], devices.values()):
        for algorithm, mode, look in ways:
            found = device_points(results, r"density-\d+", algorithm, mode, lambda one: 100 * one["matches_per_byte"])
            if style.draw_line(axis, look, found) and look not in shown:
                shown.append(look)
    for axis, title in zip(axes, titles):
        finish_panel(axis, title, "bytes that match, %")
        # There is no place for 0 on a logarithmic axis.
        axis.set_xscale("symlog", linthresh=0.4)
        axis.set_xticks([0, 0.4, 1.6, 6.25, 25, 100], ["0", "0.4", "1.6", "6.3", "25", "100"])
        axis.minorticks_off()
    style.add_legend(drawn, shown, with_line=True)
    return drawn


@figure(FIGURES, "experiments-lengths", "One pattern by its length, naive against balanced and vector",
        "experiments.json or experiments-DEVICE.json with two rows prefixes-rare-N or prefixes-common-N, or of these with "
        "-ignore-case",
        "On the CPU one thread; the pattern does not occur. Common prefixes: of prose in prose; rare ones: of random bytes.")
def lengths(folder):
    named = {"rare prefixes": "prefixes-rare", "common prefixes": "prefixes-common",
             "rare, ignoring case": "prefixes-rare-ignore-case", "common, ignoring case": "prefixes-common-ignore-case"}
    algorithms = ("naive", "balanced", "vector")
    panels = []
    for title, name in named.items():
        rows = rows_of(folder, name + r"-(\d+)")
        panels.append((title, {algorithm: points(rows, f"lode {algorithm}") for algorithm in algorithms}))
    for device, results in devices_of(folder).items():
        panels += [(f"{device}: {title}", {algorithm: device_points(results, name + r"-(\d+)", algorithm)
                                           for algorithm in algorithms}) for title, name in named.items()]
    panels = [(title, lines) for title, lines in panels if any(len(line) > 1 for line in lines.values())]
    if not panels:
        return None
    drawn, axes = style.grid(len(panels), 2.4)
    for axis, (title, lines) in zip(axes, panels):
        for algorithm, line in lines.items():
            style.draw_line(axis, NAMED[algorithm], line)
        finish_panel(axis, title, "length of the pattern, bytes")
    style.add_legend(drawn, [NAMED[algorithm] for algorithm in algorithms], with_line=True)
    return drawn


@figure(FIGURES, "experiments-models", "Listing, streams, records and building by size of the set",
        "experiments.json with two rows of one of the models: find-N-TEXT, stream-…, records-… or build-…",
        "One thread unless said. Streams come in pieces of a MiB; records are lines, of which each pattern's first occurrence "
        "is told. The last panel: seconds to build a plan and to bind it.")
def models(folder):
    titles = {"find": "listing", "stream": "streams", "records": "records"}
    panels = {title: rows for model, title in titles.items()
              if len(rows := rows_of(folder, rf"{model}-(\d+).*", model)) > 1}
    builds = rows_of(folder, r"build-(\d+).*", "build")
    if not panels and len(builds) < 2:
        return None
    drawn, axes = style.grid(len(panels) + (len(builds) > 1), 2.4)
    shown = []
    for axis, (title, rows) in zip(axes, panels.items()):
        draw_engines(axis, rows, {("lode", "1"): LODE, ("hyperscan", "1"): HYPERSCAN,
                                  ("ahocorasick-rs", "1"): AHO_CORASICK}, shown)
        finish_panel(axis, title, "patterns")
    if len(builds) > 1:
        for step, look in BUILDING.items():
            found = [(size, one["seconds"]["median"]) for size, row in builds for one in row["steps"] if one["name"] == step]
            if style.draw_line(axes[-1], look, found):
                shown.append(look)
        finish_panel(axes[-1], "building", "patterns")
        axes[-1].set_ylabel("seconds")
    style.add_legend(drawn, shown, with_line=True)
    return drawn


@figure(FIGURES, "experiments-four-words", "Four words of four bytes", "experiments.json with the row four-words",
        "Words of one vector, as the tutorial on vector comparison has them, by every algorithm and peer. On the CPU one "
        "thread.")
def four_words(folder):
    rows = rows_named(folder, "four-words")
    if not rows:
        return None
    rates = {"CPU": {engine["name"]: engine["gigabytes_per_second"] for engine in rows[0]["engines"]
                     if engine["threads"] == "1" and "seconds" in engine
                     and not engine["name"].startswith(("read ", "arithmetic"))}}
    for device, results in devices_of(folder).items():
        rates[device] = {"lode" if name == "auto" else f"lode {name}": dict(device_points(
            results, "four-words", name, place=lambda _: 0)).get(0) for name in ("auto", *NAMED)}
        rates[device] = {name: rate for name, rate in rates[device].items() if rate}
    names = list(dict.fromkeys(name for found in rates.values() for name in found))
    names.sort(key=lambda name: not name.startswith("lode"))
    drawn, (axis,) = style.grid(1, 0.9 + 0.27 * len(names))
    looks = {"CPU": style.Series("CPU", style.BLUE), **{device: look_of(folder, device) for device in rates if device != "CPU"}}
    style.draw_dots(axis, names, {looks[title]: found for title, found in rates.items() if found})
    style.set_log(axis, "x")
    axis.set_xlabel("GB/s")
    style.add_legend(drawn, [looks[title] for title, found in rates.items() if found])
    return drawn


@figure(FIGURES, "experiments-scale", "One rare pattern by size of the text",
        "experiments.json or experiments-DEVICE.json with two rows scale-N",
        "Small texts lie in caches, and a call has its own cost.")
def scale(folder):
    rows = [(kibibytes * 1024, row) for kibibytes, row in rows_of(folder, r"scale-(\d+)")]
    if len(rows) < 2 and not any(device_points(results, r"scale-(\d+)") for results in devices_of(folder).values()):
        return None
    drawn, (axis,) = style.grid(1, 3.2)
    shown = []
    draw_engines(axis, rows, {("lode", "1"): LODE, ("lode auto, dynamic", "all"): LODE_ALL}, shown)
    for device, results in devices_of(folder).items():
        look = look_of(folder, device)
        if style.draw_line(axis, look, device_points(results, r"scale-\d+", place=lambda one: one["text_bytes"])):
            shown.append(look)
    finish_panel(axis, "", "bytes of text")
    style.add_legend(drawn, shown, with_line=True)
    return drawn


@figure(FIGURES, "experiments-worst", "Worst cases",
        "experiments.json or experiments-DEVICE.json with two rows worst-NAME",
        "Texts and patterns that are bad for one of the algorithms, and all algorithms on each; bench/README.md says which for "
        "which. On the CPU one thread.")
def worst(folder):
    rows = {row["name"].removeprefix("worst-"): row for row in rows_named(folder, r"worst-.*")}
    names = list(rows) or list(dict.fromkeys(
        one["row"].removeprefix("worst-") for results in devices_of(folder).values()
        for one in results if one["row"].startswith("worst-")))
    if len(names) < 2:
        return None
    looks = {"auto": style.Series("Lode", style.BLACK, "|"), **NAMED}

    def on_cpu(name):
        return {case: engine["gigabytes_per_second"] for case, row in rows.items() if (engine := engine_of(row, name))}

    panels = {"CPU": {look: on_cpu("lode" if algorithm == "auto" else f"lode {algorithm}")
                      for algorithm, look in looks.items()}}
    panels["CPU"][style.Series("Hyperscan", style.BLACK, "X")] = on_cpu("hyperscan")
    for device, results in devices_of(folder).items():
        panels[device] = {look: dict(device_points(results, r"worst-.*", algorithm,
                                                   place=lambda one: one["row"].removeprefix("worst-")))
                          for algorithm, look in looks.items()}
    panels = {title: contestants for title, contestants in panels.items() if any(contestants.values())}
    drawn, axes = style.grid(len(panels), 0.9 + 0.3 * len(names), sharey=True)
    for axis, (title, contestants) in zip(axes, panels.items()):
        style.draw_dots(axis, names, contestants)
        style.set_log(axis, "x")
        axis.set_title(title)
        axis.set_xlabel("GB/s")
    style.add_legend(drawn, next(iter(panels.values())))
    return drawn
