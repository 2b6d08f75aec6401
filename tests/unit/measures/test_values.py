"""Small cases whose values are computed by hand."""

import dataclasses
import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from bestofk.errors import InvalidArgumentError
from bestofk.measures import PredictionBatch, confusion_matrix, get_measure, pooled_auroc

TWO = PredictionBatch(
    y_true=np.array([0, 0, 1, 1, 0, 0]),
    labels=np.array([0, 1, 1, 1, 0, 0]),
    starts=np.array([0, 4, 6]),
    classes=np.array(["no", "yes"]),
    probabilities=np.array(
        [[0.9, 0.1], [0.4, 0.6], [0.4, 0.6], [0.2, 0.8], [1.0, 0.0], [0.5, 0.5]]
    ),
)
THREE = PredictionBatch(
    y_true=np.array([0, 1, 2, 0, 1, 1]),
    labels=np.array([0, 1, 1, 0, 1, 2]),
    starts=np.array([0, 3, 6]),
    classes=np.array(["a", "b", "c"]),
    probabilities=np.array(
        [
            [0.8, 0.1, 0.1],
            [0.2, 0.6, 0.2],
            [0.1, 0.7, 0.2],
            [0.5, 0.3, 0.2],
            [0.0, 1.0, 0.0],
            [0.1, 0.2, 0.7],
        ]
    ),
)
VALUES = PredictionBatch(
    y_true=np.array([1.0, 2.0, 3.0, 5.0, 5.0, 7.0]),
    labels=np.array([1.0, 2.0, 5.0, 4.0, 5.0, 7.0]),
    starts=np.array([0, 3, 5, 6]),
    classes=np.empty(0),
)


def values(name, batch, **options):
    task = "classification" if batch.is_classification else "regression"
    measure = get_measure(name, task=task, classes=batch.classes, **options)
    return measure.compute(batch)


def test_balanced_accuracy_leaves_out_classes_without_a_test_row():
    assert values("balanced_accuracy", TWO).tolist() == [0.75, 1.0]
    assert_allclose(values("balanced_accuracy", THREE), [2 / 3, 0.75])


def test_auroc_counts_ties_one_half_and_is_nan_for_one_class():
    assert_array_equal(values("auroc", TWO), [0.875, np.nan])


def test_auroc_is_the_same_whichever_class_is_positive():
    turned = dataclasses.replace(TWO, positive=0)
    assert_array_equal(values("auroc", turned), [0.875, np.nan])
    decision = np.array([-2.0, 0.5, 0.5, 1.0, -3.0, 0.0])
    turned = dataclasses.replace(turned, probabilities=None, decision=decision)
    assert_array_equal(values("auroc", turned), [0.875, np.nan])


def test_macro_auroc_is_nan_where_a_class_is_absent_with_its_reason():
    # Against the rest: a 1, b 1/2, c (1/2 + 1) / 2, each of one positive and two others.
    assert_array_equal(values("auroc", THREE), [0.75, np.nan])
    measure = get_measure("auroc", task="classification", classes=THREE.classes)
    assert measure.undefined.startswith("a class is absent from the test rows")
    measure = get_measure("auroc", task="classification", classes=TWO.classes)
    assert measure.undefined == "only one class in the test rows"


def test_weighted_auroc_weighs_classes_by_their_test_rows():
    batch = dataclasses.replace(THREE, starts=np.array([0, 6]))
    # a: 8 of 8 pairs; b: 6 of 9; c: 3 of 5, weighted by 2, 3 and 1 rows.
    expected = (2 * 1 + 3 * 6 / 9 + 1 * 3 / 5) / 6
    assert_allclose(values("auroc_weighted", batch), [expected], rtol=1e-14)
    assert_allclose(values("auroc", batch), [(1 + 6 / 9 + 3 / 5) / 3], rtol=1e-14)


def test_auroc_ranks_by_the_second_class_where_probabilities_are_saturated():
    # The first class's probability is 1 in two rows: as a score it would be a tie.
    saturated = np.array([[1.0, 1e-30], [1.0, 1e-20], [0.5, 0.5]])
    batch = PredictionBatch(
        y_true=np.array([0, 1, 0]),
        labels=np.array([0, 0, 0]),
        starts=np.array([0, 3]),
        classes=np.array(["no", "yes"]),
        probabilities=saturated,
        positive=0,
    )
    assert values("auroc", batch).tolist() == [0.5]


def test_infinite_decision_values_are_ranked():
    decision = np.array([-np.inf, 0.5, np.inf, 1.0, -3.0, 0.0])
    batch = dataclasses.replace(TWO, probabilities=None, decision=decision)
    assert values("auroc", batch)[0] == 1.0


def test_pooled_auroc_ranks_the_rows_of_all_runs_of_a_pool():
    # 0.6 and 0.8 against 0.1, 0.6, 0.0, 0.5: one tie among eight pairs.
    assert pooled_auroc(TWO, np.array([4, 4])).tolist() == [7.5 / 8]
    assert_array_equal(pooled_auroc(TWO, np.array([1, 0])), [np.nan, 0.875])


