"""Picture of learning curves: score against the number of training rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullLocator
from numpy.typing import ArrayLike, NDArray

from bestofk.errors import DesignError
from bestofk.report.plots.base import name_list
from bestofk.report.plots.curves import CurvesDisplay
from bestofk.report.plots.drawing import curve_marker, curve_style, draw_curve
from bestofk.report.plots.labels import (
    BARS,
    cell_inches,
    label_height,
    label_scale,
    name_ends,
    with_room,
)
from bestofk.report.plots.scales import scale_title, show_scale

_BARS_REACH: Final = 1.2  # from the first bar of what is expected to the last, on the axis of rows


class LearningCurveDisplay(CurvesDisplay):
    """Mean score of every learner on rows left out, against the number of training rows.

    The band is one standard error over repeats to both sides, of one repeat over its folds: how
    far other divisions of the same rows may lie, and nothing about other rows. Thin lines are
    the scores on the rows that trained. The axis of rows is logarithmic.

    Parameters
    ----------
    sizes : sequence of int
        Training rows, ascending.
    test, errors, train : array-like of shape (n_sizes, n_learners)
        Means on rows left out, their standard errors (nan for no band), means on the rows that
        trained (nan for no line).
    names : sequence of str
        Learners.
    measure_title : str
        What the scores are.
    ahead : array-like of shape (3, n_learners) or None, default=None
        Expected score with `n_train` rows, and the ends of its interval (nan for none): an
        open marker with a bar.
    n_train : int or None, default=None
        Rows of `ahead`.

    Raises
    ------
    DesignError
        If shapes do not fit.

    References
    ----------
    Perlich, Provost & Simonoff (2003), Tree induction vs. logistic regression: a learning-curve
    analysis, Journal of Machine Learning Research 4, 211-255.

    Examples
    --------
    >>> display = LearningCurveDisplay(
    ...     [10, 100], [[0.3], [0.1]], [[0.02], [0.01]], [[0.0], [0.05]], ["lda"],
    ...     measure_title="error rate",
    ... )
    >>> display.frame()["test"].tolist()
    [0.3, 0.1]
    """

    point = "size"

    def __init__(
        self,
        sizes: Sequence[int] | NDArray[np.int64],
        test: ArrayLike,
        errors: ArrayLike,
        train: ArrayLike,
        names: Sequence[str],
        *,
        measure_title: str,
        ahead: ArrayLike | None = None,
        n_train: int | None = None,
    ) -> None:
        self.sizes = np.asarray(sizes, dtype=float)
        self.test, self.errors, self.train = self._checked((test, errors, train), len(self.sizes))
        self.names = name_list(names, self.test.shape[1], "learners")
        self.measure_title = measure_title
        self.n_train = n_train
        shape = (3, len(self.names))
        self.ahead = np.asarray(np.full(shape, np.nan) if ahead is None else ahead, dtype=float)
        if self.ahead.shape != shape or (n_train is None) != (ahead is None):
            raise DesignError(
                "ahead of LearningCurveDisplay must be 3 x learners, with n_train; got shape "
                f"{self.ahead.shape} for {shape[1]} learners. Give score, low and high."
            )

    @classmethod
    def from_curves(cls, curves: Any, *, n_train: int | None = None) -> LearningCurveDisplay:
        """Take what `bestofk.learning_curve` returned.

        Parameters
        ----------
        curves : LearningCurves
            Scores by size.
        n_train : int or None, default=None
            Rows to look ahead to, as for `LearningCurves.extrapolate`; None draws what was
            measured alone.

        Returns
        -------
        LearningCurveDisplay
        """
        test, errors, train = cls._columns(curves, "test", "test_error", "train")
        ahead = None
        if n_train is not None:
            ahead = curves.extrapolate(n_train)[["test", "low", "high"]].to_numpy().T
        return cls(
            curves.sizes, test, errors, train, curves.learners,
            measure_title=curves.measure.title, ahead=ahead, n_train=n_train,
        )  # fmt: skip

    def frame(self) -> pd.DataFrame:
        """Return a DataFrame: learner, n_train, test, test_error, train."""
        points = {"n_train": self.sizes.astype(int)}
        return self._frame(points, test=self.test, test_error=self.errors, train=self.train)

    def _draw(self, ax: Axes) -> None:
        for index in range(len(self.names)):
            draw_curve(ax, index, self.sizes, self.test[:, index], self.errors[:, index])
            ax.plot(self.sizes, self.train[:, index], **{**curve_style(index), "lw": 0.7})
            self._draw_ahead(ax, index)
        self._name_axes(ax)
        ends = [self.n_train or np.nan] if np.isfinite(self.ahead).any() else []
        shown = np.vstack([self.test, self.ahead[:1]]) if ends else self.test
        name_ends(ax, np.append(self.sizes, ends), shown.T, self.names)

    def _draw_ahead(self, ax: Axes, index: int) -> None:
        """Draw the expected values with more rows; bars side by side, without overlap."""
        if self.n_train is None or np.isnan(self.ahead[0, index]):
            return
        color = curve_style(index)["color"]
        expected, low, high = self.ahead[:, index]
        rows = self.n_train * _BARS_REACH ** ((index + 0.5) / len(self.names) - 0.5)
        ends = [self.sizes[-1], rows], [self.test[-1, index], expected]
        ax.plot(*ends, ls=":", lw=1.2, color=color)
        reach = [[expected - low], [high - expected]]
        ax.errorbar(
            [rows], [expected], yerr=reach, fmt=curve_marker(index) or ".", mfc="white", ms=4,
            capsize=3, lw=1, color=color,
        )  # fmt: skip

    def _name_axes(self, ax: Axes) -> None:
        ax.set_xscale("log")
        sizes = np.append(self.sizes, [] if self.n_train is None else self.n_train)
        ax.set_xticks(sizes[with_room(np.log(sizes), cell_inches(ax))])
        ax.xaxis.set_minor_locator(NullLocator())
        ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        beyond = "" if self.n_train is None else "; open markers: expected, with 80% intervals"
        label_scale(
            ax, "training rows",
            f"thick: on rows left out; thin: on those that trained; {BARS}{beyond}",
        )  # fmt: skip
        label_height(ax, scale_title(self.measure_title))
        show_scale(ax.yaxis, self.measure_title)
