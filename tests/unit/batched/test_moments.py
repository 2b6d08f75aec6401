"""Moments of parts against numpy on the training rows of each part."""

import numpy as np
import pandas as pd
import pytest
from tests.unit.batched.made_subsets import drawn_folds as folds_of
from tests.unit.batched.made_subsets import made_subsets

from bestofk.batched import SharedTable
from bestofk.batched._moments import add_rows, weighted_squares
from bestofk.batched.moments import ClassMoments, is_summable, normalize_logs
from bestofk.batched.preparation import read_preparation
from bestofk.learners import TablePreparer


def table_of(X, y, preparer=None):
    preparation = None if preparer is None else read_preparation([preparer], X)
    return SharedTable(X, y, y, np.unique(y), preparation)


def assert_moments_are_those_of_numpy(table, rtol=1e-11, n_lost=0):
    """Compare both kinds of parts: all rows but a fold, and the same rows as a subset."""
    folds = folds_of(table.n_samples, 2, 3)
    train = [np.flatnonzero(folds[part // 3] != part % 3) for part in range(6)]
    moments, results = ClassMoments(table), []
    for rows in train:
        results += [(block, 0, rows) for block in moments.of_subsets(made_subsets([rows], [[0]]))]
    if moments.is_additive:
        (block,) = moments.of_folds(folds, 3)
        assert block.is_lost.sum() == n_lost
        results += [(block, part, train[part]) for part in np.flatnonzero(~block.is_lost)]
    for block, part, rows in results:
        matrix, y = table.encoded.matrix.copy(), table.y
        if table.has_missing:
            parts = made_subsets([rows], [[0]]).parts(table)
            gaps = table.encoded.gaps
            matrix[gaps] = parts.fill[0, 0, gaps[1]]
            np.testing.assert_array_equal(block.matrix, matrix)
        spread = matrix.std(axis=0).max() ** 2
        for code in range(table.n_classes):
            own = matrix[rows[y[rows] == code]]
            assert block.counts[part, code] == len(own)
            if len(own) == 0:
                assert not block.means[part, code].any()
                continue
            np.testing.assert_allclose(block.means[part, code], own.mean(axis=0), rtol=1e-13)
            atol = 1e-20 * spread
            np.testing.assert_allclose(
                block.variances[part, code], own.var(axis=0), rtol=rtol, atol=atol
            )
        total = matrix[rows].var(axis=0)
        np.testing.assert_allclose(block.total_variances()[part], total, rtol=1e-10, atol=1e-13)


def test_moments_of_plain_numbers_are_those_of_numpy():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 60)
    assert_moments_are_those_of_numpy(table_of(rng.normal(size=(60, 5)) + y[:, None], y))


def test_column_far_from_zero_and_rare_values_keep_their_digits():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 60)
    X = np.column_stack([rng.normal(size=60) + 1e6, np.full(60, 0.1), np.full(60, 0.7), y * 0.3])
    X[0, 1], X[1, 2] = 5e4, 0.7 + 1e-9  # all the variance of a class in one row
    assert_moments_are_those_of_numpy(table_of(X, y), n_lost=3)


def test_class_with_one_training_row_has_no_variance():
    X, y = np.array([[0.1], [0.7], [0.3], [0.4]]), np.array([0, 0, 1, 1])
    (block,) = ClassMoments(table_of(X, y)).of_subsets(made_subsets([[1, 3], [0, 2]], [[], []]))
    np.testing.assert_array_equal(block.variances, 0)
    np.testing.assert_array_equal(block.means[..., 0], [[0.7, 0.4], [0.1, 0.3]])


def test_missing_values_count_as_what_fills_them():
    rng = np.random.default_rng(2)
    X = pd.DataFrame({"a": rng.normal(size=40) + 50, "b": list("uvwx") * 10, "c": range(40)})
    X.loc[::7, "a"] = np.nan
    X.loc[3::9, "b"] = None
    table = table_of(X, rng.integers(0, 2, 40), TablePreparer(standardize=True))
    assert_moments_are_those_of_numpy(table)


def test_long_lists_of_parts_are_cut_into_blocks_that_change_nothing(monkeypatch):
    rng = np.random.default_rng(3)
    table = table_of(rng.normal(size=(30, 3)), rng.integers(0, 2, 30))
    folds, subsets = folds_of(30, 5, 3), made_subsets(np.arange(30).reshape(5, 6), [[0]] * 5)
    moments = ClassMoments(table)
    wholes = next(moments.of_folds(folds, 3)), next(moments.of_subsets(subsets))
    monkeypatch.setattr("bestofk.batched.moments._BLOCK", 60)
    both = list(moments.of_folds(folds, 3)), list(moments.of_subsets(subsets))
    assert [block.parts for block in both[0]] == [slice(0, 6), slice(6, 12), slice(12, 15)]
    assert [len(blocks) for blocks in both] == [3, 1]
    for whole, blocks in zip(wholes, both, strict=True):
        variances = np.concatenate([block.variances for block in blocks])
        np.testing.assert_array_equal(variances, whole.variances)


@pytest.mark.parametrize(("n_samples", "n_columns"), [(0, 2), (1, 1), (9, 4), (60, 7)])
def test_loops_are_those_of_numpy(n_samples, n_columns):
    rng = np.random.default_rng(0)
    X, center = rng.normal(size=(12, n_columns)), rng.normal(size=(3, n_columns))
    rows, groups = rng.integers(0, 12, n_samples), rng.integers(0, 3, n_samples)
    sums, squares = np.ones((2, 3, n_columns))
    add_rows(X, rows, groups, center, sums, squares)
    expected = np.ones((2, 3, n_columns))
    for row, group in zip(rows, groups, strict=True):
        expected[:, group] += X[row] - center[group], (X[row] - center[group]) ** 2
    np.testing.assert_array_equal([sums, squares], expected)
    means, weights = rng.normal(size=(2, 3, 2, n_columns))
    result = np.full((n_samples, 2), np.nan)
    weighted_squares(X, rows, groups, means, weights, result)
    expected = ((X[rows][:, None] - means[groups]) ** 2 * weights[groups]).sum(axis=2)
    np.testing.assert_allclose(result, expected, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize(
    ("X", "is_taken"),
    [
        (np.ones((4, 2)), True),
        (np.ones((4, 2), dtype=np.int64), True),
        (np.ones((4, 2), dtype=np.float32), False),
        (np.array([[1.0], [np.inf], [2.0], [3.0]]), False),
        (np.array([[1.0], [np.nan], [2.0], [3.0]]), False),
        (pd.DataFrame({"a": list("uvuv")}), False),
        (pd.DataFrame({"a": np.ones(4, dtype=np.float32)}), False),
    ],
)
def test_only_finite_numbers_in_double_precision_are_taken_unprepared(X, is_taken):
    assert is_summable(table_of(X, np.array([0, 1, 0, 1]))) == is_taken


def test_logarithms_become_shares_that_sum_to_1():
    logs = np.array([[0.0, np.log(0.5), -np.inf], [-800.0, 0.0, 0.0]])
    normalize_logs(logs)
    np.testing.assert_allclose(logs, [[2 / 3, 1 / 3, 0], [0, 0.5, 0.5]], rtol=1e-15, atol=1e-300)
