"""Rules that order learners or pick the best: MultiTest, TestFirst, candidates, lowest mean."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from bestofk.array_types import Bools, Floats, Positions
from bestofk.checks import check_known
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import PairedComparison, Sampling, adjust_p_values, reject_adjusted
from bestofk.inference.adjust import check_p_values
from bestofk.inference.checks import check_share
from bestofk.inference.many_learners.mean_losses import lowest_loss
from bestofk.inference.two_learners.five_by_two_cv import FiveByTwoCvT
from bestofk.measures.ties import tied_values

CORRECTIONS = ("bonferroni", "holm")
_PLAN = Sampling("k-fold", 5, 2)


@dataclass(frozen=True, eq=False)
class OrderingInput:
    """Input of every ordering; learners in decreasing preference.

    Parameters
    ----------
    names : sequence of str
        Learners.
    losses : ndarray of shape (n_splits, n_learners)
        Lower is better.
    compared : PairedComparison
        The paired test of every ordered pair, fields of shape (n_learners, n_learners).
    alpha : float
        Level.
    """

    names: Sequence[str]
    losses: Floats
    compared: PairedComparison
    alpha: float

    @property
    def means(self) -> Floats:
        """Mean loss of each learner."""
        return np.asarray(self.losses.mean(axis=0))

    def list_names(self, learners: Sequence[int]) -> str:
        """Return names of learners, joined."""
        return ", ".join(self.names[i] for i in learners)


@dataclass(frozen=True)
class Pick:
    """Result of an ordering; learners as numbers from 0 in decreasing preference.

    Parameters
    ----------
    best : int or None
        None where the rule names none.
    why : str
        A sentence.
    order : tuple of int
        All learners, best first; empty where the rule gives no order.
    may_be_best : tuple of int
        The learners that the rule leaves in; empty where it does not say.
    """

    best: int | None
    why: str
    order: tuple[int, ...] = ()
    may_be_best: tuple[int, ...] = ()


@dataclass(frozen=True)
class Ordering:
    """A rule with a name.

    Parameters
    ----------
    name, title : str
        As users and as reports write it.
    pick : callable
        Takes an `OrderingInput` and returns a `Pick`.
    test : str or None, default=None
        Title of the test that it uses, empty for none; None for the paired test that is given.
    aliases : tuple of str, default=()
        Other spellings of the name.
    """

    name: str
    title: str
    pick: Callable[[OrderingInput], Pick]
    test: str | None = None
    aliases: tuple[str, ...] = ()


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


def multitest_by_position(
    p_greater: Floats, preferred: Sequence[int], *, alpha: float, correction: str
) -> tuple[list[int], Floats]:
    """Return the order of MultiTest and the adjusted p values of learners in any positions.

    Parameters
    ----------
    p_greater : ndarray of shape (n_learners, n_learners)
        One-sided p values; [i, j]: that i has the greater loss.
    preferred : sequence of int
        Positions in decreasing preference.
    alpha, correction
        As for `multitest_edges`.

    Returns
    -------
    order : list of int
        Positions, best first.
    adjusted : ndarray of shape (n_learners, n_learners)
        [preferred, less preferred]; nan elsewhere.
    """
    where = np.ix_(preferred, preferred)
    adjusted = np.full_like(p_greater, np.nan)
    edges, adjusted[where] = multitest_edges(p_greater[where], alpha=alpha, correction=correction)
    return [preferred[i] for i in multitest_orders(edges).tolist()], adjusted


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
    return np.asarray(np.argmin(_graph(edges, "multitest_best").any(axis=-1), axis=-1))


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
    graph = _graph(edges, "multitest_orders")
    *shape, k = graph.shape[:-1]
    graphs, each = graph.reshape(math.prod(shape), k, k), np.arange(math.prod(shape))
    n_edges = graphs.sum(axis=-1)  # to learners that are still in
    orders = np.empty((len(graphs), k), dtype=np.intp)
    for index in range(k):
        best = np.argmin(n_edges > 0, axis=-1)
        orders[:, index] = best
        n_edges -= graphs[each, :, best]
        n_edges[each, best] = 1  # is out
    return orders.reshape(*shape, k)


def multitest_order(edges: ArrayLike) -> list[int]:
    """Return the order of the learners, best first.

    The best is the most preferred learner without an edge to another; it is removed, and the rule
    is applied to the rest [1]_. There always is one: the least preferred of those that remain has
    no edge.

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


def _graph(edges: ArrayLike, caller: str) -> Bools:
    graph = square(edges, f"edges of {caller}", batched=True).astype(bool, copy=False)
    backwards = np.tril(graph)
    if backwards.any():
        i, j = np.argwhere(backwards)[0][-2:]
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


def _pick_by_multitest(given: OrderingInput, correction: str) -> Pick:
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


MULTITEST_BONFERRONI = Ordering(
    "multitest-bonferroni",
    "MultiTest (Bonferroni)",
    partial(_pick_by_multitest, correction="bonferroni"),
)
MULTITEST_HOLM = Ordering(  # "multitest" is the one with the usual correction
    "multitest-holm",
    "MultiTest (Holm)",
    partial(_pick_by_multitest, correction="holm"),
    aliases=("multitest",),
)


