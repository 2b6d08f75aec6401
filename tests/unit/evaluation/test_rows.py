"""Predictions of rows, laid end to end by hand."""

from __future__ import annotations

import numpy as np
import pytest

from bestofk.evaluation.rows import RowPredictions
from bestofk.measures import PredictionBatch

Y = np.array([0, 1, 1, 0, 1])
STARTS = np.array([0, 2, 5])
LABELS = np.array([0, 0, 1, 1, 1])
P_SECOND = np.array([0.1, 0.4, 0.8, 0.7, 0.9])


def batch(labels=LABELS, *, probabilities=True, decision=None, positive=1, classes=("no", "yes")):
    return PredictionBatch(
        y_true=Y,
        labels=labels,
        starts=STARTS,
        classes=np.array(classes),
        probabilities=np.column_stack([1 - P_SECOND, P_SECOND]) if probabilities else None,
        decision=decision,
        positive=positive,
    )


def numbers(values):
    return PredictionBatch(
        y_true=np.array([1.0, 2.0, 4.0]),
        labels=np.array(values),
        starts=np.array([0, 3]),
        classes=np.array([]),
        probabilities=None,
        decision=None,
        positive=None,
    )


def test_the_loss_of_a_row_is_one_where_the_wrong_class_was_predicted():
    rows = RowPredictions((batch(), batch(Y)))
    assert rows.losses().tolist() == [[0, 1, 0, 1, 0], [0, 0, 0, 0, 0]]


def test_the_loss_of_a_number_is_its_squared_or_absolute_difference():
    rows = RowPredictions((numbers([1.0, 4.0, 1.0]),))
    assert rows.losses().tolist() == [[0, 4, 9]]
    assert rows.losses(absolute=True).tolist() == [[0, 2, 3]]


def test_rows_know_the_split_that_tested_them():
    assert RowPredictions((batch(),)).fold_of_row.tolist() == [0, 0, 1, 1, 1]


@pytest.mark.parametrize(
    ("positive", "is_positive", "ranking"),
    [(1, [0, 1, 1, 0, 1], P_SECOND), (0, [1, 0, 0, 1, 0], 1 - P_SECOND)],
)
def test_rankings_and_classes_follow_the_positive_class(positive, is_positive, ranking):
    rows = RowPredictions((batch(positive=positive),))
    assert rows.is_positive.tolist() == [bool(item) for item in is_positive]
    assert rows.rankings()[0] == pytest.approx(ranking)


@pytest.mark.parametrize(("positive", "sign"), [(1, 1), (0, -1)])
def test_decision_values_rank_rows_of_the_second_class_upwards(positive, sign):
    decision = np.array([-2.0, -1.0, 3.0, 0.5, 4.0])
    item = batch(probabilities=False, decision=decision, positive=positive)
    assert RowPredictions((item,)).rankings()[0].tolist() == (sign * decision).tolist()


def test_there_are_no_rankings_without_values_or_with_other_than_two_classes():
    assert RowPredictions((batch(), batch(probabilities=False))).rankings() is None
    three = batch(
        probabilities=False, decision=np.zeros((5, 3)), positive=None, classes=("a", "b", "c")
    )
    assert RowPredictions((three,)).rankings() is None
    assert RowPredictions((numbers([1.0, 2.0, 3.0]),)).rankings() is None


def test_posteriors_are_those_of_the_true_class_one_column_per_learner():
    posteriors = RowPredictions((batch(), batch())).posteriors()
    assert posteriors.shape == (5, 2)
    assert posteriors[:, 0] == pytest.approx([0.9, 0.4, 0.8, 0.3, 0.9])
    assert RowPredictions((batch(), batch(probabilities=False))).posteriors() is None
