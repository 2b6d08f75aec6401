"""Engine chosen by an option."""

import re
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any

from bestofk.errors import InvalidArgumentError
from bestofk.evaluation.engines.engine import Engine
from bestofk.evaluation.options import n_workers
from bestofk.registry import Registry

SERIAL, PROCESSES = "serial", "processes"
ENGINES: Registry[Callable[[Any], Engine]] = Registry(
    "engine",
    {
        PROCESSES: "bestofk.evaluation.engines.executors.LocalProcesses",
        "executor": "bestofk.evaluation.engines.executors.ExecutorEngine",
        "dask": "bestofk.evaluation.engines.dask_cluster.cluster_of",
    },
)
_DASK = re.compile(r"dask://[^\s/]+:\d+/?")


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
    """Return whether runs stay in this process or on this machine."""
    return isinstance(engine, str) and engine in (SERIAL, PROCESSES)


def uses_engine(engine: Any, n_jobs: int | None) -> bool:
    """Return whether runs leave this process if there is enough to do."""
    return n_local_processes(engine, n_jobs) != 1


def n_local_processes(engine: Any, n_jobs: int | None) -> int:
    """Return the requested number of processes of this machine; 0 if others do the work."""
    if not is_local(engine):
        return 0
    return n_workers(-1 if engine == PROCESSES and n_jobs is None else n_jobs)


def started_engine(engine: Any, n_jobs: int | None) -> Engine:
    """Start and return the engine of an option, if `uses_engine` is true.

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
    if isinstance(engine, Executor):
        return ENGINES["executor"](engine)
    if n_local := n_local_processes(engine, n_jobs):
        return ENGINES[PROCESSES](n_local)
    return ENGINES["dask"](engine)


def is_dask_client(engine: Any) -> bool:
    """Return whether something is a client of Dask, without importing that package."""
    return any(cls.__module__.startswith("distributed.") for cls in type(engine).__mro__)
