import dataclasses

import numpy as np
import pytest

from bestofk.errors import InvalidArgumentError
from bestofk.measures import PredictionBatch, get_measure

GOOD = PredictionBatch(
    y_true=np.array([0, 1, 1, 0]),
    labels=np.array([0, 1, 0, 0]),
    starts=np.array([0, 2, 4]),
    classes=np.array(["no", "yes"]),
    probabilities=np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.5, 0.5]]),
    decision=np.array([-1.0, 2.0, -0.5, 0.0]),
)
VALUES = PredictionBatch(
    y_true=np.array([1.0, 2.0]),
    labels=np.array([1.5, 2.0]),
    starts=np.array([0, 2]),
    classes=np.empty(0),
)


def measure(name):
    return get_measure(name, task="classification", classes=["no", "yes"])


def test_batch_knows_the_run_of_each_row():
    assert GOOD.run_of_row.tolist() == [0, 0, 1, 1]
    assert GOOD.is_classification
    assert not VALUES.is_classification


def test_batch_knows_which_classes_are_predicted_rightly():
    assert GOOD.is_hit.tolist() == [True, True, False, True]
    assert VALUES.is_hit.size == 0
    turned = dataclasses.replace(GOOD, labels=1 - GOOD.labels)
    assert turned.is_hit.tolist() == [False, False, True, False]


def test_second_class_is_positive_unless_said():
    assert GOOD.positive_class == 1
    assert dataclasses.replace(GOOD, positive=0).positive_class == 0


@pytest.mark.parametrize("starts", [[0, 4, 4], [0, 2], [1, 4], [0, 3, 2, 4], []])
def test_runs_must_follow_each_other_and_not_be_empty(starts):
    with pytest.raises(InvalidArgumentError, match=r"starts must be rising from 0 to .* \(4\)"):
        dataclasses.replace(GOOD, starts=np.array(starts, dtype=np.int64))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"labels": np.array([0, 1])}, r"labels must be of shape \(4,\); got \(2,\)"),
        ({"labels": np.array([0, 1, -1, 0])}, "labels must be positions from 0 to 1; got"),
        ({"y_true": np.array([0, 1, 2, 0])}, "y_true must be positions from 0 to 1; got"),
        ({"probabilities": np.ones((4, 3))}, r"probabilities must be of shape \(4, 2\)"),
        ({"probabilities": np.full((4, 2), np.nan)}, "probabilities must be free of nan; got 8"),
        ({"decision": np.ones((4, 2))}, r"decision must be of shape \(4,\); got \(4, 2\)"),
        ({"decision": np.array([0, 1, np.nan, 0])}, "decision must be free of nan; got 1 nan"),
    ],
)
def test_batch_that_does_not_fit_together_is_refused(change, message):
    with pytest.raises(InvalidArgumentError, match=message):
        dataclasses.replace(GOOD, **change)


def test_predicted_value_of_nan_is_refused():
    with pytest.raises(InvalidArgumentError, match="labels must be free of nan"):
        dataclasses.replace(VALUES, labels=np.array([np.nan, 2.0]))


def test_measure_of_the_other_task_is_refused():
    with pytest.raises(InvalidArgumentError, match="task of measure 'error' must be that of"):
        measure("error").compute(VALUES)


def test_measure_without_what_it_needs_is_refused():
    bare = dataclasses.replace(GOOD, probabilities=None)
    with pytest.raises(InvalidArgumentError, match="log_loss needs probabilities; this learner"):
        measure("log_loss").compute(bare)
    bare = dataclasses.replace(bare, decision=None)
    with pytest.raises(InvalidArgumentError, match="auroc needs probabilities or decision values"):
        measure("auroc").compute(bare)


def test_missing_reason_is_none_where_the_measure_can_be_computed():
    reason = measure("auroc").missing_reason
    assert reason(has_probabilities=False, has_decision=True) is None
    assert reason(has_probabilities=True, has_decision=False) is None
    assert measure("error").missing_reason(has_probabilities=False, has_decision=False) is None


def test_loss_is_smaller_where_the_predictions_are_better():
    values = np.array([0.25, 0.5])
    assert measure("accuracy").loss(values).tolist() == [-0.25, -0.5]
    assert measure("error").loss(values).tolist() == [0.25, 0.5]


def test_no_runs_give_no_values():
    empty = PredictionBatch(
        y_true=np.empty(0, dtype=np.int64),
        labels=np.empty(0, dtype=np.int64),
        starts=np.array([0]),
        classes=np.array(["no", "yes"]),
        probabilities=np.empty((0, 2)),
    )
    assert measure("auroc").compute(empty).shape == (0,)
    assert measure("f1").compute(empty).shape == (0,)


def test_measure_prints_its_direction_range_and_need():
    expected = "<measure mcc: higher is better, -1 to 1, needs labels>"
    assert repr(measure("mcc")) == expected
