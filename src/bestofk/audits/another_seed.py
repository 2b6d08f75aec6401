"""Probability that fresh runs keep a claim, and share of a lead owed to selection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit, polygamma
from scipy.stats import norm

from bestofk.array_types import Floats
from bestofk.audits.claim import Claim
from bestofk.randomness import derive_rng

_N_DRAWS, _N_SEARCH = 2_000, 500  # fresh tables; at each step of a search
# Least correlation of two learners' deviations on a data set, whose splits they share; and the
# power that brings the odds nearer to even, as the leader was picked for leading. Both were
# chosen on the sources that benchmarks/audit_reliability.py names for it.
_LEAST_CORRELATION, _MOST_CORRELATION = 0.3, 0.95
POWER_OF_ODDS: Final = 0.85
# Added to the log odds of claims of significance, which drawn noise loses too often; chosen there.
_SIGNIFICANT: Final = 0.45
# The variance of the mean of F folds over repeats, against that of F independent splits, is about
# 1 / (1 + _LESS_PER_FOLD (F - 1)), as for repeats that are at hand.
_LESS_PER_FOLD: Final = 0.2
# Standard deviation of a printed mean between seeds, its middle half, by the error (a share): of
# 11,391 means of one 10-fold or 5-fold cross-validation, or of 5 or 10 splits; printed by
# benchmarks/audit_reliability.py.
_USUAL: Final = (
    (0.05, 0.0007, 0.0047), (0.15, 0.0034, 0.0115), (0.3, 0.0038, 0.0133), (1.0, 0.0051, 0.0158)
)  # fmt: skip
TOSS_UP: Final = 2 / 3  # of two learners, noise alone keeps every other claim
LEAST_FIRM: Final = 0.8  # probability from which on another seed is no weak link


def standard_errors(spreads: Floats, n_repeats: int, n_folds: int) -> Floats:
    """Return the standard deviation of each printed mean over seeds.

    Parameters
    ----------
    spreads : ndarray of shape (n_data_sets, n_learners), float
        Standard deviation of the scores of single splits.
    n_repeats, n_folds : int
        Of the cross-validation; one fold for independent splits or seeds.
    """
    less = 1 / (1 + _LESS_PER_FOLD * (n_folds - 1))
    return np.asarray(spreads * np.sqrt(less / (n_repeats * n_folds)))


def shared_correlation(spreads: Floats, n_scores: int) -> float:
    """Return the correlation of learners' deviations on a data set, from the similarity of spreads.

    Estimated spreads of n scores vary by chance, those of learners whose deviations correlate by
    r only 1 - r^2 times as much in their logarithms. Spreads that truly differ hide it: the
    figure is a lower bound, and at least one usual for shared splits.

    Parameters
    ----------
    spreads : ndarray of shape (n_data_sets, n_learners), float
        Printed standard deviations.
    n_scores : int
        Scores behind each.

    Returns
    -------
    float
        From 0.3 to 0.95.
    """
    positive = spreads[(spreads > 0).all(axis=1)]
    if len(positive) < 2 or n_scores < 2:
        return _LEAST_CORRELATION
    by_chance = polygamma(1, (n_scores - 1) / 2) / 4
    seen = np.log(positive).var(axis=1, ddof=1).mean() / by_chance
    return float(np.clip(np.sqrt(max(0.0, 1 - seen)), _LEAST_CORRELATION, _MOST_CORRELATION))


def keeps_claim(
    claim: Claim, losses: Floats, errors: Floats, correlation: float = _LEAST_CORRELATION
) -> float:
    """Return the probability that the same protocol with another seed keeps a claim.

    Fresh means are drawn around the printed ones, with the variance of both; the odds are then
    corrected by what was learned from tables whose other seeds are known.

    Parameters
    ----------
    claim : Claim
        What is to be true of fresh means as well.
    losses : ndarray of shape (n_data_sets, n_learners), float
        Printed means; less is better.
    errors : ndarray of the same shape, float
        Their standard errors between seeds.
    correlation : float, default=0.3
        Of the deviations of two learners on one data set.

    Returns
    -------
    float
        In [0, 1].
    """
    share = (_kept(claim, losses, errors, correlation) * _N_DRAWS + 0.5) / (_N_DRAWS + 1)
    return float(expit(POWER_OF_ODDS * logit(share) + _SIGNIFICANT * claim.is_significant))


def _kept(
    claim: Claim, losses: Floats, errors: Floats, correlation: float, n_draws: int = _N_DRAWS
) -> float:
    rng = derive_rng("another seed of a published table", claim.names, losses.shape)
    shared = rng.standard_normal((n_draws, len(losses), 1)) * np.sqrt(correlation)
    own = rng.standard_normal((n_draws, *losses.shape)) * np.sqrt(1 - correlation)
    fresh = losses + np.sqrt(2) * errors * (shared + own)
    return float(claim.holds(fresh).mean())


def toss_up_error(claim: Claim, losses: Floats) -> float:
    """Return the standard error of every value at which fresh runs keep a claim 2 times in 3.

    Parameters
    ----------
    claim : Claim
        Holds for `losses`.
    losses : ndarray of shape (n_data_sets, n_learners), float
        Printed means.

    Returns
    -------
    float
        In the unit of the losses; infinite where no spread does.
    """
    scale = float(np.ptp(losses)) or 1.0

    def excess(log_error: float) -> float:
        errors = np.full(losses.shape, np.exp(log_error))
        return _kept(claim, losses, errors, _LEAST_CORRELATION, _N_SEARCH) - TOSS_UP

    low, high = np.log(scale * 1e-6), np.log(scale * 10)
    if excess(low) <= 0:
        return 0.0
    if excess(high) >= 0:
        return np.inf
    return float(np.exp(brentq(excess, low, high, xtol=0.01)))


def usual_errors(values: Floats, unit: float) -> tuple[float, float]:
    """Return the middle half of the usual variation of such means between seeds.

    Parameters
    ----------
    values : ndarray of float
        Printed accuracies or error rates.
    unit : float
        The value of certainty, 1 or 100.

    Returns
    -------
    low, high : float
        In the unit of the values; nan where they are no shares.
    """
    shares = values / unit
    if shares.min() < 0 or shares.max() > 1:
        return np.nan, np.nan
    error = float(np.median(np.minimum(shares, 1 - shares)))
    low, high = next((low, high) for most, low, high in _USUAL if error <= most or most == 1)
    return low * unit, high * unit


@dataclass(frozen=True)
class WinnersCurse:
    """Share of a winner's lead that is owed to being picked, by three estimates.

    Parameters
    ----------
    lead : float
        Printed, over the runner-up.
    conditional, hybrid, empirical_bayes : float
        The lead that is left, by each estimate of the winner's mean.
    """

    lead: float
    conditional: float
    hybrid: float
    empirical_bayes: float


def winners_curse(
    losses: Floats, errors: Floats, learner: int, correlation: float = _LEAST_CORRELATION
) -> WinnersCurse:
    """Return the rest of a learner's lead in means, given that it was picked for its mean.

    Parameters
    ----------
    losses : ndarray of shape (n_data_sets, n_learners), float
        Printed means; the mean over data sets of `learner` is the lowest.
    errors : ndarray of the same shape, float
        Their standard errors between seeds.
    learner : int
        The winner.
    correlation : float, default=0.3
        As for `keeps_claim`.

    References
    ----------
    Andrews, Kitagawa & McCloskey (2024), Inference on winners, Quarterly Journal of Economics
    139(1): the median-unbiased estimate given the selection, and its hybrid with an interval
    that holds for all learners at once; level of the latter .005.
    """
    gains = -losses.mean(axis=0)  # more is better, as in the source
    variances = (errors**2).sum(axis=0) / len(losses) ** 2
    pairs = correlation * np.sqrt(np.outer(variances, variances))
    covariance = np.where(np.eye(len(gains), dtype=bool), np.diag(variances), pairs)[learner]
    own, sd = gains[learner], float(np.sqrt(variances[learner]))
    others = np.arange(len(gains)) != learner
    second = gains[others].max()
    if sd == 0:
        lead = float(own - second)
        return WinnersCurse(lead, lead, lead, lead)
    slope = covariance / variances[learner]
    rests = gains - slope * own  # what does not depend on the winner's mean
    cut = float((rests[others] / (1 - slope[others])).max())
    width = sd * norm.ppf(1 - 0.0025 / len(gains))

    noise = (1 - correlation) * variances  # what all learners share moves no lead
    between = max(0.0, float(gains.var(ddof=1) - noise.mean()))
    shrunk = gains.mean() + (own - gains.mean()) * between / (between + noise[learner])
    estimates = (own, _unbiased(own, sd, cut, 35 * sd), _unbiased(own, sd, cut, width), shrunk)
    return WinnersCurse(*(float(value - second) for value in estimates))


def _unbiased(own: float, sd: float, cut: float, width: float) -> float:
    """Return the mean whose normal values above `cut`, within `width` of it, have this median."""

    def excess(mean: float) -> float:
        limits = np.array([max(cut, mean - width), own, mean + width])
        outside = norm.sf((limits - mean) / sd)
        return float((outside[0] - outside[1]) / (outside[0] - outside[2])) - 0.5

    return float(brentq(excess, own - width, own)) if cut < own else own - width
