"""Picture of cost curves: the cheapest learner by costs and class shares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from bestofk.errors import InvalidArgumentError
from bestofk.measures.ties import at_most
from bestofk.report.plots.base import Display
from bestofk.report.plots.drawing import GRAY, curve_style, ink
from bestofk.report.plots.labels import (
    label_height,
    label_scale,
    legend_below,
    legend_inches,
    short_name,
)

ENVELOPE: Final = "envelope"
# The highest cost of naming the cheaper class always.
_TRIVIAL: Final = 0.5


class CostCurveDisplay(Display):
    """Expected cost of every learner, at its cheapest threshold, for all costs and class shares.

    The wide line is the lower envelope, the cheapest of all. Dashed are the two classifiers
    that name one class always; a learner costs as much where it is not worth asking.

    Parameters
    ----------
    curves : mapping of str to array-like of shape (n_corners, 2), float
        For each learner the corners (probability cost, normalized expected cost) of its curve,
        in ascending order of the first, which goes from 0 to 1.
    envelope : array-like of shape (n_corners, 2), float
        The same of the cheapest of all.
    positive, negative : str
        The two classes.

    Raises
    ------
    InvalidArgumentError
        If there is no learner, or corners are no such pairs.

    References
    ----------
    Drummond & Holte (2006), Cost curves: an improved method for visualizing classifier
    performance, Machine Learning 65(1).

    Examples
    --------
    >>> corners = [(0, 0), (0.3, 0.1), (0.8, 0.1), (1, 0)]
    >>> display = CostCurveDisplay({"lda": corners}, corners, positive="ill", negative="well")
    >>> display.frame()["learner"].unique().tolist()
    ['lda', 'envelope']
    """

    def __init__(
        self,
        curves: Mapping[str, ArrayLike],
        envelope: ArrayLike,
        *,
        positive: str,
        negative: str,
    ) -> None:
        self.curves = {str(name): _corners(name, curve) for name, curve in curves.items()}
        if not self.curves:
            raise InvalidArgumentError(
                "curves must have at least one learner; got none. Give a name and its corners."
            )
        self.envelope = _corners(ENVELOPE, envelope)
        self.positive, self.negative = positive, negative

    @classmethod
    def from_curves(cls, curves: Any) -> CostCurveDisplay:
        """Take what `bestofk.cost_curve` returned.

        Parameters
        ----------
        curves : CostCurves
            Stretches where each threshold is the cheapest.

        Returns
        -------
        CostCurveDisplay
        """
        return cls(
            {name: _ends(stretches) for name, stretches in curves.envelopes.items()},
            _ends(curves.best),
            positive=str(curves.classes[curves.positive]),
            negative=str(curves.classes[1 - curves.positive]),
        )

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches at which all of it can be read."""
        return 6.4, 3.6 + legend_inches(self._labels())

    def frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per corner.

        Returns
        -------
        DataFrame
            Columns learner ("envelope" for the cheapest of all), probability_cost,
            normalized_cost.
        """
        parts = []
        for name, curve in (*self.curves.items(), (ENVELOPE, self.envelope)):
            table = pd.DataFrame(curve, columns=["probability_cost", "normalized_cost"])
            table.insert(0, "learner", name)
            parts.append(table)
        return pd.concat(parts, ignore_index=True)

    def _labels(self) -> list[str]:
        return [
            *(short_name(name) for name in self.curves),
            *(f"always {short_name(item)}" for item in (self.negative, self.positive)),
            "the cheapest",
        ]

    def _draw(self, ax: Axes) -> None:
        *labels, never, always, cheapest = self._labels()
        ax.plot(*self.envelope.T, color=GRAY, lw=6, alpha=0.45, label=cheapest, zorder=1)
        for index, (label, corners) in enumerate(zip(labels, self.curves.values(), strict=True)):
            ax.plot(*corners.T, label=label, **curve_style(index))
        dashed: dict[str, Any] = {"color": ink(), "lw": 0.9}
        ax.plot([0, 1], [0, 1], ls="--", label=never, **dashed)
        ax.plot([0, 1], [1, 0], ls="-.", label=always, **dashed)
        ax.set_xlim(0, 1)
        ax.set_ylim(0, self._highest())
        share = f"share of class {short_name(self.positive)} in what could be lost"
        label_scale(ax, f"probability cost: {share}")
        label_height(ax, "normalized expected cost")
        legend_below(ax)

    def _highest(self) -> float:
        """Return the end of the cost axis: above all learners better than a constant class."""
        highest = [float(curve[:, 1].max()) for curve in self.curves.values()]
        better = [item for item in highest if not at_most(_TRIVIAL, item)]
        return min(1.12 * max(better), _TRIVIAL) if better and max(better) > 0 else _TRIVIAL


def _corners(name: str, corners: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(corners, dtype=float)
    is_table = array.ndim == 2 and array.shape[1:] == (2,) and len(array) > 1
    if (
        not is_table
        or not ((array >= 0) & (array <= 1)).all()
        or (np.diff(array[:, 0]) < 0).any()
        or array[[0, -1], 0].tolist() != [0, 1]
    ):
        raise InvalidArgumentError(
            f"curve of {name!r} must be pairs of a probability cost, ascending from 0 to 1, and "
            f"a normalized cost from 0 to 1; got {array.tolist()!r}. Use from_curves."
        )
    return array


def _ends(stretches: Any) -> list[tuple[float, float]]:
    """Return where stretches meet, with the cost there, from 0 to 1."""
    first = stretches[0]
    return [
        (first.low, first.line.normalized_cost(first.low)),
        *((stretch.high, stretch.line.normalized_cost(stretch.high)) for stretch in stretches),
    ]
