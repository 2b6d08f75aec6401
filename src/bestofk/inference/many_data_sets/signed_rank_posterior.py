"""Bayesian signed-rank test of two learners over many data sets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bestofk.array_types import Floats
from bestofk.checks import check_known, is_number, is_whole
from bestofk.errors import InvalidArgumentError
from bestofk.inference.catalogue import Procedure
from bestofk.inference.cautions import caution_if
from bestofk.inference.checks import check_rope, check_share
from bestofk.inference.many_data_sets.ranks import paired_differences
from bestofk.inference.many_data_sets.remarks import INDEPENDENT, LEAST_DATA_SETS
from bestofk.inference.results import PosteriorResult
from bestofk.measures.ties import NOISE, at_most
from bestofk.randomness import derive_rng
from bestofk.words import fixed

TITLE = "Bayesian signed-rank test"
ASSUMPTIONS = (INDEPENDENT, "The score of a data set is taken as exact.")
PRIOR_PLACES = {"less": -np.inf, "rope": 0.0, "greater": np.inf}
_BLOCK = 4_000_000  # weights held at once, 32 MB


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PosteriorDraws(PosteriorResult):
    """A posterior of regions, with the draws it was counted from.

    Parameters
    ----------
    draws : ndarray of shape (n_draws, 3)
        In each row the probabilities below, inside and above the region of practical
        equivalence; they add up to 1. `p_less`, `p_rope` and `p_greater` are the shares of
        rows in which each of them is the largest.
    """

    pictures = (("draws", "PosteriorTriangleDisplay"),)

    not_in_frame = ("draws",)
    draws: Floats


def bayesian_signed_rank(
    a: ArrayLike,
    b: ArrayLike,
    *,
    rope: float = 0.01,
    prior_strength: float = 0.5,
    prior_place: str = "rope",
    level: float = 0.95,
    n_draws: int = 50_000,
    random_state: int = 0,
) -> PosteriorDraws:
    """Weigh on many data sets whether a learner is better, worse or practically equivalent.

    Parameters
    ----------
    a, b : array-like of shape (n_data_sets,), float
        One score of each of two learners on every data set, at least two.
    rope : float, at least 0, default=0.01
        Half the width of the region of practical equivalence, in the unit of the scores:
        smaller differences do not matter, one of exactly `rope` does. With 0 there is no
        region: differences of 0 count half on each side.
    prior_strength : float above 0, default=0.5
        Weight of a pseudo-difference, in data sets.
    prior_place : {"rope", "less", "greater"}, default="rope"
        Where the pseudo-difference lies: at 0, or beyond all others on one side.
    level : float in (0, 1), default=0.95
        Of the interval of the mean difference.
    n_draws : int, default=50000
        Draws of the posterior; the Monte Carlo error of a probability is at most
        0.5 / sqrt(n_draws).
    random_state : int, default=0
        The draws depend on it alone.

    Returns
    -------
    PosteriorDraws
        For a - b. `estimate`, `low` and `high` describe the mean difference under the same
        weights, without the pseudo-difference. Flag ``"all_ties"`` where all differences are 0.

    Raises
    ------
    DesignError
        If scores do not pair, are not finite, or come from fewer than two data sets.
    InvalidArgumentError
        If an option is out of its range.

    See Also
    --------
    wilcoxon_test : Its counterpart without prior and region.
    hierarchical_bayes : Uses the scores of all splits.

    Notes
    -----
    Weights w ~ Dirichlet(prior_strength, 1, ..., 1) on the pseudo-difference and the n
    differences; a draw gives the region R the probability sum w_i w_j [(d_i + d_j)/2 in R].
    The draws are made in blocks, each in O(n log n) by sorted differences.

    When not to trust it: few data sets, where the prior weighs; data sets that are variants
    of each other; a region that was chosen after the scores were seen.

    References
    ----------
    .. [1] Benavoli, Mangili, Corani, Zaffalon & Ruggeri (2014), A Bayesian Wilcoxon
       signed-rank test based on the Dirichlet process, ICML.
    .. [2] Benavoli, Corani, Demsar & Zaffalon (2017), Time for a change: a tutorial for
       comparing multiple classifiers through Bayesian analysis, JMLR 18(77).

    Examples
    --------
    >>> a, b = [0.10, 0.21, 0.15, 0.30, 0.25, 0.18], [0.14, 0.26, 0.22, 0.33, 0.29, 0.24]
    >>> result = bayesian_signed_rank(a, b, rope=0.01)
    >>> result.p_less > 0.99, round(result.estimate, 3)
    (True, -0.048)
    """
    differences = paired_differences(a, b, "bayesian_signed_rank")
    check_rope(rope)
    check_share(level, "level")
    _check_prior(prior_strength, prior_place)
    weights = signed_rank_weights(len(differences), prior_strength, n_draws, random_state)
    scale = float(max(np.abs(a).max(), np.abs(b).max()))
    parts = [
        (region_masses(block, differences, rope, PRIOR_PLACES[prior_place], scale=scale),
         block[:, 1:] @ differences / block[:, 1:].sum(axis=1))
        for block in weights
    ]  # fmt: skip
    draws = np.concatenate([masses for masses, _ in parts])
    means = np.concatenate([mean for _, mean in parts])
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    flags = () if differences.any() else ("all_ties",)
    return PosteriorDraws(
        procedure=TITLE,
        n=len(differences),
        n_draws=n_draws,
        assumptions=ASSUMPTIONS,
        flags=flags,
        warnings=_warnings(len(differences), prior_strength, bool(flags)),
        rope=float(rope),
        estimate=float(means.mean()),
        low=float(low),
        high=float(high),
        level=level,
        n_of="data sets",
        draws=draws,
        **PosteriorDraws.probabilities(region_shares(draws)),
    )


def _check_prior(strength: float, region: str) -> None:
    if not is_number(strength) or not 0 < strength < np.inf:
        raise InvalidArgumentError(
            f"prior_strength must be a number above 0; got {strength!r}. 0.5 is usual."
        )
    check_known(region, "prior_place", PRIOR_PLACES)


def signed_rank_weights(
    n_data_sets: int, prior_strength: float, n_draws: int, random_state: int
) -> Iterator[Floats]:
    """Yield Dirichlet weights, pseudo-difference first, in blocks of bounded size.

    Parameters
    ----------
    n_data_sets : int
        Differences in addition to the pseudo-difference.
    prior_strength : float
        Of the pseudo-difference.
    n_draws : int
        Rows in all.
    random_state : int
        What the draws come from.

    Yields
    ------
    ndarray of shape (n_rows, n_data_sets + 1)
        Rows add up to 1.

    Raises
    ------
    InvalidArgumentError
        If `n_draws` is no whole number from 1.
    """
    if not is_whole(n_draws) or n_draws < 1:
        raise InvalidArgumentError(
            f"n_draws must be at least 1; got {n_draws!r}. Take a whole number; 50000 gives two "
            "digits."
        )
    rng = derive_rng(random_state, "bayesian-signed-rank")
    shape = np.concatenate([[prior_strength], np.ones(n_data_sets)])
    rows = max(1, _BLOCK // len(shape))
    for start in range(0, n_draws, rows):
        yield rng.dirichlet(shape, min(rows, n_draws - start))


def region_masses(
    weights: Floats, differences: Floats, rope: float, pseudo: float = 0.0, *, scale: float = 0.0
) -> Floats:
    """Return the probability of each region under each row of weights.

    Parameters
    ----------
    weights : ndarray of shape (n_draws, n_data_sets + 1)
        Pseudo-difference first.
    differences : ndarray of shape (n_data_sets,)
        First minus second.
    rope : float
        Half the width of the region.
    pseudo : float, default=0
        The pseudo-difference; may be infinite.
    scale : float, default=0
        Largest absolute score behind the differences, if it is above the largest of them: it
        tells what rounding may have done to them.

    Returns
    -------
    ndarray of shape (n_draws, 3)
        Below, inside, above.
    """
    points = np.concatenate([[pseudo], differences])
    order = np.argsort(points, kind="stable")
    points, sorted_weights = points[order], weights[:, order]
    below_each = np.zeros((len(weights), len(points) + 1))
    np.cumsum(sorted_weights, axis=1, out=below_each[:, 1:])
    slack = NOISE * (max(scale, float(np.abs(differences).max())) or 1.0)
    if rope == 0:
        slack = -slack  # sums of 0 are counted as inside first, then shared
    # how many points, added to each point, give at most -2 rope, and less than 2 rope
    n_below = np.searchsorted(points, -2 * rope - points + slack, side="right")
    n_within = np.searchsorted(points, 2 * rope - points - slack, side="right")
    below = (sorted_weights * below_each[:, n_below]).sum(axis=1)
    above = 1 - (sorted_weights * below_each[:, n_within]).sum(axis=1)
    inside = np.clip(1 - below - above, 0.0, 1.0)
    if rope == 0:
        below, above, inside = below + inside / 2, above + inside / 2, np.zeros_like(inside)
    return np.column_stack([below, inside, above])


def region_shares(draws: Floats) -> tuple[float, float, float]:
    """Return how often each region has the most probability; draws with two highest are shared.

    Parameters
    ----------
    draws : ndarray of shape (n_draws, 3)
        Probabilities below, inside, above.

    Returns
    -------
    p_less, p_rope, p_greater : float
        They add up to 1.
    """
    largest = at_most(draws.max(axis=1, keepdims=True), draws, scale=1.0)
    less, inside, greater = (largest / largest.sum(axis=1, keepdims=True)).mean(axis=0)
    return float(less), float(inside), float(greater)


def _warnings(n_data_sets: int, prior_strength: float, all_ties: bool) -> tuple[str, ...]:
    share = fixed(100 * prior_strength / (n_data_sets + prior_strength), 0)
    few = f"Only {n_data_sets} data sets: the prior has {share}% of the weight."
    tied = "Scores are the same on every data set: nothing was weighed."
    return (
        *caution_if(n_data_sets < LEAST_DATA_SETS, "few-scores", few),
        *caution_if(all_ties, "degenerate", tied),
    )


PROCEDURE = Procedure(
    name="bayesian-signed-rank",
    title=TITLE,
    question="How probable is it that one of two learners is better, or that they are "
    "practically equivalent, over data sets?",
    takes="two-on-data-sets",
    run=bayesian_signed_rank,
    aliases=("bayes-signed-rank",),
)
