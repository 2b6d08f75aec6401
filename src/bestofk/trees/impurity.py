"""Impurity of class counts, and how much of it a split takes away."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bestofk.array_types import Floats
from bestofk.errors import InvalidArgumentError


def entropy(counts: ArrayLike) -> Any:
    """Return the entropy of classes, in bits.

    Parameters
    ----------
    counts : array-like of shape (..., n_classes)
        How many rows each class has; weights or shares will do.

    Returns
    -------
    float, or ndarray of shape (...)
        From 0, where all rows are of one class or there are none, to log2(n_classes).

    Raises
    ------
    InvalidArgumentError
        If a count is negative, infinite or no number, or rows differ in length.

    References
    ----------
    .. [1] Shannon (1948), A mathematical theory of communication, Bell System Technical
       Journal 27.

    Examples
    --------
    >>> round(entropy([9, 5]), 3), entropy([0, 6]), entropy([1, 1, 1, 1])
    (0.94, 0.0, 2.0)
    """
    shares = _shares(_checked(counts, "n_classes"))
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    return _plain(np.abs((shares * logs).sum(axis=-1)))


def gini(counts: ArrayLike) -> Any:
    """Return the Gini impurity: how often two rows drawn with replacement differ in class.

    Parameters
    ----------
    counts : array-like of shape (..., n_classes)
        How many rows each class has; weights or shares will do.

    Returns
    -------
    float, or ndarray of shape (...)
        From 0, where all rows are of one class or there are none, to 1 - 1 / n_classes.

    Raises
    ------
    InvalidArgumentError
        If a count is negative, infinite or no number, or rows differ in length.

    References
    ----------
    .. [1] Breiman, Friedman, Olshen and Stone (1984), Classification and Regression Trees,
       section 4.3.

    Examples
    --------
    >>> round(gini([9, 5]), 3), gini([0, 6]), gini([1, 1, 1, 1])
    (0.459, 0.0, 0.75)
    """
    shares = _shares(_checked(counts, "n_classes"))
    return _plain((shares * (1.0 - shares)).sum(axis=-1))


def classification_error(counts: ArrayLike) -> Any:
    """Return the share of rows that are not of the most frequent class.

    Parameters
    ----------
    counts : array-like of shape (..., n_classes)
        How many rows each class has; weights or shares will do.

    Returns
    -------
    float, or ndarray of shape (...)
        From 0, where all rows are of one class or there are none, to 1 - 1 / n_classes.

    Raises
    ------
    InvalidArgumentError
        If a count is negative, infinite or no number, or rows differ in length.

    Examples
    --------
    >>> round(classification_error([9, 5]), 3), classification_error([0, 6])
    (0.357, 0.0)
    """
    checked = _checked(counts, "n_classes")
    total = checked.sum(axis=-1)
    errors = total - checked.max(axis=-1, initial=0.0)
    return _plain(errors / np.where(total > 0, total, 1.0))


def information_gain(counts: ArrayLike, *, unknown: ArrayLike = 0.0) -> Any:
    """Return by how much a split lowers the entropy of the classes, in bits.

    Parameters
    ----------
    counts : array-like of shape (..., n_branches, n_classes)
        How many rows of each class go down each branch.
    unknown : float or array-like of shape (...), default=0.0
        How many more rows lack the value that the split asks for. As in C4.5, the gain of
        the others counts in proportion to their share.

    Returns
    -------
    float, or ndarray of shape (...)
        From 0 to the entropy of all branches together.

    Raises
    ------
    InvalidArgumentError
        If a count is negative, infinite or no number, or rows differ in length.

    References
    ----------
    .. [1] Quinlan (1986), Induction of decision trees, Machine Learning 1.
    .. [2] Quinlan (1993), C4.5: Programs for Machine Learning, chapter 3.

    Examples
    --------
    Wind of the days of tennis: 6 yes and 2 no if it is weak, 3 and 3 if it is strong.

    >>> round(information_gain([[6, 2], [3, 3]]), 3)
    0.048
    """
    return impurity_decrease(counts, entropy, unknown=unknown)


def split_information(counts: ArrayLike, *, unknown: ArrayLike = 0.0) -> Any:
    """Return the entropy of the branches of a split, in bits.

    Parameters
    ----------
    counts : array-like of shape (..., n_branches, n_classes)
        How many rows of each class go down each branch.
    unknown : float or array-like of shape (...), default=0.0
        How many more rows lack the value that the split asks for: one more branch.

    Returns
    -------
    float, or ndarray of shape (...)
        From 0, where all rows go down one branch, to log2(n_branches).

    Raises
    ------
    InvalidArgumentError
        If a count is negative, infinite or no number, or rows differ in length.

    Examples
    --------
    >>> round(split_information([[6, 2], [3, 3]]), 3)
    0.985
    """
    sizes = _checked(counts, "n_branches, n_classes").sum(axis=-1)
    lacking = _checked(unknown)[..., None]
    lacking = np.broadcast_to(lacking, (*sizes.shape[:-1], 1))
    return entropy(np.concatenate([sizes, lacking], axis=-1))


def gain_ratio(counts: ArrayLike, *, unknown: ArrayLike = 0.0) -> Any:
    """Return the information gain of a split by the entropy of its branches.

    Parameters
    ----------
    counts : array-like of shape (..., n_branches, n_classes)
        How many rows of each class go down each branch.
    unknown : float or array-like of shape (...), default=0.0
        How many more rows lack the value that the split asks for: the gain counts in part,
        and they are one more branch.

    Returns
    -------
    float, or ndarray of shape (...)
        From 0 to 1; nan where all rows go down one branch, which divides nothing.

    Raises
    ------
    InvalidArgumentError
        If a count is negative, infinite or no number, or rows differ in length.

    References
    ----------
    .. [1] Quinlan (1993), C4.5: Programs for Machine Learning, section 2.2.

    Examples
    --------
    Outlook of the days of tennis, with branches for sunny, overcast and rain:

    >>> round(gain_ratio([[2, 3], [4, 0], [3, 2]]), 3)
    0.156
    """
    gain = np.asarray(information_gain(counts, unknown=unknown))
    info = np.asarray(split_information(counts, unknown=unknown))
    return _plain(np.divide(gain, info, out=np.full(gain.shape, np.nan), where=info > 0))


def impurity_decrease(
    counts: ArrayLike, impurity: Callable[[ArrayLike], Any], *, unknown: ArrayLike = 0.0
) -> Any:
    """Return by how much a split lowers an impurity of the classes.

    Parameters
    ----------
    counts : array-like of shape (..., n_branches, n_classes)
        How many rows of each class go down each branch.
    impurity : callable
        `entropy`, `gini` or `classification_error`.
    unknown : float or array-like of shape (...), default=0.0
        How many more rows lack the value that the split asks for.

    Returns
    -------
    float, or ndarray of shape (...)
        Impurity of all branches together less the mean of theirs, weighed by their rows, times
        the share of the known rows; 0 where there are none.

    Examples
    --------
    >>> round(impurity_decrease([[6, 2], [3, 3]], gini), 3)
    0.031
    """
    checked = _checked(counts, "n_branches, n_classes")
    by_branch = checked.sum(axis=-1)
    known = by_branch.sum(axis=-1)
    before = known * np.asarray(impurity(checked.sum(axis=-2)))
    after = (by_branch * impurity(checked)).sum(axis=-1)
    total = known + _checked(unknown)
    return _plain(np.maximum(before - after, 0.0) / np.where(total > 0, total, 1.0))


def _checked(counts: ArrayLike, axes: str = "") -> Floats:
    """Return counts as floats if they are counts, and have as many axes as are named."""
    rule = f"counts must be finite numbers from 0 upwards; got {counts!r}."
    try:
        result = np.asarray(counts, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidArgumentError(
            f"{rule} Write one number for each class, as many in every row."
        ) from None
    n_axes = len(axes.split(", ")) if axes else 0
    if result.ndim < n_axes:
        raise InvalidArgumentError(
            f"counts must be of shape (..., {axes}); got shape {result.shape}. Write one number "
            "for each class, and for a split one such row for each branch."
        )
    if not (np.isfinite(result) & (result >= 0)).all():
        raise InvalidArgumentError(f"{rule} Count rows, or sum up their weights.")
    return result


def _shares(counts: Floats) -> Floats:
    """Return the shares of counts along the last axis; zeros where there are none."""
    total = counts.sum(axis=-1, keepdims=True)
    return np.asarray(counts / np.where(total > 0, total, 1.0))


def _plain(result: Any) -> Any:
    return float(result) if np.ndim(result) == 0 else result
