"""Compiled loops of trees: the same results as in Python, within the bounds of arrays.

Every loop that a fit or a prediction calls is run twice, compiled and as Python, on copies of the
same arguments; what it returns and what it overwrites must agree. As Python, an index outside of
an array or below 0 is an error (compiled it would be silent).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
    _grouping_kernels,
    _prediction_kernels,
    _pruning_kernels,
)
from bestofk.trees.base import TreeClassifier

MODULES = (_grouping_kernels, _prediction_kernels, _pruning_kernels)
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
