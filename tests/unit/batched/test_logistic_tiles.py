from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bestofk.batched import logistic
from bestofk.batched._logistic_kernels import (
    _exponentiate,
    _find_slopes,
    _lay_out,
    _turn_into_errors,
)
from bestofk.batched.lines import zeros_in_lines
from bestofk.batched.logistic_columns import PartColumns
from bestofk.batched.logistic_descent import Descent
from bestofk.batched.logistic_gradient import PartGradients
from bestofk.batched.logistic_reference import Reference, find_reference
from bestofk.batched.logistic_tiles import TiledOptima
from bestofk.testing import check_batched_form


def data(n_rows: int, n_columns: int, n_classes: int, distance: float = 1.0) -> Any:
    """Return columns that end with the intercept's, the classes, and the target's lines."""
    rng = np.random.default_rng(0)
    y = np.arange(n_rows) % n_classes
    centers = distance * rng.normal(size=(n_classes, n_columns))
    X = np.column_stack([rng.normal(size=(n_rows, n_columns)) + centers[y], np.ones(n_rows)])
    wanted = np.arange(n_classes) if n_classes > 2 else np.array([1])
    return X, y, (y == wanted[:, None]) * 1.0


def folds_of(n_rows: int, n_repeats: int, n_folds: int) -> np.ndarray:
    rng = np.random.default_rng(1)
    folds = [rng.permutation(np.arange(n_rows) % n_folds) for _ in range(n_repeats)]
    return np.array(folds, dtype=np.int32)


def given(n_rows: int, n_columns: int, n_classes: int, n_folds: int, distance: float = 1.0) -> Any:
    X, _, target = data(n_rows, n_columns, n_classes, distance)
    ridge = np.append(np.ones(n_columns), 0.0)
    reference = find_reference(X, target, ridge, 1 - 1 / n_folds)
    assert reference is not None
    folds = folds_of(n_rows, 3, n_folds)
    weights = np.random.default_rng(2).uniform(0.9, 1.1, (3, n_folds, n_columns + 1)) * ridge
    return X, target, reference, folds, weights


def descended(X: Any, target: Any, reference: Any, folds: Any, ridge: Any, tolerance: float) -> Any:
    """Return scores of rows left out, by products of numpy."""
    columns = PartColumns(X, ridge, np.empty(0, np.int64), np.empty((*ridge.shape[:2], 0)))
    descent = Descent(
        PartGradients(columns, target, folds), reference.precondition,
        np.tile(reference.optimum, (*ridge.shape[:2], 1)), np.ones(ridge.shape[:2], dtype=bool),
        tolerance, 200, leave_singly=False,
    )  # fmt: skip
    assert descent.is_done.all()
    W = descent.at.reshape(*ridge.shape[:2], len(target), -1)
    scores = np.empty((len(folds), len(target), len(X)))
    for repeat, row in np.ndindex(folds.shape):
        scores[repeat, :, row] = W[repeat, folds[repeat, row]] @ X[row]
    return scores


@pytest.mark.parametrize(
    ("n_rows", "n_columns", "n_classes", "n_folds", "distance"),
    [(90, 3, 2, 10, 1), (128, 4, 4, 2, 1), (300, 7, 3, 5, 1), (300, 5, 2, 2, 4), (257, 2, 5, 3, 4)],
)  # fmt: skip
def test_optima_are_those_of_descent(
    n_rows: int, n_columns: int, n_classes: int, n_folds: int, distance: float
):
    X, target, reference, folds, ridge = given(n_rows, n_columns, n_classes, n_folds, distance)
    tiled = TiledOptima(X, target, reference, 1e-13, 200)
    scores, is_done = tiled.find(folds, ridge, np.ones((3, n_folds), dtype=bool))
    assert is_done.all()
    expected = descended(X, target, reference, folds, ridge, 1e-13)
    if n_classes > 2:  # only differences count
        scores, expected = scores - scores[:, :1], expected - expected[:, :1]
    np.testing.assert_allclose(scores, expected, atol=1e-6)


def test_a_repeat_has_the_same_bits_in_every_block():
    X, target, reference, folds, ridge = given(200, 5, 2, 4)
    tiled, everyone = TiledOptima(X, target, reference, 1e-8, 200), np.ones((3, 4), dtype=bool)
    together, _ = tiled.find(folds, ridge, everyone)
    for repeat in range(3):
        some = slice(repeat, repeat + 1)
        alone, _ = tiled.find(folds[some], ridge[some], everyone[some])
        np.testing.assert_array_equal(alone[0], together[repeat])


