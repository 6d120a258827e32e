"""What a run of a folder of results has to know to go on: which commit, programs and machine its results are of, and
which parts were begun, with which settings, and finished. Lies in the folder as run.json."""

import json
import os

SAME = ("commit", "processor", "cores", "memory_bytes", "kernel", "system", "versions")


class Differs(Exception):
    """The folder's results are of something else: nothing may be added to them."""


def said(value):
    if isinstance(value, dict):
        return ", ".join(f"{key} {one}" for key, one in value.items())
    return str(value)


class State:
    """`is_new`: nothing was measured here before."""

    NAME = "run.json"

    def __init__(self, folder, facts, programs):
        """Throws Differs. facts: of the machine now; programs: a digest of what measures."""
        self.path = folder / self.NAME
        self.folder = folder
        now = {key: facts[key] for key in SAME} | {"programs": programs}
        self.is_new = not self.path.exists()
        if self.is_new:
            self.content = {"of": now, "parts": {}}
            return
        self.content = json.loads(self.path.read_text(encoding="utf-8"))
        self.refuse_changes("results", self.content["of"], now)

    def refuse_changes(self, what, old, new):
        for key in sorted(old.keys() | new.keys()):
            if old.get(key) != new.get(key):
                raise Differs(f"{self.folder} holds {what} of another run: {key} was {said(old.get(key))}, now it is "
                              f"{said(new.get(key))}. Give another --output, or --again to measure everything anew")

    def begin(self, part, settings):
        """Whether there is anything left to measure. Throws Differs where it was begun with other settings."""
        known = self.content["parts"].setdefault(part, {"settings": settings, "finished": False})
        self.refuse_changes(part, known["settings"], settings)
        self.write()
        return not known["finished"]

    def finish(self, part):
        self.content["parts"][part]["finished"] = True
        self.write()

    def write(self):
        write_json(self.path, self.content)


def write_json(path, content):
    """Replaces the file as a whole, so that power may fail at any time."""
    part = path.with_name(path.name + ".part")
    with open(part, "w", encoding="utf-8") as file:
        file.write(json.dumps(content, indent=1, ensure_ascii=False) + "\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)
