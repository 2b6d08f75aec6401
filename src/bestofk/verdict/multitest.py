"""MultiTest: an order that follows the preference unless a learner is significantly worse."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from bestofk.array_types import Bools, Floats, Positions
from bestofk.errors import InvalidArgumentError
from bestofk.inference import adjust_p_values, reject_adjusted
from bestofk.verdict.ordering import Ordering, OrderingInput, Pick


def multitest_edges(p_values: ArrayLike, *, alpha: float, correction: str) -> tuple[Bools, Floats]:
    """Return which preferred learners have a significantly greater loss than a later one.

    Parameters
    ----------
    p_values : array-like of shape (..., n_learners, n_learners)
        Entry [i, j] with i < j is the one-sided p value of the null hypothesis that the
        expected loss of learner i is at most that of learner j. Learners are in decreasing
        preference. Other entries are not read. Leading axes hold several comparisons, each
        a family of its own.
    alpha : float in (0, 1)
        Probability of wrongly overriding the preference at least once.
    correction : str
        "bonferroni", "holm" or another key of `bestofk.inference.ADJUSTMENTS`. The family is
        always all n_learners (n_learners - 1) / 2 pairs.

    Returns
    -------
    edges : ndarray of shape (..., n_learners, n_learners), bool
        [i, j] is True where the hypothesis is rejected; True only above the diagonal.
        Edges of "bonferroni" are also edges of "holm".
    adjusted : ndarray of shape (..., n_learners, n_learners), float
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
    values = square(p_values, "p_values of multitest_edges", batched=True)
    first, second = np.triu_indices(values.shape[-1], k=1)
    of_pairs = adjust_p_values(values[..., first, second], correction)
    adjusted = np.full(values.shape, np.nan)
    adjusted[..., first, second] = of_pairs
    edges = np.zeros(values.shape, dtype=bool)
    edges[..., first, second] = reject_adjusted(of_pairs, alpha)
    return edges, adjusted


def multitest_best(edges: ArrayLike) -> Positions:
    """Return the most preferred learner without an edge to another, of many comparisons at once.

    Parameters
    ----------
    edges : array-like of shape (..., n_learners, n_learners), bool
        [i, j] is True where learner i is shown to have a greater loss than learner j;
        only above the diagonal.

    Returns
    -------
    ndarray of shape (...), int
        Indices from 0. There always is one: the least preferred learner has no edge.

    Raises
    ------
    InvalidArgumentError
        If the array is not square, or has an edge on or below the diagonal.

    Examples
    --------
    >>> edges = np.zeros((2, 3, 3), dtype=bool)
    >>> edges[1, 0, 2] = True
    >>> multitest_best(edges).tolist()
    [0, 1]
    """
    return np.asarray(np.argmin(_has_edge(_graph(edges, "multitest_best")), axis=-1))


def multitest_orders(edges: ArrayLike) -> Positions:
    """Return the order of the learners, best first, of many comparisons at once.

    Parameters
    ----------
    edges : array-like of shape (..., n_learners, n_learners), bool
        As for `multitest_best`.

    Returns
    -------
    ndarray of shape (..., n_learners), int
        All learners, as indices from 0; see `multitest_order`.

    Raises
    ------
    InvalidArgumentError
        If the array is not square, or has an edge on or below the diagonal.

    Examples
    --------
    >>> edges = np.zeros((2, 3, 3), dtype=bool)
    >>> edges[1, 0, 2] = True
    >>> multitest_orders(edges).tolist()
    [[0, 1, 2], [1, 2, 0]]
    """
    graph = _graph(edges, "multitest_orders").copy()
    k = graph.shape[-1]
    is_out = np.zeros(graph.shape[:-1], dtype=bool)
    orders = np.empty(graph.shape[:-1], dtype=np.intp)
    for index in range(k):
        best = np.argmin(_has_edge(graph) | is_out, axis=-1)
        orders[..., index] = best
        np.put_along_axis(is_out, best[..., None], True, axis=-1)
        graph &= ~is_out[..., None, :]  # edges to a learner that is out say nothing any more
    return orders


def multitest_order(edges: ArrayLike) -> list[int]:
    """Return the order of the learners, best first.

    The best is the most preferred learner without an edge to another; it is taken out and
    the same is asked of the rest [1]_. There always is one: the least preferred of those
    that remain has no edge.

    Parameters
    ----------
    edges : array-like of shape (n_learners, n_learners), bool
        As for `multitest_best`.

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
    graph = _graph(square(edges, "edges of multitest_order"), "multitest_order")
    return [int(i) for i in multitest_orders(graph)]


def _has_edge(graph: Bools) -> Bools:
    """Return which learners have an edge; column by column, as rows are short."""
    result = graph[..., 0].copy()
    for column in range(1, graph.shape[-1]):
        result |= graph[..., column]
    return result


def _graph(edges: ArrayLike, caller: str) -> Bools:
    graph = square(edges, f"edges of {caller}", batched=True).astype(bool, copy=False)
    later, first = np.tril_indices(graph.shape[-1])
    if graph[..., later, first].any():
        i, j = np.argwhere(np.tril(graph))[0][-2:]
        raise InvalidArgumentError(
            f"edges of {caller} must lead from preferred to less preferred learners; got "
            f"one from {i} to {j}. Number the learners in decreasing preference."
        )
    return graph


def square(values: ArrayLike, what: str, *, batched: bool = False) -> np.ndarray:
    """Return an array of numbers if it has one row and one column per learner, or raise.

    Parameters
    ----------
    values : array-like of shape (n_learners, n_learners)
        Entries about ordered pairs of learners.
    what : str
        Its name in the error message.
    batched : bool, default=False
        Whether axes may lead the two.

    Returns
    -------
    ndarray of float, or of bool where that is given
        The same entries.

    Raises
    ------
    InvalidArgumentError
        If it is not square or empty.
    """
    array = np.asarray(values)
    array = array if array.dtype == bool else array.astype(float, copy=False)
    has_axes = array.ndim >= 2 if batched else array.ndim == 2
    if not has_axes or array.shape[-2] != array.shape[-1] or array.shape[-1] == 0:
        raise InvalidArgumentError(
            f"{what} must be a square array; got shape {array.shape}. "
            "Give one row and one column per learner."
        )
    return array


def _pick(given: OrderingInput, correction: str) -> Pick:
    edges, p_values = multitest_edges(
        given.compared.p_greater, alpha=given.alpha, correction=correction
    )
    order = tuple(multitest_order(edges))
    best = order[0]
    surest = [
        best if edges[i, best] else int(np.nanargmin(np.where(edges[i], p_values[i], np.nan)))
        for i in range(best)
    ]
    overridden = [f"{given.names[i]} (than {given.names[j]})" for i, j in enumerate(surest)]
    why = "The most preferred learner, and no other is significantly better."
    if overridden:
        why = f"Preferred but significantly worse: {', '.join(overridden)}."
    without = tuple(int(i) for i in np.flatnonzero(~edges.any(axis=1)))
    return Pick(best, why, order=order, may_be_best=without)


BONFERRONI = Ordering(
    "multitest-bonferroni", "MultiTest (Bonferroni)", partial(_pick, correction="bonferroni")
)
HOLM = Ordering(  # "multitest" is the one with the usual correction
    "multitest-holm", "MultiTest (Holm)", partial(_pick, correction="holm"), aliases=("multitest",)
)
