"""Pictures of scores along a condition: training rows, a share of noise, a way to balance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator
from numpy.typing import ArrayLike, NDArray

from bestofk.array_types import Floats
from bestofk.errors import DesignError
from bestofk.report.plots import drawing
from bestofk.report.plots.drawing import Display, finite_list, name_list

_BARS: Final = "bars: one standard error"
_BARS_REACH: Final = 1.2  # from the first bar of what is expected to the last, on the axis of rows
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
_SCORES: Final = ("auroc", "auroc_se", "log_loss", "log_loss_se")
_WIDE: Final = 5.0  # inches, with room for all methods in one line
_HALF: Final = 0.47  # of the width, for each half
_DOT_INCHES: Final = 0.17
# From this ratio of the largest to the smallest loss on a linear axis hides the small ones.
_LOGARITHMIC_FROM: Final = 4.0


class ConditionCurvesDisplay(Display):
    """Scores of learners at points of a condition: a marked curve with bars for each.

    Parameters
    ----------
    points : ndarray of shape (n_points,), float
        Values of the condition.
    tables : dict of str to array-like of shape (n_points, n_learners), float
        By column of the frame; the first are the scores that are drawn, the second their
        standard errors.
    names : sequence of str
        Learners.
    measure_title : str
        What the scores are.
    """

    _point: ClassVar[str]  # in messages
    _column: ClassVar[str]  # of the points, in the frame

    def __init__(
        self, points: Floats, tables: dict[str, ArrayLike], names: Sequence[str], measure_title: str
    ) -> None:
        self._points = points
        self._tables = {key: np.asarray(table, dtype=float) for key, table in tables.items()}
        shapes = [table.shape for table in self._tables.values()]
        if len(shapes[0]) != 2 or set(shapes) != {(len(points), shapes[0][1])}:
            raise DesignError(
                f"scores of {type(self).__name__} must be {self._point}s x learners; got shapes "
                f"{', '.join(map(str, shapes))} for {len(points)} {self._point}s. Give one column "
                "per learner."
            )
        self.names = name_list(names, shapes[0][1], "learners")
        self.measure_title = measure_title
        longest = drawing.longest_name(self.names)
        self.size = 5.0 + drawing.LETTER_INCHES * longest, max(3.6, 1.2 + 0.21 * len(self.names))

    @staticmethod
    def _columns(curves: Any, *names: str) -> list[Floats]:
        """Return columns of the frame of a result as tables of points x learners."""
        frame, n_learners = curves.to_frame(), len(curves.learners)
        return [frame[name].to_numpy().reshape(n_learners, -1).T for name in names]

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per learner and point: learner, point, scores, errors."""
        columns = {key: np.ravel(table, order="F") for key, table in self._tables.items()}
        keys = {"learner": np.repeat(self.names, len(self._points))}
        return pd.DataFrame(
            {**keys, self._column: np.tile(self._points, len(self.names)), **columns}
        )

    def _draw_curve(self, ax: Axes, index: int, x: Floats) -> None:
        """Draw the marked curve of a learner with bars of one standard error, none where nan."""
        means, errors = (table[:, index] for table in [*self._tables.values()][:2])
        style = drawing.curve_style(index)
        ax.plot(x, means, marker=drawing.curve_marker(index), ms=4, **style)
        if index < drawing.MOST_EMPHASIZED:
            bars: dict[str, Any] = {"fmt": "none", "ecolor": style["color"], "elinewidth": 0.9}
            ax.errorbar(x, means, np.nan_to_num(errors), **bars)


