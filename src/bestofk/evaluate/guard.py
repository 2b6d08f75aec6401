"""How is a run ended that takes too long, or that kills its process: by giving it one of its own.

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

from bestofk.evaluate.interrupt import held_interrupts
from bestofk.evaluate.record import ERROR, TIMEOUT, RunRecord

_LENGTH = struct.Struct("<Q")
_START_SECONDS = 120.0
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

    def run(self, job: Any, *, timeout: float | None) -> RunRecord:
        """Run one job, for at most `timeout` seconds.

        Returns
        -------
        RunRecord
            With status ``"timeout"`` if time ran out, ``"error"`` if the process died.
        """
        import cloudpickle

        process = self._process or self._start()
        start = time.perf_counter()
        nan = float("nan")
        try:
            deadline = None if timeout is None else time.monotonic() + timeout
            send(process.stdin, cloudpickle.dumps(job))
            answer = receive(process.stdout, deadline)
        except TimeoutError:
            self.close()
            seconds = time.perf_counter() - start
            message = f"ended after {timeout:g} seconds (timeout)"
            return RunRecord(TIMEOUT, None, seconds, nan, message=message)
        except (EOFError, OSError):
            code = process.wait()
            self.close()
            ending = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
            message = f"the process of the run died ({ending})"
            return RunRecord(ERROR, None, nan, nan, message=message)
        record: RunRecord = cloudpickle.loads(answer)
        return record

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

    def _start(self) -> subprocess.Popen[bytes]:
        environment = os.environ | dict.fromkeys(_THREAD_VARIABLES, "1")
        paths = [path or os.getcwd() for path in sys.path]
        environment["PYTHONPATH"] = os.pathsep.join(paths)
        with held_interrupts():
            self._process = subprocess.Popen(
                [sys.executable, "-m", "bestofk.evaluate", str(self._payload)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=environment,
            )
        # the start is not part of the first run's time
        receive(self._process.stdout, time.monotonic() + _START_SECONDS)
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
            if left <= 0 or not select.select([handle], [], [], left)[0]:
                raise TimeoutError
        part = os.read(handle, min(size, 1 << 20))
        if not part:
            raise EOFError
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
