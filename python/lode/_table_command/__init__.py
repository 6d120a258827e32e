"""The command `lode-table`: what it is called with, and how it ends. `lode_table` is what calls it."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import warnings
from collections.abc import Sequence
from typing import Any

from lode._errors import Error
from lode._table_command.options import parse

_needs = "it needs pyarrow and tqdm, which the extra `table` brings: pip install pyarrow tqdm"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command. Exit codes: 0 some row matched, 1 none did, 2 an error; signals end the process."""
    try:
        options = parse(arguments)
    except BrokenPipeError:
        return 128 + signal.SIGPIPE
    except OSError as error:  # of --help, or of a mistake that cannot be told
        return _fail(f"standard output: {error.strerror}")
    try:
        from lode._table_command.endings import watch
        from lode._table_command.run import Refusal, run
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("pyarrow", "tqdm"):
            raise
        return _fail(_needs)
    warnings.showwarning = _show_warning
    try:
        watch()
        return 0 if run(options, _say) else 1
    except BrokenPipeError:
        # What is still in sys.stdout's buffer would fail once more when the interpreter ends.
        if sys.stdout is not None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except (Refusal, Error) as error:
        return _fail(str(error))
    except MemoryError:
        return _fail("there is not enough memory; a smaller --batch-rows or --block-bytes may help")
    except Exception as error:  # or the interpreter would end with 1, as if no row had matched
        return _fail(f"{type(error).__name__}: {error}")


def _fail(reason: str) -> int:
    _say(reason)
    return 2


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    _say(message)


def _say(message: object) -> None:
    """What cannot be told changes nothing. Without sys.stderr print would take standard output."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError, ValueError):
            print(f"lode-table: {message}", file=sys.stderr)
