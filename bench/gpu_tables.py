#!/usr/bin/env python3
"""Turns the results of lode-bench-gpu in a folder into gpu.csv and summary.md, and into the tables of
docs/performance/gpu.md.

The folder holds machine.json and what was measured: cuda.json, opencl.json, host.json (with --host), and of several
GPUs multi.json beside single.json, one GPU of the same host (or multi-4.json beside single-4.json, and so on);
dense.json a row of many matches (with --host, for the rate of pinned copies);
start.txt holds three times of `time lode --device cuda …`, the first with an empty cache. What is missing is left out,
and its aims are named as not measured. In the files themselves absolute paths of commands are shortened to names, and
machine.json gets the commands.

Exit 0 where every row ran and equals the CPU's count; 1 where one did not, with everything written; 2 on errors."""

import argparse
import csv
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True

import gpu_results as results  # noqa: E402
import names  # noqa: E402
from tables import MODELS, fault_of, format_table, spread  # noqa: E402

# Rows of the page's first table, in its words and order. {length} is that of the row's pattern.
PAGE_ROWS = {
    "one-rare": "English, 1 rare",
    "one-rare-ignore-case": "English, 1 rare, ignoring case",
    "one-4": "English, 1 of {length} bytes",
    "one-5": "English, 1 of {length} bytes",
    "one-10": "English, 1 of {length} bytes",
    "one-20": "English, 1 of {length} bytes",
    "one-50": "English, 1 of {length} bytes",
    "one-frequent": "English, 1 frequent (` the `)",
    "dna-1000": "DNA, 1 000 20-mers",
    "dna-10000": "DNA, 10 000 20-mers",
    "dna-100000": "DNA, 100 000 20-mers",
    "dna-1000000": "DNA, 1 000 000 20-mers",
    "phrases-12-32-1000": "English, 1 000 of 12–32 bytes",
    "phrases-12-32-10000": "English, 10 000 of 12–32 bytes",
    "phrases-12-32-100000": "English, 100 000 of 12–32 bytes",
    "phrases-12-32-1000000": "English, 1 000 000 of 12–32 bytes",
    "english-8-20-1000": "English, 1 000 of 8–20 bytes",
    "english-8-20-1000-and-one-of-2": "the same 1 000 and one of 2 bytes",
    "english-8-20-10000": "English, 10 000 of 8–20 bytes",
    "english-8-20-100000": "English, 100 000 of 8–20 bytes",
}
LISTED_BYTES = 8  # of a match, as it leaves the device
PAGE_START = "<!-- made by bench/gpu_tables.py: start -->"
PAGE_END = "<!-- made by bench/gpu_tables.py: end -->"


def percent(share):
    return "–" if share is None else f"{100 * share:.1f} %"


def mode_of(result):
    return MODELS.get(result.mode, result.mode)


def density(result):
    value = result.matches_per_byte
    if not value:
        return "–" if value is None else "0"
    if value < 1e-6:
        return "< 0.0001 %"
    return f"{100 * value:.4f} %" if value < 1e-3 else f"{100 * value:.2f} %"


def speed(rate):
    return "–" if rate is None else f"{rate / 1e9:.0f}" if rate >= 1e11 else f"{rate / 1e9:.1f}"


def number(value):
    return "–" if value is None else f"{value:,}".replace(",", " ")


def candidates(result):
    return "–" if result.error else f"{100 * result.candidates / result.text_bytes:.4f} %"


def equal(result):
    return "yes" if result.good else fault_of(result.raw) or "**not run**"


def aim_of(result):
    if not result.aim:
        return "–"
    of = {"read": "", "counting": " of counting", "cuda": " of CUDA", "pinned": " of pinned copies",
          "fill": " of filling pinned memory", "linear": " of linear"}
    return f"{100 * result.aim.least:.0f} %" + of.get(result.aim.against, f" of {result.aim.against[4:]}")


def met(result):
    if result.met is None:
        if not result.aim:
            return "–"
        return "nothing to compare with" if result.share is None else "not for so many matches"
    return "yes" if result.met else f"**no, {miss(result)}**"


def miss(result):
    """How far from the aim."""
    return f"−{100 * (result.aim.least - result.share):.1f} points" if result.good else equal(result).strip("*").lower()


