"""The summary of a call: how many rows each table has, and which patterns occur in how many."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np

from lode._columns import records_of
from lode._lode import PatternSet
from lode._searcher import Searcher
from lode._table_command.errors import blaming
from lode._table_command.writers import output_file


class Tally:
    """Counts the rows in which each pattern occurs, and its occurrences. It searches each column once more."""

    def __init__(self, searcher: Searcher) -> None:
        self._searcher = searcher
        self.patterns: PatternSet = searcher.plan.patterns
        self.rows = np.zeros(len(self.patterns), np.int64)
        self.occurrences = np.zeros(len(self.patterns), np.int64)

    def add(self, column: Any) -> None:
        """Adds what a column has."""
        found = self._searcher.find_in_records(records_of(column))
        ids = found.matches["pattern"].astype(np.int64)
        self.occurrences += np.bincount(ids, minlength=len(self.patterns))
        pairs = np.unique(found.rows * len(self.patterns) + ids)
        self.rows += np.bincount(pairs % max(1, len(self.patterns)), minlength=len(self.patterns))

    def listed(self) -> list[dict[str, Any]]:
        """A dict for each pattern that occurs, in the order of ids."""
        return [self._said(id) for id in np.flatnonzero(self.occurrences).tolist()]

    def _said(self, id: int) -> dict[str, Any]:
        pattern = self.patterns[id]
        said: dict[str, Any] = {"pattern": id}
        try:
            said["text"] = pattern.decode()
        except UnicodeDecodeError:
            said["base64"] = base64.b64encode(pattern).decode()
        if self.patterns.has_labels:
            said["label"] = self.patterns.label(id)
        return {**said, "rows": int(self.rows[id]), "occurrences": int(self.occurrences[id])}


def write_summary(path: str, tables: list[dict[str, Any]], tally: Tally) -> None:
    """Writes a summary as JSON."""
    totals = {key: sum(table[key] for table in tables) for key in ("rows", "matched", "written")}
    text = json.dumps({**totals, "tables": tables, "patterns": tally.listed()}, ensure_ascii=False, indent=1)
    with blaming(path), output_file(path) as file:
        file.write(text.encode(errors="surrogateescape") + b"\n")
