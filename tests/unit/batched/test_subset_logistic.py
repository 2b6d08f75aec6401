"""Logistic regression on any subsets: the optimum, what is left to others, odd columns."""

import numpy as np
import pandas as pd
import pytest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from tests.unit.batched.made_subsets import answers, form_of, made_subsets

from bestofk.batched import logistic
from bestofk.learners.pipeline import learner_pipeline
from bestofk.testing import check_batched_form

# What the plain solver itself is off by when it stops there.
NEAR = 1e-4
TIGHT = LogisticRegression(tol=1e-8, max_iter=100_000)
PREPARATIONS = {
    "none": lambda: TIGHT,
    "scaled": lambda: make_pipeline(StandardScaler(), TIGHT),
    "moved": lambda: make_pipeline(StandardScaler(with_std=False), TIGHT),
    "divided": lambda: make_pipeline(StandardScaler(with_mean=False), TIGHT),
    "ranged": lambda: make_pipeline(MinMaxScaler(), TIGHT),
    "catalogue": lambda: learner_pipeline(TIGHT, standardize=True),
}


def two_classes(n_samples=60):
    rng = np.random.default_rng(0)
    y = np.arange(n_samples) % 2
    return rng.normal(size=(n_samples, 3)) + 0.7 * y[:, None], y


def check(learner, X, y, sizes, cv="1x3"):
    agreement = check_batched_form(learner, X, y, cv=cv, train_sizes=sizes, tolerance=NEAR)
    assert (agreement.n_left, agreement.n_different) == (0, 0)


@pytest.mark.parametrize("prepare", PREPARATIONS)
def test_subsets_are_predicted_as_by_the_plain_learner(prepare):
    check(PREPARATIONS[prepare](), *two_classes(), [4, 12, 40], "2x3")


@pytest.mark.parametrize("prepare", PREPARATIONS)
def test_several_classes_are_predicted_as_by_the_plain_learner(prepare):
    X, _ = two_classes()
    y = np.digitize(X[:, 0] + 0.7 * np.random.default_rng(2).normal(size=60), [-0.3, 0.9])
    check(PREPARATIONS[prepare](), X, y, [4, 12, 40])


def test_columns_of_levels_that_a_subset_lacks_count_nothing():
    X, y = two_classes()
    levels = np.random.default_rng(1).choice(list("abcde"), len(y), p=[0.5, 0.3, 0.1, 0.05, 0.05])
    table = pd.DataFrame({"x": X[:, 0], "level": levels, "same": 1.0})
    check(learner_pipeline(TIGHT, standardize=True), table, y, [3, 8, 30], "2x3")


@pytest.mark.parametrize("C", [1e-4, 1e4])
def test_weak_and_strong_penalties_are_those_of_the_plain_learner(C):
    learner = LogisticRegression(C=C, tol=1e-9, max_iter=100_000)
    X, y = two_classes()
    y[:6] = 1 - y[:6]  # the classes cannot be told apart
    check(learner, X, y, [20, 40])


def test_probabilities_are_those_of_a_zero_gradient():
    X, y = two_classes()
    train = np.arange(5, 45)
    result = form_of(LogisticRegression(), X, y).predict_subsets(made_subsets([train], [train]))
    residual = result.probabilities[:, 1] - y[train]
    logits = np.log(result.probabilities[:, 1] / result.probabilities[:, 0])
    design = np.column_stack([X[train], np.ones(len(train))])
    weights = np.linalg.lstsq(design, logits, rcond=None)[0]
    gradient = design.T @ residual + [*weights[:-1], 0.0]
    np.testing.assert_allclose(gradient, 0, atol=1e-6)


def test_subsets_of_one_class_are_left_to_the_plain_way():
    form = form_of(TIGHT, *two_classes())
    result = form.predict_subsets(made_subsets([[0, 2], [1, 2], [1, 3]], [[0]] * 3))
    assert result.is_done.tolist() == [False, True, False]
    single = form.predict_subsets(made_subsets([[7], [8]], [[0, 1], []]))
    assert single.is_done.tolist() == [False, False]


