"""Rows that are laid side by side are the rows."""

import numpy as np
import pytest

from bestofk.batched._cell_kernels import _lay_side_by_side


@pytest.mark.parametrize(("n_rows", "n_columns"), [(1, 1), (7, 9), (8, 8), (21, 20), (32, 3)])
@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_rows_become_columns_and_nothing_else_changes(n_rows: int, n_columns: int, kind: type):
    rng = np.random.default_rng(0)
    wide, order = rng.normal(size=(40, n_columns + 2)), rng.permutation(40).astype(kind)
    X = wide[:, 1:-1]
    expected = np.full((n_columns + 4, 32), np.nan)
    expected[2:-2, :n_rows] = X[order[5 : 5 + n_rows]].T
    for way in (_lay_side_by_side.interpreted, _lay_side_by_side.compiled):
        tile = np.full_like(expected, np.nan)
        way(order, 5, n_rows, X, tile[2:-2])
        np.testing.assert_array_equal(tile, expected)
