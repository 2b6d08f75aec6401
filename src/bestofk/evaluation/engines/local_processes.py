"""Engine on processes of this machine, each of which does the work of one learner."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from bestofk.evaluation.engines.executors import ExecutorEngine
from bestofk.evaluation.guarded.child import CAN_FORK, TURN_SECONDS
from bestofk.evaluation.guarded.guard import GuardedProcess


class LocalProcesses(ExecutorEngine):
    """Blocks are done by guarded processes, each of which a thread of this process waits for.

    Parameters
    ----------
    n_workers : int
        Number of processes at work at the same time.
    """

    block_seconds = ExecutorEngine.block_seconds if CAN_FORK else TURN_SECONDS

    def __init__(self, n_workers: int) -> None:
        super().__init__(ThreadPoolExecutor(n_workers))
        self._guards: dict[int, tuple[str, GuardedProcess]] = {}  # by thread, with the file

    def _submitted(self, function: Callable[[Any, Any], Any], ref: Any, block: Any) -> Future[Any]:
        future: Future[Any] = self._executor.submit(self._done, function, ref.path, block)
        return future

    def _done(self, function: Callable[[Any, Any], Any], path: str, block: Any) -> Any:
        thread = threading.get_ident()
        held, guard = self._guards.get(thread, ("", None))
        if guard is None or held != path:
            if guard is not None:
                guard.close()
            guard = GuardedProcess(path)
            self._guards[thread] = path, guard
        return function(guard, block)

    def drop(self) -> None:
        """End the processes that are at work; others are started when they are needed."""
        is_at_work = not all(task.done() for task in self._tasks)
        super().drop()
        if is_at_work:
            guards, self._guards = self._guards, {}
            for _, guard in guards.values():
                guard.abandon()

    def close(self) -> None:
        """End all processes."""
        super().close()
        self._executor.shutdown()
        for _, guard in self._guards.values():
            guard.close()
