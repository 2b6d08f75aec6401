"""Differences found by the check of batched forms for subsets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from tests.unit.testing.made_learners import Mean, Shares

from bestofk.batched import BatchedForm, BatchedPredictions
from bestofk.data.arrays import from_arrays
from bestofk.errors import InvalidArgumentError
from bestofk.testing import (
    batched_agreement,
    check_batched_form,
)

X, Y = load_iris(return_X_y=True)


class SharesForm(BatchedForm):
    """Correct batched form of Shares."""

    def predict_subsets(self, subsets: Any, random_states: Any = None) -> BatchedPredictions:
        counts = subsets.class_counts(self.table)
        n_rows, n_train = np.diff(subsets.start), subsets.train.shape[1]
        last = self.table.n_classes - 1 - (counts[:, ::-1] > 0).argmax(axis=1)
        shares = np.repeat(counts / n_train, n_rows, axis=0)
        return self.found(np.repeat(last, n_rows), shares, subsets)

    def found(self, labels: Any, shares: Any, subsets: Any) -> BatchedPredictions:
        return BatchedPredictions(labels, shares)


class WrongLabel(SharesForm):
    """Gives one row of one size another class."""

    def found(self, labels: Any, shares: Any, subsets: Any) -> BatchedPredictions:
        if subsets.train.shape[1] == 40:
            labels[5] = 0
        return BatchedPredictions(labels, shares)


class WrongShare(SharesForm):
    """Gives a training row of the last subset another probability."""

    def found(self, labels: Any, shares: Any, subsets: Any) -> BatchedPredictions:
        shares[-1, 0] += 1e-6
        return BatchedPredictions(labels, shares)


class NotANumber(SharesForm):
    """Gives one row no probability at all."""

    def found(self, labels: Any, shares: Any, subsets: Any) -> BatchedPredictions:
        shares[0, 0] = np.nan
        return BatchedPredictions(labels, shares)


class Infinite(SharesForm):
    """Gives decision values that are infinite."""

    def found(self, labels: Any, shares: Any, subsets: Any) -> BatchedPredictions:
        return BatchedPredictions(labels, decision=np.full(shares.shape, -np.inf))


class NoShares(SharesForm):
    """Gives labels alone."""

    def found(self, labels: Any, shares: Any, subsets: Any) -> BatchedPredictions:
        return BatchedPredictions(labels)


class Nothing(SharesForm):
    """Leaves every subset to the plain way."""

    def found(self, labels: Any, shares: Any, subsets: Any) -> BatchedPredictions:
        is_done = np.zeros(len(subsets), dtype=bool)
        return BatchedPredictions(labels, shares, is_done=is_done)


class Unsupported(SharesForm):
    """Never fits the table."""

    @classmethod
    def supports(cls, estimator: Any, table: Any) -> bool:
        return False


class Drawn(ClassifierMixin, BaseEstimator):
    """Predicts by its random state alone."""

    def __init__(self, random_state: int | None = None) -> None:
        self.random_state = random_state

    def batched_form(self) -> type[BatchedForm]:
        return DrawnForm

    def fit(self, X: Any, y: Any) -> Drawn:
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.classes_[self.random_state % 3])


class DrawnForm(BatchedForm):
    """Batched form of Drawn that records its calls."""

    is_random = True

    def predict_subsets(self, subsets: Any, random_states: Any = None) -> BatchedPredictions:
        return BatchedPredictions(np.repeat(random_states % 3, np.diff(subsets.start)))


class MeanForm(BatchedForm):
    """Means of all subsets."""

    def predict_subsets(self, subsets: Any, random_states: Any = None) -> BatchedPredictions:
        means = self.table.y[subsets.train].mean(axis=1)
        return BatchedPredictions(np.repeat(means, np.diff(subsets.start)))


def test_a_form_that_agrees_is_counted_over_all_sizes():
    agreement = check_batched_form(Shares(SharesForm), X, Y, train_sizes=[1, 40], cv="2x3")
    assert (agreement.n_runs, agreement.n_left, agreement.n_rows) == (12, 0, 2 * 6 * 50 + 6 * 41)
    assert (agreement.n_different, agreement.largest_difference, agreement.failures) == (0, 0.0, ())


def test_so_many_sizes_are_those_of_learning_curves():
    agreement = check_batched_form(Shares(SharesForm), X, Y, train_sizes=3, cv="1x3")
    assert agreement.n_rows == 3 * 150 + 3 * (15 + 39 + 100)


def test_a_form_of_a_regressor_is_compared_by_its_numbers():
    assert (
        check_batched_form(Mean(MeanForm), X, X[:, 0], train_sizes=4, cv="2x3").largest_difference
        < 1e-14
    )


def test_random_states_are_those_of_the_plain_fits():
    assert check_batched_form(Drawn(), X, Y, train_sizes=4, cv="2x3").n_different == 0
    assert check_batched_form(Drawn(random_state=7), X, Y, train_sizes=4, cv="1x3").n_different == 0


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
    with pytest.raises(AssertionError, match=f"batched form of Shares: .*{message}"):
        check_batched_form(Shares(form), X, Y, train_sizes=[5, 20, 40], cv="2x3")


def test_infinite_scores_differ_from_finite_ones():
    with pytest.raises(AssertionError, match="scores differ by up to inf"):
        check_batched_form(Shares(Infinite), X, Y, train_sizes=4, cv="1x3")


def test_another_class_is_allowed_where_the_plain_scores_are_near():
    options = {"train_sizes": [40, 60], "cv": "1x3"}
    classes = np.where(Y == 2, 1, Y)  # a third and two thirds
    with pytest.raises(AssertionError, match=r"1 of 600 rows got another class, .* 0\.35"):
        check_batched_form(Shares(WrongLabel), X, classes, **options)
    agreement = check_batched_form(Shares(WrongLabel), X, classes, margin=0.4, **options)
    assert agreement.n_different == 1


def test_a_run_that_fails_the_plain_way_must_not_be_done_jointly():
    with pytest.raises(AssertionError, match="9 rows, repeat 0, fold 0: fit raised ValueError: no"):
        check_batched_form(Mean(MeanForm, fails=True), X, X[:, 0], train_sizes=[9])


@pytest.mark.parametrize("form", [None, Unsupported])
def test_a_learner_without_a_form_is_refused(form):
    assert batched_agreement(Shares(form), from_arrays(X, Y), train_sizes=4) is None
    with pytest.raises(InvalidArgumentError, match="learner must have a batched form for these"):
        check_batched_form(Shares(form), X, Y, train_sizes=4)


def test_sizes_that_cannot_be_are_refused():
    with pytest.raises(InvalidArgumentError, match=r"at most the training rows .* \(100\)"):
        check_batched_form(Shares(SharesForm), X, Y, cv="2x3", train_sizes=[50, 120])


def test_a_form_for_subsets_does_folds_too():
    agreement = check_batched_form(Shares(SharesForm), X, Y, cv="2x4")
    assert (agreement.n_runs, agreement.n_left, agreement.n_rows) == (8, 0, 300)
    assert agreement.n_different == 0
    assert check_batched_form(Drawn(), X, Y, cv="2x4").n_different == 0
    assert check_batched_form(Mean(MeanForm), X, X[:, 0], cv="7").largest_difference < 1e-14
