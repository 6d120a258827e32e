"""Figures of parallel Boyer–Moore as its paper has them: throughput and speed-up by length of the pattern, schedules and
chunks, threads; on GPUs cascading and shapes of work-groups; and all devices in one."""

import re

from figures import style
from figures.experiments import device_points, devices_of, look_of, points, rows_of
from figures.registry import figure
from tables import ran_as_asked, way

FIGURES = []
ROWS = r"length-(\d+)"
LABEL = "length of the pattern, bytes"
SERIAL = style.Series("1 thread", style.BLACK, "D")
STATIC = style.Series("all threads, static", style.BLUE)
DYNAMIC = style.Series("all threads, dynamic", style.VERMILION, "^")
BEST = style.Series("all threads", style.BLUE)
LENGTHS = [(style.BLUE, "o"), (style.VERMILION, "^"), (style.GREEN, "D"), (style.PURPLE, "s"), (style.ORANGE, "v"),
           (style.BLACK, "P")]
SHAPES = [(16, 128), (8, 256), (4, 512), (2, 1024)]


@figure(FIGURES, "boyer-moore-lengths", "Boyer–Moore by length of the pattern",
        "experiments.json with two rows length-N",
        "1000 chunks. Static: every thread has its share of chunks from the start; dynamic: threads fetch them one by one. "
        "Times one thread: of the same algorithm in the same run.")
def lengths(folder):
    rows = rows_of(folder, ROWS)
    if len(rows) < 2:
        return None
    drawn, (speed, times) = style.grid(2, 3.0)
    parallel = {STATIC: "lode boyer-moore, static, 1000 chunks", DYNAMIC: "lode boyer-moore, dynamic, 1000 chunks"}
    style.draw_line(speed, SERIAL, points(rows, "lode boyer-moore"))
    for look, name in parallel.items():
        style.draw_line(speed, look, points(rows, name, "all"))
        style.draw_line(times, look, points(rows, name, "all", "times_one_thread"))
    times.axhline(1, color=style.GREY, linewidth=1, zorder=1)
    for axis, label in ((speed, "GB/s"), (times, "times one thread")):
        axis.set_xticks([length for length, _ in rows])
        axis.set_ylim(bottom=0)
        axis.set_xlabel(LABEL)
        axis.set_ylabel(label)
    style.add_gigabits(speed)
    style.add_legend(drawn, [SERIAL, *parallel], with_line=True)
    return drawn


def by_chunks(row, schedule, value):
    return [(int(match.group(1)), engine[value]) for engine in row["engines"]
            if (match := re.fullmatch(rf"lode boyer-moore, {schedule}, (\d+) chunks", engine["name"]))
            and engine["threads"] == "all" and value in engine]


@figure(FIGURES, "boyer-moore-schedules", "Boyer–Moore on all threads, by number of chunks and their schedule",
        "experiments.json with rows length-N",
        "Static: every thread has its share of chunks from the start; dynamic: threads fetch them one by one.")
def schedules(folder):
    rows = rows_of(folder, ROWS)
    if not rows:
        return None
    drawn, axes = style.grid(len(rows), 2.2, columns=3, sharey=True)
    for axis, (length, row) in zip(axes, rows):
        for name, look in (("static", STATIC), ("dynamic", DYNAMIC)):
            style.draw_line(axis, look, by_chunks(row, name, "times_one_thread"))
        style.set_log(axis, "x")
        axis.set_ylim(bottom=0)
        axis.set_title(f"{length} bytes")
        axis.set_xlabel("chunks")
        axis.set_ylabel("times one thread")
    style.add_legend(drawn, [STATIC, DYNAMIC], with_line=True)
    return drawn


def by_threads(row, every):
    """Threads → (GB/s, times one thread) of the dynamic schedule with 1000 chunks."""
    found = {1: (rate, 1.0) for _, rate in points([(0, row)], "lode boyer-moore")}
    for engine in row["engines"]:
        if engine["name"] == "lode boyer-moore, dynamic, 1000 chunks" and "times_one_thread" in engine:
            count = every if engine["threads"] == "all" else int(engine["threads"])
            found[count] = (engine["gigabytes_per_second"], engine["times_one_thread"])
    return found


@figure(FIGURES, "boyer-moore-threads", "Boyer–Moore by number of threads", "experiments.json with rows length-N",
        "Dynamic schedule, 1000 chunks; the grey line is linear.")
def threads(folder):
    rows = rows_of(folder, ROWS)
    if not rows:
        return None
    drawn, (speed, times) = style.grid(2, 3.0)
    shown, counts = [], {1}
    for (length, row), look in zip(rows, LENGTHS):
        found = by_threads(row, folder.files["experiments"][1]["threads"])
        counts |= found.keys()
        series = style.Series(f"{length} bytes", *look)
        shown.append(series)
        style.draw_line(speed, series, [(count, rate) for count, (rate, _) in found.items()])
        style.draw_line(times, series, [(count, one) for count, (_, one) in found.items()])
    times.plot(sorted(counts), sorted(counts), color=style.GREY, linewidth=1, zorder=1)
    for axis, label in ((speed, "GB/s"), (times, "times one thread")):
        style.set_log(axis, "x", sorted(counts))
        axis.set_ylim(bottom=0)
        axis.set_xlabel("threads")
        axis.set_ylabel(label)
    style.add_gigabits(speed)
    style.add_legend(drawn, shown, with_line=True, columns=6)
    return drawn


