"""Measures the library in process, records, and the command against whole-process peers.

Exit 0 where everything was measured, 1 where counts differ between programs, 2 on errors."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import machine
import peers
import tables

HERE = Path(__file__).resolve().parent

# What each part leaves behind.
FILES = {
    "library": ["library.json", "library.csv"],
    "records": ["records.json"],
    "commands": ["commands.json", "commands.csv"],
    "experiments": ["experiments.json", "experiments.csv"],
}
USUAL = ("library", "records", "commands")  # experiments take as long again, and are measured where they are named


def say(message):
    print(message, file=sys.stderr, flush=True)


def add_arguments(parser):
    parser.add_argument("build", type=Path, help="build folder with the programs, made with -DLODE_BUILD_BENCH=ON")
    parser.add_argument("--quick", action="store_true", help="small texts, under a minute on two cores")
    parser.add_argument("--part", choices=list(FILES), help="only this part; experiments, of the rows in experiments.json, are no "
                        "part of a usual run")
    parser.add_argument("--only", help="rows of the library or the experiments whose whole name matches this regular "
                        "expression")
    parser.add_argument("--device", action="append", default=[],
                        help="a GPU that takes part in the records beside the CPU; may be repeated")
    parser.add_argument("--output", type=Path, help="folder for the results; else bench/results/MACHINE-DATE, "
                        "or BUILD/bench-results where --quick")


def main(arguments):
    build = arguments.build.resolve()
    for program in ("lode", "lode-generate", "lode-bench-cpu", "lode-bench-records"):
        if not (build / "bin" / program).exists():
            say(f"lode-bench run: {build / 'bin' / program} is missing: build it first, ./dev bench does")
            return 2

    facts = machine.describe(HERE.parent, build / "bin" / "lode")
    facts["command_line"] = shlex.join(["lode-bench", *sys.argv[1:]])
    output = arguments.output
    if not output:
        output = build / "bench-results" if arguments.quick else HERE / "results" / machine.short_name(facts)
    output.mkdir(parents=True, exist_ok=True)
    # What a run refuses to report must not be there from the run before.
    parts = [arguments.part] if arguments.part else USUAL
    for part in parts:
        for stale in FILES[part]:
            (output / stale).unlink(missing_ok=True)
    (output / "summary.md").unlink(missing_ok=True)
    (output / "machine.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")

    library = commands = records = None
    for part, rows in (("library", "rows.json"), ("experiments", "experiments.json")):
        if part not in parts:
            continue
        command = [str(build / "bin" / "lode-bench-cpu"), "--rows", str(HERE / rows), "--json",
                   str(output / f"{part}.json")]
        command += ["--quick"] if arguments.quick else []
        command += ["--only", arguments.only] if arguments.only else []
        done = subprocess.run(command, check=False)
        if done.returncode != 0:
            return done.returncode if done.returncode == 1 else 2
        measured = json.loads((output / f"{part}.json").read_text(encoding="utf-8"))
        tables.write_library_csv(output / f"{part}.csv", measured)
        library = measured if part == "library" else library
    if "records" in parts:
        command = [str(build / "bin" / "lode-bench-records"), "--json", str(output / "records.json")]
        command += ["--commit", facts["commit"]]
        command += ["--megabytes", "4", "--repetitions", "1"] if arguments.quick else []
        for device in arguments.device:
            command += ["--device", device]
        done = subprocess.run(command, check=False)
        if done.returncode != 0:
            return done.returncode if done.returncode == 1 else 2
        records = json.loads((output / "records.json").read_text(encoding="utf-8"))
    if "commands" in parts:
        try:
            commands = peers.Commands(build, arguments.quick, say).measure()
        except peers.Mismatch as mismatch:
            say(f"lode-bench run: {mismatch}; nothing of the commands is reported")
            return 1
        (output / "commands.json").write_text(json.dumps(commands, indent=1) + "\n", encoding="utf-8")
        tables.write_commands_csv(output / "commands.csv", commands)
    summary = tables.markdown(facts, library, commands, records)
    (output / "summary.md").write_text(summary, encoding="utf-8")
    print(summary)
    say(f"lode-bench run: results are in {output}")
    return 0

