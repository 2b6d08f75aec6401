"""Picture of noise curves: score against the share of noise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import ArrayLike

from bestofk.errors import DesignError
from bestofk.report.curve_names import LETTER_INCHES, MARKERS, curve_style, name_ends
from bestofk.report.plots.base import Display, finite_list, hide_sides, name_list

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_STRUCK: Final = {
    "class": "rows with another class",
    "feature": "values replaced in every column",
    "missing": "values missing in every column",
}
_WHERE: Final = {
    "train": "training part; the test part is clean",
    "both": "training part and test part",
}
# More shares than these would stand too close.
_MOST_TICKS: Final = 7


class NoiseCurveDisplay(Display):
    """Mean score of every learner against the share of noise.

    The band is one standard error over repeats to both sides: how far other divisions of the
    same rows may lie, and nothing about other rows.

    Parameters
    ----------
    fractions : sequence of float
        Shares of noise, ascending, from 0 to 1.
    scores, errors : array-like of shape (n_learners, n_fractions)
        Means, and their standard errors (nan for no band).
    names : sequence of str
        Learners.
    measure_title : str
        What the scores are.
    kind : {"class", "feature", "missing"}, default="class"
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
    ...     [0.0, 0.2], [[0.05, 0.1]], [[0.01, 0.02]], ["5nn"], measure_title="error rate"
    ... )
    >>> display.frame()["score"].tolist()
    [0.05, 0.1]
    """

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
        self.scores, self.errors = (np.asarray(item, dtype=float) for item in (scores, errors))
        shapes = [self.scores.shape, self.errors.shape]
        if self.scores.ndim != 2 or {shape[1:] for shape in shapes} != {self.fractions.shape}:
            raise DesignError(
                "scores and errors of NoiseCurveDisplay must be learners x fractions; got shapes "
                f"{shapes[0]} and {shapes[1]} for {len(self.fractions)} fractions. Give one "
                "column per fraction."
            )
        self.names = name_list(names, len(self.scores), "learners")
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
        frame = curves.frame()
        shape = (len(curves.learners), len(curves.fractions))
        scores, errors = (
            frame[name].to_numpy().reshape(shape) for name in ("score", "score_error")
        )
        return cls(
            curves.fractions, scores, errors, curves.learners, kind=curves.kind,
            noisy=curves.noisy, measure_title=curves.measure.title,
        )  # fmt: skip

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches at which all of it can be read."""
        longest = max(len(name) for name in self.names)
        return 5.0 + LETTER_INCHES * min(longest, 28), max(3.6, 1.2 + 0.21 * len(self.names))

    def frame(self) -> Any:
        """Return a DataFrame: learner, fraction, score, score_error."""
        import pandas as pd

        n_learners, n_fractions = self.scores.shape
        return pd.DataFrame(
            {
                "learner": np.repeat(self.names, n_fractions),
                "fraction": np.tile(self.fractions, n_learners),
                "score": self.scores.ravel(),
                "score_error": self.errors.ravel(),
            }
        )

    def _draw(self, ax: Axes) -> None:
        from matplotlib.ticker import FuncFormatter

        shares = 100 * self.fractions
        for index, (mean, error) in enumerate(zip(self.scores, self.errors, strict=True)):
            style = curve_style(index)
            marker = MARKERS[index % len(MARKERS)]
            ax.plot(shares, mean, marker=marker, ms=4, lw=1.6, **style)
            band = np.nan_to_num(error)
            ax.fill_between(
                shares, mean - band, mean + band, color=style["color"], alpha=0.15, lw=0
            )
        if len(shares) <= _MOST_TICKS:
            ax.set_xticks(shares)
        ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g} %"))
        ax.set_xlabel(f"{_STRUCK[self.kind]}\n({_WHERE[self.noisy]})")
        ax.set_ylabel(self.measure_title, parse_math=False)
        hide_sides(ax, "top", "right")
        name_ends(ax, shares, self.scores, self.names, inches=self.size[1])
