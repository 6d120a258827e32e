"""Figures of the experiments (experiments.json): sets, densities, lengths, schedules and sizes of the text."""

import re

from figures import style
from figures.registry import figure
from result_folder import engine_of

FIGURES = []
LODE = style.Series("Lode", style.BLUE)
LODE_FINDS = style.Series("Lode listing", style.SKY, "s", hollow=True)
LODE_ALL = style.Series("Lode, all threads", style.BLUE, "o", hollow=True, line="--")
HYPERSCAN = style.Series("Hyperscan", style.VERMILION, "^")
NAMED = {"naive": style.Series("naive", style.GREY, "D"), "balanced": style.Series("balanced", style.GREEN, "s"),
         "vector": style.Series("vector", style.BLUE), "filter": style.Series("filter", style.PURPLE, "v"),
         "rabin-karp": style.Series("rabin-karp", style.ORANGE, "^")}


def rows_of(folder, pattern):
    """The rows whose whole name matches, with what its group catches, as a number where it is one."""
    _, content = folder.files.get("experiments", (None, {}))
    found = []
    for row in content.get("rows", []):
        match = re.fullmatch(pattern, row["name"])
        if match and row["model"] == "count":
            found.append((int(match.group(1)), row))
    return sorted(found, key=lambda one: one[0])


def points(rows, name, threads="1", value="gigabytes_per_second"):
    return [(place, engine[value]) for place, row in rows
            if (engine := engine_of(row, name, threads)) and value in engine]


def panel_of_speeds(axis, rows, series, shown):
    for (name, threads), look in series.items():
        if style.draw_line(axis, look, points(rows, name, threads)) and look not in shown:
            shown.append(look)
    style.set_log(axis, "x")
    style.set_log(axis, "y")


def panels_of_speeds(kinds, series, label):
    """A panel for each (title, rows), or None where there is none."""
    if not kinds:
        return None
    drawn, axes = style.grid(len(kinds), 2.4)
    shown = []
    for axis, (title, rows) in zip(axes, kinds):
        panel_of_speeds(axis, rows, series, shown)
        axis.set_title(title)
        axis.set_xlabel(label)
        axis.set_ylabel("GB/s")
    style.add_legend(drawn, shown, with_line=True)
    return drawn


@figure(FIGURES, "experiments-sets", "Sets of 1 to a million patterns", "experiments.json with rows set-N-TEXT",
        "One thread. Half of the patterns can occur in the text, so that larger sets have more matches.")
def sets(folder):
    kinds = [(kind, rows) for kind in ("english", "dna", "random", "log")
             if len(rows := rows_of(folder, rf"set-(\d+)-{kind}")) > 1]
    return panels_of_speeds(kinds, {("lode", "1"): LODE, ("hyperscan", "1"): HYPERSCAN}, "patterns")


@figure(FIGURES, "experiments-density", "From few matches to half of all bytes", "experiments.json with rows density-N",
        "Sets of single bytes in random bytes, one thread: as many bytes match as are in the set.")
def density(folder):
    rows = [(100 * row["matches_per_byte"], row) for _, row in rows_of(folder, r"density-(\d+)")]
    if len(rows) < 2:
        return None
    drawn, (axis,) = style.grid(1, 3.2)
    shown = []
    series = {("lode", "1"): LODE, ("lode find", "1"): LODE_FINDS}
    series.update({(f"lode {name}", "1"): NAMED[name] for name in ("vector", "filter", "rabin-karp", "naive")})
    panel_of_speeds(axis, rows, series, shown)
    axis.set_xlabel("bytes that match, %")
    axis.set_ylabel("GB/s")
    style.add_legend(drawn, shown, with_line=True)
    return drawn


@figure(FIGURES, "experiments-lengths", "One pattern by its length, naive against balanced and vector",
        "experiments.json with rows prefixes-rare-N or prefixes-common-N",
        "One thread; the pattern does not occur. Common prefixes: of prose in prose; rare ones: of random bytes.")
def lengths(folder):
    named = {"rare prefixes": "prefixes-rare", "common prefixes": "prefixes-common",
             "common prefixes, ignoring case": "prefixes-common-ignore-case"}
    kinds = [(title, rows) for title, name in named.items() if len(rows := rows_of(folder, name + r"-(\d+)")) > 1]
    return panels_of_speeds(kinds, {(f"lode {name}", "1"): NAMED[name] for name in ("naive", "balanced", "vector")},
                            "length of the pattern, bytes")


@figure(FIGURES, "experiments-schedule", "Boyer–Moore on all threads, by number of chunks and their schedule",
        "experiments.json with rows schedule-N",
        "Static: every thread has its share of chunks from the start; dynamic: threads fetch them one by one.")
def schedule(folder):
    rows = rows_of(folder, r"schedule-(\d+)")
    if not rows:
        return None
    drawn, axes = style.grid(len(rows), 2.2, columns=3, sharey=True)
    kinds = {"static": style.Series("static", style.BLUE), "dynamic": style.Series("dynamic", style.VERMILION, "^")}
    for axis, (length, row) in zip(axes, rows):
        for name, look in kinds.items():
            found = [(int(match.group(1)), engine["times_one_thread"]) for engine in row["engines"]
                     if (match := re.fullmatch(rf"lode boyer-moore, {name}, (\d+) chunks", engine["name"]))
                     and "times_one_thread" in engine]
            style.draw_line(axis, look, found)
        style.set_log(axis, "x")
        axis.set_ylim(bottom=0)
        axis.set_title(f"{length} bytes")
        axis.set_xlabel("chunks")
        axis.set_ylabel("times one thread")
    style.add_legend(drawn, kinds.values(), with_line=True)
    return drawn


@figure(FIGURES, "experiments-scale", "One rare pattern by size of the text", "experiments.json with rows scale-N",
        "Small texts lie in caches, and a call has its own cost.")
def scale(folder):
    rows = [(kibibytes * 1024, row) for kibibytes, row in rows_of(folder, r"scale-(\d+)")]
    if len(rows) < 2:
        return None
    drawn, (axis,) = style.grid(1, 3.2)
    shown = []
    panel_of_speeds(axis, rows, {("lode", "1"): LODE, ("lode auto, dynamic", "all"): LODE_ALL}, shown)
    axis.set_xlabel("bytes of text")
    axis.set_ylabel("GB/s")
    style.add_legend(drawn, shown, with_line=True)
    return drawn
