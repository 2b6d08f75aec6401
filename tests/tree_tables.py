"""Strategies for small tables in tests of trees: numbers, levels, missing values, weights."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

NUMBERS = np.array([-2.0, 0.1, 1.0, 1.000004, 1.5, 7.0])  # two of them nearer than C4.5 cuts
MANY_NUMBERS = np.arange(200) * 0.7  # a column of distinct ones is kept as a sorted list
LEVELS = ("a", "b", "c", "d")
WEIGHTS = np.array([0.5, 1.0, 1.5, 3.0])


@dataclass(frozen=True)
class TreeTable:
    """A table, its labels and weights.

    Attributes
    ----------
    codes : ndarray of shape (n_rows, n_columns), int
        Number of a value in `numbers` or of a level; -1 where missing.
    is_nominal : tuple of bool
        Which columns hold levels.
    y : ndarray of shape (n_rows,), int
        Classes 0, 1 and perhaps 2.
    weight : ndarray of shape (n_rows,) or None
        Weights of the rows.
    numbers : ndarray
        Values of the numeric columns, by code.
    """

    codes: np.ndarray
    is_nominal: tuple[bool, ...]
    y: np.ndarray
    weight: np.ndarray | None
    numbers: np.ndarray = field(default_factory=NUMBERS.copy)

    @property
    def frame(self) -> pd.DataFrame:
        return make_frame(self.codes, self.is_nominal, self.numbers)

    @property
    def values(self) -> np.ndarray:
        """Numbers and codes of levels, missing ones nan."""
        values = self.codes.astype(np.float64)
        for a, is_nominal in enumerate(self.is_nominal):
            if not is_nominal:
                values[:, a] = self.numbers[self.codes[:, a]]
        values[self.codes < 0] = np.nan
        return values


def make_frame(
    codes: np.ndarray, is_nominal: tuple[bool, ...], numbers: np.ndarray = NUMBERS
) -> pd.DataFrame:
    """Return codes as a frame of numbers and categories; categories none has are declared too."""
    columns: dict[str, Any] = {}
    for a, nominal in enumerate(is_nominal):
        if nominal:
            columns[f"x{a}"] = pd.Categorical.from_codes(codes[:, a], categories=LEVELS)
        else:
            columns[f"x{a}"] = np.where(codes[:, a] < 0, np.nan, numbers[codes[:, a]])
    return pd.DataFrame(columns)


@st.composite
def tree_tables(
    draw: st.DrawFn,
    *,
    has_missing: bool | None = None,
    has_weight: bool | None = None,
    is_distinct: bool | None = None,
) -> TreeTable:
    """Draw a table of 4 rows and more, 1 to 4 columns, at least two classes."""
    distinct = draw(st.sampled_from([False] * 3 + [True])) if is_distinct is None else is_distinct
    n_rows = draw(st.integers(70, 120) if distinct else st.integers(4, 60))
    n_columns = draw(st.integers(1, 4))
    is_nominal = tuple(draw(st.lists(st.booleans(), min_size=n_columns, max_size=n_columns)))
    missing = draw(st.booleans()) if has_missing is None else has_missing
    weighted = draw(st.booleans()) if has_weight is None else has_weight
    classes = draw(st.integers(2, 3))
    # Few distinct values now and then: such columns are counted, not sorted.
    highest = np.array([3 if nominal else draw(st.sampled_from([1, 5])) for nominal in is_nominal])
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    codes = rng.integers(0, highest + 1, (n_rows, n_columns))
    for a in np.flatnonzero(~np.array(is_nominal)) if distinct else ():
        codes[:, a] = rng.permutation(len(MANY_NUMBERS))[:n_rows]
    y = rng.integers(0, classes, n_rows)
    # A part of the labels follows the first columns, so that trees are more than noise.
    follows = rng.random(n_rows) < draw(st.sampled_from([0.0, 0.6, 1.0]))
    middle = np.where(is_nominal, 1, len(MANY_NUMBERS) // 2 if distinct else 1)
    y[follows] = (codes[follows] > middle).sum(axis=1) % classes
    if missing:
        codes[rng.random(codes.shape) < draw(st.sampled_from([0.1, 0.4]))] = -1
    y[:2] = [0, 1]
    codes[0] = np.maximum(codes[0], 0)
    weight = draw(arrays(np.int64, n_rows, elements=st.integers(0, 3))) if weighted else None
    weights = None if weight is None else WEIGHTS[weight]
    return TreeTable(codes, is_nominal, y, weights, MANY_NUMBERS if distinct else NUMBERS)