def drawn(result):
    """Which share of the patterns was drawn from the language of the text, and so can occur."""
    patterns = result.definition.get("patterns")
    return f"{100 * patterns.get('present', 0.5):g} %" if patterns else "–"


def common_cells(result):
    return [number(result.matches), density(result), speed(result.rate), percent(result.share_of_read)]


def verdict_cells(result):
    return [aim_of(result), met(result), equal(result)]


COMMON = ["matches", "matches per byte", "GB/s", "of read"]
VERDICT = ["aim", "met", "equal to the CPU"]


def table_of_one(run):
    rows = [[names.row_with_id(result.row), mode_of(result), *common_cells(result)[:2], candidates(result), *common_cells(result)[2:],
             percent(result.share) if result.against == "counting" else "–", *verdict_cells(result)]
            for result in run.of("cuda") if result.algorithm == "auto" and result.patterns == 1
            and result.mode not in ("host", "file")]
    return section("One pattern", rows, ["row", "mode", *COMMON[:2], "candidates per byte", *COMMON[2:], "of counting",
                                         *VERDICT])


def table_of_sets(run):
    rows = [[names.row_with_id(result.row), mode_of(result), number(result.patterns), drawn(result), *common_cells(result)[:2],
             candidates(result), *common_cells(result)[2:],
             percent(result.share) if result.against.startswith(("row", "counting")) else "–",
             f"{result.raw['start_seconds']:.2f}" if result.raw.get("start_seconds") else "–", *verdict_cells(result)]
            for result in run.of("cuda") if result.algorithm == "auto" and result.patterns != 1
            and result.mode not in ("host", "file")]
    return section("Sets", rows, ["row", "mode", "patterns", "can occur", *COMMON[:2], "candidates per byte",
                                  *COMMON[2:], "of the row of the aim", "first search, s", *VERDICT])


def section(title, rows, head):
    return [f"## {title}", "", *format_table(head, rows)] if rows else []


def named_rows(run):
    """Rows that were measured with named algorithms, and those algorithms."""
    results = [result for result in run.of("cuda") if result.mode == "count"]
    rows = list(dict.fromkeys(result.row for result in results if result.algorithm != "auto"))
    algorithms = list(dict.fromkeys(result.algorithm for result in results if result.row in rows))
    cells = {(result.row, result.algorithm): result for result in results}
    return rows, algorithms, cells


def named_cell(result):
    if not result:
        return "–"
    if not result.good:
        return f"{equal(result)} {speed(result.rate)}"
    return f"{speed(result.rate)} ({percent(result.share_of_read)})"


def table_of_named(run):
    rows, algorithms, cells = named_rows(run)
    if not rows:
        return []
    measured = [result for (row, _), result in cells.items() if row in rows]
    lines = [["matches"], ["matches per byte"]]
    for row in rows:
        one = next((result for (name, _), result in cells.items() if name == row and result.good), None)
        lines[0].append(number(one.matches) if one else "–")
        lines[1].append(density(one) if one else "–")
    for algorithm in algorithms:
        title = algorithm.replace("boyer-moore/", "boyer-moore, cascading ")
        lines.append([title, *(named_cell(cells.get((row, algorithm))) for row in rows)])
    lines.append(["auto, of the fastest", *(percent(auto_of_best(cells, row, algorithms)) for row in rows)])
    equals = sum(result.good for result in measured)
    return section("Named algorithms, GB/s (of read), by length of the pattern", lines, ["", *map(names.row_with_id, rows)]) + [
        f"Equal to the CPU's count: {equals} of {len(measured)}.", ""]


def auto_of_best(cells, row, algorithms):
    auto = cells.get((row, "auto"))
    rates = [cells[row, name].rate for name in algorithms if name != "auto" and (row, name) in cells
             and cells[row, name].good]
    return auto.rate / max(rates) if auto and auto.good and rates else None


def table_of_opencl(run):
    rows = []
    for result in run.of("opencl"):
        cuda = run.beside(result)
        rows.append([names.row_with_id(result.row), mode_of(result), *common_cells(result), speed(cuda.rate if cuda else None),
                     percent(result.share), *verdict_cells(result)])
    return section("NVIDIA's OpenCL against CUDA", rows, ["row", "mode", *COMMON, "CUDA, GB/s", "of CUDA", *VERDICT])


