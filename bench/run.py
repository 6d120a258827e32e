"""Measures the library in process, records, and the command against whole-process peers.

A run that was interrupted goes on where it stopped when it is started again with the same folder: rows that were finished
stay. Results of another commit, command or machine are never mixed with these.

Exit 0 where everything was measured, 1 where counts differ between programs, 2 on errors, 130 where interrupted; with
--compare 1 also where a row is slower than it was."""

import argparse
import os
import shlex
import subprocess
import sys
from pathlib import Path

import compare
import machine
import peers
import result_folder
import tables
from result_folder import read_json
from run_state import Differs, State, write_json

# From where the run is started: commands, and with them whose folders these are, stand in results.
HERE = Path(os.path.relpath(Path(__file__).resolve().parent))
PROGRAMS = ("lode", "lode-generate", "lode-bench-cpu", "lode-bench-records", "lode-bench-gpu")
PARTS = ("library", "records", "commands", "experiments", "gpu-experiments")
USUAL = ("library", "records", "commands")  # experiments take longer, and are measured where they are asked for

QUICK_RECORDS = "few-hits|english|short-records-4"


class Failed(Exception):
    """A program did not measure; it has said why. Its argument: the exit code of the run."""


def say(message):
    print(message, file=sys.stderr, flush=True)


def add_arguments(parser):
    parser.add_argument("build", type=Path, help="build folder with the programs, made with -DLODE_BUILD_BENCH=ON")
    parser.add_argument("--quick", action="store_true", help="small texts, under a minute on two cores")
    parser.add_argument("--large", action="store_true", help="in the part records 1 GiB of them and 64 KB of patterns, "
                        "1 GiB of letters and one record of 1 GiB instead of all workloads; about ten minutes on two cores")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--part", choices=PARTS, action="append", help="only this part; may be repeated. experiments "
                       "(the rows of experiments.json) and gpu-experiments (of gpu_experiments.json, on each --device) "
                       "are no parts of a usual run")
    which.add_argument("--full", action="store_true", help="all parts, experiments too, and those of GPUs where "
                       "there is a --device; hours")
    parser.add_argument("--only", help="rows of the library or of experiments whose whole name matches this regular "
                        "expression")
    parser.add_argument("--repetitions", type=int, metavar="N", help="of everything that is measured, instead of each "
                        "program's own: 5, of GPUs' rows 7, fewer with --quick")
    parser.add_argument("--device", action="append", default=[],
                        help="a GPU that takes part in the records beside the CPU and in gpu-experiments; may be repeated")
    parser.add_argument("--python", type=Path, help="a Python that has the peers written for it; else that of "
                        "build/bench-python, where ./dev bench installs them, or the one that runs this")
    parser.add_argument("--output", type=Path, help="folder for the results; else bench/results/MACHINE-DATE, "
                        "or BUILD/bench-results where --quick")
    parser.add_argument("--again", action="store_true", help="measure anew what the folder holds already; always so where "
                        "--quick without --output")
    parser.add_argument("--compare", type=Path, metavar="OLD", help="then tell what moved since these results: a folder, "
                        "or a file such as library.json or experiments-cuda.json: then with what this run measured of "
                        "its kind")


def python_of(arguments):
    """Not resolved: a virtual environment's Python is a link, and knows its packages by its own place."""
    installed = HERE.parent / "build" / "bench-python" / "bin" / "python3"
    return arguments.python or (installed if installed.exists() else Path(sys.executable))


