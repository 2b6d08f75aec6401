"""Independent tasks on an engine: one function, and many small arguments."""

import io
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import sklearn

from bestofk.errors import RunError
from bestofk.evaluation.engines.choice import check_engine, started_engine, uses_engine
from bestofk.evaluation.engines.engine import LOST, Engine
from bestofk.evaluation.guarded.guard import GuardedProcess
from bestofk.evaluation.guarded.threads import one_thread
from bestofk.evaluation.queue.worker import BlobFile, held_payload, write_payload

_TRIES = 4  # of a task whose worker ends
_LOOK_SECONDS = 0.25  # so often Ctrl-C is seen where a client of Dask waits
_MOST_TASKS = 1000  # of a block, however short they are

_at_work = threading.Lock()  # tasks seed the global generators of their process


def done_tasks(
    function: Callable[[Any], Any],
    tasks: Iterable[Any],
    *,
    engine: Any,
    n_jobs: int | None,
    estimators: Sequence[Any],
) -> Iterator[tuple[Any, Any]]:
    """Call a function with every task, and yield each task with its result when it is ready.

    Parameters
    ----------
    function : callable
        Takes a task; its result depends on nothing else.
    tasks : iterable
        Small, and can be hashed and pickled.
    engine, n_jobs
        As for `bestofk.compare`.
    estimators : sequence
        Learners whose packages and files workers must have alike.

    Yields
    ------
    tuple of (task, result)
        In the order of the tasks where all is done in this process, in any order elsewhere.

    Raises
    ------
    InvalidArgumentError
        If there is no such engine.
    RunError
        If the workers of a task end again and again, or have other versions.
    Exception
        Whatever the function raises.

    Examples
    --------
    >>> list(done_tasks(abs, [-2, 3], engine="serial", n_jobs=None, estimators=[]))
    [(-2, 2), (3, 3)]
    """
    check_engine(engine, n_jobs)
    waiting = deque(tasks)
    if not uses_engine(engine, n_jobs) or not waiting:
        for task in waiting:
            with one_thread():
                result = function(task)
            yield task, result
        return
    with closing(started_engine(engine, n_jobs)) as started:
        yield from _handed_out(function, waiting, started, estimators)


@dataclass(frozen=True, eq=False)
class Tasks:
    """Function and learners that workers need for tasks.

    Parameters
    ----------
    function : callable
        Takes a task.
    estimators : list
        Learners whose packages and files workers must have alike.
    settings : dict
        Those of scikit-learn.
    """

    function: Callable[[Any], Any]
    estimators: list[Any]
    settings: dict[str, Any] = field(default_factory=sklearn.get_config)

    def answer(self, block: Sequence[Any]) -> tuple[list[Any] | Exception, float]:
        """Return the results of tasks, or the error of one of them, and their seconds."""
        start = time.perf_counter()
        try:
            results = [self.function(task) for task in block]
        except Exception as error:
            return error, 0.0
        return results, time.perf_counter() - start


def _handed_out(
    function: Callable[[Any], Any], waiting: deque[Any], engine: Engine, estimators: Sequence[Any]
) -> Iterator[tuple[Any, Any]]:
    file = io.BytesIO()
    write_payload(Tasks(function, list(estimators)), file)
    ref = engine.put(file.getvalue())
    size, n_in_hand, losses = 1, 0, Counter[Any]()
    while waiting or n_in_hand:
        while waiting and n_in_hand < engine.n_slots:
            block = [waiting.popleft() for _ in range(min(size, len(waiting)))]
            engine.submit(do_tasks, ref, block)
            n_in_hand += 1
        for block, result in engine.wait(_LOOK_SECONDS):
            n_in_hand -= 1
            if result is LOST:
                losses.update(block)
                _check_losses(losses)
                waiting += block
                continue
            results, seconds = result
            wanted_size = engine.block_seconds * len(block) / max(seconds, 1e-6)
            size = max(1, min(int(wanted_size), _MOST_TASKS))
            yield from zip(block, results, strict=True)


def _check_losses(losses: Counter[Any]) -> None:
    task, n_losses = losses.most_common(1)[0]
    if n_losses == _TRIES:
        raise RunError(
            f"workers must live until a task is done; they ended {_TRIES} times in task {task}. "
            "Use fewer of them if memory is short, and leave out learners that crash."
        )


def do_tasks(
    blob: bytes | BlobFile | GuardedProcess, block: Sequence[Any]
) -> tuple[list[Any], float]:
    """Do tasks in a worker; return their results, and the seconds without reading time.

    Raises
    ------
    WorkerRefusedError
        If this worker has other versions than the process that hands out tasks.
    BlobMissingError
        If the file is not to be had here.
    """
    if isinstance(blob, GuardedProcess):
        try:
            results, seconds = blob.answer(block, timeout=None)
        except ChildProcessError as death:
            raise BrokenExecutor(str(death)) from None
    else:
        with _at_work, one_thread():
            tasks = held_payload(blob)
            with sklearn.config_context(**tasks.settings):
                results, seconds = tasks.answer(block)
    if isinstance(results, Exception):
        raise results
    return results, seconds
