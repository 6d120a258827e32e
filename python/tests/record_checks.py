"""Checks all searches of records against a dense matrix and against plain loops."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from oracle import occurrences

import lode


def check_all(searcher: lode.Searcher, source, expected: list[list[int]], records: list[bytes | None]) -> None:
    """Checks every way to ask against the dense matrix."""
    shape = (len(records), len(searcher.patterns))
    cells = np.array(expected, np.int32).reshape(shape)
    assert np.array_equal(searcher.first(source), cells)
    assert np.array_equal(searcher.contains_matrix(source), cells >= 0)
    bits = searcher.contains_matrix(source, "bits")
    assert np.array_equal(bits, np.packbits(cells >= 0, axis=1, bitorder="little")) and bits.dtype == np.uint8
    hits = searcher.first(source, "sparse")
    assert hits.row_starts.tolist() == [0, *np.cumsum((cells >= 0).sum(axis=1)).tolist()]
    rows, ids = np.nonzero(cells >= 0)
    assert hits.patterns.tolist() == ids.tolist()
    assert hits.offsets.tolist() == cells[rows, ids].tolist()
    found = searcher.contains(source)
    assert len(found) == len(records)
    assert found.values.tolist() == (cells >= 0).any(axis=1).tolist()
    assert found.nulls.tolist() == [record is None for record in records]
    as_arrow = pa.array(found)
    as_arrow.validate(full=True)
    assert as_arrow.type == pa.bool_()
    assert as_arrow.to_pylist() == [
        None if record is None else bool(row) for record, row in zip(records, (cells >= 0).any(axis=1))
    ]
    every = [occurrences(record or b"", list(searcher.patterns)) for record in records]
    assert searcher.count_per_record(source).tolist() == [len(matches) for matches in every]
    found_all = searcher.find_in_records(source)
    assert found_all.matches.dtype == lode.match_dtype
    assert found_all.row_starts.tolist() == [0, *np.cumsum([len(matches) for matches in every], dtype=int).tolist()]
    assert found_all.matches.tolist() == [match for matches in every for match in matches]
    counts = np.zeros(len(searcher.patterns), np.uint64)
    for matches in every:
        for match in matches:
            counts[match[1]] += np.uint64(1)
    assert searcher.count_per_pattern(source).tolist() == counts.tolist()
    assert searcher.count(source) == counts.sum()
