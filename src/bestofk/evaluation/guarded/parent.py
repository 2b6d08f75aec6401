"""The end of a worker process whose parent has ended."""

from __future__ import annotations

import os
import threading
import time

from bestofk.evaluation.guarded.process_tree import end_processes

_LOOK_SECONDS = 0.5


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
        time.sleep(_LOOK_SECONDS)
    process = os.getpid()
    if hasattr(os, "getsid") and os.getsid(0) == process:
        end_processes(process, spared=process)
    os._exit(1)
