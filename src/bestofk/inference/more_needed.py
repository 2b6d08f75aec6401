"""Repeats or rows that would make a claim about new data likely."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from bestofk.inference.new_data import NewDataLosses

LIKELY = 0.95
ROW_FACTORS = (2, 3, 5, 10, 20)


@dataclass(frozen=True)
class MoreNeeded:
    """Repeats or rows that would make a learner 95% likely to be near the best on new data.

    Parameters
    ----------
    is_behind : bool
        Whether its mean is already further behind the lowest than asked for, so that neither
        would.
    n_repeats : int or None
        Repeats in all that would; None where the most allowed would not.
    endless_repeats_would : bool
        Whether any number of repeats on the same rows would.
    row_factor : int or None
        How many times as many rows would; None where 20 times would not, or repeats would.
    """

    is_behind: bool = False
    n_repeats: int | None = None
    endless_repeats_would: bool = False
    row_factor: int | None = None


def more_needed(
    losses: NewDataLosses,
    learner_index: int,
    within: float,
    *,
    n_splits: int,
    n_folds: int,
    most_splits: int = 100,
) -> MoreNeeded | None:
    """Return what would make a learner 95% likely to be within a distance of the best.

    Mean losses are taken to stay as they are, so that only their uncertainty shrinks.  Repeats
    lower one part of it, and rows all of it.

    Parameters
    ----------
    losses : NewDataLosses
        Joint distribution of the losses.
    learner_index : int
        Its position.
    within : float, at least 0
        The distance, in the unit of the loss.
    n_splits, n_folds : int
        Splits that the losses rest on, and how many of them are one repeat.
    most_splits : int, default=100
        Splits in all beyond which more repeats are not worth their cost.

    Returns
    -------
    MoreNeeded or None
        None where it is that likely already.

    Examples
    --------
    >>> import numpy as np
    >>> from bestofk.inference.new_data import losses_on_new_data
    >>> losses = np.random.default_rng(0).binomial(20, [[0.1], [0.13]], (2, 25)).T / 20
    >>> expected = losses_on_new_data(losses, n_samples=100, n_train=80, n_test=20)
    >>> more_needed(expected, 0, 0.01, n_splits=25, n_folds=5).row_factor
    3
    """
    if losses.probability(within)[learner_index] >= LIKELY:
        return None
    if losses.means[learner_index] - losses.means.min() > within:
        return MoreNeeded(is_behind=True)

    def is_enough(*, splits: float = n_splits, rows: float = 1) -> bool:
        more = losses.with_more(repeats=splits / n_splits, rows=rows)
        return bool(more.probability(within)[learner_index] >= LIKELY)

    endless = is_enough(splits=float("inf"))
    counts = range(n_splits // n_folds + 1, most_splits // n_folds + 1)
    if endless and counts and is_enough(splits=counts[-1] * n_folds):
        index = bisect_left(counts, True, key=lambda count: is_enough(splits=count * n_folds))
        return MoreNeeded(n_repeats=counts[index], endless_repeats_would=True)
    factors = (factor for factor in ROW_FACTORS if is_enough(rows=factor))
    return MoreNeeded(endless_repeats_would=endless, row_factor=next(factors, None))
