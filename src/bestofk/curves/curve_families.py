"""Published families of learning curves, fitted by least squares.

Every family is ``loss = end + height * falling(rows)`` with ``height`` at least 0 and ``end`` at
least the best value of the measure, so a fitted curve never rises and never ends below what can
be reached. The shape of `falling` is searched on a grid, and both coefficients have a closed
form: no start values, no failures to converge, the same numbers everywhere.

DEVIATION: weighted by the number of rows, where the sources weigh all sizes alike: what is asked
lies beyond the largest sizes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from bestofk.array_types import Floats, Ints

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
