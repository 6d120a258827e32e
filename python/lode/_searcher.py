"""Searcher, the class that most programs need, and `compile`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, Union, overload

import numpy as np
import numpy.typing as npt

from lode import _lode
from lode._boolean_column import of_bits
from lode._device_arrays import DeviceArray, device_array_of, text_of, wait_for
from lode._columns import column_of, has_rows, is_column, records_of, records_or_text
from lode._devices import open_device
from lode._errors import make_error
from lode._pieces import pieces_of, require_pieces
from lode._results import Match, RecordMatches, SparseHits, match_dtype

Patterns = Union[_lode.Plan, _lode.PatternSet, Iterable[Any]]
Counts = npt.NDArray[np.uint64]
Stats = Union[dict[str, Any], None]
Progress = Union[Callable[[int, int], object], None]

_longest_for_32_bits = (1 << 31) - 1


def compile(
    patterns: _lode.PatternSet | Iterable[Any],
    *,
    ignore_case: bool | Iterable[bool] = False,
    labels: Iterable[str | bytes | None] | None = None,
    text_sample: Any = None,
    threads: int = 0,
    progress: Progress = None,
) -> _lode.Plan:
    """Makes a plan of patterns, to be saved or to be shared by searchers.

    patterns     a PatternSet, or what makes one, with `ignore_case` and `labels` as it takes them
    text_sample  a piece of the text to come (bytes, str or a buffer), which may make searches faster and never changes
                 their results; up to 256 KiB are kept
    threads      that work on it; 0: all cores
    progress     a function of the work done and the work in all, in any unit; see Searcher

    Raises lode.Error of kind 'invalid_pattern' for an empty set or pattern, 'limit' for too many.
    """
    return _lode.build_plan(_pattern_set(patterns, ignore_case, labels), text_sample, threads, progress)


def plan_of(patterns: Patterns, ignore_case: bool | Iterable[bool] = False, threads: int = 0) -> _lode.Plan:
    """The plan of what a searcher is made of."""
    if not isinstance(patterns, _lode.Plan):
        return compile(patterns, ignore_case=ignore_case, threads=threads)
    if ignore_case is not False:
        raise make_error("invalid_argument", "ignore_case belongs to the patterns that the plan was made of")
    return patterns


def _pattern_set(patterns: Any, ignore_case: Any, labels: Any) -> _lode.PatternSet:
    if isinstance(patterns, _lode.Plan):
        raise TypeError("this is a Plan already; Searcher takes it as it is")
    if not isinstance(patterns, _lode.PatternSet):
        return _lode.PatternSet(column_of(patterns), ignore_case=ignore_case, labels=labels)
    if ignore_case is not False or labels is not None:
        raise make_error("invalid_argument", "ignore_case and labels belong to the PatternSet that was made already")
    return patterns


def _refuse_range(begin: int, end: int | None) -> None:
    if begin != 0 or end is not None:
        raise make_error("invalid_argument", "begin and end are for texts; take a slice of the records instead")


class Searcher:
    """Patterns bound to a device. Immutable, and safe to use from any number of threads at once.

    patterns            a list of bytes or str, a PatternSet, a Plan, or an Arrow column or Series of binary or string
    device              'auto', 'cpu', 'opencl[:N]', 'cuda[:N|:all]', or what `open_device` gave. 'auto' takes a GPU for
                        searches of two seconds and more where it is estimated to save 20 %
    ignore_case         whether ASCII letters match in either case, as PatternSet takes it; not with a set or Plan
    match_kind          'overlapping', or without overlaps 'leftmost-longest', 'leftmost-first' (texts and streams only)
    condition           'none', 'whole-word' (bytes of words are A-Z, a-z, 0-9, _ and all from 0x80 on), 'whole-line',
                        'whole-line-crlf' (a line may also end in CR and its terminator)
    line_terminator     one byte, for the two that look at lines
    algorithm           'auto' or a name of `algorithms`
    threads             0: all cores
    memory_limit_bytes  for buffers of a search, beyond tables and results; 0: 64 MiB, on GPUs chosen
    instruction_set     a name of `cpu_instruction_sets`; empty: the best

    Raises lode.Error of kind 'unsupported' with the reason where the algorithm does not serve these patterns, 'device'
    where the device is not there, 'invalid_argument' for names that are none, and as `compile`.

    The first search of a text makes the tables for texts, the first one of records those for records; `prepare` does it
    before. A `stats` argument is a dict that a search fills with what it did: algorithm, device, instruction_set,
    strategy, threads, bytes, candidates, matches, seconds, and for 'auto' its choice. A `progress` argument is a function that is
    called now and then with the bytes done and the bytes in all, from any thread, one call at a time; it must not use the
    searcher, and what it raises ends the search. Where 'auto' gave a GPU up, the search is
    finished on the CPU with a RuntimeWarning.
    """

    def __init__(
        self,
        patterns: Patterns,
        device: str | _lode.Device = "auto",
        *,
        ignore_case: bool | Iterable[bool] = False,
        match_kind: str = "overlapping",
        condition: str = "none",
        line_terminator: bytes = b"\n",
        algorithm: str = "auto",
        threads: int = 0,
        memory_limit_bytes: int = 0,
        instruction_set: str = "",
    ) -> None:
        patterns = plan_of(patterns, ignore_case, threads)
        self._device = device if isinstance(device, _lode.Device) else open_device(device)
        self._options: dict[str, Any] = {
            "algorithm": algorithm,
            "match_kind": match_kind,
            "condition": condition,
            "line_terminator": line_terminator,
            "threads": threads,
            "memory_limit_bytes": memory_limit_bytes,
            "instruction_set": instruction_set,
        }
        self._core = _lode.SearcherCore(patterns, self._device, **self._options)

    @property
    def plan(self) -> _lode.Plan:
        """What it was made of."""
        return self._core.plan

    @property
    def patterns(self) -> _lode.PatternSet:
        """The patterns, by id."""
        return self._core.plan.patterns

    @property
    def device(self) -> _lode.Device:
        return self._device

    @property
    def match_kind(self) -> str:
        """As it was asked for."""
        return str(self._options["match_kind"])

    def __repr__(self) -> str:
        return f"<lode.Searcher: {len(self.patterns)} patterns on {self._device.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return (_make_searcher, (self.plan, self._device.name, self._options))

    def prepare(self, *, texts: bool = True, records: bool = False) -> None:
        """Makes the tables for texts, for records or both now, not with the first search."""
        self._core.prepare(texts, records)

    def find(
        self, text: Any, *, begin: int = 0, end: int | None = None, stats: Stats = None, progress: Progress = None
    ) -> npt.NDArray[np.void]:
        """All matches of a text: an array of `match_dtype`, shape (matches,), sorted by offset, then pattern.

        text        bytes, str (as UTF-8; offsets are of bytes), a buffer (bytearray, memoryview, mmap, NumPy …), a path
                    (os.PathLike, a regular file), a ResidentText, or an array of bytes of DLPack or, on the searcher's
                    device, of CUDA (see ResidentText). No copy is made; do not change it meanwhile
        begin, end  only matches that start in [begin, end), in bytes; they may reach behind `end`

        Raises lode.Error of kind 'input_output' for files, 'invalid_argument' for a str without a UTF-8 form, a buffer
        that is closed or not contiguous and numbers out of range, 'device', 'limit'; TypeError for what is no text.
        """
        self._refuse_records(text)
        text = text_of(text, self._device)
        return self._core.find(text, begin, end, (stats, progress)).view(match_dtype)

    def find_iter(
        self, source: Any, *, piece_bytes: int = 1 << 20, flush: bool = False
    ) -> Iterator[npt.NDArray[np.void]]:
        """The matches of a text that arrives in pieces, in batches: arrays as `find` gives them, none of them empty.

        source       a binary file (anything with `readinto` or `read`: pipes, sockets' files, compressed files), a path
                     (os.PathLike), an iterable of bytes, str or buffers, or one of these itself; no column or Series,
                     whose rows are texts of their own
        piece_bytes  read from a file at a time
        flush        report after each piece what is certain, for texts that arrive slowly; else matches wait until some
                     MiB are together

        Every match is reported once, also across pieces, with offsets in the whole text; match kinds and conditions
        hold across pieces as well. Memory stays within some MiB, the longest pattern, and the matches of those.

        Raises TypeError for columns, lode.Error of kind 'input_output' for a path that cannot be read and for a file
        that has no bytes yet; what a file or an iterable raises itself goes on as it is.
        """
        if not isinstance(piece_bytes, (int, np.integer)):
            raise TypeError(f"piece_bytes must be an int, not {type(piece_bytes).__name__}")
        if piece_bytes < 1:
            raise make_error("invalid_argument", "piece_bytes must be at least 1")
        if has_rows(source):
            raise TypeError("its rows would be searched as one text: find_in_records() searches each by itself")
        require_pieces(source)
        return self._batches(source, piece_bytes, flush)

    def _batches(self, source: Any, piece_bytes: int, flush: bool) -> Iterator[npt.NDArray[np.void]]:
        stream = _lode.StreamCore(self._core)
        for piece in pieces_of(source, piece_bytes):
            matches = stream.push(piece, flush)
            if len(matches) != 0:
                yield matches.view(match_dtype)
        matches = stream.finish()
        if len(matches) != 0:
            yield matches.view(match_dtype)

    def find_first(
        self, text: Any, *, begin: int = 0, end: int | None = None, stats: Stats = None, progress: Progress = None
    ) -> Match | None:
        """The first match of a text (see `find`), or None."""
        self._refuse_records(text)
        text = text_of(text, self._device)
        found = self._core.find_first(text, begin, end, (stats, progress))
        return None if found is None else Match(*found)

    def count(
        self, source: Any, *, begin: int = 0, end: int | None = None, stats: Stats = None, progress: Progress = None
    ) -> int:
        """The number of matches in a text (see `find`), or in all records together (see `first`)."""
        records = records_or_text(source)
        if records is None:
            source = text_of(source, self._device)
            return self._core.count(source, begin, end, (stats, progress))
        _refuse_range(begin, end)
        return self._core.count_records(records, (stats, progress))

    def count_per_pattern(
        self, source: Any, *, begin: int = 0, end: int | None = None, stats: Stats = None, progress: Progress = None
    ) -> Counts:
        """The number of matches of each pattern, shape (patterns,), in a text (see `find`) or in all records."""
        records = records_or_text(source)
        if records is None:
            source = text_of(source, self._device)
            return self._core.count_per_pattern(source, begin, end, (stats, progress))
        _refuse_range(begin, end)
        return self._core.count_records_per_pattern(records, (stats, progress))

    def count_per_record(self, records: Any, *, stats: Stats = None, progress: Progress = None) -> Counts:
        """The number of matches in each record (see `first`), shape (records,); 0 for nulls."""
        return self._core.count_per_record(records_of(records), (stats, progress))

    def contains(
        self, source: Any, *, begin: int = 0, end: int | None = None, stats: Stats = None, progress: Progress = None
    ) -> Any:
        """Whether any pattern occurs: a bool for a text (see `find`), a BooleanColumn for records (see `first`).

        The column has a value for each record, and is null where the record is. It is an array of bools, so it chooses
        the rows of a frame: `frame[searcher.contains(frame["text"])]`.
        """
        records = records_or_text(source)
        if records is None:
            source = text_of(source, self._device)
            return self._core.contains(source, begin, end, (stats, progress))
        _refuse_range(begin, end)
        return of_bits(self._core.contains_records(records, (stats, progress)))

    def find_in_records(self, records: Any, *, stats: Stats = None, progress: Progress = None) -> RecordMatches:
        """All matches in each record (see `first`), sorted by record, offset, pattern; none for nulls.

        Every record is a text of its own: match kinds hold within it, and conditions take its ends for the text's. The
        `rows` of the result say which record each match is in; its `to_arrow` gives all as a table.
        """
        row_starts, matches = self._core.find_in_records(records_of(records), (stats, progress))
        return RecordMatches(row_starts, matches.view(match_dtype), self.patterns)

    def contains_matrix(
        self, records: Any, form: str = "bool", *, stats: Stats = None, progress: Progress = None
    ) -> npt.NDArray[Any]:
        """Which pattern occurs in which record (see `first`): a matrix, False for nulls.

        form  'bool': of bool, shape (records, patterns); 'bits': of uint8, shape (records, (patterns + 7) // 8), an
              eighth as large: the lowest bit of a byte is the first of eight patterns, bits left over are 0
        """
        if form not in ("bool", "bits"):
            raise make_error("invalid_argument", f"there is no form {form!r}; there are: bool bits")
        held = records_of(records)
        patterns = len(self.patterns)
        bits = np.zeros((len(held), (patterns + 7) // 8), np.uint8)
        self._core.contains_matrix(held, bits, (stats, progress))
        return bits if form == "bits" else np.unpackbits(bits, axis=1, count=patterns, bitorder="little").view(np.bool_)

    @overload
    def first(
        self,
        records: Any,
        form: Literal["dense"] = "dense",
        *,
        out: Any = None,
        stats: Stats = None,
        progress: Progress = None,
    ) -> npt.NDArray[Any]: ...

    @overload
    def first(
        self,
        records: Any,
        form: Literal["sparse"],
        *,
        out: None = None,
        stats: Stats = None,
        progress: Progress = None,
    ) -> SparseHits: ...

    def first(
        self,
        records: Any,
        form: str = "dense",
        *,
        out: Any = None,
        stats: Stats = None,
        progress: Progress = None,
    ) -> Any:
        """Where each pattern first occurs in each record, in bytes from the record's first byte.

        records  Records, or what makes them: an Arrow column of binary or string (anything with __arrow_c_array__ or
                 __arrow_c_stream__), a Series of pandas, a table with one column, or a list of bytes, str, buffers and None
        form     'dense': a matrix of shape (records, patterns), -1 where the pattern does not occur, of int32 (int64
                 where a record is longer than 2^31 - 1 bytes); 'sparse': the hits alone, as SparseHits
        out      for 'dense': a contiguous matrix of that shape, of int32 or int64, to be filled and returned; for
                 ResidentRecords also one of int32 on the same CUDA device (__cuda_array_interface__ or DLPack): then
                 results stay there, and its stream is waited for before

        A null record has no hits. Match kinds other than 'overlapping' raise lode.Error of kind 'invalid_argument'.
        """
        held = records_of(records)
        if form == "sparse":
            if out is not None:
                raise make_error("invalid_argument", "out is for the dense form")
            return SparseHits(*self._core.first_sparse(held, (stats, progress)))
        if form != "dense":
            raise make_error("invalid_argument", f"there is no form {form!r}; there are: dense sparse")
        shape = (len(held), len(self.patterns))
        if (on_device := device_array_of(out)) is not None:
            self._first_on_device(held, on_device, shape, stats, progress)
            return out
        if out is None:
            out = np.empty(shape, np.int32 if held.longest <= _longest_for_32_bits else np.int64)
        elif not isinstance(out, np.ndarray):
            raise TypeError(f"out must be an array of NumPy or of a GPU, not {type(out).__name__}")
        elif out.shape != shape or out.dtype not in (np.int32, np.int64) or not out.flags.c_contiguous:
            raise make_error("invalid_argument", f"out must be a contiguous matrix of int32 or int64, shape {shape}")
        elif not out.flags.writeable:
            raise make_error("invalid_argument", "out cannot be written to")
        self._core.first_dense(held, out, (stats, progress))
        return out

    def _first_on_device(
        self, records: _lode.Records, out: DeviceArray, shape: tuple[int, int], stats: Stats, progress: Progress
    ) -> None:
        if out.shape != shape or out.item_bytes != 4 or out.kind != "i":
            raise make_error("invalid_argument", f"out must be a contiguous matrix of int32, shape {shape}")
        if out.is_read_only:
            raise make_error("invalid_argument", "out cannot be written to")
        wait_for(out, self._device)
        self._core.first_on_device(records, out.pointer, shape[0] * shape[1], (stats, progress))

    @staticmethod
    def _refuse_records(source: Any) -> None:
        if isinstance(source, (list, tuple, _lode.Records)) or is_column(column_of(source)):
            raise TypeError("this is for one text; find_in_records() and first() are for records")


def _make_searcher(plan: _lode.Plan, device: str, options: dict[str, Any]) -> Searcher:
    return Searcher(plan, device, **options)
