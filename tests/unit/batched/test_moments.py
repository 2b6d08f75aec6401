"""Moments of parts against numpy on the training rows of each part."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bestofk.batched import SharedTable
from bestofk.batched._cell_kernels import _add_cells, _sort_into_cells
from bestofk.batched._moment_kernels import (
    _join_classes,
    _moments_of_part,
    _normalize,
    _subtract_folds,
)
from bestofk.batched.moments import ClassMoments, is_summable
from bestofk.batched.preparation import read_preparation
from bestofk.learners import TablePreparer


def table_of(X, y, preparer=None):
    preparation = None if preparer is None else read_preparation([preparer], X)
    return SharedTable(X, y, y, np.unique(y), preparation)


def random_folds(n_repeats, n_samples, n_folds, seed=0):
    rng = np.random.default_rng(seed)
    rows = [rng.permutation(np.arange(n_samples) % n_folds) for _ in range(n_repeats)]
    return np.array(rows, dtype=np.int32)


def assert_moments_are_those_of_numpy(table, n_folds=3, rtol=1e-11):
    folds = random_folds(2, table.n_samples, n_folds)
    (block,) = ClassMoments(table, n_folds).blocks(folds)
    width = table.n_columns
    within, total = block.joined()
    for repeat in range(2):
        for fold in range(n_folds):
            is_train = folds[repeat] != fold
            matrix = table.encoded.matrix.copy()
            if table.has_missing:
                rows, indices = np.nonzero(table.encoded.is_missing)
                matrix[rows, indices] = block.parts.fill[repeat, fold, indices]
            spread = matrix.std(axis=0).max() ** 2
            sums = 0
            for index in range(table.n_classes):
                rows = matrix[is_train & (table.y == index)]
                result = block.means[repeat, fold, index], block.variances[repeat, fold, index]
                assert block.counts[repeat, fold, index] == len(rows)
                if len(rows) == 0:
                    continue
                np.testing.assert_allclose(result[0][:width], rows.mean(axis=0), rtol=1e-13)
                np.testing.assert_allclose(
                    result[1][:width], rows.var(axis=0), rtol=rtol, atol=1e-20 * spread
                )
                sums += rows.var(axis=0) * len(rows)
            rows = matrix[is_train]
            np.testing.assert_allclose(total[repeat, fold, :width], rows.var(axis=0), atol=1e-13)
            np.testing.assert_allclose(within[repeat, fold, :width], sums / len(rows), atol=1e-13)


def test_moments_of_plain_numbers_are_those_of_numpy():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 60)
    assert_moments_are_those_of_numpy(table_of(rng.normal(size=(60, 5)) + y[:, None], y))


def test_column_far_from_zero_and_rare_values_keep_their_digits():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 60)
    X = np.column_stack([rng.normal(size=60) + 1e6, np.full(60, 0.1), np.full(60, 0.7), y * 0.3])
    X[0, 1], X[1, 2] = 5e4, 0.7 + 1e-9  # all the variance of a class in one row
    assert_moments_are_those_of_numpy(table_of(X, y))


def test_class_with_one_training_row_has_no_variance():
    X, y = np.array([[0.1], [0.7], [0.3], [0.4]]), np.array([0, 0, 1, 1])
    (block,) = ClassMoments(table_of(X, y), 2).blocks(np.array([[0, 1, 0, 1]], dtype=np.int32))
    np.testing.assert_array_equal(block.variances, 0)
    np.testing.assert_array_equal(block.means[0, :, :, 0], [[0.7, 0.4], [0.1, 0.3]])


def test_missing_values_count_as_what_fills_them():
    rng = np.random.default_rng(2)
    X = pd.DataFrame({"a": rng.normal(size=40) + 50, "b": list("uvwx") * 10, "c": range(40)})
    X.loc[::7, "a"] = np.nan
    X.loc[3::9, "b"] = None
    assert_moments_are_those_of_numpy(
        table_of(X, rng.integers(0, 2, 40), TablePreparer(standardize=True))
    )


def test_long_list_of_repeats_is_cut_into_blocks_that_change_nothing(monkeypatch):
    rng = np.random.default_rng(3)
    table = table_of(rng.normal(size=(30, 3)), rng.integers(0, 2, 30))
    folds = random_folds(5, 30, 3)
    (whole,) = ClassMoments(table, 3).blocks(folds)
    monkeypatch.setattr("bestofk.batched.moments._BLOCK", 60)
    blocks = list(ClassMoments(table, 3).blocks(folds))
    assert [block.repeats for block in blocks] == [slice(0, 2), slice(2, 4), slice(4, 5)]
    np.testing.assert_array_equal(np.concatenate([b.variances for b in blocks]), whole.variances)


@pytest.mark.parametrize(("n_samples", "chunk"), [(1, 1), (10, 4), (10, 10)])
def test_rows_are_sorted_by_fold_and_class_in_every_chunk(n_samples, chunk):
    folds, y = random_folds(2, n_samples, 3), np.arange(n_samples) % 2
    order = np.empty(folds.shape, dtype=np.int32)
    bounds = np.empty((2, -(-n_samples // chunk), 7), dtype=np.int64)
    _sort_into_cells(folds, y, 2, chunk, np.empty(6, dtype=np.int64), order, bounds)
    for repeat in range(2):
        for number, start in enumerate(range(0, n_samples, chunk)):
            rows = np.arange(start, min(start + chunk, n_samples))
            cells = 2 * folds[repeat, rows] + y[rows]
            results = [
                order[repeat, begin:end].tolist()
                for begin, end in itertools.pairwise(bounds[repeat, number])
            ]
            assert results == [rows[cells == cell].tolist() for cell in range(6)]


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 20), st.integers(1, 3))
def test_loops_give_the_same_compiled_and_not(seed, n_samples, n_classes):
    rng = np.random.default_rng(seed)
    y, X = rng.integers(0, n_classes, n_samples), rng.normal(size=(n_samples, 4))
    folds = rng.integers(0, 2, (2, n_samples)).astype(np.int32)
    results = []
    for is_compiled in (True, False):
        sort, add, subtract, join, anew = (
            kernel if is_compiled else kernel.py_func
            for kernel in (
                _sort_into_cells, _add_cells, _subtract_folds, _join_classes, _moments_of_part,
            )
        )  # fmt: skip
        shape = (2, 2, n_classes, 4)
        counts = np.empty(shape[:3], dtype=np.int64)
        counts[...] = np.bincount(y, minlength=n_classes)
        sums, deviations, is_lost = np.zeros(shape), np.zeros(shape), np.zeros((2, 2), dtype=bool)
        order = np.empty(folds.shape, dtype=np.int32)
        bounds = np.empty((2, -(-n_samples // 7), 2 * n_classes + 1), dtype=np.int64)
        sort(folds, y, n_classes, 7, np.empty(2 * n_classes, dtype=np.int64), order, bounds)
        padded = np.concatenate([X, np.zeros((1, 4))])
        add(order, bounds, padded, (padded**2).sum(axis=1), counts, sums, deviations)
        all_sums = np.array([X[y == c].sum(axis=0) for c in range(n_classes)])
        all_squares = np.array([(X[y == c] ** 2).sum(axis=0) for c in range(n_classes)])
        subtract(
            counts, all_sums, all_squares, np.zeros_like(all_sums), np.ones(4, dtype=bool), sums,
            deviations, is_lost,
        )  # fmt: skip
        within, total = np.empty((2, 2, 4)), np.empty((2, 2, 4))
        join(counts, sums, deviations, within, total)
        means, variances = np.empty((n_classes, 4)), np.empty((n_classes, 4))
        anew(X, y, folds[0], 1, means, variances)
        results.append((order, bounds, counts, sums, deviations, within, total, means, variances))
    for compiled, plain in zip(*results, strict=True):
        np.testing.assert_allclose(compiled, plain, rtol=1e-13, atol=1e-13)


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


def test_shares_are_normalized_alike_compiled_and_not_for_two_classes_and_more():
    shares = np.random.default_rng(0).random((2, 30, 2))
    shares[0, 0] = 1.0, 0.0
    more = np.concatenate([shares, np.zeros((2, 30, 1))], axis=2)
    expected = shares / shares.sum(axis=2, keepdims=True)
    for way in ("compiled", "interpreted"):
        result, among = shares.copy(), more.copy()
        getattr(_normalize, way)(result)
        getattr(_normalize, way)(among)
        np.testing.assert_allclose(result, expected, rtol=1e-15)
        np.testing.assert_array_equal(among[..., :2], result)
