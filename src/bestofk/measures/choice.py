"""Defaults for the deciding measure and the positive class."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from bestofk.errors import InvalidArgumentError
from bestofk.measures.measure import CLASSIFICATION, REGRESSION

# Labels of two classes as they are read (`_plain`), the positive one first.
_KNOWN_PAIRS = (
    *(("1", "0"), ("1", "-1"), ("yes", "no"), ("y", "n"), ("true", "false"), ("t", "f")),
    *(("positive", "negative"), ("+", "-")),
)
_SHOWN = {
    CLASSIFICATION: ("accuracy", "balanced_accuracy", "auroc", "log_loss"),
    REGRESSION: ("mse", "mae", "r2"),
}


def shown_measures(task: str) -> tuple[str, ...]:
    """Return the names of the measures that are shown whatever decides.

    Parameters
    ----------
    task : {"classification", "regression"}
        What is predicted.

    Returns
    -------
    tuple of str
        Names for `get_measure`.

    Raises
    ------
    InvalidArgumentError
        If there is no such task.

    Examples
    --------
    >>> shown_measures("classification")
    ('accuracy', 'balanced_accuracy', 'auroc', 'log_loss')
    """
    check_task(task)
    return _SHOWN[task]


def choose_scoring(task: str, class_counts: Iterable[int]) -> tuple[tuple[str, ...], str]:
    """Choose the measure that decides when none was asked for.

    Error, or mean squared error for regression. Where the largest class holds more than
    75 % of the rows, AUROC: predicting that class always would already have a low error.

    Parameters
    ----------
    task : {"classification", "regression"}
        What is predicted.
    class_counts : array-like of shape (n_classes,), int
        Rows of each class; empty for regression.

    Returns
    -------
    names : tuple of str
        Names for `get_measure`, the deciding one first.
    sentence : str
        What to tell about the choice; empty where it is the usual one.

    Raises
    ------
    InvalidArgumentError
        If there is no such task.

    Examples
    --------
    >>> choose_scoring("classification", [50, 50])
    (('error',), '')
    >>> choose_scoring("classification", [94, 6])[0]
    ('auroc',)
    """
    check_task(task)
    if task == REGRESSION:
        return ("mse",), ""
    counts = [int(count) for count in class_counts]
    largest, n_rows = max(counts), sum(counts)
    if 4 * largest <= 3 * n_rows:
        return ("error",), ""
    sentence = (
        f"The largest class holds {largest} of {n_rows} rows, so learners are compared by AUROC "
        "(how well they rank rows of one class above the others), not by error: always predicting "
        "that class would have a low error and be of no use."
    )
    return ("auroc",), sentence


def resolve_pos_label(
    classes: Iterable[Any], class_counts: Iterable[int], pos_label: object = None
) -> int | None:
    """Return the position of the positive class of two.

    It is the one asked for; else the usual one of a known pair, in any case and as text,
    number or boolean: 1 of 0 or -1, yes, y, true, t, positive, +; else the rarer one.

    Parameters
    ----------
    classes : array-like of shape (n_classes,)
        Class labels in sorted order.
    class_counts : array-like of shape (n_classes,), int
        Rows of each class.
    pos_label : object, optional
        A class, or its text (as the command line gives it).

    Returns
    -------
    int or None
        Position in `classes`; equally frequent classes: the second. None where there
        are not two classes, for then none of them is the positive one.

    Raises
    ------
    InvalidArgumentError
        If `pos_label` is not a class, or there are not two classes.

    Examples
    --------
    >>> resolve_pos_label(["no", "yes"], [30, 70])
    1
    >>> resolve_pos_label(["no", "yes"], [30, 70], "no")
    0
    >>> resolve_pos_label(["left", "right"], [30, 70])
    0
    """
    labels = list(classes)
    if pos_label is not None:
        return position_of(pos_label, labels)
    if len(labels) != 2:
        return None
    if is_usual_pair(labels):
        return 0 if tuple(map(_plain, labels)) in _KNOWN_PAIRS else 1
    first, second = class_counts
    return 0 if first < second else 1


def is_usual_pair(labels: Iterable[Any]) -> bool:
    """Return whether two class labels are a known pair, one of which is usually positive.

    Parameters
    ----------
    labels : iterable of label
        The classes.

    Examples
    --------
    >>> is_usual_pair(["No", "Yes"]), is_usual_pair([-1.0, 1.0]), is_usual_pair(["ill", "well"])
    (True, True, False)
    """
    said = tuple(map(_plain, labels))
    return said in _KNOWN_PAIRS or said[::-1] in _KNOWN_PAIRS


def _plain(label: Any) -> str:
    """Return a label in small letters; a whole number without decimals or a plus."""
    text = str(label).strip().casefold()
    try:
        number = float(text)
    except ValueError:
        return text
    return str(int(number)) if number.is_integer() else text


def position_of(pos_label: Any, labels: list[Any]) -> int:
    """Return the position of the class that is meant, where there are two."""
    if len(labels) != 2:
        raise InvalidArgumentError(
            f"pos_label must be None unless there are two classes; got {pos_label!r} for "
            f"{len(labels)} classes."
        )
    for read in (lambda label: label, str, _plain):
        same = [np.ndim(pos_label) == 0 and read(label) == read(pos_label) for label in labels]
        if any(same):
            return same.index(True)
    raise InvalidArgumentError(
        f"pos_label must be one of the classes, {labels[0]!s} or {labels[1]!s}; got {pos_label!r}."
    )


def check_task(task: str) -> None:
    """Refuse what is not a task."""
    if task not in (CLASSIFICATION, REGRESSION):
        raise InvalidArgumentError(f"task must be {CLASSIFICATION} or {REGRESSION}; got {task!r}.")
