"""Differences found by the check of batched forms, for folds and for subsets of some sizes."""

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
from bestofk.learners.majority_classifier import MajorityClassifier
from bestofk.testing import batched_agreement, check_batched_form

X, Y = load_iris(return_X_y=True)
SIZES = {"train_sizes": [5, 20, 40], "cv": "2x3"}
either_way = pytest.mark.parametrize("options", [{}, SIZES], ids=["folds", "subsets"])


class SharesForm(BatchedForm):
    """Correct batched form of Shares."""

    def predict(self, folds: Any, random_states: Any = None) -> BatchedPredictions:
        counts = self.table.class_counts(folds, self.n_folds)
        shares = counts / counts.sum(axis=2, keepdims=True)
        labels = np.full(folds.shape, self.table.n_classes - 1)
        runs = len(folds), self.n_folds
        return self.found(labels, shares[np.arange(len(folds))[:, None], folds], runs)

    def predict_subsets(self, subsets: Any, random_states: Any = None) -> BatchedPredictions:
        counts = subsets.class_counts(self.table)
        n_rows, n_train = np.diff(subsets.start), subsets.train.shape[1]
        last = self.table.n_classes - 1 - (counts[:, ::-1] > 0).argmax(axis=1)
        shares = np.repeat(counts / n_train, n_rows, axis=0)
        return self.found(np.repeat(last, n_rows), shares, (len(subsets),))

    def found(self, labels: Any, shares: Any, runs: Any) -> BatchedPredictions:
        return BatchedPredictions(labels, probabilities=shares)


class WrongLabel(SharesForm):
    """Gives one row another class."""

    def found(self, labels: Any, shares: Any, runs: Any) -> BatchedPredictions:
        labels.flat[5] = 0
        return BatchedPredictions(labels, probabilities=shares)


class WrongShare(SharesForm):
    """Gives one row of the last run another probability."""

    def found(self, labels: Any, shares: Any, runs: Any) -> BatchedPredictions:
        shares[-1].flat[0] += 1e-6
        return BatchedPredictions(labels, probabilities=shares)


class NotANumber(SharesForm):
    """Gives one row no probability at all."""

    def found(self, labels: Any, shares: Any, runs: Any) -> BatchedPredictions:
        shares[0].flat[0] = np.nan
        return BatchedPredictions(labels, probabilities=shares)


class Infinite(SharesForm):
    """Gives decision values that are infinite."""

    def found(self, labels: Any, shares: Any, runs: Any) -> BatchedPredictions:
        return BatchedPredictions(labels, decision=np.full(shares.shape, -np.inf))


class NoShares(SharesForm):
    """Gives labels alone."""

    def found(self, labels: Any, shares: Any, runs: Any) -> BatchedPredictions:
        return BatchedPredictions(labels)


class Nothing(SharesForm):
    """Leaves every run to the plain way."""

    def found(self, labels: Any, shares: Any, runs: Any) -> BatchedPredictions:
        is_done = np.zeros(runs, dtype=bool)
        return BatchedPredictions(labels, probabilities=shares, is_done=is_done)


class Unsupported(SharesForm):
    """Never fits the table."""

    @classmethod
    def supports(cls, estimator: Any, table: Any) -> bool:
        return False


class MeanForm(BatchedForm):
    """Means of all subsets, and so of all folds."""

    def predict_subsets(self, subsets: Any, random_states: Any = None) -> BatchedPredictions:
        means = self.table.y[subsets.train].mean(axis=1)
        return BatchedPredictions(np.repeat(means, np.diff(subsets.start)))


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
    """Batched form of Drawn."""

    is_random = True

    def predict_subsets(self, subsets: Any, random_states: Any = None) -> BatchedPredictions:
        return BatchedPredictions(np.repeat(random_states % 3, np.diff(subsets.start)))


