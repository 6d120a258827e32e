"""The options of `lode-table`. Options that `lode` has, too, have the same names."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from lode._commands import Tell, whole_number
from lode._lode import version

formats = ("parquet", "arrow", "arrows", "csv", "jsonl")

codecs: dict[str, tuple[int, int] | None] = {
    "none": None,
    "snappy": None,
    "gzip": (1, 9),
    "brotli": (0, 11),
    "zstd": (1, 22),
    "lz4": (1, 12),
}
"""The codecs of Parquet, with the lowest and the highest level if there are levels."""

_description = """\
Searches a column of tables for patterns, a batch of rows at a time, and writes each table with what was found.

Every occurrence counts, also those that overlap; each row is a text of its own, and matches never cross rows.
Patterns and texts are bytes, and strings are searched as UTF-8. The rows keep their order, all columns keep their
types, and nulls stay null.
"""

_closing = """\
formats
  The end of a name tells the format: .parquet .pq, .arrow .feather .ipc (Arrow IPC files), .arrows (Arrow IPC streams),
  .csv, .jsonl .ndjson.
  CSV is read as it stands: all columns are strings, the first line has their names, and an empty field is an empty
  string, not a null. JSON Lines that are written as JSON Lines keep the text of each line, to which a value may be
  added. For other formats, the first MiBs of JSON Lines decide the columns and their types. Strings that look like
  times stay strings, and fractions become the nearest floating-point numbers. A whole number that its column cannot
  hold is an error: columns hold 64 bits with a sign, or up to 2^53 if there are fractions, too. JSON is written with
  times as strings in ISO 8601, with nanoseconds; decimals and durations are strings, too, and NaN and infinities
  become null.
  Strings that are not valid UTF-8 are an error, unless CSV is written, which keeps their bytes.
  .csv and .jsonl may be compressed: .gz .zst .bz2 .lz4 behind the name (.csv.gz). CSV cannot hold what --matches adds.
  In JSON Lines for another format each value must be an object of at most 100 levels.
  Parquet that is written as Parquet keeps the compression of each column, and the rows of each row group if these fit
  512 MiB. Arrow that is written as Arrow keeps its compression, except for streams from a pipe. No file says with which
  level it was compressed, so the codec's default is used, or the level of --compression. Other Parquet files get Snappy
  and row groups of 32 MiB.

memory
  The command holds a batch of rows, of some MiB; the rows that are written together, which for Parquet are a row group;
  and what the formats' readers need. That is some pages of each column for Parquet, the largest record batch for an
  Arrow file, and some 40 times --block-bytes for CSV and JSON Lines, which are read ahead. Parquet and Arrow files that
  come through a pipe are read whole.

several tables
  --out is a folder if it is there or ends in /. Each table is written there under its name, or its path within the folder
  that was given; with --out-format the name ends as that format needs. Of a folder, files that are hidden, begin with _,
  or show no known format are left out; --in-format says that all have that one. A table that fails ends the command;
  those before it stay written.

output
  The table is written under another name beside FILE and renamed at the end, so that FILE is never half written. After
  an error, a signal (Ctrl-C, a closed terminal) or a full disk FILE is what it was before, and nothing is left beside
  it. Pipes, devices and - are written as the rows come. At the end a line on standard error says how many rows were
  read, in how many a pattern occurs, and how many were written.

exit status
  It is 0 if some row matched, 1 if none did, 2 after any error, 130 after an interrupt (Ctrl-C), 128 plus its number
  after another signal, 141 if the reader of a pipe went away. With -v a row matches if no pattern occurs in it.

examples
  lode-table benchmark.txt crawl.parquet --column text --out clean.parquet --filter -v
      keeps the rows in which no line of benchmark.txt occurs, byte for byte
  lode-table -i words.txt posts.jsonl --column body --out counted.parquet --counts
      adds a column body_counts with the number of occurrences of words in each post
  lode-table words.txt crawl/ --column meta.text --out clean/ --summary found.json
      keeps in each file of a folder the rows that match, and says which words were found how often
  lode-table --pattern-format hex indicators.hex files.arrow --column content --out found.arrow --matches
      adds a column content_matches with lists of where each indicator stands
