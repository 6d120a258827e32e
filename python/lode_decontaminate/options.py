"""The options of `lode-decontaminate`. Options that `lode` has, too, have the same names."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

from lode import version
from lode_table.commands import Tell, whole_number

_description = """\
Finds documents of a crawl that quote benchmarks, reports them, and makes a crawl without them.

  find      searches a crawl for the n-grams of benchmarks, and writes a report into a folder
  report    writes the report of a folder again, with another decision
  review    shows what was found, one by one, in the terminal
  purify    makes a crawl from which contaminated documents, or what they quote, are gone

`lode-decontaminate CHORE --help` has the details.
"""

_find_closing = """\
benchmarks
  A benchmark is a file or a folder: text (.txt, an item a line), JSON Lines (.jsonl, .json, also .gz and .zst),
  Parquet or Arrow. NAME=PATH names it; PATH alone is called by the file without its ending, or by the folder. Of the
  fields that an option lists, the first that a row has is taken, of --question the first that the first row has; a.b is
  b within a. The n-grams of question, choices and passage are searched for; the answer counts with --decide answer
  alone. A question of fewer than --n words is searched for as a whole, and one of fewer than --least-words not at all.

crawl
  It is any number of files, globs and folders: JSON Lines (.jsonl, .ndjson, .json, also .gz, .zst, .bz2, .lz4),
  Parquet (.parquet, .pq) and Arrow (.arrow, .feather, .ipc, .arrows). A file is a shard. Memory holds some blocks of
  rows for each thread, whatever the size of a shard.

output
  FOLDER gets report.html and report.jsonl, and hits/ with all that was found in each shard. A shard is written under
  another name and renamed at the end. When the command is ended and started again, it goes on with the shards that are
  not finished; one that has changed is searched again. Offsets and lengths are in bytes of the field in UTF-8.

exit status
  It is 0 if a document is contaminated, 1 if none is, 2 after any error, 130 after an interrupt (Ctrl-C).

examples
  lode-decontaminate find --benchmark gsm8k=test.jsonl --crawl crawl/ --field text --out found
  lode-decontaminate find --benchmark mmlu/ --crawl 'shards/*.jsonl.zst' --field content.body --n 8 --out found
"""

_review_closing = """\
keys
  Each hit shows the item and the document, with what they share marked. A line then says what to do:
  Enter or n: the next one · b: back · x: this is a false alarm · c: this is contamination · q: the end.
  What is said of a hit is kept in FOLDER/verdicts.jsonl. It comes before the decision in reports and in `purify`, until
  the shard changes.

exit status
  It is 0 if there was a hit to show, 1 if there was none, 2 after any error, 130 after an interrupt (Ctrl-C).
"""

_report_closing = """\
decision
  It is kept in FOLDER: where --decide is not given, that of the last report counts, also in `review` and `purify`.

exit status
  It is 0 if a document is contaminated, 1 if none is, 2 after any error, 130 after an interrupt (Ctrl-C).
"""

_purify_closing = """\
output
  Each shard is written into the folder of --out under the name that it has within the crawl. Format, codec, schema and
  order stay, and so do all other columns; of a line of JSON only the searched string changes. A shard is written under
  another name and renamed at the end; those that are finished are not written again. Dropped documents are in shards of
  the same kind in the folder of --removed; what was cut or masked is in NAME.spans.jsonl there, a line each.

exit status
  It is 0 if a document was dropped or changed, 1 if none was, 2 after any error, 130 after an interrupt (Ctrl-C).
