"""Engines on executors of concurrent.futures, and on processes of this machine."""

import threading
from collections.abc import Callable
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ThreadPoolExecutor,
    wait,
)
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bestofk.data.temporary_folder import temporary_folder
from bestofk.evaluation.engines.engine import LOST, Done, Engine, EngineLostError
from bestofk.evaluation.guarded.child import CAN_FORK, TURN_SECONDS
from bestofk.evaluation.guarded.guard import GuardedProcess
from bestofk.evaluation.options import n_workers
from bestofk.evaluation.queue.worker import BlobFile, BlobMissingError, digest_of


class ExecutorEngine(Engine):
    """Engine whose blocks are done by an executor of the caller, who also ends it.

    Parameters
    ----------
    executor : concurrent.futures.Executor
        Its workers need not share a disk with this process.
    """

    def __init__(self, executor: Executor | None) -> None:
        self._executor: Any = executor
        self._tasks: dict[Future[Any], tuple[Callable[[Any, Any], Any], Any, Any]] = {}
        self._folder = ExitStack()

    @property
    def n_slots(self) -> int:
        """Two blocks for every worker, if the executor tells how many it has."""
        return 2 * int(getattr(self._executor, "_max_workers", None) or n_workers(-1))

    def put(self, blob: bytes) -> Any:
        """Write a file named by its content; workers that cannot read it get the bytes."""
        digest = digest_of(blob)
        path = Path(self._folder.enter_context(temporary_folder())) / digest
        path.write_bytes(blob)
        return BlobFile(digest, str(path))

    def submit(self, function: Callable[[Any, Any], Any], ref: Any, block: Any) -> None:
        """Hand a block to the executor."""
        try:
            self._tasks[self._submitted(function, ref, block)] = function, ref, block
        except (BrokenExecutor, RuntimeError) as error:  # broken, or shut down
            name = type(self._executor).__name__
            raise EngineLostError(
                f"engine must be an executor that takes work; got a {name} that does not "
                f"({error}). Call again with a new one."
            ) from error

    def _submitted(self, function: Callable[[Any, Any], Any], ref: Any, block: Any) -> Future[Any]:
        future: Future[Any] = self._executor.submit(function, ref, block)
        return future

    def wait(self, seconds: float) -> list[Done]:
        """Return the blocks that the executor has finished."""
        finished, _ = wait(self._tasks, timeout=seconds, return_when=FIRST_COMPLETED)
        results = []
        for future in finished:
            function, ref, block = self._tasks.pop(future)
            try:
                results.append(Done(block, future.result()))
            except (BrokenExecutor, CancelledError):
                results.append(Done(block, LOST))
            except BlobMissingError:
                self.submit(function, Path(ref.path).read_bytes(), block)
        return results

    def hold_back(self) -> None:
        """Cancel blocks that have not started."""
        for future in self._tasks:
            future.cancel()

    def drop(self) -> None:
        """Cancel blocks that have not started; results of the others are ignored."""
        self.hold_back()
        self._tasks.clear()

    def close(self) -> None:
        """Cancel blocks that have not started; the executor stays open."""
        self.drop()
        self._folder.close()


class LocalProcesses(ExecutorEngine):
    """Engine whose blocks are done by guarded processes, each with a waiting thread here.

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
        """End the busy processes; others are started when they are needed."""
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
