"""The figure of lode-bench-records: how many times as fast as strstr, by what is asked for."""

import names
from figures import style
from figures.registry import figure

FIGURES = []
OUTPUTS = {"sparse": "hits, by records", "any": "a bit a record", "dense": "the whole matrix"}
VALUE = "times_strstr_one_thread"
LODE = style.LODE.called("Lode, one thread")


def look_of(name, place):
    """None for what is not shown: strstr itself, OpenCL beside CUDA, records that go to a GPU first."""
    series = {"filter": LODE, "rabin-karp": style.ALGORITHMS["rabin-karp"]}.get(name)
    if not series or place == "1 thread":
        return series
    series = style.replace(series, label=series.label.split(",")[0])
    if place == "all threads":
        return style.on_all_threads(series)
    return style.on_gpu(series) if place.startswith("cuda") and place.endswith("resident") else None


def panels(folder):
    """Output → Series → {workload: times strstr}; and the workloads."""
    records = folder.main_of("records")
    found, workloads = {}, []
    for row in records["workloads"] if records else []:
        workloads.append(names.row(row["name"]))
        for one in row["contestants"]:
            series = look_of(one["name"], one["place"])
            if series and one.get("output") in OUTPUTS and one.get(VALUE):
                found.setdefault(one["output"], {}).setdefault(series, {})[workloads[-1]] = one[VALUE]
    return found, workloads


@figure(FIGURES, "records", "Where in each record is each pattern: how much faster than strstr?", "records.json",
        "strstr is called for each record and pattern, in the same run. Left of the grey line Lode is slower. On a GPU the "
        "records are in its memory, and so is the matrix.")
def records(folder):
    found, workloads = panels(folder)
    lode = found.get("sparse", {}).get(LODE)
    if not lode:
        return None
    drawn, axes = style.grid(len(found), 0.7 + 0.24 * len(workloads), columns=3, sharex=True, sharey=True)
    for axis, (output, contestants) in zip(axes, found.items()):
        style.draw_dots(axis, workloads, contestants)
        style.set_log(axis, "x", narrow=True)
        axis.axvline(1, color=style.GREY, linewidth=1, zorder=1)
        axis.set_title(OUTPUTS[output])
    style.label(drawn, "times strstr on one thread, more is better")
    series = sorted({one for contestants in found.values() for one in contestants}, key=lambda one: one.label)
    machines = names.processor(folder) + (f" and {names.gpu(folder)}" if any(one.fill == "left" for one in series) else "")
    return style.finish(drawn, f"Lode lists hits {names.span(lode.values())} times as fast as strstr, on one thread",
                        f"{machines} · the first occurrence of each pattern in each record", series)
