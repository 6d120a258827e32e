"""Reads benchmarks: items with a question, and perhaps choices, a passage and an answer, from files of any kind."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple

from lode._fields import leaf_of
from lode_decontaminate.errors import Refusal, blaming
from lode_decontaminate.shards import crawl_endings, open_bytes, refusal_of_array
from lode_table.files import Sizes, compression_of, ending_of, files_of, format_in, guarded, open_source

_endings = {".txt": "text", ".text": "text", **crawl_endings}
_block_bytes = 64 << 20
_further = ("answer", "choices", "passage", "id")


class Item(NamedTuple):
    """One item of a benchmark."""

    benchmark: str
    id: str
    parts: tuple[tuple[str, str], ...]
    """What is searched for: the name of each part ('question', 'choices', 'passage'), and its text."""
    answer: str | None = None


class Fields(NamedTuple):
    """The names of an item's fields; `a.b` is b within a.

    Of several names of the question, the first that a file's first row has is taken; of the others, the first that each
    row has.
    """

    question: tuple[str, ...] = ("question", "prompt", "problem", "text")
    answer: tuple[str, ...] = ("answer", "canonical_solution", "solution")
    choices: tuple[str, ...] = ("choices", "options")
    passage: tuple[str, ...] = ("passage", "context")
    id: tuple[str, ...] = ("id", "task_id")
    named: frozenset[str] = frozenset()
    """Which of these were given by the user. Some row of each file must have each of them."""


def read_benchmark(path: str | os.PathLike[str], name: str | None = None, fields: Fields = Fields()) -> list[Item]:
    """Reads a benchmark from a file or from all files of a folder.

    path    text (`.txt`, an item a line), JSON Lines (also compressed), Parquet, Arrow, or a folder of these
    name    what the benchmark is called; by default as the folder, or as the file without its ending
    fields  which fields are which

    An item without an id has the number of its row, from 0 on, behind the name of its file if there are several. Raises
    Refusal if there is no item, or a field is missing or not text.
    """
    path = os.fspath(path)
    name = name or _name_of(path)
    files = files_of([path], _endings).found
    items = []
    for file in files:
        prefix = "" if len(files) == 1 else f"{file.name}:"
        items += _read_file(file.path, file.format, name, prefix, fields)
    if not items:
        raise Refusal(f"{path}: it has no items")
    return items


def _name_of(path: str) -> str:
    base = os.path.basename(os.path.abspath(path)) or path
    if os.path.isdir(path):
        return base
    if compression_of(base) is not None:
        base = os.path.splitext(base)[0]
    ending = ending_of(base)
    return base[: len(base) - len(ending)] if format_in(base, _endings) is not None else base


def _read_file(path: str, format: str, benchmark: str, prefix: str, fields: Fields) -> list[Item]:
    if format == "text":
        return [
            Item(benchmark, f"{prefix}{number}", (("question", text),)) for number, text in enumerate(_texts_of(path))
        ]
    items: list[Item] = []
    question: str | None = None
    columns: dict[str, None] = {}
    missing = set(fields.named) - {"question"}
    for number, row in enumerate(_rows_of(path, format)):
        if question is None:
            question = _name_in(row, fields.question)
            _require(question is not None, fields.question, row, path)
            assert question is not None
        names = {kind: name for kind in _further if (name := _name_in(row, getattr(fields, kind))) is not None}
        missing -= set(names)
        columns.update(dict.fromkeys(map(str, row)))
        try:
            items.append(_item_of(row, {"question": question, **names}, benchmark, f"{prefix}{number}"))
        except ValueError as error:
            raise Refusal(f"{path}: item {number}: {error}") from error
    for kind in _further:
        _require(not items or kind not in missing, getattr(fields, kind), columns, path)
    return items


def _name_in(row: Mapping[str, Any], names: Sequence[str]) -> str | None:
    """The first of some names that a row has a value for."""
    return next((name for name in names if leaf_of(row, name) is not None), None)


def _require(is_there: bool, names: Sequence[str], columns: Iterable[str], path: str) -> None:
    if not is_there:
        there = ", ".join(map(str, columns))
        raise Refusal(f"{path}: no field is called {' or '.join(map(repr, names))}; there are: {there}")


def _texts_of(path: str) -> Iterator[str]:
    with blaming(path), open(path, encoding="utf-8-sig", newline="\n") as file:
        for line in file:
            if line.strip():
                yield line.rstrip("\r\n")


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
            if number == 1 and line.startswith(b"["):
                raise refusal_of_array(path)
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise Refusal(f"{path}: line {number}: {error}") from error
            if not isinstance(row, dict):
                raise Refusal(f"{path}: line {number}: it holds no object")
            yield row


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
    """The answer's text. A number or a letter (from A on) means one of the choices, unless it is one itself."""
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, str):
        letter = value.strip().upper()
        if value not in choices and len(letter) == 1 and 0 <= ord(letter) - ord("A") < len(choices):
            return choices[ord(letter) - ord("A")]
        return value
    if isinstance(value, int) and 0 <= value < len(choices):
        return choices[value]
    if isinstance(value, (int, float)):
        return str(value)
    texts = _texts_within(value)
    return "\n".join(texts) if texts else None
