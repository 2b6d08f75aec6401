"""Differences found by the check of batched forms for subsets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.datasets import load_iris

from bestofk.batched import SubsetForm, SubsetPredictions
from bestofk.data.arrays import from_arrays
from bestofk.errors import InvalidArgumentError
from bestofk.testing import check_subset_form, subset_agreement

X, Y = load_iris(return_X_y=True)


class Shares(ClassifierMixin, BaseEstimator):
    """Predicts the class shares of the training rows, and the last class that it knows."""

    def __init__(self, form: type[SubsetForm] | None = None) -> None:
        self.form = form

    def subset_form(self) -> type[SubsetForm] | None:
        return self.form

    def fit(self, X: Any, y: Any) -> Shares:
        self.classes_, counts = np.unique(y, return_counts=True)
        self.shares_ = counts / len(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.classes_[-1])

    def predict_proba(self, X: Any) -> Any:
        return np.tile(self.shares_, (len(X), 1))


class SharesForm(SubsetForm):
    """Correct batched form of Shares."""

    def predict(self, subsets: Any, random_states: Any = None) -> SubsetPredictions:
        counts = subsets.class_counts(self.table)
        n_rows, n_train = np.diff(subsets.start), subsets.train.shape[1]
        last = self.table.n_classes - 1 - (counts[:, ::-1] > 0).argmax(axis=1)
        shares = np.repeat(counts / n_train, n_rows, axis=0)
        return self.found(np.repeat(last, n_rows), shares, subsets)

    def found(self, labels: Any, shares: Any, subsets: Any) -> SubsetPredictions:
        return SubsetPredictions(labels, shares)


class WrongLabel(SharesForm):
    """Gives one row of one size another class."""

    def found(self, labels: Any, shares: Any, subsets: Any) -> SubsetPredictions:
        if subsets.train.shape[1] == 40:
            labels[5] = 0
        return SubsetPredictions(labels, shares)


class WrongShare(SharesForm):
    """Gives a training row of the last subset another probability."""

    def found(self, labels: Any, shares: Any, subsets: Any) -> SubsetPredictions:
        shares[-1, 0] += 1e-6
        return SubsetPredictions(labels, shares)


class NotANumber(SharesForm):
    """Gives one row no probability at all."""

    def found(self, labels: Any, shares: Any, subsets: Any) -> SubsetPredictions:
        shares[0, 0] = np.nan
        return SubsetPredictions(labels, shares)


class Infinite(SharesForm):
    """Gives decision values that are infinite."""

    def found(self, labels: Any, shares: Any, subsets: Any) -> SubsetPredictions:
        return SubsetPredictions(labels, decision=np.full(shares.shape, -np.inf))


class NoShares(SharesForm):
    """Gives labels alone."""

    def found(self, labels: Any, shares: Any, subsets: Any) -> SubsetPredictions:
        return SubsetPredictions(labels)


class Nothing(SharesForm):
    """Leaves every subset to the plain way."""

    def found(self, labels: Any, shares: Any, subsets: Any) -> SubsetPredictions:
        is_done = np.zeros(len(subsets), dtype=bool)
        return SubsetPredictions(labels, shares, is_done=is_done)


class Unsupported(SharesForm):
    """Never fits the table."""

    @classmethod
    def supports(cls, estimator: Any, table: Any) -> bool:
        return False


class Drawn(ClassifierMixin, BaseEstimator):
    """Predicts by its random state alone."""

    def __init__(self, random_state: int | None = None) -> None:
        self.random_state = random_state

    def subset_form(self) -> type[SubsetForm]:
        return DrawnForm

    def fit(self, X: Any, y: Any) -> Drawn:
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.classes_[self.random_state % 3])


class DrawnForm(SubsetForm):
    """Batched form of Drawn that records its calls."""

    is_random = True

    def predict(self, subsets: Any, random_states: Any = None) -> SubsetPredictions:
        return SubsetPredictions(np.repeat(random_states % 3, np.diff(subsets.start)))


class Mean(RegressorMixin, BaseEstimator):
    """Predicts the mean, or fails."""

    def __init__(self, fails: bool = False) -> None:
        self.fails = fails

    def subset_form(self) -> type[SubsetForm]:
        return MeanForm

    def fit(self, X: Any, y: Any) -> Mean:
        if self.fails:
            raise ValueError("no mean today")
        self.mean_ = y.mean()
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.mean_)


class MeanForm(SubsetForm):
    """Means of all subsets."""

    def predict(self, subsets: Any, random_states: Any = None) -> SubsetPredictions:
        means = self.table.y[subsets.train].mean(axis=1)
        return SubsetPredictions(np.repeat(means, np.diff(subsets.start)))


def test_a_form_that_agrees_is_counted_over_all_sizes():
    agreement = check_subset_form(Shares(SharesForm), X, Y, train_sizes=[1, 40], cv="2x3")
    assert (agreement.n_runs, agreement.n_left, agreement.n_rows) == (12, 0, 2 * 6 * 50 + 6 * 41)
    assert (agreement.n_different, agreement.largest_difference, agreement.failures) == (0, 0.0, ())


def test_so_many_sizes_are_those_of_learning_curves():
    agreement = check_subset_form(Shares(SharesForm), X, Y, train_sizes=3, cv="1x3")
    assert agreement.n_rows == 3 * 150 + 3 * (15 + 39 + 100)


def test_a_form_of_a_regressor_is_compared_by_its_numbers():
    assert check_subset_form(Mean(), X, X[:, 0]).largest_difference < 1e-14


def test_random_states_are_those_of_the_plain_fits():
    assert check_subset_form(Drawn(), X, Y).n_different == 0
    assert check_subset_form(Drawn(random_state=7), X, Y, cv="1x3").n_different == 0


@pytest.mark.parametrize(
    ("form", "message"),
    [
        (WrongShare, "scores differ by up to 1e-06"),
        (NotANumber, "scores differ by up to inf"),
        (NoShares, "scores in one way alone"),
        (Nothing, "no run was done in a batch, 18 were left to the plain way"),
    ],
)
def test_what_differs_is_said(form, message):
    with pytest.raises(AssertionError, match=f"form of Shares for subsets: .*{message}"):
        check_subset_form(Shares(form), X, Y, train_sizes=[5, 20, 40])


def test_infinite_scores_differ_from_finite_ones():
    with pytest.raises(AssertionError, match="scores differ by up to inf"):
        check_subset_form(Shares(Infinite), X, Y, cv="1x3")


def test_another_class_is_allowed_where_the_plain_scores_are_near():
    options = {"train_sizes": [40, 60], "cv": "1x3"}
    classes = np.where(Y == 2, 1, Y)  # a third and two thirds
    with pytest.raises(AssertionError, match=r"1 of 600 rows got another class, .* 0\.35"):
        check_subset_form(Shares(WrongLabel), X, classes, **options)
    agreement = check_subset_form(Shares(WrongLabel), X, classes, margin=0.4, **options)
    assert agreement.n_different == 1


def test_a_run_that_fails_the_plain_way_must_not_be_done_jointly():
    with pytest.raises(AssertionError, match="9 rows, repeat 0, fold 0: fit raised ValueError: no"):
        check_subset_form(Mean(fails=True), X, X[:, 0], train_sizes=[9])


@pytest.mark.parametrize("form", [None, Unsupported])
def test_a_learner_without_a_form_is_refused(form):
    assert subset_agreement(Shares(form), from_arrays(X, Y)) is None
    with pytest.raises(InvalidArgumentError, match="learner must have a form for subsets of these"):
        check_subset_form(Shares(form), X, Y)


def test_sizes_that_cannot_be_are_refused():
    with pytest.raises(InvalidArgumentError, match=r"at most the training rows .* \(100\)"):
        check_subset_form(Shares(SharesForm), X, Y, train_sizes=[50, 120])