def test_pooled_auroc_needs_one_group_per_run():
    with pytest.raises(InvalidArgumentError, match=r"groups must be one pool per run.*\(2,\)"):
        pooled_auroc(TWO, np.array([0]))


def test_runs_longer_than_what_is_looked_at_together_have_the_values_they_have_alone():
    rng = np.random.default_rng(0)
    lengths = np.array([5, 33_000, 1, 20_000, 20_000, 70_000, 3])
    starts = np.concatenate([[0], np.cumsum(lengths)])
    y, labels = rng.integers(0, 2, (2, starts[-1]))
    share = rng.random(starts[-1])
    table = np.column_stack([1 - share, share])
    batch = PredictionBatch(y, labels, starts, np.array([0, 1]), probabilities=table)
    surprise = -np.log(np.where(y == 1, share, 1 - share))
    for name, of_rows in (
        ("log_loss", surprise),
        ("error", y != labels),
        ("accuracy", y == labels),
    ):
        result = values(name, batch)
        for run, (start, stop) in enumerate(itertools.pairwise(starts)):
            some = slice(start, stop)
            alone = PredictionBatch(
                y[some], labels[some], np.array([0, stop - start]), np.array([0, 1]), table[some]
            )
            assert values(name, alone)[0] == result[run]
            assert_allclose(result[run], of_rows[some].mean(), rtol=1e-12)


def test_log_loss_of_a_certain_mistake_is_finite():
    wrong = dataclasses.replace(TWO, y_true=np.array([0, 0, 1, 1, 1, 0]))
    eps = np.finfo(float).eps
    assert_allclose(values("log_loss", wrong)[1], (-np.log(eps) - np.log(0.5)) / 2)


def test_brier_does_not_change_the_probabilities():
    before = TWO.probabilities.copy()
    values("brier", TWO)
    assert_array_equal(TWO.probabilities, before)


def test_f1_is_that_of_the_positive_class_and_zero_where_it_never_occurs():
    assert_allclose(values("f1", TWO), [0.8, 0.0])
    assert_allclose(values("f1", dataclasses.replace(TWO, positive=0)), [2 / 3, 1.0])
    assert_allclose(values("f1", TWO, pos_label="no"), [2 / 3, 1.0])


def test_matthews_correlation_is_zero_where_one_class_is_alone():
    assert_allclose(values("mcc", TWO), [2 / np.sqrt(12), 0.0])


def test_cost_order_may_contradict_the_order_of_accuracy():
    # 500 rows, costs [[0, 1], [100, -1]]: accuracy 0.8 costs 3910, accuracy 0.9 costs 4255.
    def batch(tp, fn, fp, tn):
        counts = [tp, fn, fp, tn]
        return np.repeat([1, 1, 0, 0], counts), np.repeat([1, 0, 1, 0], counts)

    runs = [batch(150, 40, 60, 250), batch(250, 45, 5, 200)]
    both = PredictionBatch(
        y_true=np.concatenate([run[0] for run in runs]),
        labels=np.concatenate([run[1] for run in runs]),
        starts=np.array([0, 500, 1000]),
        classes=np.array(["-", "+"]),
    )
    matrix = [[0, 1], [100, -1]]
    assert_allclose(values("cost", both, cost_matrix=matrix) * 500, [3910, 4255])
    assert values("accuracy", both).tolist() == [0.8, 0.9]


@pytest.mark.parametrize(
    ("matrix", "got"),
    [
        ([[0, 1]], r"got shape \(1, 2\)"),
        ([[0, 1], [np.nan, 0]], r"got \[\[0.0, 1.0\], \[nan, 0.0\]\]"),
        ([["a", 1], [1, 0]], r"got \[\['a', 1\], \[1, 0\]\]"),
        ([[0, 1], [1]], r"got \[\[0, 1\], \[1\]\]"),
    ],
)
def test_cost_matrix_must_be_a_table_of_the_classes(matrix, got):
    with pytest.raises(InvalidArgumentError, match=f"cost_matrix must be a table of 2 x 2.*{got}"):
        get_measure("cost", task="classification", classes=["a", "b"], cost_matrix=matrix)


def test_range_of_the_cost_is_that_of_its_matrix():
    measure = get_measure(
        "cost", task="classification", classes="ab", cost_matrix=[[0, 5], [1, -2]]
    )
    assert (measure.minimum, measure.maximum) == (-2, 5)


def test_r2_is_nan_where_the_target_does_not_vary():
    assert_array_equal(values("r2", VALUES), [-1.0, np.nan, np.nan])


def test_r2_keeps_its_digits_far_from_zero():
    moved = dataclasses.replace(VALUES, y_true=VALUES.y_true + 1e9, labels=VALUES.labels + 1e9)
    assert_array_equal(values("r2", moved), [-1.0, np.nan, np.nan])


def test_confusion_matrix_has_true_classes_in_rows():
    assert confusion_matrix(TWO).tolist() == [[[1, 1], [0, 2]], [[2, 0], [0, 0]]]


