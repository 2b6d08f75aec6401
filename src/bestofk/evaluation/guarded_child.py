"""Children that load a payload, answer its jobs one after another, and can be ended any moment.

A child is a plain Python that gets pickled work through a pipe.  To start one takes more than a
second, most of it imports; so those that have done their work are kept, without what they had
loaded, for the next payload.
"""

from __future__ import annotations

import atexit
import functools
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

from bestofk.evaluation.interrupt import held_interrupts
from bestofk.evaluation.limits import Limits
from bestofk.evaluation.process_tree import end_processes, exact_memory_of, memory_of
from bestofk.evaluation.unchanged import Surroundings

_LONGEST_WAIT = 1e6  # seconds; the system takes no wait of any length
_LOOK_SECONDS = 0.1  # between two looks at the memory of a child, or whether it is there
_ENDING_SECONDS = 5.0  # that a child may take to end by itself
_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class ChildDiedError(ChildProcessError):
    """The child ended by itself, or another process ended it.

    Parameters
    ----------
    code : int
        Its exit code, or the number of the signal below 0.
    """

    def __init__(self, code: int) -> None:
        ending = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        super().__init__(f"the process of the run died ({ending})")
        self.ending = ending
        self.was_killed = ending == "signal SIGKILL"


class TooMuchMemoryError(Exception):
    """The child and what it started hold more memory than the limit."""


