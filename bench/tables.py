"""Results as CSV for programs and as Markdown for people."""

import csv
from statistics import median

import names
from result_folder import engine_of


def write_library_csv(path, library):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["row", "model", "engine", "threads", "text", "bytes", "patterns", "share_present",
                         "matches_per_byte", "gigabytes_per_second", "gigabits_per_second", "least_gigabytes_per_second",
                         "times_one_thread", "share_of_read", "times_best_peer", "best_peer", "build_seconds",
                         "detail", "not_run"])
        for row in library["rows"]:
            if row["model"] == "build":
                continue
            share = row["patterns"]["present"] / row["patterns"]["count"]
            for engine in row["engines"]:
                rate = engine.get("gigabytes_per_second")
                writer.writerow([row["name"], row["model"], engine["name"], engine["threads"], row["text"]["kind"],
                                 engine.get("bytes"), row["patterns"]["count"], share, row["matches_per_byte"],
                                 rate, rate and 8 * rate, rate and engine["bytes"] / engine["seconds"]["most"] / 1e9,
                                 engine.get("times_one_thread"), engine.get("share_of_read"),
                                 engine.get("times_best_peer"), row.get("best_peer"), engine.get("build_seconds"),
                                 engine.get("detail"), engine.get("not_run")])


def write_commands_csv(path, commands):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["row", "program", "patterns", "share_present", "matches_per_byte", "text", "bytes", "lines",
                         "seconds", "least", "most", "gigabytes_per_second", "times_lode_is_faster", "peak_bytes",
                         "not_run"])
        for row in commands["contests"]:
            for name, result in row["programs"].items():
                seconds = result.get("seconds", {})
                present = row.get("patterns_present")
                writer.writerow([row["name"], name, row["patterns"],
                                 present if present is None else present / row["patterns"],
                                 row.get("matches_per_byte"), row["text"], row["text_bytes"], row["lines"],
                                 seconds.get("median"), seconds.get("least"), seconds.get("most"),
                                 result.get("gigabytes_per_second"), result.get("times_lode_is_faster"),
                                 result.get("peak_bytes"), result.get("not_run")])


def write_records_csv(path, records):
    """A row of each contestant, and two of each contest with a work-item for each cell, which say times_cell_kernel."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["workload", "contestant", "place", "output", "records_of_all", "bytes_of_all", "patterns",
                         "share_present", "hits", "hits_per_byte", "matching_records", "records", "bytes", "seconds",
                         "least", "most", "seconds_for_all", "gigabytes_per_second", "gigabits_per_second",
                         "share_of_read", "share_of_write", "times_strstr_one_thread", "times_strstr_all_threads",
                         "times_cell_kernel", "detail", "not_run"])
        for row in records["workloads"]:
            present = row.get("patterns_present")
            share = None if present is None else present / row["patterns"]
            of_all = [row["records"], row["bytes"], row["patterns"], share, row["hits"], row["hits"] / row["bytes"],
                      row["matching_records"]]
            for one in row["contestants"]:
                rate = one.get("gigabytes_per_second")
                writer.writerow([row["name"], one["name"], one["place"], one.get("output"), *of_all, one.get("records"),
                                 one.get("bytes"), *spread(one.get("seconds")), one.get("seconds_for_all"), rate,
                                 rate and 8 * rate, one.get("share_of_read"), one.get("share_of_write"),
                                 one.get("times_strstr_one_thread"), one.get("times_strstr_all_threads"), None,
                                 one.get("detail"), one.get("not_run")])
            for one in row["cell_kernel"]:
                for name, seconds, ratio in (("filter", one["lode_seconds"], one["ratio"]),
                                             ("a work-item for each cell", one["cell_kernel_seconds"], None)):
                    rate = one["bytes"] / median(seconds) / 1e9
                    writer.writerow([row["name"], name, one["device"] + " resident, in turns", "dense", *of_all,
                                     one["records"], one["bytes"], *spread(seconds), None, rate, 8 * rate, *[None] * 4,
                                     ratio, None, None])


def spread(seconds):
    """Median, least and most of what each repetition took; nothing where it did not run."""
    return (median(seconds), min(seconds), max(seconds)) if seconds else (None, None, None)


def way(algorithm):
    """NAME, NAME/CASCADING or NAME/CASCADING/GROUPSxITEMS as a tuple of four, None for what is not said."""
    name, cascading, shape = (algorithm.split("/") + [None, None])[:3]
    groups, items = map(int, shape.split("x")) if shape else (None, None)
    return name, int(cascading) if cascading else None, groups, items


def write_gpu_csv(path, content):
    """Of lode-bench-gpu on experiments."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["row", "mode", "algorithm", "cascading", "groups_per_unit", "group_items",
                         "ran_group_items", "text", "bytes", "patterns", "share_present", "matches_per_byte", "seconds",
                         "least", "most", "gigabytes_per_second", "gigabits_per_second", "share_of_read", "not_run"])
        for one in content["results"]:
            ran = way(one["algorithm"])
            mode = one.get("mode", "count")
            if "seconds" not in one:
                writer.writerow([one["row"], mode, *ran, None, one.get("text"), one.get("text_bytes"),
                                 one.get("patterns"), *[None] * 8, one.get("not_run") or one.get("error")])
                continue
            rate, ceiling = one["bytes_per_second"] / 1e9, one["read_ceiling_bytes_per_second"] / 1e9
            writer.writerow([one["row"], mode, *ran, one.get("ran_group_items"), one["text"], one["text_bytes"],
                             one["patterns"], one["patterns_present"] / one["patterns"], one["matches_per_byte"],
                             *spread(one["seconds"]), rate, 8 * rate,
                             rate / ceiling if ceiling else None, None])


