"""Predictions of rows, laid end to end by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from bestofk.errors import DesignError
from bestofk.evaluation.record import RunRecord
from bestofk.evaluation.rows import RowPredictions, row_predictions
from bestofk.evaluation.run_table import RunTable
from bestofk.evaluation.status import ERROR, LOST
from bestofk.measures import PredictionBatch, get_measure

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


def classes_measure(name, **options):
    return get_measure(name, task="classification", classes=["no", "yes"], **options)


def test_losses_of_a_measure_are_its_values_of_single_rows():
    rows = RowPredictions((batch(), batch(Y)))
    assert rows.losses().tolist() == [[0, 1, 0, 1, 0], [0] * 5]
    assert rows.fold_of_row.tolist() == [0, 0, 1, 1, 1]
    assert rows.losses_of(classes_measure("error")).tolist() == [[0, 1, 0, 1, 0], [0] * 5]
    assert rows.losses_of(classes_measure("accuracy")).tolist() == [[-1, 0, -1, 0, -1], [-1] * 5]
    true = np.array([0.9, 0.4, 0.8, 0.3, 0.9])
    assert rows.losses_of(classes_measure("log_loss"))[0] == pytest.approx(-np.log(true))
    assert rows.losses_of(classes_measure("brier"))[0] == pytest.approx((1 - true) ** 2)
    cost = classes_measure("cost", cost_matrix=[[0, 5], [1, -2]])
    assert rows.losses_of(cost).tolist() == [[0, 1, -2, 5, -2], [0, -2, -2, 0, -2]]


def test_losses_of_numbers_are_those_of_the_measure():
    rows = RowPredictions((numbers([1.0, 4.0, 1.0]),))
    assert rows.losses().tolist() == [[0, 4, 9]]
    assert rows.losses(absolute=True).tolist() == [[0, 2, 3]]
    for name, losses in (("mse", [[0, 4, 9]]), ("mae", [[0, 2, 3]])):
        measure = get_measure(name, task="regression", classes=[])
        assert rows.losses_of(measure).tolist() == losses


def test_measures_that_are_no_mean_over_rows_or_lack_something_have_no_losses_of_rows():
    rows = RowPredictions((batch(),))
    for name in ("f1", "mcc", "auroc", "balanced_accuracy", "precision"):
        assert rows.losses_of(classes_measure(name)) is None
    labels_alone = RowPredictions((batch(), batch(probabilities=False)))
    assert labels_alone.losses_of(classes_measure("brier")) is None
    squared = get_measure("r2", task="regression", classes=[])
    assert RowPredictions((numbers([1.0, 4.0, 1.0]),)).losses_of(squared) is None


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


@pytest.mark.parametrize(
    ("status", "way_out"), [(LOST, r"lda\. Finish the runs"), (ERROR, "lda, which failed")]
)
def test_a_run_that_was_lost_is_not_said_to_have_failed(status, way_out):
    runs = RunTable.of([RunRecord(status, None, np.nan, np.nan)])
    has_failed = np.array([runs.has_failed])
    evaluation = SimpleNamespace(records=[runs], has_failed=has_failed, names=["lda"])
    with pytest.raises(DesignError, match=way_out):
        row_predictions(evaluation, [0], [0])
