"""Figures of lode-bench-cpu: one pattern, sets by size, other texts; and threads."""

import re

from figures import style
from figures.registry import figure
from result_folder import engine_of

FIGURES = []
ENGINES = {
    ("lode", "1"): style.Series("Lode, 1 thread", style.BLUE),
    ("lode find", "1"): style.Series("Lode listing, 1 thread", style.SKY, "s", hollow=True),
    ("lode", "all"): style.Series("Lode, all threads", style.BLUE, "o", hollow=True, line="--"),
    ("hyperscan", "1"): style.Series("Hyperscan", style.VERMILION, "^"),
    ("memmem", "1"): style.Series("memmem", style.GREEN, "D"),
    ("std::boyer_moore_searcher", "1"): style.Series("std::boyer_moore_searcher", style.PURPLE, "v"),
    ("StringZilla", "1"): style.Series("StringZilla", style.ORANGE, "P"),
    ("pyahocorasick", "1"): style.Series("pyahocorasick", style.BLACK, "X"),
    ("ahocorasick-rs", "1"): style.Series("ahocorasick-rs", style.YELLOW, "D", edge=style.BLACK),
}
READ = style.Series("reading, 1 thread", style.GREY, "|")
CAPTION = ("Peers have one thread. Bytes of text a second, the median of the repetitions; thin lines reach from the "
           "slowest to the fastest.")


def counted(folder, wanted):
    library = folder.main_of("library")
    return [row for row in library["rows"] if row["model"] == "count" and wanted(row)] if library else []


def set_size(row):
    """N of english-N, or None."""
    match = re.fullmatch(r"english-(\d+)", row["name"])
    return int(match.group(1)) if match else None


def read_rate(row):
    return max((engine["gigabytes_per_second"] for engine in row["engines"]
                if engine["name"].startswith("read ") and engine["threads"] == "1"), default=None)


def dots_of(rows):
    if not rows:
        return None
    names = [row["name"] for row in rows]
    contestants, ranges = {}, {}
    for (name, threads), series in ENGINES.items():
        found = {row["name"]: engine for row in rows if (engine := engine_of(row, name, threads))}
        if found:
            contestants[series] = {row: engine["gigabytes_per_second"] for row, engine in found.items()}
            ranges[series] = {row: tuple(engine["bytes"] / engine["seconds"][end] / 1e9 for end in ("most", "least"))
                              for row, engine in found.items()}
    contestants[READ] = {row["name"]: rate for row in rows if (rate := read_rate(row))}
    drawn, (axis,) = style.grid(1, 0.9 + 0.27 * len(rows))
    style.draw_dots(axis, names, contestants, ranges)
    style.set_log(axis, "x")
    axis.set_xlabel("GB/s")
    style.add_legend(drawn, contestants)
    return drawn


@figure(FIGURES, "cpu-one-pattern", "One pattern, in process", "library.json with rows of one pattern",
        CAPTION + " Grey bars: the fastest loop that only reads the same text.")
def one_pattern(folder):
    return dots_of(counted(folder, lambda row: row["patterns"]["count"] == 1))


@figure(FIGURES, "cpu-sets", "Sets of English words and phrases, in process", "library.json with two rows english-N",
        "Peers have one thread; memmem, std::boyer_moore_searcher and StringZilla search for one pattern after the other, and only "
        "for sets of at most 64. Half of the patterns can occur in the text, so that larger sets have more matches.")
def sets(folder):
    rows = counted(folder, set_size)
    sizes = sorted(set_size(row) for row in rows)
    if len(sizes) < 2:
        return None
    drawn, (axis,) = style.grid(1, 3.6)
    shown = [series for (name, threads), series in ENGINES.items()
             if style.draw_line(axis, series, [(set_size(row), engine["gigabytes_per_second"]) for row in rows
                                               if (engine := engine_of(row, name, threads))])]
    return style.finish_speeds(drawn, axis, shown, sizes, "patterns")


@figure(FIGURES, "cpu-texts", "Other sets and texts, in process", "library.json with rows of sets other than english-N",
        CAPTION + " Where a set has common prefixes or is searched in random bytes, Hyperscan may be ahead.")
def texts(folder):
    return dots_of(counted(folder, lambda row: row["patterns"]["count"] > 1 and not set_size(row)))


@figure(FIGURES, "cpu-models", "Listing, streams and records, in process", "library.json with rows of these models",
        CAPTION + " Listing leaves offset and id of each match in memory, streams come in pieces of a MiB, of records the "
        "first occurrence of each pattern is told.")
def models(folder):
    library = folder.main_of("library")
    return dots_of([row for row in library["rows"] if row["model"] in ("find", "stream", "records")] if library else [])


@figure(FIGURES, "cpu-building", "Building a plan", "library.json with rows of the model build",
        "Seconds, the median of the repetitions: a plan of so many patterns on one thread and on all, a searcher of it, and "
        "the plan saved and loaded.")
def building(folder):
    library = folder.main_of("library")
    rows = [row for row in library["rows"] if row["model"] == "build"] if library else []
    if not rows:
        return None
    looks = [(style.BLUE, "o"), (style.VERMILION, "^"), (style.GREEN, "D"), (style.PURPLE, "s")]
    contestants = {style.Series(row["name"], *look): {step["name"]: step["seconds"]["median"] for step in row["steps"]}
                   for row, look in zip(rows, looks)}
    names = list(dict.fromkeys(step["name"] for row in rows for step in row["steps"]))
    drawn, (axis,) = style.grid(1, 0.9 + 0.27 * len(names))
    style.draw_dots(axis, names, contestants)
    style.set_log(axis, "x")
    axis.set_xlabel("seconds")
    style.add_legend(drawn, contestants)
    return drawn


@figure(FIGURES, "cpu-threads", "Threads", "scaling.json, or thread_scaling in commands.json",
        "The whole command on one file in the page cache, start and end of the process included. The grey line is "
        "linear.")
def threads(folder):
    rows = folder.main_of("scaling")
    if not rows:
        commands = folder.main_of("commands")
        rows = commands.get("thread_scaling", []) if commands else []
    rows = [row for row in rows if len(row["threads"]) > 1]
    if not rows:
        return None
    counts = sorted({int(count) for row in rows for count in row["threads"]})
    drawn, (speed, share) = style.grid(2, 3.0)
    looks = [(style.BLUE, "o"), (style.VERMILION, "^"), (style.GREEN, "D"), (style.PURPLE, "s"), (style.ORANGE, "v")]
    shown = []
    for row, (color, marker) in zip(rows, looks):
        series = style.Series(row["name"] + (f", {row['where']}" if "where" in row else ""), color, marker)
        shown.append(series)
        style.draw_line(speed, series, [(int(count), one["efficiency"] * int(count))
                                        for count, one in row["threads"].items()])
        style.draw_line(share, series, [(int(count), one["efficiency"]) for count, one in row["threads"].items()])
    speed.plot(counts, counts, color=style.GREY, linewidth=1, zorder=1)
    share.axhline(1, color=style.GREY, linewidth=1, zorder=1)
    style.set_log(speed, "y", counts)
    share.set_ylim(0, 1.1)
    style.set_percent(share)
    for axis, label in ((speed, "times as fast as 1 thread"), (share, "of linear")):
        style.set_log(axis, "x", counts)
        axis.set_xlabel("threads")
        axis.set_ylabel(label)
    style.add_legend(drawn, shown, with_line=True, columns=3)
    return drawn
