"""Compiled loops of trees: the same results as in Python, within the bounds of arrays.

Every loop that a fit or a prediction calls is run twice, compiled and as Python, on copies of the
same arguments; what it returns and what it overwrites must agree. As Python, an index outside of
an array or below 0 is an error (compiled it would be silent).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from bestofk.trees import (
    C45Classifier,
    CARTClassifier,
    HellingerTreeClassifier,
    ID3Classifier,
    _dividing_kernels,
    _grouping_kernels,
    _kernels,
    _part_kernels,
    _prediction_kernels,
    _pruning_kernels,
)
from bestofk.trees.base import TreeClassifier

MODULES = (
    _kernels, _dividing_kernels, _grouping_kernels, _part_kernels, _prediction_kernels,
    _pruning_kernels,
)  # fmt: skip
ORIGINAL: dict[ModuleType, dict[str, Any]] = {
    module: {name: loop for name, loop in vars(module).items() if hasattr(loop, "py_func")}
    for module in MODULES
}
CALLED: set[str] = set()


class Bounded(np.ndarray):
    """An array that has no index below 0."""

    def __getitem__(self, key: Any) -> Any:
        refuse_below_0(key)
        return super().__getitem__(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        refuse_below_0(key)
        super().__setitem__(key, value)


def refuse_below_0(key: Any) -> None:
    for item in key if isinstance(key, tuple) else (key,):
        if not isinstance(item, slice) and (item < 0 if np.isscalar(item) else np.min(item) < 0):
            raise IndexError(f"index {key} is below 0")


def mapped(value: Any, change: Callable[[np.ndarray], np.ndarray]) -> Any:
    if isinstance(value, tuple):
        return tuple(mapped(item, change) for item in value)
    return change(value) if isinstance(value, np.ndarray) else value


def assert_alike(first: Any, other: Any) -> None:
    if isinstance(first, tuple):
        for left, right in zip(first, other, strict=True):
            assert_alike(left, right)
    elif first is not None:
        assert np.asarray(first).tobytes() == np.asarray(other).tobytes()


@contextmanager
def loops_as(change: Callable[[str, Any], Any]) -> Iterator[None]:
    """Replace every loop, in the modules of loops, for a while."""
    kept = [(module, name, vars(module)[name]) for module in MODULES for name in ORIGINAL[module]]
    for module in MODULES:
        for name, loop in ORIGINAL[module].items():
            setattr(module, name, change(name, loop))
    try:
        yield
    finally:
        for module, name, loop in kept:
            setattr(module, name, loop)


def as_python(name: str, loop: Any) -> Callable[..., Any]:
    def run(*arguments: Any) -> Any:
        CALLED.add(name)
        return loop.py_func(*arguments)

    return run


def twice(name: str, loop: Any) -> Callable[..., Any]:
    """Return a loop that runs as Python and compiled, with all that it calls, and compares."""

    def run(*arguments: Any) -> Any:
        plain = mapped(arguments, lambda array: array.copy(order="K").view(Bounded))
        with loops_as(as_python), np.errstate(all="ignore"):
            returned = as_python(name, loop)(*plain)
        with loops_as(lambda _, original: original):
            result = loop.compiled(*arguments)
        assert_alike(returned, result)
        assert_alike(plain, arguments)
        return result

    return run


@pytest.fixture
def _loops_run_twice() -> Iterator[None]:
    with loops_as(twice):
        yield


def table(kind: str) -> tuple[pd.DataFrame, np.ndarray, np.ndarray | None]:
    """Return 80 rows of 3 classes: distinct numbers, few numbers, levels, a constant."""
    rng = np.random.default_rng(7)
    few, level = rng.integers(0, 3, 80), rng.integers(0, 12, 80)
    real = rng.normal(size=80).round(2)
    y = (few + (real > 0) + (level == 3) + (rng.random(80) < 0.2)) % 3
    X = pd.DataFrame({"real": real, "few": few.astype(float), "same": 1.0})
    if kind != "numbers":
        X["level"] = pd.Categorical.from_codes(level, categories=list("abcdefghijkl"))
        X["two"] = pd.Categorical.from_codes(level % 2, categories=["x", "y"])
    if kind == "gaps":
        for name in X:
            X[name] = X[name].mask(rng.random(80) < 0.2)
    return X, y, rng.choice([0.5, 1.0, 2.0], 80) if kind == "weights" else None


LEARNERS = [
    C45Classifier(min_samples_leaf=1, mdl_correction=False),
    C45Classifier(nominal_splits="binary", missing_values="most-frequent-in-class", confidence=0.1),
    C45Classifier(flavor="r8", collapse=False),
    ID3Classifier(),
    CARTClassifier(pruning=None),
    CARTClassifier(pruning=None, criterion="entropy"),
    HellingerTreeClassifier(),
    HellingerTreeClassifier(nominal_splits="multiway"),
    C45Classifier(flavor="r8", nominal_splits="group"),
]


@pytest.mark.usefixtures("_loops_run_twice")
@pytest.mark.parametrize("kind", ["numbers", "levels", "weights", "gaps"])
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: repr(learner)[:40])
def test_a_compiled_loop_does_what_its_text_says(learner: TreeClassifier, kind: str) -> None:
    X, y, weight = table(kind)
    learner = clone(learner).fit(X, y, weight)
    assert learner.get_depth() >= 1
    asked = X.mask(np.random.default_rng(1).random(X.shape) < 0.3)
    learner.predict_proba(asked)
    learner.apply(asked)


@pytest.mark.usefixtures("_loops_run_twice")
def test_no_loop_is_left_out():
    CALLED.clear()
    for number, kind in [(0, "numbers"), (0, "gaps"), (1, "gaps"), (4, "levels"), (8, "levels")]:
        X, y, weight = table(kind)
        clone(LEARNERS[number]).fit(X, y, weight).predict_proba(X)
    # Rows 0, 1, 2 hold the ranks 2, 1, 0; rows 0 and 2 are kept.
    keys = np.array([[0 << 32 | 2, 1 << 32 | 1, 2 << 32 | 0]])
    out = np.zeros((1, 2), np.int64)
    _part_kernels._take_keys(keys, np.array([0, -1, 1], np.int32), out)
    assert out.tolist() == [[0 << 32 | 1, 2 << 32 | 0]]
    # Part 0 has rows 0 and 2, part 1 has row 2 alone.
    dealt = np.zeros((1, 3), np.int64)
    row_start, part, index = np.array([0, 1, 1, 3]), np.array([0, 0, 1]), np.array([0, 1, 2])
    _part_kernels._deal_keys(keys, row_start, part, index, np.array([0, 2, 3]), dealt)
    assert dealt.tolist() == [[0 << 32 | 1, 2 << 32 | 0, 0 << 32 | 2]]
    column, limit, result = np.array([3.0, 9.0, 5.0]), np.array([4.0, 5.0, 5.0]), np.empty(3)
    rows, starts, of_part = np.array([0, 2, 2]), np.array([0, 2, 3]), np.array([0, 0, 1])
    _part_kernels._largest_within(column, rows, starts, of_part, limit, False, result)
    assert result.tolist() == [3, 5, 5]
    _part_kernels._largest_within(column, rows, starts, of_part, limit, True, result)
    assert result.tolist() == [3, 3, -np.inf]
    # Node 0 sends values above 1 to node 3, others to node 2; node 1 is a leaf.
    attribute, first_child = np.array([0, -1, -1, -1]), np.array([2, -1, -1, -1])
    threshold, X = np.array([1.0, np.nan, np.nan, np.nan]), np.array([[0.5], [1.5]])
    leaf = np.empty(3, np.int32)
    tests = attribute, threshold, first_child
    _prediction_kernels._find_forest_leaves(
        X, np.array([1, 0, 1]), np.array([0, 2, 3]), *tests, leaf
    )
    assert leaf.tolist() == [3, 2, 1]
    assert {name for module in MODULES for name in ORIGINAL[module]} - CALLED == set()


def cut_sorted(codes: list[list[int]], y: list[int], least: float = 1.0) -> np.ndarray:
    """Return what is found for nodes with these sorted codes; y runs through all of them."""
    spans = np.cumsum([0, *map(len, codes)])
    flat = [code for node in codes for code in node]
    labels = np.array(y, dtype=np.int16)
    keys = np.array(
        [
            code << _kernels.ROW_BITS | y[row] << _kernels.CLASS_BITS | row
            for row, code in enumerate(flat)
        ],
        dtype=np.int64,
    )[None]
    k = np.arange(len(flat) + 1.0)
    table = k * np.log2(np.maximum(k, 1))
    counts = np.array(
        [np.bincount(labels[a:b], minlength=2) for a, b in pairwise(spans)],
        float,
    ).reshape(-1, 2)
    needs = np.array([[least, 1e-9]] * len(codes)).reshape(-1, 2)
    result = np.zeros((1, len(codes), _kernels.FOUND_WIDTH))
    none, fine = np.empty((0, 1), np.int32), np.array([-1], np.int32)
    twice("_cut_sorted", _kernels._cut_sorted)(
        keys, spans, labels, table, none, fine, counts, needs, (False, False), result
    )
    return result[0]


def test_a_level_without_nodes_and_a_node_without_rows_are_left_alone():
    assert cut_sorted([], []).shape == (0, _kernels.FOUND_WIDTH)
    assert cut_sorted([[]], []).tolist() == [[0.0] * _kernels.FOUND_WIDTH]


def test_one_row_and_a_constant_have_no_cut():
    result = cut_sorted([[4], [2, 2, 2]], [0, 0, 1, 1])
    assert result[:, _kernels.CUTS].tolist() == [0, 0]
    assert result[:, _kernels.WORTH].tolist() == [0, 0]


def test_the_first_of_equal_cuts_is_found():
    # Cuts after the first and before the last row are worth the same: 4 H(1/2) - 3 H(1/3).
    result = cut_sorted([[0, 1, 2, 3]], [0, 1, 1, 0])[0]
    assert result[_kernels.CUTS] == 3
    assert result[[_kernels.CODE_LOW, _kernels.CODE_HIGH, _kernels.LEFT]].tolist() == [0, 1, 1]
    assert result[_kernels.WORTH] == pytest.approx(4 - 3 * 0.9182958340544896)


def test_a_cut_leaves_as_many_rows_on_both_sides_as_it_needs():
    result = cut_sorted([[0, 1, 2, 3]], [0, 1, 1, 1], least=2.0)[0]
    assert result[_kernels.CUTS] == 1
    assert result[_kernels.LEFT] == 2


@pytest.mark.parametrize(("n_rows", "n_values"), [(10, 5), (400, 90), (1500, 5000)])
def test_rows_of_a_level_are_sorted_by_rank_and_place(n_rows, n_values):
    rng = np.random.default_rng(n_rows)
    codes = rng.integers(-1, n_values, n_rows).astype(np.int32)
    rows = rng.permutation(n_rows).astype(np.int32)
    spans = np.array([0, n_rows // 3, n_rows // 3, n_rows])
    keys, ends = np.zeros(n_rows, np.int64), np.zeros(4, np.int64)
    none = np.full((3, 1), -1, np.int32)
    y, skipped = np.zeros(n_rows, np.int16), np.zeros(3, np.bool_)
    _kernels._sort_level(codes, rows, spans, y, none, n_values, skipped, keys, ends)
    expected = [
        sorted((codes[rows[j]], j) for j in range(a, b) if codes[rows[j]] >= 0)
        for a, b in pairwise(spans)
    ]
    assert np.diff(ends).tolist() == list(map(len, expected))
    results = [(key >> _kernels.ROW_BITS, key & _kernels.ROW_MASK) for key in keys[: ends[-1]]]
    assert results == [pair for node in expected for pair in node]


def test_nothing_is_chosen_where_nothing_may_be_or_is_better_than_nothing():
    score = np.array([[1.0, 2.0], [0.0, 0.0], [0.5, 0.5 + 1e-9], [np.nan, 0.1]])
    may = np.array([[False, False], [True, True], [True, True], [True, True]])
    chosen = np.zeros(4, np.int64)
    twice("_first_best", _kernels._first_best)(score, may, 1e-6, 1e-6, chosen)
    assert chosen.tolist() == [-1, -1, 0, 1]


def test_rows_that_lack_a_value_are_answered_by_all_branches_with_weight():
    tree = C45Classifier(pruning=None, min_samples_leaf=1).fit(
        pd.DataFrame({"x": pd.Categorical(list("aab"), categories=list("abc"))}), [0, 0, 1]
    )
    result = tree.predict_proba(pd.DataFrame({"x": pd.Categorical([None, "c"], list("abc"))}))
    np.testing.assert_allclose(result, [[2 / 3, 1 / 3], [2 / 3, 1 / 3]])
