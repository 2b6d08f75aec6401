"""Would the same protocol with other seeds end in the same verdict."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from bestofk.inference import PairedComparison, adjust_p_values, reject_adjusted
from bestofk.inference.student import upper_tail
from bestofk.ordering.multitest import multitest_edges, multitest_orders
from bestofk.randomness import derive_rng

Floats = NDArray[np.float64]

# Draws of what is true in the long run, and draws of a fresh protocol for each.
_N_TRUTHS, _N_FRESH = 100, 20
_INTERVAL = (0.05, 0.95)
_MOST_CELLS = 4_000_000


@dataclass(frozen=True)
class Chance:
    """A probability and how far it is known.

    Parameters
    ----------
    value : float
        The probability.
    low, high : float
        The middle 90 % of what it may be, since the repeats at hand are few.
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Reseeding:
    """How probable it is that other seeds lead to the same verdict on the same rows.

    Parameters
    ----------
    best : Chance
        That the same learner is named best.
    candidates : Chance or None
        That the same learners may be best; None where the test does not rest on the mean.
    order : Chance or None
        That all learners stand in the same order.
    reproducibility : ndarray of shape (n_learners, n_learners), float
        For each pair R, the absolute mean sign of the difference between the two estimates:
        1 if the same one is ahead whatever the seed, 0 if it is a coin [1]_.
    n_repeats : int
        Repeats of the learners that stayed to the end.

    References
    ----------
    .. [1] Raeder, Hoens & Chawla (2010), Consequences of variability in classifier performance
       estimates, IEEE International Conference on Data Mining.
    """

    best: Chance
    candidates: Chance | None
    order: Chance | None
    reproducibility: Floats
    n_repeats: int


