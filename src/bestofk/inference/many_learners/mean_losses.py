"""Mean losses: of repeats, and the lowest of several."""

import numpy as np
from numpy.typing import ArrayLike

from bestofk.array_types import Floats, Ints
from bestofk.errors import InvalidArgumentError
from bestofk.measures.ties import at_most, tied_values


def lowest_loss(mean_losses: ArrayLike, indifference: float = 0.0) -> int:
    """Return the learner with the lowest mean loss; of equal ones the most preferred.

    Parameters
    ----------
    mean_losses : array-like of shape (n_learners,)
        In decreasing preference, any unit; lower is better.
    indifference : float, default=0
        Means up to this above the lowest are equal to it.

    Returns
    -------
    int
        Index from 0. Means that differ by rounding only are equal.

    Raises
    ------
    InvalidArgumentError
        If there is none, or one is nan or infinite.

    Examples
    --------
    >>> lowest_loss([0.3, 0.2, 0.1 + 0.1])
    1
    >>> lowest_loss([0.204, 0.3, 0.2], indifference=0.005)
    0
    """
    means = np.asarray(mean_losses, dtype=float)
    if means.ndim != 1 or means.size == 0 or not np.isfinite(means).all():
        raise InvalidArgumentError(
            f"mean_losses must be one finite number per learner; got {means.tolist()}. "
            "Leave out learners without a score."
        )
    tied = tied_values(means)
    return int(np.argmax(at_most(tied, tied.min() + indifference)))


def repeat_means(losses: Floats, repeat_of_split: Ints) -> Floats:
    """Return the mean loss of each learner in each repeat.

    Parameters
    ----------
    losses : ndarray of shape (n_splits, n_learners)
        Any unit.
    repeat_of_split : ndarray of shape (n_splits,), int
        The repeat that each split belongs to.

    Returns
    -------
    ndarray of shape (n_repeats, n_learners)
        Repeats in increasing order.
    """
    repeats, index = np.unique(repeat_of_split, return_inverse=True)
    counts = np.bincount(index)
    sums = np.zeros((losses.shape[1], len(repeats)))
    for column, total in zip(losses.T, sums, strict=True):
        total[:] = np.bincount(index, weights=column)
    return (sums / counts).T