class LearningCurveDisplay(ConditionCurvesDisplay):
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
    >>> display.to_frame()["test"].tolist()
    [0.3, 0.1]
    """

    _point, _column = "size", "n_train"

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
        tables = {"test": test, "test_error": errors, "train": train}
        super().__init__(np.asarray(sizes, dtype=int), tables, names, measure_title)
        self.sizes = np.asarray(sizes, dtype=float)
        self.test, self.errors, self.train = self._tables.values()
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

    def _draw(self, ax: Axes) -> None:
        for index in range(len(self.names)):
            self._draw_curve(ax, index, self.sizes)
            ax.plot(self.sizes, self.train[:, index], **{**drawing.curve_style(index), "lw": 0.7})
            self._draw_ahead(ax, index)
        self._name_axes(ax)
        ends = [self.n_train or np.nan] if np.isfinite(self.ahead).any() else []
        shown = np.vstack([self.test, self.ahead[:1]]) if ends else self.test
        drawing.name_ends(ax, np.append(self.sizes, ends), shown.T, self.names)

    def _draw_ahead(self, ax: Axes, index: int) -> None:
        """Draw the expected values with more rows; bars side by side, without overlap."""
        if self.n_train is None or np.isnan(self.ahead[0, index]):
            return
        color = drawing.curve_style(index)["color"]
        expected, low, high = self.ahead[:, index]
        rows = self.n_train * _BARS_REACH ** ((index + 0.5) / len(self.names) - 0.5)
        ends = [self.sizes[-1], rows], [self.test[-1, index], expected]
        ax.plot(*ends, ls=":", lw=1.2, color=color)
        reach = [[expected - low], [high - expected]]
        ax.errorbar(
            [rows], [expected], yerr=reach, fmt=drawing.curve_marker(index) or ".", mfc="white",
            ms=4, capsize=3, lw=1, color=color,
        )  # fmt: skip

    def _name_axes(self, ax: Axes) -> None:
        ax.set_xscale("log")
        sizes = np.append(self.sizes, [] if self.n_train is None else self.n_train)
        ax.set_xticks(sizes[drawing.with_room(np.log(sizes), drawing.cell_inches(ax))])
        ax.xaxis.set_minor_locator(NullLocator())
        ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        beyond = "" if self.n_train is None else "; open markers: expected, with 80% intervals"
        drawing.x_label(
            ax, "training rows",
            f"thick: on rows left out; thin: on those that trained; {_BARS}{beyond}",
        )  # fmt: skip
        drawing.label_score_height(ax, self.measure_title)


class NoiseCurveDisplay(ConditionCurvesDisplay):
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
    >>> display.to_frame()["score"].tolist()
    [0.05, 0.1]
    """

    _point, _column = "fraction", "fraction"

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
        tables = {"score": scores, "score_error": errors}
        super().__init__(self.fractions, tables, names, measure_title)
        self.scores, self.errors = self._tables.values()
        self.kind, self.noisy = kind, noisy

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

    def _draw(self, ax: Axes) -> None:
        shares = 100 * self.fractions
        for index in range(len(self.names)):
            self._draw_curve(ax, index, shares)
        if len(shares) <= _MOST_TICKS:
            ax.set_xticks(shares)
        ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}%"))
        drawing.x_label(ax, _STRUCK[self.kind], f"{_WHERE[self.noisy]}; {_BARS}")
        drawing.label_score_height(ax, self.measure_title)
        drawing.name_ends(ax, shares, self.scores.T, self.names)


