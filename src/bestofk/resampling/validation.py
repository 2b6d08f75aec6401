"""Validation rows, held back from training to choose a setting without the test rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from bestofk.array_types import Ints
from bestofk.data.data_set import DataSet
from bestofk.errors import InvalidArgumentError
from bestofk.randomness import derive_seed
from bestofk.resampling.k_fold import fold_assignment, order_of_appearance
from bestofk.resampling.plan import CUSTOM, Plan, Split, rows_id

_PARTS = 3  # of the training rows, one of which is held back


def validation_rows(data: DataSet, plan: Plan) -> tuple[Ints, ...]:
    """Return the training rows of each split that are held back for validation: one in three.

    Drawn at random from names. Stratified plans have stratified parts; groups are never split,
    and a row that a bootstrap drew twice is held back as a whole.

    Parameters
    ----------
    data : DataSet
        The rows.
    plan : Plan
        Its splits.

    Returns
    -------
    tuple of ndarray of int64
        One per split, in repeat-major order, ascending and without repetition.

    Raises
    ------
    InvalidArgumentError
        If a training part has fewer than two rows, or groups.

    Examples
    --------
    >>> from bestofk.data import load_data
    >>> from bestofk.resampling import make_plan
    >>> iris = load_data("iris")
    >>> [len(rows) for rows in validation_rows(iris, make_plan(iris, "1x3"))]
    [34, 34, 34]
    """
    return tuple(_held_back(data, plan, split) for split in plan)


def _held_back(data: DataSet, plan: Plan, split: Split) -> Ints:
    rows = np.unique(split.train_rows)
    strata = data.y[rows] if plan.is_stratified and data.is_classification else None
    groups = None
    if data.groups is not None:
        groups = order_of_appearance(data.groups[rows])
    n_units = len(rows) if groups is None else int(groups.max()) + 1
    if n_units < 2:
        raise InvalidArgumentError(
            "training rows of each split must be at least 2 rows, or groups, where some are held "
            f"back for validation; got {n_units} in repeat {split.repeat}, fold {split.fold}. "
            "Take another cv."
        )
    seed = derive_seed(plan.random_state, "validation rows", split.repeat, split.fold)
    n_folds = min(_PARTS, n_units)
    folds = fold_assignment(
        len(rows), groups, n_folds=n_folds, n_repeats=1, random_state=seed, strata=strata
    )
    held_back: Ints = rows[folds[0] == 0]
    return held_back


@dataclass(frozen=True, eq=False, repr=False)
class ValidationPlan(Plan):
    """The splits of a plan, each trained without the rows that are held back for validation.

    A learner is fitted once per split and predicts the test rows, then the validation rows,
    then those that trained it; no row is in two of the three.

    Parameters
    ----------
    base : Plan
        Whose splits they are.
    held_back : tuple of ndarray
        Validation rows of each split, see `validation_rows`.
    """

    base: Plan
    held_back: tuple[Ints, ...]
    _kind: ClassVar = "validation"

    @classmethod
    def of(cls, data: DataSet, base: Plan) -> ValidationPlan:
        """Return the plan that holds back one row in three of every training part."""
        return cls(
            f"{base.name}, validation", CUSTOM, base.n_samples, base.n_repeats, base.n_folds,
            base.is_stratified, base.is_grouped, base.random_state, base.notes,
            base, validation_rows(data, base),
        )  # fmt: skip

    @cached_property
    def test_rows(self) -> list[Ints]:
        """Rows that each split predicts: test rows, validation rows, then those that trained."""
        return [np.concatenate(parts) for parts in self.all_parts()]

    @cached_property
    def train_rows(self) -> list[Ints]:
        """Rows that train in each split, in repeat-major order."""
        return [train for _, _, train in self.all_parts()]

    @property
    def n_test(self) -> float:
        """Mean number of test rows of a split, without the others that are predicted."""
        return self.base.n_test

    @property
    def n_validation(self) -> float:
        """Mean number of validation rows of a split."""
        return float(np.mean([len(rows) for rows in self.held_back]))

    @property
    def title(self) -> str:
        """The kind of plan in words."""
        return f"{self.base.title}, a third of the training rows held back for validation"

    def split(self, repeat: int, fold: int) -> Split:
        """Return one split: test rows first, then validation rows, then those that trained."""
        test, validation, train = self.parts(repeat, fold)
        rows = np.concatenate([test, validation, train])
        return Split(repeat, fold, train, rows, rows_id(self.n_samples, train, rows))

    def parts(self, repeat: int, fold: int) -> tuple[Ints, Ints, Ints]:
        """Return test rows, validation rows and rows that train of one split."""
        split = self.base.split(repeat, fold)
        validation = self.held_back[repeat * self.n_folds + fold]
        is_held_back = np.zeros(self.n_samples, dtype=bool)
        is_held_back[validation] = True
        return split.test_rows, validation, split.train_rows[~is_held_back[split.train_rows]]

    def all_parts(self) -> Iterator[tuple[Ints, Ints, Ints]]:
        """Give what `parts` says of every split, in repeat-major order."""
        for repeat in range(self.n_repeats):
            for fold in range(self.n_folds):
                yield self.parts(repeat, fold)
