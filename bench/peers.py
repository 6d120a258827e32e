"""Lode against grep, ripgrep and ugrep as whole processes, and what else only a whole process shows.

Every program reads the same files from the page cache and writes its count into a pipe. The counts are compared before
anything is timed; where they differ nothing is reported. All programs run once, then all a second time, and so on;
ratios are taken within a repetition.
"""

import json
import os
import shutil
import statistics
import subprocess
from pathlib import Path

import processes
from run_state import write_json

# Bytes as bytes, no configuration of the user, every file as text.
ENVIRONMENT = {**os.environ, "LC_ALL": "C", "RIPGREP_CONFIG_PATH": ""}

PEERS = {
    "rg": ["rg", "--no-config", "-a", "-E", "none", "--include-zero", "-F", "-c"],
    "grep": ["grep", "-a", "-F", "-c"],
    "ugrep": ["ugrep", "-a", "-U", "-F", "-c"],
}


class Mismatch(Exception):
    """Two programs count differently: nothing may be reported."""


def generate(build, target, *words):
    """A file made by lode-generate."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with open(target, "wb") as file:
        subprocess.run([str(build / "bin" / "lode-generate"), *map(str, words)], stdout=file, check=True)
    return target


def spread(seconds):
    return {"median": statistics.median(seconds), "least": min(seconds), "most": max(seconds), "all": seconds}


def ratio(top, bottom):
    return statistics.median(a / b for a, b in zip(top, bottom))


class Commands:
    def __init__(self, build, quick, say, path, repetitions=None, origin=None):
        """path: of the results, which are written as they come; rows that it holds are not measured again. origin: what
        they tell of where they are from: commit, machine and command line."""
        self.path = path
        self.origin = origin or {}
        self.build = build
        self.data = build / "bench-data"
        self.lode = build / "bin" / "lode"
        self.say = say
        self.quick = quick
        self.mebibytes = 8 if quick else 256
        self.repetitions = repetitions or (3 if quick else 5)
        self.timeout_seconds = 2 if quick else 60
        # What a run may take in all its repetitions; a slower one is measured less often.
        self.patience_seconds = 0.5 if quick else 15

    def once(self, content, list_name, name, measure):
        """Adds to the list what `measure` returns, unless something of that name is there."""
        rows = content.setdefault(list_name, [])
        if all(row["name"] != name for row in rows):
            rows.append(measure())
            write_json(self.path, content)

    def as_shown(self, command):
        """The command as results record it: names without this machine's folders."""
        return [Path(command[0]).name, *(part.replace(f"{self.data}/", "") for part in command[1:])]

    def programs(self):
        """Name → command; None where it is not installed."""
        programs = {"lode": [str(self.lode), "-c"], "lode, 1 thread": [str(self.lode), "--threads", "1", "-c"]}
        for name, command in PEERS.items():
            programs[name] = command if shutil.which(command[0]) else None
        return programs

    def text(self, kind):
        return generate(self.build, self.data / f"{kind}.txt", "text", kind, f"{self.mebibytes}MiB", 1)

    def contest(self, name, text, patterns, flags=()):
        """All programs on one text and one pattern file."""
        pattern_count = patterns.read_bytes().count(b"\n")
        row = {"name": name, "text": text.name, "text_bytes": text.stat().st_size, "patterns": pattern_count,
               "programs": {}}
        runs = {}
        expected = None
        for program, command in self.programs().items():
            if not command:
                row["programs"][program] = {"not_run": "not installed"}
                continue
            command = [*command, *flags, "-f", str(patterns), str(text)]
            result = {"command": self.as_shown(command)}
            row["programs"][program] = result
            first = processes.run(command, self.timeout_seconds, environment=ENVIRONMENT, with_memory=True)
            if first.timed_out:
                result["not_run"] = f"> {self.timeout_seconds} s"
                continue
            if first.exit_code not in (0, 1):
                raise Mismatch(f"{name}: {program} failed: {first.errors.decode(errors='replace').strip()}")
            count = int(first.output)
            if expected is None:
                expected = count
            elif count != expected:
                raise Mismatch(f"{name}: {program} counts {count} lines, lode {expected}")
            result["peak_bytes"] = first.peak_bytes
            runs[program] = (command, first.seconds, [])
        row["lines"] = expected
        self.add_occurrences(row, text, patterns, flags)
        for repetition in range(self.repetitions):
            for command, first_seconds, seconds in runs.values():
                # At least twice; ratios then use the repetitions that both took part in.
                if repetition < max(2, self.patience_seconds / first_seconds):
                    seconds.append(processes.run(command, environment=ENVIRONMENT).seconds)
        lode = runs["lode"][2]
        for program, (_, _, seconds) in runs.items():
            result = row["programs"][program]
            result["seconds"] = spread(seconds)
            result["gigabytes_per_second"] = row["text_bytes"] / result["seconds"]["median"] / 1e9
            if not program.startswith("lode"):
                result["times_lode_is_faster"] = ratio(seconds, lode)
                result["times_lode_with_1_thread_is_faster"] = ratio(seconds, runs["lode, 1 thread"][2])
        self.say(f"{name}: {pattern_count} patterns, {100 * row['patterns_present'] / pattern_count:.1f} % of them "
                 f"present, {100 * row['matches_per_byte']:.4f} % of the bytes match, {expected} lines: " + ", ".join(
            f"{program} {result['seconds']['median']:.3f} s" if "seconds" in result
            else f"{program} {result['not_run']}" for program, result in row["programs"].items()))
        return row

    def add_occurrences(self, row, text, patterns, flags):
        """Which share of the patterns occurs, and how many matches there are, by pattern."""
        command = [str(self.lode), "--count-per-pattern", *flags, "-f", str(patterns), str(text)]
        done = subprocess.run(command, capture_output=True, check=False, env=ENVIRONMENT)
        if done.returncode not in (0, 1):
            raise RuntimeError(f"{command}: {done.stderr.decode(errors='replace')}")
        counts = [int(line.split(b"\t", 1)[0]) for line in done.stdout.splitlines()]
        row["patterns_present"] = sum(count > 0 for count in counts)
        row["matches"] = sum(counts)
        row["matches_per_byte"] = row["matches"] / row["text_bytes"]

    def contests(self, content):
        def hold(name, *what):
            self.once(content, "contests", name, lambda: self.contest(name, *what))

        english = self.text("english")
        for name, pattern in (("one-rare", "Melchizedek"), ("one-frequent", " the ")):
            patterns = self.data / f"{name}.txt"
            patterns.write_text(pattern + "\n", encoding="utf-8")
            hold(name, english, patterns)
        hold("one-frequent-ignore-case", english, self.data / "one-frequent.txt", ["-i"])
        sizes = (4, 64, 1000, 10000) if self.quick else (1, 4, 16, 64, 256, 1000, 10000, 100000)
        for size in sizes:
            hold(f"english-{size}", english,
                 generate(self.build, self.data / f"english-{size}.txt", "patterns", "english", size, 2))
        reads = self.text("dna-reads")
        hold("dna-reads-1000", reads,
             generate(self.build, self.data / "dna-1000.txt", "patterns", "dna", 1000, 2, "--shortest", 20,
                      "--text-kind", "dna-reads", "--text-bytes", f"{self.mebibytes}MiB", "--text-seed", 1))
        log = self.text("log")
        hold("log-1000", log,
             generate(self.build, self.data / "log-1000.txt", "patterns", "log", 1000, 2, "--shortest", 8,
                      "--text-kind", "log", "--text-bytes", f"{self.mebibytes}MiB", "--text-seed", 1))

    def threads(self, name):
        """Time of one file with 1, 2, 4 … all threads. `efficiency`: of linear."""
        english = self.data / "english.txt"
        cores = len(os.sched_getaffinity(0))
        counts = sorted({1, cores} | {1 << power for power in range(cores.bit_length()) if 1 << power <= cores})
        commands = {threads: [str(self.lode), "--threads", str(threads), "--count-matches", "-f",
                              str(self.data / f"{name}.txt"), str(english)] for threads in counts}
        seconds = {threads: [] for threads in counts}
        outputs = set()
        for _ in range(self.repetitions):
            for threads, command in commands.items():
                done = processes.run(command, environment=ENVIRONMENT)
                seconds[threads].append(done.seconds)
                outputs.add((done.exit_code, done.output))
        if len(outputs) != 1:
            raise Mismatch(f"{name}: the count depends on the number of threads: {outputs}")
        row = {"name": name, "text_bytes": english.stat().st_size, "threads": {}}
        for threads in counts:
            row["threads"][str(threads)] = {"seconds": spread(seconds[threads]),
                                            "efficiency": ratio(seconds[1], seconds[threads]) / threads}
        self.say(f"threads, {name}: " + ", ".join(
            f"{threads}: {one['seconds']['median']:.3f} s ({100 * one['efficiency']:.0f} % of linear)"
            for threads, one in row["threads"].items()))
        return row

    def pipe_memory(self, output):
        """Peak memory of a search in a pipe, of one text's length and of four, beyond that for an empty pipe."""
        english = self.data / "english.txt"
        command = [str(self.lode), output, "-f", str(self.data / "english-1000.txt")]
        row = {"name": output, "output": output, "command": self.as_shown(command), "runs": []}
        for copies in (0, 1, 4):
            with subprocess.Popen(["cat", *[str(english)] * copies], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE) as cat:
                done = processes.run(command, stdin=cat.stdout, with_memory=True)
            if done.exit_code not in (0, 1):
                raise RuntimeError(f"{command}: {done.errors.decode(errors='replace')}")
            row["runs"].append({"bytes": copies * english.stat().st_size, "peak_bytes": done.peak_bytes,
                                "seconds": done.seconds})
        row["beyond_empty_bytes"] = max(run["peak_bytes"] for run in row["runs"]) - row["runs"][0]["peak_bytes"]
        self.say(f"pipe, {output}: {row['beyond_empty_bytes'] / 2**20:.1f} MiB beyond an empty pipe, peaks "
                 + ", ".join(f"{run['peak_bytes'] / 2**20:.1f}" for run in row["runs"]) + " MiB")
        return row

    def start_up(self):
        """From start to exit on a file of 4 KiB that holds the word; `true` shows what starting costs at all."""
        small = self.data / "small.txt"
        small.write_bytes((b"a small file of some words\n" * 200)[:4096])
        commands = {"true": ["true"]}
        for name, command in self.programs().items():
            if command:
                commands[name] = [*command, "word", str(small)]
        times = 20 if self.quick else 100
        seconds = {name: [] for name in commands}
        for _ in range(5):
            for name, command in commands.items():
                seconds[name] += processes.start_to_exit(command, times // 5)
        rows = [{"name": name, "seconds": spread(values)} for name, values in seconds.items()]
        self.say("start-up: " + ", ".join(f"{row['name']} {1000 * row['seconds']['median']:.2f} ms" for row in rows))
        return rows

    def measure(self):
        """Everything, as one object for JSON, which is in the file, too."""
        if self.path.exists():
            content = json.loads(self.path.read_text(encoding="utf-8"))
        else:
            missing = [name for name, command in self.programs().items() if not command]
            content = {"program": "peers.py", **self.origin, "missing": missing, "repetitions": self.repetitions,
                       "timeout_seconds": self.timeout_seconds}
        self.contests(content)
        for name in ("one-rare", "english-1000"):
            self.once(content, "thread_scaling", name, lambda name=name: self.threads(name))
        for output in ("-c", "--count-matches", "--offsets", "--count-per-pattern", "--only-matching"):
            self.once(content, "pipe_memory", output, lambda output=output: self.pipe_memory(output))
        if "start_up" not in content:
            content["start_up"] = self.start_up()
            write_json(self.path, content)
        return content
