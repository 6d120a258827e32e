"""Results of the benches, told apart by content, not by name: a folder of them with machine.json beside, or a file."""

import json
import re

import gpu_results

KINDS = ("library", "commands", "scaling", "records", "gpu", "gpu-experiments")


def kind_of(content):
    """Which bench wrote this JSON, or None where none did."""
    if isinstance(content, list):
        return "scaling" if content and all("threads" in row for row in content) else None
    if not isinstance(content, dict):
        return None
    program = {"lode-bench-cpu": "library", "peers.py": "commands", "lode-bench-records": "records"}
    if content.get("program") in program:
        return program[content["program"]]
    if "results" not in content or "command" not in content:
        return None
    return "gpu-experiments" if gpu_results.is_of_experiments(content) else "gpu"


def usual_name(content):
    """What the file is called, without its end, where `lode-bench run` or a person leaves it in a folder; the figures
    and tables look for these names. None where it holds no results."""
    kind = kind_of(content)
    if kind == "library" and re.search(r"--rows[ =]\S*\bexperiments\.json", content.get("command_line", "")):
        return "experiments"
    if kind == "gpu-experiments":
        return "experiments-" + content["settings"]["device"].replace(":", "-")
    if kind == "gpu":
        device = gpu_results.device_of(content["command"])
        several = device == "cuda:all" or "," in device
        return "multi" if several else "opencl" if device.startswith("opencl") else "cuda"
    return kind


def facts_in(content):
    """What a file of results tells of where it was measured, in the words of machine.json."""
    if not isinstance(content, dict):
        return {}
    devices = {name: told["description"] if isinstance(told, dict) else told
               for name, told in content.get("devices", {}).items()}
    described = devices.pop("cpu", None)  # results of which nothing else tells the processor have this
    machine = content.get("machine", {})
    facts = {"processor": machine.get("processor", described), "devices": devices, "commit": content.get("commit"),
             "cores": machine.get("cores", content.get("threads")),
             "versions": {"lode": content["lode_version"]} if "lode_version" in content else {}}
    return {key: value for key, value in facts.items() if value}


def read_json(path):
    return json.loads(path.read_text(encoding="utf-8"))


def engine_of(row, name, threads="1"):
    """What one engine reached in a row of the library, or None where it did not run."""
    for engine in row["engines"]:
        if engine["name"] == name and engine["threads"] == threads and "seconds" in engine:
            return engine
    return None


class Folder:
    """Of a folder, or of one file whatever it is called. `files`: name → (kind, content), a single file under its usual
    name. `gpu`: the results of lode-bench-gpu beside their aims, or None."""

    def __init__(self, path):
        self.path = path
        self.single = path.is_file()
        self.name = path.stem if self.single else path.resolve().name
        room = path.parent if self.single else path
        machine = room / "machine.json"
        self.files, paths = {}, {}
        for file in [path] if self.single else sorted(path.glob("*.json")):
            if file != machine:
                content = read_json(file)
                kind = kind_of(content)
                if kind:
                    name = usual_name(content) if self.single else file.stem
                    self.files[name] = (kind, content)
                    paths[name] = file
        if not self.files:
            raise ValueError(f"{path} holds no results")
        self.machine = read_json(machine) if machine.exists() else facts_in(content) if self.single else {}
        self.gpu = gpu_results.Run(room, paths) if self.all_of("gpu") else None

    def file_of(self, name):
        """What the file is really called."""
        return self.path.name if self.single else f"{name}.json"

    def all_of(self, kind):
        """Name → content of the files of this kind, that of the file named like it first."""
        names = [name for name, (found, _) in self.files.items() if found == kind]
        names.sort(key=lambda name: name != kind)
        return {name: self.files[name][1] for name in names}

    def main_of(self, kind):
        """What KIND.json holds, or None: files beside it, such as library-earlier.json, do not stand for it."""
        found, content = self.files.get(kind, (None, None))
        return content if found == kind else None

    def commands(self):
        """The command line of each file, as far as it is known."""
        lines = {}
        for name, (_, content) in self.files.items():
            if isinstance(content, dict) and (content.get("command") or content.get("command_line")):
                lines[name] = content.get("command") or content["command_line"]
            elif isinstance(content, list) and "command" in content[0]:
                lines[name] = " ".join(content[0]["command"])
        return lines
