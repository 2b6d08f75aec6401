"""In what order do learners stand, if the preferred one stays first unless shown worse."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk.errors import InvalidArgumentError
from bestofk.inference import adjust_p_values, reject_adjusted


def multitest_edges(
    p_values: ArrayLike, *, alpha: float, correction: str
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Return which preferred learners are shown to have a greater loss than a later one.

    Parameters
    ----------
    p_values : array-like of shape (n_learners, n_learners)
        Entry [i, j] with i < j is the one-sided p value of the null hypothesis that the
        expected loss of learner i is at most that of learner j. Learners are in decreasing
        preference. Other entries are not read.
    alpha : float in (0, 1)
        Probability of wrongly overriding the preference at least once.
    correction : {"bonferroni", "holm"}
        The family is always all n_learners (n_learners - 1) / 2 pairs.

    Returns
    -------
    edges : ndarray of shape (n_learners, n_learners), bool
        [i, j] is True where the hypothesis is rejected; True only above the diagonal.
        Edges of "bonferroni" are also edges of "holm".
    adjusted : ndarray of shape (n_learners, n_learners), float
        Adjusted p values above the diagonal, nan elsewhere.

    Raises
    ------
    InvalidArgumentError
        If the array is not square, an entry above the diagonal is no probability, or
        `alpha` or `correction` is not allowed.

    References
    ----------
    .. [1] Yildiz & Alpaydin (2006), Ordering and finding the best of K > 2 supervised learning
       algorithms, IEEE Transactions on Pattern Analysis and Machine Intelligence 28(3).
    .. [2] Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian
       Journal of Statistics 6(2).

    Examples
    --------
    >>> p_values = [[1, 0.9, 0.02], [1, 1, 0.016], [1, 1, 1]]
    >>> edges, adjusted = multitest_edges(p_values, alpha=0.05, correction="holm")
    >>> np.argwhere(edges).tolist()
    [[0, 2], [1, 2]]
    """
    values = square(p_values, "p_values of multitest_edges")
    upper = np.triu_indices(len(values), k=1)
    adjusted = np.full(values.shape, np.nan)
    adjusted[upper] = adjust_p_values(values[upper], correction)
    return reject_adjusted(adjusted, alpha), adjusted


def multitest_order(edges: ArrayLike) -> list[int]:
    """Return the order of the learners, best first.

    The best is the most preferred learner without an edge to another; it is taken out and
    the same is asked of the rest [1]_. There always is one: the least preferred of those
    that remain has no edge.

    Parameters
    ----------
    edges : array-like of shape (n_learners, n_learners), bool
        [i, j] is True where learner i is shown to have a greater loss than learner j;
        only above the diagonal.

    Returns
    -------
    list of int
        All learners, as indices from 0. Without edges this is the preference.

    Raises
    ------
    InvalidArgumentError
        If the array is not square, or has an edge on or below the diagonal.

    References
    ----------
    .. [1] Yildiz & Alpaydin (2006), Ordering and finding the best of K > 2 supervised learning
       algorithms, IEEE Transactions on Pattern Analysis and Machine Intelligence 28(3).

    Examples
    --------
    >>> edges = np.zeros((4, 4), dtype=bool)
    >>> edges[[0, 0, 0, 1], [1, 2, 3, 2]] = True
    >>> multitest_order(edges)
    [2, 1, 3, 0]
    """
    graph = square(edges, "edges of multitest_order").astype(bool)
    if np.tril(graph).any():
        i, j = np.argwhere(np.tril(graph))[0]
        raise InvalidArgumentError(
            "edges of multitest_order must lead from preferred to less preferred learners; got "
            f"one from {i} to {j}. Number the learners in decreasing preference."
        )
    order: list[int] = []
    remaining = list(range(len(graph)))
    while remaining:
        best = next(i for i in remaining if not graph[i, remaining].any())
        order.append(best)
        remaining.remove(best)
    return order


def square(values: ArrayLike, what: str) -> NDArray[np.float64]:
    """Return an array of numbers if it has one row and one column per learner, or raise.

    Parameters
    ----------
    values : array-like of shape (n_learners, n_learners)
        Entries about ordered pairs of learners.
    what : str
        Its name in the error message.

    Returns
    -------
    ndarray of float
        The same entries.

    Raises
    ------
    InvalidArgumentError
        If it is not square or empty.
    """
    array = np.asarray(values, dtype=float)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or array.size == 0:
        raise InvalidArgumentError(
            f"{what} must be a square array; got shape {array.shape}. "
            "Give one row and one column per learner."
        )
    return array
