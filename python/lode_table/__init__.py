"""The command `lode-table`, until what it needs is loaded.

That takes a second or so, of which the package lode is a part: so this is a package of its own, which loads nothing
before Ctrl-C is taken care of.
"""

import contextlib
import os
import signal
import sys
from types import FrameType


def main() -> None:
    """Runs the command and ends the process; see lode._table_command.main.

    Until it is loaded nothing is written, and Ctrl-C ends the process at once. At the end threads of Arrow may still
    read ahead, in Python: these must not see the interpreter go.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # shells let background jobs ignore it
        signal.signal(signal.SIGINT, _end)
    _fill_closed()
    from lode._table_command import main as command

    try:
        code = command()
    except SystemExit as end:  # of --help and mistakes
        code = end.code if isinstance(end.code, int) else 2
    os._exit(_flushed(code))


def _fill_closed() -> None:
    """Closed standard streams go nowhere: files that are opened would get their numbers, and what is said to them.

    sys.stdout stays None, so that a table is not written to nowhere. Without sys.stderr print and argparse would take
    standard output.
    """
    for number, stream in ((1, sys.stdout), (2, sys.stderr)):
        if stream is None:
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
    if sys.stderr is None:
        sys.stderr = open(2, "w")


def _flushed(code: int) -> int:
    """The exit code, which is another one if what standard output was to get is lost."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        code = code if code > 1 else 128 + signal.SIGPIPE
    except (OSError, ValueError) as error:
        if code < 2:  # else the failure is told already
            code = 2
            with contextlib.suppress(OSError, ValueError):
                print(f"lode-table: standard output: {getattr(error, 'strerror', None) or error}", file=sys.stderr)
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.flush()
    return code


def _end(number: int, frame: FrameType | None) -> None:
    os._exit(128 + number)