def table_of_host(run):
    rows = [[names.row_with_id(result.row), {"host": "memory", "file": "file in the page cache"}[result.mode], *common_cells(result)[:3],
             speed(result.raw["pinned_copy_bytes_per_second"]), speed(result.raw["pinned_fill_bytes_per_second"]),
             percent(result.share), *verdict_cells(result)]
            for result in run.of("cuda", "host") if result.mode in ("host", "file")]
    return section("From the host", rows, ["row", "from", *COMMON[:3], "pinned copies, GB/s",
                                           "filling pinned memory, GB/s", "of what the aim says", *VERDICT])


def table_of_dense(run):
    rows = []
    for result in run.of("dense"):
        if result.mode != "find":
            continue
        listed = LISTED_BYTES * result.matches / result.text_bytes * result.rate if result.good else None
        pinned = result.raw["pinned_copy_bytes_per_second"]
        rows.append([names.row_with_id(result.row), *common_cells(result)[:3], speed(listed), speed(pinned),
                     percent(listed / pinned if listed and pinned else None), equal(result)])
    return section("Listing many matches", rows,
                   ["row", *COMMON[:3], f"list of {LISTED_BYTES} bytes a match, GB/s", "pinned copies, GB/s",
                    "of these", "equal to the CPU"])


def table_of_gpus(run):
    rows = []
    for result in run.of("multi"):
        one = run.beside(result)
        rows.append([names.row_with_id(result.row), mode_of(result), str(run.gpus(result)), *common_cells(result)[:3],
                     speed(one.rate if one else None), percent(one.share_of_read if one else None),
                     percent(result.share), *verdict_cells(result)])
    return section("Several GPUs against one of the same host", rows,
                   ["row", "mode", "GPUs", *COMMON[:3], "one GPU, GB/s", "of read", "of linear", *VERDICT])


def said_of_start(run):
    cold, *warm = run.starts()
    command = run.machine.get("start_command", "lode --device cuda")
    return (f"`{command}`, from start to exit: {cold:.2f} s with an empty cache of kernels, then "
            + " and ".join(f"{seconds:.2f} s" for seconds in warm) + ".")


def lines_of_start(run):
    times = run.starts()
    if not times:
        return []
    text = said_of_start(run) + " "
    cold, warm = results.COLD_START_SECONDS, results.WARM_START_SECONDS
    aims = f"{cold:g} s and {warm:g} s beyond the driver's own initialisation"
    own = run.machine.get("driver_initialisation_seconds")
    if own is None:
        text += f"The aims are {aims}, which was not measured apart: whether they are met is open."
    else:
        verdicts = [f"{seconds - own:.2f} s ({'met' if seconds - own <= most else '**missed**'})"
                    for seconds, most in ((times[0], cold), (max(times[1:]), warm))]
        text += f"The aims are {aims}, which takes {own:.2f} s: {' and '.join(verdicts)}."
    return ["## Start", "", text, ""]


def lines_of_bad(run):
    if not run.bad:
        return ["Every row ran, and its count equals the CPU's.", ""]
    lines = ["**Rows that failed, differ from the CPU or did not run:**", ""]
    for result in run.bad:
        what = result.error or f"the GPU counts {result.matches}, and not what the CPU counts"
        lines.append(f"- **{result.row}**, `{result.algorithm}`, {mode_of(result)}, {result.file}.json: {equal(result)}: {what}")
    return lines + [""]


def lines_of_void(run):
    """A run that reads too slowly, or too little, is not a measure."""
    slow = sorted({f"{result.row} of {result.file}.json" for measured in run.results.values() for result in measured
                   if result.good and ((result.ceiling and result.ceiling < results.LEAST_CEILING) or
                                       result.text_bytes < results.LEAST_TEXT_BYTES)})
    if not slow:
        return []
    return [f"**Void**, because the text is smaller than {results.LEAST_TEXT_BYTES >> 30} GiB or the read ceiling less "
            f"than {results.LEAST_CEILING / 1e12:g} TB/s: {', '.join(slow)}.", ""]


def lines_of_aims(run):
    judged = run.judged
    missed = [result for result in judged if not result.met]
    lines = [f"Of {len(judged)} rows that have an aim {len(judged) - len(missed)} meet it. "
             + ("Missed: " + ", ".join(f"{label(run, result)} {miss(result)}" for result in missed) + "." if missed
                else "")]
    open_aims = [aim.named for aim in results.ALL_AIMS if not any(result.aim == aim for result in judged)]
    if not run.of("dense"):
        open_aims.append("listing at the speed of writing where a tenth of the bytes match")
    if open_aims:
        lines += ["", "Not measured: " + "; ".join(open_aims) + "."]
    return lines + [""]