class Run:
    def __init__(self, arguments, build, output, facts, state):
        self.arguments = arguments
        self.build = build
        self.output = output
        self.facts = facts
        self.state = state

    def call(self, program, *words):
        done = subprocess.run([str(self.build / "bin" / program), *map(str, words)], check=False)
        if done.returncode != 0:
            raise Failed(1 if done.returncode == 1 else 2)

    def settings(self, part):
        """What must be the same for a part to go on."""
        arguments = self.arguments
        of_rows = {"only": arguments.only} if part in ("library", "experiments", "gpu-experiments") else {}
        of_devices = {"devices": arguments.device} if part in ("records", "gpu-experiments") else {}
        of_size = {"large": True} if part == "records" and arguments.large else {}
        of_times = {"repetitions": arguments.repetitions} if arguments.repetitions else {}
        return {"quick": arguments.quick, **of_rows, **of_devices, **of_size, **of_times}

    def repetitions(self, usual=()):
        """Options of how often things are measured. usual: where nothing is asked for."""
        return ("--repetitions", self.arguments.repetitions) if self.arguments.repetitions else usual

    def rows(self, *words):
        """Options of what measures rows."""
        words += (("--quick",) if self.arguments.quick else ()) + self.repetitions()
        return words + (("--only", self.arguments.only) if self.arguments.only else ())

    def files_of(self, part):
        """Where the results of a part go."""
        names = [part]
        if part == "gpu-experiments":
            names = [f"experiments-{device.replace(':', '-')}" for device in self.arguments.device]
        return [self.output / f"{name}.json" for name in names]

    def origin(self):
        """What a file of results tells of where it is from, as the programs write it, too."""
        return {"commit": self.facts["commit"], "machine": {key: self.facts[key] for key in ("processor", "cores")},
                "command_line": self.facts["command_line"]}

    def measure(self, part):
        target = self.output / f"{part}.json"
        if part in ("library", "experiments"):
            rows = HERE / ("rows.json" if part == "library" else "experiments.json")
            self.call("lode-bench-cpu", "--rows", rows, "--json", target, "--resume", "--python", python_of(self.arguments),
                      "--commit", self.facts["commit"], *self.rows())
            tables.write_library_csv(self.output / f"{part}.csv", read_json(target))
        elif part == "records":
            devices = [word for device in self.arguments.device for word in ("--device", device)]
            sizes = ["--megabytes", "4", "--only", QUICK_RECORDS] if self.arguments.quick else []
            sizes += self.repetitions(("--repetitions", "1") if self.arguments.quick else ())
            sizes += ["--large"] if self.arguments.large else []
            self.call("lode-bench-records", "--json", target, "--resume", "--commit", self.facts["commit"], *devices, *sizes)
            tables.write_records_csv(self.output / f"{part}.csv", read_json(target))
        elif part == "gpu-experiments":
            for device, target in zip(self.arguments.device, self.files_of(part)):
                try:
                    self.call("lode-bench-gpu", "--rows", HERE / "gpu_experiments.json", "--device", device, "--json",
                              target, "--resume", "--commit", self.facts["commit"], *self.rows())
                finally:  # also where rows differ: it tells which
                    if target.exists():
                        tables.write_gpu_csv(target.with_suffix(".csv"), read_json(target))
        else:
            try:
                commands = peers.Commands(self.build, self.arguments.quick, say, target, self.arguments.repetitions,
                                          origin=self.origin()).measure()
            except peers.Mismatch as mismatch:
                target.unlink(missing_ok=True)
                say(f"lode-bench run: {mismatch}; nothing of the commands is reported")
                raise Failed(1) from mismatch
            tables.write_commands_csv(self.output / "commands.csv", commands)

    def measure_all(self, parts):
        for part in parts:
            if self.state.begin(part, self.settings(part)):
                self.measure(part)
                self.state.finish(part)
            else:
                say(f"lode-bench run: {part}: all of it was measured before")


def parts_of(arguments):
    if not arguments.full:
        return arguments.part or USUAL
    return PARTS if arguments.device else [part for part in PARTS if part != "gpu-experiments"]


def files_in(output):
    """What runs leave in a folder."""
    return [path for part in PARTS for path in (output / f"{part}.json", output / f"{part}.csv") if path.exists()] + list(
        output.glob("experiments-*.*"))


