"""Figures of whole processes against ripgrep, grep and ugrep."""

import re

import names
from figures import style
from figures.registry import figure

FIGURES = []
PROGRAMS = {"lode": style.on_all_threads(style.LODE), "lode, 1 thread": style.LODE.called("Lode, one thread"),
            **{name: style.PEERS[name] for name in ("rg", "grep", "ugrep")}}
WHAT = "whole programs count matching lines of a file in the page cache"


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


def times_peer(rows):
    """The first peer that ran, and name of the row → how many times as fast Lode is."""
    for peer in ("rg", "grep", "ugrep"):
        ratios = {name: programs[peer]["times_lode_is_faster"] for name, programs in rows.items()
                  if "times_lode_is_faster" in programs.get(peer, {})}
        if ratios:
            return style.PEERS[peer].label, ratios
    return None, {}


@figure(FIGURES, "commands-sets", "How much faster is the command than grep and ripgrep?",
        "commands.json with two contests english-N",
        "From start to exit, the set is built within the time. Half of the patterns can occur, so that larger sets have "
        "more matching lines.")
def sets(folder):
    sizes, _ = split(contests(folder))
    if len(sizes) < 2:
        return None
    drawn, (axis,) = style.grid(1, 3.4)
    for name, series in PROGRAMS.items():
        style.draw_line(axis, series, [(size, programs[name]["gigabytes_per_second"])
                                       for size, programs in sizes.items() if name in programs])
    style.set_log(axis, "x")
    style.set_log(axis, "y")
    style.label(drawn, "patterns", style.SPEED)
    peer, ratios = times_peer(sizes)
    told = sorted({min(ratios, key=lambda size: abs(size - 1000)), max(ratios)}) if ratios else []
    title = ", ".join(f"{names.plain(ratios[size])} times {'' if place else f'as fast as {peer} '}with {names.grouped(size)}"
                      f"{'' if place else ' patterns'}" for place, size in enumerate(told))
    return style.finish(drawn, f"Lode is {title}" if title else "Lode by the size of the set",
                        f"{names.processor(folder)} · {WHAT}, words and phrases in English",
                        PROGRAMS.values(), with_line=True, columns=5)


@figure(FIGURES, "commands-texts", "And how much with one pattern, or in other texts?",
        "commands.json with contests other than english-N",
        "The median of the repetitions; thin lines reach from the slowest to the fastest.")
def texts(folder):
    _, rows = split(contests(folder))
    if not rows:
        return None
    contestants, ranges = {}, {}
    for name, series in PROGRAMS.items():
        found = {names.row(row): programs[name] for row, programs in rows.items() if name in programs}
        contestants[series] = {row: one["gigabytes_per_second"] for row, one in found.items()}
        ranges[series] = {row: tuple(one["gigabytes_per_second"] * one["seconds"]["median"] / one["seconds"][end]
                                     for end in ("most", "least")) for row, one in found.items()}
    drawn, (axis,) = style.grid(1, 0.7 + 0.27 * len(rows))
    style.draw_dots(axis, list(map(names.row, rows)), contestants, ranges)
    style.set_log(axis, "x")
    style.label(drawn, style.SPEED)
    peer, ratios = times_peer(rows)
    title = (f"One pattern and other texts: Lode is {names.span(ratios.values())} times as fast as {peer}" if ratios
             else "One pattern and other texts")
    return style.finish(drawn, title, f"{names.processor(folder)} · {WHAT}", PROGRAMS.values(), columns=5)
