"""Base of displays with a table of points for every learner, such as ROC curves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bestofk.array_types import Floats
from bestofk.errors import InvalidArgumentError
from bestofk.report.plots.base import Display


class NamedCurvesDisplay(Display):
    """Base of displays with a curve for every learner, whose legend stands below the axes.

    Attributes
    ----------
    curves : dict of str to ndarray of shape (n_points, n_columns), float
        Floats of every learner; the first two columns are shares from 0 to 1.
    """

    curves: dict[str, Floats]
    _columns: ClassVar[tuple[str, ...]]
    _rule: ClassVar[str]  # what a curve must be, and the way out, for the error message
    _way_out: ClassVar[str]

    def _read(self, curves: Mapping[str, ArrayLike], nothing: str) -> dict[str, Floats]:
        """Return the curves as tables of numbers, or raise; `nothing` ends its message."""
        tables = {str(name): self._points(str(name), values) for name, values in curves.items()}
        if not tables:
            raise InvalidArgumentError(f"curves must have at least one learner{nothing}")
        return tables

    def _points(self, name: str, values: ArrayLike) -> Floats:
        """Return the points of one curve, or raise."""
        array = np.asarray(values, dtype=float)
        is_table = array.ndim == 2 and array.shape[1] == len(self._columns) and len(array) > 0
        shares = array[:, :2] if is_table else np.array([np.nan])
        if not ((shares >= 0) & (shares <= 1)).all() or not self._is_curve(array):
            raise InvalidArgumentError(
                f"curve of {name!r} must be {self._rule}; got {array.tolist()!r}. {self._way_out}"
            )
        return array

    def _is_curve(self, points: Floats) -> bool:
        """Return whether a table of shares is a curve."""
        return True

    def _tables(self) -> Iterable[tuple[str, Floats]]:
        """Return what `frame` holds: the curves, and others that were made of them."""
        return self.curves.items()

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per point: learner, then the columns of the points."""
        names = [name for name, points in self._tables() for _ in points]
        table = pd.DataFrame(
            np.vstack([points for _, points in self._tables()]), columns=[*self._columns]
        )
        table.insert(0, "learner", names)
        return table
