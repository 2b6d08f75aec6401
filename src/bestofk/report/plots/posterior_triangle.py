"""Picture of posterior draws in a triangle: better, equivalent and worse."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from bestofk.errors import InvalidArgumentError
from bestofk.report.plots.base import Display, name_list
from bestofk.report.plots.drawing import ink
from bestofk.report.plots.labels import better_names, headline, short_name
from bestofk.words import percent

# Corners of "less", "rope" and "greater".
_CORNERS = np.array([[0.0, 0.0], [0.5, math.sqrt(3) / 2], [1.0, 0.0]])
_ROUNDING = 1e-6
_BINS = 45


class PosteriorTriangleDisplay(Display):
    """Draws of the Bayesian signed-rank posterior in a triangle of three regions.

    A draw near a corner gives that answer nearly all probability. The three parts of the
    triangle are those in which each answer is the most probable one; the share of draws in
    them is the posterior probability of the answer.

    Parameters
    ----------
    draws : array-like of shape (n_draws, 3), float
        In each row the probabilities that the difference (first minus second) is below,
        inside and above the region of practical equivalence.
    rope : float
        Half the width of the region, in the unit of the scores.
    names : pair of str
        The two learners.
    greater_is_better : bool, default=False
        Direction of the measure.

    Raises
    ------
    InvalidArgumentError
        If there is no draw, a row is no set of three probabilities that add up to 1, or names
        are not two different ones.

    References
    ----------
    Benavoli, Corani, Demsar & Zaffalon (2017), Time for a change: a tutorial for comparing
    multiple classifiers through Bayesian analysis, JMLR 18(77).

    Examples
    --------
    >>> draws = [[0.7, 0.2, 0.1], [0.3, 0.6, 0.1], [0.8, 0.2, 0.0], [0.5, 0.3, 0.2]]
    >>> display = PosteriorTriangleDisplay(draws, rope=0.01, names=("lda", "cart"))
    >>> display.frame()[["says", "share"]].values.tolist()
    [['lda better', 0.75], ['about the same', 0.25], ['cart better', 0.0]]
    """

    size = (5.6, 4.6)

    def __init__(
        self,
        draws: ArrayLike,
        *,
        rope: float,
        names: Sequence[str] = ("first", "second"),
        greater_is_better: bool = False,
    ) -> None:
        self.draws = np.asarray(draws, dtype=float)
        is_table = self.draws.ndim == 2 and self.draws.shape[1] == 3 and len(self.draws) > 0
        if not (
            is_table
            and (self.draws >= -_ROUNDING).all()
            and np.allclose(self.draws.sum(axis=1), 1, atol=_ROUNDING)
        ):
            raise InvalidArgumentError(
                "draws must be rows of three probabilities that add up to 1; got an array of "
                f"shape {self.draws.shape}. Take them from bayesian_signed_rank."
            )
        self.rope = float(rope)
        self.names = name_list(names, 2, "two learners")
        self.greater_is_better = greater_is_better

    @classmethod
    def from_result(cls, result: Any, **options: Any) -> Self:
        """Take the draws of a result.

        Parameters
        ----------
        result : PosteriorDraws
            Of `bayesian_signed_rank`: draws and rope.
        **options
            Further arguments of the class; `names` in the order in which the learners were given
            to the test.

        Returns
        -------
        PosteriorTriangleDisplay
        """
        return cls(result.draws, rope=result.rope, **options)

    def frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per region.

        Returns
        -------
        DataFrame
            Columns region ("less", "rope", "greater"), says, share: of the draws in which it
            is the most probable one; ties are split.
        """
        largest = self.draws >= self.draws.max(axis=1, keepdims=True)
        left, right = better_names(self.names, greater_is_better=self.greater_is_better)
        return pd.DataFrame(
            {
                "region": ["less", "rope", "greater"],
                "says": [f"{left} better", "about the same", f"{right} better"],
                "share": (largest / largest.sum(axis=1, keepdims=True)).mean(axis=0),
            }
        )

    def _draw(self, ax: Axes) -> None:
        points = self.draws @ _CORNERS
        ax.hexbin(
            points[:, 0],
            points[:, 1],
            gridsize=(_BINS, round(_BINS / 2)),
            extent=(0, 1, 0, 0.866),
            mincnt=1,
            bins="log",
            cmap="viridis_r",
            linewidths=0.1,
            zorder=1,
        )
        outline = np.vstack([_CORNERS, _CORNERS[:1]])
        ax.plot(outline[:, 0], outline[:, 1], color=ink(), lw=1.3, zorder=3)
        center = _CORNERS.mean(axis=0)
        for i in range(3):
            middle = (_CORNERS[i] + _CORNERS[(i + 1) % 3]) / 2
            ends = np.vstack([center, middle])
            ax.plot(ends[:, 0], ends[:, 1], color=ink(), lw=0.9, ls="--", zorder=3)
        frame = self.frame()
        left, middle_text, right = (
            f"{short_name(says)}\n{percent(share)}%"
            for says, share in zip(frame["says"], frame["share"], strict=True)
        )
        style: dict[str, Any] = {"fontsize": 9, "parse_math": False}
        ax.text(0.0, -0.03, left, ha="center", va="top", **style)
        ax.text(1.0, -0.03, right, ha="center", va="top", **style)
        ax.text(0.57, 0.87, middle_text, ha="left", va="top", **style)
        ax.set_xlim(-0.05, 1.05)
        ax.set_ylim(-0.02, 0.89)
        ax.set_aspect("equal")
        ax.set_axis_off()
        headline(
            ax,
            f"{len(self.draws):,} draws of the posterior; about the same: within {self.rope:g}. "
            "Percentages: probability of each answer; darker: more draws.",
        )
