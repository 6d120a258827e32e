"""What the commands of this package have in common: kinds of options, and the way from options to the exit code."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import signal
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from lode._errors import Error

Say = Callable[[object], None]
"""Writes a message for the user."""

_needs = "it needs pyarrow and tqdm, which the extra `table` brings: pip install pyarrow tqdm"


class Tell(argparse.Action):
    """Writes a text and ends the program. From Python 3.12 on, argparse's own action hides a failure to write it."""

    def __init__(self, option_strings: Sequence[str], dest: str, text: Callable[[], str], help: str) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, default=argparse.SUPPRESS, help=help)
        self._text = text

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        (sys.stdout or sys.stderr).write(self._text())
        parser.exit()


def whole_number(text: str, least: int) -> int:
    """Reads an option. Raises argparse.ArgumentTypeError for anything else."""
    most_digits = 18  # Python refuses to read a number of thousands of digits
    if len(text) > most_digits:
        raise argparse.ArgumentTypeError(f"'{text[:most_digits]}...' is too long for a number")
    if not text.isdecimal() or int(text) < least:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least {least}")
    return int(text)


def run_command(
    name: str,
    parse: Callable[[], argparse.Namespace],
    load: Callable[[], Callable[[argparse.Namespace, Say], bool]],
    saves_memory: str,
) -> int:
    """Runs a command. Gives 0 if something was found, 1 if nothing was, 2 after an error; signals end the process.

    load          loads what needs pyarrow and tqdm, and gives the function that does the work
    saves_memory  what the user may try if there is not enough memory
    """

    def say(message: object) -> None:
        """A failure to write changes nothing. Without sys.stderr print would write to standard output."""
        if sys.stderr is not None:
            with contextlib.suppress(OSError, ValueError):
                print(f"{name}: {' '.join(str(message).splitlines())}", file=sys.stderr)

    def fail(reason: str) -> int:
        say(reason)
        return 2

    if isinstance(sys.stdout, io.TextIOWrapper):
        # Helps and reports have signs that the locale's encoding may lack. sys.stderr never fails for these.
        sys.stdout.reconfigure(errors="replace")
    try:
        options = parse()
    except BrokenPipeError:
        return 128 + signal.SIGPIPE
    except (OSError, UnicodeError) as error:  # the text of --help or about a wrong option cannot be written
        return fail(f"standard output: {getattr(error, 'strerror', None) or error}")
    try:
        from lode._table_command.endings import watch
        from lode._table_command.errors import Refusal

        work = load()
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("pyarrow", "tqdm"):
            raise
        return fail(_needs)
    warnings.showwarning = _teller_of_warnings(say)
    try:
        watch()
        return 0 if work(options, say) else 1
    except BrokenPipeError:
        # The interpreter flushes sys.stdout's buffer at its end, which would fail once more. So that goes nowhere.
        if sys.stdout is not None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except (Refusal, Error) as error:
        return fail(str(error))
    except MemoryError:
        return fail(f"there is not enough memory; {saves_memory}")
    except Exception as error:  # else the interpreter would end with 1, as if nothing had been found
        return fail(f"{type(error).__name__}: {error}")


def _teller_of_warnings(say: Say) -> Callable[..., Any]:
    def tell(message: Warning | str, *_: Any, **__: Any) -> None:
        say(message)

    return tell
