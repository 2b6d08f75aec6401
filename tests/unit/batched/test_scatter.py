import numpy as np
import pandas as pd
import pytest

from bestofk.batched import SharedTable, scatter
from bestofk.batched._scatter import share_out, sort_rows
from bestofk.batched.preparation import read_preparation
from bestofk.batched.scatter import (
    CenteredRows,
    ScatterForm,
    are_constants_exact,
    filled_products,
    is_in_doubles,
)
from bestofk.learners.preparation import TablePreparer


def table_of(features: object, *, prepared: bool = False) -> SharedTable:
    y = np.arange(len(features)) % 2  # type: ignore[arg-type]
    front = read_preparation([TablePreparer(standardize=True)], features) if prepared else None
    return SharedTable(features, y, y, np.array([0, 1]), front)


FOLDS = np.array([0, 1, 1, 0, 1], dtype=np.int32)
LEVELS = ["x", "y", None, "y", "y"]
GAPPY = pd.DataFrame({"a": [1.0, np.nan, 3.0, 4.0, 8.0], "b": LEVELS, "c": [5.0] * 5})


class Halves(ScatterForm):
    """Sums of products of a table of two columns and of a constant, by class or together."""

    def __init__(self, table: SharedTable, n_folds: int, *, by_class: bool) -> None:
        super().__init__(None, table, n_folds)
        self.rows = CenteredRows(table)
        values = np.column_stack([self.rows.values, np.ones(table.n_samples)])
        self.multiply(values, 2, table.y if by_class else None)


@pytest.mark.parametrize("cached", [0, 100, 10**6])
@pytest.mark.parametrize("by_class", [False, True])
def test_blocks_hold_the_rows_that_parts_lack_and_the_products_of_the_others(
    monkeypatch: pytest.MonkeyPatch, by_class: bool, cached: int
):
    monkeypatch.setattr(scatter, "_CACHED", cached)
    rng = np.random.default_rng(0)
    table = table_of(rng.normal(size=(40, 2)))
    # folds of many rows, of few and of none; a fold of one class
    folds = np.array([rng.integers(0, 3, 40), np.arange(40) % 2, np.arange(40) // 30], np.int32)
    form = Halves(table, 3, by_class=by_class)
    groups = table.y if by_class else np.zeros(40, dtype=int)
    parts = []
    for here in form.blocks(folds):
        for number, (places, rows) in enumerate(zip(here.places, here.rows, strict=True)):
            part = here.parts.start + number
            repeat, fold = divmod(part, 3)
            own = places[places % 41 < 40] - 41 * repeat
            assert sorted(own) == np.flatnonzero(folds[repeat] == fold).tolist()
            assert np.array_equal(rows, form.values[places % 41])
            for group, products in enumerate(here.products[number]):
                some = form.values[:-1][(folds[repeat] != fold) & (groups == group)]
                assert products == pytest.approx(some.T @ some[:, :2], abs=1e-12)
            parts.append(part)
    assert parts == list(range(9))
    assert not form.values[-1].any()


def test_rows_are_sorted_by_fold_and_group():
    folds = np.array([FOLDS, [2, 0, 2, 0, 0]], dtype=np.int32)
    order = np.full((2, 12), -1)
    begins = np.array([[0, 2], [4, 6], [8, 10]])
    sort_rows(folds, np.array([1, 1, 0, 0, 1]), begins, order)
    assert order.tolist() == [
        [3, -1, 0, -1, 2, -1, 1, 4, -1, -1, -1, -1], [3, -1, 1, 4, -1, -1, -1, -1, 2, -1, 0, -1]
    ]  # fmt: skip


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
    some = filled_products(products[None, ..., :-1], gaps, rows.n_columns)
    assert np.array_equal(some, result[..., :-1])


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


def test_the_first_of_the_largest_shares_is_named():
    shares = np.array([[[1.0, 0.5], [1.0, 1.0], [0.0, 0.5]], [[0.25, 0.0], [0.5, 0.0], [1.0, 1.0]]])
    places = np.array([[2, 0], [1, 3]])
    labels, probabilities = np.full(4, -1), np.full((4, 3), np.nan)
    share_out(shares, places, labels, probabilities)
    assert labels.tolist() == [1, 2, 0, 2]
    expected = [[0.25, 0.5, 0.25], [1 / 7, 2 / 7, 4 / 7], [0.5, 0.5, 0], [0, 0, 1]]
    assert probabilities == pytest.approx(np.array(expected), abs=1e-15)