def test_parts_that_are_not_wanted_are_not_done_and_change_no_other():
    X, target, reference, folds, ridge = given(150, 3, 3, 3)
    tiled, is_wanted = TiledOptima(X, target, reference, 1e-8, 200), np.ones((3, 3), dtype=bool)
    everything, _ = tiled.find(folds, ridge, is_wanted)
    is_wanted[1, 0] = False
    some, is_done = tiled.find(folds, ridge, is_wanted)
    np.testing.assert_array_equal(is_done, is_wanted)
    is_left = np.zeros(folds.shape, dtype=bool)
    is_left[1] = folds[1] == 0
    assert (some.swapaxes(1, 2)[is_left] == 0).all()
    same = some.swapaxes(1, 2)[~is_left], everything.swapaxes(1, 2)[~is_left]
    np.testing.assert_array_equal(*same)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_search_without_a_way_down_ends_and_says_so(bad: float):
    X, target, reference, folds, ridge = given(100, 3, 2, 2)
    lost = Reference(np.full_like(reference.optimum, bad), reference.inverse)
    with np.errstate(all="ignore"):
        tiled = TiledOptima(X, target, lost, 1e-8, 200)
        _, is_done = tiled.find(folds, ridge, np.ones((3, 2), dtype=bool))
    assert not is_done.any()


def test_a_search_that_needs_more_steps_than_allowed_says_so():
    X, target, reference, folds, ridge = given(100, 3, 2, 2, 4.0)
    tiled = TiledOptima(X, target, reference, 1e-14, 1)
    assert not tiled.find(folds, ridge, np.ones((3, 2), dtype=bool))[1].any()


def test_exponentials_are_those_of_numpy_and_end_at_700():
    x = np.concatenate([np.linspace(-700, 700, 121), [-1e300, 1e300, -0.0, 0.3, 1e-20, 1, 800]])
    values, total = x.copy(), np.ones(128)
    _exponentiate.interpreted(values, np.zeros(128), total)
    expected = np.exp(np.clip(x, -700, 700))
    np.testing.assert_allclose(values, expected, rtol=4e-16)
    np.testing.assert_array_equal(total, 1 + values)
    values = np.full(128, np.nan)
    with np.errstate(invalid="ignore"):
        _exponentiate.interpreted(values, np.zeros(128), total)
    assert np.isnan(values).all()


@pytest.mark.parametrize("n_scores", [1, 3])
def test_errors_are_probabilities_less_truth_also_of_scores_beyond_all_powers(n_scores: int):
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(n_scores, 128)) * np.repeat([1.0, 1e3], 64)
    targets = rng.integers(0, 2, (n_scores, 128)) * 1.0
    room = np.vstack([scores, np.zeros((2, 128))])
    _turn_into_errors.interpreted(room, targets, 5, 70, False)
    odds = scores if n_scores > 1 else np.vstack([np.zeros(128), scores])
    shares = np.exp(odds - odds.max(axis=0))
    shares = (shares / shares.sum(axis=0))[-n_scores:]
    expected = np.where((np.arange(128) < 5) | (np.arange(128) >= 70), shares - targets, 0.0)
    np.testing.assert_allclose(room[:n_scores], expected, atol=1e-15)


@pytest.mark.parametrize(
    "bounds", [(0, 300), (0, 40), (100, 280), (128, 256), (290, 300), (50, 50)]
)
def test_slopes_are_sums_over_rows(bounds: tuple[int, int]):
    X, _, target = data(300, 7, 2)
    tiles = zeros_in_lines(3, 9, 128)
    order = np.random.default_rng(3).permutation(300)
    _lay_out(np.ascontiguousarray(X.T), target, order, tiles)
    weights = np.linspace(-1, 1, 8)
    every = (1 / (1 + np.exp(-X @ weights)) - target[0])[:, None] * X
    is_inside = np.zeros(300, dtype=bool)
    is_inside[order[slice(*bounds)]] = True
    result = np.empty(8)
    for inside in (True, False):
        room = np.zeros((3, 128)), np.zeros((8, 32))
        _find_slopes.interpreted(tiles, *bounds, inside, weights, *room, result)
        expected = every[is_inside if inside else ~is_inside].sum(axis=0)
        np.testing.assert_allclose(result, expected, atol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_form_of_a_large_table_gets_the_probabilities_of_the_optimum(n_classes: int):
    X, y, _ = data(1500, 8, n_classes)
    assert X.size >= logistic._FEWEST_NUMBERS
    estimator = make_pipeline(StandardScaler(), LogisticRegression(tol=1e-8, max_iter=10_000))
    assert check_batched_form(estimator, X[:, :-1], y, cv="1x5", tolerance=1e-4).n_left == 0
