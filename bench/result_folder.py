"""A folder of results: machine.json and what the benches left beside it, told apart by content, not by name."""

import json

import gpu_results

KINDS = ("library", "commands", "scaling", "records", "gpu", "gpu-experiments")


def kind_of(content):
    """Which bench wrote this JSON, or None where none did."""
    if isinstance(content, list):
        return "scaling" if content and all("threads" in row for row in content) else None
    program = {"lode-bench-cpu": "library", "peers.py": "commands", "lode-bench-records": "records"}
    if content.get("program") in program:
        return program[content["program"]]
    if "results" not in content or "command" not in content:
        return None
    return "gpu-experiments" if gpu_results.is_of_experiments(content) else "gpu"


def read_json(path):
    return json.loads(path.read_text(encoding="utf-8"))


def engine_of(row, name, threads="1"):
    """What one engine reached in a row of the library, or None where it did not run."""
    for engine in row["engines"]:
        if engine["name"] == name and engine["threads"] == threads and "seconds" in engine:
            return engine
    return None


class Folder:
    """`files`: name → (kind, content). `gpu`: the results of lode-bench-gpu beside their aims, or None."""

    def __init__(self, path):
        self.path = path
        self.name = path.resolve().name
        machine = path / "machine.json"
        self.machine = read_json(machine) if machine.exists() else {}
        self.files = {}
        for file in sorted(path.glob("*.json")):
            if file != machine:
                content = read_json(file)
                kind = kind_of(content)
                if kind:
                    self.files[file.stem] = (kind, content)
        if not self.files:
            raise ValueError(f"{path} holds no results")
        self.gpu = gpu_results.Run(path) if self.all_of("gpu") else None

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
