"""Data sets, tasks and suites of OpenML by their number (needs the network)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bestofk.checks import optional_package
from bestofk.data.table import Table
from bestofk.errors import InvalidArgumentError


def read_openml(number: str, name: str | None) -> Table:
    """Fetch a data set from OpenML by number; its declared types are trusted.

    Raises
    ------
    InvalidArgumentError
        If the number is not valid, the package openml is missing, or the data set cannot be
        fetched.
    """
    if not number.isdecimal():
        raise InvalidArgumentError(
            f"an OpenML data set must be written openml:NUMBER; got openml:{number}. "
            "Write openml:61 for iris."
        )
    source, frame = _fetched(
        f"openml:{number}", "a data set", lambda openml: _with_rows(openml, int(number))
    )
    left_out = {*_listed(source.ignore_attribute), *_listed(source.row_id_attribute)}
    return Table.from_frame(
        name or source.name,
        frame[[column for column in frame.columns if column not in left_out]],
        target=source.default_target_attribute,
        note=f"Fetched {source.name} (number {number}) from OpenML; declared types are kept.",
    )


def openml_task(number: int) -> tuple[str, str]:
    """Return the data set and target of an OpenML task, as arguments of `load_data`.

    Parameters
    ----------
    number : int
        Number of the task. The splits of OpenML are not used.

    Returns
    -------
    source : str
        The data set, such as ``"openml:61"``.
    target : str
        Column to predict.

    Raises
    ------
    InvalidArgumentError
        If the package openml is missing, or there is no such task with a target.
    """
    task = _fetched(f"openml_task {number}", "a task", lambda openml: openml.tasks.get_task(number))
    target = getattr(task, "target_name", None)
    if target is None:
        raise InvalidArgumentError(
            f"openml_task must predict a column; got {number}, a task without a target. "
            "Choose one of classification or regression."
        )
    return f"openml:{task.dataset_id}", str(target)


def openml_suite(number: int) -> list[int]:
    """Return the numbers of the tasks of an OpenML suite, in their order there.

    Raises
    ------
    InvalidArgumentError
        If the package openml is missing, or there is no such suite with tasks.
    """
    suite = _fetched(
        f"openml_suite {number}", "a suite", lambda openml: openml.study.get_suite(number)
    )
    if not suite.tasks:
        raise InvalidArgumentError(
            f"openml_suite must have tasks; got {number} with none. Choose another."
        )
    return [int(task) for task in suite.tasks]


def _fetched(name: str, kind: str, fetch: Callable[[Any], Any]) -> Any:
    """Return an object fetched by the package openml, or raise one sentence."""
    what = "openml must be installed to fetch data by number; got none"
    openml = optional_package("openml", what, extra="openml")
    try:
        return fetch(openml)
    except Exception as error:  # errors of server, network and cache have different classes
        raise InvalidArgumentError(
            f"{name} must be {kind} that can be fetched; got {type(error).__name__}. "
            "Check the number and the connection to www.openml.org."
        ) from error


def _with_rows(openml: Any, number: int) -> tuple[Any, Any]:
    source = openml.datasets.get_dataset(number)
    return source, source.get_data()[0]


def _listed(value: str | list[str] | None) -> list[str]:
    return value.split(",") if isinstance(value, str) else value or []