@pytest.mark.parametrize(
    ("options", "n_runs", "n_rows"),
    [
        ({"cv": "2x3"}, 6, 300),
        ({"cv": "2x3", "train_sizes": [1, 40]}, 12, 2 * 6 * 50 + 6 * 41),
        # so many sizes are those of learning curves
        ({"cv": "1x3", "train_sizes": 3}, 9, 3 * 150 + 3 * (15 + 39 + 100)),
    ],
)
def test_a_form_that_agrees_is_counted(options, n_runs, n_rows):
    agreement = check_batched_form(Shares(SharesForm), X, Y, **options)
    assert (agreement.n_runs, agreement.n_left, agreement.n_rows) == (n_runs, 0, n_rows)
    assert (agreement.n_different, agreement.largest_difference, agreement.failures) == (0, 0.0, ())


@either_way
def test_a_form_of_a_regressor_is_compared_by_its_numbers(options):
    agreement = check_batched_form(Mean(MeanForm), X, X[:, 0], **options)
    assert agreement.largest_difference < 1e-14


@either_way
def test_random_states_are_those_of_the_plain_fits(options):
    assert check_batched_form(Drawn(), X, Y, **options).n_different == 0
    assert check_batched_form(Drawn(random_state=7), X, Y, **options).n_different == 0


@either_way
@pytest.mark.parametrize(
    ("form", "message"),
    [
        (WrongShare, "scores differ by up to 1e-06"),
        (NotANumber, "scores differ by up to inf"),
        (Infinite, "scores differ by up to inf"),
        (NoShares, "scores in one way alone"),
        (Nothing, "no run was done in a batch, 1[08] were left to the plain way"),
    ],
)
def test_what_differs_is_said(form, message, options):
    with pytest.raises(AssertionError, match=f"batched form of Shares: .*{message}"):
        check_batched_form(Shares(form), X, Y, **options)


@pytest.mark.parametrize(
    ("options", "said", "margin"),
    [
        ({}, r"1 of 750 rows got another class, .* 0\.333", 0.34),
        ({"train_sizes": [40], "cv": "1x3"}, r"1 of 270 rows got another class, .* 0\.35", 0.4),
    ],
)
def test_another_class_is_allowed_where_the_plain_scores_are_near(options, said, margin):
    classes = np.where(Y == 2, 1, Y)  # a third and two thirds
    with pytest.raises(AssertionError, match=said):
        check_batched_form(Shares(WrongLabel), X, classes, **options)
    agreement = check_batched_form(Shares(WrongLabel), X, classes, margin=margin, **options)
    assert agreement.n_different == 1


def test_another_class_among_equal_scores_is_a_tie():
    agreement = batched_agreement(Shares(WrongLabel), from_arrays(X, Y))
    assert (agreement.n_tied, agreement.n_different, agreement.largest_wrong_margin) == (1, 0, 0.0)


@pytest.mark.parametrize(("options", "where"), [({}, ""), ({"train_sizes": [9]}, "9 rows, ")])
def test_a_run_that_fails_the_plain_way_must_not_be_done_jointly(options, where):
    said = f"{where}repeat 0, fold 0: fit raised ValueError: no mean"
    with pytest.raises(AssertionError, match=said):
        check_batched_form(Mean(MeanForm, fails=True), X, X[:, 0], **options)


@either_way
@pytest.mark.parametrize("form", [None, Unsupported])
def test_a_learner_without_a_batched_form_is_refused(form, options):
    assert batched_agreement(Shares(form), from_arrays(X, Y), **options) is None
    message = "learner must have a batched form for these data"
    with pytest.raises(InvalidArgumentError, match=message):
        check_batched_form(Shares(form), X, Y, **options)


def test_plans_and_sizes_that_cannot_be_are_refused():
    with pytest.raises(InvalidArgumentError, match="cv must test every row once in each repeat"):
        batched_agreement(MajorityClassifier(), from_arrays(X, Y), cv="holdout")
    with pytest.raises(InvalidArgumentError, match=r"at most the training rows .* \(100\)"):
        check_batched_form(Shares(SharesForm), X, Y, cv="2x3", train_sizes=[50, 120])
