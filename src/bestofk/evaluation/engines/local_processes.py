"""Engine on processes of this machine, which are started anew where one dies."""

from __future__ import annotations

import functools
import os
import time
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future
from typing import Any

from bestofk.evaluation.engines.executors import ExecutorEngine
from bestofk.evaluation.interrupt import held_interrupts
from bestofk.evaluation.parent import end_with
from bestofk.evaluation.unchanged import Surroundings

_IDLE_SECONDS = 300  # after which a process that nothing is asked of ends
_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS",
     "VECLIB_MAXIMUM_THREADS", "BLIS_NUM_THREADS"),
    "1",
)  # fmt: skip
# Processes of earlier calls that serve the next one where it finds what they found, by the process
# that started them.
_idle: defaultdict[int, list[tuple[Surroundings, Any]]] = defaultdict(list)


class LocalProcesses(ExecutorEngine):
    """Blocks are done by processes that end with this one and serve later calls, too.

    Each is a pool of its own, so that its end costs no block of another.

    Parameters
    ----------
    n_workers : int
        Number of processes.
    """

    is_local = True

    def __init__(self, n_workers: int) -> None:
        super().__init__(None)
        self._surroundings = Surroundings.here()
        self._pools = [_pool(self._surroundings) for _ in range(n_workers)]
        self._pool_of: dict[Future[Any], int] = {}

    @property
    def n_slots(self) -> int:
        """Two blocks for every process."""
        return 2 * len(self._pools)

    def _submitted(self, function: Callable[[Any, Any], Any], ref: Any, block: Any) -> Future[Any]:
        self._pool_of = {task: index for task, index in self._pool_of.items() if not task.done()}
        in_hand = list(self._pool_of.values())
        index = min(range(len(self._pools)), key=in_hand.count)
        with held_interrupts():  # processes are started when they are needed
            try:
                future = self._pools[index].submit(function, ref, block)
            except BrokenExecutor:
                self._pools[index] = _started()
                future = self._pools[index].submit(function, ref, block)
        self._pool_of[future] = index
        result: Future[Any] = future
        return result

    def drop(self) -> None:
        """End the processes that are at work; others are started when they are needed."""
        at_work = {task: index for task, index in self._pool_of.items() if not task.done()}
        # The thread of a pool fails if the pool ends before the thread has read a block; it
        # reads two without waiting, as its queue holds three.
        while not all(task.running() or task.done() for task in at_work):
            time.sleep(0.001)
        for index in set(at_work.values()):
            self._pools[index].shutdown(wait=True, kill_workers=True)
            self._pools[index] = _started()
        super().drop()

    def close(self) -> None:
        """End the processes that are at work; idle ones wait for the next call."""
        super().close()
        _idle[os.getpid()] += [(self._surroundings, pool) for pool in self._pools]
        self._pools = []


@functools.cache
def _end_idle_at_exit(process: int) -> None:
    """See to it that a process ends its idle ones; it would wait until they end by themselves."""
    from multiprocessing.util import Finalize

    Finalize(None, _end_idle, args=(process,), exitpriority=100)


def _end_idle(process: int) -> None:
    for _, pool in _idle.pop(process, ()):
        pool.shutdown(wait=True, kill_workers=True)


def _pool(here: Surroundings) -> Any:
    """Return a pool of an earlier call that was started in the same surroundings, or a new one."""
    idle = _idle[os.getpid()]
    while idle:
        surroundings, pool = idle.pop()
        if surroundings == here:
            return pool
        pool.shutdown(wait=True, kill_workers=True)
    return _started()


def _started() -> Any:
    _end_idle_at_exit(os.getpid())
    from joblib.externals.loky import ProcessPoolExecutor

    with held_interrupts():
        return ProcessPoolExecutor(
            max_workers=1, timeout=_IDLE_SECONDS, initializer=end_with, initargs=(os.getpid(),),
            env=_ONE_THREAD,
        )  # fmt: skip
