"""Picture of means with the underlines of Newman-Keuls."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from bestofk.errors import InvalidArgumentError
from bestofk.report.plots.base import Display, finite_list, name_list
from bestofk.report.plots.labels import caption, label_scale
from bestofk.report.plots.level_axis import draw_level_axis, group_numbers, level_axis_size
from bestofk.report.plots.scales import scale_title, score_text, show_scale

MEANING = (
    "A bar underlines learners that do not differ significantly, which is not equality; "
    "bars may overlap."
)
FAMILY = "With more than three learners Newman-Keuls does not hold the level for the family."


class NewmanKeulsDisplay(Display):
    """Means of the learners on an axis, with the underlines of Newman-Keuls as bars below.

    Parameters
    ----------
    names : sequence of str
        Learners, at least two.
    means : sequence of float
        Mean score of each, in the unit of the measure.
    underlines : iterable of sequence of str
        The longest accepted windows, each as the names in it.
    measure_title : str
        What the means are.
    alpha : float, default=0.05
        Level of each test.
    procedure : str, default="Newman-Keuls test"
        What drew the underlines.
    note : str
        What the procedure does not promise; part of the picture.

    Raises
    ------
    InvalidArgumentError
        If there are fewer than two learners, numbers and names do not fit, or an underline
        names no learner, or leaves one out that lies between its ends.

    References
    ----------
    Yildiz & Alpaydin (2006), Ordering and finding the best of K > 2 supervised learning
    algorithms, IEEE Transactions on Pattern Analysis and Machine Intelligence 28(3).

    Examples
    --------
    >>> display = NewmanKeulsDisplay(
    ...     ["nearest mean", "logistic", "cart"],
    ...     [0.20, 0.12, 0.13],
    ...     [["logistic", "cart"]],
    ...     measure_title="error rate",
    ... )
    >>> display.frame().values.tolist()
    [['logistic', 0.12, '1'], ['cart', 0.13, '1'], ['nearest mean', 0.2, '']]
    """

    hidden_sides = ("left", "right", "bottom")

    def __init__(
        self,
        names: Sequence[str],
        means: Sequence[float],
        underlines: Iterable[Sequence[str]],
        *,
        measure_title: str,
        alpha: float = 0.05,
        procedure: str = "Newman-Keuls test",
        note: str = FAMILY,
    ) -> None:
        self.means = finite_list(means, "means")
        self.names = name_list(names, len(self.means), "means", at_least=2)
        order = sorted(range(len(self.names)), key=lambda i: self.means[i])
        self._ascending = [self.names[i] for i in order]
        self.underlines = sorted(
            (self._checked(line) for line in underlines),
            key=lambda line: self._ascending.index(line[0]),
        )
        self.measure_title = measure_title
        self.alpha = alpha
        self.procedure, self.note = procedure, note

    def _checked(self, line: Sequence[str]) -> list[str]:
        """Return an underline in ascending order of mean."""
        indices = sorted(self._ascending.index(name) for name in line if name in self._ascending)
        mean = dict(zip(self.names, self.means, strict=True))
        within = {
            name
            for name in self._ascending
            if indices
            and mean[self._ascending[indices[0]]] < mean[name] < mean[self._ascending[indices[-1]]]
        }
        if len(indices) < max(len(line), 1) or not within <= set(line):
            raise InvalidArgumentError(
                "underlines must name all learners between two means and no others; got "
                f"{', '.join(line) or 'none'}. Ascending means: {', '.join(self._ascending)}."
            )
        return [self._ascending[index] for index in indices]

    @classmethod
    def from_result(cls, result: Any, *, measure_title: str = "mean score") -> NewmanKeulsDisplay:
        """Take the result of a range test.

        Parameters
        ----------
        result : RangeTestResult
            Of `newman_keuls`, `tukey_hsd_test` or `duncan_test`.
        measure_title : str
            What the scores are.

        Returns
        -------
        NewmanKeulsDisplay
        """
        family = [
            warning for warning in result.warnings if getattr(warning, "code", "") == "multiplicity"
        ]
        return cls(
            result.names,
            result.levels,
            [[result.names[i] for i in line] for line in result.underlines],
            measure_title=measure_title,
            alpha=result.alpha,
            procedure=result.procedure,
            note=" ".join(family),
        )

    def frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per learner, smallest mean first.

        Returns
        -------
        DataFrame
            Columns learner, mean, and underlines: the numbers (from 1) of the underlines below
            it, as a text.
        """
        mean = dict(zip(self.names, self.means, strict=True))
        rows = [
            (name, mean[name], group_numbers(name, self.underlines)) for name in self._ascending
        ]
        return pd.DataFrame(rows, columns=["learner", "mean", "underlines"])

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches at which all of it can be read."""
        width, height = level_axis_size(self.names, self._bars())
        return width, height + 0.35

    def _bars(self) -> list[tuple[float, float]]:
        mean = dict(zip(self.names, self.means.tolist(), strict=True))
        return [(mean[line[0]], mean[line[-1]]) for line in self.underlines if len(line) > 1]

    def _draw(self, ax: Axes) -> None:
        low, high = float(self.means.min()), float(self.means.max())
        margin = 0.04 * ((high - low) or abs(low) or 1.0)
        means = self.means.tolist()
        limits = (low - margin, high + margin)
        draw_level_axis(
            ax,
            self.names,
            means,
            self._bars(),
            limits=limits,
            text_of=lambda value: score_text(value, self.measure_title),
        )
        ax.xaxis.set_label_position("top")
        label_scale(ax, f"mean {scale_title(self.measure_title)}")
        show_scale(ax.xaxis, self.measure_title)
        said = "" if self._bars() else "No two are underlined. "
        caption(ax, f"{self.procedure} at {self.alpha:g}. {said}{MEANING} {self.note}".strip())