def label(run, result):
    name = result.row + ("" if result.mode in ("count", "host", "file") else f" ({mode_of(result)})")
    if result.file.startswith("multi"):
        return f"{run.gpus(result)} GPUs {name}"
    return {"opencl": "OpenCL ", "host": "host "}.get(result.file.split("-")[0], "") + name


def sections(run):
    """Everything below the head of the summary, as lines of Markdown."""
    lines = lines_of_bad(run) + lines_of_void(run) + ["## Aims", ""] + lines_of_aims(run)
    for make in (table_of_one, table_of_sets, table_of_named, table_of_opencl, table_of_host, table_of_dense,
                 table_of_gpus, lines_of_start):
        lines += make(run)
    return lines


def said_of_units(run):
    """What the columns of the tables mean."""
    ceilings = sorted({result.ceiling for result in run.of("cuda") if result.ceiling})
    return ("GB/s is 10⁹ bytes a second, the median of the repetitions, each a whole call. `of read` is a share of "
            "the read ceiling, the best time of the best of several kernels that only read the same text, in this run"
            + (f": {speed(ceilings[0])} to {speed(ceilings[-1])} GB/s here" if ceilings else "")
            + ". Texts are resident unless said. `first search` is from the plan to the first count, compiling "
            "included where the kernel was not in the cache. `can occur` are patterns drawn from the language of the "
            "text; the others are changed so that they cannot.")


def summary(run):
    machine = run.machine
    head = [f"# {machine['gpu']}, {machine['date'][:10]}", "",
            f"{machine['gpu']} ({machine['gpu_memory_mebibytes']} MiB), driver {machine['driver']}, CUDA "
            f"{machine['cuda']}, NVRTC {machine['nvrtc']}; {machine['processor']}, {machine['cores']} cores, kernel "
            f"{machine['kernel']}; commit {machine['commit']}.", ""]
    for note in machine.get("notes", []):
        head += [note, ""]
    head += [f"- {file}.json: `{command}`" for file, command in run.commands.items()] + [""]
    return "\n".join(head + [said_of_units(run), ""] + sections(run)).rstrip() + "\n"


def write_csv(path, run):
    names = ["file", "device", "row", "algorithm", "ran", "mode", "patterns", "text", "text_bytes", "matches",
             "matches_per_byte", "candidates", "equal_to_cpu", "seconds", "least", "most", "gigabytes_per_second",
             "slowest_gigabytes_per_second", "read_ceiling_gigabytes_per_second", "share_of_read", "compared_with",
             "share", "aim", "met", "start_seconds", "error"]
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        for measured in run.results.values():
            for result in measured:
                raw = result.raw
                median, least, most = spread(raw.get("seconds"))
                writer.writerow([
                    result.file, result.device, result.row, result.algorithm, raw.get("ran"), result.mode,
                    result.patterns, raw.get("text"), result.text_bytes, result.matches, result.matches_per_byte,
                    result.candidates, raw.get("equal_to_cpu"), median, least, most,
                    result.rate and result.rate / 1e9, most and result.text_bytes / most / 1e9,
                    result.ceiling and result.ceiling / 1e9, result.share_of_read, result.against, result.share,
                    result.aim.least if result.aim else None, result.met, raw.get("start_seconds"), result.error])


def bold(text, result):
    return f"**{text}**" if result.met is False else text


def title_of(run, row):
    return PAGE_ROWS.get(row, row).format(length=length_of(run, row))


def page_main(run):
    """Counting, with the share of CUDA's speed that NVIDIA's OpenCL has beside it."""
    opencl = {result.row: result for result in run.of("opencl") if result.mode == "count"}
    rows = []
    for name in PAGE_ROWS:
        title = title_of(run, name)
        result = next((one for one in run.of("cuda") if (one.row, one.algorithm) == (name, "auto")
                       and one.mode == "count"), None)
        if not result:
            continue
        other = opencl.get(name)
        beside = "–" if other is None else bold(percent(other.share) if other.good else equal(other).strip("*"), other)
        if not result.good:
            rows.append([title, density(result), equal(result), "–", aim_of(result), beside])
            continue
        of_read = percent(result.share_of_read)
        aim = aim_of(result)
        if result.against.startswith("row "):
            of_read += f" ({percent(result.share)} of the row above)"
            aim = f"{100 * result.aim.least:.0f} % of the row above"
        rows.append([title, density(result), speed(result.rate), bold(of_read, result), aim, beside])
    return format_table(["text, patterns", "matches a byte", "GB/s", "of reading", "aim", "OpenCL, of CUDA"], rows)


