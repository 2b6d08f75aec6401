"""Differences found by the check of batched forms."""

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from tests.unit.testing.made_learners import Mean, Shares

from bestofk.batched import BatchedForm, BatchedPredictions
from bestofk.data.arrays import from_arrays
from bestofk.errors import InvalidArgumentError
from bestofk.learners.majority_classifier import MajorityClassifier
from bestofk.testing import batched_agreement, check_batched_form

X, Y = load_iris(return_X_y=True)


class SharesForm(BatchedForm):
    """Correct batched form of Shares."""

    def predict(self, folds: Any, random_states: Any = None) -> BatchedPredictions:
        counts = self.table.class_counts(folds, self.n_folds)
        shares = counts / counts.sum(axis=2, keepdims=True)
        labels = np.full(folds.shape, self.table.n_classes - 1)
        return self.found(labels, shares[np.arange(len(folds))[:, None], folds])

    def found(self, labels: Any, shares: Any) -> BatchedPredictions:
        return BatchedPredictions(labels, probabilities=shares)


class WrongLabel(SharesForm):
    """Gives one row another class."""

    def found(self, labels: Any, shares: Any) -> BatchedPredictions:
        labels[0, 5] = 0
        return BatchedPredictions(labels, probabilities=shares)


class WrongShare(SharesForm):
    """Gives one row another probability."""

    def found(self, labels: Any, shares: Any) -> BatchedPredictions:
        shares[1, 7, 0] += 1e-6
        return BatchedPredictions(labels, probabilities=shares)


class NoShares(SharesForm):
    """Gives labels alone."""

    def found(self, labels: Any, shares: Any) -> BatchedPredictions:
        return BatchedPredictions(labels)


class Nothing(SharesForm):
    """Leaves every fold to the plain way."""

    def found(self, labels: Any, shares: Any) -> BatchedPredictions:
        is_done = np.zeros((len(labels), self.n_folds), dtype=bool)
        return BatchedPredictions(labels, probabilities=shares, is_done=is_done)


class Unsupported(SharesForm):
    """Never fits the table."""

    @classmethod
    def supports(cls, estimator: Any, table: Any) -> bool:
        return False


class MeanForm(BatchedForm):
    """Means of all parts."""

    def predict(self, folds: Any, random_states: Any = None) -> BatchedPredictions:
        y = self.table.y
        means = np.array(
            [[y[each != fold].mean() for fold in range(self.n_folds)] for each in folds]
        )
        return BatchedPredictions(means[np.arange(len(folds))[:, None], folds])


def test_a_form_that_agrees_is_counted():
    agreement = check_batched_form(Shares(SharesForm), X, Y, cv="2x3")
    assert (agreement.n_runs, agreement.n_left, agreement.n_rows) == (6, 0, 300)
    assert (agreement.n_different, agreement.largest_difference, agreement.failures) == (0, 0.0, ())


def test_a_form_of_a_regressor_is_compared_by_its_numbers():
    assert check_batched_form(Mean(MeanForm), X, X[:, 0]).largest_difference < 1e-14


@pytest.mark.parametrize(
    ("form", "message"),
    [
        (WrongShare, "scores differ by up to 1e-06"),
        (NoShares, "scores in one way alone"),
        (Nothing, "no run was done in a batch, 10 were left to the plain way"),
    ],
)
def test_what_differs_is_said(form, message):
    with pytest.raises(AssertionError, match=f"batched form of Shares: .*{message}"):
        check_batched_form(Shares(form), X, Y)


def test_another_class_is_allowed_where_the_plain_scores_are_near():
    classes = np.where(Y == 2, 1, Y)  # a third and two thirds
    with pytest.raises(AssertionError, match=r"1 of 750 rows got another class, .* 0\.333"):
        check_batched_form(Shares(WrongLabel), X, classes)
    assert check_batched_form(Shares(WrongLabel), X, classes, margin=0.34).n_different == 1


def test_another_class_among_equal_scores_is_a_tie():
    agreement = batched_agreement(Shares(WrongLabel), from_arrays(X, Y))
    assert (agreement.n_tied, agreement.n_different, agreement.largest_wrong_margin) == (1, 0, 0.0)


def test_a_run_that_fails_the_plain_way_must_not_be_done_jointly():
    with pytest.raises(AssertionError, match="repeat 0, fold 0: fit raised ValueError: no mean"):
        check_batched_form(Mean(MeanForm, fails=True), X, X[:, 0])


@pytest.mark.parametrize("form", [None, Unsupported])
def test_a_learner_without_a_batched_form_is_refused(form):
    assert batched_agreement(Shares(form), from_arrays(X, Y)) is None
    with pytest.raises(
        InvalidArgumentError, match="learner must have a batched form for these data"
    ):
        check_batched_form(Shares(form), X, Y)


def test_a_plan_that_does_not_test_all_rows_is_refused():
    with pytest.raises(InvalidArgumentError, match="cv must test every row once in each repeat"):
        batched_agreement(MajorityClassifier(), from_arrays(X, Y), cv="holdout")


def test_a_score_that_is_not_a_number_differs_from_all():
    class NotANumber(SharesForm):
        def found(self, labels: Any, shares: Any) -> BatchedPredictions:
            shares[0, 3, 1] = np.nan
            return BatchedPredictions(labels, probabilities=shares)

    with pytest.raises(AssertionError, match="scores differ by up to inf"):
        check_batched_form(Shares(NotANumber), X, Y)
