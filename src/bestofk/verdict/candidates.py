"""Candidates: the learners that no other learner significantly beats."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bestofk.array_types import Bools, Floats
from bestofk.inference import adjust_p_values, reject_adjusted
from bestofk.verdict.multitest import square
from bestofk.verdict.ordering import Ordering, OrderingInput, Pick


def candidate_set(
    p_one_sided: ArrayLike, *, alpha: float, correction: str = "holm"
) -> tuple[Bools, Floats]:
    """Return the learners that may be best, by one family of all one-sided tests.

    If the tests are valid, every learner whose expected loss is lowest is in the set with
    probability at least 1 - alpha.

    Parameters
    ----------
    p_one_sided : array-like of shape (n_learners, n_learners)
        Entry [i, j], i != j, is the p value of the null hypothesis that the expected loss of
        learner i is at most that of learner j. The diagonal is not read.
    alpha : float in (0, 1)
        Probability of at least one false rejection among all ordered pairs.
    correction : {"bonferroni", "holm"}, default="holm"
        The family is always all n_learners (n_learners - 1) ordered pairs.

    Returns
    -------
    candidates : ndarray of shape (n_learners,), bool
        Never all False: tests made from one set of scores spare the learner with the lowest
        mean; should p values from elsewhere contradict each other so that every learner is
        beaten, they exclude none.
    adjusted : ndarray of shape (n_learners, n_learners), float
        Adjusted p values, nan on the diagonal; [i, j] at most alpha says that j is shown to
        have a smaller loss than i.

    Raises
    ------
    InvalidArgumentError
        If the array is not square, an entry off the diagonal is no probability, or `alpha`
        or `correction` is not allowed.

    Notes
    -----
    A plain relative of the model confidence sets of cross-validation [1]_, made of pairwise
    tests with Holm's procedure [2]_.

    References
    ----------
    .. [1] Lei (2020), Cross-validation with confidence, Journal of the American Statistical
       Association 115(532).
    .. [2] Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian
       Journal of Statistics 6(2).

    Examples
    --------
    >>> p_one_sided = [[1, 0.3, 0.99], [0.7, 1, 0.98], [0.001, 0.002, 1]]
    >>> candidate_set(p_one_sided, alpha=0.05)[0].tolist()
    [True, True, False]
    """
    values = square(p_one_sided, "p_one_sided of candidate_set")
    pairs = ~np.eye(len(values), dtype=bool)
    adjusted = np.full_like(values, np.nan)
    adjusted[pairs] = adjust_p_values(values[pairs], correction)
    beaten = np.asarray(reject_adjusted(adjusted, alpha).any(axis=1))
    if beaten.all():
        beaten[:] = False
    return ~beaten, adjusted


def _pick(given: OrderingInput) -> Pick:
    is_candidate, _ = candidate_set(given.compared.p_greater, alpha=given.alpha)
    left = tuple(int(i) for i in np.flatnonzero(is_candidate))
    if len(left) == 1:
        return Pick(left[0], "All others are significantly worse.", may_be_best=left)
    return Pick(None, f"Cannot be ruled out: {given.list_names(left)}.", may_be_best=left)


ORDERING = Ordering("candidates", "candidate set", _pick)
