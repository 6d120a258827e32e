"""The command `lode-decontaminate`: it reads options, runs, and decides the exit code."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import warnings
from collections.abc import Sequence

from lode import Error
from lode_decontaminate.options import parse

_needs = "it needs pyarrow and tqdm, which the extra `table` brings: pip install pyarrow tqdm"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command. Gives 0 if something was found, 1 if nothing was, 2 after an error; signals end the process."""
    try:
        options = parse(arguments)
    except BrokenPipeError:
        return 128 + signal.SIGPIPE
    except OSError as error:  # the text of --help or the message about a wrong option cannot be written
        return _fail(f"standard output: {error.strerror}")
    try:
        from lode_decontaminate.chores import chores
        from lode_decontaminate.errors import Refusal
        from lode_table.files import watch
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("pyarrow", "tqdm"):
            raise
        return _fail(_needs)
    warnings.showwarning = lambda message, *_, **__: _say(message)
    try:
        watch()
        return 0 if chores[options.chore](options, _say) else 1
    except BrokenPipeError:
        # The interpreter flushes sys.stdout's buffer at its end, which would fail once more. So that goes nowhere.
        if sys.stdout is not None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except (Refusal, Error) as error:
        return _fail(str(error))
    except MemoryError:
        return _fail("there is not enough memory; a smaller --block-bytes or fewer --threads may help")
    except Exception as error:  # else the interpreter would end with 1, as if nothing had been found
        return _fail(f"{type(error).__name__}: {error}")


def _fail(reason: str) -> int:
    _say(reason)
    return 2


def _say(message: object) -> None:
    """Writes a message to standard error. A failure to write it changes nothing."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError, ValueError):
            print(f"lode-decontaminate: {' '.join(str(message).split())}", file=sys.stderr)
