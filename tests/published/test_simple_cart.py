"""Unpruned trees of Weka 3.6.14's SimpleCart (options ``-U -M``), grown again.

`simple_cart.csv` holds what Weka recorded: leaves, wrong rows and the summed probability of the
true class, of the tree of all rows on these rows, and of trees without the rows of a fold (row i
is in fold i mod 10) on that fold.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.given import data_folder
from tests.published.j48_cases import Given, with_values

from bestofk.data.arff_file import read_arff
from bestofk.trees import CARTClassifier
from bestofk.trees.simple_cart import _quick_sort

RECORDED = pd.read_csv(Path(__file__).with_name("simple_cart.csv"))
CASES = sorted(set(RECORDED[["data", "min_rows"]].itertuples(index=False, name=None)))


def rows_of(name):
    columns = list(read_arff(data_folder() / name, name).columns.items())
    target = columns[-1][1]
    has_class = target.notna().to_numpy()
    X = pd.DataFrame(dict(columns[:-1]))[has_class].reset_index(drop=True)
    return Given(X, target.cat.codes.to_numpy()[has_class], len(target.cat.categories))


@pytest.mark.parametrize(("data", "min_rows"), CASES)
def test_unpruned_trees_equal_those_of_simple_cart(data, min_rows):
    given = rows_of(data)
    parts = {"all": (given, given)}
    parts |= {str(k): folds for k, folds in enumerate(given.folds())}
    recorded = RECORDED[(RECORDED["data"] == data) & (RECORDED["min_rows"] == min_rows)]
    assert set(recorded["fold"]) == set(parts)
    for record in recorded.itertuples():
        train, test = with_values(*parts[record.fold])
        learner = CARTClassifier(
            flavor="simplecart",
            pruning=None,
            min_samples_leaf=min_rows,
            one_standard_error=False,
            classes=tuple(range(given.n_classes)),
        ).fit(train.X, train.y)
        shares = learner.predict_proba(test.X)
        measured = learner.get_n_leaves(), int((shares.argmax(axis=1) != test.y).sum())
        assert measured == (record.leaves, record.errors), record
        true_share = shares[np.arange(len(test.y)), test.y].sum()
        assert true_share == pytest.approx(record.sum_p_true, abs=1e-3), record


def test_equal_values_stand_in_the_order_of_wekas_quicksort():
    largest = np.finfo(float).max  # Weka's place of missing values
    mixed = np.array([3, 1, 2, 2, 1, 3, 2, largest, 1, 2, largest, 3, 1, 2], dtype=float)
    assert _quick_sort(mixed).tolist() == [12, 1, 4, 8, 9, 6, 13, 2, 3, 0, 5, 11, 10, 7]
    assert _quick_sort(np.full(9, 5.0)).tolist() == [0, 6, 5, 7, 4, 2, 1, 3, 8]


@pytest.mark.parametrize("n_values", [0, 1, 2, 3, 4, 5, 100])
def test_the_quicksort_sorts(n_values):
    values = np.random.default_rng(n_values).integers(0, 10, n_values).astype(float)
    order = _quick_sort(values)
    assert sorted(order.tolist()) == list(range(n_values))
    assert np.all(np.diff(values[order]) >= 0)
