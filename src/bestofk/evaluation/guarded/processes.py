"""Processes of guarded runs: a template that forks keepers, keepers that fork children, children.

A child gets pickled jobs and sends pickled records.
"""

import atexit
import ctypes
import gc
import importlib
import os
import pickle
import signal
import sys
import time
import traceback
from contextlib import suppress
from errno import EMFILE
from multiprocessing import reduction
from typing import Any

import cloudpickle
import numpy as np
import psutil
from sklearn.dummy import DummyClassifier

from bestofk.data import from_arrays
from bestofk.evaluation.batched_fit import BlockPredictions
from bestofk.evaluation.guarded.child import FAILED, UNSAFE
from bestofk.evaluation.guarded.process_tree import end_descendants, end_with
from bestofk.evaluation.guarded.resources import (
    above_limit,
    are_descriptors_taken,
    limited_memory,
    memory_limit,
)
from bestofk.evaluation.guarded.surroundings import Surroundings
from bestofk.evaluation.guarded.threads import hold_to_one_thread
from bestofk.evaluation.identity.requirements import requirements_of
from bestofk.evaluation.queue.worker import Block, Job, load_payload
from bestofk.evaluation.record import RunRecord
from bestofk.evaluation.run import run_one, runs_here
from bestofk.evaluation.run_table import RunTable
from bestofk.evaluation.status import ERROR, MEMORY
from bestofk.learners.learner import Learner
from bestofk.resampling import make_plan

if sys.platform == "win32":
    from multiprocessing.connection import PipeConnection as Connection
else:
    from multiprocessing.connection import Connection

_LOOK_SECONDS = 0.25  # between two looks whether the parent is there
_IDLE_SECONDS = 300.0  # after which a template without keepers ends
_DEATH_SIGNAL, _SUBREAPER = 1, 36  # options of prctl


def main() -> None:
    """Do what was asked for; what learners print goes to standard error."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C means
    number, parent, payload = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    pipe = Connection(number)
    os.dup2(2, 1)
    if payload:
        end_with(parent)
        _serve(load_payload(payload), pipe)
    else:
        _be_template(pipe, parent)


def _be_template(pipe: Connection, parent: int) -> None:
    """Fork keepers, until the parent ends or for long asks for none."""
    with runs_here():  # a first run imports and looks up what the others find
        data = from_arrays(np.arange(8.0).reshape(4, 2), np.arange(4) % 2)
        split = make_plan(data, "1x2").split(0, 0)
        run_one(Learner("first", DummyClassifier()), data, split, seed=0)
    hold_to_one_thread()
    requirements_of([])
    gc.collect()
    last_asked = time.monotonic()
    with suppress(EOFError, ConnectionError):  # the parent may end at any moment
        while os.getppid() == parent:
            if pipe.poll(_LOOK_SECONDS):
                _fork_keeper(pipe)
                last_asked = time.monotonic()
            elif not _has_children() and time.monotonic() > last_asked + _IDLE_SECONDS:
                break
    for keeper in psutil.Process().children():
        with suppress(psutil.Error):
            keeper.terminate()
    while _has_children():
        time.sleep(0.01)
    os._exit(0)


def _fork_keeper(pipe: Connection) -> None:
    surroundings, modules, payload, is_bare = pickle.loads(pipe.recv_bytes())
    numbers = [reduction.recv_handle(pipe) for _ in range(2)]
    for name in modules:
        if name not in sys.modules:
            with suppress(ImportError):  # of this process alone
                importlib.import_module(name)
    gc.freeze()  # pages that the collector leaves alone stay shared
    template = os.getpid()
    if not os.fork():
        pipe.close()
        _end_by(signal.SIGTERM, template)
        for number in (1, 2):
            os.dup2(numbers[1], number)
        os.close(numbers[1])
        _keep(Connection(numbers[0]), surroundings, payload, is_bare=is_bare)
    for number in numbers:
        os.close(number)


def _keep(pipe: Connection, surroundings: Surroundings, path: str, *, is_bare: bool) -> None:
    """Fork one child after another, end what each of them leaves behind, and never return."""
    _prctl(_SUBREAPER, 1)
    signal.signal(signal.SIGTERM, _end_all)
    try:
        surroundings.take_over()
        payload = None if is_bare else load_payload(path)
    except BaseException:
        if not pipe.poll():  # else nothing waits for it any more
            traceback.print_exc()
        _send(pipe, FAILED)
        _end_all()
    _send(pipe, os.getpid() if len(os.listdir("/proc/self/task")) == 1 else UNSAFE)
    gc.freeze()
    keeper = os.getpid()
    with suppress(EOFError, ConnectionError):
        while pipe.recv_bytes():
            number = reduction.recv_handle(pipe)
            child = os.fork()
            if not child:
                pipe.close()
                signal.signal(signal.SIGTERM, signal.SIG_DFL)
                _end_by(signal.SIGKILL, keeper)
                _be_child(payload, path, Connection(number))
            os.close(number)
            _send(pipe, child)
            _send(pipe, _code_of(child))
    _end_all()


def _be_child(payload: Any, path: str, pipe: Connection) -> None:
    """Serve, and put away what learners have left to be put away."""
    code = 1
    try:
        os.setsid()
        _serve(payload or load_payload(path), pipe)
        atexit._run_exitfuncs()
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _code_of(child: int) -> int:
    """Wait until a child has ended, end what it has left, and return its exit code."""
    while (ended := os.waitpid(-1, 0))[0] != child:
        pass  # it has left a process that ended
    end_descendants()
    return os.waitstatus_to_exitcode(ended[1])


def _end_all(*_: Any) -> None:
    end_descendants()
    os._exit(1)


def _has_children() -> bool:
    """Return whether there are any, and forget those that have ended."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
        return True
    return False


