from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bestofk.batched import SharedTable
from bestofk.batched._probability_kernels import divide_by_sum, find_best
from bestofk.batched._scatter_kernels import add_rows
from bestofk.batched.preparation import read_preparation
from bestofk.batched.scatter import (
    CenteredRows,
    are_constants_exact,
    block_size,
    cross_products,
    filled_products,
    filled_sums,
    is_in_doubles,
    runs_of_parts,
    sorted_by_cell,
)
from bestofk.learners.preparation import TablePreparer


def table_of(features: object, *, prepared: bool = False) -> SharedTable:
    y = np.arange(len(features)) % 2  # type: ignore[arg-type]
    front = read_preparation([TablePreparer(standardize=True)], features) if prepared else None
    return SharedTable(features, y, y, np.array([0, 1]), front)


FOLDS = np.array([0, 1, 1, 0, 1], dtype=np.int32)
GAPPY = pd.DataFrame(
    {"a": [1.0, np.nan, 3.0, 4.0, 8.0], "b": ["x", "y", None, "y", "y"], "c": [5.0] * 5}
)


def test_rows_are_sorted_by_fold_and_group_in_every_repeat():
    folds = np.array([FOLDS, [2, 0, 2, 0, 0]], dtype=np.int32)
    order, bounds = sorted_by_cell(folds, 3, np.zeros(5, dtype=np.int64), 1)
    assert order.tolist() == [0, 3, 1, 2, 4, 1, 3, 4, 0, 2]
    assert bounds.tolist() == [0, 2, 5, 5, 8, 8, 10]
    order, bounds = sorted_by_cell(folds[:1], 2, np.array([1, 1, 0, 0, 1]), 2)
    assert order.tolist() == [3, 0, 2, 1, 4]
    assert bounds.tolist() == [0, 1, 2, 3, 5]


def test_as_many_parts_are_done_at_once_as_fit():
    edges = np.array([0, 2, 5, 5, 8, 30, 31])
    results = list(runs_of_parts(edges, 6, 10))
    assert [(run.start, run.stop) for run in results] == [(0, 3), (3, 4), (4, 5), (5, 6)]
    results = list(runs_of_parts(edges, 100, 4))
    assert [(run.start, run.stop) for run in results] == [(0, 4), (4, 6)]
    assert len(list(runs_of_parts(edges, 0, 0))) == 6


@pytest.mark.parametrize("n_columns", [1, 3, 8, 17, 29, 40])
def test_products_are_those_of_the_rows_of_each_cell(n_columns: int):
    values = np.random.default_rng(0).normal(size=(75, n_columns))
    products = np.full((3, n_columns, n_columns), np.nan)
    cross_products(values, np.array([0, 2, 2, 75]), products)
    expected = [np.einsum("ki,kj->ij", part, part) for part in (values[:2], values[:0], values[2:])]
    assert products == pytest.approx(np.stack(expected), abs=1e-12)
    assert np.array_equal(products, np.swapaxes(products, 1, 2))


def test_filled_products_are_those_of_filled_rows():
    rows = CenteredRows(table_of(GAPPY, prepared=True))
    fill = rows.fill(FOLDS[None], 2)
    assert fill is not None
    gaps = rows.spread_fill(fill)
    values = np.column_stack([rows.values, np.ones(5)])
    products = np.stack([values[fold != FOLDS].T @ values[fold != FOLDS] for fold in range(2)])
    result = filled_products(products[None], gaps, rows.n_columns)
    for fold in range(2):
        part = values[fold != FOLDS]
        columns = part[:, : rows.n_columns] + part[:, rows.n_columns : -1] @ gaps[0, fold]
        whole = np.column_stack([columns, np.ones(len(part))])
        assert result[0, fold] == pytest.approx(whole.T @ whole, abs=1e-13)
        sums = filled_sums(part[:, :-1].sum(axis=0)[None], gaps[0, fold], rows.n_columns)
        assert sums == pytest.approx(columns.sum(axis=0)[None], abs=1e-13)


