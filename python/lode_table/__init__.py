"""The command `lode-table`, until what it needs is loaded.

That takes a second or so, of which the package lode is a part: so this is a package of its own, which loads nothing
before Ctrl-C is taken care of.
"""

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
    from lode._table_command import main as command

    code = command()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _end(number: int, frame: FrameType | None) -> None:
    os._exit(128 + number)
