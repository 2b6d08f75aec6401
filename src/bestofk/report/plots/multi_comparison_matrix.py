"""Multi-comparison matrix: every pair of learners over many data sets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from bestofk.errors import InvalidArgumentError
from bestofk.inference.checks import check_share
from bestofk.report.plots.base import finite_list, name_list
from bestofk.report.plots.labels import caption, short_name
from bestofk.report.plots.pair_matrix import PairMatrixDisplay
from bestofk.words import fixed, number

# Diverging from orange to purple, distinguished by color-blind readers, white in the middle.
_COLORS = "PuOr"
# Share of the color range in use: the darkest ends would hide the text.
_REACH = 0.5
_CELL_WIDTH, _CELL_HEIGHT = 1.05, 0.62


class MultiComparisonMatrixDisplay(PairMatrixDisplay):
    """Matrix of all pairs: mean difference, win/tie/loss and p value in each cell.

    What a cell says depends on its two learners alone, but for the adjustment of its p value.
    The color is the mean difference: purple where the learner of the row is better, orange
    where that of the column is. Bold: significant.

    Parameters
    ----------
    names : sequence of str
        Learners, at least two, in the order in which they are to stand.
    mean_difference : array-like of shape (n_learners, n_learners), float
        Row minus column, in the unit of the measure; the diagonal is not read.
    wins, ties : array-like of shape (n_learners, n_learners), int
        On how many data sets the learner of the row is better, and alike; losses are the wins
        of the other. The diagonal is not read.
    p_value : array-like of shape (n_learners, n_learners), float
        Two-sided p value of each pair; symmetric.
    levels : sequence of float, optional
        A number behind each name, such as its average rank or mean score.
    level_of : str
        What `levels` are.
    measure_title : str
        What is compared.
    greater_is_better : bool, default=False
        Direction of the measure.
    p_of : str, default="p"
        What `p_value` is, such as "Wilcoxon p, Holm".
    alpha : float, default=0.05
        Level of the bold cells.

    Raises
    ------
    InvalidArgumentError
        If there are fewer than two learners, shapes do not fit, a value outside the diagonal is
        not finite, or a p value is no probability.

    References
    ----------
    Ismail-Fawaz et al. (2023), An approach to multiple comparison benchmark evaluations that
    is stable under manipulation of the comparate set, arXiv 2305.11921.

    Examples
    --------
    >>> display = MultiComparisonMatrixDisplay(
    ...     ["lda", "cart"],
    ...     [[0, -0.02], [0.02, 0]],
    ...     wins=[[0, 9], [3, 0]],
    ...     ties=[[0, 2], [2, 0]],
    ...     p_value=[[1, 0.04], [0.04, 1]],
    ...     measure_title="error rate",
    ... )
    >>> display.frame().values.tolist()
    [['lda', 'cart', -0.02, 9, 2, 3, 0.04]]
    """

    def __init__(
        self,
        names: Sequence[str],
        mean_difference: ArrayLike,
        *,
        wins: ArrayLike,
        ties: ArrayLike,
        p_value: ArrayLike,
        measure_title: str = "score",
        levels: Sequence[float] | None = None,
        level_of: str = "average rank",
        greater_is_better: bool = False,
        p_of: str = "p",
        alpha: float = 0.05,
    ) -> None:
        self.names = name_list(names, len(list(names)), "learners", at_least=2)
        k = len(self.names)
        self.mean_difference = _square(mean_difference, k, "mean_difference")
        self.wins, self.ties = _square(wins, k, "wins"), _square(ties, k, "ties")
        self.p_value = _square(p_value, k, "p_value")
        if (self.p_value < 0).any() or (self.p_value > 1).any():
            raise InvalidArgumentError(
                f"p_value must be probabilities; got {self.p_value.min():g} to "
                f"{self.p_value.max():g}. Give p values from 0 to 1."
            )
        self.levels = None if levels is None else finite_list(levels, "levels")
        if self.levels is not None and len(self.levels) != k:
            raise InvalidArgumentError(
                f"levels must be one per learner ({k}); got {len(self.levels)}. Leave them out."
            )
        self.level_of, self.measure_title, self.p_of = level_of, measure_title, p_of
        self.greater_is_better = greater_is_better
        self.alpha = check_share(alpha, "alpha")

    @classmethod
    def from_result(cls, result: Any, *, adjusted: bool = True, **options: Any) -> Self:
        """Take a multi-comparison matrix; learners stand in the order of their levels.

        Parameters
        ----------
        result : ComparisonMatrix
            Of `multi_comparison_matrix`, for all pairs.
        adjusted : bool, default=True
            Whether p values are adjusted for the family; those of the pair alone do not depend
            on the other learners.
        **options
            Further arguments of the class, such as `measure_title` and the direction that was
            given to `multi_comparison_matrix`.

        Returns
        -------
        MultiComparisonMatrixDisplay

        Raises
        ------
        InvalidArgumentError
            If only pairs with a control were compared.
        """
        order = np.argsort(result.levels, kind="stable")
        square = np.ix_(order, order)
        return cls(
            [result.names[i] for i in order],
            result.estimate[square],
            wins=result.wins[square],
            ties=result.ties[square],
            p_value=(result.p_adjusted if adjusted else result.p_value)[square],
            levels=np.asarray(result.levels)[order].tolist(),
            level_of=result.level_of,
            p_of=f"Wilcoxon p, {result.correction}" if adjusted else "Wilcoxon p of the pair",
            alpha=result.alpha,
            **options,
        )

    def frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per pair.

        Returns
        -------
        DataFrame
            Columns first, second, mean_difference (first minus second), wins, ties, losses (of
            the first), p_value.
        """
        first, second = self._pairs()
        return pd.DataFrame(
            {
                **self._pair_names(),
                "mean_difference": self.mean_difference[first, second],
                "wins": self.wins[first, second].astype(int),
                "ties": self.ties[first, second].astype(int),
                "losses": self.wins[second, first].astype(int),
                "p_value": self.p_value[first, second],
            }
        )

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches at which all of it can be read."""
        longest = max(len(label) for label in self._labels())
        k = len(self.names)
        width = 0.6 + 0.085 * longest + _CELL_WIDTH * k
        return max(width, 3.8 + 0.085 * longest), 1.3 + 0.06 * longest + _CELL_HEIGHT * k

    def _labels(self) -> list[str]:
        short = [short_name(name) for name in self.names]
        if self.levels is None:
            return short
        return [
            f"{name}  {number(float(level), 3)}"
            for name, level in zip(short, self.levels, strict=True)
        ]

    def _draw(self, ax: Axes) -> None:
        largest = float(np.abs(self.mean_difference).max()) or 1.0
        # positive: the learner of the row is better
        gain = self.mean_difference * (1 if self.greater_is_better else -1) / largest
        colors = colormaps[_COLORS](0.5 + 0.5 * _REACH * gain)
        self._draw_cells(ax, colors, self._labels())
        behind = "" if self.levels is None else f" Behind each name: {self.level_of}."
        caption(
            ax,
            f"Row minus column: mean difference in {self.measure_title}, wins/ties/losses of the "
            f"row, {self.p_of} (bold: at most {self.alpha:g}). Purple: row better; orange: column "
            f"better.{behind}",
        )

    def _cell(self, i: int, j: int) -> tuple[list[str], dict[str, Any]]:
        p = self.p_value[i, j]
        said = f"p {number(p, 3)}" if p >= 0.0005 else "p < 0.001"
        tally = "/".join(
            f"{item:.0f}" for item in (self.wins[i, j], self.ties[i, j], self.wins[j, i])
        )
        # the ground is pale whatever surrounds the picture
        style = {"color": "black", "fontweight": "bold" if p <= self.alpha else "normal"}
        difference = _signed(self.mean_difference[i, j])
        return [f"{difference}\n{tally}\n{said}", difference, difference[0]], style


def _square(values: ArrayLike, k: int, what: str) -> NDArray[np.float64]:
    """Return a square array with zeros on its diagonal, or raise."""
    array = np.array(values, dtype=float)
    if array.shape != (k, k):
        raise InvalidArgumentError(
            f"{what} must have one row and one column per learner ({k}); got shape {array.shape}. "
            "Give all ordered pairs."
        )
    np.fill_diagonal(array, 0.0)
    if not np.isfinite(array).all():
        i, j = np.argwhere(~np.isfinite(array))[0]
        raise InvalidArgumentError(
            f"{what} must be finite outside the diagonal; got {array[i, j]} at learner {i + 1} "
            f"and {j + 1}. Compare the learners on data sets that both have."
        )
    return array


def _signed(value: float) -> str:
    """Return a difference with its sign, so that direction never hangs on color."""
    size = math.fabs(value)
    if size >= 1000:
        return f"{value:+,.0f}"
    return fixed(value, 4, sign="+") if size < 1 else f"{value:+.3g}"
