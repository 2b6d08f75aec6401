from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from bestofk.batched.kernel_machine import Kernel, KernelMachine
from bestofk.batched.linear_support_vectors import InteriorMachine, interior_point


def sorted_by_class(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    order = np.argsort(y, kind="stable")
    return StandardScaler().fit_transform(X)[order], y[order]


def interior(X: np.ndarray, y: np.ndarray, C: float = 1.0) -> InteriorMachine:
    machine = InteriorMachine(X, np.arange(len(X)), int((y == 0).sum()), SVC(C=C))
    every = np.ones(len(X), dtype=bool)
    assert machine.train(np.zeros(len(X)), every, np.zeros(X.shape[1] + 1))
    return machine


def test_two_points_are_halved() -> None:
    machine = interior(np.array([[2.0], [0.0]]), np.array([0, 1]), C=10.0)
    np.testing.assert_allclose(machine.values(np.arange(2)), [1.0, -1.0], atol=1e-5)
    assert machine.offset == pytest.approx(1.0, abs=1e-5)
    np.testing.assert_allclose(machine.beta, [0.5, -0.5], atol=1e-5)


def test_an_offset_that_no_row_fixes_lies_in_the_middle() -> None:
    # C is so small that both rows stay at C: any offset between 2 w - 1 and 1 is optimal
    machine = interior(np.array([[2.0], [0.0]]), np.array([0, 1]), C=0.1)
    plain = SVC(kernel="linear", C=0.1).fit([[2.0], [0.0]], [0, 1])
    assert -machine.offset == pytest.approx(-float(plain.intercept_[0]), abs=1e-3)


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_the_optimum_is_that_of_libsvm_at_a_tight_tolerance(C: float) -> None:
    X, y = sorted_by_class(*make_classification(150, 4, random_state=0))
    plain = SVC(kernel="linear", C=C, tol=1e-8).fit(X, y)
    result = interior(X, y, C).values(np.arange(150))
    np.testing.assert_allclose(result, -plain.decision_function(X), atol=2e-4)


def test_rows_held_at_their_bounds_come_free_when_they_object() -> None:
    X, y = sorted_by_class(*load_breast_cancer(return_X_y=True))
    whole = interior(X, y)
    keep = np.random.default_rng(0).random(len(y)) < 0.7
    rows = np.flatnonzero(keep)
    machine = InteriorMachine(X, rows, int((y[keep] == 0).sum()), SVC())
    near = np.abs(whole.slack[keep]) < 0.1
    start = np.append(whole._weights, -whole.offset)
    assert machine.train(whole.beta[keep], near, start)
    again = InteriorMachine(X, rows, int((y[keep] == 0).sum()), SVC())
    assert again.train(np.zeros(len(rows)), np.ones(len(rows), dtype=bool), 0 * start)
    np.testing.assert_allclose(
        machine.values(np.arange(len(X))), again.values(np.arange(len(X))), atol=3e-3
    )


def test_numbers_that_break_down_give_nothing() -> None:
    with np.errstate(all="ignore"):
        B = np.full((4, 2), np.nan)
        assert interior_point(B, np.full(4, 0.5), np.zeros(2), np.zeros(2), 1.0) is None


def test_both_machines_find_the_same_border() -> None:
    X, y = sorted_by_class(*make_classification(120, 3, n_redundant=0, random_state=4))
    estimator = SVC(kernel="linear", tol=1e-5)
    kernel = Kernel(estimator, X, np.arange(120))
    machine = KernelMachine(kernel, np.arange(120), int((y == 0).sum()), estimator)
    assert machine.train(np.zeros(120), np.arange(120) % 7 == 0, 1_000_000)
    result = interior(X, y).values(np.arange(120))
    np.testing.assert_allclose(machine.values(np.arange(120)), result, atol=1e-3)


def test_compiled_loops_do_what_they_do_in_python() -> None:
    from bestofk.batched import _interior_kernels as kernels

    A = np.random.default_rng(1).normal(size=(5, 5))
    H = A @ A.T + np.eye(5)
    factor, right = H.copy(), np.arange(5.0)
    assert kernels._factor.py_func(factor)
    kernels._backsolve.py_func(factor, right)
    np.testing.assert_allclose(H @ right, np.arange(5.0), atol=1e-12)
    assert not kernels._factor.py_func(-H)
    out = np.empty(5)
    kernels._times.py_func(A, np.arange(5.0), out)
    np.testing.assert_allclose(out, A @ np.arange(5.0))
