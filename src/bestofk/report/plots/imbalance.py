"""Picture of the effect of resampling and weights on ranking and probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator
from numpy.typing import ArrayLike

from bestofk.array_types import Floats
from bestofk.errors import DesignError
from bestofk.report.plots.base import Display
from bestofk.report.plots.drawing import GRAY, LETTER_INCHES, MARKERS, SERIES, SMALL, hide_sides
from bestofk.report.plots.labels import cell_inches, fitting_name, longest_name
from bestofk.report.plots.lanes import side_by_side, write_in_lane

_WIDE: Final = 5.0  # inches, with room for all methods in one line
_HALF: Final = 0.47  # of the width, for each half
_DOT_INCHES: Final = 0.17
# From this ratio of the largest to the smallest loss on a linear axis hides the small ones.
_LOGARITHMIC_FROM: Final = 4.0


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
        given = (auroc, auroc_errors, log_loss, log_loss_errors)
        columns = [np.asarray(item, dtype=float) for item in given]
        shapes = {column.shape for column in columns}
        if not self.arms or len(set(self.arms)) < len(self.arms) or shapes != {(len(self.arms),)}:
            raise DesignError(
                "values of ImbalanceDisplay must be one for each learner with each method, none "
                f"twice; got {len(self.arms)} of these and shapes "
                f"{', '.join(map(str, sorted(shapes)))}. Use from_effect."
            )
        self.auroc, self.auroc_errors, self.log_loss, self.log_loss_errors = columns
        longest = longest_name(self.learners)
        n_lines = len(self.learners) * (len(self.methods) + 1)
        self.size = 6.6 + LETTER_INCHES * longest, max(3.0, 1.4 + _DOT_INCHES * n_lines)

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
        names = ("auroc", "auroc_se", "log_loss", "log_loss_se")
        return cls(effect.arms, *(frame[name].to_numpy() for name in names))

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
        return pd.DataFrame(
            {
                "learner": [learner for learner, _ in self.arms],
                "method": [method for _, method in self.arms],
                "auroc": self.auroc,
                "auroc_se": self.auroc_errors,
                "log_loss": self.log_loss,
                "log_loss_se": self.log_loss_errors,
            }
        )

    def _draw(self, ax: Axes) -> None:
        left, right = side_by_side(ax, _HALF, 1 - _HALF)
        self._draw_half(left, self.auroc, self.auroc_errors)
        self._draw_half(right, self.log_loss, self.log_loss_errors)
        for half in (left, right):
            half.locator_params(axis="x", nbins=max(2, int(0.6 * cell_inches(ax))))
        names = [fitting_name(ax, learner) for learner in self.learners]
        left.set_yticks(range(len(names)), names, parse_math=False, fontsize=SMALL)
        right.tick_params(axis="y", labelleft=False)
        left.set_xlabel("AUROC\n(right is better)", fontsize=SMALL)
        is_logarithmic = _scale_losses(right, self.log_loss)
        note = ", log scale" if is_logarithmic else ""
        right.set_xlabel(f"log loss{note}\n(left is better)", fontsize=SMALL)
        n_columns = len(self.methods) if cell_inches(ax) > _WIDE else 2
        ax.legend(
            *left.get_legend_handles_labels(), loc="lower left", bbox_to_anchor=(0, 1.0),
            borderaxespad=0.2, ncols=n_columns, frameon=False, fontsize=SMALL,
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
                marker=MARKERS[index % len(MARKERS)], color=SERIES[index % len(SERIES)],
                elinewidth=1.2, label=method, zorder=3,
            )  # fmt: skip
        for value, row, (_, method) in zip(values, rows, self.arms, strict=True):
            if method == "none" and np.isfinite(value):
                ax.plot([value, value], [row - 0.45, row + 0.45], color=GRAY, lw=0.8, zorder=1)
        for row in range(len(learners)):
            if not np.isfinite(values[rows == row]).any():
                write_in_lane(ax, "no value", 0.5, row, ha="center", color=GRAY)
            if row:
                ax.axhline(row - 0.5, color=GRAY, lw=0.4)
        ax.set_ylim(len(learners) - 0.5, -0.5)
        ax.set_yticks(range(len(learners)))
        ax.tick_params(axis="y", length=0)
        hide_sides(ax, "top", "right", "left")


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
