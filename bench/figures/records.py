"""Figures of lode-bench-records: seconds of each contestant, and how many times as fast as strstr."""

from figures import style
from figures.registry import figure

FIGURES = []
COLORS = {"filter": style.BLUE, "rabin-karp": style.VERMILION, "strstr": style.BLACK, "memmem": style.GREEN}
MARKERS = {"sparse": "o", "hits": "v", "any": "^", "dense": "s"}


def panels(folder, value):
    """Place → Series → {workload: value}; and the workloads."""
    records = folder.main_of("records")
    places, names = {}, []
    for row in records["workloads"] if records else []:
        names.append(row["name"])
        for one in row["contestants"]:
            if one.get("output") in MARKERS and one.get(value):
                plain = one["name"] in ("strstr", "memmem")
                series = style.Series(one["name"] if plain else f"{one['name']}, {one['output']}",
                                      COLORS.get(one["name"], style.PURPLE), "D" if plain else MARKERS[one["output"]],
                                      hollow=one["output"] != "sparse")
                places.setdefault(one["place"], {}).setdefault(series, {})[row["name"]] = one[value]
    return places, names


def dots_by_place(folder, value, label, line_at=None):
    places, names = panels(folder, value)
    if not places:
        return None
    drawn, axes = style.grid(len(places), 0.9 + 0.27 * len(names), sharey=True, sharex=True)
    shown = {}
    for axis, (place, contestants) in zip(axes, places.items()):
        style.draw_dots(axis, names, contestants)
        style.set_log(axis, "x")
        axis.set_title(place)
        axis.set_xlabel(label)
        if line_at:
            axis.axvline(line_at, color=style.GREY, linewidth=1, zorder=1)
        shown.update(dict.fromkeys(contestants))
    style.add_legend(drawn, shown)
    return drawn


@figure(FIGURES, "records-seconds", "Records × patterns, seconds", "records.json",
        "Where in each record each pattern first occurs: sparse tells the hits by rows, hits one after the other, any a bit "
        "a record, dense a matrix of 32-bit cells. Seconds for all records; what ran on a part of them is scaled up by "
        "bytes.")
def seconds(folder):
    return dots_by_place(folder, "seconds_for_all", "seconds")


@figure(FIGURES, "records-times-strstr", "Records × patterns against strstr", "records.json",
        "How many times as fast as strstr, called for each cell on one thread, in the same run; left of the grey line "
        "slower.")
def times_strstr(folder):
    return dots_by_place(folder, "times_strstr_one_thread", "times as fast as strstr on 1 thread", line_at=1)
