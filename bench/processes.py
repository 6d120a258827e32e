"""Runs whole processes the way benches need it: output into a pipe, time from start to exit, peak memory."""

import contextlib
import os
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass


@dataclass
class Run:
    seconds: float
    exit_code: int  # of the process; negative where a signal ended it
    output: bytes  # the first MiB
    errors: bytes  # the first 64 KiB
    peak_bytes: int | None  # resident, at most; None where it was not asked for
    timed_out: bool


def _drain(stream, limit, into):
    """Reads to the end, keeps the first bytes."""
    while chunk := stream.read1(1 << 20):
        room = limit - len(into)
        if room > 0:
            into += chunk[:room]


def run(command, timeout_seconds=None, stdin=subprocess.DEVNULL, environment=None, with_memory=False):
    """One run. Both outputs go into pipes that are read to the end: a tool that writes to /dev/null may stop early.

    Memory is told by the program `time`: what the kernel tells Python includes Python's own size before the exec."""
    with tempfile.NamedTemporaryFile(prefix="lode-bench-") as memory:
        if with_memory:
            command = ["time", "-q", "-f", "%M", "-o", memory.name, *command]
        begin = time.perf_counter()
        with subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
                              start_new_session=True) as process:
            output, errors = bytearray(), bytearray()
            readers = [threading.Thread(target=_drain, args=(process.stdout, 1 << 20, output)),
                       threading.Thread(target=_drain, args=(process.stderr, 1 << 16, errors))]
            for reader in readers:
                reader.start()
            timed_out = False
            try:
                process.wait(timeout_seconds)
            except subprocess.TimeoutExpired:
                timed_out = True
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            seconds = time.perf_counter() - begin
            for reader in readers:
                reader.join()
        peak_bytes = int(memory.read()) * 1024 if with_memory and not timed_out else None
    return Run(seconds, process.returncode, bytes(output), bytes(errors), peak_bytes, timed_out)


def start_to_exit(command, times):
    """Seconds from start to exit, without threads and pipes' costs of ours: as little as Python can add."""
    null = os.open(os.devnull, os.O_RDWR)
    read_end, write_end = os.pipe()
    os.set_blocking(read_end, False)
    actions = [(os.POSIX_SPAWN_DUP2, null, 0), (os.POSIX_SPAWN_DUP2, write_end, 1), (os.POSIX_SPAWN_DUP2, null, 2)]
    seconds = []
    try:
        for _ in range(times):
            begin = time.perf_counter()
            process = os.posix_spawnp(command[0], command, os.environ, file_actions=actions)
            _, status = os.waitpid(process, 0)
            seconds.append(time.perf_counter() - begin)
            if os.waitstatus_to_exitcode(status) != 0:
                raise RuntimeError(f"{command}: exit code {os.waitstatus_to_exitcode(status)}")
            with contextlib.suppress(BlockingIOError):
                os.read(read_end, 1 << 16)
    finally:
        for descriptor in (null, read_end, write_end):
            os.close(descriptor)
    return seconds
