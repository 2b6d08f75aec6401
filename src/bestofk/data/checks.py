"""Checks that a data set can be used to compare learners."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from bestofk.array_types import Bools
from bestofk.data.data_set import DataSet
from bestofk.data.notes import listed
from bestofk.data.table_columns import table_columns
from bestofk.errors import InvalidArgumentError

_MOST_SINGLE = 5  # classes with a single row named in a message


def check_comparable(data: DataSet, *, n_folds: int | None = None) -> None:
    """Raise if learners cannot be compared on this data set.

    Parameters
    ----------
    data : DataSet
        The data set to compare on.
    n_folds : int or None, default=None
        Number of folds, at most the number of rows; None skips this check.

    Raises
    ------
    InvalidArgumentError
        If there are no rows, no inputs, an input without any value, fewer rows than folds, only one
        class, or a class with a single row.

    Examples
    --------
    >>> from bestofk.data import load_data
    >>> check_comparable(load_data("play-tennis"), n_folds=10)
    """
    if data.n_samples == 0:
        raise InvalidArgumentError(f"{data.name} must have rows; got none.")
    if data.n_features == 0:
        dropped = [column for column, role in data.roles.items() if role == "drop"]
        left_out = f" (left out: {', '.join(map(repr, dropped))})" if dropped else ""
        is_uncut = len(data.columns) == 1  # a file with one column
        way_out = (
            "Name the separator of its columns (--separator)."
            if is_uncut
            else "Choose another target, or add columns of numbers, categories or texts: "
            "identifiers are left out."
        )
        raise InvalidArgumentError(
            f"{data.name} must have at least one input column besides the target; got none"
            f"{left_out}. {way_out}"
        )
    columns = zip(data.feature_names, table_columns(data.features), strict=True)
    empty = [name for name, column in columns if missing_cells(column).all()]
    if empty:
        raise InvalidArgumentError(
            f"every column of {data.name} must hold a value; got none in {listed(empty)}. "
            f"Leave {'it' if len(empty) == 1 else 'them'} out of the table."
        )
    if n_folds is not None and data.n_samples < n_folds:
        raise InvalidArgumentError(
            f"{data.name} must have at least as many rows as folds ({n_folds}); "
            f"got {data.n_samples}. Use fewer folds."
        )
    if data.is_classification:
        _check_classes(data)


def _check_classes(data: DataSet) -> None:
    single = [str(label) for label in data.classes[data.class_counts < 2]]
    if len(data.classes) < 2:
        problem = (
            f"the target of {data.name} must have at least two classes; got only "
            f"{str(data.classes[0])!r}. Choose another target."
        )
    elif len(single) > _MOST_SINGLE:
        problem = (
            f"every class of {data.name} must have at least two rows; got {len(data.classes)} "
            f"classes in {data.n_samples} rows, {len(single)} of them with one row. Choose "
            "another target (--target)."
        )
    elif single:
        problem = (
            f"every class of {data.name} must have at least two rows, one to learn from and one "
            f"to test on; got one row of class {listed(single)}. Drop such rows, or merge the "
            "class with another."
        )
    else:
        return
    raise InvalidArgumentError(with_guess(data.target_guess, problem))


def with_guess(guess: str, problem: str) -> str:
    """Return a problem with the target; if the target was guessed, that sentence comes first."""
    return f"{guess}. {problem[0].upper()}{problem[1:]}" if guess else problem


def missing_count(values: Any) -> int:
    """Return how many values are missing: None, NaN, NaT or NA."""
    return int(missing_cells(values).sum())


def missing_cells(values: Any) -> Bools:
    """Return for each value of an array or a series whether it is missing."""
    # pandas is faster on its own series; in polars, null and NaN both count as missing.
    return np.asarray(
        pd.isna(values if hasattr(values, "isna") else np.asarray(values)), dtype=bool
    )