class ImbalanceDisplay(Display):
    """Ranking of rows and probabilities side by side, a dot for every learner and method.

    Left the AUROC, right the log loss, which becomes logarithmic where the values differ much.
    The bar is one standard error over repeats to both sides: how far other divisions of the
    same rows may lie, and nothing about other rows. The line through a learner is its value
    without any method.

    Parameters
    ----------
    arms : sequence of (str, str)
        Learner and method of every dot.
    auroc, auroc_errors, log_loss, log_loss_errors : array-like of shape (n_arms,), float
        Means and their standard errors; nan where there is none.

    Raises
    ------
    DesignError
        If there is no dot, one stands twice, or there is not a value for each.

    References
    ----------
    van den Goorbergh, van Smeden, Timmerman and Van Calster (2022), The harm of class imbalance
    corrections for risk prediction models: illustration and simulation using logistic
    regression, Journal of the American Medical Informatics Association 29(9).

    Examples
    --------
    >>> arms = [("lda", "none"), ("lda", "over")]
    >>> display = ImbalanceDisplay(arms, [0.9, 0.9], [0.01, 0.01], [0.1, 0.4], [0.01, 0.02])
    >>> display.to_frame()["log_loss"].tolist()
    [0.1, 0.4]
    """

    def __init__(
        self,
        arms: Sequence[tuple[str, str]],
        auroc: ArrayLike,
        auroc_errors: ArrayLike,
        log_loss: ArrayLike,
        log_loss_errors: ArrayLike,
    ) -> None:
        self.arms = [(str(learner), str(method)) for learner, method in arms]
        given = zip(_SCORES, (auroc, auroc_errors, log_loss, log_loss_errors), strict=True)
        self._scores = {name: np.asarray(item, dtype=float) for name, item in given}
        shapes = {column.shape for column in self._scores.values()}
        if not self.arms or len(set(self.arms)) < len(self.arms) or shapes != {(len(self.arms),)}:
            raise DesignError(
                "values of ImbalanceDisplay must be one for each learner with each method, none "
                f"twice; got {len(self.arms)} of these and shapes "
                f"{', '.join(map(str, sorted(shapes)))}. Use from_effect."
            )
        self.auroc, self.auroc_errors, self.log_loss, self.log_loss_errors = self._scores.values()
        longest = drawing.longest_name(self.learners)
        n_lines = len(self.learners) * (len(self.methods) + 1)
        self.size = 6.6 + drawing.LETTER_INCHES * longest, max(3.0, 1.4 + _DOT_INCHES * n_lines)

    @classmethod
    def from_effect(cls, effect: Any) -> ImbalanceDisplay:
        """Take what `bestofk.imbalance_effect` returned.

        Parameters
        ----------
        effect : ImbalanceEffect
            Scores by learner and method.

        Returns
        -------
        ImbalanceDisplay
        """
        frame = effect.to_frame()
        return cls(effect.arms, *(frame[name].to_numpy() for name in _SCORES))

    @property
    def learners(self) -> list[str]:
        """Learners in the order given."""
        return list(dict.fromkeys(learner for learner, _ in self.arms))

    @property
    def methods(self) -> list[str]:
        """Methods in the order given."""
        return list(dict.fromkeys(method for _, method in self.arms))

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame: learner, method, auroc, auroc_se, log_loss, log_loss_se."""
        learners, methods = zip(*self.arms, strict=True)
        return pd.DataFrame({"learner": learners, "method": methods, **self._scores})

    def _draw(self, ax: Axes) -> None:
        left, right = drawing.side_by_side(ax, _HALF, 1 - _HALF)
        self._draw_half(left, self.auroc, self.auroc_errors)
        self._draw_half(right, self.log_loss, self.log_loss_errors)
        for half in (left, right):
            half.locator_params(axis="x", nbins=max(2, int(0.6 * drawing.cell_inches(ax))))
        names = [drawing.fitting_name(ax, learner) for learner in self.learners]
        left.set_yticks(range(len(names)), names, parse_math=False, fontsize=drawing.SMALL)
        right.tick_params(axis="y", labelleft=False)
        left.set_xlabel("AUROC\n(right is better)", fontsize=drawing.SMALL)
        is_logarithmic = _scale_losses(right, self.log_loss)
        note = ", log scale" if is_logarithmic else ""
        right.set_xlabel(f"log loss{note}\n(left is better)", fontsize=drawing.SMALL)
        n_columns = len(self.methods) if drawing.cell_inches(ax) > _WIDE else 2
        ax.legend(
            *left.get_legend_handles_labels(), loc="lower left", bbox_to_anchor=(0, 1.0),
            borderaxespad=0.2, ncols=n_columns, frameon=False, fontsize=drawing.SMALL,
            columnspacing=1.2, handletextpad=0.2,
        )  # fmt: skip

    def _draw_half(self, ax: Axes, values: Floats, errors: Floats) -> None:
        """Draw dots and bars of one score, learners from top to bottom."""
        learners, methods = self.learners, self.methods
        rows = np.array([learners.index(learner) for learner, _ in self.arms])
        kinds = np.array([methods.index(method) for _, method in self.arms])
        heights = rows + (kinds - (len(methods) - 1) / 2) / (len(methods) + 1)
        for index, method in enumerate(methods):
            of_it = kinds == index
            ax.errorbar(
                values[of_it], heights[of_it], xerr=np.nan_to_num(errors[of_it]), ls="", ms=5,
                marker=drawing.MARKERS[index % len(drawing.MARKERS)],
                color=drawing.SERIES[index % len(drawing.SERIES)],
                elinewidth=1.2, label=method, zorder=3,
            )  # fmt: skip
        for value, row, (_, method) in zip(values, rows, self.arms, strict=True):
            if method == "none" and np.isfinite(value):
                ax.plot(
                    [value, value], [row - 0.45, row + 0.45], color=drawing.GRAY, lw=0.8, zorder=1
                )
        for row in range(len(learners)):
            if not np.isfinite(values[rows == row]).any():
                drawing.write_in_lane(ax, "no value", 0.5, row, ha="center", color=drawing.GRAY)
            if row:
                ax.axhline(row - 0.5, color=drawing.GRAY, lw=0.4)
        ax.set_ylim(len(learners) - 0.5, -0.5)
        ax.set_yticks(range(len(learners)))
        ax.tick_params(axis="y", length=0)
        drawing.hide_sides(ax, "top", "right", "left")


def _scale_losses(ax: Axes, losses: Floats) -> bool:
    """Make an axis logarithmic where losses differ much; return whether they do."""
    known = losses[np.isfinite(losses)]
    if not len(known) or known.min() <= 0 or known.max() < _LOGARITHMIC_FROM * known.min():
        return False
    ax.set_xscale("log")
    steps = (1, 2, 5) if known.max() < 100 * known.min() else (1,)
    ax.xaxis.set_major_locator(LogLocator(subs=steps, numticks=20))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    return True