def first_test_best(
    mean_losses: ArrayLike,
    p_values: ArrayLike,
    *,
    alpha: float,
    correction: str = "bonferroni",
    per_comparison: float | None = None,
) -> int | None:
    """Return the index of the lowest mean if it beats all learners preferred to it, else None.

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


def _pick_by_first_test(given: OrderingInput) -> Pick:
    first = lowest_loss(given.means)
    best = first_test_best(given.means, given.compared.p_greater, alpha=given.alpha)
    if best is None:
        name = given.names[first]
        return Pick(
            None, f"{name} has the lowest mean but does not beat all learners preferred to it."
        )
    why = "Lowest mean, and no learner is preferred to it." if best == 0 else (
        f"Lowest mean, and it beats all learners preferred to it: {given.list_names(range(best))}."
    )  # fmt: skip
    return Pick(best, why)


FIRST_TEST = Ordering("testfirst", "TestFirst", _pick_by_first_test)


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
    A simple relative of the model confidence sets of cross-validation [1]_, made of pairwise
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


def _pick_candidate(given: OrderingInput) -> Pick:
    is_candidate, _ = candidate_set(given.compared.p_greater, alpha=given.alpha)
    left = tuple(int(i) for i in np.flatnonzero(is_candidate))
    if len(left) == 1:
        return Pick(left[0], "All others are significantly worse.", may_be_best=left)
    return Pick(None, f"Cannot be ruled out: {given.list_names(left)}.", may_be_best=left)


CANDIDATES = Ordering("candidates", "candidate set", _pick_candidate)


def order_by_mean(means: Floats, best: int) -> list[int]:
    """Return the learners from the lowest mean loss to the highest, the pick first."""
    ascending = np.argsort(tied_values(means), kind="stable")
    return [best, *(int(i) for i in ascending if i != best)]


def _pick_lowest_mean(given: OrderingInput) -> Pick:
    best = lowest_loss(given.means)
    order = tuple(order_by_mean(given.means, best))
    return Pick(best, "Lowest mean loss; no test was used.", order=order)


LOWEST_MEAN = Ordering("lowest-mean", "lowest mean", _pick_lowest_mean, test="")


def five_by_two_edges(
    losses: ArrayLike, *, alpha: float = 0.05, correction: str = "bonferroni"
) -> Bools:
    """Return the edges of MultiTest by one-sided 5x2cv t tests, of many runs at once.

    The same edges as from the p values of the single tests by `multitest_edges`.

    Parameters
    ----------
    losses : array-like of shape (..., 10, n_learners), float
        Learners in decreasing preference; rows are both folds of the first repeat, then of
        the second, and so on. Lower is better. Leading axes are runs.
    alpha : float in (0, 1), default=0.05
        Probability of wrongly overriding the preference at least once, in each run.
    correction : {"bonferroni", "holm"}, default="bonferroni"
        The family is always all n_learners (n_learners - 1) / 2 pairs of one run.

    Returns
    -------
    ndarray of shape (..., n_learners, n_learners), bool
        [i, j] is True where learner i is shown to have a greater loss than learner j, i < j;
        to be handed to `multitest_best` or `multitest_orders`. A pair whose folds do not
        differ within the repeats has an edge if its first difference is above 0.

    Raises
    ------
    DesignError
        If losses are not ten per learner or not finite.
    InvalidArgumentError
        If `alpha` or `correction` is not allowed.

    References
    ----------
    .. [1] Yildiz & Alpaydin (2006), Ordering and finding the best of K > 2 supervised learning
       algorithms, IEEE Transactions on Pattern Analysis and Machine Intelligence 28(3).

    Examples
    --------
    >>> worse = [0.30, 0.29, 0.31, 0.30, 0.30, 0.31, 0.29, 0.30, 0.30, 0.31]
    >>> better = [0.10, 0.12, 0.11, 0.10, 0.09, 0.10, 0.10, 0.11, 0.10, 0.10]
    >>> runs = [np.column_stack([worse, better]), np.column_stack([better, worse])]
    >>> five_by_two_edges(runs)[:, 0, 1].tolist()
    [True, False]
    """
    check_share(alpha, "alpha")
    check_known(correction, "correction", CORRECTIONS)
    values = np.swapaxes(np.asarray(losses, dtype=float), -1, -2)
    if values.ndim < 2 or values.shape[-1] != _PLAN.n_scores:
        raise DesignError(
            "losses of five_by_two_edges must have ten rows, 5 repeats of 2 folds, and a "
            f"column per learner; got shape {np.shape(losses)}. Transpose it if learners are in "
            "rows, or use multitest_edges with the p values of another test."
        )
    if not np.isfinite(values).all():
        raise DesignError(
            f"losses of five_by_two_edges must be finite; got {np.sum(~np.isfinite(values))} that "
            "are not. Leave the run out, or the learner."
        )
    k = values.shape[-2]
    p_values, largest = np.ones((*values.shape[:-1], k)), np.abs(values).max(axis=-1)
    first, second = np.triu_indices(k, k=1)
    if len(first):
        compared = FiveByTwoCvT().compare(
            values[..., first, :] - values[..., second, :],
            _PLAN,
            scale=np.maximum(largest[..., first], largest[..., second]),
        )
        p_values[..., first, second] = compared.p_greater
    return multitest_edges(p_values, alpha=alpha, correction=correction)[0]
