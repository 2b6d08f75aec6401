"""Guarded processes, which end runs that take too long and survive runs that crash.

The guarded process is a plain Python that reads pickled work from its standard input and
writes pickled records to its standard output; it can be ended at any moment.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from bestofk.errors import RunError
from bestofk.evaluation.interrupt import held_interrupts
from bestofk.evaluation.record import ERROR, TIMEOUT, RunRecord

_LENGTH = struct.Struct("<Q")
_START_SECONDS = 120.0
_LONGEST_WAIT = 86_400.0  # seconds; the system takes no wait of any length
_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class GuardedProcess:
    """A process that runs one split after another and may be ended at any moment.

    Parameters
    ----------
    payload : Path
        File with the pickled data set, plan and learners.

    Notes
    -----
    Ending a run costs the process; the next run starts a new one.
    """

    def __init__(self, payload: Path) -> None:
        self._payload = payload
        self._process: subprocess.Popen[bytes] | None = None
        self._is_ready = False
        self._n_jobs = 0  # asked for so far; every answer carries the number of its job

    def run(self, job: Any, *, timeout: float | None) -> RunRecord:
        """Run one job, for at most `timeout` seconds.

        Returns
        -------
        RunRecord
            With status ``"timeout"`` if time ran out, ``"error"`` if the process died.
        """
        self.wait()
        start = time.perf_counter()
        nan = float("nan")
        try:
            record: RunRecord = self.answer(job, timeout=timeout)
        except TimeoutError:
            seconds = time.perf_counter() - start
            message = f"ended after {timeout:g} seconds (timeout)"
            return RunRecord(TIMEOUT, None, seconds, nan, message=message)
        except ChildProcessError as death:
            return RunRecord(ERROR, None, nan, nan, message=str(death))
        return record

    def answer(self, job: Any, *, timeout: float | None) -> Any:
        """Do a job, a run or whole repeats, and return what it gives.

        Raises
        ------
        TimeoutError
            If it takes longer than `timeout` seconds; the process is ended.
        ChildProcessError
            If the process dies, the message says how; or if it answers twice.
        """
        import cloudpickle

        process = self.wait()
        try:
            deadline = None if timeout is None else time.monotonic() + timeout
            self._n_jobs += 1
            send(process.stdin, cloudpickle.dumps((self._n_jobs, job)))
            number, answer = cloudpickle.loads(receive(process.stdout, deadline))
        except TimeoutError:
            self.close()
            raise
        except (EOFError, OSError):
            raise ChildProcessError(f"the process of the run died ({self._ending()})") from None
        if number != self._n_jobs:
            self.close()
            raise ChildProcessError(
                f"the process of the run must answer once; got a second answer to run {number} of "
                f"it in place of one to run {self._n_jobs}"
            )
        return answer

    def _ending(self) -> str:
        """Say how the process died, and forget it."""
        assert self._process is not None
        code = self._process.wait()
        self.close()
        return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(OSError):
            process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                pipe.close()  # type: ignore[union-attr]

    def __del__(self) -> None:
        self.close()

    def wait(self, seconds: float = _START_SECONDS) -> subprocess.Popen[bytes]:
        """Wait until the process is there, which is no part of the time of a run.

        Raises
        ------
        TimeoutError
            If it is not there after so many seconds.
        RunError
            If it dies before it is there.
        """
        process = self.begin()
        if not self._is_ready:
            try:
                receive(process.stdout, time.monotonic() + seconds)
            except EOFError:
                raise RunError(
                    f"the process of guarded runs must load data and learners; it died "
                    f"({self._ending()}), and standard error says why. Use learners that can be "
                    "pickled, or leave out the limit of time."
                ) from None
            self._is_ready = True
        return process

    def is_there(self) -> bool:
        """Return whether the process was started and waits for work, without waiting for it."""
        if self._process is None or self._is_ready:
            return self._process is not None
        assert self._process.stdout is not None
        if select.select([self._process.stdout], [], [], 0)[0]:
            with contextlib.suppress(RunError):  # told to whoever needs the process
                self.wait()
        return self._process is not None and self._is_ready

    def begin(self) -> subprocess.Popen[bytes]:
        """Start the process, if there is none, without waiting for it."""
        if self._process is not None:
            return self._process
        self._is_ready = False
        environment = os.environ | dict.fromkeys(_THREAD_VARIABLES, "1")
        paths = [path or os.getcwd() for path in sys.path]
        environment["PYTHONPATH"] = os.pathsep.join(paths)
        with held_interrupts():
            self._process = subprocess.Popen(
                [sys.executable, "-m", "bestofk.evaluation", str(self._payload), str(os.getpid())],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=environment,
            )
        return self._process


def send(pipe: Any, message: bytes) -> None:
    """Write a message with its length in front."""
    pipe.write(_LENGTH.pack(len(message)) + message)
    pipe.flush()


def receive(pipe: Any, deadline: float | None) -> bytes:
    """Read a message; raise TimeoutError at the deadline, EOFError where the other end died."""
    (length,) = _LENGTH.unpack(_read(pipe, _LENGTH.size, deadline))
    return _read(pipe, length, deadline)


def _read(pipe: Any, size: int, deadline: float | None) -> bytes:
    parts, handle = [], pipe.fileno()
    while size:
        if deadline is not None:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            if not select.select([handle], [], [], min(left, _LONGEST_WAIT))[0]:
                continue
        part = os.read(handle, min(size, 1 << 20))
        if not part:
            raise EOFError
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