def test_a_subset_without_a_class_gets_the_optimum_of_the_others():
    X, y = two_classes()[0], np.arange(60) % 4
    train = np.array([row for row in range(60) if y[row] != 2 and row < 50])
    form = form_of(TIGHT, X, y)
    result = form.predict_subsets(made_subsets([train[:-3], train[3:]], [np.arange(60)] * 2))
    assert result.is_done.all()
    for s, rows in enumerate([train[:-3], train[3:]]):
        shares = result.probabilities[60 * s : 60 * s + 60]
        plain = TIGHT.fit(X[rows], y[rows]).predict_proba(X)
        np.testing.assert_allclose(shares[:, [0, 1, 3]], plain, atol=NEAR)
        assert (shares[:, 2] == 0).all()


def test_a_subset_in_which_columns_are_the_same_changes_no_other():
    # two columns that are the same in the last rows alone, and no penalty to choose by
    first = np.tile([-1.0, 1.0], 20)
    other = first.copy()
    other[:4] = other[:4][::-1]
    y = np.random.default_rng(0).integers(0, 2, 40)
    y[:2], y[38:] = [0, 1], [0, 1]
    form = form_of(LogisticRegression(C=1e20, max_iter=20_000), np.column_stack([first, other]), y)
    train, asked = [np.arange(20), np.arange(10, 30), np.arange(20, 40)], [np.arange(40)] * 3
    together = answers(form, train, asked)
    alone = [answers(form, [train[s]], [asked[s]])[0] for s in range(3)]
    assert together == alone
    assert together[0].get("is_done", True)


def test_a_search_that_is_cut_short_is_left_to_the_plain_way(monkeypatch):
    form = form_of(TIGHT, *two_classes())
    monkeypatch.setattr(logistic.find_optima, "__defaults__", (1e-10, 1))
    result = form.predict_subsets(made_subsets([np.arange(9), np.arange(30, 39)], [[0], [0]]))
    assert result.is_done.tolist() == [False, False]


@pytest.mark.parametrize("has_gaps", [False, True])
def test_blocks_of_subsets_do_not_change_a_bit(has_gaps, monkeypatch):
    X, y = two_classes()
    if has_gaps:
        X[::7, 1] = np.nan
    form = form_of(learner_pipeline(TIGHT, standardize=True), X, y)
    rng = np.random.default_rng(5)
    train = [np.sort(rng.permutation(60)[:11]) for _ in range(40)]
    asked = [rng.permutation(60)[:7] for _ in train]
    together = answers(form, train, asked)
    monkeypatch.setattr(logistic, "_BATCH", 1)
    assert answers(form, train, asked) == together


@pytest.mark.parametrize(
    ("estimator", "X", "y"),
    [
        (TIGHT, np.random.default_rng(0).normal(size=(150, 100)), np.arange(150) % 2),
        (LogisticRegression(solver="newton-cg"), *two_classes()),
        (LogisticRegression(class_weight="balanced"), *two_classes()),
        (LogisticRegression(max_iter=50), *two_classes()),
        (LogisticRegression(C=np.inf), *two_classes()),
    ],
    ids=["many-columns", "solver", "weights", "few-steps", "no-penalty"],
)
def test_what_the_form_does_not_do_goes_the_plain_way(estimator, X, y):
    assert form_of(estimator, X, y) is None


@pytest.mark.parametrize("strategy", ["mean", "median"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_missing_values_are_filled_as_each_subset_fills_them(strategy, n_classes):
    X, _ = two_classes()
    rng = np.random.default_rng(4)
    y = np.digitize(X[:, 0] + 0.7 * rng.normal(size=60), [0.5, 1.3][: n_classes - 1])
    X[rng.random(X.shape) < 0.2] = np.nan
    learner = make_pipeline(SimpleImputer(strategy=strategy), StandardScaler(), TIGHT)
    check(learner, X, y, [12, 40])


def test_missing_levels_are_the_most_frequent_of_each_subset():
    X, y = two_classes()
    rng = np.random.default_rng(1)
    levels = rng.choice(np.array(["a", "b", "c", None]), len(y), p=[0.4, 0.3, 0.1, 0.2])
    mostly = np.where(y[::-1] > 0, 1, np.nan)
    table = pd.DataFrame({"x": X[:, 0], "level": levels, "mostly": mostly})
    check(learner_pipeline(TIGHT, standardize=True), table, y, [3, 8, 30], "2x3")
