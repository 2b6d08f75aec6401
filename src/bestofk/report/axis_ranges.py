"""Ranges, marks and heights of axes, for pictures of matplotlib and for those of a page."""

import math
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from bestofk.array_types import Floats

# A gap this many times as wide as all that lies before it is cut off.
_GAP: Final = 3.0
_MOST_CUT: Final = 3  # one learner in so many
_STEPS: Final = (0.1, 0.2, 0.25, 0.5, 1.0, 2.0, 2.5, 5.0, 10.0)  # between round values
_EXACT = 1e-9  # of a step: rounding noise
_LETTERS: Final = {1e12: "T", 1e9: "G", 1e6: "M", 1e3: "k"}
_LONG_TICK: Final = 10_000  # from here on numbers at an axis are written with a letter


def near_range(values: ArrayLike) -> float:
    """Return the largest distance that is drawn, so that few learners do not squeeze the others.

    Parameters
    ----------
    values : array-like of shape (n_learners,), float
        Distance of each learner from where the picture must begin; nan for none.

    Returns
    -------
    float
        The largest distance; where at most a third of the learners lie at least three times as
        far off as all others, the largest of these others.

    Examples
    --------
    >>> near_range([0.01, 0.03, 0.89]), near_range([0.2, 0.3, 0.5]), near_range([0.1, 0.9])
    (0.03, 0.5, 0.9)
    """
    distances: Floats = np.sort(np.asarray(values, dtype=float))
    distances = distances[np.isfinite(distances)]
    n_cut = len(distances) // _MOST_CUT
    ends = distances[len(distances) - n_cut - 1 :]
    wide = np.flatnonzero((ends[1:] > _GAP * ends[:-1]) & (ends[:-1] > 0))
    return float(ends[wide[0]] if len(wide) else ends[-1]) if len(distances) else 0.0


def with_margin(low: float, high: float, share: float, least: float) -> tuple[float, float]:
    """Return the ends of an axis: a share of the range beyond it, or `least` if it is empty.

    Examples
    --------
    >>> with_margin(0.0, 10.0, 0.05, 1.0), with_margin(3.0, 3.0, 0.05, 1.0)
    ((-0.5, 10.5), (2.0, 4.0))
    """
    margin = share * (high - low) or least
    return low - margin, high + margin


def scattered(count: int) -> Floats:
    """Return heights from 0 to 1, at which points of one value do not hide each other.

    They have low discrepancy and are not random.
    """
    return np.asarray((np.arange(count) * 0.618034) % 1)


def round_ticks(low: float, high: float, most: int = 4, fewest: int = 2) -> Floats:
    """Return round values along an axis.

    Parameters
    ----------
    low, high : float
        Its ends, low < high.
    most, fewest : int
        Steps at most, values at least.

    Examples
    --------
    >>> round_ticks(0.0, 1.0).tolist(), round_ticks(-0.013, 0.031, 5, 3).round(9).tolist()
    ([0.0, 0.25, 0.5, 0.75, 1.0], [-0.01, 0.0, 0.01, 0.02, 0.03])
    """
    least = (high - low) / most
    scale = 10.0 ** math.floor(math.log10(least))
    steps = [scale * step for step in _STEPS]
    for step in reversed(steps[: 1 + next(i for i, step in enumerate(steps) if step >= least)]):
        first, last = math.ceil(low / step - _EXACT), math.floor(high / step + _EXACT)
        if last - first + 1 >= fewest:
            break
    return np.arange(float(first), last + 1) * step


def tick_text(tick: float) -> str:
    """Return a number that fits next to a chart.

    Examples
    --------
    >>> tick_text(0.25), tick_text(5000.0), tick_text(-250000.0)
    ('0.25', '5000', '-250k')
    """
    size = next((size for size in _LETTERS if abs(tick) >= size), 1.0)
    return f"{tick / size:g}{_LETTERS[size]}" if abs(tick) >= _LONG_TICK else f"{tick:g}"
