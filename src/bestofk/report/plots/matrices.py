"""Matrices: pairs of learners on many data sets and with other seeds; classes taken for others."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Final, Self

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from numpy.typing import ArrayLike

from bestofk.array_types import Floats
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference.checks import check_share
from bestofk.inference.many_learners.repeated_estimates import reproducibility_matrix
from bestofk.report.findings import Findings
from bestofk.report.plots import drawing
from bestofk.report.plots.drawing import Display, FindingsDisplay, finite_list, name_list
from bestofk.words import fixed, number

_DIAGONAL: Final = (0.5, 0.5, 0.5, 0.25)
# Size of texts in cells, and inches of a letter and of a line.
_SIZE: Final = 8
_LETTER: Final = 0.075
_LINE: Final = 0.14
_NAME_LETTER: Final = 0.085  # inches of a letter of a name next to a matrix
# Diverging from orange to purple, distinguished by color-blind readers, white in the middle.
_DIVERGING: Final = "PuOr"
# Share of the color range in use: the darkest ends would hide the text.
_REACH: Final = 0.5
_SEQUENTIAL: Final = "Blues"
# Parts of linear red, green and blue in the luminance of a color (ITU-R BT.709).
_LUMINANCE: Final = np.array([0.2126, 0.7152, 0.0722])
# Where black and white have the same contrast (WCAG 2): sqrt(1.05 * 0.05) - 0.05.
_MIDDLE: Final = 0.179
_OF_OTHER_SEEDS: Final = (
    "Reproducibility R of each pair over other seeds, by the same rows. 1: one of the two always "
    "has the better mean; 0: both have it equally often."
)

_NUMBER_INCHES: Final = 0.32  # of the longest percentage in a cell
_MOST_NUMBERS: Final = 14  # classes up to which each cell has its number
_CELL_INCHES: Final = 0.52


class PairMatrixDisplay(Display):
    """Base of matrices with a row and a column per learner."""

    names: list[str]

    @abstractmethod
    def _cell(self, i: int, j: int) -> tuple[list[str], dict[str, Any]]:
        """Return texts of a cell, the longest first, and their style."""

    def _pair_frame(self, **matrices: Floats) -> pd.DataFrame:
        """Return a row per pair: first, second, then its value in each matrix."""
        first, second = np.triu_indices(len(self.names), k=1)
        names = np.array(self.names)
        values = {column: matrix[first, second] for column, matrix in matrices.items()}
        return pd.DataFrame({"first": names[first], "second": names[second], **values})

    def _draw_cells(self, ax: Axes, colors: Floats, labels: Sequence[str] | None = None) -> None:
        """Draw named cells with the longest text that fits into all of them, none on the diagonal.

        Parameters
        ----------
        ax : matplotlib Axes
            Where to draw.
        colors : ndarray of shape (n_learners, n_learners, 4), float
            Of the cells; overwritten on the diagonal.
        labels : sequence of str, optional
            Names of the rows, if others than those of the learners.
        """
        k = len(self.names)
        colors[np.arange(k), np.arange(k)] = _DIAGONAL
        ax.imshow(colors, aspect="auto", interpolation="nearest")
        width = drawing.name_cells(ax, labels or self.names, self.names)
        height = 0.75 * drawing.height_inches(ax) / k
        cells = {(i, j): self._cell(i, j) for i in range(k) for j in range(k) if i != j}
        n_levels = len(next(iter(cells.values()))[0])
        for level in range(n_levels):
            lines = [texts[level].splitlines() for texts, _ in cells.values()]
            longest = max(len(line) for item in lines for line in item)
            if longest * _LETTER <= width and max(map(len, lines)) * _LINE <= height:
                break
        else:
            return
        # inside the axes: the layout need not measure it
        usual: dict[str, Any] = {"ha": "center", "va": "center", "in_layout": False}
        for (i, j), (texts, style) in cells.items():
            ax.text(j, i, texts[level], fontsize=_SIZE, **usual, **style)


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
    >>> display.to_frame().values.tolist()
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
        inches = _NAME_LETTER * max(map(len, "\n".join(self._labels()).splitlines()))
        height = 1.3 + 0.06 / _NAME_LETTER * inches + 0.62 * k
        self.size = max(0.6 + inches + 1.05 * k, 3.8 + inches), height

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

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per pair.

        Returns
        -------
        DataFrame
            Columns first, second, mean_difference (first minus second), wins, ties, losses (of
            the first), p_value.
        """
        tallies = {"wins": self.wins, "ties": self.ties, "losses": self.wins.T}
        frame = self._pair_frame(
            mean_difference=self.mean_difference, **tallies, p_value=self.p_value
        )
        return frame.astype(dict.fromkeys(tallies, int))

    def _labels(self) -> list[str]:
        """Return what stands left of the rows: names, and levels where they are known."""
        short = [drawing.short_name(name) for name in self.names]
        if self.levels is None:
            return short
        pairs = zip(short, self.levels.tolist(), strict=True)
        return [f"{name}\n{number(level, 3)}" for name, level in pairs]

    def _draw(self, ax: Axes) -> None:
        largest = float(np.abs(self.mean_difference).max()) or 1.0
        # positive: the learner of the row is better
        gain = self.mean_difference * (1 if self.greater_is_better else -1) / largest
        self._draw_cells(ax, colormaps[_DIVERGING](0.5 + 0.5 * _REACH * gain), self._labels())
        behind = "" if self.levels is None else f" Below each name: {self.level_of}."
        drawing.caption(
            ax,
            f"Row minus column: mean difference in {self.measure_title}, wins/ties/losses of the "
            f"row, {self.p_of} (bold: at most {self.alpha:g}). Purple: row better; orange: column "
            f"better.{behind}",
        )

    def _cell(self, i: int, j: int) -> tuple[list[str], dict[str, Any]]:
        p, difference = self.p_value[i, j], _signed(self.mean_difference[i, j])
        said = f"p {number(p, 3)}" if p >= 0.0005 else "p < 0.001"
        tally = f"{self.wins[i, j]:.0f}/{self.ties[i, j]:.0f}/{self.wins[j, i]:.0f}"
        # the ground is pale whatever surrounds the picture
        style = {"color": "black", "fontweight": "bold" if p <= self.alpha else "normal"}
        return [f"{difference}\n{tally}\n{said}", difference, difference[0]], style


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
    >>> display.to_frame().values.tolist()
    [['lda', 'cart', 0.5]]
    """

    def __init__(
        self,
        values: ArrayLike,
        names: Sequence[str],
        *,
        meaning: str = (
            "Reproducibility R of each pair over repetitions of the experiment. 1: one of the two "
            "always wins; 0: both win equally often."
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
        longest = drawing.longest_name(self.names)
        width = max(0.6 + 1.6 * _NAME_LETTER * longest + 0.62 * k, 3.8 + _NAME_LETTER * longest)
        self.size = width, 1.2 + 0.06 * longest + 0.46 * k

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
                "findings of ReproducibilityMatrixDisplay must include other seeds; "
                "got a comparison with too few repeats or learners. Take three repeats or more."
            )
        ranked = findings.verdict.order
        given = [learner.name for learner in findings.learners if learner.name in ranked]
        indices = [given.index(name) for name in ranked]
        values = findings.reseeding.reproducibility[np.ix_(indices, indices)]
        return cls(values, ranked, meaning=_OF_OTHER_SEEDS)

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per pair: first, second, value."""
        return self._pair_frame(value=self.values)

    def _draw(self, ax: Axes) -> None:
        self._draw_cells(ax, colormaps[_SEQUENTIAL](self.values))
        drawing.caption(ax, self.meaning)

    def _cell(self, i: int, j: int) -> tuple[list[str], dict[str, Any]]:
        value = float(self.values[i, j])
        is_dark = np.array(colormaps[_SEQUENTIAL](value)[:3]) ** 2.2 @ _LUMINANCE < _MIDDLE
        text = "1" if value == 1 else number(value, 2)
        return [text, text[1:] if value < 1 else text], {"color": "white" if is_dark else "black"}


