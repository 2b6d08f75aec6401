"""Guarded processes, which end runs that take too long and survive runs that crash.

The guarded process is a plain Python that gets pickled work through a pipe and answers with
pickled records; it can be ended at any moment.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

from bestofk.errors import RunError
from bestofk.evaluation.interrupt import held_interrupts
from bestofk.evaluation.record import ERROR, TIMEOUT, RunRecord

_START_SECONDS = 120.0
_LONGEST_WAIT = 1e6  # seconds; the system takes no wait of any length
_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class GuardedProcess:
    """A process that runs one split after another and may be ended at any moment.

    Parameters
    ----------
    payload : path
        File with the pickled data set, plan and learners.

    Notes
    -----
    Ending a run costs the process; the next run starts a new one.
    """

    def __init__(self, payload: str | os.PathLike[str]) -> None:
        self._payload = payload
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe: Connection | None = None
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

        pipe = self.wait()
        try:
            self._n_jobs += 1
            pipe.send_bytes(cloudpickle.dumps((self._n_jobs, job)))
            number, answer = cloudpickle.loads(_received(pipe, timeout))
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
        with suppress(OSError):
            process.kill()
        process.wait()
        if self._pipe is not None:
            self._pipe.close()

    def __del__(self) -> None:
        self.close()

    def wait(self, seconds: float = _START_SECONDS) -> Connection:
        """Wait until the process is there, which is no part of the time of a run.

        Returns
        -------
        Connection
            The pipe to it.

        Raises
        ------
        TimeoutError
            If it is not there after so many seconds.
        RunError
            If it dies before it is there.
        """
        pipe = self.begin()
        if not self._is_ready:
            try:
                _received(pipe, seconds)
            except EOFError:
                raise RunError(
                    f"the process of guarded runs must load data and learners; it died "
                    f"({self._ending()}), and standard error says why. Use learners that can be "
                    "pickled, or leave out the limit of time."
                ) from None
            self._is_ready = True
        return pipe

    def is_there(self) -> bool:
        """Return whether the process was started and waits for work, without waiting for it."""
        if self._pipe is not None and not self._is_ready and self._pipe.poll():
            with suppress(RunError):  # raised again where the process is needed
                self.wait()
        return self._process is not None and self._is_ready

    def begin(self) -> Connection:
        """Start the process, if there is none, without waiting for it."""
        if self._process is not None and self._pipe is not None:
            return self._pipe
        self._is_ready = False
        environment = os.environ | dict.fromkeys(_THREAD_VARIABLES, "1")
        paths = [path or os.getcwd() for path in sys.path]
        environment["PYTHONPATH"] = os.pathsep.join(paths)
        self._pipe, theirs = Pipe()
        numbers = [str(theirs.fileno()), str(os.getpid())]
        with held_interrupts(), theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "bestofk.evaluation", os.fspath(self._payload), *numbers],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env=environment,
            )
        return self._pipe


def _received(pipe: Connection, seconds: float | None) -> bytes:
    """Return a message; raise TimeoutError in the end, EOFError where the other end died."""
    if seconds is not None and not pipe.poll(min(seconds, _LONGEST_WAIT)):
        raise TimeoutError
    return pipe.recv_bytes()
