"""Children that do the jobs of one learner in one call, and can be ended any moment.

On Linux they are forked: a *template*, one for this process, is a plain Python that has imported
scikit-learn and has a single thread.  A *keeper* is forked from it for every payload, loads the
payload, forks one child after another, and ends whatever a child has started.  Where a fork is
not safe, each child is a Python of its own that loads the payload.
"""

from __future__ import annotations

import atexit
import functools
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing import Pipe, reduction
from multiprocessing.connection import Connection
from typing import Any

from bestofk.evaluation.guarded.interrupt import held_interrupts
from bestofk.evaluation.guarded.process_tree import end_processes, exact_memory_of, memory_of
from bestofk.evaluation.guarded.processor_time import own_processes
from bestofk.evaluation.guarded.surroundings import Surroundings

CAN_FORK = sys.platform == "linux"
# Every turn of a learner starts a process for it: so long are turns, as far as there is work.
TURN_SECONDS = 1.0 if CAN_FORK else 15.0
_PROCESSES = "bestofk.evaluation.guarded.processes"
UNSAFE, FAILED = -2, -1  # sent in place of the number of a keeper: it has threads, or no payload
LONGEST_WAIT = 1e6  # seconds; the system takes no wait of any length
_LOOK_SECONDS = 0.1  # between two looks at the memory of a child, or whether it is there
_LOOK_SHARE = 0.02  # of the time may go into looks at the memory
START_SECONDS = 120.0  # that a process may take until it has loaded a payload
_ENDING_SECONDS = 5.0  # that a child may take to end by itself
_KILLED = -9  # also where nothing says what ended a process
# Modules that the template imports where this process has: they have no state of a learner.
_PRELOADED = (
    "sklearn.", "bestofk.learners", "bestofk.trees", "bestofk.batched", "bestofk.tuning"
)  # fmt: skip


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
        self.was_killed = code == _KILLED


class TooMuchMemoryError(Exception):
    """The child and what it started hold more memory than the limit."""


