"""Inner cross-validation: the folds of a training set in which settings are tried."""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

import numpy as np

from bestofk.array_types import Folds, Values
from bestofk.checks import is_whole
from bestofk.errors import InvalidArgumentError
from bestofk.resampling.k_fold import fold_assignment

AUTO: Final = "auto"
# Below so many training rows one assignment to folds is mostly chance: three are taken.
_FEW_ROWS: Final = 150
_AUTO_FOLDS: Final = 5
_WAY_OUT = "Give a number of folds, as 5; repeats and folds, as '3x5'; or 'auto'."


class InnerPlan(NamedTuple):
    """Repeats and folds of inner cross-validation."""

    n_repeats: int
    n_folds: int

    def __str__(self) -> str:
        """Return how a plan is written: 3x5, or 5 for one repeat."""
        return f"{self.n_repeats}x{self.n_folds}" if self.n_repeats > 1 else str(self.n_folds)


def read_inner(inner: Any, n_rows: int, groups: Values | None = None) -> InnerPlan:
    """Return the inner plan for some training rows.

    Parameters
    ----------
    inner : int, str or "auto"
        Folds; repeats and folds, as "3x5"; "auto" for 5, and 3x5 below 150 rows, or for as many
        folds as there are rows, or groups, where these are fewer.
    n_rows : int
        Training rows.
    groups : ndarray of shape (n_rows,), optional
        Of which each stays in one fold.

    Raises
    ------
    InvalidArgumentError
        If it is none of these, or asks for more folds than there are rows, or groups.

    Examples
    --------
    >>> read_inner("auto", 100), str(read_inner(5, 100))
    (InnerPlan(n_repeats=3, n_folds=5), '5')
    """
    unit, n_units = ("rows", n_rows) if groups is None else ("groups", len(np.unique(groups)))
    if n_units < 2:
        raise InvalidArgumentError(
            f"training {unit} must be at least 2; got {n_units}. Tune on more of them."
        )
    if isinstance(inner, str) and inner == AUTO:
        n_folds = min(_AUTO_FOLDS, n_units)
        # folds of one row, or one group, are the same in all repeats
        return InnerPlan(3 if n_folds < n_units and n_rows < _FEW_ROWS else 1, n_folds)
    plan = _written_plan(inner)
    if plan.n_folds > n_units:
        raise InvalidArgumentError(
            f"inner must be at most the number of training {unit} ({n_units}) folds; got "
            f"{inner!r}. Give inner={n_units} or less."
        )
    return plan


def check_inner(inner: Any) -> None:
    """Raise unless an inner plan is written as `read_inner` reads it."""
    if not (isinstance(inner, str) and inner == AUTO):
        _written_plan(inner)


def _written_plan(inner: Any) -> InnerPlan:
    match = re.fullmatch(r"(?:([1-9]\d*)x)?([1-9]\d*)", str(inner))
    if not (match and (isinstance(inner, str) or is_whole(inner))) or int(match[2]) < 2:
        raise InvalidArgumentError(f"inner must be at least 2 folds; got {inner!r}. {_WAY_OUT}")
    return InnerPlan(int(match[1] or 1), int(match[2]))


def inner_folds(
    plan: InnerPlan, y: Values, n_classes: int, groups: Values | None, seed: int
) -> Folds:
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
    """
    strata = y.astype(np.int64) if n_classes else None
    numbers = None if groups is None else np.unique(groups, return_inverse=True)[1]
    return fold_assignment(len(y), numbers, random_state=seed, strata=strata, **plan._asdict())