def test_scaled_and_filled_rows_are_those_of_the_pipeline():
    table = table_of(GAPPY, prepared=True)
    rows = CenteredRows(table)
    fill, scales = rows.fill(FOLDS[None], 2), rows.scales(FOLDS[None], 2)
    assert fill is not None
    for fold in range(2):
        part = GAPPY[fold != FOLDS]
        expected = TablePreparer(standardize=True).fit(part).transform(part)
        gaps = rows.spread_fill(fill)[0, fold]
        values = rows.values[:, : rows.n_columns] + rows.values[:, rows.n_columns :] @ gaps
        there = scales[0, fold] > 0
        result = (values * scales[0, fold])[fold != FOLDS][:, there]
        assert result - result[0] == pytest.approx(expected - expected[0], abs=1e-12)


def test_columns_have_units_in_which_sums_keep_digits():
    X = np.column_stack([[1e6, 1e6 + 1, 1e6 + 2, 1e6 + 3, 1e6 + 4], [0, 1, 1, 0, 0], [7.0] * 5])
    rows = CenteredRows(table_of(X))
    assert rows.is_binary.tolist() == [False, True, False]
    assert rows.values[:, 0] == pytest.approx(np.arange(-2, 3) / np.sqrt(2))
    assert rows.values[:, 1].tolist() == [0, 1, 1, 0, 0]
    assert rows.values[:, 2].tolist() == [0] * 5
    assert not rows.has_missing


def test_equal_numbers_are_exact_where_their_mean_is():
    column = np.arange(5.0)
    assert are_constants_exact(table_of(np.column_stack([column, [2.5] * 5])))
    assert not are_constants_exact(table_of(np.column_stack([column, [0.1] * 5])))


def test_columns_flat_within_classes_are_sure_where_their_means_are_exact():
    X = np.column_stack([np.arange(5.0), np.full(5, 0.3), [0, 1, 0, 1, 0]])
    assert CenteredRows(table_of(X)).is_surely_flat(X).tolist() == [True, False, True]


@pytest.mark.parametrize(
    ("features", "is_shared"),
    [
        (np.ones((4, 2)), True),
        (np.ones((4, 2), dtype=int), True),
        (np.ones((4, 2), dtype=np.float32), False),
        (pd.DataFrame({"a": np.ones(4), "b": np.ones(4, dtype=np.float16)}), False),
        (np.array([["a"], ["b"]]), False),
        (np.full((4, 2), np.inf), False),
        (np.empty((4, 0)), False),
    ],
)
def test_only_tables_in_double_precision_are_shared(features: object, is_shared: bool):
    assert is_in_doubles(table_of(features)) is is_shared


def test_a_preparer_makes_double_precision_of_all():
    table = table_of(np.arange(8, dtype=np.float32).reshape(4, 2), prepared=True)
    assert is_in_doubles(table)


def test_blocks_hold_one_repeat_at_least():
    assert block_size(10**9, 7) == 1
    assert block_size(1, 7) == 7
    assert block_size(100_000, 7) == 5


def test_rows_of_each_cell_are_added_up():
    rows, bounds = np.random.default_rng(0).normal(size=(12, 5)), np.array([0, 9, 9, 12])
    result = np.full((2, 3, 5), np.nan)
    add_rows.interpreted(rows, bounds, result[0])
    add_rows.compiled(rows, bounds, result[1])
    assert np.array_equal(result[0], result[1])
    expected = [part.sum(axis=0) for part in (rows[:9], rows[:0], rows[9:])]
    assert result[0] == pytest.approx(np.stack(expected), abs=1e-14)


@pytest.mark.parametrize("way", ["interpreted", "compiled"])
def test_the_first_of_the_best_classes_is_named_and_absent_ones_have_no_share(way: str):
    scores = np.array([[1.0, 3.0, 0.0], [2.0, 2.0, 0.0], [9.0, 9.0, -1.0]])  # class after class
    intercepts = np.array([[0.0, 1.0, -np.inf], [0.0, 0.0, 0.0]])
    bounds, order = np.array([0, 2, 3]), np.array([2, 0, 1])
    labels, shares = np.full(3, -1), np.full((3, 3), np.nan)
    getattr(find_best, way)(scores, intercepts, bounds, order, labels)
    assert labels.tolist() == [0, 0, 1]
    assert scores.tolist() == [[-2, 0, 0], [0, 0, 0], [-np.inf, -np.inf, -1]]
    getattr(divide_by_sum, way)(np.exp(scores), order, shares)
    expected = np.exp(scores.T) / np.exp(scores.T).sum(axis=1, keepdims=True)
    assert shares[order] == pytest.approx(expected, abs=1e-15)
