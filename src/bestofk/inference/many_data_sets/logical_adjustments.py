"""Adjustment of the p values of all pairs, given that equality is transitive."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from bestofk.array_types import Bools, Floats
from bestofk.checks import check_known
from bestofk.errors import DesignError
from bestofk.inference.adjust import ADJUSTMENTS, adjust_p_values, check_p_values, step_down

# There are 21,147 ways to put 9 learners into groups, and six times as many for 10.
MOST_LEARNERS = 9


def _shaffer(p_values: Floats, n_learners: int) -> Floats:
    n_pairs = p_values.shape[-1]
    possible = np.array(true_pair_counts(n_learners))
    at_most = np.arange(n_pairs, 0, -1)
    return step_down(p_values, possible[np.searchsorted(possible, at_most, side="right") - 1])


def _bergmann_hommel(p_values: Floats, n_learners: int) -> Floats:
    if n_learners > MOST_LEARNERS:
        raise DesignError(
            f"learners of bergmann-hommel must be at most {MOST_LEARNERS}; got {n_learners}, which "
            "takes too long. Take the correction shaffer, or leave learners out beforehand."
        )
    sets = exhaustive_sets(n_learners)
    sizes = sets.sum(axis=1)
    adjusted = np.empty_like(p_values)
    for family in np.ndindex(p_values.shape[:-1]):
        raw = p_values[family]
        least = np.where(sets, raw, np.inf).min(axis=1)
        largest = np.where(sets, (sizes * least)[:, np.newaxis], 0.0).max(axis=0)
        order = np.argsort(raw, kind="stable")
        up_to = np.maximum.accumulate(largest[order])
        # of equal p values the last one counts, so that equal ones get equal answers
        adjusted[family] = up_to[np.searchsorted(raw[order], raw, side="right") - 1]
    return adjusted


LOGICAL: dict[str, Callable[[Floats, int], Floats]] = {
    "shaffer": _shaffer,
    "bergmann-hommel": _bergmann_hommel,
}
PAIR_CORRECTIONS = (*LOGICAL, *ADJUSTMENTS)


def pair_correction(name: str) -> str:
    """Return the name of a correction as it is known, or raise.

    Parameters
    ----------
    name : str
        Capital or small letters; underscores do for hyphens.

    Returns
    -------
    str
        One of `PAIR_CORRECTIONS`.

    Raises
    ------
    InvalidArgumentError
        If there is no such correction; the message names the nearest.
    """
    key = str(name).lower().replace("_", "-")
    check_known(key, "correction", PAIR_CORRECTIONS, got=name)
    return key


def adjust_pairs(p_values: ArrayLike, n_learners: int, method: str) -> Floats:
    """Return adjusted p values of all pairs of learners.

    Two learners that equal a third equal each other: if one of three hypotheses is false, at
    most one of the other two is true. Shaffer and Bergmann-Hommel use that, and so reject more
    than Holm with the same guarantee under any dependence.

    Parameters
    ----------
    p_values : array-like of shape (..., n_pairs), float in [0, 1]
        In the order of ``np.triu_indices(n_learners, k=1)``; each family is adjusted alone.
    n_learners : int
        n_pairs = n_learners (n_learners - 1) / 2.
    method : str
        One of `PAIR_CORRECTIONS`: "shaffer" [1]_ (static), "bergmann-hommel" [2]_ (up to 9
        learners), or a method of `adjust_p_values`.

    Returns
    -------
    ndarray of shape (..., n_pairs), float
        At least the raw values, at most 1, in the order of the input.

    Raises
    ------
    DesignError
        If the number of pairs does not fit, or bergmann-hommel is given more than 9 learners.
    InvalidArgumentError
        If the method is unknown, or a p value is nan or outside [0, 1].

    Notes
    -----
    Shaffer multiplies the i-th smallest p value by the largest number of true hypotheses that
    is possible once i - 1 are false. Bergmann-Hommel takes, over all sets of hypotheses that can
    be exactly the true ones and hold the one in question, the largest product of the number in
    the set and its least p value. Both are made monotone [3]_, equal p values get equal answers.

    References
    ----------
    .. [1] Shaffer (1986), Modified sequentially rejective multiple test procedures, Journal of
       the American Statistical Association 81.
    .. [2] Bergmann & Hommel (1988), Improvements of general multiple test procedures for
       redundant systems of hypotheses, in Multiple Hypotheses Testing, Springer.
    .. [3] Garcia & Herrera (2008), An extension on statistical comparisons of classifiers over
       multiple data sets for all pairwise comparisons, Journal of Machine Learning Research 9.

    Examples
    --------
    >>> adjust_pairs([0.01, 0.02, 0.03], 3, "holm").tolist()
    [0.03, 0.04, 0.04]
    >>> adjust_pairs([0.01, 0.02, 0.03], 3, "shaffer").tolist()
    [0.03, 0.03, 0.03]
    """
    name = pair_correction(method)
    values = np.asarray(p_values, dtype=float)
    n_pairs = n_learners * (n_learners - 1) // 2
    if values.ndim == 0 or values.shape[-1] != n_pairs:
        raise DesignError(
            f"p_values of adjust_pairs must be one for each of the {n_pairs} pairs of {n_learners} "
            f"learners; got shape {values.shape}. Use adjust_p_values for other families."
        )
    check_p_values(values, "p_values of adjust_pairs")
    if name in ADJUSTMENTS:
        return adjust_p_values(values, name)
    return np.clip(LOGICAL[name](values, n_learners), values, 1.0)


@lru_cache(maxsize=64)
def true_pair_counts(n_learners: int) -> tuple[int, ...]:
    """Return how many pairs can be equal at once, given that equality carries over.

    Parameters
    ----------
    n_learners : int
        At least 1.

    Returns
    -------
    tuple of int
        Ascending, from 0 to n_learners (n_learners - 1) / 2.

    Examples
    --------
    >>> true_pair_counts(4)
    (0, 1, 2, 3, 6)
    """
    # Bit c of masks[k] is set if c pairs of k learners can be equal: one group of j, and the rest.
    masks = [1]
    for k in range(1, n_learners + 1):
        mask = 0
        for j in range(1, k + 1):
            mask |= masks[k - j] << (j * (j - 1) // 2)
        masks.append(mask)
    return tuple(c for c in range(masks[-1].bit_length()) if masks[-1] >> c & 1)


@lru_cache(maxsize=16)
def exhaustive_sets(n_learners: int) -> Bools:
    """Return all sets of pairs that can be exactly the equal ones.

    Each way to put the learners into groups gives one set: the pairs within groups.

    Parameters
    ----------
    n_learners : int
        At least 2; the number of sets grows faster than exponentially.

    Returns
    -------
    ndarray of shape (n_sets, n_pairs), bool
        Read-only; pairs in the order of ``np.triu_indices(n_learners, k=1)``. The empty set is
        left out.

    Examples
    --------
    >>> exhaustive_sets(3).astype(int).tolist()
    [[1, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    """
    groups = np.zeros((1, 1), dtype=np.int8)
    for _ in range(1, n_learners):
        # A further learner joins one of the groups so far, or opens the next.
        choices = groups.max(axis=1).astype(int) + 2
        extended = np.repeat(groups, choices, axis=0)
        starts = np.repeat(np.cumsum(choices) - choices, choices)
        joined = (np.arange(len(extended)) - starts).astype(np.int8)
        groups = np.column_stack([extended, joined])
    i, j = np.triu_indices(n_learners, k=1)
    sets: Bools = groups[:, i] == groups[:, j]
    sets = sets[sets.any(axis=1)]
    sets.flags.writeable = False
    return sets
