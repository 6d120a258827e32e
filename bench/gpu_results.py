"""What lode-bench-gpu measured, read from a folder of its JSON files, each row beside its aim."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
LEAST_CEILING = 4.4e12  # bytes a second, of an H200; a run that reads slower says nothing
LEAST_TEXT_BYTES = 8 << 30


@dataclass(frozen=True)
class Aim:
    """At least `least` of what the rate is compared with; `rows` matches the whole name.

    against: "read", the read ceiling of the run; "counting", the same row counted; "row NAME", that row; "cuda", the
    same row through CUDA; "pinned" or "fill", the rate at which pinned memory is copied or filled; "linear", as many
    times one GPU. An aim for few matches says how many a byte at most."""
    rows: str
    mode: str
    against: str
    least: float
    most_matches_per_byte: float = 1.0
    gpus: int = 1
    named: str = ""  # as a person says it


AIMS = [
    Aim("one-(rare|frequent|4|5|10|20|50)", "count", "read", 0.97, named="one pattern of 4 to 50 bytes"),
    Aim("one-.*ignore-case", "count", "read", 0.90, named="one pattern, ignoring case"),
    Aim("one-.*", "find", "counting", 0.90, 1e-4, named="listing few matches"),
    Aim("dna-1000", "count", "read", 0.95, named="1 000 DNA 20-mers"),
    Aim("dna-10000", "count", "read", 0.80, named="10 000 DNA 20-mers"),
    Aim("dna-100000", "count", "read", 0.60, named="100 000 DNA 20-mers"),
    Aim("dna-1000000", "count", "read", 0.30, named="1 000 000 DNA 20-mers"),
    Aim("phrases-12-32-1000", "count", "read", 0.85, 1e-4, named="1 000 phrases"),
    Aim("phrases-12-32-10000", "count", "read", 0.60, 1e-4, named="10 000 phrases"),
    Aim("phrases-12-32-100000", "count", "read", 0.30, 1e-4, named="100 000 phrases"),
    Aim("phrases-12-32-1000000", "count", "read", 0.10, 1e-4, named="1 000 000 phrases"),
    Aim("english-8-20-1000", "count", "read", 0.60, named="1 000 words and phrases"),
    Aim("english-8-20-10000", "count", "read", 0.30, named="10 000 words and phrases"),
    Aim("english-8-20-100000", "count", "read", 0.10, named="100 000 words and phrases"),
    Aim("english-8-20-1000-and-one-of-2", "count", "row english-8-20-1000", 2 / 3, named="one of 2 bytes beside 1 000"),
]
OPENCL_AIMS = [
    Aim("one-.*", ".*", "cuda", 0.85, named="OpenCL, one pattern"),
    Aim("(?!one-).*", ".*", "cuda", 0.50, named="OpenCL, sets"),
]
HOST_AIMS = [
    Aim(".*", "host", "pinned", 0.90, named="from host memory"),
    Aim(".*", "file", "fill", 0.90, named="from a file in the page cache"),
]
GPUS_AIMS = [
    Aim(".*", "count|find", "linear", 0.95, gpus=2, named="two GPUs"),
    Aim(".*", "count|find", "linear", 0.95, gpus=4, named="four GPUs"),
]
ALL_AIMS = AIMS + OPENCL_AIMS + HOST_AIMS + GPUS_AIMS
COLD_START_SECONDS = 1.0  # beyond the driver's own initialisation
WARM_START_SECONDS = 0.3


class Result:
    """One measurement, or the error in its place, with what it is compared with."""

    def __init__(self, file, device, raw, definition):
        self.file = file
        self.device = device
        self.raw = raw
        self.definition = definition  # of the row, or empty where it is not known
        self.row = raw["row"]
        self.algorithm = raw["algorithm"]
        self.mode = raw.get("mode", "count")
        self.error = raw.get("error") or raw.get("not_run")
        self.matches = raw.get("matches")
        self.candidates = raw.get("candidates")
        self.text_bytes = raw.get("text_bytes")
        self.against = "read"
        self.share = None  # of what `against` says
        self.aim = None

    @property
    def rate(self):
        return self.raw.get("bytes_per_second")

    @property
    def ceiling(self):
        return self.raw.get("read_ceiling_bytes_per_second") or None

    @property
    def share_of_read(self):
        return self.rate / self.ceiling if self.rate and self.ceiling else None

    @property
    def patterns(self):
        return self.raw.get("patterns") or pattern_count(self.definition)

    @property
    def matches_per_byte(self):
        return None if self.error else self.matches / self.text_bytes

    @property
    def good(self):
        """Ran, and counts what the CPU counts."""
        return not self.error and self.raw["equal_to_cpu"]

    @property
    def met(self):
        """None where there is no aim, or it is for fewer matches than these, or there is nothing to compare with."""
        if not self.aim:
            return None
        if not self.good:
            return False
        if self.share is None or self.matches_per_byte > self.aim.most_matches_per_byte:
            return None
        return self.share >= self.aim.least


def is_of_experiments(content):
    """Whether these results of lode-bench-gpu are of gpu_experiments.json: no aims are set for them."""
    return content.get("settings", {}).get("rows") == "gpu_experiments.json"


def device_of(command):
    """The device that a command of lode-bench-gpu names, or what it takes where none is named."""
    chosen = re.search(r"--device[ =](\S+)", command)
    return chosen.group(1) if chosen else "cuda"


def pattern_count(definition):
    if not definition:
        return None
    return 1 if "pattern" in definition else definition["patterns"]["count"] + len(definition.get("more_patterns", []))


def shorten(command):
    """Folders outside the project say nothing about a measurement."""
    def name_of(match):
        path = match.group()
        inside = re.search(r"/((?:bench|examples)/.*)$", path)
        return inside.group(1) if inside else path.rsplit("/", 1)[1]
    return re.sub(r"(?<![^\s=])(?:/|\.\.?/|build/|~/)\S*/?[^\s/]+", name_of, command)


def write_json(path, content):
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


class Run:
    """Everything in a folder of results; `commands` are shortened. Changes no file, `keep_commands` does."""

    def __init__(self, folder, paths=None):
        """paths: name → file, where it is not every file of the folder under its own name."""
        self.folder = folder
        machine = folder / "machine.json"
        self.machine = json.loads(machine.read_text(encoding="utf-8")) if machine.exists() else {}
        rows = json.loads((HERE / "gpu_rows.json").read_text(encoding="utf-8"))["rows"]
        self.definitions = {row["name"]: row for row in rows}
        self.commands = {}
        self.devices = {}
        self.results = {}  # by file
        paths = paths or {path.stem: path for path in sorted(folder.glob("*.json"))}
        for name, path in paths.items():
            content = json.loads(path.read_text(encoding="utf-8"))
            if "results" in content and "command" in content and not is_of_experiments(content):
                self._take(name, content)
        if not self.results:
            raise ValueError(f"{folder} holds no results of lode-bench-gpu")
        self._compare()

    def keep_commands(self):
        """Puts the commands, shortened, into the files of the folder."""
        for file, command in self.commands.items():
            path = self.folder / f"{file}.json"
            content = json.loads(path.read_text(encoding="utf-8"))
            if content["command"] != command:
                content["command"] = command
                write_json(path, content)
        if self.machine.get("commands") != self.commands:
            self.machine["commands"] = self.commands
            write_json(self.folder / "machine.json", self.machine)

    def _take(self, name, content):
        command = shorten(content["command"])
        device = device_of(command)
        self.commands[name] = command
        self.devices[name] = content.get("devices", {})
        self.results[name] = []
        for raw in content["results"]:
            definition = self.definitions.get(raw["row"], {})
            if raw.get("patterns") not in (None, pattern_count(definition)):
                definition = {}  # the row has changed since
            self.results[name].append(Result(name, device, raw, definition))

    def of(self, *roles):
        """Results of the files of these roles, in their order: cuda, opencl, host, dense, single, multi."""
        return [result for file, results in self.results.items() if file.split("-")[0] in roles for result in results]

    def find(self, file, row, algorithm="auto", mode="count"):
        for result in self.results.get(file, []):
            if (result.row, result.algorithm, result.mode) == (row, algorithm, mode) and result.good:
                return result
        return None

    def _compare(self):
        for result in self.of("cuda", "host", "single"):
            self._judge(result, HOST_AIMS if result.mode in ("host", "file") else AIMS, "read")
        for result in self.of("opencl"):
            self._judge(result, OPENCL_AIMS, "cuda")
        for result in self.of("multi"):
            self._judge(result, [aim for aim in GPUS_AIMS if aim.gpus == self.gpus(result)], "linear")

    def _judge(self, result, aims, usual):
        if result.algorithm == "auto":
            result.aim = next((aim for aim in aims if re.fullmatch(aim.rows, result.row)
                               and re.fullmatch(aim.mode, result.mode)), None)
        result.against = result.aim.against if result.aim else usual
        base = self._base(result)
        if result.good and base:
            result.share = result.rate / base

    def _base(self, result):
        """The rate that the result is compared with, or None."""
        if result.against == "read":
            return result.ceiling
        if result.against in ("pinned", "fill"):
            name = "copy" if result.against == "pinned" else "fill"
            return result.raw.get(f"pinned_{name}_bytes_per_second")
        other = self.beside(result)
        if not other:
            return None
        return other.rate * self.gpus(result) if result.against == "linear" else other.rate

    def beside(self, result):
        """The other result that this one is compared with, or None."""
        file, row, mode = result.file, result.row, result.mode
        if result.against == "counting":
            mode = "count"
        elif result.against.startswith("row "):
            row = result.against[4:]
        elif result.against == "cuda":
            file = "cuda"
        elif result.against == "linear":
            file = file.replace("multi", "single", 1)
            file = file if file in self.results else "single"
        return self.find(file, row, result.algorithm, mode)

    def gpus(self, result):
        if result.device != "cuda:all":
            return len(result.device.split(","))
        return sum(name.startswith("cuda:") for name in self.devices[result.file])

    @property
    def bad(self):
        return [result for results in self.results.values() for result in results if not result.good]

    @property
    def judged(self):
        """The results that aims are judged by: of a row in several files the main one's."""
        names = set()
        judged = []
        for result in self.of("cuda") + self.of("opencl") + self.of("host") + self.of("multi"):
            kind = (result.device if result.device.startswith("opencl") else self.gpus(result), result.row, result.mode)
            if result.met is not None and kind not in names:
                names.add(kind)
                judged.append(result)
        return judged

    def starts(self):
        """Seconds from start to exit: the first with an empty cache."""
        path = self.folder / "start.txt"
        if not path.exists():
            return []
        times = re.findall(r"real\s+(\d+)m([\d.]+)s", path.read_text(encoding="utf-8"))
        return [60 * int(minutes) + float(seconds) for minutes, seconds in times]
