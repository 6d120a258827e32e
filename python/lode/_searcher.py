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
from lode._results import FormMatch, Match, RecordMatches, SparseHits, matches_of
from lode._rewriting import Replacement, rewrite

Patterns = Union[_lode.Plan, _lode.PatternSet, Iterable[Any]]
Counts = npt.NDArray[np.uint64]
Stats = Union[dict[str, Any], None]
Forms = Union[str, Iterable[Union[str, None]], None]
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
    view: str = "",
    forms: Forms = None,
) -> _lode.Plan:
    """Makes a plan of patterns. It can be saved, and several searchers can share it.

    patterns     a PatternSet, or anything that PatternSet takes; `ignore_case`, `labels` and `forms` are those of
                 PatternSet
    text_sample  a piece of the text to come (bytes, str or a buffer). It may make searches faster and never changes
                 their results. Up to 256 KiB are kept
    threads      how many threads work on it; 0 means all cores
    progress     a function that is called with the work done and the work in all, in any unit; see Searcher
    view         which differences in writing do not count, in patterns and in texts: steps separated by commas. They are
                 drop-ignorable, nfc, nfd, nfkc or nfkd, fold-ascii, fold-simple or fold, drop-marks, drop-punctuation or
                 punctuation-as-space, one-space or drop-space. 'words' stands for
                 nfkc,drop-ignorable,fold,punctuation-as-space,one-space. Matches tell offset and length in the original.
                 A text may be decoded, too, by a first step such as utf-16, latin-1 or auto, or fasta or fastq;
                 of records each is decoded by itself

    Raises lode.Error of kind 'invalid_pattern' for an empty set or an empty pattern, and for a pattern that has no such
    form; 'limit' for too many patterns, or more than 4096 spellings of a form.
    """
    return _lode.build_plan(_pattern_set(patterns, ignore_case, labels, forms), text_sample, threads, progress, view)


def plan_of(
    patterns: Patterns,
    ignore_case: bool | Iterable[bool] = False,
    threads: int = 0,
    view: str = "",
    forms: Forms = None,
) -> _lode.Plan:
    """The plan for a searcher: the patterns themselves if they are a Plan, else made of them."""
    if not isinstance(patterns, _lode.Plan):
        return compile(patterns, ignore_case=ignore_case, threads=threads, view=view, forms=forms)
    if ignore_case is not False:
        raise make_error("invalid_argument", "ignore_case was decided when the plan was made; give it to compile()")
    if view:
        raise make_error("invalid_argument", "the view was decided when the plan was made; give it to compile()")
    if forms is not None:
        raise make_error("invalid_argument", "forms were decided when the plan was made; give them to compile()")
    return patterns


def _pattern_set(patterns: Any, ignore_case: Any, labels: Any, forms: Any) -> _lode.PatternSet:
    if isinstance(patterns, _lode.Plan):
        raise TypeError("this is already a Plan; Searcher takes it as it is")
    if not isinstance(patterns, _lode.PatternSet):
        return _lode.PatternSet(column_of(patterns), ignore_case=ignore_case, labels=labels, forms=forms)
    if ignore_case is not False or labels is not None or forms is not None:
        raise make_error("invalid_argument", "this is already a PatternSet; give ignore_case, labels and forms to that")
    return patterns


def _refuse_range(begin: int, end: int | None) -> None:
    if begin != 0 or end is not None:
        raise make_error("invalid_argument", "begin and end are for texts; take a slice of the records instead")


