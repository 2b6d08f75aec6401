"""Applications of a stopping rule to stored repeats in random orders."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bestofk.array_types import Bools, Floats, Ints
from bestofk.checks import check_number
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference.checks import check_orientation
from bestofk.inference.many_learners.repeated_estimates import (
    EstimateSimilarity,
    estimate_similarity,
    reproducibility_matrix,
)
from bestofk.randomness import derive_rng
from bestofk.stopping.adaptive_repeats import interim_repeats
from bestofk.stopping.rule import PROBABILITIES, StoppingRule
from bestofk.stopping.verdict_rule import NoCrossing, VerdictRule

_AT_ONCE = 16  # repeats that a rule looks at before it is asked


@dataclass(frozen=True, eq=False)
class RuleApplications:
    """Final estimates of a stopping rule that was applied repeatedly.

    Parameters
    ----------
    rule : StoppingRule or NoCrossing
        The rule.
    learners : tuple of str
        Names.
    estimates : ndarray of shape (n_orders, n_learners), float
        Mean score of the repeats until the rule held; of all where it never did.
    n_repeats : ndarray of shape (n_orders, n_learners), int
        Repeats until then.
    has_held : ndarray of shape (n_orders, n_learners), bool
        Whether the rule held before the repeats were used up.
    """

    rule: StoppingRule | NoCrossing
    learners: tuple[str, ...]
    estimates: Floats
    n_repeats: Ints
    has_held: Bools

    def similarity(self) -> EstimateSimilarity:
        """Return how close the final estimates of each learner are."""
        return estimate_similarity(self.estimates, names=self.learners)

    def reproducibility(self) -> Floats:
        """Return R of every pair of learners; see `reproducibility_matrix`."""
        return reproducibility_matrix(self.estimates, names=self.learners)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per learner.

        Returns
        -------
        DataFrame
            learner, n_repeats (mean), n_unfinished (applications in which the rule never held),
            mean, sd, mean_distance and largest_distance of the final estimates.
        """
        similarity = self.similarity()
        return pd.DataFrame({
            "learner": self.learners,
            "n_repeats": self.n_repeats.mean(axis=0),
            "n_unfinished": (~self.has_held).sum(axis=0),
            "mean": similarity.mean,
            "sd": similarity.sd,
            "mean_distance": similarity.mean_distance,
            "largest_distance": similarity.largest_distance,
        })  # fmt: skip


