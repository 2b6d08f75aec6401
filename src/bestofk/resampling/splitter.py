"""Plans made from a scikit-learn splitter or from a list of splits."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from bestofk.array_types import Ints
from bestofk.data.data_set import DataSet
from bestofk.errors import InvalidArgumentError
from bestofk.randomness import derive_seed
from bestofk.resampling import plan as schemes
from bestofk.resampling.resampled import Rows


def rows_of_splitter(cv: Any, data: DataSet, *, random_state: int) -> tuple[Rows, ...]:
    """Return the rows of every split of a splitter or of an iterable of (train, test).

    A splitter whose `random_state` is None gets a derived one, so that the plan can be
    made again.

    Raises
    ------
    InvalidArgumentError
        If the splitter fails, or a split is no pair of row numbers, is empty or out of range,
        tests a row twice, or trains on rows that it tests.
    """
    rows = []
    for number, pair in enumerate(_pairs(cv, data, random_state)):
        if not isinstance(pair, tuple | list | np.ndarray) or len(pair) != 2:
            raise InvalidArgumentError(
                f"cv must give pairs of (train, test) rows; got {type(pair).__name__} as split "
                f"{number}. Try cv='10x10'."
            )
        train, test = (_as_rows(part, data.n_samples) for part in pair)
        _check_split(number, train, test)
        rows.append((train, test))
    if not rows:
        raise InvalidArgumentError("cv must give at least one split; got none. Try cv='10x10'.")
    return tuple(rows)


def _pairs(cv: Any, data: DataSet, random_state: int) -> list[Any]:
    """Return what a splitter, or a list, gives as splits."""
    if not hasattr(cv, "split"):
        return list(cv)
    cv = copy.deepcopy(cv)
    if getattr(cv, "random_state", 0) is None:
        cv.random_state = derive_seed(random_state, "splitter", type(cv).__name__)
    try:
        return list(cv.split(np.empty((data.n_samples, 1)), data.target_array, data.groups))
    except Exception as error:
        raise InvalidArgumentError(
            f"cv must split the rows of the data; got {type(error).__name__} of {cv!r}: {error}"
        ) from error


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


def _as_rows(rows: Any, n_samples: int) -> Ints:
    try:
        array = np.asarray(rows)
        kind = "masked values" if np.ma.is_masked(rows) else str(array.dtype)
    except ValueError:  # lists of different lengths
        array, kind = np.empty(1), type(rows).__name__
    if array.size and (array.dtype.kind not in "iub" or kind == "masked values"):
        raise InvalidArgumentError(
            f"rows of a split must be whole numbers or truth values; got {kind}. Number the rows "
            "from 0."
        )
    if array.dtype == bool:
        if array.shape != (n_samples,):
            raise InvalidArgumentError(
                f"truth values of a split must be one per row ({n_samples}); got {array.size}. "
                "Make the splits for this data set."
            )
        array = np.flatnonzero(array)
    array = np.sort(array.ravel())
    if len(array) and not (array[0] >= 0 and array[-1] < n_samples):
        raise InvalidArgumentError(
            f"rows of a split must be from 0 to {n_samples - 1}; got {array[0]} to {array[-1]}. "
            "Make the splits for this data set."
        )
    return array.astype(np.int64)


def _check_split(number: int, train: Ints, test: Ints) -> None:
    if not len(train) or not len(test):
        raise InvalidArgumentError(
            f"split {number} of cv must have training and test rows; got {len(train)} and "
            f"{len(test)}. Leave the split out."
        )
    twice = test[1:][test[1:] == test[:-1]]
    if len(twice):
        raise InvalidArgumentError(
            f"split {number} of cv must test each row once; got row {twice[0]} several times. "
            "Training rows alone may repeat."
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
