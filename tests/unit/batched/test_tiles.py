"""Rows that are laid side by side are the rows, and are multiplied there, whatever does it."""

import numpy as np
import pytest

from bestofk.batched._linear_kernels import score_lines
from bestofk.batched._tile_kernels import LANES, lay_side_by_side


@pytest.mark.parametrize(("n_rows", "n_columns"), [(1, 1), (7, 9), (8, 8), (21, 20), (32, 3)])
@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_rows_become_columns_and_nothing_else_changes(n_rows: int, n_columns: int, kind: type):
    rng = np.random.default_rng(0)
    wide, order = rng.normal(size=(40, n_columns + 2)), rng.permutation(40).astype(kind)
    X = wide[:, 1:-1]
    expected = np.full((n_columns + 4, 32), np.nan)
    expected[2:-2, :n_rows] = X[order[5 : 5 + n_rows]].T
    for way in (lay_side_by_side.interpreted, lay_side_by_side.compiled):
        tile = np.full_like(expected, np.nan)
        way(order, 5, n_rows, X, tile[2:-2])
        np.testing.assert_array_equal(tile, expected)


@pytest.mark.parametrize(("n_rows", "n_columns", "n_classes"), [(70, 9, 3), (40, 1, 4), (33, 8, 5)])
def test_scores_of_every_part_are_products(n_rows: int, n_columns: int, n_classes: int):
    rng = np.random.default_rng(0)
    rows, bounds = rng.normal(size=(n_rows, n_columns)), np.array([0, 0, 33, n_rows])
    factors = np.zeros((3, n_columns, -(-n_classes // 4) * 4))
    factors[..., :n_classes] = rng.normal(size=(3, n_columns, n_classes))
    result = np.full((2, n_classes, n_rows), np.nan)
    for way, scores in zip((score_lines.interpreted, score_lines.compiled), result, strict=True):
        tile = np.zeros((n_columns + factors.shape[2], LANES))
        way(rows, bounds, factors, tile, scores)
    part = np.repeat(np.arange(3), np.diff(bounds))
    expected = np.einsum("ni,nic->cn", rows, factors[part][..., :n_classes])
    assert result[0] == pytest.approx(expected)
    assert np.array_equal(result[0], result[1])