class GuardedChild:
    """A process that does jobs of one payload after another.

    Parameters
    ----------
    surroundings : Surroundings
        Those of this process, which the child shares.
    """

    def __init__(self, surroundings: Surroundings) -> None:
        self.surroundings = surroundings
        self.is_reused = False
        self.is_ready = self.is_ended = False
        self.n_answers = self.n_asked = 0  # since the payload was loaded
        self.used_bytes = 0  # of the limit of memory, by the jobs that were answered
        self.peak_bytes: int | None = None  # of the job under way, as far as it was looked at
        self._baseline = 0
        self._owner = os.getpid()
        self._pipe, theirs = Pipe()
        environment = surroundings.environment | dict.fromkeys(_THREAD_VARIABLES, "1")
        environment["PYTHONPATH"] = os.pathsep.join(surroundings.paths)
        numbers = [str(theirs.fileno()), str(self._owner), str(time.time_ns())]
        with held_interrupts(), theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "bestofk.evaluation", *numbers],
                stdin=subprocess.DEVNULL,
                env=environment,
                **_handed_on(theirs),
            )
        _children.add(self)
        _end_children_at_exit()

    @property
    def is_busy(self) -> bool:
        """Whether there are answers to come."""
        return self.n_answers < self.n_asked

    @property
    def is_alive(self) -> bool:
        """Whether the process is there and is one of this process, not of one that forked it."""
        return self._owner == os.getpid() and self._process.poll() is None

    def load(self, payload: str, n_bytes: int | None) -> None:
        """Ask for another payload, under a limit of memory, without waiting for it."""
        self.is_ready = False
        self.n_answers = self.n_asked = self.used_bytes = 0
        self._send((payload, n_bytes))

    def wait(self, seconds: float, n_bytes: int | None) -> None:
        """Wait until the payload is loaded.

        Raises
        ------
        TimeoutError
            If it is not after so many seconds.
        ChildDiedError
            If it cannot be, or if a child that was kept is not fit for it.
        """
        if self.is_ready:
            return
        self._receive(Limits(seconds=max(seconds, 1e-3)))
        self.is_ready = True
        if n_bytes is not None:
            self._baseline = memory_of(self._process.pid)

    def is_there(self) -> bool:
        """Return whether the payload is loaded, or is known not to be, without waiting for it."""
        return self.is_ready or self._pipe.poll()

    def ask(self, jobs: Sequence[Any]) -> None:
        """Send jobs that are to be answered in turn."""
        self.n_asked += len(jobs)
        self._send(list(jobs))

    def answer(self, limits: Limits) -> Any:
        """Return the next answer.

        Raises
        ------
        TimeoutError
            If it takes longer than the limit.
        TooMuchMemoryError
            If the child was seen to hold more memory than the limit.
        ChildProcessError
            If it dies, or answers a job twice; `ChildDiedError` if it dies.
        """
        self.peak_bytes = None
        number, used_bytes, answer = pickle.loads(self._receive(limits))
        self.used_bytes = used_bytes
        self.n_answers += 1
        if number != self.n_answers:
            raise ChildProcessError(
                f"the process of the run must answer once; got a second answer to run {number} of "
                f"it in place of one to run {self.n_answers}"
            )
        return answer

    def unload(self) -> None:
        """Make the child forget its payload, or end where that is not enough."""
        self._send(None)

    def end(self, *, is_kept: bool = False) -> None:
        """End the child and what it started; one that is kept may put things away before."""
        self._pipe.close()
        if self.is_ended or self._owner != os.getpid():
            return
        self.is_ended = True
        self._exit_code(_ENDING_SECONDS if is_kept else 0.0)

    def _send(self, message: Any) -> None:
        with suppress(OSError):  # a child that has died is noticed where its answer is waited for
            self._pipe.send_bytes(pickle.dumps(message))

    def _receive(self, limits: Limits) -> bytes:
        start = time.monotonic()
        longest = min(limits.seconds or _LONGEST_WAIT, _LONGEST_WAIT)
        try:
            while True:
                left = start + longest - time.monotonic()
                if self._pipe.poll(max(0.0, min(left, _LOOK_SECONDS))):
                    return self._pipe.recv_bytes()
                # a process that a learner forked may hold the other end of the pipe
                if self._process.poll() is not None and not self._pipe.poll():
                    raise EOFError
                if limits.n_bytes is not None:
                    self._look(limits.n_bytes)
                if left <= 0 and limits.seconds is not None:
                    raise TimeoutError
        except (EOFError, OSError) as error:
            if isinstance(error, TimeoutError):
                raise
            raise ChildDiedError(self._exit_code(_ENDING_SECONDS)) from None

    def _exit_code(self, seconds: float) -> int:
        """Wait until the child has ended, not longer than some seconds; end what it started."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        end_processes(self._process.pid)
        return self._process.wait()

    def _look(self, limit: int) -> None:
        """Note how much memory is held, and raise where that is too much."""
        held = memory_of(self._process.pid) - self._baseline
        if held > limit:
            held = exact_memory_of(self._process.pid) - self._baseline
        self.peak_bytes = max(self.peak_bytes or 0, held)
        if held > limit:
            raise TooMuchMemoryError


def _handed_on(pipe: Connection) -> dict[str, Any]:
    """Return the options with which a process that is started gets an end of a pipe."""
    number = pipe.fileno()
    if sys.platform == "win32":
        os.set_handle_inheritable(number, True)
        return {"close_fds": False}
    return {"pass_fds": [number], "start_new_session": True}


_children: weakref.WeakSet[GuardedChild] = weakref.WeakSet()
_idle: list[GuardedChild] = []
_lock = threading.Lock()


@functools.cache
def _end_children_at_exit() -> None:
    atexit.register(_end_children)


def _end_children() -> None:
    end_kept_children()
    for child in list(_children):
        child.end()


def take_child() -> GuardedChild:
    """Return a child that was kept and would find what a new one finds, or a new one."""
    here = Surroundings.here()
    while True:
        with _lock:
            child = _idle.pop() if _idle else None
        if child is None:
            return GuardedChild(here)
        if child.is_alive and child.surroundings == here:
            child.is_reused = True
            return child
        child.end(is_kept=True)


def keep_child(child: GuardedChild) -> None:
    """Keep a child that waits for work until the next one is needed, or this process ends."""
    child.unload()
    with _lock:
        _idle.append(child)


def end_kept_children() -> None:
    """End the children that are kept."""
    with _lock:
        children = _idle.copy()
        _idle.clear()
    for child in children:
        child.end(is_kept=True)
