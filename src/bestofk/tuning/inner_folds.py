"""Inner cross-validation: the folds of a training set in which settings are tried."""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestofk.errors import InvalidArgumentError
from bestofk.resampling.k_fold import group_fold_assignment, k_fold_assignment

AUTO: Final = "auto"
# Below so many training rows one assignment to folds is mostly chance: three are taken.
_FEW_ROWS: Final = 150
_WAY_OUT = "Give a number of folds, as 5; repeats and folds, as '3x5'; or 'auto'."


class InnerPlan(NamedTuple):
    """Repeats and folds of inner cross-validation."""

    n_repeats: int
    n_folds: int

    def __str__(self) -> str:
        """Return how a plan is written: 3x5, or 5 for one repeat."""
        return f"{self.n_repeats}x{self.n_folds}" if self.n_repeats > 1 else str(self.n_folds)


def read_inner(inner: Any, n_rows: int) -> InnerPlan:
    """Return the inner plan for some training rows.

    Parameters
    ----------
    inner : int, str or "auto"
        Folds; repeats and folds, as "3x5"; "auto" for 5, and 3x5 below 150 rows.
    n_rows : int
        Training rows.

    Raises
    ------
    InvalidArgumentError
        If it is none of these.

    Examples
    --------
    >>> read_inner("auto", 100), str(read_inner(5, 100))
    (InnerPlan(n_repeats=3, n_folds=5), '5')
    """
    if isinstance(inner, str) and inner == AUTO:
        return InnerPlan(3 if n_rows < _FEW_ROWS else 1, 5)
    match = re.fullmatch(r"(?:([1-9]\d*)x)?([1-9]\d*)", str(inner))
    is_written = isinstance(inner, str | int | np.integer) and not isinstance(inner, bool)
    if not (match and is_written) or int(match[2]) < 2:
        raise InvalidArgumentError(f"inner must be at least 2 folds; got {inner!r}. {_WAY_OUT}")
    return InnerPlan(int(match[1] or 1), int(match[2]))


def inner_folds(
    plan: InnerPlan, y: NDArray[Any], n_classes: int, groups: NDArray[Any] | None, seed: int
) -> NDArray[np.int32]:
    """Return the inner fold of every training row, shape (n_repeats, n_rows).

    Parameters
    ----------
    plan : InnerPlan
        Repeats and folds.
    y : ndarray of shape (n_rows,)
        Positions of classes, which are spread evenly over the folds; or values.
    n_classes : int
        0 for regression.
    groups : ndarray of shape (n_rows,) or None
        Rows of a group stay in one fold.
    seed : int
        What all draws are derived from.

    Raises
    ------
    InvalidArgumentError
        If there are fewer rows, or groups, than folds.
    """
    strata = y.astype(np.int64) if n_classes else None
    n_repeats, n_folds = plan
    if groups is None:
        return k_fold_assignment(
            len(y), n_folds=n_folds, n_repeats=n_repeats, random_state=seed, strata=strata
        )
    numbers = np.unique(groups, return_inverse=True)[1]
    return group_fold_assignment(
        numbers, n_folds=n_folds, n_repeats=n_repeats, random_state=seed, strata=strata
    )
