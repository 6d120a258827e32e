"""Tells the format of a file from an option or its name."""

from __future__ import annotations

from pathlib import PurePath

from lode._table_command.errors import Refusal

_endings = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".arrows": "arrows",
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}
_compressed = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2", ".lz4": "lz4"}


def format_of(path: str, given: str | None, option: str) -> str:
    """The format that an option gives, or else the end of the file's name."""
    if given is not None:
        return given
    ending = _ending(path)
    if ending not in _endings:
        raise Refusal(f"{path}: the name shows no format; give {option}, or a name that ends in {' '.join(_endings)}")
    return _endings[ending]


def compression_of(path: str) -> str | None:
    """The compression that the end of a name shows, as pyarrow names it; None if it shows none."""
    return _compressed.get(PurePath(path).suffix.lower())


def _ending(path: str) -> str:
    suffixes = [suffix.lower() for suffix in PurePath(path).suffixes]
    if suffixes and suffixes[-1] in _compressed:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""