"""


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The options as attributes; `action` is one of lode.tables.actions. Ends the program after --help and mistakes."""
    options = _parser().parse_args(arguments)
    if any(given is not None for given in (options.replace, options.replacements, options.mask)):
        options.action = "replace"
    if options.invert and options.action != "filter":
        _parser().error("-v is for --filter")
    if options.name is not None and options.action == "filter":
        _parser().error("--filter adds no column that --name could name")
    if options.pattern_format not in (None, "lines") and options.crlf:
        _parser().error("--crlf is for pattern files of lines")
    if options.pattern_format == "plan" and options.ignore_case:
        _parser().error("-i was decided when the plan was made; give it to lode --save-plan")
    if options.pattern_format == "plan" and options.view:
        _parser().error("--view was decided when the plan was made; give it to lode --save-plan")
    if options.pattern_format == "plan" and options.forms:
        _parser().error("--forms was decided when the plan was made; give it to lode --save-plan")
    if options.invert:
        options.action = "exclude"
    return options


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="lode-table",
        usage="lode-table [OPTIONS] PATTERNS TABLE… --column NAME --out FILE|FOLDER\n"
        "                  [--filter | --flag | --matches | --counts | --replace TEXT | --replacements FILE |\n"
        "                   --own-replacements | --mask CHAR]",
        description=_description,
        epilog=_closing,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
        allow_abbrev=False,
    )
    files = parser.add_argument_group("files")
    files.add_argument("patterns", metavar="PATTERNS", help="the file of patterns; - is standard input")
    files.add_argument(
        "tables",
        nargs="+",
        metavar="TABLE",
        help="the tables to search: files, globs, or folders; - is standard input, with --in-format",
    )
    files.add_argument(
        "--column",
        metavar="NAME",
        required=True,
        help="the column to search: of strings or binary; a.b is b within a, unless a column has that name",
    )
    files.add_argument(
        "--out",
        metavar="FILE",
        required=True,
        help="the table to write, or the folder for several; - is standard output, with --out-format",
    )
    files.add_argument(
        "--in-format", choices=formats, metavar="FORMAT", help="the format of each TABLE; by default as its name says"
    )
    files.add_argument(
        "--out-format", choices=formats, metavar="FORMAT", help="the format of what is written; by default as the name says, and in a folder as that of TABLE"
    )

    what = parser.add_argument_group("what is written")
    action = what.add_mutually_exclusive_group()
    for name, meaning in (
        ("filter", "the rows in which some pattern occurs (the default)"),
        ("flag", "all rows, and a column of bool: whether some pattern occurs"),
        ("matches", "all rows, and a column of lists: offset in bytes, pattern id, length, and label of each occurrence"),
        ("counts", "all rows, and a column of int64: the number of occurrences"),
    ):
        action.add_argument(
            f"--{name}", dest="action", action="store_const", const=name, default="filter", help=meaning
        )
    action.add_argument(
        "--replace",
        metavar="TEXT",
        help="all rows, with TEXT in the place of matches, which do not overlap; {id}, {label}, {match} and {form} are filled "
        "in; a pattern of a jsonl list may have a replacement of its own",
    )
    action.add_argument(
        "--replacements",
        metavar="FILE",
        help="as --replace, with a TEXT for each pattern: the lines of FILE, in the order of ids",
    )
    action.add_argument(
        "--own-replacements",
        dest="action",
        action="store_const",
        const="replace",
        help="as --replace, with each pattern's own TEXT in a jsonl list; a pattern without one is an error",
    )
    action.add_argument(
        "--mask", metavar="CHAR", help="all rows, with CHAR for each byte of a match, or if it is not ASCII each character"
    )
    what.add_argument(
        "-v", "--invert-match", dest="invert", action="store_true", help="with --filter: the rows that do not match"
    )
    what.add_argument(
        "--name",
        metavar="NAME",
        help="the name of the added column; by default NAME_flag, NAME_matches, NAME_counts. What replaces matches changes"
        " the searched column itself unless it is given",
    )

    layout = parser.add_argument_group("how it is written")
    layout.add_argument(
        "--compression",
        type=_compression,
        metavar="CODEC[:LEVEL]",
        help="for Parquet none, snappy, gzip, brotli, zstd, lz4; for Arrow none, lz4, zstd; by default that of TABLE",
    )
    layout.add_argument(
        "--row-group-rows",
        type=lambda text: whole_number(text, 1),
        metavar="NUM",
        help="how many rows a row group of Parquet has; by default as many as in TABLE",
    )
    layout.add_argument("--quiet", action="store_true", help="do not say at the end how many rows there were")
    layout.add_argument(
        "--summary",
        metavar="FILE",
        help="write JSON: the rows of each table, and of each pattern that occurs its rows and occurrences; this searches"
        " once more",
    )

    patterns = parser.add_argument_group("patterns")
    patterns.add_argument(
        "--pattern-format",
        choices=("lines", "hex", "jsonl", "plan"),
        metavar="FORMAT",
        help="lines, hex or jsonl, as in lode, or plan, which lode --save-plan writes; by default jsonl for a file "
        "whose name ends in .jsonl, else lines",
    )
    patterns.add_argument("--crlf", action="store_true", help="drop the CR at the end of lines of the pattern file")
    patterns.add_argument("-i", "--ignore-case", action="store_true", help="ignore case")
    patterns.add_argument(
        "--view",
        default="",
        metavar="STEPS",
        help="differences in writing that do not count, as in lode: words, or steps separated by commas, such as nfkc,fold",
    )
    patterns.add_argument(
        "--forms",
        metavar="FORMS",
        help="other writings of the patterns to search for, too, as in lode, such as utf-16le,json; they are counted with "
        "the pattern",
    )
    conditions = patterns.add_mutually_exclusive_group()
    for short, long, condition, meaning in (
        ("-w", "--word", "whole-word", "only matches that are whole words"),
        ("-x", "--whole-line", "whole-line", "only matches that are whole lines of a row"),
    ):
        conditions.add_argument(
            short, long, dest="condition", action="store_const", const=condition, default="none", help=meaning
        )

    how = parser.add_argument_group("how to search")
    how.add_argument("--device", default="auto", metavar="DEVICE", help="auto, cpu, opencl[:N], cuda[:N|:all]")
    how.add_argument("--algorithm", default="auto", metavar="NAME", help="a name that lode --list-algorithms lists")
    how.add_argument(
        "--threads",
        type=lambda text: whole_number(text, 0),
        default=0,
        metavar="NUM",
        help="how many threads search, read and write; 0, the default, means all cores",
    )
    how.add_argument(
        "--batch-rows",
        type=lambda text: whole_number(text, 1),
        metavar="NUM",
        help="how many rows are searched at a time; by default as many as take some MiB",
    )
    how.add_argument(
        "--block-bytes",
        type=lambda text: whole_number(text, 1),
        default=4 << 20,
        metavar="NUM",
        help="how many bytes of CSV and JSON Lines are read at a time, by default 4 MiB; a row must fit",
    )

    general = parser.add_argument_group("help")
    general.add_argument("-h", "--help", action=Tell, text=parser.format_help, help="show this help")
    general.add_argument(
        "-V", "--version", action=Tell, text=lambda: f"lode-table {version()}\n", help="show the version"
    )
    return parser


def _compression(text: str) -> tuple[str, int | None]:
    """Reads CODEC[:LEVEL], and gives the codec and its level; None if there is no level."""
    name, colon, level = text.partition(":")
    if name not in codecs:
        raise argparse.ArgumentTypeError(f"there is no compression {name!r}; there are: {' '.join(codecs)}")
    if not colon:
        return name, None
    levels = codecs[name]
    if levels is None:
        raise argparse.ArgumentTypeError(f"{name} has no levels")
    number = whole_number(level, levels[0])
    if number > levels[1]:
        raise argparse.ArgumentTypeError(f"{name} has the levels {levels[0]} to {levels[1]}, not {number}")
    return name, number
