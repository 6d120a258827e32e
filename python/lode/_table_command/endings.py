"""Ends the program at a signal, and removes the half-written file first.

Python runs the handlers of signals in its main thread, between two steps of its own. It cannot do so while that thread
waits for Arrow, which may wait for a pipe for ever. So a separate thread waits for signals, removes the half-written
file, and ends the process.
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
_lock = threading.Lock()  # guards the names of temporary files, on the disk and in _temporary
_temporary: set[str] = set()


def watch() -> None:
    """From now on, signals that end a program end this one cleanly. Ignored ones, as by nohup, stay ignored."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    # Python writes the number of each signal into the pipe at once, whichever thread gets the signal.
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    for number in _signals:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda *_: None)
    threading.Thread(target=_end_at_signal, args=(reader,), daemon=True).start()


def _end_at_signal(reader: int) -> None:
    number = 0
    while number not in _signals:
        number = os.read(reader, 1)[0]
    # The lock is never released, so that no file can be made or renamed any more.
    _lock.acquire()
    for path in _temporary:
        with contextlib.suppress(OSError):
            os.unlink(path)
    if os.isatty(2):
        os.write(2, b"\r\033[K")  # this erases the progress bar, if there is one
    os._exit(128 + number)


@contextlib.contextmanager
def temporary_file(target: str) -> Iterator[tuple[int, str]]:
    """Makes a file beside the target, and gives its descriptor and its name. Removes it unless `rename` was called."""
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
    """Renames a temporary file to its target."""
    with _lock:
        os.replace(path, target)
        _temporary.remove(path)