def _square(values: ArrayLike, k: int, what: str) -> Floats:
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
    if abs(value) >= 1000:
        return f"{value:+,.0f}"
    return fixed(value, 4, sign="+") if abs(value) < 1 else f"{value:+.3g}"


class ConfusionDisplay(FindingsDisplay):
    """Share of each class that a learner takes for each class: right in blue, wrong in red.

    Rows are true classes and add up to 100%, so that rare classes can be seen as well.

    Parameters
    ----------
    counts : array-like of shape (n_classes, n_classes), int
        Rows true, columns predicted.
    classes : sequence of str
        Class drawing.
    learner : str
        Whose predictions these are.

    Raises
    ------
    DesignError
        If the counts are not square, below 0, or all 0.
    InvalidArgumentError
        If there is not one label for each class.

    Examples
    --------
    >>> display = ConfusionDisplay([[8, 2], [1, 9]], ["no", "yes"], learner="lda")
    >>> display.to_frame()["share"].tolist()
    [0.8, 0.2, 0.1, 0.9]
    >>> display.says()
    "lda: 15% wrong; most often 'no' is taken for 'yes' (20% of its rows)"
    """

    def __init__(self, counts: ArrayLike, classes: Sequence[object], *, learner: str) -> None:
        self.counts = np.asarray(counts, dtype=np.int64)
        shape = self.counts.shape
        is_square = len(shape) == 2 and shape[0] == shape[1]
        if not is_square or (self.counts < 0).any() or not self.counts.any():
            raise DesignError(
                "counts must be a square table of numbers from 0, not all 0; got shape "
                f"{shape}. Rows are true classes, columns predicted ones."
            )
        self.classes = name_list([str(label) for label in classes], shape[0], "classes")
        self.learner = learner
        side = max(_CELL_INCHES * shape[0], 2.4) if shape[0] <= _MOST_NUMBERS else 7
        names = drawing.LETTER_INCHES * drawing.longest_name(self.classes)
        # names above the columns are slanted, so they reach out to the right as well
        self.size = side + 2 * names + 0.9, side + 0.6 * names + 1.3

    @classmethod
    def from_findings(cls, findings: Findings, *, learner: str | None = None) -> ConfusionDisplay:
        """Take the confusion matrix of a learner over all its runs.

        Parameters
        ----------
        findings : Findings
            Of a comparison.
        learner : str, optional
            Which one; the pick if left out.

        Returns
        -------
        ConfusionDisplay

        Raises
        ------
        InvalidArgumentError
            If there is no such learner, or for regression.
        """
        chosen = learner or findings.verdict.best
        of_name = {item.name: item.confusion for item in findings.learners}
        counts = of_name.get(chosen or "")
        if counts is None:
            raise InvalidArgumentError(
                "learner of ConfusionDisplay must be one that predicts classes; got "
                f"{chosen!r}. Learners are {', '.join(of_name)}."
            )
        return cls(counts, findings.classes, learner=str(chosen))

    @property
    def shares(self) -> Floats:
        """Counts over those of the true class, shape (n_classes, n_classes); 0 without rows."""
        totals = self.counts.sum(axis=1, keepdims=True)
        return np.asarray(self.counts / np.maximum(totals, 1))

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per cell: true, predicted, count, share of the true."""
        k = len(self.classes)
        return pd.DataFrame(
            {
                "true": np.repeat(self.classes, k),
                "predicted": np.tile(self.classes, k),
                "count": self.counts.ravel(),
                "share": self.shares.ravel(),
            }
        )

    def says(self) -> str:
        """Return the share of wrong rows, and the most frequent mistake by share of a class."""
        wrong = 1 - np.trace(self.counts) / self.counts.sum()
        text = f"{self.learner}: {_percent(wrong)} wrong"
        mistakes = self.shares * ~np.eye(len(self.classes), dtype=bool)
        if not mistakes.any():
            return text
        true, predicted = np.unravel_index(int(mistakes.argmax()), mistakes.shape)
        share = _percent(mistakes[true, predicted])
        names = drawing.short_name(self.classes[true]), drawing.short_name(self.classes[predicted])
        return f"{text}; most often {names[0]!r} is taken for {names[1]!r} ({share} of its rows)"

    def _draw(self, ax: Axes) -> None:
        shares, k = self.shares, len(self.classes)
        colors = np.empty((k, k, 4))
        colors[..., :3] = to_rgb(drawing.VERMILION)
        colors[np.arange(k), np.arange(k), :3] = to_rgb(drawing.BLUE)
        # the square root lets few mistakes be seen
        colors[..., 3] = 0.85 * np.sqrt(shares)
        ax.imshow(colors, aspect="auto", interpolation="nearest")
        width = drawing.name_cells(ax, self.classes, self.classes)
        if k <= _MOST_NUMBERS and width > _NUMBER_INCHES:
            for i, j in zip(*np.nonzero(self.counts), strict=True):
                ax.text(
                    j, i, _percent(shares[i, j]), ha="center", va="center", fontsize=drawing.SMALL,
                    color="white" if shares[i, j] > 0.5 else None,
                )  # fmt: skip
        drawing.y_label(ax, "true class")
        drawing.caption(ax, "columns: predicted class; each row adds up to 100%")
        drawing.headline(ax, self.says())


def _percent(share: float) -> str:
    """Return a share in percent.

    Examples
    --------
    >>> _percent(0.25), _percent(0.004), _percent(0.0004), _percent(1.0), _percent(0.9996)
    ('25%', '0.4%', '<0.1%', '100%', '>99.9%')
    """
    percent = 100 * share
    decimals = 0 if percent in (0, 100) or 1 <= percent < 99 else 1
    return f"{fixed(percent, decimals, whole=100)}%"
