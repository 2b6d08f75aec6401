"""Engine on a cluster of Dask."""

from __future__ import annotations

import queue
import time
import uuid
from collections.abc import Callable
from typing import Any

from bestofk.evaluation.engines.engine import LOST, Done, Engine, EngineLostError

_LOOK_SECONDS = 5.0  # the number of workers may change meanwhile
# After so many seconds without a connection the scheduler is taken for lost.
_PATIENCE_SECONDS = 60.0


class DaskCluster(Engine):
    """Blocks are done by the workers of a cluster.

    Data go there as the result of a task, which the scheduler makes again where the workers that
    held it have ended; what is scattered would be lost.

    Parameters
    ----------
    client : distributed.Client
        Connected to the cluster.
    is_own : bool, default=False
        Whether the client ends with this engine.
    """

    block_seconds = 1.5

    def __init__(self, client: Any, *, is_own: bool = False) -> None:
        self._client, self._is_own = client, is_own
        self._blocks: dict[str, tuple[Any, Any]] = {}
        self._finished: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._n_threads, self._looked = 0, -_LOOK_SECONDS
        self._connected = time.monotonic()

    @property
    def n_slots(self) -> int:
        """Two blocks for every thread of the workers that there are by now."""
        if time.monotonic() - self._looked > _LOOK_SECONDS:
            self._n_threads, self._looked = sum(self._client.nthreads().values()), time.monotonic()
        return max(2 * self._n_threads, 2)

    def put(self, blob: bytes) -> Any:
        """Return a task whose result are the bytes."""
        import dask

        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TiB"}):
            return self._client.submit(bytes, blob, key=f"bestofk-data-{uuid.uuid4().hex}")

    def submit(self, function: Callable[[Any, Any], Any], ref: Any, block: Any) -> None:
        """Hand a block to the scheduler."""
        self._check()
        key = f"bestofk-block-{uuid.uuid4().hex}"
        future = self._client.submit(function, ref, block, key=key, pure=False)
        self._blocks[key] = future, block
        future.add_done_callback(self._finished.put)

    def wait(self, seconds: float) -> list[Done]:
        """Return what the cluster is done with."""
        self._check()
        try:
            finished = [self._finished.get(timeout=seconds)]
        except queue.Empty:
            return []
        while not self._finished.empty():
            finished.append(self._finished.get())
        return [self._done(future) for future in finished]

    def _done(self, future: Any) -> Done:
        from distributed import CancelledError, KilledWorker

        _, block = self._blocks.pop(future.key)
        try:
            return Done(block, future.result())
        except (KilledWorker, CancelledError):
            self._check()
            return Done(block, LOST)

    def _check(self) -> None:
        """Raise where the scheduler is lost, for good or for long."""
        status = self._client.status
        if status == "running":
            self._connected = time.monotonic()
        elif status == "closed" or time.monotonic() - self._connected > _PATIENCE_SECONDS:
            address = getattr(self._client.scheduler, "address", "") or "it"
            raise EngineLostError(
                f"scheduler of the Dask cluster must stay reachable; {address} no longer answers. "
                "What is finished is kept: start a scheduler and call the same thing again."
            )

    def close(self) -> None:
        """Cancel the blocks that are in hand."""
        futures = [future for future, _ in self._blocks.values()]
        self._blocks.clear()
        if self._client.status == "running" and futures:
            self._client.cancel(futures, force=True)
        if self._is_own:
            self._client.close()
