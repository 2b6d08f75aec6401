"""Compiled loops: the same results as in Python, and compilation only when it pays."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier

import bestofk
from bestofk.batched.forms import batched_form
from bestofk.batched.subsets import Subsets
from bestofk.evaluation.fingerprint import fingerprint
from bestofk.learners import learner_catalogue
from bestofk.learners.nearest_neighbors_classifier import NearestNeighborsClassifier
from bestofk.trees import compiled
from bestofk.trees.compiled import Kernel, kernel

CALLED: set[str] = set()


def all_kernels() -> dict[str, Kernel[Any]]:
    """Return every kernel of the package, by its file and its name."""
    modules = pkgutil.walk_packages(bestofk.__path__, "bestofk.")
    names = [module.name for module in modules if module.name.endswith("_kernels")]
    files = [importlib.import_module(name) for name in names]
    return {
        f"{file.__name__}.{name}": value
        for file in files
        for name, value in vars(file).items()
        if isinstance(value, Kernel) and value.__module__ == file.__name__
    }


def called_by(item: Kernel[Any]) -> set[str]:
    """Return the names of a kernel and of all that it calls."""
    space = item.py_func.__globals__
    inner = [space[name] for name in item.py_func.__code__.co_names if name in space]
    result = {f"{item.__module__}.{item.__name__}"}
    return result.union(*(called_by(other) for other in inner if isinstance(other, Kernel)))


def copied(value: Any) -> Any:
    if isinstance(value, tuple):
        parts = [copied(item) for item in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value.copy(order="K") if isinstance(value, np.ndarray) else value


def assert_same_bits(first: Any, other: Any) -> None:
    if isinstance(first, tuple):
        for left, right in zip(first, other, strict=True):
            assert_same_bits(left, right)
    elif first is not None:
        left, right = np.asarray(first), np.asarray(other)
        np.testing.assert_array_equal(left, right)  # a nan is a nan
        np.testing.assert_array_equal(left == 0, right == 0)
        if left.dtype.kind == "f":
            seen = ~np.isnan(left)
            np.testing.assert_array_equal(np.signbit(left[seen]), np.signbit(right[seen]))


@pytest.fixture
def _both_ways(monkeypatch):
    """Run every kernel that is called both ways, and compare."""

    def call(self, *arguments):
        CALLED.update(called_by(self))
        plain = copied(arguments)
        with np.errstate(all="ignore"):
            expected = self.interpreted(*plain)
        result = self.compiled(*arguments)
        assert_same_bits(expected, result)
        assert_same_bits(plain, arguments)
        return result

    monkeypatch.setattr(Kernel, "__call__", call)


def table(kind: str) -> tuple[Any, np.ndarray, np.ndarray]:
    """Return 36 rows of three classes, the last of them rare, and folds of two repeats."""
    rng = np.random.default_rng(5)
    few = rng.integers(0, 3, 36)
    y = (few + (rng.random(36) < 0.3)) % 2
    y[:4] = 2
    X = pd.DataFrame({"real": rng.normal(size=36).round(1) + y, "few": few.astype(float)})
    X["same"] = 1.0
    X["wide"] = 1e3 * rng.normal(size=36) - 1e3 * (y == 1)
    if kind in ("levels", "gaps"):
        X["level"] = pd.Categorical.from_codes(rng.integers(0, 4, 36), categories=list("abcd"))
        X["rare"] = pd.Categorical.from_codes(np.arange(36) // 34, categories=list("xy"))
    if kind == "gaps":
        for name in X:
            X[name] = X[name].mask(rng.random(36) < 0.15)
    if kind == "two":
        y[:4] = 1
    if kind == "constant":
        X.loc[y == 0, ["real", "wide"]] = 0.3
    X.iloc[20:24] = X.iloc[0:4].to_numpy()  # rows that are there twice
    folds = np.array([rng.permutation(np.arange(36) % 3) for _ in range(2)], dtype=np.int32)
    folds[0, :4] = 0  # the rare class is not in one training part
    return X, y, folds


LEARNERS = {
    name: learner_catalogue()[name].make()
    for name in (
        "majority", "nearest-mean", "naive-bayes", "kernel-naive-bayes", "lda", "qda", "1nn",
        "logistic", "cart", "c45",
    )
} | {
    "3nn": NearestNeighborsClassifier(n_neighbors=3),
    "plain-3nn": KNeighborsClassifier(3),
}  # fmt: skip


def predict(learner: Any, kind: str) -> None:
    X, y, folds = table(kind)
    classes, codes = np.unique(y, return_inverse=True)
    X = X if kind in ("levels", "gaps") else X.to_numpy()
    seeds = np.arange(6).reshape(2, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        form = batched_form(learner, X, y, codes, classes, 3, even_if_slower=True)
        if form is not None:
            form.predict(folds, seeds)
        subsets = batched_form(learner, X, y, codes, classes)
        if subsets is not None:
            train = np.array([np.flatnonzero(fold != 0)[:20] for fold in folds])
            rows, start = np.tile(np.arange(36), 2), np.array([0, 36, 72])
            subsets.predict_subsets(Subsets(train, rows, start), seeds[:, 0])


@pytest.mark.usefixtures("_both_ways")
@pytest.mark.parametrize("kind", ["numbers", "levels", "gaps", "constant", "two"])
@pytest.mark.parametrize("name", LEARNERS)
def test_a_loop_gives_the_same_bits_compiled_and_not(name, kind):
    predict(LEARNERS[name], kind)


@pytest.mark.usefixtures("_both_ways")
def test_loops_over_rows_as_near_to_two_means_give_the_same_bits_compiled_and_not():
    X, y = np.array([[0.1], [0.5], [0.3]]), np.array([0, 1, 1])
    form = batched_form(LEARNERS["nearest-mean"], X, y, y, np.arange(2), 2, even_if_slower=True)
    assert form.predict(np.array([[0, 0, 1]], dtype=np.int32)).labels[0, 2] == 0


@pytest.mark.usefixtures("_both_ways")
def test_no_loop_is_left_out():
    CALLED.clear()
    for name in LEARNERS:
        for kind in ("numbers", "gaps", "two"):
            predict(LEARNERS[name], kind)
    test_loops_over_rows_as_near_to_two_means_give_the_same_bits_compiled_and_not()
    assert set(all_kernels()) - CALLED == set()


def total(values):
    result = 0.0
    for i in range(values.size):
        result += values[i]
    return result


def half(values):
    return 0.5 * _total(values)


_total, _half = kernel(lambda values: values.size)(total), kernel(lambda values: values.size)(half)


@pytest.fixture
def _few_steps(monkeypatch):
    monkeypatch.setattr(compiled, "MOST_INTERPRETED", 100)


@pytest.mark.usefixtures("_few_steps")
def test_a_loop_is_compiled_once_it_has_had_much_to_do():
    loop = Kernel(total, lambda values: values.size, cache=False)
    assert loop(np.arange(4.0)) == loop(np.arange(4.0)) == 6.0
    assert "compiled" not in vars(loop)
    assert loop(np.arange(100.0)) == 4950.0
    assert loop.compiled.signatures
    assert loop(np.arange(4.0)) == 6.0


def test_much_work_is_compiled_at_once_and_with_what_it_calls():
    loop = Kernel(half, lambda values: values.size, cache=False)
    values = np.zeros(compiled.MOST_INTERPRETED + 1)
    values[:2] = 3.0
    assert loop(values) == 3.0
    assert "interpreted" not in vars(loop)
    assert loop.interpreted(values[:5]) == 3.0


def test_division_by_zero_is_as_compiled():
    def inverse(values):
        return 1.0 / values[0]

    loop = Kernel(inverse, cache=False)
    assert loop(np.zeros(1)) == loop.compiled(np.zeros(1)) == np.inf


def test_a_loop_is_the_same_whatever_it_has_done():
    loop = Kernel(total, lambda values: values.size)
    before = fingerprint(loop)
    loop(np.arange(3.0))
    assert fingerprint(loop) == before


def test_stopping_rules_unfitted_trees_and_a_small_comparison_do_not_load_the_compiler():
    code = (
        "import sys, bestofk, bestofk.stopping;"
        "from bestofk.learners import learner_catalogue as c;"
        "[c()[name].make() for name in ('cart', 'c45', 'c45rules', 'id3', 'hddt')];"
        "bestofk.compare(['majority', 'nearest-mean', '1nn', 'cart'], 'iris', cv='5x2');"
        "assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True)
