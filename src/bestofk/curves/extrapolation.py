"""Extrapolation of learning curves to more rows, with intervals and refusals.

Curves of published families are fitted by least squares. Every family is
``loss = end + height * falling(rows)`` with ``height`` at least 0 and ``end`` at least the best
value of the measure, so a fitted curve never rises and never ends below what can be reached. The
shape of `falling` is searched on a grid, and both coefficients have a closed form: no start
values, no failures to converge, the same numbers everywhere.

DEVIATION: sizes are weighted by their number of rows, where the sources weigh all sizes equally,
because the prediction lies beyond the largest size.

The prediction is the mean of all families. The width of its interval comes from three things: how
far the families lie apart, how far they move when splits are resampled, and by how much the same
procedure missed the largest known sizes when these were held back.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from bestofk.array_types import Bools, Floats, Ints
from bestofk.checks import check_number
from bestofk.inference.many_learners.mean_losses import lowest_loss
from bestofk.measures.ties import is_noise
from bestofk.randomness import derive_rng
from bestofk.words import times

_Table = Floats

_POWERS: Final = np.geomspace(0.05, 2.5, 24)
_MMF_POWERS: Final = np.geomspace(0.3, 3.0, 12)
_WEIBULL_POWERS: Final = np.geomspace(0.15, 1.5, 10)
_N_SCALES: Final = 16  # rows at which a curve bends, from a quarter of the smallest size
_N_EXP_SCALES: Final = 24
_SINGULAR: Final = 1e-12  # of the product of the diagonal: end and height cannot be distinguished


@dataclass(frozen=True)
class CurveFamily:
    """Curves of one formula.

    Attributes
    ----------
    name : str
        As in the literature: letters of the formula, number of its parameters.
    formula : str
        Loss in terms of n, the training rows.
    falling : callable or None
        From rows, shape (n,), and the smallest and largest known size, the falling part of
        every shape of the grid, (n_shapes, n); None for the last known loss.
    """

    name: str
    formula: str
    falling: Callable[[_Table, float, float], _Table] | None


def _scales(low: float, high: float, count: int) -> _Table:
    return np.geomspace(low / 4, 2 * high, count)


def _pow3(rows: _Table, low: float, high: float) -> _Table:
    return np.asarray((rows / low) ** -_POWERS[:, None])


def _exp3(rows: _Table, low: float, high: float) -> _Table:
    return np.asarray(np.exp((low - rows) / _scales(low, high, _N_EXP_SCALES)[:, None]))


def _mmf4(rows: _Table, low: float, high: float) -> _Table:
    ratios = rows / _scales(low, high, _N_SCALES)[:, None]
    return _flat(1 / (1 + ratios[:, None] ** _MMF_POWERS[:, None]))


def _wbl4(rows: _Table, low: float, high: float) -> _Table:
    ratios = rows / _scales(low, high, _N_SCALES)[:, None]
    return _flat(np.exp(-(ratios[:, None] ** _WEIBULL_POWERS[:, None])))


def _flat(table: _Table) -> _Table:
    """Return all shapes of a grid of two parameters, 1 at the smallest size."""
    shapes = table.reshape(-1, table.shape[-1])
    return np.asarray(shapes / shapes[:, :1])


FAMILIES: Final = (
    CurveFamily("last1", "c", None),
    CurveFamily("pow3", "c + a n^-b", _pow3),
    CurveFamily("exp3", "c + a exp(-n / s)", _exp3),
    CurveFamily("mmf4", "c + a / (1 + (n / s)^b)", _mmf4),
    CurveFamily("wbl4", "c + a exp(-(n / s)^b)", _wbl4),
)


def predict_losses(sizes: Ints, losses: _Table, n_train: int, best: float = 0.0) -> _Table:
    """Return the loss that each family expects with another number of rows.

    Parameters
    ----------
    sizes : ndarray of shape (n_sizes,), int64
        Training rows, ascending.
    losses : ndarray of shape (n_curves, n_sizes)
        Mean losses, none nan.
    n_train : int
        Rows to predict at.
    best : float, default=0.0
        The smallest loss there can be; -inf if there is no bound.

    Returns
    -------
    ndarray of shape (n_curves, n_families)
        In the order of `FAMILIES`.

    References
    ----------
    Gu, Hu & Liu (2001), Modelling classification performance for large data sets, WAIM.
    Mohr, Viering, Loog & van Rijn (2022), LCDB 1.0: an extensive learning curves database for
    classification tasks, ECML PKDD.
    Viering & Loog (2022), The shape of learning curves: a review, IEEE Transactions on Pattern
    Analysis and Machine Intelligence.

    Examples
    --------
    >>> sizes = np.array([10, 20, 40, 80, 160])
    >>> losses = 0.1 + 2.0 / sizes
    >>> predict_losses(sizes, losses[None], 320).round(3).tolist()
    [[0.112, 0.108, 0.116, 0.109, 0.113]]
    """
    known = np.asarray(sizes, dtype=float)
    columns = [
        losses[:, -1] if family.falling is None
        else _fitted(family.falling, known, losses, float(n_train), best)
        for family in FAMILIES
    ]  # fmt: skip
    return np.column_stack(columns)


def _fitted(
    falling: Callable[[_Table, float, float], _Table],
    sizes: _Table,
    losses: _Table,
    n_train: float,
    best: float,
) -> _Table:
    """Return the value at `n_train` of the fitted curve of one family, (n_curves,)."""
    table = falling(np.append(sizes, n_train), sizes[0], sizes[-1])
    shapes, beyond = table[:, :-1], table[:, -1]
    weights = sizes / sizes.sum()
    bound = best if np.isfinite(best) else 0.0
    above = losses - bound
    of_loss = (above @ weights)[:, None]
    of_both = above @ (shapes * weights).T
    of_shape, of_square = shapes @ weights, shapes**2 @ weights
    spread = of_square - of_shape**2
    is_regular = spread > _SINGULAR * of_square
    height = (of_both - of_shape * of_loss) / np.where(is_regular, spread, 1.0)
    end = of_loss - height * of_shape
    is_allowed = is_regular & (height >= 0) & ((end >= 0) | ~np.isfinite(best))
    # Where a bound is broken, the best allowed curve lies on one: flat, or ending at the best.
    flat = np.repeat(of_loss, len(shapes), axis=1)
    to_best = np.maximum(of_both, 0) / of_square
    gain_flat, gain_best = of_loss**2, to_best * (2 * of_both - to_best * of_square)
    is_flat = (gain_flat >= gain_best) | ~np.isfinite(best)
    height = np.where(is_allowed, height, np.where(is_flat, 0.0, to_best))
    end = np.where(is_allowed, end, np.where(is_flat, flat, 0.0))
    explained = (
        2 * (end * of_loss + height * of_both)
        - end**2 - 2 * end * height * of_shape - height**2 * of_square
    )  # fmt: skip
    curve, chosen = np.arange(len(losses)), explained.argmax(axis=1)
    return np.asarray(bound + end[curve, chosen] + height[curve, chosen] * beyond[chosen])


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
        way_out="Smaller sizes can be measured; beyond that, no interval has been checked.",
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
    """Predict the loss of a learner with more rows, or explain why it cannot be predicted.

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
    """Predict which of two learners leads, from predictions based on the same splits."""
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
        "its loss rises with more rows, which no family of curves allows"
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
