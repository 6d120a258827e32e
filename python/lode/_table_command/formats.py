"""Which format a file has."""

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
    """The format that an option gives or the file's name tells."""
    if given is not None:
        return given
    ending = _ending(path)
    if ending not in _endings:
        raise Refusal(f"{path}: the name tells no format; give {option}, or one of the endings {' '.join(_endings)}")
    return _endings[ending]


def compression_of(path: str) -> str | None:
    """As pyarrow names it; None where the name tells of none."""
    return _compressed.get(PurePath(path).suffix.lower())


def _ending(path: str) -> str:
    suffixes = [suffix.lower() for suffix in PurePath(path).suffixes]
    if suffixes and suffixes[-1] in _compressed:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""
