"""Plans whose splits train on only a part of their training rows.

Plans for learning curves train on nested parts of the training rows of each split; see
Perlich, Provost & Simonoff (2003), Tree induction vs. logistic regression: a learning-curve
analysis, Journal of Machine Learning Research 4, 211-255 (on curves instead of points).

Validation rows are held back from training to choose a setting without the test rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from bestofk.array_types import Floats, Ints
from bestofk.checks import check_known, is_whole
from bestofk.data.data_set import DataSet
from bestofk.errors import InvalidArgumentError
from bestofk.randomness import derive_rng, derive_seed
from bestofk.resampling.drawn_rows import fold_assignment, order_of_appearance
from bestofk.resampling.plan import CUSTOM, Plan, Split, SplitPlan, rows_id

SCHEDULES = ("geometric", "arithmetic")
_SMALLEST_PER_CLASS = 5  # minimum rows of the smallest part, if only the number of sizes is given
_SMALLEST = 10


def curve_sizes(
    train_sizes: Any, n_train: int, *, n_classes: int = 0, schedule: str = "geometric"
) -> Ints:
    """Return the numbers of training rows of a curve, ascending.

    Parameters
    ----------
    train_sizes : int or sequence of int or float
        Number of sizes, up to all training rows; or the ascending sizes themselves: whole numbers
        of rows, or shares in (0, 1] of the training rows.
    n_train : int
        Training rows of the smallest split.
    n_classes : int, default=0
        Number of classes; if only a number of sizes is given, the smallest has five rows per class,
        at least ten.
    schedule : {"geometric", "arithmetic"}, default="geometric"
        Whether sizes grow by a constant factor or by a constant number.

    Returns
    -------
    ndarray of int64

    Raises
    ------
    InvalidArgumentError
        If sizes are not ascending, below 1 row or above `n_train`, or mix shares and rows.

    Examples
    --------
    >>> curve_sizes(4, 640, n_classes=2).tolist()
    [10, 40, 160, 640]
    >>> curve_sizes([0.1, 0.5, 1.0], 135).tolist()
    [14, 68, 135]
    """
    check_known(schedule, "schedule", SCHEDULES)
    if is_whole(train_sizes):
        return _spread(int(train_sizes), n_train, n_classes, schedule)
    return _given(train_sizes, n_train)


def _spread(n_sizes: int, n_train: int, n_classes: int, schedule: str) -> Ints:
    if n_sizes < 2:
        raise InvalidArgumentError(
            f"train_sizes must be at least two sizes; got {n_sizes}. A curve has two ends."
        )
    if n_sizes > n_train:
        raise InvalidArgumentError(
            f"train_sizes must be at most as many sizes as there are training rows ({n_train}); "
            f"got {n_sizes}. A single number is the number of sizes; give sizes as a list."
        )
    smallest = min(max(_SMALLEST, _SMALLEST_PER_CLASS * n_classes), n_train)
    spread = np.geomspace if schedule == "geometric" else np.linspace
    return np.unique(np.round(spread(smallest, n_train, n_sizes)).astype(np.int64))


def _given(train_sizes: Any, n_train: int) -> Ints:
    try:
        sizes = np.asarray(train_sizes, dtype=np.float64)
    except (TypeError, ValueError):
        sizes = np.empty(0)
    if sizes.ndim != 1 or not len(sizes) or not np.isfinite(sizes).all():
        raise InvalidArgumentError(
            f"train_sizes must be a number of sizes or a list of them; got {train_sizes!r}. "
            "Write 8, or [20, 40, 80], or [0.1, 0.5, 1.0]."
        )
    shown = ", ".join(f"{size:g}" for size in sizes)
    if (sizes <= 0).any() or (np.diff(sizes) <= 0).any():
        raise InvalidArgumentError(
            f"train_sizes must be above 0 and strictly ascending; got {shown}. Sort them."
        )
    are_shares = bool((sizes <= 1).all()) and not _is_one_row(train_sizes)
    if not are_shares and (sizes % 1 != 0).any():
        raise InvalidArgumentError(
            f"train_sizes must be all shares up to 1 or all whole numbers of rows; got {shown}. "
            "Use one of the two."
        )
    rows = np.maximum(np.round(sizes * n_train), 1) if are_shares else sizes
    if rows[-1] > n_train:
        raise InvalidArgumentError(
            f"train_sizes must be at most the training rows of the smallest split ({n_train}); got "
            f"{shown}. Use shares such as 1.0 for all, or more folds."
        )
    return np.unique(rows.astype(np.int64))


def _is_one_row(train_sizes: Any) -> bool:
    return all(isinstance(size, int | np.integer) for size in train_sizes)


def prefix_orders(data: DataSet, plan: Plan) -> tuple[Ints, ...]:
    """Return the training rows of each split, in an order whose first rows are the parts.

    The order is random, seeded by names; classes are spread evenly, so that in any first part each
    class is within two rows of its share.

    Parameters
    ----------
    data : DataSet
        The rows.
    plan : Plan
        Its splits; stratified plans have stratified parts.

    Returns
    -------
    tuple of ndarray of int64
        One per split, in repeat-major order.
    """
    orders = []
    for split in plan:
        rng = derive_rng(plan.random_state, "training rows", split.repeat, split.fold)
        rows = rng.permutation(split.train_rows)
        if plan.is_stratified:
            rows = rows[np.argsort(_place_in_class(data.y[rows]), kind="stable")]
        orders.append(rows)
    return tuple(orders)


def _place_in_class(y: np.ndarray) -> Floats:
    """Return for each row the share of its class before it, counting half of the row."""
    position = np.empty(len(y))
    for label in np.unique(y):
        rows = np.flatnonzero(y == label)
        position[rows] = (np.arange(len(rows)) + 0.5) / len(rows)
    return position


@dataclass(frozen=True, eq=False, repr=False)
class PrefixPlan(Plan):
    """The splits of a plan, each trained only on the first rows of its training part.

    The rows used for training are predicted, too, after the test rows: a curve shows both errors,
    with one fit for both.

    Parameters
    ----------
    base : Plan
        The plan with the full splits.
    orders : tuple of ndarray
        Training rows of each split, see `prefix_orders`.
    size : int
        Number of training rows.
    """

    base: Plan
    orders: tuple[Ints, ...]
    size: int
    _kind: ClassVar = "prefixes"

    @classmethod
    def of(cls, base: Plan, orders: Sequence[Ints], size: int) -> PrefixPlan:
        """Return the plan of one size."""
        facts = base.facts(f"{base.name}, {size} rows")
        return cls(**facts, base=base, orders=tuple(orders), size=size)

    @cached_property
    def sizes(self) -> tuple[Ints, Ints]:
        """Number of training rows and of rows predicted of each split."""
        train = np.full(len(self), self.size, dtype=np.int64)
        return train, self.base.sizes[1] + train

    @cached_property
    def test_rows(self) -> list[Ints]:
        """Rows that each split predicts: test rows first, then training rows."""
        pairs = zip(self.base.test_rows, self.train_rows, strict=True)
        return [np.concatenate(pair) for pair in pairs]

    @cached_property
    def train_rows(self) -> list[Ints]:
        """Rows that train, ascending."""
        return [*np.sort([order[: self.size] for order in self.orders], axis=1)]

    @property
    def first_hold_out(self) -> PartialHoldOut:
        """The first split, which predicts only its test rows."""
        rows = ((self.train_rows[0], self.base.test_rows[0]),)
        return PartialHoldOut(
            f"{self.name}, first split", CUSTOM, self.n_samples, 1, 1, self.is_stratified,
            self.is_grouped, self.random_state, (), rows, len(self.orders[0]),
        )  # fmt: skip

    @property
    def n_test(self) -> float:
        """Mean number of test rows of a split, without training rows."""
        return self.base.n_test

    @property
    def title(self) -> str:
        """The kind of plan in words."""
        return f"{self.base.title}, parts of {self.size} rows"

    def split(self, repeat: int, fold: int) -> Split:
        """Return one split: test rows first, then training rows."""
        index = repeat * self.n_folds + fold
        train, rows = self.train_rows[index], self.test_rows[index]
        return Split(repeat, fold, train, rows, rows_id(self.n_samples, train, rows))


@dataclass(frozen=True, eq=False, repr=False)
class PartialHoldOut(SplitPlan):
    """A hold-out trained only on the first rows of its training part.

    Parameters
    ----------
    n_all : int
        Rows of the whole training part.
    """

    n_all: int

    @property
    def title(self) -> str:
        """The kind of plan in words."""
        return f"{super().title}, trained on {len(self.rows[0][0]):,} of {self.n_all:,} rows"


def partial_hold_outs(
    data: DataSet, plan: SplitPlan, sizes: Sequence[int]
) -> tuple[PartialHoldOut, ...]:
    """Return a hold-out trained on increasing parts of its training rows, with the same test rows.

    Parameters
    ----------
    data : DataSet
        The rows.
    plan : SplitPlan
        One hold-out; if stratified, each class is within two rows of its share in every part.
    sizes : sequence of int
        Rows of each part; each part contains the smaller ones.

    Returns
    -------
    tuple of PartialHoldOut
        One per size.
    """
    (train, test), (order,) = plan.rows[0], prefix_orders(data, plan)
    return tuple(
        PartialHoldOut(
            **plan.facts(f"{plan.name}, {size} rows") | {"scheme": plan.scheme},
            rows=((np.sort(order[:size]), test),),
            n_all=len(train),
        )
        for size in sizes
    )


_PARTS = 3  # one in so many training rows is held back


def validation_rows(data: DataSet, plan: Plan) -> tuple[Ints, ...]:
    """Return the training rows of each split that are held back for validation: one in three.

    Rows are drawn at random, seeded by names. Stratified plans have stratified parts; groups are
    never split, and a row that a bootstrap drew twice is held back with its copies.

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
            "training rows of each split must be at least 2 rows, or groups, to hold some back for "
            f"validation; got {n_units} in repeat {split.repeat}, fold {split.fold}. Use another "
            "cv."
        )
    seed = derive_seed(plan.random_state, "validation rows", split.repeat, split.fold)
    n_folds = min(_PARTS, n_units)
    folds = fold_assignment(
        len(rows), groups, n_folds=n_folds, n_repeats=1, random_state=seed, strata=strata
    )
    return np.asarray(rows[folds[0] == 0])