class StartedProcess:
    """A Python that is started for one child, or as the template of others.

    Parameters
    ----------
    payload : str, default=""
        The file that a child loads; empty for a template.

    Attributes
    ----------
    pipe : Connection
        This end of the pipe through which it gets jobs and sends answers.
    root : int
        Number of a process that it and all that it starts descend from.
    is_ready : bool
        Whether it has said so.
    """

    is_ready = False

    def __init__(self, payload: str = "") -> None:
        self.pipe, theirs = Pipe()
        with held_interrupts(), theirs:
            arguments = [str(theirs.fileno()), str(os.getpid()), payload]
            self._process = Surroundings.here().start(_PROCESSES, arguments, **_handed_on(theirs))
        self.root = self._process.pid
        own_processes.add(self.root)
        _end_all_at_exit()
        _started.add(self)

    def poll(self) -> int | None:
        """Return the exit code once the process has ended."""
        return self._process.poll()

    def end(self, seconds: float) -> int:
        """End it, and what it started, unless it ends within some seconds; return its code."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        end_processes(self.root)
        return self._process.wait()


class ForkedProcess:
    """A process that a keeper was asked to fork.

    Parameters
    ----------
    keeper : Keeper
        Ends with it whatever it starts.
    pipe : Connection
        This end of its pipe; attributes are those of a `StartedProcess`.
    """

    is_ready = False

    def __init__(self, keeper: Keeper, pipe: Connection) -> None:
        self.pipe, self._keeper, self.root = pipe, keeper, keeper.number
        self._code: int | None = None
        self._number = keeper.received()

    def poll(self) -> int | None:
        """Return the exit code once the process has ended, and with it what it started."""
        if self._code is None and self._keeper.pipe.poll():
            self._code = self._keeper.received()
        return self._code

    def end(self, seconds: float) -> int:
        """End it, and what it started, unless it ends within some seconds; return its code."""
        if self._code is None and not self._keeper.pipe.poll(seconds) and self._number > 0:
            with suppress(ProcessLookupError):
                os.kill(self._number, signal.SIGKILL)
            self._keeper.pipe.poll(None)
        return self.poll() or 0


def _wait_until_ready(process: StartedProcess | ForkedProcess, seconds: float) -> None:
    """Wait until a process is ready for jobs, which it says once.

    Raises
    ------
    TimeoutError
        If it is not after so many seconds.
    ChildDiedError
        If it has died.
    """
    if not process.pipe.poll(seconds):
        raise TimeoutError
    try:
        process.pipe.recv_bytes()
    except (EOFError, OSError):
        raise ChildDiedError(process.end(_ENDING_SECONDS)) from None
    process.is_ready = True


class Starter:
    """Every child is a Python of its own, where a fork is not safe.

    Parameters
    ----------
    payload : str
        File with the payload.
    """

    def __init__(self, payload: str) -> None:
        self._payload = payload
        self._first: StartedProcess | None = StartedProcess(payload)
        self._last = self._first

    def is_there(self) -> bool:
        """Return whether the first child is there."""
        return self._first is None or self._first.is_ready or self._first.pipe.poll()

    def wait(self, seconds: float) -> None:
        """Wait for the first child, as `Keeper.wait` does."""
        if self._first is not None and not self._first.is_ready:
            _wait_until_ready(self._first, seconds)

    def child(self) -> StartedProcess | ForkedProcess:
        """Return the first child, and others later on."""
        self._last, self._first = self._first or StartedProcess(self._payload), None
        return self._last

    def abandon(self) -> None:
        """End the last child; those before have ended."""
        end_processes(self._last.root)

    def close(self) -> None:
        """End the first child if nothing asked for it."""
        if self._first is not None:
            self._first.end(0.0)


class Keeper:
    """A process that has loaded a payload and forks children.

    Parameters
    ----------
    payload : str
        File with the payload.
    """

    def __init__(self, payload: str) -> None:
        self._payload = payload
        self.number = 0
        self.pipe = _forked(payload, is_bare=False)

    def is_there(self) -> bool:
        """Return whether the payload is loaded, or is known not to be."""
        return bool(self.number) or self.pipe.poll()

    def wait(self, seconds: float) -> None:
        """Wait until the payload is loaded.

        A keeper in which the code of a learner has begun threads is replaced by one that leaves
        the loading to its children.

        Raises
        ------
        TimeoutError
            If it is not after so many seconds.
        ChildDiedError
            If it cannot be.
        """
        end = time.monotonic() + seconds
        while not self.number:
            if not self.pipe.poll(max(0.0, end - time.monotonic())):
                raise TimeoutError
            answer = self.received()
            if answer == UNSAFE:
                self.pipe.close()
                self.pipe = _forked(self._payload, is_bare=True)
            elif answer < 0:
                raise ChildDiedError(1 if answer == FAILED else _KILLED)
            else:
                self.number = answer

    def received(self) -> int:
        """Return the number that the process sends, as if it was killed where it has ended."""
        try:
            return int(pickle.loads(self.pipe.recv_bytes()))
        except (EOFError, OSError):
            return _KILLED

    def child(self) -> StartedProcess | ForkedProcess:
        """Return a process that has just been forked."""
        ours, theirs = Pipe()
        with theirs, suppress(OSError):  # one that has died sends no number
            self.pipe.send_bytes(b"fork")
            reduction.send_handle(self.pipe, theirs.fileno(), None)
        return ForkedProcess(self, ours)

    def abandon(self) -> None:
        """End it, which ends its children."""
        with suppress(OSError), socket.socket(fileno=os.dup(self.pipe.fileno())) as wire:
            wire.shutdown(socket.SHUT_RDWR)  # it may load, or wait for what to do
        if self.number:
            with suppress(ProcessLookupError):
                os.kill(self.number, signal.SIGTERM)

    def close(self) -> None:
        """Let it end."""
        self.pipe.close()


class GuardedChild:
    """A process that does jobs of one learner, one after another.

    Parameters
    ----------
    process : StartedProcess or ForkedProcess
        Has done nothing yet.
    n_bytes : int or None
        The limit of memory of every job.
    """

    def __init__(self, process: StartedProcess | ForkedProcess, n_bytes: int | None) -> None:
        self._process, self._n_bytes = process, n_bytes
        self._owner = os.getpid()
        self.is_ended = False
        self.n_answers = self.n_asked = 0
        self.used_bytes = 0  # of the limit of memory, by the jobs that were answered
        self.peak_bytes: int | None = None  # of the job under way, as far as it was looked at
        self._next_look = 0.0
        if not process.is_ready:
            _wait_until_ready(process, START_SECONDS)
        self._send(n_bytes)
        if n_bytes is not None:
            self._baseline = memory_of(process.root)
            self._exact_baseline = exact_memory_of(process.root)

    @property
    def is_busy(self) -> bool:
        """Whether there are answers to come."""
        return self.n_answers < self.n_asked

    @property
    def is_alive(self) -> bool:
        """Whether the process is there and is one of this process, not of one that forked it."""
        return self._owner == os.getpid() and self._process.poll() is None

    def ask(self, jobs: Sequence[Any]) -> None:
        """Send jobs that are to be answered in turn."""
        self.n_asked += len(jobs)
        self._send(list(jobs))

    def answer(self, seconds: float | None) -> Any:
        """Return the next answer.

        Raises
        ------
        TimeoutError
            If it takes longer than so many seconds.
        TooMuchMemoryError
            If the child was seen to hold more memory than the limit.
        ChildProcessError
            If it dies, cannot go on, or answers a job twice; `ChildDiedError` if it dies.
        """
        self.peak_bytes = None
        number, used_bytes, answer = pickle.loads(self._receive(seconds))
        self.used_bytes = used_bytes
        self.n_answers += 1
        if number != self.n_answers:
            raise ChildProcessError(
                f"the process of the run must answer once; got a second answer to run {number} of "
                f"it in place of one to run {self.n_answers}"
            )
        if isinstance(answer, ChildProcessError):
            raise answer
        return answer

    def end(self) -> None:
        """End the child and what it started; one that is not busy may put things away before."""
        if self.is_ended or self._owner != os.getpid():
            return
        self.is_ended = True
        if not self.is_busy:
            self._send(None)
        self._process.end(0.0 if self.is_busy else _ENDING_SECONDS)
        self._process.pipe.close()

    def _send(self, message: Any) -> None:
        with suppress(OSError):  # a child that has died is noticed where its answer is waited for
            self._process.pipe.send_bytes(pickle.dumps(message))

    def _receive(self, seconds: float | None) -> bytes:
        start, pipe = time.monotonic(), self._process.pipe
        longest = min(seconds or LONGEST_WAIT, LONGEST_WAIT)
        try:
            while True:
                left = start + longest - time.monotonic()
                if pipe.poll(max(0.0, min(left, _LOOK_SECONDS))):
                    return pipe.recv_bytes()
                # a process that a learner forked may hold the other end of the pipe
                if self._process.poll() is not None and not pipe.poll():
                    raise EOFError
                if self._n_bytes is not None:
                    self._look(self._n_bytes)
                if left <= 0 and seconds is not None:
                    raise TimeoutError
        except (EOFError, OSError) as error:
            if isinstance(error, TimeoutError):
                raise
            raise ChildDiedError(self._process.end(_ENDING_SECONDS)) from None

    def _look(self, limit: int) -> None:
        """Note how much memory is held, and raise where that is too much."""
        start = time.monotonic()
        if start < self._next_look:
            return
        held = memory_of(self._process.root) - self._baseline
        if held > limit:
            held = exact_memory_of(self._process.root) - self._exact_baseline
        self.peak_bytes = max(self.peak_bytes or 0, held)
        if held > limit:
            raise TooMuchMemoryError
        now = time.monotonic()
        self._next_look = now + (now - start) / _LOOK_SHARE


def _handed_on(pipe: Connection) -> dict[str, Any]:
    """Return the options with which a process that is started gets an end of a pipe."""
    number = pipe.fileno()
    if sys.platform == "win32":
        os.set_handle_inheritable(number, True)
        return {"close_fds": False}
    return {"pass_fds": [number], "start_new_session": True}


_started: weakref.WeakSet[StartedProcess] = weakref.WeakSet()
_templates: dict[int, StartedProcess] = {}  # by the process that has started it
_lock = threading.Lock()


@functools.cache
def _end_all_at_exit() -> None:
    atexit.register(_end_all)


def _end_all() -> None:
    for process in list(_started):
        process.pipe.close()
    for process in list(_started):
        process.end(_ENDING_SECONDS)


def _forked(payload: str, *, is_bare: bool) -> Connection:
    """Return the pipe of a keeper, which is forked from the template of this process."""
    modules = [name for name in tuple(sys.modules) if name.startswith(_PRELOADED)]
    request = pickle.dumps((Surroundings.here(), modules, payload, is_bare))
    ours, theirs = Pipe()
    try:
        messages = os.dup(2)
    except OSError:  # standard error is closed
        messages = os.open(os.devnull, os.O_WRONLY)
    with _lock, theirs:
        template = _templates.get(os.getpid())
        if template is None or template.poll() is not None:
            template = _templates[os.getpid()] = StartedProcess()
        with suppress(OSError):  # it has just ended, and so has the keeper for its caller
            template.pipe.send_bytes(request)
            reduction.send_handle(template.pipe, theirs.fileno(), None)
            reduction.send_handle(template.pipe, messages, None)
    os.close(messages)
    return ours


def source_of(payload: str) -> Keeper | Starter:
    """Return what gives processes that have loaded a payload, whose file is there."""
    return Keeper(payload) if CAN_FORK else Starter(payload)
