"""Inference of the task (classification or regression) from the target."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np

from bestofk.array_types import Floats
from bestofk.checks import is_number
from bestofk.data.data_set import CLASSIFICATION, REGRESSION, TASKS
from bestofk.data.table_columns import column_numbers
from bestofk.errors import InvalidArgumentError

MOST_CLASSES = 20  # more different whole numbers than this are taken as a quantity

_CATEGORY_TYPES = ("CategoricalDtype", "Categorical", "Enum")  # from pandas, polars, polars


def infer_task(y: Any) -> tuple[str, str]:
    """Infer from the target whether to predict classes or quantities.

    Texts, categories, booleans, and whole numbers with at most 20 different
    values are classes; everything else is a quantity. Floats count as whole if they have no
    fraction.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Class labels or numbers, without missing values.

    Returns
    -------
    task : {"classification", "regression"}
        The inferred task.
    sentence : str
        A sentence with the task, the reason, and how to override it.

    Examples
    --------
    >>> infer_task(["yes", "no", "no"])[0]
    'classification'
    >>> infer_task([1.5, 2.0, 7.25])[0]
    'regression'
    """
    values = as_numbers(y)
    if values is None:
        return CLASSIFICATION, "Task: classification, because the target holds labels."
    n_different = len(np.unique(values))
    if not np.array_equal(values, np.floor(values)):
        reason = "regression, because the target holds numbers with fractions"
    elif n_different > MOST_CLASSES:
        reason = f"regression, because the target holds {n_different} different whole numbers"
    else:
        reason = f"classification, because the target holds {n_different} different whole numbers"
    task = reason.split(",", maxsplit=1)[0]
    other = REGRESSION if task == CLASSIFICATION else CLASSIFICATION
    return task, f'Task: {reason} (task="{other}" overrides).'


def resolve_task(task: str, y: Any) -> tuple[str, str]:
    """Return the task asked for, or the inferred one, and a sentence on it.

    Raises
    ------
    InvalidArgumentError
        If the name of the task is unknown, or the target does not suit it.
    """
    if task == "auto":
        return infer_task(y)
    if task not in TASKS:
        known = ", ".join(("auto", *TASKS))
        raise InvalidArgumentError(f"task must be one of {known}; got {task!r}.")
    values = as_numbers(y)
    if task == REGRESSION and values is None:
        label = np.asarray(y).ravel()[0]
        raise InvalidArgumentError(
            f"target must be numbers for regression; got {str(label)!r}. "
            'Use task="classification", or choose another target.'
        )
    if task == CLASSIFICATION and values is not None:
        n_different = len(np.unique(values))
        if n_different > MOST_CLASSES and not np.array_equal(values, np.floor(values)):
            raise InvalidArgumentError(
                f"target must be labels, whole numbers or at most {MOST_CLASSES} different numbers "
                f"for classification; got {n_different} different ones with fractions. Use "
                'task="regression", or replace the numbers by class names.'
            )
    return task, f"Task: {task}, as asked for."


def as_numbers(y: Any) -> Floats | None:
    """Return the values as float64, or None where they are labels (texts, booleans, objects)."""
    if type(getattr(y, "dtype", None)).__name__ in _CATEGORY_TYPES:
        return None
    values = np.asarray(y)
    if values.dtype.kind == "O":
        cells = values.ravel().tolist()
        are_numbers = all(is_number(cell) or isinstance(cell, Decimal) for cell in cells)
        return column_numbers(values.ravel()) if are_numbers else None
    return values.astype(np.float64) if values.dtype.kind in "iuf" else None
