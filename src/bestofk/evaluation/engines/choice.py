"""The engine that an option names."""

from __future__ import annotations

import re
from concurrent.futures import Executor
from typing import Any

from bestofk.errors import InvalidArgumentError
from bestofk.evaluation.engines.engine import Engine
from bestofk.evaluation.options import n_workers

SERIAL, PROCESSES = "serial", "processes"
_PATIENCE = "10s"  # for a scheduler that does not answer
_DASK = re.compile(r"dask://([^\s/]+:\d+)/?")


def check_engine(engine: Any, n_jobs: int | None) -> None:
    """Raise InvalidArgumentError unless an option names an engine."""
    n_workers(n_jobs)  # raises where it is none
    is_text = isinstance(engine, str)
    if is_text and (engine in (SERIAL, PROCESSES) or _DASK.fullmatch(engine)):
        return
    if not is_text and (isinstance(engine, Executor) or is_dask_client(engine)):
        return
    raise InvalidArgumentError(
        "engine must be serial, processes, dask://HOST:PORT, an executor of concurrent.futures or "
        f"a client of Dask; got {engine!r}. Use 'serial' to stay in this process."
    )


def is_local(engine: Any) -> bool:
    """Return whether an option names this process, or processes of this machine."""
    return isinstance(engine, str) and engine in (SERIAL, PROCESSES)


def uses_engine(engine: Any, n_jobs: int | None) -> bool:
    """Return whether runs leave this process where there is enough to do."""
    return n_local_processes(engine, n_jobs) != 1


def n_local_processes(engine: Any, n_jobs: int | None) -> int:
    """Return how many processes of this machine are asked for; 0 where others do the work."""
    if not is_local(engine):
        return 0
    return n_workers(-1 if engine == PROCESSES and n_jobs is None else n_jobs)


def started_engine(engine: Any, n_jobs: int | None) -> Engine:
    """Return the engine that an option names, where `uses_engine` says that there is one.

    Parameters
    ----------
    engine : str, Executor or distributed.Client
        "serial" is "processes" where `n_jobs` asks for more than one.
    n_jobs : int or None
        Processes of this machine; None is all cores for "processes". Other engines have workers
        of their own.

    Raises
    ------
    InvalidArgumentError
        If the engine cannot be reached, or the package that it needs is not installed.
    """
    from bestofk.evaluation.engines.executors import ExecutorEngine
    from bestofk.evaluation.engines.local_processes import LocalProcesses

    if isinstance(engine, Executor):
        return ExecutorEngine(engine)
    if n_local := n_local_processes(engine, n_jobs):
        return LocalProcesses(n_local)
    return _dask_cluster(engine)


def _dask_cluster(engine: Any) -> Engine:
    try:
        import distributed
    except ImportError:
        raise InvalidArgumentError(
            f"engine must be one whose package is installed; got {engine!r}. Install the extra "
            "'dask': pip install 'bestofk[dask]'."
        ) from None
    from bestofk.evaluation.engines.dask_cluster import DaskCluster

    if not isinstance(engine, str):
        return DaskCluster(engine)
    match = _DASK.fullmatch(engine)
    assert match is not None  # checked before
    try:
        address = f"tcp://{match[1]}"
        client: Any = distributed.Client(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, TimeoutError) as error:
        raise InvalidArgumentError(
            f"engine must be a scheduler of Dask that answers; got {engine} ({error}). Start one "
            "with 'dask scheduler', or check host and port."
        ) from None
    return DaskCluster(client, is_own=True)


def is_dask_client(engine: Any) -> bool:
    """Return whether something is a client of Dask, without importing that package."""
    return any(cls.__module__.startswith("distributed.") for cls in type(engine).__mro__)
