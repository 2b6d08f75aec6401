"""Matrix of the reproducibility of the order of every two learners."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from bestofk.errors import InvalidArgumentError
from bestofk.inference.many_learners.estimates_of_runs import reproducibility_matrix
from bestofk.report.findings import Findings
from bestofk.report.plots.base import name_list
from bestofk.report.plots.labels import caption, short_name
from bestofk.report.plots.pair_matrix import PairMatrixDisplay
from bestofk.words import number

_COLORS: Final = "Blues"
_CELL_WIDTH, _CELL_HEIGHT = 0.62, 0.46
_LETTER_INCHES: Final = 0.085
# Parts of linear red, green and blue in the luminance of a color (ITU-R BT.709).
_LUMINANCE: Final = np.array([0.2126, 0.7152, 0.0722])
# Where black and white have the same contrast (WCAG 2): sqrt(1.05 * 0.05) - 0.05.
_MIDDLE: Final = 0.179
_OF_OTHER_SEEDS: Final = (
    "Reproducibility R of each pair over other seeds, by the same rows. 1: one of the two always "
    "has the better mean; 0: either has it as often."
)


class ReproducibilityMatrixDisplay(PairMatrixDisplay):
    """Matrix of all pairs: how surely a repetition of the experiment orders them alike.

    Parameters
    ----------
    values : array-like of shape (n_learners, n_learners), float
        From 0 to 1, symmetric; the diagonal is not read.
    names : sequence of str
        Learners, at least two, in the order in which they are to stand.
    meaning : str
        What a number says.

    Raises
    ------
    InvalidArgumentError
        If there are fewer than two learners, or values are no symmetric table of shares.

    References
    ----------
    Raeder, Hoens & Chawla (2010), Consequences of variability in classifier performance
    estimates, IEEE International Conference on Data Mining, section V.

    Examples
    --------
    >>> display = ReproducibilityMatrixDisplay([[0, 0.5], [0.5, 0]], ["lda", "cart"])
    >>> display.frame().values.tolist()
    [['lda', 'cart', 0.5]]
    """

    def __init__(
        self,
        values: ArrayLike,
        names: Sequence[str],
        *,
        meaning: str = (
            "Reproducibility R of each pair over repetitions of the experiment. 1: one of the two "
            "always wins; 0: either wins as often."
        ),
    ) -> None:
        self.values = np.array(values, dtype=float)
        k = len(self.values) if self.values.ndim else 0
        if k < 2 or self.values.shape != (k, k):
            raise InvalidArgumentError(
                "values of ReproducibilityMatrixDisplay must have one row and one column per "
                f"learner, at least 2; got shape {self.values.shape}. There is one for each pair."
            )
        np.fill_diagonal(self.values, 0.0)
        is_share = (self.values >= 0) & (self.values <= 1)
        if not is_share.all() or not np.allclose(self.values, self.values.T, rtol=0, atol=1e-12):
            raise InvalidArgumentError(
                "values of ReproducibilityMatrixDisplay must be from 0 to 1 and symmetric; got "
                f"{self.values.tolist()}. Take them from reproducibility_matrix."
            )
        self.names = name_list(names, k, "rows")
        self.meaning = meaning

    @classmethod
    def from_estimates(
        cls, estimates: ArrayLike, names: Sequence[str], *, greater_is_better: bool
    ) -> ReproducibilityMatrixDisplay:
        """Compute R of every pair; learners stand in the order of their mean estimates.

        Parameters
        ----------
        estimates : array-like of shape (n_runs, n_learners), float
            Final estimate of each learner in each repetition of the experiment.
        names : sequence of str
            Learners.
        greater_is_better : bool
            Direction of the estimates.

        Returns
        -------
        ReproducibilityMatrixDisplay
        """
        matrix = reproducibility_matrix(estimates, names=names)
        known = name_list(names, len(matrix), "estimates")
        runs_of_learner = np.ascontiguousarray(np.asarray(estimates, dtype=float).T)
        means = runs_of_learner.mean(axis=1)
        order = np.argsort(-means if greater_is_better else means, kind="stable")
        return cls(matrix[np.ix_(order, order)], [known[i] for i in order])

    @classmethod
    def from_findings(cls, findings: Findings) -> ReproducibilityMatrixDisplay:
        """Take what findings say of other seeds; learners stand in the order of the verdict.

        Parameters
        ----------
        findings : Findings
            Of a comparison with three repeats or more, and with two learners or more.

        Returns
        -------
        ReproducibilityMatrixDisplay

        Raises
        ------
        InvalidArgumentError
            If the findings say nothing of other seeds.
        """
        if findings.reseeding is None:
            raise InvalidArgumentError(
                "findings of ReproducibilityMatrixDisplay must say what other seeds would lead to; "
                "got a comparison with too few repeats or learners. Take three repeats or more."
            )
        ranked = findings.verdict.order
        given = [learner.name for learner in findings.learners if learner.name in ranked]
        indices = [given.index(name) for name in ranked]
        values = findings.reseeding.reproducibility[np.ix_(indices, indices)]
        return cls(values, ranked, meaning=_OF_OTHER_SEEDS)

    def frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per pair: first, second, value."""
        return pd.DataFrame({**self._pair_names(), "value": self.values[self._pairs()]})

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches at which all of it can be read."""
        longest = max(len(short_name(name)) for name in self.names)
        width = 0.6 + 1.6 * _LETTER_INCHES * longest + _CELL_WIDTH * len(self.names)
        height = 1.2 + 0.06 * longest + _CELL_HEIGHT * len(self.names)
        return max(width, 3.8 + _LETTER_INCHES * longest), height

    def _draw(self, ax: Axes) -> None:
        self._draw_cells(ax, colormaps[_COLORS](self.values))
        caption(ax, self.meaning)

    def _cell(self, i: int, j: int) -> tuple[list[str], dict[str, Any]]:
        value = float(self.values[i, j])
        is_dark = np.array(colormaps[_COLORS](value)[:3]) ** 2.2 @ _LUMINANCE < _MIDDLE
        text = "1" if value == 1 else number(value, 2)
        return [text, text[1:] if value < 1 else text], {"color": "white" if is_dark else "black"}
