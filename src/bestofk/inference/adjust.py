"""Adjustments of p values for families of hypotheses, also of all pairs of learners."""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from bestofk.array_types import Bools, Floats
from bestofk.checks import check_known
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference.checks import check_share
from bestofk.measures.ties import at_most


def _bonferroni(p_values: Floats) -> Floats:
    return np.asarray(p_values.shape[-1] * p_values)


def _holm(p_values: Floats) -> Floats:
    return step_down(p_values, np.arange(p_values.shape[-1], 0, -1))


def _hochberg(p_values: Floats) -> Floats:
    return _stepwise(p_values, lambda p, n: _least_from_right(p * np.arange(n, 0, -1)))


def _bh(p_values: Floats) -> Floats:
    return _stepwise(p_values, lambda p, n: _least_from_right(p * (n / np.arange(1, n + 1))))


def _by(p_values: Floats) -> Floats:
    return np.asarray(_bh(p_values) * (1 / np.arange(1, p_values.shape[-1] + 1)).sum())


def _hommel(p_values: Floats) -> Floats:
    return _stepwise(p_values, _hommel_of_ascending)


def _hommel_of_ascending(p: Floats, n: int) -> Floats:
    """Return Hommel's adjusted values of ascending p values, in n steps over the last axis."""
    # Simes' p value of all n hypotheses bounds every one of them from below.
    simes = (p * (n / np.arange(1, n + 1))).min(axis=-1, keepdims=True)
    adjusted = np.broadcast_to(simes, p.shape).copy()
    for size in range(n - 1, 1, -1):
        # Sets of `size` hypotheses: one of the first, with the size - 1 largest p values.
        large = p[..., n - size + 1 :]
        least = (size * large / np.arange(2, size + 1)).min(axis=-1, keepdims=True)
        first = np.minimum(size * p[..., : n - size + 1], least)
        adjusted[..., : n - size + 1] = np.maximum(adjusted[..., : n - size + 1], first)
        adjusted[..., n - size + 1 :] = np.maximum(adjusted[..., n - size + 1 :], first[..., -1:])
    return adjusted


def _least_from_right(values: Floats) -> Floats:
    return np.asarray(np.minimum.accumulate(values[..., ::-1], axis=-1)[..., ::-1])


def _stepwise(p_values: Floats, adjust_ascending: Callable[[Floats, int], Floats]) -> Floats:
    """Adjust each family in ascending order, and put the answers back in the given order."""
    if p_values.shape[-1] == 0:
        return p_values
    order = np.argsort(p_values, axis=-1)
    ascending = np.take_along_axis(p_values, order, axis=-1)
    result = np.empty_like(ascending)
    np.put_along_axis(result, order, adjust_ascending(ascending, ascending.shape[-1]), axis=-1)
    return result


ADJUSTMENTS: dict[str, Callable[[Floats], Floats]] = {
    "bonferroni": _bonferroni,
    "holm": _holm,
    "hochberg": _hochberg,
    "hommel": _hommel,
    "bh": _bh,
    "by": _by,
}


