"""What ends the program from outside, and the file that must not stay behind then.

Python runs the handlers of signals in its main thread, between two steps of its own: not while that waits for Arrow, which
may wait for a pipe for ever. So a thread of its own is told of signals, removes what is half written, and ends the process.
"""

from __future__ import annotations

import contextlib
import os
import signal
import tempfile
import threading
from collections.abc import Iterator

_signals = (
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGQUIT,
    signal.SIGALRM,
    signal.SIGUSR1,
    signal.SIGUSR2,
    signal.SIGXCPU,
    signal.SIGVTALRM,
    signal.SIGPROF,
)
_lock = threading.Lock()  # of the names of files, on the disk and here
_temporary: set[str] = set()


def watch() -> None:
    """From now on signals that end a program end this one so. Those that are ignored, as by nohup, stay so."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    # The number of each signal is written at once, by whichever thread gets it.
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    for number in _signals:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda *_: None)
    threading.Thread(target=_end_at_signal, args=(reader,), daemon=True).start()


def _end_at_signal(reader: int) -> None:
    number = 0
    while number not in _signals:
        number = os.read(reader, 1)[0]
    # The lock is kept, so that nothing gets a name any more.
    _lock.acquire()
    for path in _temporary:
        with contextlib.suppress(OSError):
            os.unlink(path)
    if os.isatty(2):
        os.write(2, b"\r\033[K")  # the progress bar, if there is one
    os._exit(128 + number)


@contextlib.contextmanager
def temporary_file(target: str) -> Iterator[tuple[int, str]]:
    """The number and the name of a new file beside the target, which is removed unless `rename` was called."""
    folder, name = os.path.split(target)
    with _lock:
        number, path = tempfile.mkstemp(prefix=f".{name}.", suffix=".part", dir=folder)
        _temporary.add(path)
    try:
        yield number, path
    finally:
        with _lock:
            if path in _temporary:
                _temporary.remove(path)
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(path)


def rename(path: str, target: str) -> None:
    """Gives a temporary file its name."""
    with _lock:
        os.replace(path, target)
        _temporary.remove(path)
