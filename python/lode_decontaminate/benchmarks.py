"""Reads benchmarks: items with a question, and perhaps choices, a passage and an answer, from files of any kind."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple

from lode_decontaminate.errors import Refusal, blaming
from lode_decontaminate.shards import files_of, leaf_of, open_bytes
from lode_table.files import Sizes, guarded, open_source

_endings = {".txt": "text", ".text": "text"}
_block_bytes = 64 << 20


class Item(NamedTuple):
    """One item of a benchmark."""

    benchmark: str
    id: str
    parts: tuple[tuple[str, str], ...]
    """What is searched for: the name of each part ('question', 'choices', 'passage'), and its text."""
    answer: str | None = None


class Fields(NamedTuple):
    """The names of an item's fields. Of several the first that a benchmark has is taken; `a.b` is b within a."""

    question: tuple[str, ...] = ("question", "prompt", "problem", "text")
    answer: tuple[str, ...] = ("answer", "canonical_solution", "solution")
    choices: tuple[str, ...] = ("choices", "options")
    passage: tuple[str, ...] = ("passage", "context")
    id: tuple[str, ...] = ("id", "task_id")
    named: frozenset[str] = frozenset()
    """Which of these were given by the user. Each of them must be there."""


def read_benchmark(path: str | os.PathLike[str], name: str | None = None, fields: Fields = Fields()) -> list[Item]:
    """Reads a benchmark from a file or from all files of a folder.

    path    text (`.txt`, an item a line), JSON Lines (also compressed), Parquet, Arrow, or a folder of these
    name    what the benchmark is called; by default as the file or folder, without its ending
    fields  which fields are which

    An item without an id has the number of its row, from 0 on, behind the name of its file if there are several. Raises
    Refusal if there is no item, or a field is missing or not text.
    """
    path = os.fspath(path)
    name = name or os.path.basename(path.rstrip("/")).partition(".")[0] or path
    files = files_of([path], _endings).shards
    items = []
    for file in files:
        prefix = "" if len(files) == 1 else f"{file.name}:"
        items += _read_file(file.path, file.format, name, prefix, fields)
    if not items:
        raise Refusal(f"{path}: there is no item")
    return items


def _read_file(path: str, format: str, benchmark: str, prefix: str, fields: Fields) -> list[Item]:
    items: list[Item] = []
    names: dict[str, str] | None = None
    rows = _texts_of(path) if format == "text" else _rows_of(path, format)
    for number, row in enumerate(rows):
        if names is None:
            names = {"question": "text"} if format == "text" else _names_of(row, fields, path)
        try:
            items.append(_item_of(row, names, benchmark, f"{prefix}{number}"))
        except ValueError as error:
            raise Refusal(f"{path}: item {number}: {error}") from error
    return items


def _texts_of(path: str) -> Iterator[Mapping[str, Any]]:
    with blaming(path), open(path, encoding="utf-8-sig", newline="\n") as file:
        for line in file:
            if line.strip():
                yield {"text": line.rstrip("\r\n")}


def _rows_of(path: str, format: str) -> Iterator[Mapping[str, Any]]:
    if format == "jsonl":
        yield from _objects_of(path)
        return
    with ExitStack() as room:
        with blaming(path):
            source = open_source(path, format, Sizes(None, _block_bytes), room)
        for batch in guarded(source.batches, path):
            yield from batch.to_pylist()


def _objects_of(path: str) -> Iterator[Mapping[str, Any]]:
    with blaming(path), ExitStack() as room:
        text = open_bytes(path, room).read()
        for number, line in enumerate(text.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise Refusal(f"{path}: line {number}: {error}") from error
            if not isinstance(row, dict):
                raise Refusal(f"{path}: line {number}: it holds no object")
            yield row


def _names_of(row: Mapping[str, Any], fields: Fields, path: str) -> dict[str, str]:
    """Which field of a benchmark is which, by its first row."""
    names: dict[str, str] = {}
    for kind in ("question", "answer", "choices", "passage", "id"):
        wanted: Sequence[str] = getattr(fields, kind)
        found = next((name for name in wanted if leaf_of(row, name) is not None), None)
        if found is not None:
            names[kind] = found
        elif kind == "question" or kind in fields.named:
            there = ", ".join(map(str, row))
            raise Refusal(f"{path}: no field is called {' or '.join(map(repr, wanted))}; there are: {there}")
    return names


def _item_of(row: Mapping[str, Any], names: Mapping[str, str], benchmark: str, number: str) -> Item:
    values = {kind: leaf_of(row, name) for kind, name in names.items()}
    choices = _texts_within(values.get("choices"))
    parts = [("question", _text(values["question"], names["question"]))]
    if choices:
        parts.append(("choices", "\n".join(choices)))
    if values.get("passage") is not None:
        parts.append(("passage", _text(values["passage"], names["passage"])))
    id = values.get("id")
    answer = _answer_of(values.get("answer"), choices)
    return Item(benchmark, number if id is None else str(id), tuple(parts), answer)


def _text(value: Any, name: str) -> str:
    texts = _texts_within(value)
    if not texts:
        raise ValueError(f"the field {name!r} holds no text")
    return "\n".join(texts)


def _texts_within(value: Any) -> list[str]:
    """The strings of a value: a string, a list of them, or an object that has them under `text`, as in ARC."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return _texts_within(value["text"]) if "text" in value else _texts_within(list(value.values()))
    if isinstance(value, (list, tuple)):
        return [text for part in value for text in _texts_within(part)]
    return []


def _answer_of(value: Any, choices: Sequence[str]) -> str | None:
    """The answer's text. A number, or a letter from A on, means one of the choices if there are any."""
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, str) and choices and len(value.strip()) == 1 and value.strip().isalpha():
        value = ord(value.strip().upper()) - ord("A")
    if isinstance(value, int) and choices:
        return choices[value] if 0 <= value < len(choices) else None
    if isinstance(value, (int, float)):
        return str(value)
    texts = _texts_within(value)
    return "\n".join(texts) if texts else None