def apply_in_random_orders(
    rule: StoppingRule | VerdictRule,
    values: ArrayLike,
    probabilities: Sequence[ArrayLike | None] | None = None,
    *,
    learners: Sequence[str] | None = None,
    n_orders: int = 50,
    random_state: int = 0,
) -> RuleApplications:
    """Apply a stopping rule to stored repeats in random orders, as another seed could give them.

    Parameters
    ----------
    rule : StoppingRule or NoCrossing
        A rule of one learner, as ``stopping_rule("rank-correlation")``, or "no-crossing", which
        is asked after as many repeats as in an adaptive comparison of all of them.
    values : array-like of shape (n_repeats, n_learners), float
        Mean score of each repeat.
    probabilities : sequence of array-like of shape (n_repeats, n_rows, n_classes), optional
        Of each learner, the class probabilities of every row in each repeat; None where a
        learner gives none. For rules that rest on them.
    learners : sequence of str, optional
        Names; their numbers from 0 on if left out. With more learners than repeats they are
        needed, so that no table is read on its side.
    n_orders : int, default=50
        Random orders, at least 2; the same for all learners.
    random_state : int, default=0
        What they are derived from.

    Returns
    -------
    RuleApplications
        Repeats used, final estimates, their similarity and R of every pair.

    Raises
    ------
    InvalidArgumentError
        If the rule rests on tests of the splits, or the number of orders is too small.
    DesignError
        If values are no table of at least two repeats, or a score is missing.

    Notes
    -----
    The protocol of Raeder, Hoens & Chawla (2010), section V: 50 orders of 500 repeats. Orders
    share repeats: with few stored, estimates seem more alike than those of other seeds would be.

    Examples
    --------
    >>> import numpy as np
    >>> from bestofk.stopping import stopping_rule
    >>> scores = np.random.default_rng(0).normal([[0.8], [0.7]], 0.05, size=(2, 100)).T
    >>> few, many = (
    ...     apply_in_random_orders(stopping_rule("fixed", n_repeats=n), scores) for n in (5, 50)
    ... )
    >>> few.similarity().mean_distance.round(3).tolist()
    [0.026, 0.024]
    >>> many.similarity().mean_distance.round(3).tolist()
    [0.006, 0.005]
    """
    if not isinstance(rule, StoppingRule | NoCrossing):
        raise InvalidArgumentError(
            f"rule of apply_in_random_orders must rest on repeats alone; got {rule!r}. Take "
            "'fixed', 'rank-correlation', 'odd-even' or 'no-crossing'."
        )
    check_number(n_orders, "n_orders", low=2, whole=True, way_out="The usual is 50.")
    given = np.asarray(values, dtype=float)
    if given.ndim != 2 or len(given) < 2 or not np.isfinite(given).all():
        raise DesignError(
            "values of apply_in_random_orders must be one finite number per repeat and learner, "
            f"of at least 2 repeats; got shape {given.shape}. Leave out learners that failed."
        )
    if learners is None:
        check_orientation(
            given,
            "values of apply_in_random_orders",
            row="repeat",
            way_out="If it is not, name the learners: learners=.",
        )
    table = given.T
    rows = [None] * len(table) if probabilities is None else list(probabilities)
    rng = derive_rng(random_state, "orders of repeats")
    orders = [rng.permutation(table.shape[1]) for _ in range(n_orders)]
    if isinstance(rule, NoCrossing):
        ends = [[_end_of_all(rule, given[order]) for order in orders]] * len(table)
    else:
        ends = [
            [repeats_used(rule, scores, means, order) for order in orders]
            for scores, means in zip(table, rows, strict=True)
        ]
    n_repeats = np.array([[end or table.shape[1] for end in of_one] for of_one in ends])
    estimates = np.array([
        [scores[order[:end]].mean() for order, end in zip(orders, of_one, strict=True)]
        for scores, of_one in zip(table, n_repeats, strict=True)
    ])  # fmt: skip
    names = range(len(table)) if learners is None else learners
    has_held = np.array([[end is not None for end in of_one] for of_one in ends])
    return RuleApplications(rule, tuple(map(str, names)), estimates.T, n_repeats.T, has_held.T)


def _end_of_all(rule: NoCrossing, values: Floats) -> int | None:
    """Return after how many repeats of all learners a rule holds; None for never."""
    looks = interim_repeats(len(values))
    return next((n for n in looks if rule.holds_after(values[:n])), None)


def repeats_used(
    rule: StoppingRule, values: Floats, probabilities: ArrayLike | None, order: Ints
) -> int | None:
    """Return after how many repeats in an order a rule holds; None for never.

    Parameters
    ----------
    rule : StoppingRule
        The rule.
    values : ndarray of shape (n_repeats,), float
        Mean score of each repeat.
    probabilities : array-like of shape (n_repeats, n_rows, n_classes), or None
        Class probabilities of every row in each repeat.
    order : ndarray of int
        Positions of the repeats.

    Returns
    -------
    int or None
    """
    state = rule.start()
    means = None
    if rule.needs == PROBABILITIES and probabilities is not None:
        means = np.asarray(probabilities)
    for first in range(0, len(order), _AT_ONCE):
        some = order[first : first + _AT_ONCE]
        state.add(values[some], None if means is None else means[some])
        if state.steady_at is not None:
            return state.steady_at
    return None