def test_confusion_matrix_of_values_is_refused():
    with pytest.raises(InvalidArgumentError, match="confusion matrix must be classes; got values"):
        confusion_matrix(VALUES)


def test_precision_recall_and_specificity_are_those_of_the_positive_class():
    # First run: true no, no, yes, yes; predicted no, yes, yes, yes. Second: all no.
    assert_allclose(values("precision", TWO), [2 / 3, 0.0])
    assert_array_equal(values("recall", TWO), [1.0, np.nan])
    assert_array_equal(values("specificity", TWO), [0.5, 1.0])
    turned = dataclasses.replace(TWO, positive=0)
    assert_array_equal(values("recall", turned), [0.5, 1.0])
    assert_array_equal(values("specificity", turned), [1.0, np.nan])


def test_average_precision_takes_rows_of_one_score_together():
    # Scores .8 (yes), .6 (yes and no), .1: precision 1 for one positive row, 2/3 for the other.
    assert_array_equal(values("average_precision", TWO), [(1 + 2 / 3) / 2, np.nan])
    decision = np.array([-2.0, 0.5, 0.5, 1.0, -3.0, 0.0])
    other = dataclasses.replace(TWO, probabilities=None, decision=decision)
    assert_array_equal(values("average_precision", other), [(1 + 2 / 3) / 2, np.nan])
    # "no": scores 2, -0.5, -0.5, -1.
    turned = dataclasses.replace(other, positive=0)
    assert_array_equal(values("average_precision", turned), [(1 + 2 / 3) / 2, 1.0])


def test_top_k_accuracy_shares_tied_places():
    tied = np.array([[0.2, 0.2, 0.6], [0.4, 0.3, 0.3], [0.1, 0.7, 0.2]])
    batch = PredictionBatch(
        y_true=np.array([0, 2, 2]),
        labels=np.array([2, 0, 1]),
        starts=np.array([0, 3]),
        classes=np.array(["a", "b", "c"]),
        probabilities=tied,
    )
    assert_allclose(values("top_k_accuracy", batch), [(0.5 + 0.5 + 1) / 3])
    assert_allclose(values("top_1_accuracy", batch), [0.0])
    assert np.isnan(values("top_3_accuracy", batch)[0])
    measure = get_measure("top_k_accuracy", task="classification", classes=TWO.classes)
    assert measure.undefined == "2 of 2 classes are named, so every row is right"


def test_more_errors_of_values_are_those_computed_by_hand():
    assert_allclose(values("rmse", VALUES), [np.sqrt(4 / 3), np.sqrt(0.5), 0])
    logs = np.log([4 / 6, 6 / 5])  # of 1 plus the value
    assert_allclose(values("rmsle", VALUES), [*np.sqrt(logs**2 / [3, 2]), 0], atol=1e-15)
    assert_allclose(values("median_absolute_error", VALUES), [0, 0.5, 0])
    assert_allclose(values("mape", VALUES), [2 / 9, 1 / 10, 0])
    assert_allclose(values("pinball", VALUES), [1 / 3, 1 / 4, 0])
    # Two above the target 3 cost 0.1 each; one below the target 5 costs 0.9.
    assert_allclose(values("pinball_0.9", VALUES), [0.2 / 3, 0.9 / 2, 0])
    assert_allclose(values("max_error", VALUES), [2, 1, 0])
    zero = dataclasses.replace(VALUES, y_true=np.array([0.0, 2, 3, 5, 5, 7]))
    assert_array_equal(np.isnan(values("mape", zero)), [True, False, False])
    assert_array_equal(np.isnan(values("rmsle", zero)), [False, False, False])
    below = dataclasses.replace(VALUES, labels=VALUES.labels - 3, y_true=VALUES.y_true - 2)
    assert_array_equal(np.isnan(values("rmsle", below)), [True, False, False])


def test_row_losses_of_a_root_are_centered_on_it_and_vary_as_it_does():
    rmse = get_measure("rmse", task="regression", classes=[])
    squares = np.square(VALUES.y_true - VALUES.labels)
    root = np.sqrt(squares.mean())
    losses = rmse.row_losses(VALUES)
    assert_allclose(losses.mean(), root)
    assert_allclose(losses.std(), squares.std() / (2 * root))  # the delta method
    right = dataclasses.replace(VALUES, labels=VALUES.y_true)
    assert_array_equal(rmse.row_losses(right), np.zeros(6))
    with pytest.raises(InvalidArgumentError, match=r"a mean over rows.*got r2"):
        get_measure("r2", task="regression", classes=[]).row_losses(VALUES)


@given(errors=st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20))
def test_rmse_of_single_rows_is_their_absolute_error(errors):
    n_rows = len(errors)
    batch = PredictionBatch(np.zeros(n_rows), np.array(errors), np.arange(n_rows + 1), np.empty(0))
    assert_allclose(values("rmse", batch), np.abs(errors), rtol=1e-12, atol=1e-150)