def ways_of(results):
    """(length, cascading, groups, items) → GB/s of boyer-moore, where cascading is said and the shape ran."""
    found = {}
    for one in results:
        match = re.fullmatch(ROWS, one["row"])
        name, cascading, groups, items = way(one["algorithm"])
        if match and name == "boyer-moore" and cascading and ran_as_asked(one):
            found[int(match.group(1)), cascading, groups, items] = one["bytes_per_second"] / 1e9
    return found


def panels_of_devices(folder, wanted, draw):
    """A panel for each device whose ways have some that are wanted; draw(axis, series, length, rates)."""
    found = {device: {key: rate for key, rate in ways_of(results).items() if wanted(key)}
             for device, results in devices_of(folder).items()}
    found = {device: rates for device, rates in found.items() if rates}
    if not found:
        return None
    drawn, axes = style.grid(len(found), 3.0)
    shown = []
    for axis, (device, rates) in zip(axes, found.items()):
        for length, look in zip(sorted({key[0] for key in rates}), LENGTHS):
            series = style.Series(f"{length} bytes", *look)
            shown += [series] if series not in shown else []
            draw(axis, series, length, rates)
        axis.set_title(device)
        axis.set_ylim(bottom=0)
        axis.set_ylabel("GB/s")
        style.add_gigabits(axis)
    style.add_legend(drawn, shown, with_line=True, columns=6)
    return drawn


@figure(FIGURES, "boyer-moore-cascading", "Boyer–Moore on GPUs, by degree of cascading",
        "experiments-DEVICE.json with rows length-N", "How many pieces of text each work-item searches as one.")
def cascading(folder):
    def draw(axis, series, length, rates):
        style.draw_line(axis, series, [(key[1], rate) for key, rate in rates.items() if key[0] == length])
        style.set_log(axis, "x", sorted({key[1] for key in rates}))
        axis.set_xlabel("degree of cascading")
    return panels_of_devices(folder, lambda key: key[2] is None, draw)


@figure(FIGURES, "boyer-moore-shapes", "Boyer–Moore on GPUs, by shape of the launch",
        "experiments-DEVICE.json with rows length-N and shapes",
        "Work-groups started for each compute unit × work-items of each; left without cascading, right with a degree of 64. "
        "Left out are shapes that did not run: where local memory has no room for them groups have fewer work-items.")
def shapes(folder):
    places = [(degree, *shape) for degree in (1, 64) for shape in SHAPES]

    def draw(axis, series, length, rates):
        for degree in (1, 64):
            style.draw_line(axis, series, [(place, rates[(length, *key)]) for place, key in enumerate(places)
                                           if key[0] == degree and (length, *key) in rates])
        axis.set_xticks(range(len(places)), [f"{groups}×{items}" for _, groups, items in places], rotation=90)
        axis.axvline(len(SHAPES) - 0.5, color=style.GREY, linewidth=1)
        axis.set_xlabel("work-groups × work-items")
    return panels_of_devices(folder, lambda key: key[2] is not None, draw)


def fastest(rows):
    """(length, GB/s) of boyer-moore on all threads, of the best schedule and number of chunks."""
    rates = {length: [rate for schedule in ("static", "dynamic")
                      for _, rate in by_chunks(row, schedule, "gigabytes_per_second")] for length, row in rows}
    return [(length, max(found)) for length, found in rates.items() if found]


@figure(FIGURES, "boyer-moore-devices", "Boyer–Moore on all devices", "experiments.json with two rows length-N",
        "Of each device the best schedule, number of chunks, cascading and shape; on GPUs the text is in their memory. "
        "Dashed: what auto takes instead, on one thread and on each GPU. Right: over Boyer–Moore on one thread.")
def devices(folder):
    rows = rows_of(folder, ROWS)
    if len(rows) < 2:
        return None
    serial = dict(points(rows, "lode boyer-moore"))
    lines = [(SERIAL, sorted(serial.items())), (BEST, fastest(rows)),
             (style.Series("1 thread, auto", style.BLACK, "D", hollow=True, line="--"), points(rows, "lode"))]
    for device, results in devices_of(folder).items():
        look = look_of(folder, device)
        lines.append((look, device_points(results, ROWS, "boyer-moore")))
        lines.append((style.Series(f"{device}, auto", look.color, look.marker, hollow=True, line="--"),
                      device_points(results, ROWS)))
    drawn, (speed, times) = style.grid(2, 3.2)
    shown = []
    for look, found in lines:
        if style.draw_line(speed, look, found):
            shown.append(look)
        style.draw_line(times, look, [(length, rate / serial[length]) for length, rate in found if length in serial])
    for axis, label in ((speed, "GB/s"), (times, "times Boyer–Moore on one thread")):
        style.set_log(axis, "y")
        axis.set_xticks([length for length, _ in rows])
        axis.set_xlabel(LABEL)
        axis.set_ylabel(label)
    style.add_gigabits(speed)
    style.add_legend(drawn, shown, with_line=True)
    return drawn
