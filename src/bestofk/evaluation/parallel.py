"""Tasks in threads or in worker processes, which an interruption ends in order."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from itertools import takewhile
from typing import Any, TypeVar

from bestofk.evaluation.interrupt import held_interrupts
from bestofk.evaluation.parent import end_with

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_parallel(
    task: Callable[[Item], Result], items: Iterable[Item], backend: str, n_jobs: int
) -> Iterator[tuple[Item, Result]]:
    """Do a task with every item; those under way end before an interruption goes on.

    Parameters
    ----------
    task : callable
        What to do with an item.
    items : iterable
        Taken as workers become free.
    backend : {"threading", "loky"}
        Threads, or processes that do one thing at a time and end with this one.
    n_jobs : int
        Threads or processes.

    Yields
    ------
    tuple of (item, result)
        In the order in which they are done.
    """
    from joblib import Parallel, delayed, parallel_config

    options: dict[str, Any] = {}
    if backend == "loky":
        options = {"inner_max_num_threads": 1, "initializer": end_with, "initargs": (os.getpid(),)}
    is_over = threading.Event()
    tasks = (
        delayed(_with_item)(task, item) for item in takewhile(lambda _: not is_over.is_set(), items)
    )
    with parallel_config(backend, n_jobs=n_jobs, **options):
        parallel = Parallel(return_as="generator_unordered", batch_size=1)
        with held_interrupts():
            results = parallel(tasks)
        try:
            while (done := _next(results)) is not None:
                yield done
        finally:
            is_over.set()  # nothing more is handed out, and what is left is not waited for
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                results.close()


def _next(results: Iterator[tuple[Item, Result]]) -> tuple[Item, Result] | None:
    """Return what is done next, None at the end; no warning of tasks that are not awaited."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "[0-9]+ tasks? which were still being processed")
        return next(results, None)


def _with_item(task: Callable[[Item], Result], item: Item) -> tuple[Item, Result]:
    return item, task(item)