class Searcher:
    """Patterns bound to a device. Immutable, and safe to use from any number of threads at once.

    patterns            a list of bytes or str, a PatternSet, a Plan, or an Arrow column or Series of binary or string
    device              'auto', 'cpu', 'opencl[:N]', 'cuda[:N|:all]', or what `open_device` gave. 'auto' takes a GPU for
                        searches of two seconds and more if it is estimated to save 20 %
    ignore_case         whether letters match in either case, as PatternSet takes it; not with a set or Plan
    match_kind          'overlapping', or without overlaps 'leftmost-longest', 'leftmost-first' (texts and streams only)
    condition           'none', 'whole-word' (no letter, mark, digit, underscore or other \\w of Unicode beside it),
                        'whole-line', 'whole-line-crlf' (a line may also end in CR and its terminator)
    line_terminator     the byte that ends a line, for the two conditions that look at lines
    algorithm           'auto' or a name that `algorithms` lists
    threads             how many threads search; 0 means all cores
    memory_limit_bytes  how much the buffers of a search may take, beside tables and results; 0 means 64 MiB on the CPU,
                        and a size that is chosen for the GPU
    instruction_set     a name that `cpu_instruction_sets` lists; empty means the best one
    view                which differences in writing do not count, as `compile` takes it; not with a Plan
    forms               other writings of the patterns that are searched for, too, as PatternSet takes them; not with a
                        set or Plan. Matches then tell which form they are (see `find`). The conditions judge a
                        spelling in UTF-16 by the UTF-16 around it, and any other by the UTF-8

    Raises lode.Error of kind 'unsupported' with the reason if the algorithm does not serve these patterns, 'device' if
    the device is not there, 'invalid_argument' for names that do not exist, and those of `compile`.

    The first search of a text makes the tables for texts, and the first search of records makes those for records.
    `prepare` makes them earlier. A `stats` argument is a dict that a search fills with what it did: algorithm, device,
    instruction_set, strategy, threads, bytes, candidates, matches, seconds, and for 'auto' its choice. A `progress`
    argument is a function that is called now and then with the bytes done and the bytes in all, from any thread, one
    call at a time. It must not use the searcher, and if it raises, the search ends. If a GPU fails a search of 'auto',
    the CPU finishes the search, with a RuntimeWarning.
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
        view: str = "",
        forms: Forms = None,
    ) -> None:
        patterns = plan_of(patterns, ignore_case, threads, view, forms)
        self._has_forms = patterns.forms != ""
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
        self._leftmost_core: _lode.SearcherCore | None = None  # for replace(), if matches overlap

    @property
    def plan(self) -> _lode.Plan:
        """The plan that the searcher was made of."""
        return self._core.plan

    @property
    def patterns(self) -> _lode.PatternSet:
        """The patterns that are searched for, by id."""
        return self._core.plan.patterns

    @property
    def device(self) -> _lode.Device:
        return self._device

    @property
    def match_kind(self) -> str:
        """The match kind that was asked for."""
        return str(self._options["match_kind"])

    def __repr__(self) -> str:
        return f"<lode.Searcher: {len(self.patterns)} patterns on {self._device.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return (_make_searcher, (self.plan, self._device.name, self._options))

    def prepare(self, *, texts: bool = True, records: bool = False) -> None:
        """Makes the tables for texts, for records or for both now, so that the first search need not."""
        self._core.prepare(texts, records)

    def find(
        self, text: Any, *, begin: int = 0, end: int | None = None, stats: Stats = None, progress: Progress = None
    ) -> npt.NDArray[np.void]:
        """Finds all matches in a text: an array of `match_dtype`, shape (matches,), sorted by offset, then pattern.
        If patterns have forms it is of `form_match_dtype`, and sorted by form and length, too.

        text        bytes, str (as UTF-8; offsets count bytes), a buffer (bytearray, memoryview, mmap, NumPy …), a path
                    (os.PathLike, a regular file), a ResidentText, or an array of bytes that lies in the host's memory
                    and has DLPack, or on the searcher's CUDA device (see ResidentText). No copy is made; do not change
                    it during the search
        begin, end  only matches that start in [begin, end) are found, in bytes; they may reach behind `end`

        Raises lode.Error of kind 'input_output' if a file cannot be read, 'invalid_argument' for a str without a UTF-8
        form, a buffer that is closed or not contiguous and numbers out of range, 'device', 'limit'; TypeError if this
        is not a text.
        """
        self._refuse_records(text)
        text = text_of(text, self._device)
        return matches_of(self._core.find(text, begin, end, (stats, progress)), self._has_forms)

    def find_iter(
        self, source: Any, *, piece_bytes: int = 1 << 20, flush: bool = False
    ) -> Iterator[npt.NDArray[np.void]]:
        """Yields the matches in a text that arrives in pieces, in batches: arrays as `find` gives them, never empty.

        source       a binary file (anything with `readinto` or `read`: pipes, sockets' files, compressed files), a path
                     (os.PathLike), an iterable of bytes, str or buffers, or one bytes, str or buffer. A column or
                     Series is refused, because its rows are separate texts
        piece_bytes  how many bytes are read from a file at a time
        flush        whether to report after each piece what is certain, for texts that arrive slowly; else matches wait
                     until some MiB have been gathered

        Every match is reported once, also if it spans pieces, with its offset in the whole text. Match kinds and
        conditions hold across pieces, too. Memory stays within some MiB, the longest pattern, and the matches in those.

        Raises TypeError for columns, lode.Error of kind 'input_output' for a path that cannot be read and for a file
        that has no bytes yet. An exception of the file or the iterable itself is passed on.
        """
        if not isinstance(piece_bytes, (int, np.integer)):
            raise TypeError(f"piece_bytes must be an int, not {type(piece_bytes).__name__}")
        if piece_bytes < 1:
            raise make_error("invalid_argument", "piece_bytes must be at least 1")
        if has_rows(source):
            raise TypeError("the rows of a column are separate texts; find_in_records() searches each by itself")
        require_pieces(source)
        return self._batches(source, piece_bytes, flush)

    def _batches(self, source: Any, piece_bytes: int, flush: bool) -> Iterator[npt.NDArray[np.void]]:
        stream = _lode.StreamCore(self._core)
        for piece in pieces_of(source, piece_bytes):
            matches = stream.push(piece, flush)
            if len(matches) != 0:
                yield matches_of(matches, self._has_forms)
        matches = stream.finish()
        if len(matches) != 0:
            yield matches_of(matches, self._has_forms)

    def find_first(
        self, text: Any, *, begin: int = 0, end: int | None = None, stats: Stats = None, progress: Progress = None
    ) -> Match | FormMatch | None:
        """The first match in a text (see `find`), or None. If patterns have forms, it is a FormMatch."""
        self._refuse_records(text)
        text = text_of(text, self._device)
        found = self._core.find_first(text, begin, end, (stats, progress))
        if found is None:
            return None
        return FormMatch(*found) if self._has_forms else Match(*found[:3])

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
        """Tells whether any pattern occurs: a bool for a text (see `find`), a BooleanColumn for records (see `first`).

        The column has a value for each record, which is null if the record is. It is an array of bools, so it can
        choose the rows of a frame: `frame[searcher.contains(frame["text"])]`.
        """
        records = records_or_text(source)
        if records is None:
            source = text_of(source, self._device)
            return self._core.contains(source, begin, end, (stats, progress))
        _refuse_range(begin, end)
        return of_bits(self._core.contains_records(records, (stats, progress)))

    def replace(
        self,
        source: Any,
        replacement: Replacement | None = None,
        *,
        mask: str | bytes | None = None,
        with_matches: bool = False,
        stats: Stats = None,
        progress: Progress = None,
    ) -> Any:
        """Puts replacements in the place of matches, in a text (see `find`) or in each record (see `first`).

        replacement  a str or bytes for all matches of patterns that have no replacement of their own (PatternSet), a
                     list with one for each pattern, or a dict by label (a pattern without a label goes by its bytes;
                     what the dict does not name stays as it is). In them {id}, {label}, {match} and {form} are filled
                     in, and {{ and }} are braces. Or a function of a `Match` and its bytes, which gives str or bytes.
                     It may be left out if all patterns have one of their own. If the view decodes the text, or a
                     form of UTF-16 matched, a str is put into that encoding, while a function gets and gives bytes as
                     they are in the text
        mask         instead: a character of ASCII for each byte of a match, so that offsets stay; a longer character
                     stands for each character
        with_matches also gives what was replaced, with its offsets in the original: a pair of the result and what `find`
                     gives of a text, `find_in_records` of records. It takes a search of its own

        Matches do not overlap: they are 'leftmost-longest', unless the searcher's match kind is 'leftmost-first'. A str
        gives a str, any other text bytes, a column a column of its library and type, with its nulls, and a list a list.
        Where a match cuts characters the result may have no UTF-8 form, which raises UnicodeDecodeError for a str.

        >>> searcher = lode.Searcher(["Ada", "Bo"])
        >>> searcher.replace("Ada met Bo", "<{id}>")
        '<0> met <1>'
        >>> searcher.replace(["Ada", None, "Adam"], mask="*")
        ['***', None, '***m']

        Raises lode.Error of kind 'invalid_argument' for braces that hold anything else, for a list of another length, for
        a label that no pattern has, for a pattern that has no replacement where none is given, and for a character that the
        encoding of the text lacks.
        """
        result = rewrite(self._rewriting_core(), source, replacement, mask, (stats, progress))
        return (result, self._matches_to_replace(source)) if with_matches else result

    def _matches_to_replace(self, source: Any) -> npt.NDArray[np.void] | RecordMatches:
        core = self._rewriting_core()
        records = records_or_text(source)
        if records is None:
            return matches_of(core.find(source, 0, None, (None, None)), self._has_forms)
        row_starts, matches = core.find_in_records(records, (None, None))
        return RecordMatches(row_starts, matches_of(matches, self._has_forms), self.patterns)

    def _rewriting_core(self) -> Any:
        if self.match_kind != "overlapping":
            return self._core
        if self._leftmost_core is None:
            options = {**self._options, "match_kind": "leftmost-longest"}
            self._leftmost_core = _lode.SearcherCore(self.plan, self._device, **options)
        return self._leftmost_core

    def find_in_records(self, records: Any, *, stats: Stats = None, progress: Progress = None) -> RecordMatches:
        """Finds all matches in each record (see `first`), sorted by record, offset, pattern; nulls have none.

        Every record is a text of its own: match kinds apply within it, and to conditions its ends are those of a text.
        The `rows` of the result say which record each match is in, and its `to_arrow` gives all matches as a table.
        """
        row_starts, matches = self._core.find_in_records(records_of(records), (stats, progress))
        return RecordMatches(row_starts, matches_of(matches, self._has_forms), self.patterns)

    def contains_matrix(
        self, records: Any, form: str = "bool", *, stats: Stats = None, progress: Progress = None
    ) -> npt.NDArray[Any]:
        """Tells which pattern occurs in which record (see `first`): a matrix, in which the rows of nulls are all False.

        form  'bool' gives an array of bool, shape (records, patterns). 'bits' gives an array of uint8, shape
              (records, (patterns + 7) // 8), an eighth as large: the lowest bit of a byte is for the first of eight
              patterns, and bits left over are 0
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
        """Finds where each pattern first occurs in each record, in bytes from the record's first byte.

        records  Records, or anything that Records takes: an Arrow column of binary or string (anything with
                 __arrow_c_array__ or __arrow_c_stream__), a Series of pandas, a table with one column, or a list of
                 bytes, str, buffers and None
        form     'dense' gives a matrix of shape (records, patterns), with -1 if the pattern does not occur; it is of
                 int32, or of int64 if a record is longer than 2^31 - 1 bytes. 'sparse' gives only the hits, as
                 SparseHits
        out      for 'dense', a contiguous matrix of that shape, of int32 or int64, which is filled and returned. For
                 ResidentRecords it may also be a matrix of int32 on the same CUDA device (__cuda_array_interface__ or
                 DLPack); then the results stay there, and the search waits for the matrix's stream first

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