def _end_by(number: signal.Signals, parent: int) -> None:
    """Let the end of the parent send a signal to this process."""
    _prctl(_DEATH_SIGNAL, number)
    if os.getppid() != parent:
        os._exit(1)


def _prctl(option: int, value: int) -> None:
    ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _send(pipe: Connection, number: int) -> None:
    with suppress(OSError):  # the parent may have ended
        pipe.send_bytes(pickle.dumps(number))


def _serve(payload: Any, pipe: Connection) -> None:
    """Do the jobs of one learner, until no more are wanted."""
    with suppress(EOFError, ConnectionError):  # the parent may have ended
        pipe.send_bytes(b"ready")
        limit = pickle.loads(pipe.recv_bytes())
        number = 0
        with runs_here(), limited_memory(limit) as used:
            while (jobs := pickle.loads(pipe.recv_bytes())) is not None:
                for job in jobs:
                    number += 1
                    answer = _answer(payload, job)
                    is_first = number == 1 and not isinstance(job, Block)
                    if not is_first and are_descriptors_taken():  # by runs before, perhaps
                        answer = _cannot_go_on(OSError(EMFILE, os.strerror(EMFILE)))
                    pipe.send_bytes(_pickled((number, used(), answer)))
        _end_workers_of_joblib()


def _answer(payload: Any, job: Any) -> Any:
    nan = float("nan")
    try:
        answer = payload.answer(job)
    except KeyboardInterrupt:  # raised by the learner: Ctrl-C does not get here
        if not isinstance(job, Job):
            raise
        answer = RunRecord(ERROR, None, nan, nan, message="the run raised KeyboardInterrupt")
    except MemoryError:  # raised after the learner's own
        limit = memory_limit()
        if limit is None or not isinstance(job, Job):
            raise
        answer = RunRecord(MEMORY, None, nan, nan, message=above_limit(limit, None))
    except OSError as error:  # likewise
        return _cannot_go_on(error)
    if isinstance(answer, RunTable):
        answer.mark(is_isolated=True)
    elif isinstance(answer, RunRecord | BlockPredictions):
        answer = answer._replace(is_isolated=True)
    return answer


def _cannot_go_on(error: OSError) -> ChildProcessError:
    return ChildProcessError(f"the process of the run cannot go on: {error}")


def _pickled(answer: tuple[int, int, Any]) -> bytes:
    """Return an answer as bytes; a fitted learner may be of a class that has no file."""
    is_record = isinstance(answer[2], RunRecord)
    return pickle.dumps(answer, protocol=5) if is_record else cloudpickle.dumps(answer)


def _end_workers_of_joblib() -> None:
    """End those that joblib keeps, which leave warnings behind where they are killed."""
    if "joblib.externals.loky.reusable_executor" in sys.modules:
        from joblib.externals.loky import reusable_executor

        if (executor := reusable_executor._executor) is not None:
            executor.shutdown(wait=True, kill_workers=True)
