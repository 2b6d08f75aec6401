"""TestFirst: the learner with the lowest mean loss, if it beats all preferred learners."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bestofk.errors import InvalidArgumentError
from bestofk.inference import reject_adjusted
from bestofk.inference.adjust import check_p_values
from bestofk.inference.checks import check_share
from bestofk.inference.many_learners.mean_losses import lowest_loss
from bestofk.verdict.multitest import multitest_edges, square
from bestofk.verdict.ordering import Ordering, OrderingInput, Pick


def first_test_best(
    mean_losses: ArrayLike,
    p_values: ArrayLike,
    *,
    alpha: float,
    correction: str = "bonferroni",
    per_comparison: float | None = None,
) -> int | None:
    """Return the learner with the lowest mean loss if it beats all preferred ones, else None.

    Parameters
    ----------
    mean_losses : array-like of shape (n_learners,)
        In decreasing preference; lower is better.
    p_values : array-like of shape (n_learners, n_learners)
        Entry [i, j] with i < j is the one-sided p value of the null hypothesis that the
        expected loss of learner i is at most that of learner j. Only the column of the
        lowest mean is read, with "holm" all above the diagonal.
    alpha : float in (0, 1)
        Level of the family of all n_learners (n_learners - 1) / 2 pairs.
    correction : {"bonferroni", "holm"}, default="bonferroni"
        How the family is corrected.
    per_comparison : float in (0, 1) or None, default=None
        Level of each single comparison, in place of `alpha` and `correction`.

    Returns
    -------
    int or None
        Index from 0; None where a preferred learner is not shown to be worse, so that the
        procedure names no best.

    Raises
    ------
    InvalidArgumentError
        If an argument has the wrong shape or is no probability.

    Notes
    -----
    The level printed with the method is "overall"; its published results agree with alpha
    divided by the number of all pairs, not of those that are tested [1]_.

    References
    ----------
    .. [1] Yildiz & Alpaydin (2006), Ordering and finding the best of K > 2 supervised learning
       algorithms, IEEE Transactions on Pattern Analysis and Machine Intelligence 28(3).

    Examples
    --------
    >>> p_values = np.ones((3, 3))
    >>> p_values[0, 2], p_values[1, 2] = 0.001, 0.2
    >>> print(first_test_best([0.30, 0.28, 0.20], p_values, alpha=0.05))
    None
    """
    first = lowest_loss(mean_losses)
    values = square(p_values, "p_values of first_test_best")
    if len(values) != np.size(mean_losses):
        raise InvalidArgumentError(
            "p_values of first_test_best must have one row per learner; got "
            f"{len(values)} for {np.size(mean_losses)} mean losses. Give both for all learners."
        )
    read = np.ones_like(values)
    read[:first, first] = values[:first, first]
    if per_comparison is not None:
        level = check_share(per_comparison, "per_comparison")
        rejected = reject_adjusted(check_p_values(read, "p_values of first_test_best"), level)
    else:
        family = read if correction == "bonferroni" else values
        rejected, _ = multitest_edges(family, alpha=alpha, correction=correction)
    return first if rejected[:first, first].all() else None


def _pick(given: OrderingInput) -> Pick:
    first = lowest_loss(given.means)
    best = first_test_best(given.means, given.compared.p_greater, alpha=given.alpha)
    if best is None:
        name = given.names[first]
        return Pick(None, f"{name} has the lowest mean and does not beat all preferred to it.")
    why = "Lowest mean, and no learner is preferred to it." if best == 0 else (
        f"Lowest mean, and it beats all preferred to it: {given.list_names(range(best))}."
    )  # fmt: skip
    return Pick(best, why)


ORDERING = Ordering("testfirst", "TestFirst", _pick)
