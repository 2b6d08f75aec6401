"""Picture of stated probabilities against how often they came true."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from bestofk.errors import InvalidArgumentError
from bestofk.report.plots.base import Display, finite_list
from bestofk.report.plots.drawing import BLUE, SMALL, ink
from bestofk.report.plots.labels import name_shares, write

_WORDS: Final = "true as often as stated"


class ReliabilityDisplay(Display):
    """Share of true claims against the probability that was stated, bin by bin.

    Below the dashed line claims are too high, above it too careful.

    Parameters
    ----------
    stated, true : array-like of shape (n_bins,), float from 0 to 1
        Mean stated probability, and share of claims that came true.
    low, high : array-like of shape (n_bins,), float from 0 to 1
        Interval of the true share.
    counts : array-like of shape (n_bins,), int
        Claims in each bin.
    event : str
        What was claimed.

    Raises
    ------
    InvalidArgumentError
        If lengths differ, or a share is not from 0 to 1.

    References
    ----------
    Murphy & Winkler (1977), Reliability of subjective probability forecasts of precipitation and
    temperature, Journal of the Royal Statistical Society C 26(1).

    Examples
    --------
    >>> display = ReliabilityDisplay(
    ...     [0.55, 0.9], [0.5, 0.92], [0.3, 0.8], [0.7, 0.97], [20, 50], event="within 1 point"
    ... )
    >>> display.frame()["claims"].tolist()
    [20, 50]
    """

    size = (5.2, 4.6)

    def __init__(
        self,
        stated: ArrayLike,
        true: ArrayLike,
        low: ArrayLike,
        high: ArrayLike,
        counts: ArrayLike,
        *,
        event: str,
    ) -> None:
        given = {"stated": stated, "true": true, "low": low, "high": high}
        shares = [finite_list(values, what) for what, values in given.items()]
        self.counts = finite_list(counts, "counts").astype(int)
        for what, values in zip(given, shares, strict=True):
            if len(values) != len(self.counts) or values.min() < 0 or values.max() > 1:
                raise InvalidArgumentError(
                    f"{what} must be {len(self.counts)} shares from 0 to 1, one for each count; "
                    f"got {values.tolist()}. Give one of each per bin."
                )
        self.stated, self.true, self.low, self.high = shares
        self.event = event

    def frame(self) -> pd.DataFrame:
        """Return a DataFrame: stated, true, low, high, claims."""
        names = ("stated", "true", "low", "high")
        columns = {name: getattr(self, name) for name in names}
        return pd.DataFrame({**columns, "claims": self.counts})

    def _draw(self, ax: Axes) -> None:
        stated = f"stated probability that {self.event}"
        note = "bars: 95% interval; numbers: claims"
        name_shares(ax, "claims too careful", "claims too high", stated, note)
        ax.annotate(
            _WORDS, (0.04, 0.04), xytext=(0, 4), textcoords="offset points", rotation=45,
            rotation_mode="anchor", transform_rotates_text=True, fontsize=SMALL, alpha=0.8,
        )  # fmt: skip
        ax.vlines(self.stated, self.low, self.high, color=BLUE, lw=1.6)
        areas = 20 + 80 * self.counts / self.counts.max()
        ax.scatter(self.stated, self.true, s=areas, color=BLUE, edgecolor=ink(), lw=0.8, zorder=3)
        for x, y, count in zip(self.stated, self.low, self.counts, strict=True):
            write(ax, f"{count:,}", (x, y), xytext=(0, -3), ha="center", va="top")
        ax.set_ylim(min(-0.06, float(np.min(self.low)) - 0.06), 1.03)
