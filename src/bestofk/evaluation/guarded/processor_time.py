"""Wall-clock seconds, and processor seconds of this process and its child processes."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import psutil

# Processes of our own, whose work is none of a run in this process.
own_processes: set[int] = set()
# Shorter stages have no use for other processes, and are not worth looking for them.
_LOOK_SECONDS = 0.05
# By which the time of the start of a process may be early.
_COARSE_SECONDS = 0.1
# Where the processor is counted in ticks, the clock is better for what takes a few of them.
_TICKS = 20 * time.get_clock_info("process_time").resolution
_seen: dict[psutil.Process, float] = {}  # seconds of processes when they were last looked at


def measured(work: Callable[..., Any], *args: Any) -> tuple[Any, float, float]:
    """Call a function, and measure how long it takes.

    Parameters
    ----------
    work : callable
        What it raises is raised here.
    *args : object
        What it is called with.

    Returns
    -------
    result : object
        What it returned.
    seconds : float
        Those of the clock.
    cpu_seconds : float
        Those of the processor: of all threads of this process and of the processes that it has
        started, those that have ended, and, unless the call is short, those that live.
    """
    start, start_cpu = time.perf_counter(), _own_seconds()
    result = work(*args)
    seconds, cpu_seconds = time.perf_counter() - start, _own_seconds() - start_cpu
    if seconds > _LOOK_SECONDS:
        with suppress(OSError):  # no file can be opened
            cpu_seconds += _seconds_of_others(_now() - seconds)
    return result, seconds, seconds if seconds < _TICKS else cpu_seconds


def _own_seconds() -> float:
    return time.process_time() + sum(os.times()[2:4])


def _now() -> float:
    """Return the time on the clock by which processes begin, which others may set meanwhile."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return float(psutil.boot_time()) + time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.time()


def _seconds_of_others(since: float) -> float:
    """Return the seconds of living processes since they were last looked at.

    Those that were not, and were there before the block, may have worked for others before.
    """
    global _seen
    before, _seen = _seen, {}
    total = 0.0
    for process in _helpers():
        with suppress(psutil.Error):  # it has just ended
            seconds = sum(process.cpu_times()[:4])
            is_new = process.create_time() > since - _COARSE_SECONDS
            total += seconds - before.get(process, 0.0 if is_new else seconds)
            _seen[process] = seconds
    return total


def _helpers() -> Iterator[psutil.Process]:
    """Give the processes that this one has started, directly or not, but for our own."""
    if hasattr(os, "waitid"):
        try:
            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:  # there are none, which is known in a microsecond
            return
    for child in psutil.Process().children():
        if child.pid not in own_processes:
            yield child
            with suppress(psutil.Error):
                yield from child.children(recursive=True)
