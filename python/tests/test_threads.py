"""Tests threads, forks and Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest

import lode

# The naive algorithm compares the whole pattern at each place, which is minutes of work in little memory.
endless_pattern = b"a" * 5_000 + b"b"
endless_text = b"a" * (64 << 20)


def endless_searcher(**options) -> lode.Searcher:
    searcher = lode.Searcher([endless_pattern], "cpu", algorithm="naive", **options)
    searcher.prepare()
    return searcher


def interrupted_by(handler_raises: type[BaseException], search) -> None:
    """Sends SIGINT to this process while `search` runs in the main thread. The search must end with the handler's
    exception.
    """
    timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(handler_raises):
            search()
    finally:
        timer.join()


@pytest.fixture(autouse=True)
def interrupts_are_taken():
    """A shell starts background processes with SIGINT ignored, and Python does not change that. So the handler is set
    here.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_many_threads_share_a_searcher():
    text = b"ushers and others " * 20_000
    searcher = lode.Searcher(["he", "she", "hers", "other"])
    expected = lode.Searcher(["he", "she", "hers", "other"], threads=1).find(text)
    wrong: list = []

    def search():
        for _ in range(5):
            if not np.array_equal(searcher.find(text), expected) or searcher.count(text) != len(expected):
                wrong.append(threading.get_ident())
            if searcher.contains([b"she", None]).values.tolist() != [True, False]:
                wrong.append(threading.get_ident())

    threads = [threading.Thread(target=search) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("in_main_thread", [True, False])
def test_other_threads_run_during_a_search(in_main_thread):
    searcher = lode.Searcher([b"a" * 2_000 + b"b"], "cpu", algorithm="naive", threads=1)
    searcher.prepare()
    text = b"a" * (2 << 20)
    begun, ended = threading.Event(), threading.Event()
    steps = 0

    def search():
        begun.set()
        searcher.count(text)
        ended.set()

    def step():
        nonlocal steps
        begun.wait()
        while not ended.is_set():
            steps += 1
            time.sleep(0.001)

    first, second = (search, step) if in_main_thread else (step, search)
    thread = threading.Thread(target=second)
    thread.start()
    first()
    thread.join()
    assert steps > 10


@pytest.mark.parametrize("threads", [1, 0])
@pytest.mark.parametrize(
    "method", ["find", "count", "count_per_pattern", "contains", "find_first", "find_iter", "records"]
)
def test_interrupts(method, threads):
    searcher = endless_searcher(threads=threads)

    def search():
        if method == "records":
            searcher.contains([endless_text])
        elif method == "find_iter":
            list(searcher.find_iter(endless_text))
        else:
            getattr(searcher, method)(endless_text)

    interrupted_by(KeyboardInterrupt, search)
    assert searcher.count("b") == 0


def test_a_handler_of_ones_own():
    class Stop(Exception):
        pass

    def raise_stop(number, frame):
        raise Stop

    before = signal.signal(signal.SIGINT, raise_stop)
    try:
        interrupted_by(Stop, lambda: endless_searcher().count(endless_text))
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_handler_that_does_not_raise():
    """The search goes on, and the handler itself may search."""
    text = b"a" * (2 << 20)
    searcher = lode.Searcher([b"a" * 2_000 + b"b"], "cpu", algorithm="naive", threads=1)
    seen: list = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: seen.append(searcher.count("b")))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        assert searcher.count(text) == 0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert seen == [0]


def test_building_a_plan_is_interrupted():
    patterns = lode.PatternSet([b"%07d-%07d" % (number, number) for number in range(1_000_000)])

    def build():
        while True:
            lode.compile(patterns, threads=1)

    interrupted_by(KeyboardInterrupt, build)


def test_a_stream_that_was_interrupted_is_over():
    batches = endless_searcher().find_iter([endless_text, endless_text])
    interrupted_by(KeyboardInterrupt, lambda: next(batches))
    assert list(batches) == []


def test_forks():
    """A child that was forked after searches with several threads can search, too."""
    text = b"ushers " * 2_000_000
    searcher = lode.Searcher(["he", "she"])
    expected = searcher.count(text)
    assert expected == 4_000_000
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns if a process with threads forks
        child = os.fork()
    if child == 0:
        try:
            stats: dict = {}
            good = searcher.count(text, stats=stats) == expected and stats["threads"] == 1
            good = good and lode.Searcher(["he"]).count(text) == expected // 2
            good = good and searcher.contains([b"he"] * 100_000).values.all()
            os._exit(0 if good else 1)
        finally:
            os._exit(2)
    deadline = time.monotonic() + 120
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            assert os.waitstatus_to_exitcode(status) == 0
            return
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            pytest.fail("the child does not come to an end")
        time.sleep(0.01)


def test_forks_after_gpus():
    """Drivers of GPUs do not survive a fork. In the child `auto` is the CPU, and a GPU that was used is refused."""
    program = """
import os, lode
names = [row.name for row in lode.devices() if row.available and row.name != "cpu"]
searchers = [lode.Searcher(["he"], name) for name in names]
text = b"ushers " * 1000
assert all(searcher.count(text) == 1000 for searcher in searchers)
residents = [lode.ResidentText(text, name) for name in names]
automatic = lode.Searcher(["he"])
assert automatic.count(text) == 1000
child = os.fork()
if child != 0:
    raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
uses = [lode.devices]
for name, searcher, resident in zip(names, searchers, residents):
    uses += [
        lambda searcher=searcher: searcher.count(text),
        lambda searcher=searcher: searcher.contains([text]),
        lambda searcher=searcher, resident=resident: searcher.count(resident),
        lambda name=name: lode.ResidentText(text, name),
        lambda name=name: lode.ResidentRecords([text], name),
        lambda name=name: lode.Searcher(["she"], name).count(text),
    ]
uses.append(lambda: lode.open_device("opencl:1000"))
for use in uses:
    try:
        use()
    except lode.Error as error:
        if error.kind == "device" and "forked" in str(error):
            continue
    os._exit(1)
stats = {}
good = automatic.count(text, stats=stats) == 1000 and stats["device"] == "cpu"
good = good and automatic.contains([text]).values.all() and lode.Searcher(["he"], "auto").count(text) == 1000
os._exit(0 if good else 2)
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_fork_before_any_search():
    """A child that was forked before any search uses all cores."""
    program = """
import os, lode
child = os.fork()
stats = {}
good = lode.Searcher(["he"], threads=3).count(b"ushers " * 1000, stats=stats) == 1000 and stats["threads"] == 3
if child == 0:
    os._exit(0 if good else 1)
assert good and os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)


def test_a_process_may_end_during_a_search():
    """A daemon thread searches while the interpreter ends."""
    program = """
import threading, lode
searcher = lode.Searcher([b"a" * 20_000 + b"b"], "cpu", algorithm="naive", threads=1)
searcher.prepare()
begun = threading.Event()
def search():
    begun.set()
    searcher.count(b"a" * (1 << 20))
threading.Thread(target=search, daemon=True).start()
begun.wait()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