"""


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The options as attributes; `chore` says what is to be done. Ends the program after --help and mistakes."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.chore == "purify" and options.margin is not None and not options.cut and options.mask is None:
        options.fail("--margin is for --cut and --mask")
    return options


def _parser() -> argparse.ArgumentParser:
    parser = _made(argparse.ArgumentParser, prog="lode-decontaminate", description=_description)
    parser.add_argument(
        "-V", "--version", action=Tell, text=lambda: f"lode-decontaminate {version()}\n", help="show the version"
    )
    chores = parser.add_subparsers(dest="chore", metavar="CHORE", required=True)
    _add_find(chores)
    _add_report(chores)
    _add_review(chores)
    _add_purify(chores)
    return parser


def _made(make: Callable[..., argparse.ArgumentParser], **given: object) -> argparse.ArgumentParser:
    """A parser whose help is written so that a failure to write it is told."""
    parser = make(formatter_class=argparse.RawDescriptionHelpFormatter, add_help=False, allow_abbrev=False, **given)
    parser.add_argument("-h", "--help", action=Tell, text=parser.format_help, help="show this help")
    return parser


def _add_find(chores: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = _made(chores.add_parser, name="find", help="search a crawl for benchmarks", epilog=_find_closing)
    what = parser.add_argument_group("what is searched")
    what.add_argument(
        "--benchmark",
        metavar="NAME=PATH",
        action="append",
        required=True,
        help="a benchmark; may be given many times; NAME= may be left out",
    )
    what.add_argument("--crawl", metavar="PATH", nargs="+", required=True, help="files, globs and folders")
    what.add_argument("--field", metavar="NAME", default="text", help="the field to search, by default text")
    what.add_argument("--out", metavar="FOLDER", required=True, help="the folder for the report and what was found")
    fields = parser.add_argument_group("fields of benchmarks (NAME[,NAME…])")
    for name, default in (
        ("question", "question,prompt,problem,text"),
        ("answer", "answer,canonical_solution,solution"),
        ("choices", "choices,options"),
        ("passage", "passage,context"),
        ("id", "id,task_id"),
    ):
        fields.add_argument(f"--{name}", metavar="NAMES", type=_names, help=f"by default {default}")
    how = parser.add_argument_group("how it is searched")
    how.add_argument("--n", type=_whole, default=13, metavar="NUM", help="the words of an n-gram, by default 13")
    how.add_argument(
        "--view", default="words", metavar="STEPS", help="differences in writing that do not count; by default words"
    )
    how.add_argument(
        "--least-words", type=_whole, default=5, metavar="NUM", help="the words that a question must have, by default 5"
    )
    how.add_argument(
        "--common",
        type=_share,
        default=0.01,
        metavar="SHARE",
        help="leave n-grams out that stand in at least this share of the documents of a sample, and in ten of them; by "
        "default 0.01; 0 leaves none out",
    )
    how.add_argument(
        "--background",
        metavar="FILE",
        action="append",
        default=[],
        help="text whose n-grams are left out, too; also .gz, .zst, .bz2, .lz4",
    )
    how.add_argument("--device", default="cpu", metavar="DEVICE", help="cpu (the default), cuda[:N], opencl[:N], auto")
    how.add_argument(
        "--on",
        choices=("local", "ray", "spark"),
        default="local",
        metavar="WHERE",
        help="local (the default), or a cluster: ray, spark; its workers must see crawl and FOLDER by the same paths",
    )
    how.add_argument("--threads", type=_count, default=0, metavar="NUM", help="0, the default, means all cores")
    how.add_argument(
        "--block-bytes", type=_whole, default=8 << 20, metavar="NUM",
        help="how much JSON Lines are read at a time, by default 8 MiB; a line must fit",
    )  # fmt: skip
    _add_decision(parser)


def _add_report(chores: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = _made(
        chores.add_parser, name="report", help="write the report again, with another decision", epilog=_report_closing
    )
    parser.add_argument("folder", metavar="FOLDER", help="the folder that `find` has written")
    _add_decision(parser)


def _add_review(chores: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = _made(chores.add_parser, name="review", help="show hits one by one", epilog=_review_closing)
    parser.add_argument("folder", metavar="FOLDER", help="the folder that `find` has written")
    parser.add_argument("--all", action="store_true", help="also hits that are not contamination by the decision")
    parser.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto", metavar="WHEN", help="auto, always, never"
    )
    _add_decision(parser)


def _add_purify(chores: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = _made(chores.add_parser, name="purify", help="make a clean crawl", epilog=_purify_closing)
    parser.set_defaults(fail=parser.error)
    parser.add_argument("folder", metavar="FOLDER", help="the folder that `find` has written")
    parser.add_argument("--out", metavar="FOLDER", required=True, help="the folder for the new shards")
    parser.add_argument(
        "--removed",
        metavar="FOLDER",
        help="the folder for what is removed; by default the name of --out plus .removed",
    )
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--drop", action="store_true", help="drop contaminated documents (the default)")
    way.add_argument("--cut", action="store_true", help="cut what they quote, and leave a line break in its place")
    way.add_argument("--mask", metavar="CHAR", type=_character, help="write CHAR for each character of what they quote")
    parser.add_argument(
        "--margin",
        type=_count,
        metavar="NUM",
        help="how many characters on either side are cut or masked, too; by default 200 for --cut, 0 for --mask",
    )
    parser.add_argument("--threads", type=_count, default=0, metavar="NUM", help="0, the default, means all cores")
    _add_decision(parser)


def _add_decision(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what counts as contamination")
    group.add_argument(
        "--decide",
        choices=("share", "overlap", "answer"),
        metavar="BY",
        help="share: of an item's n-grams in one document; overlap: so many words in a row, or a whole part; "
        "answer: as share, and the answer stands near. By default that of the folder's last report, at first share",
    )
    group.add_argument(
        "--threshold",
        type=_number,
        metavar="NUM",
        help="the share, by default 0.5, or the words, by default 20; without --decide that of the last report",
    )


def _names(text: str) -> tuple[str, ...]:
    names = tuple(name for name in text.split(",") if name)
    if not names:
        raise argparse.ArgumentTypeError("there is no name")
    return names


def _whole(text: str) -> int:
    return whole_number(text, 1)


def _count(text: str) -> int:
    return whole_number(text, 0)


def _character(text: str) -> str:
    if len(text) != 1 or not text.isprintable():
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is not one character")
    return text


def _share(text: str) -> float:
    number = _number(text)
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not between 0 and 1")
    return number


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if number != number:
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is not a number")
    return number
