"""Main loop of a guarded process: pickled jobs in, pickled records out."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
from contextlib import suppress
from typing import Any

import cloudpickle

from bestofk.evaluation.memory import above_limit, limited_memory, memory_limit
from bestofk.evaluation.parent import end_with
from bestofk.evaluation.process_tree import end_processes, helpers_of, memory_of
from bestofk.evaluation.record import ERROR, MEMORY, RunRecord
from bestofk.evaluation.run import runs_here
from bestofk.evaluation.unchanged import ImportedFiles, Surroundings
from bestofk.evaluation.worker import Job, Payload, load_payload

if sys.platform == "win32":
    from multiprocessing.connection import PipeConnection as Connection
else:
    from multiprocessing.connection import Connection

_IDLE_SECONDS = 300.0  # after which a process that has nothing to do ends
_LEFT_BYTES = 300_000_000  # that payloads and modules may leave behind; with more it ends


def main() -> None:
    """Serve one payload after another; what learners print goes to standard error."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C means
    pipe_number, parent, start_ns = map(int, sys.argv[1:])
    end_with(parent)
    pipe = Connection(pipe_number)
    os.dup2(2, 1)
    files = ImportedFiles(start_ns)
    here, n_bytes = Surroundings.here(), memory_of(os.getpid())
    with suppress(EOFError, ConnectionError):  # the parent may end at any moment
        while pipe.poll(_IDLE_SECONDS):
            path, limit = pickle.loads(pipe.recv_bytes())
            if files.have_changed():
                break
            files.note()  # what is imported from now on was not written before
            _serve(path, limit, pipe)
            files.note()
            _forget()
            if Surroundings.here() != here or _is_used_up(n_bytes):
                break
    end_processes(os.getpid(), spared=os.getpid())


def _serve(path: str, limit: int | None, pipe: Connection) -> None:
    """Load a payload and do its jobs, until it is not needed any more."""
    payload = load_payload(path)
    pipe.send_bytes(b"ready")
    number = 0
    with runs_here(), limited_memory(limit) as used:
        while (jobs := pickle.loads(pipe.recv_bytes())) is not None:
            for job in jobs:
                number += 1
                answer = _answer(payload, job)
                pipe.send_bytes(_pickled((number, used(), answer)))


def _answer(payload: Payload, job: Any) -> Any:
    try:
        return payload.answer(job)
    except KeyboardInterrupt:  # raised by the learner: Ctrl-C does not get here
        if not isinstance(job, Job):
            raise
        nan = float("nan")
        return RunRecord(ERROR, None, nan, nan, message="the run raised KeyboardInterrupt")
    except MemoryError:  # raised after the learner's own
        limit = memory_limit()
        if limit is None or not isinstance(job, Job):
            raise
        nan = float("nan")
        return RunRecord(MEMORY, None, nan, nan, message=above_limit(limit, None))


def _pickled(answer: tuple[int, int, Any]) -> bytes:
    """Return an answer as bytes; a fitted learner may be of a class that has no file."""
    is_record = isinstance(answer[2], RunRecord)
    return pickle.dumps(answer, protocol=5) if is_record else cloudpickle.dumps(answer)


def _forget() -> None:
    """Free what was loaded; classes without a file are made anew when they come again."""
    sys.stdout.flush()
    if helpers_of(os.getpid()):  # perhaps workers that joblib keeps
        from joblib.externals.loky import get_reusable_executor

        get_reusable_executor(reuse=True).shutdown(wait=True, kill_workers=True)
    gc.collect()
    cloudpickle.cloudpickle._DYNAMIC_CLASS_TRACKER_BY_ID.clear()


def _is_used_up(n_bytes: int) -> bool:
    """Return whether a payload left processes behind, or much memory."""
    process = os.getpid()
    return bool(helpers_of(process)) or memory_of(process) > n_bytes + _LEFT_BYTES


if __name__ == "__main__":
    main()
