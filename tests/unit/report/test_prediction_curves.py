from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import precision_score, roc_auc_score, roc_curve

from bestofk import compare
from bestofk.errors import InvalidArgumentError
from bestofk.measures import PredictionBatch
from bestofk.report.prediction_curves import GRID, calibration, mean_precision, mean_roc

CLASSES = np.array(["a", "b", "c"])


def batch_of(rng, n_runs=4, n_rows=60, **changes) -> PredictionBatch:
    probabilities = rng.dirichlet(np.ones(3), n_runs * n_rows).round(2)
    probabilities[:, 2] = 1 - probabilities[:, 0] - probabilities[:, 1]
    y_true = np.array([rng.choice(3, p=np.clip(row, 0, 1)) for row in probabilities])
    given = {
        "y_true": y_true,
        "labels": probabilities.argmax(axis=1),
        "starts": np.arange(n_runs + 1) * n_rows,
        "classes": CLASSES,
        "probabilities": probabilities,
    }
    return PredictionBatch(**(given | changes))


@pytest.fixture
def batch() -> PredictionBatch:
    return batch_of(np.random.default_rng(0))


@pytest.mark.parametrize("class_index", range(3))
def test_the_mean_roc_is_the_mean_of_the_curves_of_scikit_learn(batch, class_index):
    runs = np.split(np.arange(len(batch.y_true)), batch.starts[1:-1])
    expected = np.zeros(len(GRID))
    for rows in runs:
        is_class = batch.y_true[rows] == class_index
        fpr, tpr, _ = roc_curve(is_class, batch.probabilities[rows, class_index])
        expected += np.interp(GRID, fpr, tpr) / len(runs)
    curve = mean_roc(batch, class_index)
    np.testing.assert_array_equal(curve[:, 0], np.append(0, GRID))
    np.testing.assert_allclose(curve[:, 1], np.append(0, expected), atol=1e-12)


def test_the_area_below_the_mean_roc_is_about_the_mean_area(batch):
    runs = np.split(np.arange(len(batch.y_true)), batch.starts[1:-1])
    areas = [roc_auc_score(batch.y_true[r] == 1, batch.probabilities[r, 1]) for r in runs]
    area = np.trapezoid(*mean_roc(batch, 1).T[::-1])
    assert area == pytest.approx(np.mean(areas), abs=0.005)


def test_precision_at_the_recall_of_a_threshold_is_that_of_scikit_learn():
    batch = batch_of(np.random.default_rng(1), n_runs=1, n_rows=100)
    is_class, scores = batch.y_true == 0, batch.probabilities[:, 0]
    n_checked = 0
    for threshold in np.unique(scores):
        taken = scores >= threshold
        recall = (taken & is_class).sum() / is_class.sum()
        at = np.flatnonzero(np.isclose(GRID[1:], recall))
        higher = [t for t in scores if t > threshold and ((scores >= t) & is_class).sum()
                  == (taken & is_class).sum()]  # fmt: skip
        if len(at) and not higher:
            expected = precision_score(is_class, taken)
            assert mean_precision(batch, 0)[at[0], 1] == pytest.approx(expected)
            n_checked += 1
    assert n_checked >= 2


def small(y_true, starts, classes=CLASSES[:2], **scores):
    return PredictionBatch(np.array(y_true), np.array(y_true), np.array(starts), classes, **scores)


def test_perfect_scores_have_perfect_curves():
    batch = small([0, 1, 1, 0, 1], [0, 5], decision=np.array([-1.0, 1, 1, -1, 1]))
    for class_index in (0, 1):
        assert mean_roc(batch, class_index)[1:, 1].tolist() == [1.0] * len(GRID)
        assert mean_precision(batch, class_index)[:, 1].tolist() == [1.0] * (len(GRID) - 1)


def test_runs_without_both_kinds_of_rows_do_not_count():
    both = small([1, 1, 0, 1], [0, 2, 4], decision=np.array([0.1, 0.2, 0.3, 0.9]))
    assert mean_roc(both, 1)[1:, 1].tolist() == [1.0] * len(GRID)
    none = replace(both, y_true=np.ones(4, dtype=int))
    assert mean_roc(none, 1) is None
    assert mean_precision(none, 1) is None


def test_labels_alone_have_no_curves():
    batch = small([0, 1], [0, 2])
    assert batch.class_scores(1) is None
    assert mean_roc(batch, 1) is None
    assert calibration(batch, 1) is None


def test_decision_values_of_many_classes_are_taken_by_column():
    batch = small([0, 2], [0, 2], CLASSES, decision=np.arange(6.0).reshape(2, 3))
    assert batch.class_scores(2).tolist() == [2.0, 5.0]
    assert calibration(batch, 2) is None


def test_calibration_counts_every_prediction_once(batch):
    stated, observed, counts = calibration(batch, 1).T
    assert counts.sum() == len(batch.y_true)
    assert (observed * counts).sum() == pytest.approx((batch.y_true == 1).sum())
    assert (stated * counts).sum() == pytest.approx(batch.probabilities[:, 1].sum())
    assert (np.diff(stated) > 0).all()


def test_a_probability_of_one_is_in_the_last_bin():
    batch = small([1, 0], [0, 2], probabilities=np.array([[0.0, 1.0], [1.0, 0.0]]))
    assert calibration(batch, 1).tolist() == [[0, 0, 1], [1, 1, 1]]


def test_no_bins_are_refused(batch):
    with pytest.raises(InvalidArgumentError, match="n_bins must be a whole number from 1 up; got"):
        calibration(batch, 1, n_bins=0)


def test_an_evaluation_hands_out_its_predictions():
    evaluation = compare(["lda"], "iris", cv="2x3").evaluation
    batch = evaluation.predictions(0)
    assert batch.n_runs == 6
    tested = evaluation.data.y[np.concatenate(evaluation.test_rows)]
    np.testing.assert_array_equal(batch.y_true, tested)
    assert compare(["lda"], "iris", cv=3, keep="scores").evaluation.predictions(0) is None
