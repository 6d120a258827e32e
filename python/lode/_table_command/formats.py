"""Tells the format of a file from an option or its name."""

from __future__ import annotations

from pathlib import PurePath

from lode._table_command.errors import Refusal

endings = {
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
"""The formats that ends of names show."""
_compressed = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2", ".lz4": "lz4"}


def format_of(path: str, given: str | None, option: str) -> str:
    """The format that an option gives, or else the end of the file's name."""
    if given is not None:
        return given
    ending = ending_of(path)
    if ending not in endings:
        raise Refusal(f"{path}: the name shows no format; give {option}, or a name that ends in {' '.join(endings)}")
    return endings[ending]


def compression_of(path: str) -> str | None:
    """The compression that the end of a name shows, as pyarrow names it; None if it shows none."""
    return _compressed.get(PurePath(path).suffix.lower())


def ending_of(path: str) -> str:
    """The end of a name in small letters, such as `.jsonl`, without that of a compression behind it."""
    suffixes = [suffix.lower() for suffix in PurePath(path).suffixes]
    if suffixes and suffixes[-1] in _compressed:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""
