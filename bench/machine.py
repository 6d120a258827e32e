"""Facts about the machine and the programs on it that stand with every result."""

import datetime
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
from pathlib import Path


def first_line(command):
    """The first line that the command prints, or None where it cannot be run."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = (done.stdout or done.stderr).splitlines()
    return lines[0].strip() if lines else None


def processor_name():
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def instruction_sets():
    wanted = ["sse4_2", "avx2", "avx512f", "avx512bw", "avx512_vbmi", "asimd"]
    match = re.search(r"^(?:flags|Features)\s*:(.*)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.M)
    present = match.group(1).split() if match else []
    return [name for name in wanted if name in present]


def cache_sizes():
    sizes = {}
    for index in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        kind = (index / "type").read_text(encoding="utf-8").strip()
        level = (index / "level").read_text(encoding="utf-8").strip()
        sizes[f"L{level} {kind}"] = (index / "size").read_text(encoding="utf-8").strip()
    return sizes


def commit_of(folder):
    """The commit that the sources stand at; says so where files were changed since, or where there is no history."""
    commit = first_line(["git", "-C", str(folder), "rev-parse", "HEAD"])
    if not commit or not re.fullmatch(r"[0-9a-f]{40,64}", commit):
        return "unknown: no git history here"
    changed = first_line(["git", "-C", str(folder), "status", "--porcelain", "--untracked-files=no"])
    return commit + (" with changes" if changed else "")


def digest(programs, definitions):
    """Of programs, and of the files beside them that say what is measured: more than a commit tells of a changed tree."""
    whole = hashlib.sha256()
    for path in sorted([*programs, *definitions.glob("*.py"), *definitions.glob("*.json")]):
        whole.update(path.name.encode() + hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()[:16]


def python_peers(python):
    """Name → version of the peers that are Python packages, None where one is not installed."""
    asked = [str(python), str(Path(__file__).with_name("python_peers.py")), "--versions"]
    return json.loads(subprocess.run(asked, capture_output=True, text=True, check=True).stdout)


def devices(lode, wanted):
    """Name → what `lode --list-devices` says of each device that these values of --device mean: model and driver."""
    if not wanted:
        return {}
    done = subprocess.run([str(lode), "--list-devices"], capture_output=True, text=True, timeout=60, check=True)
    listed = dict(line.split("\t", 1) for line in done.stdout.splitlines() if "\t" in line)
    found = {}
    for option in wanted:
        kind, _, which = option.partition(":")
        of_kind = [name for name in listed if name == kind or name.startswith(kind + ":")]
        numbers = [number.rpartition(":")[2] for number in which.split(",")] if which else ["0"]
        names = of_kind if which == "all" else [f"{kind}:{number}" for number in numbers]
        for name in names:
            found[name] = listed.get(name) or listed.get(kind, "not listed")
    return found


def nvidia_driver(path=Path("/proc/driver/nvidia/version")):
    """The version of NVIDIA's driver, or None where its module is not loaded."""
    try:
        told = path.read_text(encoding="utf-8")
    except OSError:
        return None
    match = re.search(r"Kernel Module.*?\s(\d+\.\d+(?:\.\d+)?)\s", told)
    return match.group(1) if match else None


def describe(project, lode, python, wanted_devices=()):
    """python: the one that has the peers written for it. wanted_devices: as --device names them."""
    memory_kibibytes = re.search(r"MemTotal:\s*(\d+)", Path("/proc/meminfo").read_text(encoding="utf-8")).group(1)
    versions = {"lode": first_line([str(lode), "--version"])}
    for program in ("rg", "grep", "ugrep", "c++", "python3"):
        versions[program] = first_line([program, "--version"]) if shutil.which(program) else None
    versions.update(python_peers(python))
    on_gpus = {}
    if wanted_devices:
        driver = nvidia_driver()
        on_gpus = {"devices": devices(lode, wanted_devices), **({"driver": driver} if driver else {})}
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "processor": processor_name(),
        "cores": len(os.sched_getaffinity(0)),
        "instruction_sets": instruction_sets(),
        "caches": cache_sizes(),
        "memory_bytes": int(memory_kibibytes) * 1024,
        "kernel": platform.release(),
        "system": next((line.split("=", 1)[1].strip('"\n')
                        for line in Path("/etc/os-release").read_text(encoding="utf-8").splitlines()
                        if line.startswith("PRETTY_NAME=")), platform.system()),
        "commit": commit_of(project),
        "versions": versions,
        **on_gpus,
    }


def short_name(facts):
    """A folder's name: processor, cores and day."""
    processor = re.sub(r"\((r|tm)\)|\bcpu\b|\bprocessor\b|@.*$", "", facts["processor"], flags=re.I)
    words = re.sub(r"[^a-z0-9]+", "-", processor.lower()).strip("-")
    return f"{words}-{facts['cores']}-cores-{facts['date'][:10]}"
