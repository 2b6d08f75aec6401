"""What plan does a scikit-learn splitter, or a list of splits, amount to."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk.data import DataSet
from bestofk.design import plan as schemes
from bestofk.design.resampled import Rows
from bestofk.errors import InvalidArgumentError
from bestofk.randomness import derive_seed


def rows_of_splitter(cv: Any, data: DataSet, *, random_state: int) -> tuple[Rows, ...]:
    """Return the rows of every split of a splitter or of an iterable of (train, test).

    A splitter whose `random_state` is None gets a derived one, so that the plan can be
    made again.

    Raises
    ------
    InvalidArgumentError
        If a split is empty, out of range, or trains on rows that it tests.
    """
    if hasattr(cv, "split"):
        cv = copy.deepcopy(cv)
        if getattr(cv, "random_state", 0) is None:
            cv.random_state = derive_seed(random_state, "splitter", type(cv).__name__)
        pairs = cv.split(np.empty((data.n_samples, 1)), data.target_array, data.groups)
    else:
        pairs = cv
    rows = []
    for number, (train, test) in enumerate(pairs):
        rows.append((_as_rows(train, data.n_samples), _as_rows(test, data.n_samples)))
        _check_split(number, *rows[-1])
    if not rows:
        raise InvalidArgumentError("cv must give at least one split; got none. Try cv='10x10'.")
    return tuple(rows)


def recognise(rows: tuple[Rows, ...], n_samples: int) -> tuple[str, int, int]:
    """Say what the splits amount to: scheme, number of repeats, number of folds.

    Consecutive splits whose test parts cover every row once are a repeat of
    cross-validation; splits that share their sizes are random hold-outs.
    """
    if len(rows) == 1:
        return schemes.TEST_SET, 1, 1
    n_folds = _folds_of_first_repeat(rows, n_samples)
    if n_folds and len(rows) % n_folds == 0 and _are_repeats(rows, n_samples, n_folds):
        scheme = schemes.LEAVE_ONE_OUT if n_folds == n_samples else schemes.K_FOLD
        return scheme, len(rows) // n_folds, n_folds
    sizes = {(len(train), len(test)) for train, test in rows}
    return (schemes.HOLD_OUT if len(sizes) == 1 else schemes.CUSTOM), len(rows), 1


def _as_rows(rows: Any, n_samples: int) -> NDArray[np.int64]:
    array = np.asarray(rows)
    if array.dtype == bool:
        array = np.flatnonzero(array)
    array = np.sort(array.astype(np.int64).ravel())
    if len(array) and not (array[0] >= 0 and array[-1] < n_samples):
        raise InvalidArgumentError(
            f"rows of a split must be from 0 to {n_samples - 1}; got {array[0]} to {array[-1]}. "
            "Make the splits for this data set."
        )
    return array


def _check_split(number: int, train: NDArray[np.int64], test: NDArray[np.int64]) -> None:
    if not len(train) or not len(test):
        raise InvalidArgumentError(
            f"split {number} of cv must have training and test rows; got {len(train)} and "
            f"{len(test)}. Leave the split out."
        )
    common = np.intersect1d(train, test)
    if len(common):
        raise InvalidArgumentError(
            f"split {number} of cv must not test rows that it trains on; got {len(common)} such "
            f"rows, row {common[0]} first. Mend the splits."
        )


def _folds_of_first_repeat(rows: tuple[Rows, ...], n_samples: int) -> int:
    covered = 0
    for number, (_, test) in enumerate(rows):
        covered += len(test)
        if covered >= n_samples:
            return number + 1 if covered == n_samples else 0
    return 0


def _are_repeats(rows: tuple[Rows, ...], n_samples: int, n_folds: int) -> bool:
    for start in range(0, len(rows), n_folds):
        part = rows[start : start + n_folds]
        tested = np.concatenate([test for _, test in part])
        if not np.array_equal(np.sort(tested), np.arange(n_samples)):
            return False
        if any(len(np.unique(train)) + len(test) != n_samples for train, test in part):
            return False
    return True