def format_table(head, rows):
    """Lines of a Markdown table, the first column to the left, and an empty line."""
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows] + [""]


def _speed(engine):
    return f"{engine['gigabytes_per_second']:.2f}" if engine else "–"


def _threads(engine):
    if not engine:
        return "–"
    return (f"{engine['gigabytes_per_second']:.2f} ({100 * engine['share_of_read']:.0f} % of read, "
            f"{100 * engine['share_of_linear']:.0f} % of linear)")


MODELS = {"count": "counting", "find": "listing", "stream": "streams, in pieces of a MiB",
          "records": "first occurrences in each line"}
# Peers in process, as columns; of each the engine's name in the results.
PEERS = ("hyperscan", "memmem", "std::boyer_moore_searcher", "StringZilla", "pyahocorasick", "ahocorasick-rs")


def _share(count, of):
    return "–" if count is None else f"{100 * count / of:.0f} %"


def _density(matches_per_byte):
    return "–" if matches_per_byte is None else f"{100 * matches_per_byte:.4f} %"


def _library(library, title="In process"):
    """A table for each model: Lode by `auto`, and every peer that took part in any row."""
    lines = []
    for model, named in MODELS.items():
        rows = [row for row in library["rows"] if row["model"] == model]
        peers = [peer for peer in PEERS if any(engine_of(row, peer) for row in rows)]
        cells = []
        for row in rows:
            lode = engine_of(row, "lode")
            listing = [_speed(engine_of(row, "lode find"))] if model == "count" else []
            cells.append([names.row_with_id(row["name"]), _share(row["patterns"]["present"], row["patterns"]["count"]),
                          _density(row["matches_per_byte"]), lode["detail"].split(",")[0], _speed(lode),
                          f"{100 * lode['share_of_read']:.0f} %", _threads(engine_of(row, "lode", "all")), *listing,
                          *(_speed(engine_of(row, peer)) for peer in peers),
                          f"{lode['times_best_peer']:.1f} × {row['best_peer']}" if "times_best_peer" in lode else "–"])
        if cells:
            lines += [f"## {title}: {named}, GB/s, one thread unless said", ""]
            lines += format_table(["row", "patterns present", "matches per byte", "algorithm", "Lode", "of read",
                                   "all threads", *(["listing"] if model == "count" else []), *peers,
                                   "Lode against the best peer"], cells)
    for row in library["rows"]:
        if row["model"] == "build":
            lines += [f"{names.row_with_id(row['name'])}: {row['plan_bytes_per_pattern']:.1f} bytes a pattern beyond "
                      f"the pattern bytes (plan and searcher as resident memory: {row['resident_bytes_per_pattern']:.1f}); " +
                      ", ".join(f"{step['name']} {step['seconds']['median']:.3f} s" for step in row["steps"]) + ".", ""]
    absent = sorted({(engine["name"], engine["not_run"]) for row in library["rows"] for engine in row.get("engines", [])
                     if engine.get("not_run", "").startswith(("not installed", "no Python", "libhyperscan"))})
    lines += [f"Missing: {'; '.join(f'{name}: {reason}' for name, reason in absent)}.", ""] if absent else []
    return lines


def _commands(commands):
    contests = commands.get("contests", [])
    programs = list(contests[0]["programs"]) if contests else []
    rows = []
    for row in contests:
        cells = [names.row_with_id(row["name"]), str(row["patterns"]),
                 _share(row.get("patterns_present"), row["patterns"]), _density(row.get("matches_per_byte")),
                 str(row["lines"])]
        for name in programs:
            result = row["programs"][name]
            cell = f"{result['seconds']['median']:.3f}" if "seconds" in result else result["not_run"]
            if "times_lode_is_faster" in result:
                cell += f" ({result['times_lode_is_faster']:.1f} ×)"
            cells.append(cell)
        rows.append(cells)
    lines = ["## Whole processes, seconds (× : Lode is so many times faster)", ""]
    lines += format_table(["row", "patterns", "present", "matches per byte", "lines", *programs], rows)
    for row in commands.get("thread_scaling", []):
        lines += [f"Threads, {names.row_with_id(row['name'])}: " + ", ".join(
            f"{threads}: {one['seconds']['median']:.3f} s ({100 * one['efficiency']:.0f} % of linear)"
            for threads, one in row["threads"].items()) + ".", ""]
    if commands.get("pipe_memory"):
        lines += ["Memory in a pipe, beyond an empty one: " + ", ".join(
            f"`{row['output']}` {row['beyond_empty_bytes'] / 2**20:.1f} MiB" for row in commands["pipe_memory"]) + ".", ""]
    if commands.get("start_up"):
        lines += ["Start to exit on a small file: " + ", ".join(
            f"{row['name']} {1000 * row['seconds']['median']:.2f} ms" for row in commands["start_up"]) + ".", ""]
    return lines