@dataclass(frozen=True, eq=False, repr=False)
class ValidationPlan(Plan):
    """The splits of a plan, each trained without the rows held back for validation.

    A learner is fitted once per split and predicts the test rows, then the validation rows, then
    the training rows; no row is in two of the three.

    Parameters
    ----------
    base : Plan
        The plan with the full splits.
    held_back : tuple of ndarray
        Validation rows of each split, see `validation_rows`.
    """

    base: Plan
    held_back: tuple[Ints, ...]
    _kind: ClassVar = "validation"

    @classmethod
    def of(cls, data: DataSet, base: Plan) -> ValidationPlan:
        """Return the plan that holds back one row in three of every training part."""
        facts = base.facts(f"{base.name}, validation")
        return cls(**facts, base=base, held_back=validation_rows(data, base))

    @cached_property
    def test_rows(self) -> list[Ints]:
        """Rows that each split predicts: test rows, validation rows, training rows."""
        return [np.concatenate(parts) for parts in self.all_parts()]

    @cached_property
    def train_rows(self) -> list[Ints]:
        """Training rows of each split, in repeat-major order."""
        return [train for _, _, train in self.all_parts()]

    @property
    def n_test(self) -> float:
        """Mean number of test rows of a split, without the other predicted rows."""
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
        """Return one split: test rows first, then validation rows, then training rows."""
        test, validation, train = self.parts(repeat, fold)
        rows = np.concatenate([test, validation, train])
        return Split(repeat, fold, train, rows, rows_id(self.n_samples, train, rows))

    def parts(self, repeat: int, fold: int) -> tuple[Ints, Ints, Ints]:
        """Return test rows, validation rows and training rows of one split."""
        split = self.base.split(repeat, fold)
        validation = self.held_back[repeat * self.n_folds + fold]
        is_held_back = np.zeros(self.n_samples, dtype=bool)
        is_held_back[validation] = True
        return split.test_rows, validation, split.train_rows[~is_held_back[split.train_rows]]

    def all_parts(self) -> Iterator[tuple[Ints, Ints, Ints]]:
        """Return `parts` of every split, in repeat-major order."""
        for repeat in range(self.n_repeats):
            for fold in range(self.n_folds):
                yield self.parts(repeat, fold)
