"""Verdicts: what somebody who has looked at a hit says of it. They come before what a decision says."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from lode_decontaminate.deciding import Decision
from lode_decontaminate.errors import blaming
from lode_decontaminate.folders import RunFolder, line_of, read_lines

_file = "verdicts.jsonl"
_key = ("row", "benchmark", "id")
_state = ("size_bytes", "changed_ns")


class Verdicts:
    """The verdicts in the folder of a run, by shard, row and item. The last one of several counts.

    A verdict on a shard that has changed since counts no more, because its rows may be other documents now.
    """

    def __init__(self, folder: RunFolder, shards: Sequence[Mapping[str, Any]]) -> None:
        self._path = folder.file(_file)
        self._held: dict[tuple[Any, ...], bool] = {}
        self._states = {footer["name"]: {name: footer[name] for name in _state} for footer in shards}
        if os.path.exists(self._path):
            for line in read_lines(self._path):
                if self._states.get(line["shard"]) != {name: line[name] for name in _state}:
                    continue
                self._held[(line["shard"], *(line[name] for name in _key))] = line["is_contaminated"]

    def of(self, shard: str, hit: Mapping[str, Any]) -> bool | None:
        """Whether somebody said that a hit is contamination; None if nobody said anything."""
        return self._held.get((shard, *(hit[name] for name in _key)))

    def add(self, shard: str, hit: Mapping[str, Any], is_contaminated: bool) -> None:
        """Keeps a verdict, also in the folder."""
        self._held[(shard, *(hit[name] for name in _key))] = is_contaminated
        row = {"shard": shard, **{name: hit[name] for name in _key}, "is_contaminated": is_contaminated}
        row.update(self._states[shard])
        with blaming(self._path), open(self._path, "ab") as file:
            file.write(line_of(row))

    def listed(self) -> list[Any]:
        """All verdicts, in an order that depends on them alone."""
        return sorted([*map(str, key), said] for key, said in self._held.items())


class Judge:
    """Says whether hits are contamination: by a verdict if there is one, else by a decision."""

    def __init__(self, decision: Decision, verdicts: Verdicts) -> None:
        self.decision = decision
        self._verdicts = verdicts

    def says(self, shard: str, hit: Mapping[str, Any]) -> bool:
        said = self._verdicts.of(shard, hit)
        return self.decision.says(hit) if said is None else said
