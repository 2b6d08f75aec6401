"""Picture of noise curves: score against the share of noise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter
from numpy.typing import ArrayLike

from bestofk.report.plots.base import finite_list, name_list
from bestofk.report.plots.curves import CurvesDisplay
from bestofk.report.plots.drawing import draw_curve
from bestofk.report.plots.labels import BARS, label_height, label_scale, name_ends
from bestofk.report.plots.scales import scale_title, show_scale

_STRUCK: Final = {
    "class": "rows with another class",
    "random-class": "rows with a class drawn at random",
    "feature": "values replaced in every column",
    "missing": "values missing in every column",
}
_WHERE: Final = {
    "train": "training part; the test part is clean",
    "both": "training part and test part",
}
# More shares than these would stand too close.
_MOST_TICKS: Final = 7


class NoiseCurveDisplay(CurvesDisplay):
    """Mean score of every learner against the share of noise.

    The band is one standard error over repeats to both sides, of one repeat over its folds: how
    far other divisions of the same rows may lie, and nothing about other rows.

    Parameters
    ----------
    fractions : sequence of float
        Shares of noise, ascending, from 0 to 1.
    scores, errors : array-like of shape (n_fractions, n_learners)
        Means, and their standard errors (nan for no band).
    names : sequence of str
        Learners.
    measure_title : str
        What the scores are.
    kind : {"class", "random-class", "feature", "missing"}, default="class"
        What is wrong in noisy rows.
    noisy : {"train", "both"}, default="train"
        Whether rows that test were noisy too.

    Raises
    ------
    DesignError
        If shapes do not fit.
    InvalidArgumentError
        If there is no fraction, or one is not finite.

    References
    ----------
    Zhu & Wu (2004), Class noise vs. attribute noise: a quantitative study, Artificial
    Intelligence Review 22.

    Examples
    --------
    >>> display = NoiseCurveDisplay(
    ...     [0.0, 0.2], [[0.05], [0.1]], [[0.01], [0.02]], ["5nn"], measure_title="error rate"
    ... )
    >>> display.frame()["score"].tolist()
    [0.05, 0.1]
    """

    point = "fraction"

    def __init__(
        self,
        fractions: ArrayLike,
        scores: ArrayLike,
        errors: ArrayLike,
        names: Sequence[str],
        *,
        measure_title: str,
        kind: str = "class",
        noisy: str = "train",
    ) -> None:
        self.fractions = finite_list(fractions, "fractions")
        self.scores, self.errors = self._checked((scores, errors), len(self.fractions))
        self.names = name_list(names, self.scores.shape[1], "learners")
        self.measure_title, self.kind, self.noisy = measure_title, kind, noisy

    @classmethod
    def from_curves(cls, curves: Any) -> NoiseCurveDisplay:
        """Take what `bestofk.noise_curve` returned.

        Parameters
        ----------
        curves : NoiseCurves
            Scores by fraction.

        Returns
        -------
        NoiseCurveDisplay
        """
        scores, errors = cls._columns(curves, "score", "score_error")
        return cls(
            curves.fractions, scores, errors, curves.learners, kind=curves.kind,
            noisy=curves.noisy, measure_title=curves.measure.title,
        )  # fmt: skip

    def frame(self) -> pd.DataFrame:
        """Return a DataFrame: learner, fraction, score, score_error."""
        points = {"fraction": self.fractions}
        return self._frame(points, score=self.scores, score_error=self.errors)

    def _draw(self, ax: Axes) -> None:
        shares = 100 * self.fractions
        for index, (mean, error) in enumerate(zip(self.scores.T, self.errors.T, strict=True)):
            draw_curve(ax, index, shares, mean, error)
        if len(shares) <= _MOST_TICKS:
            ax.set_xticks(shares)
        ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}%"))
        label_scale(ax, _STRUCK[self.kind], f"{_WHERE[self.noisy]}; {BARS}")
        label_height(ax, scale_title(self.measure_title))
        show_scale(ax.yaxis, self.measure_title)
        name_ends(ax, shares, self.scores.T, self.names)
