"""Engine on a cluster of Dask."""

import logging
import queue
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from bestofk.errors import InvalidArgumentError
from bestofk.evaluation.engines.engine import LOST, Done, Engine, EngineLostError

_PATIENCE = "10s"  # for a scheduler that does not answer
_LOOK_SECONDS = 5.0  # the number of workers may change meanwhile


class DaskCluster(Engine):
    """Engine whose blocks are done by the workers of a Dask cluster.

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
        self._address = client.scheduler.address
        self._blocks: dict[str, tuple[Any, Any]] = {}
        self._finished: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._n_threads, self._looked = 0, -_LOOK_SECONDS

    @property
    def n_slots(self) -> int:
        """Two blocks for every thread of the current workers."""
        self._look()
        return max(2 * self._n_threads, 2)

    @property
    def has_workers(self) -> bool:
        """Whether there are workers."""
        self._look()
        return self._n_threads > 0

    def _look(self) -> None:
        """Update the number of threads of all workers, unless that was just done."""
        if time.monotonic() - self._looked > _LOOK_SECONDS:
            self._check()
            try:
                self._n_threads = sum(self._client.nthreads().values())
            except OSError as error:
                raise self._loss() from error
            self._looked = time.monotonic()

    def put(self, blob: bytes) -> Any:
        """Return a task whose result are the bytes."""
        import dask

        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TiB"}):
            return self._client.submit(bytes, blob, key=f"bestofk-data-{uuid.uuid4().hex}")

    def submit(self, function: Callable[[Any, Any], Any], ref: Any, block: Any) -> None:
        """Hand a block to the scheduler."""
        self._check()
        if ref.status == "error":  # workers that made the data ended too often
            ref.retry()
        key = f"bestofk-block-{uuid.uuid4().hex}"
        future = self._client.submit(function, ref, block, key=key, pure=False)
        self._blocks[key] = future, block
        future.add_done_callback(self._finished.put)

    def wait(self, seconds: float) -> list[Done]:
        """Return the blocks that the cluster has finished."""
        self._check()
        try:
            finished = [self._finished.get(timeout=seconds)]
        except queue.Empty:
            return []
        while not self._finished.empty():
            finished.append(self._finished.get())
        # those that were dropped end as well, and are of no use
        return [self._done(future) for future in finished if future.key in self._blocks]

    def _done(self, future: Any) -> Done:
        from distributed import CancelledError, KilledWorker

        _, block = self._blocks.pop(future.key)
        try:
            return Done(block, future.result())
        except KilledWorker:
            return Done(block, LOST)
        except CancelledError as error:
            raise self._loss() from error
        except OSError:  # of the connection, or of the runs
            self._check()
            raise

    def _check(self) -> None:
        """Raise if the connection is lost: the client has then dropped all tasks."""
        if self._client.status != "running":
            raise self._loss()

    def _loss(self) -> EngineLostError:
        return EngineLostError(
            f"scheduler of the Dask cluster must keep the tasks; {self._address} has ended, cannot "
            "be reached or has cancelled them. Call again once it answers."
        )

    def drop(self) -> None:
        """Cancel submitted blocks; those in progress continue, but their results are ignored."""
        futures = [future for future, _ in self._blocks.values()]
        self._blocks.clear()
        if self._client.status == "running" and futures:
            with suppress(OSError):  # the scheduler has just ended
                self._client.cancel(futures, force=True)

    def close(self) -> None:
        """Cancel submitted blocks, and close the client if this engine created it."""
        self.drop()
        if self._is_own:
            with _quiet_client():
                self._client.close()


@contextmanager
def _quiet_client() -> Iterator[None]:
    """Silence the errors of a client that is closed without a connection."""
    logger = logging.getLogger("distributed.client")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)


def cluster_of(engine: Any) -> DaskCluster:
    """Return the cluster of a client, or of the address of a scheduler.

    Raises
    ------
    InvalidArgumentError
        If the scheduler does not answer, or the package is not installed.
    """
    try:
        import distributed
    except ImportError:
        raise InvalidArgumentError(
            f"engine must be one whose package is installed; got {engine!r}. Install the extra "
            "'dask': pip install 'bestofk[dask]'."
        ) from None
    if not isinstance(engine, str):
        return DaskCluster(engine)
    address = f"tcp://{engine.removeprefix('dask://').rstrip('/')}"
    try:
        client: Any = distributed.Client(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, TimeoutError) as error:
        raise InvalidArgumentError(
            f"engine must be a scheduler of Dask that answers; got {engine} ({error}). Start one "
            "with 'dask scheduler', or check host and port."
        ) from None
    return DaskCluster(client, is_own=True)
