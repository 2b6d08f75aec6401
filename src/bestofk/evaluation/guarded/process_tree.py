"""A guarded process with all that its learners start: their memory, and their end."""

import os
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import psutil

# Processes that joblib and Python start to delete what others leave behind; they end by
# themselves once that is done.
_CLEANERS = "resource_tracker"
_ENDING_SECONDS = 5.0
_PARENT_LOOK_SECONDS = 0.5


def processes_of(root: int) -> list[int]:
    """Return the numbers of a process and of those started by it, directly or not.

    Parameters
    ----------
    root : int
        On Linux, one to which all fall whose parent has ended, however they detach themselves.
        On other systems with sessions, one that leads a session: processes that have left it do
        not count. On Windows, those whose parent has ended do not count.

    Returns
    -------
    list of int
        Itself included, unless it has ended.
    """
    if hasattr(os, "getsid") and sys.platform != "linux":
        return [number for number in psutil.pids() if _session(number) == root]
    with suppress(psutil.Error):
        return [root, *(child.pid for child in psutil.Process(root).children(recursive=True))]
    return []


def end_processes(root: int, *, spared: int | None = None) -> None:
    """End a process and those started by it, other than those that only clean up.

    Parameters
    ----------
    root : int
        As for `processes_of`.
    spared : int, optional
        A process that goes on.
    """
    for number in processes_of(root):
        if number != spared and not _is_cleaner(number):
            _kill(number)


def end_descendants() -> None:
    """End all that was started by this process, to which all fall whose parent has ended.

    Those that only clean up may take some seconds to do so.
    """
    end = time.monotonic() + _ENDING_SECONDS
    with suppress(ChildProcessError):  # there are none any more
        while (now := time.monotonic()) < end + _ENDING_SECONDS:
            if os.waitpid(-1, os.WNOHANG)[0]:
                continue
            for number in processes_of(os.getpid())[1:]:
                if now > end or not _is_cleaner(number):
                    _kill(number)
            time.sleep(0.001)


def _kill(number: int) -> None:
    with suppress(psutil.Error, ProcessLookupError):
        psutil.Process(number).kill()


def end_with(parent: int) -> None:
    """End this process once its parent has ended, whatever it is doing then.

    One that leads a session takes the processes with it that were started from it.
    Compiled code that holds the interpreter is not interrupted before it returns. On Windows,
    where a process keeps the number of a parent that has ended, nothing is noticed.

    Parameters
    ----------
    parent : int
        Number of the process that started this one; it may have ended before this call.
    """
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_PARENT_LOOK_SECONDS)
    process = os.getpid()
    if hasattr(os, "getsid") and os.getsid(0) == process:
        end_processes(process, spared=process)
    os._exit(1)


def memory_of(root: int) -> int:
    """Return the bytes of memory that a process and those started by it hold together.

    Shared pages do not count, mapped files among them, on systems that tell their number.
    """
    return sum(map(_private_bytes, processes_of(root)))


def exact_memory_of(root: int) -> int:
    """Return what `memory_of` does, where memory that forked processes share counts once.

    It takes milliseconds. On other systems than Linux it is the same as `memory_of`.
    """
    return sum(map(_exact_bytes, processes_of(root)))


def _session(number: int) -> int | None:
    try:
        return os.getsid(number)
    except OSError:  # it has ended, or is none of ours
        return None


def _is_cleaner(number: int) -> bool:
    try:
        return _CLEANERS in " ".join(psutil.Process(number).cmdline())
    except psutil.Error:
        return False


def _private_bytes(number: int) -> int:
    try:
        memory = psutil.Process(number).memory_info()
    except psutil.Error:  # it has ended
        return 0
    return int(memory.rss - getattr(memory, "shared", 0))


def _exact_bytes(number: int) -> int:
    try:
        lines = Path(f"/proc/{number}/smaps_rollup").read_text().splitlines()
    except OSError:
        return _private_bytes(number)
    sizes = [line.split()[1] for line in lines if line.startswith("Pss_Anon:")]
    return 1024 * int(sizes[0]) if sizes else _private_bytes(number)
