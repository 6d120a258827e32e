"""The start of the command `lode-table`.

Loading lode and pyarrow takes a second or so, in which Ctrl-C must end the process quietly. So this is a package of its
own, which loads nothing before it has set that up.
"""

import contextlib
import os
import signal
import sys
from collections.abc import Callable
from types import FrameType


def main() -> None:
    """Runs the command and ends the process; see lode._table_command.main."""
    start("lode-table", _load)


def _load() -> Callable[[], int]:
    from lode._table_command import main as command

    return command


def start(name: str, load: Callable[[], Callable[[], int]]) -> None:
    """Loads a command, runs it, and ends the process with the code that it gives. `name` is for messages.

    Until the command is loaded nothing is written, so Ctrl-C may end the process at once. At the end os._exit skips
    the interpreter's own end, because threads of Arrow may still read ahead through Python's files.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # in background jobs a shell ignores SIGINT
        signal.signal(signal.SIGINT, _end)
    _fill_closed()
    command = load()
    try:
        code = command()
    except SystemExit as end:  # argparse raises this after --help and mistakes
        code = end.code if isinstance(end.code, int) else 2
    os._exit(_flushed(name, code))


def _fill_closed() -> None:
    """Opens /dev/null for closed standard streams. Else a file that is opened later gets number 1 or 2, and messages.

    sys.stdout stays None, so that a table is not written to nowhere. sys.stderr becomes a file, because without it
    print and argparse would write to standard output.
    """
    for number, stream in ((1, sys.stdout), (2, sys.stderr)):
        if stream is None:
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
    if sys.stderr is None:
        sys.stderr = open(2, "w")


def _flushed(name: str, code: int) -> int:
    """Flushes standard output, and gives the exit code: another one if that fails."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        code = code if code > 1 else 128 + signal.SIGPIPE
    except (OSError, ValueError) as error:
        if code < 2:  # otherwise the command has reported a failure already
            code = 2
            with contextlib.suppress(OSError, ValueError):
                print(f"{name}: standard output: {getattr(error, 'strerror', None) or error}", file=sys.stderr)
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.flush()
    return code


def _end(number: int, frame: FrameType | None) -> None:
    os._exit(128 + number)