def page_named(run):
    """The named algorithms, boyer-moore with each degree of cascading."""
    rows, algorithms, cells = named_rows(run)
    if not rows:
        return []
    lines = [["`" + name.split("/")[0] + "`" + (f", cascading {name.split('/')[1]}" if "/" in name else ""),
              *(speed(cells[row, name].rate) if (row, name) in cells and cells[row, name].good
                else named_cell(cells.get((row, name))) for row in rows)] for name in algorithms]
    return format_table(["GB/s, by length of the pattern", *(str(length_of(run, row)) for row in rows)], lines)


def length_of(run, row):
    return len(run.definitions[row]["pattern"]) if "pattern" in run.definitions.get(row, {}) else row


def page_others(run):
    """What is compared with other searches than reading: lists, OpenCL, the host's memory, several GPUs."""
    of = {"counting": "of counting", "cuda": "of CUDA", "pinned": "of copying pinned memory",
          "fill": "of filling pinned memory", "linear": "of linear"}
    rows = []

    def add(what, result):
        title = title_of(run, result.row)
        if result.mode == "find":
            title += f", listing {number(result.matches)} matches"
        share = "–" if result.share is None else f"{percent(result.share)} {of.get(result.against, 'of reading')}"
        rows.append([what + title, speed(result.rate), bold(share if result.good else equal(result).strip("*"), result),
                     plain_aim(result)])
    for result in run.of("cuda"):
        if result.mode == "find" and result.algorithm == "auto":
            add("", result)
    for result in run.of("cuda", "host"):
        if result.mode in ("host", "file"):
            add("from the host's memory: " if result.mode == "host" else "from a file in the page cache: ", result)
    for result in run.of("opencl"):
        if result.mode != "count" or result.row not in PAGE_ROWS:
            add("NVIDIA's OpenCL: ", result)
    for result in run.of("multi"):
        add(f"{run.gpus(result)} GPUs: ", result)
    return format_table(["", "GB/s", "share", "aim"], rows) if rows else []


def plain_aim(result):
    if not result.aim or (result.good and result.met is None):
        return "–"
    return f"{100 * result.aim.least:.0f} %"


def page_tables(run):
    judged = run.judged
    missed = sum(not result.met for result in judged)
    lines = [PAGE_START, *page_main(run), *page_others(run), *page_named(run),
             f"Of {len(judged)} rows with an aim {len(judged) - missed} meet it; the others are in bold."]
    if run.starts():
        lines += ["", said_of_start(run)]
    lines.append(PAGE_END)
    return "\n".join(lines)


def replace_in_page(path, tables):
    text = path.read_text(encoding="utf-8")
    pattern = re.compile(re.escape(PAGE_START) + ".*?" + re.escape(PAGE_END), re.S)
    if len(pattern.findall(text)) != 1:
        raise ValueError(f"{path} lacks the lines {PAGE_START} and {PAGE_END}")
    path.write_text(pattern.sub(lambda _: tables, text), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(prog="bench/gpu_tables.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the results, in bench/results")
    parser.add_argument("--page", type=Path,
                        help="put the tables between the marks of this file: docs/performance/gpu.md")
    arguments = parser.parse_args()
    try:
        run = results.Run(arguments.folder)
        run.keep_commands()
        write_csv(arguments.folder / "gpu.csv", run)
        (arguments.folder / "summary.md").write_text(summary(run), encoding="utf-8")
        if arguments.page:
            replace_in_page(arguments.page, page_tables(run))
    except (OSError, ValueError, KeyError) as error:
        print(f"bench/gpu_tables.py: {type(error).__name__}: {error}", file=sys.stderr)
        return 2
    for result in run.bad:
        print(f"bench/gpu_tables.py: {result.row} of {result.file}.json: {equal(result).strip('*')}: {result.error or ''}",
              file=sys.stderr)
    return 1 if run.bad else 0


if __name__ == "__main__":
    sys.exit(main())