def reseed(
    repeat_losses: Floats,
    compared: PairedComparison,
    *,
    best: int,
    alpha: float,
    preferred: list[int] | None = None,
    correction: str = "holm",
    indifference: float = 0.0,
) -> Reseeding | None:
    """Estimate from the repeats at hand what other seeds would say.

    Repeats divide the same rows at random, independently of each other. So a protocol with
    other seeds has other repeats from the same distribution, whose means and covariances are
    estimated from those at hand: the long-run differences are drawn from Student's t around the
    differences found, then the differences of a fresh protocol with as many repeats around
    those. Each draw is judged by the rules of the verdict, with the standard errors found.

    Parameters
    ----------
    repeat_losses : ndarray of shape (n_learners, n_repeats)
        Mean loss of each repeat; nan from where a learner was repeated no further.
    compared : PairedComparison
        What the test says of every ordered pair.
    best : int
        The learner named best.
    alpha : float
        Level of the family of tests.
    preferred : list of int, optional
        Learners by preference, where MultiTest decides; the lowest mean otherwise.
    correction : str, default="holm"
        Of MultiTest.
    indifference : float, default=0
        Without preference, mean losses up to this above the lowest are tied with it, and the
        first is best.

    Returns
    -------
    Reseeding or None
        None with fewer than three repeats, or less than two learners.
    """
    lengths = (~np.isnan(repeat_losses)).sum(axis=1)
    n_learners = len(repeat_losses)
    if n_learners < 2 or lengths.min() < 3:
        return None
    n_truths = int(min(_N_TRUTHS, max(_MOST_CELLS // (_N_FRESH * n_learners**2), 10)))
    rng = derive_rng(0, "reseeding", n_learners, *lengths.tolist())
    means = _mean_differences(repeat_losses, lengths)
    # drawn in mirrored pairs, which makes the figures steadier
    off = _noise(repeat_losses, lengths, n_truths // 2, rng, with_tails=True)
    truths = means + np.concatenate([off, -off])
    fresh = np.repeat(truths, _N_FRESH, axis=0)
    fresh += _noise(repeat_losses, lengths, len(fresh), rng, with_tails=False)
    judge = partial(
        _judge, compared=compared, best=best, alpha=alpha, preferred=preferred,
        correction=correction, indifference=indifference,
    )  # fmt: skip
    found, other = judge(np.stack([means])), judge(fresh)
    rests_on_mean = _rests_on_mean(compared)
    chances = [
        _chance((new == old).reshape(len(truths), _N_FRESH, -1).all(axis=2))
        for new, old in zip(other, found, strict=True)
    ]
    by_test = rests_on_mean or preferred is None
    ahead = np.sign(np.round(fresh, 12)).mean(axis=0)
    return Reseeding(
        best=chances[0],
        candidates=chances[1] if rests_on_mean else None,
        order=chances[2] if by_test else None,
        reproducibility=np.abs(ahead),
        n_repeats=int(lengths.max()),
    )


def _rests_on_mean(compared: PairedComparison) -> bool:
    """Return whether a test is the mean difference over its standard error."""
    varies = ~compared.zero_variance & (compared.standard_error > 0)
    product = compared.statistic[varies] * compared.standard_error[varies]
    return bool(np.allclose(product, compared.mean[varies], atol=1e-9))


def _chance(agrees: NDArray[np.bool_]) -> Chance:
    shares = agrees.mean(axis=1)
    low, high = np.quantile(shares, _INTERVAL)
    value = float(shares.mean())
    return Chance(value, min(float(low), value), max(float(high), value))


def _mean_differences(losses: Floats, lengths: NDArray[np.int64]) -> Floats:
    """Return the mean difference of every pair over the repeats that both have."""
    shared = np.minimum(lengths[:, None], lengths)
    sums = np.cumsum(np.nan_to_num(losses), axis=1)
    prefix = sums[:, shared - 1]  # [i, a, b]: sum of learner i over the repeats of pair (a, b)
    i = np.arange(len(losses))
    means = prefix[i[:, None], i[:, None], i] - prefix[i, i[:, None], i]
    return np.asarray(means / shared)


def _noise(
    losses: Floats,
    lengths: NDArray[np.int64],
    n_draws: int,
    rng: np.random.Generator,
    *,
    with_tails: bool,
) -> Floats:
    """Draw how far mean differences over as many repeats are from the long run.

    Returns
    -------
    ndarray of shape (n_draws, n_learners, n_learners)
        Antisymmetric; of Student's t with the repeats of the pair less one where `with_tails`.
    """
    n_learners = len(losses)
    root = _covariance_root(losses, lengths)
    shared = np.minimum(lengths[:, None], lengths)
    noise = np.zeros((n_draws, n_learners, n_learners))
    total = np.zeros((n_draws, n_learners))
    before = 0
    for length in np.unique(lengths):
        width = length - before
        steps = rng.standard_normal((n_draws, n_learners)) @ root.T
        total += np.sqrt(width) * steps
        before = length
        first, second = np.nonzero(shared == length)
        drawn = (total[:, first] - total[:, second]) / length
        if with_tails:
            drawn *= np.sqrt((length - 1) / rng.chisquare(length - 1, size=n_draws))[:, None]
        noise[:, first, second] = drawn
    return noise


def _covariance_root(losses: Floats, lengths: NDArray[np.int64]) -> Floats:
    """Return a root of the covariance of the learners' losses per repeat."""
    shared = np.minimum(lengths[:, None], lengths)
    covariance = np.empty(shared.shape)
    for length in np.unique(lengths):
        rows = np.flatnonzero(lengths >= length)
        part = np.atleast_2d(np.cov(losses[rows, :length]))
        first, second = np.nonzero(shared[np.ix_(rows, rows)] == length)
        covariance[rows[first], rows[second]] = part[first, second]
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray(vectors * np.sqrt(np.clip(values, 0, None)))


def _judge(
    differences: Floats,
    compared: PairedComparison,
    best: int,
    alpha: float,
    preferred: list[int] | None,
    correction: str,
    indifference: float,
) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.int64]]:
    """Return best, candidates and order of each draw of mean differences."""
    n_draws, k = len(differences), differences.shape[-1]
    error = compared.standard_error
    limit = np.where(differences > 0, np.inf, np.where(differences < 0, -np.inf, 0.0))
    statistic = np.divide(differences, error, out=limit, where=error > 0)
    p_greater = upper_tail(statistic, compared.df)
    pairs = ~np.eye(k, dtype=bool)
    adjusted = np.ones((n_draws, k, k))
    adjusted[:, pairs] = adjust_p_values(p_greater[:, pairs], "holm")
    beaten: NDArray[np.bool_] = np.any(reject_adjusted(adjusted, alpha), axis=2)
    beaten[np.all(beaten, axis=1)] = False
    if preferred is None:
        behind = np.round(differences[:, :, best], 12)
        first = np.argmax(behind <= behind.min(axis=1, keepdims=True) + indifference, axis=1)
        behind[np.arange(n_draws), first] = -np.inf
        order = np.argsort(behind, axis=1, kind="stable")
    else:
        of_preferred = p_greater[:, preferred][:, :, preferred]
        edges, _ = multitest_edges(of_preferred, alpha=alpha, correction=correction)
        order = np.asarray(preferred)[multitest_orders(edges)]
    return order[:, :1], ~beaten, order
