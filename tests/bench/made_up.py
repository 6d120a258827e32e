"""Small made-up results in all formats that the benches write, enough for every figure."""

import json

GIGABYTE = 10**9


def spread(seconds):
    return {"median": sorted(seconds)[len(seconds) // 2], "least": min(seconds), "most": max(seconds), "all": seconds}


def repeated(seconds):
    return [seconds, seconds * 1.01, seconds * 0.99]


def engine(name, rate, threads="1"):
    return {"name": name, "threads": threads, "bytes": GIGABYTE, "gigabytes_per_second": rate,
            "share_of_read": rate / 20, "share_of_linear": 0.9, "detail": "filter, avx2",
            "seconds": spread(repeated(1 / rate))}


def library_row(name, patterns):
    engines = [engine("read forward", 20), engine("lode", 8), engine("lode find", 7), engine("lode", 15, "all"),
               engine("hyperscan", 4), engine("memmem", 2), engine("std::boyer_moore_searcher", 1),
               engine("StringZilla", 3), engine("pyahocorasick", 0.1), engine("ahocorasick-rs", 0.5),
               {"name": "slow", "threads": "1", "not_run": "> 60 s"}]
    engines[1]["times_best_peer"] = 2.0
    return {"name": name, "model": "count", "best_peer": "hyperscan", "matches_per_byte": 0.001, "engines": engines,
            "text": {"kind": "english", "bytes": GIGABYTE, "seed": 1},
            "patterns": {"count": patterns, "present": patterns}}


def build_row(name, patterns):
    return {"name": name, "model": "build", "patterns": {"count": patterns}, "plan_bytes_per_pattern": 20.0, "resident_bytes_per_pattern": 40.0,
            "steps": [{"name": step, "seconds": spread(repeated(seconds * patterns))}
                      for step, seconds in (("plan, 1 thread", 2e-7), ("plan, all threads", 1e-7), ("searcher", 5e-8))]}


def library():
    rows = [library_row("one-rare", 1), *(library_row(f"english-{size}", size) for size in (4, 64, 1000)),
            library_row("dna-1000", 1000), library_row("find-english-1000", 1000) | {"model": "find"},
            build_row("build-1000", 1000)]
    return {"program": "lode-bench-cpu", "command_line": "lode-bench-cpu --json library.json", "threads": 2,
            "rows": rows}


def experiments():
    rows = [library_row(f"set-{size}-{kind}", size) for kind in ("english", "dna") for size in (1, 1000)]
    for name, places in (("density", (0, 1, 256)), ("prefixes-rare", (2, 128)), ("prefixes-common", (2, 64)),
                         ("prefixes-rare-ignore-case", (2, 128)), ("prefixes-common-ignore-case", (2, 64)), ("length", (5, 50)), ("scale", (1, 1024)), ("worst", ("repeated", "four-letters")), ("four", ("words",))):
        for number, place in enumerate(places):
            row = library_row(f"{name}-{place}", 1)
            row["matches_per_byte"] = place / 256 if name == "density" else 0.1
            row["engines"] += [engine(f"lode {named}", 1 + number / 10)
                               for named in ("naive", "balanced", "vector", "filter", "rabin-karp", "boyer-moore")]
            row["engines"].append(engine("lode auto, dynamic", 30, "all"))
            for chunks in (10, 1000):
                for schedule in ("static", "dynamic"):
                    row["engines"] += [engine(f"lode boyer-moore, {schedule}, {chunks} chunks", 3, threads)
                                       | {"times_one_thread": times} for threads, times in (("2", 1.9), ("all", 3.5))]
            rows.append(row)
    rows += [library_row(f"{model}-{size}-english", size) | {"model": model} for model in ("find", "stream", "records")
             for size in (1, 1000)]
    rows += [build_row(f"build-{size}-english", size) for size in (1000, 100000)]
    command = "lode-bench-cpu --rows bench/experiments.json --json experiments.json"
    return {"program": "lode-bench-cpu", "command_line": command, "threads": 4, "rows": rows}


def gpu_experiments(device, speed):
    results = [gpu_result(f"set-{size}-{kind}", speed, size) for kind in ("english", "dna") for size in (1, 1000)]
    named = ("auto", "naive", "balanced", "vector", "filter", "rabin-karp", "boyer-moore")
    for name, places in (("density", (0, 1, 256)), ("prefixes-rare", (2, 128)), ("scale", (1, 1024)),
                         ("worst", ("repeated", "four-letters")), ("four", ("words",)), ("length", (5, 50))):
        for number, place in enumerate(places):
            of_row = [gpu_result(f"{name}-{place}", speed * (1 + number / 10), 1, algorithm) for algorithm in named]
            of_row.append(gpu_result(f"{name}-{place}", speed / 2, 1, mode="find"))
            if name == "length":
                of_row += [gpu_result(f"length-{place}", speed * (1 + cascading / 64 + number), 1, f"boyer-moore/{cascading}{shape}")
                           | {"ran_group_items": 128} for cascading in (1, 8, 64)
                           for shape in ("", "/16x128", "/2x1024")]
                of_row[-1]["ran_group_items"] = 1024
            for one in of_row:
                one["matches_per_byte"] = place / 256 if name == "density" else 0.1
                one["text_bytes"] = 1024 * place if name == "scale" else one["text_bytes"]
            results += of_row
    results.append({"row": "four-words", "algorithm": "balanced", "mode": "count", "not_run": "does not serve them"})
    return {"program": "lode-bench-gpu", "command": f"lode-bench-gpu --device {device} --rows bench/gpu_experiments.json",
            "settings": {"device": device, "rows": "gpu_experiments.json"}, "results": results, "devices": {"cpu": "made up"}}


def contest(name, patterns):
    programs = {program: {"command": [program], "peak_bytes": 1, "seconds": spread(repeated(seconds)),
                          "gigabytes_per_second": 1 / seconds, "times_lode_is_faster": seconds / 0.1}
                for program, seconds in (("lode", 0.1), ("lode, 1 thread", 0.2), ("rg", 0.3), ("grep", 0.5))}
    programs["ugrep"] = {"not_run": "not installed"}
    return {"name": name, "text": "english.txt", "text_bytes": GIGABYTE, "patterns": patterns, "lines": 3,
            "programs": programs}


def threads(name, **more):
    return {"name": name, "text_bytes": GIGABYTE, **more,
            "threads": {str(count): {"seconds": spread(repeated(1 / count)), "efficiency": 1 - 0.01 * count}
                        for count in (1, 2, 4)}}


def commands():
    return {"program": "peers.py", "missing": ["ugrep"], "repetitions": 3, "timeout_seconds": 60,
            "contests": [contest("one-rare", 1), contest("english-4", 4), contest("english-1000", 1000)],
            "thread_scaling": [threads("one-rare")],
            "pipe_memory": [{"output": "-c", "beyond_empty_bytes": 2**20, "runs": []}],
            "start_up": [{"name": "lode", "seconds": spread(repeated(0.001))}]}


def scaling():
    return [threads("one-rare", where="tmpfs", command=["lode", "-c"]), threads("english-1000", where="a disk")]


def records():
    contestants = [{"name": name, "place": place, "output": output, "records": 10, "bytes": GIGABYTE,
                    "gigabytes_per_second": rate, "seconds": repeated(1 / rate), "seconds_for_all": 1 / rate,
                    "times_strstr_one_thread": rate / 0.1}
                   for place in ("1 thread", "all threads", "cuda:0")
                   for name, output, rate in (("strstr", "dense", 0.1), ("filter", "sparse", 5), ("filter", "dense", 1),
                                              ("rabin-karp", "any", 0.5))]
    contestants.append({"name": "memset", "place": "1 thread", "output": "write", "gigabytes_per_second": 10,
                        "seconds": repeated(0.1)})
    cells = {"device": "cuda:0", "records": 5, "bytes": GIGABYTE // 2, "cells": 20, "lode_seconds": repeated(0.1),
             "cell_kernel_seconds": repeated(0.4), "ratio": 4.0}
    return {"program": "lode-bench-records", "command_line": "lode-bench-records", "note": "made up",
            "workloads": [{"name": name, "bytes": GIGABYTE, "records": 10, "patterns": 4, "hits": 4,
                           "patterns_present": 3, "matching_records": 2, "contestants": contestants,
                           "cell_kernel": [cells]}
                          for name in ("few-hits", "english")]}


def gpu_result(row, rate, patterns, algorithm="auto", mode="count"):
    return {"row": row, "algorithm": algorithm, "ran": "filter", "mode": mode, "patterns": patterns, "matches": 10,
            "candidates": 20, "equal_to_cpu": True, "text": "english", "patterns_present": 1, "matches_per_byte": 10 / (8 << 30), "text_bytes": 8 << 30, "bytes_per_second": rate,
            "read_ceiling_bytes_per_second": 4.5e12, "pinned_copy_bytes_per_second": 5e10,
            "pinned_fill_bytes_per_second": 6e10, "start_seconds": 0.1, "seconds": repeated((8 << 30) / rate)}


def gpu_faults():
    """A row whose count differs, and one that broke, which does not say in which mode."""
    return [{"row": "one-50", "algorithm": "auto", "mode": "find", "equal_to_cpu": False, "text": "english",
             "text_bytes": 8 << 30, "patterns": 1, "error": "counts 3, the CPU counts 4"},
            {"row": "one-20", "algorithm": "auto", "error": "the device is lost"}]


def gpu(file, device, results):
    return {"command": f"lode-bench-gpu --device {device} --json {file}.json", "results": results,
            "devices": {"cpu": "made up", "cuda:0": "made up", "cuda:1": "made up"}}


def gpu_files():
    sets = [gpu_result(f"{family}-{size}", 4e12 / number, size)
            for family in ("dna", "phrases-12-32", "english-8-20") for number, size in enumerate((1000, 10000), 1)]
    ones = [gpu_result("one-rare", 4.4e12, 1), gpu_result("one-rare", 4e12, 1, mode="find")]
    algorithms = [gpu_result(row, rate, 1, name) for row in ("one-5", "one-10") for name, rate in (
        ("auto", 4e12), ("naive", 5e11), ("vector", 3.9e12), ("boyer-moore/1", 1e12), ("boyer-moore/4", 2e12))]
    return {"cuda": gpu("cuda", "cuda", ones + sets + algorithms),
            "opencl": gpu("opencl", "opencl", [gpu_result("one-rare", 3.5e12, 1), gpu_result("dna-1000", 3e12, 1000)]),
            "single": gpu("single", "cuda", [gpu_result("one-rare", 4e12, 1)]),
            "multi": gpu("multi", "cuda:all", [gpu_result("one-rare", 7.8e12, 1)])}


MACHINE = {"date": "2026-01-02T03:04:05+00:00", "processor": "A processor <with> \"signs\" & more", "cores": 2,
           "kernel": "6", "system": "Debian", "commit": "0" * 40, "memory_bytes": 2**34, "gpu": "A GPU",
           "gpu_memory_mebibytes": 1024, "driver": "1.2.3", "cuda": "13", "nvrtc": "13", "notes": ["A `note`."],
           "versions": {"lode": "lode 0", "rg": None}}


def everything():
    """File name, without its end → content."""
    return {"machine": MACHINE, "library": library(), "experiments": experiments(), "commands": commands(),
            "scaling": scaling(), "records": records(), **gpu_files(), "experiments-cuda": gpu_experiments("cuda", 1e12),
            "experiments-opencl": gpu_experiments("opencl", 5e11)}


def write(folder, files):
    folder.mkdir(parents=True)
    for name, content in files.items():
        (folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    return folder
