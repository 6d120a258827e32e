"""Figures of lode-bench-cpu: one pattern, sets by size, other texts, plans; and threads."""

import re

import names
from figures import style
from figures.registry import figure
from result_folder import engine_of

FIGURES = []
CONTESTANTS = {"lode": style.LODE, **{name: look for name, look in style.PEERS.items()
                                      if name not in ("rg", "grep", "ugrep")}}
SPREAD = "The median of the repetitions; thin lines reach from the slowest to the fastest."


def rows_of_models(folder, *models):
    library = folder.main_of("library")
    return [row for row in library["rows"] if row["model"] in models] if library else []


def counted(folder, wanted):
    return [row for row in rows_of_models(folder, "count") if wanted(row)]


def set_size(row):
    """N of english-N, or None."""
    match = re.fullmatch(r"english-(\d+)", row["name"])
    return int(match.group(1)) if match else None


def read_rate(row):
    return max((engine["gigabytes_per_second"] for engine in row["engines"]
                if engine["name"].startswith("read ") and engine["threads"] == "1"), default=None)


def finding(what, rows):
    """How Lode stands to the best of the others, on one thread."""
    engines = [engine for row in rows if (engine := engine_of(row, "lode"))]
    ratios = [engine["times_best_peer"] for engine in engines if engine.get("times_best_peer")]
    if ratios:
        return f"{what}: Lode is {names.span(ratios)} times as fast as the best other library"
    rates = [engine["gigabytes_per_second"] for engine in engines]
    return f"{what}: Lode searches {names.span(rates)} GB a second" if rates else what


def where(folder, what):
    return f"{names.processor(folder)} · one thread each, {what}"


def dots_of(rows, title, subtitle):
    if not any(engine_of(row, "lode") for row in rows):
        return None
    contestants, ranges = {}, {}
    for name, series in CONTESTANTS.items():
        found = {names.row(row["name"]): engine for row in rows if (engine := engine_of(row, name))}
        contestants[series] = {row: engine["gigabytes_per_second"] for row, engine in found.items()}
        ranges[series] = {row: tuple(engine["bytes"] / engine["seconds"][end] / 1e9 for end in ("most", "least"))
                          for row, engine in found.items()}
    contestants[style.READ] = {names.row(row["name"]): rate for row in rows if (rate := read_rate(row))}
    drawn, (axis,) = style.grid(1, 0.7 + 0.27 * len(rows))
    style.draw_dots(axis, [names.row(row["name"]) for row in rows], contestants, ranges)
    style.set_log(axis, "x")
    style.label(drawn, style.SPEED)
    return style.finish(drawn, finding(title, rows), subtitle, contestants, columns=5)


@figure(FIGURES, "cpu-one-pattern", "One pattern in memory: how does Lode stand to other libraries?",
        "library.json with rows of one pattern", SPREAD + " Grey bars: the fastest loop that only reads the same text.")
def one_pattern(folder):
    return dots_of(counted(folder, lambda row: row["patterns"]["count"] == 1), "One pattern",
                   where(folder, "all matches counted in memory"))


@figure(FIGURES, "cpu-sets", "How does the size of a set change the speed?", "library.json with two rows english-N",
        "memmem, std::boyer_moore_searcher and StringZilla search for one pattern after the other, and only for sets of at "
        "most 64. Half of the patterns can occur in the text, so that larger sets have more matches.")
def sets(folder):
    rows = counted(folder, set_size)
    if len(rows) < 2:
        return None
    drawn, (axis,) = style.grid(1, 3.6)
    for name, series in CONTESTANTS.items():
        style.draw_line(axis, series, [(set_size(row), engine["gigabytes_per_second"]) for row in rows
                                       if (engine := engine_of(row, name))])
    sizes = sorted(map(set_size, rows))
    style.set_log(axis, "x", sizes)
    style.set_log(axis, "y")
    style.label(drawn, "patterns", style.SPEED)
    return style.finish(drawn, finding(f"Sets of {names.span(sizes, names.grouped)} patterns", rows),
                        where(folder, "words and phrases counted in English in memory"), CONTESTANTS.values(),
                        with_line=True)


@figure(FIGURES, "cpu-texts", "What about other sets and texts?", "library.json with rows of sets other than english-N",
        SPREAD + " Hyperscan may be ahead where patterns have a common prefix.")
def texts(folder):
    return dots_of(counted(folder, lambda row: row["patterns"]["count"] > 1 and not set_size(row)),
                   "Other sets and texts", where(folder, "all matches counted in memory"))


@figure(FIGURES, "cpu-models", "What do listing, streams and records cost?", "library.json with rows of these models",
        SPREAD + " Listing leaves offset and id of each match in memory, streams come in pieces of a MiB, of each line the "
        "first occurrence of each pattern is told.")
def models(folder):
    return dots_of(rows_of_models(folder, "find", "stream", "records"), "Listing, streams and records",
                   where(folder, "the same work for all"))


@figure(FIGURES, "cpu-building", "How long does it take to prepare patterns?",
        "library.json or experiments.json with rows of the model build",
        "A plan of so many patterns, a searcher of it, and the plan saved and loaded. The median of the repetitions.")
def building(folder):
    experiments = folder.files.get("experiments", (None, {"rows": []}))[1]
    rows = [row for row in experiments["rows"] if row["model"] == "build"] + rows_of_models(folder, "build")
    seconds = {(row["patterns"]["count"], step["name"]): step["seconds"]["median"] for row in rows for step in row["steps"]}
    if not seconds:
        return None
    most = max(seconds)[0]
    labels = [f"{names.grouped(count)} patterns: {step.replace('1 thread', 'one thread')}" for count, step in seconds]
    drawn, (axis,) = style.grid(1, 0.7 + 0.25 * len(labels))
    style.draw_dots(axis, labels, {style.LODE: dict(zip(labels, seconds.values()))})
    style.set_log(axis, "x")
    style.label(drawn, "seconds, less is better")
    plan = names.plain(seconds[most, "plan, 1 thread"])
    return style.finish(drawn, f"One thread makes the plan of {names.grouped(most)} patterns in {plan} s",
                        f"{names.processor(folder)} · words and phrases in English")


def scaling(folder):
    """The rows of the command by number of threads."""
    rows = folder.main_of("scaling")
    if not rows:
        commands = folder.main_of("commands")
        rows = commands.get("thread_scaling", []) if commands else []
    return [row for row in rows if len(row["threads"]) > 1]


@figure(FIGURES, "cpu-threads", "What do more threads bring?", "scaling.json, or thread_scaling in commands.json",
        "Start and end of the process included. The grey line is linear.")
def threads(folder):
    rows = scaling(folder)
    if not rows:
        return None
    drawn, axes = style.grid(len(rows), 2.1, sharex=True, sharey=True)
    counts = sorted({int(count) for row in rows for count in row["threads"]})
    for axis, row in zip(axes, rows):
        style.draw_line(axis, style.LODE, [(int(count), one["efficiency"] * int(count))
                                           for count, one in row["threads"].items()])
        axis.plot(counts, counts, color=style.GREY, linewidth=1, zorder=1)
        axis.set_title(names.row(row["name"]) + (f", {row['where']}" if "where" in row else ""))
        style.set_log(axis, "x", counts)
        style.set_log(axis, "y", counts)
    style.label(drawn, "threads", "times one thread, more is better")
    gains = [row["threads"][str(counts[-1])]["efficiency"] * counts[-1] for row in rows]
    return style.finish(drawn, f"{counts[-1]} threads are {names.span(gains)} times as fast as one",
                        f"{names.processor(folder)} · the whole command counts matching lines of one file")
