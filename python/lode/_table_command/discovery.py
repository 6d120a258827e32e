"""Finds the tables that paths, globs and folders name, and the format of each."""

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from lode._table_command.errors import Refusal, blaming
from lode._table_command.formats import compression_of, ending_of

_message_start = b"\xff\xff\xff\xff"
_packable = ("csv", "jsonl")
_most_told = 5


class TableFile(NamedTuple):
    """A file that was found."""

    path: str
    name: str
    """Its path within the folder that was given, or its own name; what is made of it has this name, too."""
    format: str
    size_bytes: int
    changed_ns: int
    """When it was changed last, in nanoseconds."""


class Files(NamedTuple):
    """The files that paths name."""

    found: list[TableFile]
    left_out: list[str]
    """Files of folders that were not taken, because their names begin with `_` or show no known format."""


def format_in(path: str, endings: Mapping[str, str]) -> str | None:
    """The format that a file's name shows, of those that `endings` has by the ends of names; None if it shows none."""
    format = endings.get(ending_of(path))
    return None if compression_of(path) is not None and format not in _packable else format


def files_of(paths: Sequence[str], endings: Mapping[str, str]) -> Files:
    """The files that paths, globs and folders name, in their order; those of a folder by name.

    endings  the formats that count, by the ends of names

    Of a folder, files that are hidden, begin with `_`, or have no known ending are not taken; links to folders are
    followed. Raises Refusal if a path names nothing, a file has no known ending or is not a regular file, or two files
    would have one name.
    """
    files: list[TableFile] = []
    left_out: list[str] = []
    for path in paths:
        files += _files_at(path, endings, left_out)
    names: dict[str, str] = {}
    for file in files:
        other = names.setdefault(file.name, file.path)
        if other != file.path:
            raise Refusal(f"{file.path}: {other} has the same name; give the folder that has both")
    return Files(list({file.path: file for file in files}.values()), list(dict.fromkeys(left_out)))


def _files_at(path: str, endings: Mapping[str, str], left_out: list[str]) -> list[TableFile]:
    if os.path.isdir(path):
        files = []
        for place in _walk(path):
            is_taken = not os.path.basename(place).startswith("_")
            file = _file(place, os.path.relpath(place, path), endings) if is_taken else None
            if file is not None:
                files.append(file)
            elif is_taken or format_in(place, endings):
                left_out.append(place)
        if not files:
            raise Refusal(f"{path}: there is no file of a known format; names end in {_known(endings)}")
        return files
    if not os.path.exists(path) and glob.has_magic(path):
        matching = sorted(glob.glob(path, recursive=True))
        if not matching:
            raise Refusal(f"{path}: no file has such a name")
        return [file for place in matching for file in _files_at(place, endings, left_out)]
    file = _file(path, os.path.basename(path), endings)
    if file is None:
        raise Refusal(f"{path}: the name shows no known format; names end in {_known(endings)}")
    return [file]


def _known(endings: Mapping[str, str]) -> str:
    packable = " ".join(ending for ending, format in endings.items() if format in _packable)
    return f"{' '.join(endings)}; those of {packable} may go on with .gz .zst .bz2 .lz4"


def _walk(folder: str) -> Iterator[str]:
    """Yields the files of a folder that are not hidden. A folder to which several links lead is walked once."""

    def refuse(error: OSError) -> None:
        raise Refusal(f"{error.filename}: {error.strerror}") from error

    seen = set()
    for place, folders, files in os.walk(folder, onerror=refuse, followlinks=True):
        real = os.path.realpath(place)
        if real in seen:
            folders.clear()
            continue
        seen.add(real)
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if not name.startswith("."):
                yield os.path.join(place, name)


def _file(path: str, name: str, endings: Mapping[str, str]) -> TableFile | None:
    """What is known of a file; None if its name shows no known format."""
    format = format_in(path, endings)
    if format is None and os.path.lexists(path):
        return None
    with blaming(path):
        facts = os.stat(path)
    assert format is not None  # else there is no such file
    if not stat.S_ISREG(facts.st_mode):
        raise Refusal(f"{path}: it is not a regular file")
    if format == "arrow" and _is_stream(path):
        format = "arrows"
    return TableFile(path, name, format, facts.st_size, facts.st_mtime_ns)


def _is_stream(path: str) -> bool:
    """Whether Arrow's messages begin at once, as in a stream. Some libraries call streams `.arrow`, too."""
    with blaming(path), open(path, "rb") as file:
        return file.read(len(_message_start)) == _message_start


def told_left_out(paths: Sequence[str]) -> str:
    """What the user is told about files that were left out."""
    more = f" and {len(paths) - _most_told} more" if len(paths) > _most_told else ""
    count = f"{len(paths)} file{'' if len(paths) == 1 else 's'}"
    reason = "left out, because a name shows no known format or begins with _"
    return f"{reason}: {count}: {', '.join(paths[:_most_told])}{more}"


def is_within(path: str, folder: str) -> bool:
    """Whether a path is that of a folder, or of something in it, wherever links lead."""
    return os.path.join(os.path.realpath(path), "").startswith(os.path.join(os.path.realpath(folder), ""))