def prepare(arguments, build):
    """The run of a folder: its facts are those of the first start."""
    python = python_of(arguments)
    facts = machine.describe(HERE.parent, build / "bin" / "lode", python, arguments.device)
    facts["command_line"] = shlex.join(["lode-bench", *sys.argv[1:]])
    output, again = arguments.output, arguments.again
    if not output:
        output = build / "bench-results" if arguments.quick else HERE / "results" / machine.short_name(facts)
        again = again or arguments.quick
    output.mkdir(parents=True, exist_ok=True)
    if again:
        for stale in [output / State.NAME, *files_in(output)]:
            stale.unlink(missing_ok=True)
    state = State(output, facts, machine.digest([build / "bin" / program for program in PROGRAMS], HERE))
    if state.is_new and files_in(output):
        raise Differs(f"{output} holds results of which nothing tells what they are of. Give another --output, or --again to "
                      "measure everything anew")
    path = output / "machine.json"
    if state.is_new or not path.exists():
        write_json(path, facts)
    facts = with_devices(path, read_json(path), facts)
    return Run(arguments, build, output, facts, state)


def with_devices(path, known, now):
    """What machine.json says, with devices that take part only now. Throws Differs where one is another now."""
    devices = known.get("devices", {})
    for name, told in now.get("devices", {}).items():
        if devices.get(name, told) != told:
            raise Differs(f"{path.parent} holds results of another {name}: it was {devices[name]}, now it is {told}. "
                          "Give another --output, or --again to measure everything anew")
    if devices.keys() >= now.get("devices", {}).keys():
        return known
    known = {**known, **{key: now[key] for key in ("driver",) if key in now}, "devices": devices | now["devices"]}
    write_json(path, known)
    return known


def summarize(run):
    """Of everything that the folder has."""
    contents = {kind: read_json(path) for kind in ("library", "records", "commands", "experiments")
                if (path := run.output / f"{kind}.json").exists()}
    on_gpus = {path.name: read_json(path) for path in sorted(run.output.glob("experiments-*.json"))}
    summary = tables.markdown(run.facts, **contents, gpu_experiments=on_gpus)
    (run.output / "summary.md").write_text(summary, encoding="utf-8")
    print(summary)


def counterpart(run, parts, old):
    """Which of the files that were measured is to be compared with a file of this content: of its kind, and of several
    that of its device."""
    files = [file for part in parts for file in run.files_of(part)]
    alike = [file for file in files if result_folder.kind_of(read_json(file)) == result_folder.kind_of(old)]
    named = [file for file in alike if file.stem == result_folder.usual_name(old)]
    return (named or alike or files)[0]


def main(arguments):
    build = arguments.build.resolve()
    parts = parts_of(arguments)
    if "gpu-experiments" in parts and not arguments.device:
        say("lode-bench run: gpu-experiments need a --device, for instance cuda or opencl")
        return 2
    if arguments.large and (arguments.quick or "records" not in parts):
        say("lode-bench run: --large is a size of records; it goes neither with --quick nor with parts that have none")
        return 2
    try:
        old = read_json(arguments.compare) if arguments.compare and not arguments.compare.is_dir() else None
    except (OSError, ValueError) as error:
        say(f"lode-bench run: --compare {arguments.compare}: {error}")
        return 2
    for program in PROGRAMS:
        if not (build / "bin" / program).exists():
            say(f"lode-bench run: {build / 'bin' / program} is missing: build it first, ./dev bench does")
            return 2
    try:
        run = prepare(arguments, build)
        run.measure_all(parts)
    except Failed as failure:
        return failure.args[0]
    except (Differs, OSError) as difference:  # a program that is being built anew cannot be started
        say(f"lode-bench run: {difference}")
        return 2
    except KeyboardInterrupt:
        say("lode-bench run: interrupted; what is finished stays, and the same command with the same folder goes on")
        return 130
    summarize(run)
    say(f"lode-bench run: results are in {run.output}")
    if not arguments.compare:
        return 0
    new = run.output if arguments.compare.is_dir() else counterpart(run, parts, old)
    return compare.main(argparse.Namespace(old=arguments.compare, new=new, noise=compare.NOISE_PERCENT))