def adjust_p_values(p_values: ArrayLike, method: str) -> Floats:
    """Return adjusted p values: reject what is at most alpha, and the family keeps alpha.

    Parameters
    ----------
    p_values : array-like of shape (..., n_hypotheses), float in [0, 1]
        The family is the last axis; several families are adjusted at once, each alone.
    method : {"bonferroni", "holm", "hochberg", "hommel", "bh", "by"}
        Capital or small letters. What alpha bounds, and when:

        - "bonferroni", "holm" [1]_: the probability of at least one false rejection,
          whatever the dependence between the tests. Holm never rejects less.
        - "hochberg" [2]_, "hommel" [3]_: the same probability, but only under independence
          or positive dependence, which p values of all pairs of learners need not have.
          Hommel never rejects less than Hochberg, nor Hochberg less than Holm.
        - "bh" [4]_: the expected share of false rejections among the rejections (false
          discovery rate), under independence or positive dependence.
        - "by" [5]_: the same share, whatever the dependence.

    Returns
    -------
    ndarray of shape (..., n_hypotheses)
        At least the raw values, at most 1, in the order of the input. Equal p values get
        equal answers. An empty family stays empty.

    Raises
    ------
    InvalidArgumentError
        If the method is unknown, or a p value is nan or outside [0, 1].

    References
    ----------
    .. [1] Holm (1979), A simple sequentially rejective multiple test procedure,
       Scandinavian Journal of Statistics 6(2).
    .. [2] Hochberg (1988), A sharper Bonferroni procedure for multiple tests of
       significance, Biometrika 75(4).
    .. [3] Hommel (1988), A stagewise rejective multiple test procedure based on a modified
       Bonferroni test, Biometrika 75(2).
    .. [4] Benjamini & Hochberg (1995), Controlling the false discovery rate, Journal of the
       Royal Statistical Society B 57(1).
    .. [5] Benjamini & Yekutieli (2001), The control of the false discovery rate in multiple
       testing under dependency, Annals of Statistics 29(4).

    Examples
    --------
    >>> adjust_p_values([0.001, 0.013, 0.03], "holm").round(3).tolist()
    [0.003, 0.026, 0.03]
    >>> adjust_p_values([0.001, 0.013, 0.03, 0.03, 0.2, 0.7], "BH").round(3).tolist()
    [0.006, 0.039, 0.045, 0.045, 0.24, 0.7]
    """
    name = str(method).lower()
    check_known(name, "correction", ADJUSTMENTS, got=method)
    values = np.asarray(p_values, dtype=float)
    if values.ndim == 0:
        raise InvalidArgumentError(
            f"p_values of adjust_p_values must be a list; got the single number {values}. "
            "A family of one hypothesis needs no adjustment."
        )
    check_p_values(values, "p_values of adjust_p_values")
    # Rounding may leave a value a hair below the raw one.
    return np.clip(ADJUSTMENTS[name](values), values, 1.0)


def step_down(p_values: Floats, multipliers: ArrayLike) -> Floats:
    """Return p values multiplied from the smallest on, never falling.

    Parameters
    ----------
    p_values : ndarray of shape (..., n_hypotheses), float in [0, 1]
        The family is the last axis.
    multipliers : array-like of shape (n_hypotheses,), float
        Of the smallest p value, of the next, ...

    Returns
    -------
    ndarray of shape (..., n_hypotheses), float
        At most 1, in the order of the input.

    Examples
    --------
    >>> step_down(np.array([0.03, 0.001, 0.013]), [3, 2, 1]).round(3).tolist()
    [0.03, 0.003, 0.026]
    """
    factors = np.asarray(multipliers, dtype=float)
    # The running maximum keeps the order and gives equal p values equal answers.
    return np.minimum(
        1.0, _stepwise(p_values, lambda p, n: np.maximum.accumulate(p * factors, axis=-1))
    )


def check_p_values(p_values: Floats, what: str) -> Floats:
    """Return p values as they are, or raise if one is no probability.

    Parameters
    ----------
    p_values : ndarray of float
        Any shape.
    what : str
        Its name in the error message.

    Returns
    -------
    ndarray of float
        The same array.

    Raises
    ------
    InvalidArgumentError
        If a value is nan or outside [0, 1].
    """
    outside = p_values[~((p_values >= 0) & (p_values <= 1))]
    if outside.size:
        raise InvalidArgumentError(
            f"{what} must be numbers from 0 to 1; got {outside[0]}. "
            "A test that could not be made has no place in the family."
        )
    return p_values


def reject_adjusted(adjusted: ArrayLike, alpha: float) -> Bools:
    """Return which hypotheses are rejected: adjusted p value at most `alpha`.

    Parameters
    ----------
    adjusted : array-like of float
        Adjusted p values; nan marks what is no hypothesis and is never rejected.
    alpha : float in (0, 1)
        Level that the family keeps.

    Returns
    -------
    ndarray of bool
        In the shape of the input.

    Raises
    ------
    InvalidArgumentError
        If `alpha` is not inside (0, 1).

    Examples
    --------
    >>> reject_adjusted([0.02, 0.05, 0.051], 0.05).tolist()
    [True, True, False]
    """
    # p = alpha/m is rejected, though m * (alpha/m) may exceed alpha by a rounding error
    return at_most(adjusted, check_share(alpha, "alpha"))


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
