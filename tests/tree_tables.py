"""Which small tables do tests of trees draw: numbers, levels, gaps, weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

NUMBERS = np.array([-2.0, 0.1, 1.0, 1.000004, 1.5, 7.0])  # two of them nearer than C4.5 cuts
LEVELS = ("a", "b", "c", "d")
WEIGHTS = np.array([0.5, 1.0, 1.5, 3.0])


@dataclass(frozen=True)
class TreeTable:
    """A table, its labels and weights.

    Attributes
    ----------
    codes : ndarray of shape (n_rows, n_columns), int
        Number of a value in NUMBERS or of a level; -1 where missing.
    is_nominal : tuple of bool
        Which columns hold levels.
    y : ndarray of shape (n_rows,), int
        Classes 0, 1 and perhaps 2.
    weight : ndarray of shape (n_rows,) or None
        Weights of the rows.
    """

    codes: np.ndarray
    is_nominal: tuple[bool, ...]
    y: np.ndarray
    weight: np.ndarray | None

    @property
    def frame(self) -> pd.DataFrame:
        return make_frame(self.codes, self.is_nominal)

    @property
    def values(self) -> np.ndarray:
        """Numbers and codes of levels, missing ones nan."""
        values = self.codes.astype(np.float64)
        for a, is_nominal in enumerate(self.is_nominal):
            if not is_nominal:
                values[:, a] = NUMBERS[self.codes[:, a]]
        values[self.codes < 0] = np.nan
        return values


def make_frame(codes: np.ndarray, is_nominal: tuple[bool, ...]) -> pd.DataFrame:
    """Return codes as a frame of numbers and categories; categories none has are declared too."""
    columns: dict[str, Any] = {}
    for a, nominal in enumerate(is_nominal):
        if nominal:
            columns[f"x{a}"] = pd.Categorical.from_codes(codes[:, a], categories=LEVELS)
        else:
            columns[f"x{a}"] = np.where(codes[:, a] < 0, np.nan, NUMBERS[codes[:, a]])
    return pd.DataFrame(columns)


@st.composite
def tree_tables(
    draw: st.DrawFn,
    *,
    has_missing: bool | None = None,
    has_weight: bool | None = None,
    n_classes: int | None = None,
    most_rows: int = 60,
) -> TreeTable:
    """Draw a table of 4 rows and more, 1 to 4 columns, at least two classes."""
    n_rows, n_columns = draw(st.integers(4, most_rows)), draw(st.integers(1, 4))
    is_nominal = tuple(draw(st.lists(st.booleans(), min_size=n_columns, max_size=n_columns)))
    missing = draw(st.booleans()) if has_missing is None else has_missing
    weighted = draw(st.booleans()) if has_weight is None else has_weight
    classes = n_classes or draw(st.integers(2, 3))
    # Few distinct values now and then: such columns are counted, not sorted.
    highest = np.array([3 if nominal else draw(st.sampled_from([1, 5])) for nominal in is_nominal])
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    codes = rng.integers(0, highest + 1, (n_rows, n_columns))
    y = rng.integers(0, classes, n_rows)
    # A part of the labels follows the first columns, so that trees are more than noise.
    follows = rng.random(n_rows) < draw(st.sampled_from([0.0, 0.6, 1.0]))
    y[follows] = (codes[follows] > 1).sum(axis=1) % classes
    if missing:
        codes[rng.random(codes.shape) < draw(st.sampled_from([0.1, 0.4]))] = -1
    y[:2] = [0, 1]
    codes[0] = np.maximum(codes[0], 0)
    weight = draw(arrays(np.int64, n_rows, elements=st.integers(0, 3))) if weighted else None
    return TreeTable(codes, is_nominal, y, None if weight is None else WEIGHTS[weight])
