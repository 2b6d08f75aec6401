"""Probability that the same protocol with another random seed gives the same verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.special import stdtrit

from bestofk.array_types import Bools, Floats, Ints
from bestofk.inference.adjust import reject_adjusted, step_down
from bestofk.inference.many_learners.mean_losses import repeat_means
from bestofk.inference.student import upper_tail
from bestofk.inference.two_learners.paired_test import PairedComparison
from bestofk.measures.ties import at_most, is_noise, tied_values
from bestofk.randomness import derive_rng

# Draws of what is true in the long run, and draws of a fresh protocol for each.
_N_TRUTHS, _N_FRESH = 200, 10
_INTERVAL = (0.05, 0.95)
_MOST_CELLS = 4_000_000
_NEARLY = 1e-6  # quantiles of Student's t are exact to more digits
_FEWEST_REPEATS = 3
STATEMENTS = ("best", "candidates", "order")
# The variance of the mean of F folds over repeats, against that of independent folds, is about
# 1 / (1 + _LESS_PER_FOLD (F - 1)): 0.85, 0.72 and 0.34 for 2, 3 and 10 folds on the half of the
# data sets that benchmarks/seed_reliability.py holds apart for tuning. Of 5 folds it is 0.48 on 15
# samples of that half, where this gives 0.56: claims are a little shy. It is known about as well as
# from so many more repeats.
_LESS_PER_FOLD, _PRIOR_DF = 0.2, 5
# The pick's lead is larger than in the long run because it was picked for it. So the odds of every
# claim are brought nearer to even, to this power, which was chosen on the same half.
_POWER_OF_ODDS = 0.85


@dataclass(frozen=True)
class Chance:
    """A probability and how far it is known.

    Parameters
    ----------
    value : float
        The probability.
    low, high : float
        The middle 90 % of what it may be, since the repeats at hand are few.
    n_draws : int
        Draws of the long run that it is a mean over.
    """

    value: float
    low: float
    high: float
    n_draws: int = _N_TRUTHS


@dataclass(frozen=True, eq=False)
class Reseeding:
    """Probability that other random seeds give the same verdict on the same rows.

    Parameters
    ----------
    best : Chance or None
        That the pick is the same; None where that is not stated.
    candidates : Chance or None
        That the candidates are the same; None where that is not stated.
    order : Chance or None
        That all learners stand in the same order; None where that is not stated.
    reproducibility : ndarray of shape (n_learners, n_learners), float
        For each pair R, the absolute mean sign of the difference between the two estimates:
        1 if the same one is ahead whatever the seed, 0 if that is down to chance [1]_.
    n_repeats : int
        Repeats of the learners that stayed to the end.
    reasons : mapping of str to str
        Why "best", "candidates" or "order" is not stated.

    References
    ----------
    .. [1] Raeder, Hoens & Chawla (2010), Consequences of variability in classifier performance
       estimates, IEEE International Conference on Data Mining.
    """

    best: Chance | None
    candidates: Chance | None
    order: Chance | None
    reproducibility: Floats
    n_repeats: int
    reasons: Mapping[str, str] = field(default_factory=dict)

    def without(self, *names: str, reason: str) -> Reseeding:
        """Return the same without some of the statements.

        Parameters
        ----------
        *names : {"best", "candidates", "order"}
            What is not to be stated.
        reason : str
            Why.

        Returns
        -------
        Reseeding
        """
        changed: dict[str, Any] = dict.fromkeys(names)
        return replace(self, reasons={**self.reasons, **dict.fromkeys(names, reason)}, **changed)


def reseed(
    losses: Floats,
    repeat_of_split: Ints,
    compared: PairedComparison,
    *,
    best: int,
    alpha: float,
    indifference: float = 0.0,
) -> Reseeding | None:
    """Estimate from the repeats at hand what other random seeds would say.

    Repeats divide the same rows at random, independently of each other. So a protocol with
    another seed has other repeats from the same distribution, whose means and covariances are
    estimated from those at hand. The long-run differences are drawn from Student's t around the
    observed differences, then the differences of a fresh protocol with as many repeats around
    those, with the same draw of the variance. Its standard errors are drawn as well: as the
    estimated variance and that of the fresh protocol vary by chance. Each draw is judged by the
    rules of the verdict without a preference.

    Parameters
    ----------
    losses : ndarray of shape (n_splits, n_learners)
        Repeat by repeat; nan from where a learner was eliminated.
    repeat_of_split : ndarray of shape (n_splits,), int
        The repeat that each split belongs to.
    compared : PairedComparison
        What a test that rests on the mean says of every ordered pair.
    best : int
        The pick.
    alpha : float
        Level of the family of tests.
    indifference : float, default=0
        Mean losses up to this above the lowest are tied with it, and the first is the pick.

    Returns
    -------
    Reseeding or None
        None with fewer than three repeats, fewer than two learners, or where the differences of
        a pair do not vary.
    """
    repeats = _Repeats.of(losses, repeat_of_split)
    lengths, n_learners = repeats.lengths, losses.shape[1]
    is_flat = compared.zero_variance & (compared.statistic != 0)
    if n_learners < 2 or lengths.min() < _FEWEST_REPEATS or is_flat.any():
        return None
    n_mirrored = min(_N_TRUTHS // 2, max(_MOST_CELLS // (2 * _N_FRESH * n_learners**2), 5))
    n_truths = 2 * n_mirrored
    n_draws = n_truths * _N_FRESH
    rng = derive_rng(0, "reseeding", n_learners, *lengths.tolist())
    shared = np.minimum(lengths[:, None], lengths)
    means = _mean_differences(repeats.losses, lengths)
    # drawn in mirrored pairs, which makes the figures steadier
    off = _noise(repeats, n_mirrored, rng)
    tails = _spread_factors(shared - 1.0 + repeats.prior_df, n_truths, rng)
    truths = means + np.concatenate([off, -off]) * tails
    fresh = _noise(repeats, n_draws, rng) * np.repeat(tails, _N_FRESH, axis=0)
    fresh += np.repeat(truths, _N_FRESH, axis=0)
    df = np.broadcast_to(compared.df, shared.shape)
    errors = compared.standard_error * (
        _spread_factors(df, n_draws, rng) / _spread_factors(df, n_draws, rng)
    )
    scale = float(np.nanmax(np.abs(losses)))
    result, other = (
        _judge(
            np.where(is_noise(differences, scale), 0.0, differences),
            spread, compared.df, best=best, alpha=alpha, indifference=indifference, scale=scale,
        )
        for differences, spread in ((means[None], compared.standard_error[None]), (fresh, errors))
    )  # fmt: skip
    same = (
        _chance((new == old).all(axis=1).reshape(n_truths, _N_FRESH))
        for new, old in zip(other, result, strict=True)
    )
    ahead = np.where(is_noise(fresh, scale), 0.0, np.sign(fresh)).mean(axis=0)
    statements: dict[str, Any] = dict(zip(STATEMENTS, same, strict=True))
    return Reseeding(reproducibility=np.abs(ahead), n_repeats=int(lengths.max()), **statements)


@dataclass(frozen=True, eq=False)
class _Repeats:
    """Losses per repeat and per split, and how many repeats each learner has."""

    losses: Floats  # (n_learners, n_repeats)
    of_splits: Floats  # (n_learners, n_splits)
    repeat: Ints  # (n_splits,), counted from 0 without gaps
    lengths: Ints  # (n_learners,)

    @classmethod
    def of(cls, losses: Floats, repeat_of_split: Ints) -> _Repeats:
        repeat = np.unique(repeat_of_split, return_inverse=True)[1]
        means = repeat_means(losses, repeat_of_split).T
        return cls(means, np.ascontiguousarray(losses.T), repeat, (~np.isnan(means)).sum(axis=1))

    @property
    def n_folds(self) -> float:
        return float(self.of_splits.shape[1] / self.losses.shape[1])

    @property
    def prior_df(self) -> int:
        """Degrees of freedom that the spread over splits is worth."""
        return _PRIOR_DF if self.n_folds > 1 else 0

    def covariance_root(self) -> Floats:
        """Return a root of the covariance of the learners' losses per repeat.

        That of few repeats is shrunk to what the covariance over splits lets expect.
        """
        shared = np.minimum(self.lengths[:, None], self.lengths)
        covariance = np.empty(shared.shape)
        expected = 1 / (1 + _LESS_PER_FOLD * (self.n_folds - 1)) / self.n_folds
        for length in np.unique(self.lengths):
            rows = np.flatnonzero(self.lengths >= length)
            df = length - 1
            of_repeats = np.cov(self.losses[rows, :length])
            of_splits = np.cov(self.of_splits[rows][:, self.repeat < length])
            mixed = (df * of_repeats + self.prior_df * expected * of_splits) / (df + self.prior_df)
            first, second = np.nonzero(shared[np.ix_(rows, rows)] == length)
            covariance[rows[first], rows[second]] = np.atleast_2d(mixed)[first, second]
        values, vectors = np.linalg.eigh(covariance)
        # rounding would set learners apart whose predictions are the same
        values[at_most(values, 0.0, values.max())] = 0.0
        return np.asarray(vectors * np.sqrt(values))


def _chance(agrees: Bools) -> Chance:
    shares = agrees.mean(axis=1)
    value = shares.mean()
    low, high = np.quantile(shares, _INTERVAL)
    known = [_nearer_to_even(p) for p in (value, min(low, value), max(high, value))]
    return Chance(known[0], known[1], known[2], len(shares))


def _nearer_to_even(probability: float) -> float:
    agrees, differs = probability**_POWER_OF_ODDS, (1 - probability) ** _POWER_OF_ODDS
    return float(agrees / (agrees + differs))


def _mean_differences(losses: Floats, lengths: Ints) -> Floats:
    """Return the mean difference of every pair over the repeats that both have."""
    shared = np.minimum(lengths[:, None], lengths)
    sums = np.cumsum(np.nan_to_num(losses), axis=1)
    prefix = sums[:, shared - 1]  # [i, a, b]: sum of learner i over the repeats of pair (a, b)
    i = np.arange(len(losses))
    means = prefix[i[:, None], i[:, None], i] - prefix[i, i[:, None], i]
    return np.asarray(means / shared)


def _noise(repeats: _Repeats, n_draws: int, rng: np.random.Generator) -> Floats:
    """Draw how far mean differences over as many repeats are from the long run.

    Returns
    -------
    ndarray of shape (n_draws, n_learners, n_learners)
        Antisymmetric and normal, with the covariances that the repeats have.
    """
    lengths, n_learners = repeats.lengths, len(repeats.losses)
    root = repeats.covariance_root()
    shared = np.minimum(lengths[:, None], lengths)
    noise = np.zeros((n_draws, n_learners, n_learners))
    total = np.zeros((n_draws, n_learners))
    before = 0
    for length in np.unique(lengths):
        steps = rng.standard_normal((n_draws, n_learners)) @ root.T
        total += np.sqrt(length - before) * steps
        before = length
        first, second = np.nonzero(shared == length)
        noise[:, first, second] = (total[:, first] - total[:, second]) / length
    return noise


def _spread_factors(df: Floats, n_draws: int, rng: np.random.Generator) -> Floats:
    """Draw the factor by which a true standard deviation exceeds the estimate.

    One draw serves all pairs, whose variances have learners in common; pairs with more degrees
    of freedom share the first ones.

    Parameters
    ----------
    df : ndarray of shape (n_learners, n_learners), float
        Degrees of freedom of each pair's variance.
    n_draws : int
        How many to draw.
    rng : Generator
        Source of randomness.

    Returns
    -------
    ndarray of shape (n_draws, n_learners, n_learners)
    """
    factors = np.ones((n_draws, *df.shape))
    chi_square, before = np.zeros(n_draws), 0.0
    for value in np.unique(df):
        chi_square = chi_square + rng.chisquare(value - before, size=n_draws)
        before = value
        factors[:, df == value] = np.sqrt(value / chi_square)[:, None]
    return factors


def _judge(
    differences: Floats,
    errors: Floats,
    df: Floats,
    *,
    best: int,
    alpha: float,
    indifference: float,
    scale: float,
) -> tuple[Ints, Bools, Ints]:
    """Return pick, candidates and order of each draw of mean differences."""
    n_draws, k = len(differences), differences.shape[-1]
    # without variance there is no test, and no claim
    statistic = np.divide(differences, errors, out=np.zeros_like(differences), where=errors > 0)
    # a p value above alpha is never rejected, whatever the others are, and need not be known
    quantile = stdtrit(df, 1 - alpha)
    is_open = ~(statistic < quantile - _NEARLY * (1 + np.abs(quantile)))
    p_greater = np.ones(statistic.shape)
    p_greater[is_open] = upper_tail(statistic[is_open], np.broadcast_to(df, is_open.shape)[is_open])
    known = is_open.any(axis=0) & ~np.eye(k, dtype=bool)  # p values of 1 would come last
    adjusted = np.ones((n_draws, k, k))
    factors = np.arange(k * (k - 1), 0, -1)[: known.sum()]
    adjusted[:, known] = step_down(p_greater[:, known], factors)
    beaten: Bools = np.any(reject_adjusted(adjusted, alpha), axis=2)
    beaten[np.all(beaten, axis=1)] = False
    behind = tied_values(differences[:, :, best], scale)
    limit = behind.min(axis=1, keepdims=True) + indifference
    first = np.argmax(at_most(behind, limit, scale), axis=1)
    behind[np.arange(n_draws), first] = -np.inf
    order = np.argsort(behind, axis=1, kind="stable")
    return order[:, :1], ~beaten, order
