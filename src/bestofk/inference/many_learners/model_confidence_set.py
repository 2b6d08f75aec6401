"""Model confidence set: which of K learners may be the best over periods in order of time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bestofk.array_types import Floats, Positions
from bestofk.checks import check_known
from bestofk.inference.catalogue import Procedure
from bestofk.inference.cautions import caution_if
from bestofk.inference.checks import Names, check_share, learner_table
from bestofk.inference.one_test_set.rows import check_draws
from bestofk.inference.results import Result
from bestofk.inference.sampling import Sampling
from bestofk.inference.two_learners.over_time import STEADY, refuse_periods
from bestofk.inference.two_learners.paired_test import check_refusal
from bestofk.measures.ties import NOISE, is_noise

_NAME = "model-confidence-set"
LEVEL = (
    "Measured at a nominal 5%, the set lacks one of five equally good learners in 13% of cases "
    "with 20 periods and in 9% with 50; about twice as often if successive losses correlate by 0.3."
)
# With fewer periods the set lacks equally good learners more often than its level says.
ENOUGH_PERIODS = 20
# A statistic and a drawn one that differ by less are the same but for rounding.
_NEARLY = 1 - 1e-9


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ModelConfidenceSet(Result):
    """The learners that may be the best, and how soon the others were eliminated.

    Parameters
    ----------
    names : tuple of str
        Learners.
    p_value : ndarray of shape (n_learners,)
        The largest of all p values until the learner was eliminated; 1 for the last one.
    members : tuple of str
        Learners whose p value is above `alpha`.
    alpha : float
        One minus the probability with which the set shall hold all of the best learners.
    """

    names: tuple[str, ...]
    p_value: Floats
    members: tuple[str, ...]
    alpha: float

    def rows(self) -> list[tuple[str, str]]:
        """Return what `str` shows, as pairs of a short label and a text."""
        listed = zip(self.names, self.p_value, strict=True)
        p_values = [(f"p value of {name}", self._probability(float(p))) for name, p in listed]
        return [(f"set at {self.alpha:g}", self._summary()), *p_values, *self._size_rows("periods")]

    def _summary(self) -> str:
        return ", ".join(self.members)


def model_confidence_set(
    scores: ArrayLike,
    *,
    names: Names = None,
    sampling: Sampling | None = None,
    greater_is_better: bool = False,
    alpha: float = 0.05,
    statistic: str = "max",
    n_draws: int = 9999,
    random_state: int = 0,
) -> ModelConfidenceSet:
    """Return the learners that may be the best over periods in order of time.

    Null hypothesis of each step: all learners that are left have the same expected score. If it is
    rejected, the worst is eliminated.

    Parameters
    ----------
    scores : array-like of shape (n_periods, n_learners), float
        Scores or losses of at least 2 learners in order of time, in any unit.
    names : sequence of str, optional
        Learners; "learner 1" and so on if left out. Required with more learners than periods, so
        that no transposed table is accepted.
    sampling : Sampling, optional
        How the periods were made; one period after the other, with a horizon of 1, if left out.
    greater_is_better : bool, default=False
        Whether the best score is the greatest.
    alpha : float in (0, 1), default=0.05
        One minus the probability with which the set holds all of the best learners.
    statistic : {"max", "range"}, default="max"
        "max" (T_max) compares each learner with the mean of those left, "range" (T_R) with each of
        them.
    n_draws : int, default=9999
        Bootstrap samples.
    random_state : int, default=0
        The same number gives the same draws.

    Returns
    -------
    ModelConfidenceSet
        Members and p values. Learners that are equally bad are eliminated together. If only the
        means of learners differ, all but the best have a p value of 0, flagged
        ``"zero_variance"``.

    Raises
    ------
    DesignError
        If it is no regular table of finite numbers, there are fewer than 2 learners, 8 periods or
        two horizons, or the plan has no order in time.
    InvalidArgumentError
        If names do not fit, or an option is not allowed.

    See Also
    --------
    confidence_set_p_values : The same from given bootstrap samples.

    Notes
    -----
    Periods are drawn by a circular block bootstrap [1]_, in blocks as long as the cube root of
    their number, rounded up, or as the horizon. When not to trust it: with fewer than 20
    periods, or where successive losses depend on each other, equally good learners are eliminated
    too often.

    References
    ----------
    .. [1] Hansen, Lunde & Nason (2011), The model confidence set, Econometrica 79(2).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> losses = rng.normal(size=(30, 1)) + rng.normal([1, 1, 2], 0.5, size=(30, 3))
    >>> model_confidence_set(losses, names=["ridge", "cart", "mean"])
    ModelConfidenceSet(model confidence set: ridge, cart)
    """
    rng = check_draws(n_draws, random_state, "model_confidence_set")
    table, labels = learner_table(scores, f"scores of {_NAME}", row="period", names=names)
    n_periods = len(table)
    sampling = sampling or Sampling("forward", n_periods, 1)
    check_refusal(_NAME, refuse_periods(_NAME, sampling))
    alpha = check_share(alpha, "alpha")
    check_known(statistic, "statistic", ("max", "range"))
    length = max(int(np.ceil(n_periods ** (1 / 3) - 1e-9)), sampling.horizon)
    starts = rng.integers(n_periods, size=(n_draws, -(-n_periods // length), 1))
    indices = (starts + np.arange(length)).reshape(n_draws, -1)[:, :n_periods] % n_periods
    p_values = confidence_set_p_values(-table if greater_is_better else table, indices, statistic)
    few = f"Only {n_periods} periods: the set lacks equally good learners even more often."
    spreads = (table - table[:, :1]).std(axis=0)
    is_flat = bool(is_noise(spreads, np.abs(table).max()).all())
    return ModelConfidenceSet(
        procedure="model confidence set",
        n=n_periods,
        names=labels,
        p_value=p_values,
        members=tuple(name for name, p in zip(labels, p_values, strict=True) if p > alpha),
        alpha=alpha,
        n_draws=n_draws,
        assumptions=("All learners were trained and tested on the same periods.", STEADY),
        flags=("zero_variance",) if is_flat else (),
        warnings=(LEVEL, *caution_if(n_periods < ENOUGH_PERIODS, "few-scores", few)),
    )


def confidence_set_p_values(losses: Floats, indices: Positions, statistic: str) -> Floats:
    """Return the p value of each learner in the model confidence set, from bootstrap samples.

    Parameters
    ----------
    losses : ndarray of shape (n_periods, n_learners)
        Lower is better.
    indices : ndarray of shape (n_draws, n_periods), int
        The periods of each bootstrap sample.
    statistic : {"max", "range"}
        As for `model_confidence_set`.

    Returns
    -------
    ndarray of shape (n_learners,)
        The share of samples with a statistic at least as large, or a larger share of an earlier
        step.
    """
    n_periods, n_learners = losses.shape
    n_draws = len(indices)
    places = indices + n_periods * np.arange(n_draws)[:, None]
    counts = np.bincount(places.ravel(), minlength=n_draws * n_periods)
    means, scale = losses.mean(axis=0), np.abs(losses).max()
    drawn = counts.reshape(n_draws, n_periods) @ (losses - means) / n_periods
    left, result, largest = np.arange(n_learners), np.ones(n_learners), 0.0
    while len(left) > 1:
        worst, simulated = np.full(len(left), -np.inf), np.full(n_draws, -np.inf)
        own, mean = drawn[:, left], means[left]
        if statistic == "max":
            others = [(mean.mean(), own.mean(axis=1, keepdims=True))]
        else:
            others = [(mean[i], own[:, [i]]) for i in range(len(left))]
        for center, drawn_center in others:
            errors, gaps = own - drawn_center, mean - center
            spread = np.sqrt((errors**2).mean(axis=0))
            unit = np.maximum(spread, NOISE * scale + np.finfo(float).tiny)  # of flat differences
            worst = np.maximum(worst, np.where(is_noise(gaps, scale), 0.0, gaps) / unit)
            errors = np.where(is_noise(spread, scale), 0.0, errors)
            simulated = np.maximum(simulated, (errors / unit).max(axis=1))
        top = worst.max() * _NEARLY
        largest = max(largest, float((simulated >= top).mean()))
        is_worst = worst >= top
        result[left[is_worst]] = largest
        left = left[~is_worst]
    return result


PROCEDURE = Procedure(
    name=_NAME,
    title="model confidence set",
    question="Which of K learners may be the best over periods that come one after the other?",
    takes="many-on-splits",
    run=model_confidence_set,
    aliases=("mcs", "hansen-lunde-nason"),
    needs_all_splits=True,
    is_over_time=True,
)
