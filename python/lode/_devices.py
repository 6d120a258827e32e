"""Lists devices and algorithms, and opens each device once."""

from __future__ import annotations

import threading
from typing import NamedTuple

from lode import _lode


class DeviceInfo(NamedTuple):
    """A device, present or not."""

    name: str
    """The name that `open_device` and searchers take: 'cpu', 'cuda:0'."""
    description: str
    """A text for people: model, cores, instruction sets."""
    available: bool
    reason: str
    """Why the device is not available; empty if it is."""
    is_gpu: bool


class Algorithm(NamedTuple):
    """A row of the table of algorithms."""

    name: str
    summary: str
    serves: str
    """Which patterns it serves, and what it costs."""


_opened: dict[str, _lode.Device] = {}
_lock = threading.RLock()  # a signal handler may call open_device while this thread is in it


def open_device(name: str) -> _lode.Device:
    """Opens a device: 'auto', 'cpu', 'opencl[:N]', 'cuda[:N|:all]'. The same name gives the same device again.

    Raises lode.Error of kind 'invalid_argument' if no device has such a name, 'device' if the device is not there.
    """
    if not isinstance(name, str):
        raise TypeError(f"a device is named by a str, not {type(name).__name__}")
    with _lock:
        if name not in _opened:
            _opened[name] = _lode.open_device(name)
        return _opened[name]


def devices() -> list[DeviceInfo]:
    """Lists every kind of device, present or not. Loads the libraries of GPUs."""
    return [DeviceInfo(*row) for row in _lode.list_devices()]


def algorithms() -> list[Algorithm]:
    """Lists the algorithms that `Searcher` takes beside 'auto'."""
    return [Algorithm(*row) for row in _lode.list_algorithms()]