def _records(records):
    """Of each contestant its speed and how many times faster it is than strstr on one thread."""
    columns = []
    for row in records["workloads"]:
        for one in row["contestants"]:
            if "records" in one and one.get("output") != "read":
                column = (one["name"], one["place"], one["output"])
                if column not in columns:
                    columns.append(column)
    rows = []
    for name, place, output in columns:
        cells = [f"{name}, {place}, {output}"]
        for row in records["workloads"]:
            found = [one for one in row["contestants"]
                     if (one["name"], one["place"], one.get("output")) == (name, place, output)]
            cell = f"{found[0]['gigabytes_per_second']:.3g}" if found else "–"
            if found and "times_strstr_one_thread" in found[0]:
                cell += f" ({found[0]['times_strstr_one_thread']:.3g} ×)"
            cells.append(cell)
        rows.append(cells)
    lines = ["## Records × patterns, GB/s of records (× : as fast as `strstr` on one thread)", ""]
    lines += format_table(["contestant", *(names.row_with_id(row["name"]) for row in records["workloads"])], rows)
    lines += [f"{names.row(row['name'])}: {row['bytes'] / 1e6:.0f} MB in {row['records']} records, {row['patterns']} patterns, "
              f"{_share(row.get('patterns_present'), row['patterns'])} of them present, {row['hits']} hits "
              f"({_density(row['hits'] / row['bytes'])} of the bytes), {100 * row['matching_records'] / row['records']:.2f} % of the records match."
              for row in records["workloads"]] + [""]
    ratios = [f"{names.row(row['name'])} {one['ratio']:.2f} × on {one['device']}" for row in records["workloads"]
              for one in row["cell_kernel"]]
    if ratios:
        lines += ["Against a work-item for each cell: " + ", ".join(ratios) + ".", ""]
    return lines


def fault_of(one):
    """What a result of lode-bench-gpu without times is called: one that counts otherwise than the CPU differs, one that
    broke failed. None where it ran, or where the algorithm does not serve the row."""
    if one.get("equal_to_cpu") is False:
        return "**DIFFERS**"
    return "**FAILED**" if one.get("error") else None


def of_gpu_experiments(file, content):
    """Lines of the table of one device. file: what it is called."""
    rows, algorithms = {}, []
    for one in content["results"]:
        fault = fault_of(one)
        if "seconds" not in one and not fault:
            continue
        algorithm = way(one["algorithm"])[0]
        algorithms += [algorithm] if algorithm not in algorithms else []
        told, cells = rows.setdefault((one["row"], one.get("mode", "count")), ({}, {}))
        if fault:
            cells[algorithm] = fault  # of several ways one that is wrong must not hide behind another
        elif not isinstance(known := cells.get(algorithm, 0), str):
            cells[algorithm] = max(known, one["bytes_per_second"] / 1e9)
            told.update(one)
    lines = [f"## Experiments on {content['settings']['device']}, GB/s; of several ways of an algorithm the fastest "
             f"(`{file}`)", ""]
    return lines + format_table(
        ["row", "mode", "patterns present", "matches per byte", *algorithms],
        [[names.row_with_id(row), MODELS.get(mode, mode), _share(one.get("patterns_present"), one.get("patterns")),
          _density(one.get("matches_per_byte")), *(_cell(cells.get(algorithm)) for algorithm in algorithms)]
         for (row, mode), (one, cells) in rows.items()])


def _cell(rate):
    return rate if isinstance(rate, str) else "–" if rate is None else f"{rate:.4g}"


def sections(library=None, commands=None, records=None, experiments=None, gpu_experiments=None):
    """The tables of what there is, as lines of Markdown. gpu_experiments: file → content."""
    lines = _library(library) if library else []
    lines += _records(records) if records else []
    lines += _commands(commands) if commands else []
    lines += _library(experiments, "Experiments") if experiments else []
    for file, content in (gpu_experiments or {}).items():
        lines += of_gpu_experiments(file, content)
    return lines


def markdown(facts, **contents):
    """contents: as `sections` takes them."""
    versions = ", ".join(f"{name}: {version or 'not installed'}" for name, version in facts["versions"].items())
    lines = [f"# {facts['processor']}, {facts['cores']} cores, {facts['date'][:10]}", "",
             f"{facts['system']}, kernel {facts['kernel']}; commit {facts['commit']}; `{facts['command_line']}`.", "",
             f"{versions}.", ""]
    on_gpus = [f"{name}: {told}" for name, told in facts.get("devices", {}).items()]
    on_gpus += [f"NVIDIA's driver {facts['driver']}"] if "driver" in facts else []
    lines += ["; ".join(on_gpus) + ".", ""] if on_gpus else []
    return "\n".join(lines + sections(**contents))
