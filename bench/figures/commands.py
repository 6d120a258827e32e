"""Figures of whole processes against rg, grep and ugrep."""

import re

from figures import style
from figures.registry import figure

FIGURES = []
PROGRAMS = {
    "lode": style.Series("lode", style.BLUE),
    "lode, 1 thread": style.Series("lode, 1 thread", style.SKY, "s", line="--"),
    "rg": style.Series("rg", style.VERMILION, "^"),
    "grep": style.Series("grep", style.GREEN, "D"),
    "ugrep": style.Series("ugrep", style.PURPLE, "v"),
}


def contests(folder):
    """Row → program → result: of each program the first file that has it, commands.json before others."""
    rows = {}
    for commands in folder.all_of("commands").values():
        for row in commands["contests"]:
            programs = rows.setdefault(row["name"], {})
            for name, result in row["programs"].items():
                if "seconds" in result and name in PROGRAMS:
                    programs.setdefault(name, result)
    return rows


def split(rows):
    """Set size → programs of rows english-N; the other rows."""
    sets, others = {}, {}
    for name, programs in rows.items():
        match = re.fullmatch(r"english-(\d+)", name)
        if match:
            sets[int(match.group(1))] = programs
        else:
            others[name] = programs
    return sets, others


@figure(FIGURES, "commands-sets", "Whole programs, sets of English words and phrases",
        "commands.json with two contests english-N",
        "Lines that match are counted, the set is built within the time, the text is in the page cache. Right: how "
        "many times as fast as each peer lode is with all threads it was given, in the same run; below the grey line it "
        "would be slower.")
def sets(folder):
    sizes, _ = split(contests(folder))
    if len(sizes) < 2:
        return None
    drawn, (speed, times) = style.grid(2, 3.2)
    shown = []
    for name, series in PROGRAMS.items():
        results = [(size, programs[name]) for size, programs in sizes.items() if name in programs]
        if style.draw_line(speed, series, [(size, one["gigabytes_per_second"]) for size, one in results]):
            shown.append(series)
        style.draw_line(times, series, [(size, one["times_lode_is_faster"]) for size, one in results
                                        if "times_lode_is_faster" in one])
    times.axhline(1, color=style.GREY, linewidth=1, zorder=1)
    for axis, label in ((speed, "GB/s"), (times, "lode is times as fast")):
        style.set_log(axis, "x")
        style.set_log(axis, "y")
        axis.set_xlabel("patterns")
        axis.set_ylabel(label)
    style.add_legend(drawn, shown, with_line=True, columns=5)
    return drawn


@figure(FIGURES, "commands-texts", "Whole programs, one pattern and other texts",
        "commands.json with contests other than english-N",
        "Lines that match are counted; the median of the repetitions, thin lines from the slowest to the fastest.")
def texts(folder):
    _, rows = split(contests(folder))
    if not rows:
        return None
    contestants, ranges = {}, {}
    for name, series in PROGRAMS.items():
        found = {row: programs[name] for row, programs in rows.items() if name in programs}
        if found:
            contestants[series] = {row: one["gigabytes_per_second"] for row, one in found.items()}
            ranges[series] = {row: tuple(one["gigabytes_per_second"] * one["seconds"]["median"] / one["seconds"][end]
                                         for end in ("most", "least")) for row, one in found.items()}
    drawn, (axis,) = style.grid(1, 0.9 + 0.27 * len(rows))
    style.draw_dots(axis, list(rows), contestants, ranges)
    style.set_log(axis, "x")
    axis.set_xlabel("GB/s")
    style.add_legend(drawn, contestants, columns=5)
    return drawn
