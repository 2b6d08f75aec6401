"""Extrapolation of learning curves to more rows, with intervals and refusals.

The prediction is the mean of the families of `curve_families`. The width of its interval comes
from three things: how far the families lie apart, how far they move when splits are resampled,
and by how much the same procedure missed the largest known sizes when these were held back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from bestofk.array_types import Bools, Floats, Ints
from bestofk.checks import check_number
from bestofk.curves.curve_families import predict_losses
from bestofk.inference.many_learners.mean_losses import lowest_loss
from bestofk.measures.ties import is_noise
from bestofk.randomness import derive_rng
from bestofk.words import times

LEVEL: Final = 0.8
FARTHEST: Final = 2  # times the largest size: farther, no interval has been checked
# Half the interval, in units of the root of the sum of squares below. Chosen so that 80 % of the
# intervals cover on the curves for calibration, see `benchmarks/extrapolation.py`.
_HALF_WIDTH: Final = 0.8
_N_DRAWS: Final = 200
_N_CHECKS: Final = 3  # largest sizes that are held back; smaller ones are steeper
_FEWEST_CHECKS: Final = 2
_FEWEST_SIZES: Final = 4  # that a curve is fitted to
_FEWEST_ROWS: Final = 100
_FEWEST_SPLITS: Final = 5
_RISE: Final = 2.0  # standard errors by which the last loss lies above the least
_ROUNDING: Final = 0.03  # of a size, where sizes are meant to be multiples of each other
_NONE: Final = np.empty(0)


@dataclass(frozen=True, eq=False)
class Extrapolation:
    """Expected loss of one learner with more rows than were measured.

    Attributes
    ----------
    learner : str
        Its name.
    n_train : int
        Training rows.
    loss, low, high : float
        Expected loss, and its interval at level 0.8; nan where it is refused.
    reason : str
        Why it is refused; empty where it is not.
    draws : ndarray of shape (n_draws, n_families)
        Predictions of every family from resampled splits; empty where it is refused.
    missed : ndarray of shape (n_checks,)
        Known minus predicted loss of the largest sizes, each from those as much smaller.
    """

    learner: str
    n_train: int
    loss: float
    low: float
    high: float
    reason: str
    draws: Floats
    missed: Floats

    @property
    def is_refused(self) -> bool:
        """Return whether no prediction is made."""
        return bool(self.reason)


@dataclass(frozen=True)
class PredictedLead:
    """Predicted lead of one of two learners with more rows.

    Attributes
    ----------
    first, second : str
        The two, in their order at the largest known size.
    n_train : int
        Training rows.
    difference, low, high : float
        Expected loss of the first minus that of the second (negative: the first leads), and
        its interval at level 0.8; nan where it is refused.
    share : float
        Of the draws in which the second leads; nan where it is refused.
    reason : str
        Why it is refused; empty where it is not.
    """

    first: str
    second: str
    n_train: int
    difference: float
    low: float
    high: float
    share: float
    reason: str

    @property
    def is_sure(self) -> bool:
        """Return whether the interval of the difference excludes 0; False if refused."""
        return self.low > 0 or self.high < 0

    @property
    def leader(self) -> str:
        """The second where more than 80 % of the draws say so, else the first."""
        return self.second if self.share > LEVEL else self.first


def check_rows(n_train: Any, largest: int) -> int:
    """Return the rows to look ahead to: twice the largest known size where none are given.

    Raises
    ------
    InvalidArgumentError
        If they are no whole number above the largest size, at most twice as large.

    Examples
    --------
    >>> check_rows(None, 100), check_rows(150, 100)
    (200, 150)
    """
    if n_train is None:
        return FARTHEST * largest
    check_number(
        n_train,
        "rows to look ahead to",
        low=largest + 1,
        high=FARTHEST * largest,
        whole=True,
        way_out="Smaller sizes can be measured, no interval has been checked farther.",
    )
    return int(n_train)


def extrapolate_losses(
    learner: str,
    sizes: Ints,
    losses: Floats,
    n_train: int,
    *,
    best: float = 0.0,
    worst: float = np.inf,
    random_state: int = 0,
) -> Extrapolation:
    """Say what the loss of a learner would be with more rows, or why that cannot be said.

    Parameters
    ----------
    learner : str
        Its name.
    sizes : ndarray of shape (n_sizes,), int64
        Training rows, ascending.
    losses : ndarray of shape (n_sizes, n_splits)
        Lower is better; nan or inf where a run failed.
    n_train : int
        Rows to predict at, above the largest size.
    best, worst : float, default=0.0, inf
        Range of the loss; -inf and inf where there is no bound.
    random_state : int, default=0
        What the resampling of splits is derived from; all learners share it.

    Returns
    -------
    Extrapolation

    Notes
    -----
    Refused where the largest size is below 100 rows or has a failed run; with less than five
    splits; where fewer than two sizes can be held back because fewer than four known ones are
    as much smaller as `n_train` is larger; where the loss rises (its last mean lies more than
    two standard errors of the difference above its least mean), since no family does; and where
    nothing varies, so that there is no width.

    Examples
    --------
    >>> sizes = 25 * 2 ** np.arange(7)
    >>> noise = np.random.default_rng(0).normal(0, 0.01, (7, 10))
    >>> ahead = extrapolate_losses("lda", sizes, 0.1 + 2 / sizes[:, None] + noise, 3200)
    >>> round(ahead.low, 3), round(ahead.loss, 3), round(ahead.high, 3)
    (0.095, 0.102, 0.109)
    """
    known = np.asarray(np.isfinite(losses).all(axis=1))
    reason = _without_mean(sizes, losses, known)
    sizes, losses = sizes[known], losses[known]
    reason = reason or _too_short(sizes, n_train) or _rising(losses)
    if reason:
        return _refused(learner, n_train, reason)
    n_splits = losses.shape[1]
    rng = derive_rng(random_state, "extrapolation")
    drawn = rng.multinomial(n_splits, np.full(n_splits, 1 / n_splits), size=_N_DRAWS) / n_splits
    draws = predict_losses(sizes, drawn @ losses.T, n_train, best)
    means = losses.mean(axis=1)
    loss = float(predict_losses(sizes, means[None], n_train, best).mean())
    missed = _missed(sizes, means, n_train, best)
    half = _half_width(draws, missed)
    if is_noise(half, np.abs(losses).max()):
        return _refused(learner, n_train, "its loss is the same in all splits and sizes")
    low, high = np.clip([loss - half, loss + half], best, worst)
    return Extrapolation(learner, n_train, loss, float(low), float(high), "", draws, missed)


def predicted_lead(first: Extrapolation, second: Extrapolation) -> PredictedLead:
    """Say which of two learners leads, from what is expected of both from the same splits."""
    reason = "; ".join(
        f"{item.learner}: {item.reason}" for item in (first, second) if item.is_refused
    )
    nothing = float("nan")
    difference = low = high = share = nothing
    if not reason:
        draws = first.draws - second.draws
        n_checks = min(len(first.missed), len(second.missed))
        missed = first.missed[-n_checks:] - second.missed[-n_checks:]
        difference, half = first.loss - second.loss, _half_width(draws, missed)
        low, high, share = difference - half, difference + half, float((draws > 0).mean())
    return PredictedLead(
        first.learner, second.learner, first.n_train, difference, low, high, share, reason
    )


def _refused(learner: str, n_train: int, reason: str) -> Extrapolation:
    nothing = float("nan")
    return Extrapolation(learner, n_train, nothing, nothing, nothing, reason, _NONE, _NONE)


def _without_mean(sizes: Ints, losses: Floats, known: Bools) -> str:
    n_splits = losses.shape[1]
    if n_splits < _FEWEST_SPLITS:
        few = _too_few(n_splits, "split")
        return f"{few} to resample; at least {_FEWEST_SPLITS} are needed"
    if not known[-1]:
        return f"not every run has a score with {sizes[-1]:,} rows"
    if sizes[-1] < _FEWEST_ROWS:
        return f"{_too_few(int(sizes[-1]), 'row')}; at least {_FEWEST_ROWS} are needed"
    return ""


def _too_short(sizes: Ints, n_train: int) -> str:
    n_checks = sum(before >= _FEWEST_SIZES for before in _n_before(sizes, n_train))
    if n_checks >= _FEWEST_CHECKS:
        return ""
    return (
        f"{_too_few(len(sizes), 'size')}: to check the prediction, {_FEWEST_CHECKS} of them need "
        f"{_FEWEST_SIZES} others each that are at most {sizes[-1] / n_train:.2g} times as large"
    )


def _too_few(count: int, noun: str) -> str:
    return f"{times(count, noun)} {'is' if count == 1 else 'are'} too few"


def _n_before(sizes: Ints, n_train: int) -> list[int]:
    """Return of each size how many are as much smaller as `n_train` is larger than all."""
    most = sizes * (sizes[-1] / n_train) * (1 + _ROUNDING)
    return [int(n) for n in np.searchsorted(sizes, most, side="right")]


def _rising(losses: Floats) -> str:
    above = losses[-1] - losses[lowest_loss(losses.mean(axis=1))]
    error = above.std(ddof=1) / len(above) ** 0.5
    return (
        "its loss rises with the rows, and no family of curves does"
        if above.mean() > _RISE * error
        else ""
    )


def _missed(sizes: Ints, means: Floats, n_train: int, best: float) -> Floats:
    """Return known minus predicted loss of the largest sizes, from those up to a part of them."""
    errors = []
    for index, before in enumerate(_n_before(sizes, n_train)):
        if before >= _FEWEST_SIZES:
            table = predict_losses(sizes[:before], means[None, :before], int(sizes[index]), best)
            errors.append(means[index] - table.mean())
    return np.array(errors[-_N_CHECKS:])


def _half_width(draws: Floats, missed: Floats) -> float:
    return float(_HALF_WIDTH * np.sqrt(draws.var() + np.mean(missed**2)))
