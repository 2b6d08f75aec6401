"""Pictures of periods in order of time: the score of every learner, and the lead of the pick."""

from collections.abc import Sequence
from typing import Self

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from bestofk.array_types import Floats
from bestofk.errors import InvalidArgumentError
from bestofk.inference.sampling import Sampling
from bestofk.inference.two_learners.catalogue import paired_test
from bestofk.inference.two_learners.over_time import OVER_TIME
from bestofk.report.findings import Findings, Periods
from bestofk.report.plots import drawing
from bestofk.report.plots.drawing import BLUE, FindingsDisplay, name_list

_FEWEST = 8  # periods that an interval takes
_LEVEL = 0.95
_LABEL_INCHES = 0.6  # between slanted labels


def _period_scores(findings: Findings) -> tuple[Periods, list[str], Floats]:
    """Return the periods, and names and scores of the learners that have all; or raise."""
    if findings.periods is None:
        raise InvalidArgumentError(
            "plan of this picture must be one of periods in order of time; got another. Compare "
            "with cv='forward'."
        )
    n_periods = len(findings.periods.labels)
    shown = [item for item in findings.ordered() if len(item.scores) == n_periods]
    return (
        findings.periods,
        [item.name for item in shown],
        np.array([item.scores for item in shown]),
    )


def _name_periods(ax: Axes, labels: Sequence[str], what: str) -> None:
    """Write the names of periods below the axes, as many as have room."""
    inches = float(ax.bbox.width) / drawing.figure_of(ax).dpi
    step = -(-len(labels) // max(int(inches / _LABEL_INCHES), 1))
    kept = list(range(0, len(labels), step))
    ax.set_xticks(kept, [labels[i] for i in kept], rotation=30, ha="right", parse_math=False)
    drawing.x_label(ax, what)


class PeriodScoresDisplay(FindingsDisplay):
    """Score of every learner in each test period, in order of time.

    Parameters
    ----------
    values : array-like of shape (n_learners, n_periods), float
        Scores, the pick first.
    names : sequence of str
        Learners.
    periods : sequence of str
        Name of each period.
    measure_title : str
        What the scores are.
    greater_is_better : bool, default=False
        Direction of the measure.

    Raises
    ------
    InvalidArgumentError
        If names or periods do not fit.

    Examples
    --------
    >>> display = PeriodScoresDisplay(
    ...     [[1.0, 2.0]], ["ridge"], ["2023", "2024"], measure_title="mean absolute error"
    ... )
    >>> display.to_frame().values.tolist()
    [['2023', 'ridge', 1.0], ['2024', 'ridge', 2.0]]
    """

    def __init__(
        self,
        values: ArrayLike,
        names: Sequence[str],
        periods: Sequence[str],
        *,
        measure_title: str,
        greater_is_better: bool = False,
    ) -> None:
        self.values = np.atleast_2d(np.asarray(values, dtype=float))
        self.names = name_list(names, len(self.values), "learners")
        self.periods = list(periods)
        if self.values.shape[1] != len(self.periods):
            raise InvalidArgumentError(
                f"periods must be as many as scores of a learner ({self.values.shape[1]}); got "
                f"{len(self.periods)}. Name each one."
            )
        self.measure_title, self.greater_is_better = measure_title, greater_is_better
        self.size = 6.2 + drawing.LETTER_INCHES * drawing.longest_name(self.names), 3.6

    @classmethod
    def from_findings(cls, findings: Findings) -> Self:
        """Take the deciding measure of findings, learners in the order of the verdict."""
        periods, names, values = _period_scores(findings)
        return cls(values, names, periods.labels, **drawing.score_options(findings.measure))

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with the columns period, learner and score."""
        rows = [
            (period, name, float(value))
            for name, scores in zip(self.names, self.values, strict=True)
            for period, value in zip(self.periods, scores, strict=True)
        ]
        return pd.DataFrame(rows, columns=["period", "learner", "score"])

    def _draw(self, ax: Axes) -> None:
        x = np.arange(len(self.periods))
        for index, scores in enumerate(self.values):
            ax.plot(x, scores, marker=drawing.curve_marker(index), ms=4,
                    **drawing.curve_style(index))  # fmt: skip
        ax.margins(x=0.02)
        drawing.name_ends(ax, x.astype(float), self.values, self.names)
        _name_periods(ax, self.periods, "test period")
        direction = "up" if self.greater_is_better else "down"
        drawing.label_score_height(ax, self.measure_title, f"\n({direction} is better)")


class LeadDisplay(FindingsDisplay):
    """Lead of the pick over the next learner: each period, and the mean so far with its interval.

    Parameters
    ----------
    differences : array-like of shape (n_periods,), float
        Loss of the other learner minus that of the pick.
    periods : sequence of str
        Name of each period.
    names : sequence of two str
        The pick, and the other.
    sampling : Sampling
        Of the plan, for the interval: that of the Diebold-Mariano test, from 8 periods on.

    Examples
    --------
    >>> plan = Sampling("forward", 1, 2)
    >>> LeadDisplay([1.0, 2.0], ["2023", "2024"], ["ridge", "mean"], plan).to_frame()["mean_lead"]
    0    1.0
    1    1.5
    Name: mean_lead, dtype: float64
    """

    size = (6.6, 3.4)

    def __init__(
        self,
        differences: ArrayLike,
        periods: Sequence[str],
        names: Sequence[str],
        sampling: Sampling,
    ) -> None:
        self.differences = drawing.finite_list(differences, "differences of LeadDisplay")
        self.periods, self.sampling = list(periods), sampling
        self.names = name_list(names, 2, "learners")

    @classmethod
    def from_findings(cls, findings: Findings) -> Self:
        """Take the pick of findings and the learner that comes next."""
        periods, names, values = _period_scores(findings)
        if len(names) < 2:
            raise InvalidArgumentError(
                "learners of a lead must be at least two; got one. Compare more of them."
            )
        losses = findings.measure.loss(values)
        return cls(losses[1] - losses[0], periods.labels, names[:2], periods.sampling)

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with the columns period, lead, mean_lead, low and high.

        Returns
        -------
        DataFrame
            The interval of the mean lead has a level of 95%; nan before the eighth period.
        """
        n = len(self.differences)
        means = np.cumsum(self.differences) / np.arange(1, n + 1)
        low, high = np.full((2, n), np.nan)
        test = paired_test(OVER_TIME)
        for end in range(_FEWEST, n + 1):
            compared = test.compare(self.differences[None, :end], self.sampling)
            (low[end - 1],), (high[end - 1],) = compared.confidence_interval(_LEVEL)
        return pd.DataFrame(
            {"period": self.periods, "lead": self.differences, "mean_lead": means,
             "low": low, "high": high}
        )  # fmt: skip

    def _draw(self, ax: Axes) -> None:
        frame = self.to_frame()
        x = np.arange(len(frame))
        ax.axhline(0, color=drawing.ink(), lw=0.8)
        ax.bar(x, frame["lead"], width=0.6, color=drawing.GRAY, alpha=0.5)
        ax.fill_between(x, frame["low"], frame["high"], color=BLUE, alpha=0.2, lw=0)
        ax.plot(x, frame["mean_lead"], color=BLUE, lw=1.8)
        _name_periods(ax, self.periods, "bars: each period; line: mean so far; band: 95%")
        drawing.y_label(ax, "lead of the pick")
        drawing.headline(ax, f"Loss of {drawing.first_minus_second(self.names[::-1])}")
