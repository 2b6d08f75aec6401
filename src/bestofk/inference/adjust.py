"""How small must p values be when many hypotheses are tested together."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk.errors import InvalidArgumentError, nearest_name
from bestofk.inference.student import Floats, check_share


def _bonferroni(p_values: Floats) -> Floats:
    return np.asarray(np.minimum(1.0, p_values.shape[-1] * p_values))


def _holm(p_values: Floats) -> Floats:
    n_hypotheses = p_values.shape[-1]
    order = np.argsort(p_values, axis=-1, kind="stable")
    ascending = np.take_along_axis(p_values, order, axis=-1)
    multiplied = ascending * np.arange(n_hypotheses, 0, -1)
    # The running maximum keeps the order and gives equal p values equal answers.
    adjusted = np.minimum(1.0, np.maximum.accumulate(multiplied, axis=-1))
    result = np.empty_like(adjusted)
    np.put_along_axis(result, order, adjusted, axis=-1)
    return result


# p = alpha/m is rejected, though m * (alpha/m) may exceed alpha by a rounding error.
_ROUNDING = 1 + 4 * np.finfo(float).eps

ADJUSTMENTS: dict[str, Callable[[Floats], Floats]] = {"bonferroni": _bonferroni, "holm": _holm}


def adjust_p_values(p_values: ArrayLike, method: str) -> Floats:
    """Return adjusted p values: reject what is at most alpha, and the family keeps alpha.

    Both methods bound the probability of at least one false rejection, whatever the
    dependence between the tests.

    Parameters
    ----------
    p_values : array-like of shape (..., n_hypotheses), float in [0, 1]
        The family is the last axis; several families are adjusted at once, each alone.
    method : {"bonferroni", "holm"}
        Bonferroni multiplies by n_hypotheses; Holm [1]_ multiplies the k-th smallest by
        n_hypotheses - k + 1 and never rejects less.

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

    Examples
    --------
    >>> adjust_p_values([0.001, 0.013, 0.03], "holm").round(3).tolist()
    [0.003, 0.026, 0.03]
    """
    if method not in ADJUSTMENTS:
        raise InvalidArgumentError(
            f"correction must be a known one; got {method!r}. " + nearest_name(method, ADJUSTMENTS)
        )
    values = np.asarray(p_values, dtype=float)
    if values.ndim == 0:
        raise InvalidArgumentError(
            f"p_values of adjust_p_values must be a list; got the single number {values}. "
            "A family of one hypothesis needs no adjustment."
        )
    check_p_values(values, "p_values of adjust_p_values")
    return ADJUSTMENTS[method](values)


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


def reject_adjusted(adjusted: ArrayLike, alpha: float) -> NDArray[np.bool_]:
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
    limit = check_share(alpha, "alpha") * _ROUNDING
    return np.asarray(np.asarray(adjusted, dtype=float) <= limit)
