"""Axes of scores: rates in percent, and a range that learners far off do not stretch."""

from __future__ import annotations

from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from numpy.typing import ArrayLike

from bestofk.array_types import Floats
from bestofk.report.plots.labels import x_label, y_label
from bestofk.words import number, percent

# Titles of measures that count rows: shown in percent.
_RATES: Final = ("error rate", "accuracy")
# A gap this many times as wide as all that lies before it is cut off.
_GAP: Final = 3.0
_MOST_CUT: Final = 3  # one learner in so many


def is_rate(measure_title: str) -> bool:
    """Return whether a measure is read in percent."""
    return measure_title in _RATES


def scale_title(measure_title: str) -> str:
    """Return a title with its unit.

    Examples
    --------
    >>> scale_title("error rate"), scale_title("AUROC")
    ('error rate (%)', 'AUROC')
    """
    return f"{measure_title} (%)" if is_rate(measure_title) else measure_title


def show_scale(axis: Axis, measure_title: str) -> None:
    """Write rates on an axis in percent."""
    if is_rate(measure_title):
        axis.set_major_formatter(lambda value, _: f"{round(100 * value, 9):g}")


def score_text(value: float, measure_title: str) -> str:
    """Return a score as one reads it.

    Examples
    --------
    >>> score_text(0.0533, "error rate"), score_text(0.9912, "AUROC")
    ('5.3%', '0.991')
    """
    return f"{percent(value)}%" if is_rate(measure_title) else number(value, 3)


def difference_text(value: float, measure_title: str) -> str:
    """Return a difference of scores with its sign: points for rates.

    Examples
    --------
    >>> difference_text(0.0533, "error rate"), difference_text(-0.0004, "AUROC")
    ('+5.3', '-0.0004')
    """
    size = 100 * value if is_rate(measure_title) else value
    if is_rate(measure_title) and abs(size) >= 0.1:
        return f"{size:+.1f}"
    return f"{size:+.2g}" if size else "0"


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


def label_scores(
    ax: Axes, measure_title: str, what: str, note: str = "", *, greater_is_better: bool
) -> None:
    """Write which scores the x axis shows and where better ones lie; rates are in percent."""
    show_scale(ax.xaxis, measure_title)
    side = "right" if greater_is_better else "left"
    x_label(ax, f"{scale_title(measure_title)}{what}; {side} is better", note)


def label_score_height(ax: Axes, measure_title: str, what: str = "") -> None:
    """Write which scores the y axis shows; rates are in percent."""
    show_scale(ax.yaxis, measure_title)
    y_label(ax, f"{scale_title(measure_title)}{what}")


def with_margin(low: float, high: float, share: float, least: float) -> tuple[float, float]:
    """Return the ends of an axis: a share of the range beyond it, or `least` if it is empty.

    Examples
    --------
    >>> with_margin(0.0, 10.0, 0.05, 1.0), with_margin(3.0, 3.0, 0.05, 1.0)
    ((-0.5, 10.5), (2.0, 4.0))
    """
    margin = share * (high - low) or least
    return low - margin, high + margin
