"""Base of the pictures of scores along a condition: training rows, or a share of noise."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from bestofk.errors import DesignError
from bestofk.report.plots.base import Display
from bestofk.report.plots.drawing import LETTER_INCHES
from bestofk.report.plots.labels import short_name


class CurvesDisplay(Display):
    """Scores of learners at points of a condition."""

    names: list[str]
    point: ClassVar[str]

    def _checked(self, tables: Iterable[ArrayLike], n_points: int) -> list[NDArray[np.float64]]:
        """Return tables of points x learners as arrays, or raise."""
        arrays = [np.asarray(table, dtype=float) for table in tables]
        shapes = [array.shape for array in arrays]
        if len(shapes[0]) != 2 or set(shapes) != {(n_points, shapes[0][1])}:
            raise DesignError(
                f"scores of {type(self).__name__} must be {self.point}s x learners; got shapes "
                f"{', '.join(map(str, shapes))} for {n_points} {self.point}s. Give one column per "
                "learner."
            )
        return arrays

    @staticmethod
    def _columns(curves: Any, *names: str) -> list[NDArray[np.float64]]:
        """Return columns of the frame of a result as tables of points x learners."""
        frame, n_learners = curves.to_frame(), len(curves.learners)
        return [frame[name].to_numpy().reshape(n_learners, -1).T for name in names]

    def _frame(self, points: dict[str, np.ndarray], **tables: ArrayLike) -> pd.DataFrame:
        """Return a row per learner and point: learner, point, then a column per table."""
        ((name, values),) = points.items()
        columns = {key: np.ravel(table, order="F") for key, table in tables.items()}
        keys = {"learner": np.repeat(self.names, len(values))}
        return pd.DataFrame({**keys, name: np.tile(values, len(self.names)), **columns})

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches at which all of it can be read."""
        longest = max(len(short_name(name)) for name in self.names)
        return 5.0 + LETTER_INCHES * longest, max(3.6, 1.2 + 0.21 * len(self.names))
