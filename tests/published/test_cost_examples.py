"""Two classroom examples of what accuracy hides: prices of errors, and a class that is rare.

The counts and prices are those of Tan, Steinbach & Kumar (2005), Introduction to Data Mining,
chapter 4 and its lecture slides.
"""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from bestofk import compare
from bestofk.learners.cost_threshold import CostThresholdClassifier
from bestofk.learners.majority_classifier import MajorityClassifier
from bestofk.measures import PredictionBatch, confusion_matrix, get_measure

pytestmark = pytest.mark.usefixtures("module_in_this_process")

CLASSES = np.array(["negative", "positive"])
# [true, predicted]: a positive row that is found is a gain of 1.
PRICES = np.array([[0, 1], [100, -1]])
# Positive rows found and missed, negative rows taken for positive and not.
FIRST, SECOND = (150, 40, 60, 250), (250, 45, 5, 200)
RARE, COMMON = 10, 9990


def predictions(counts):
    """Return true and predicted positions of as many rows as counted."""
    return np.repeat([1, 1, 0, 0], counts), np.repeat([1, 0, 1, 0], counts)


def value(name, counts, **options):
    true, said = predictions(counts)
    batch = PredictionBatch(
        y_true=true, labels=said, starts=np.array([0, len(true)]), classes=CLASSES
    )
    measure = get_measure(name, task="classification", classes=CLASSES, **options)
    return float(measure.compute(batch)[0])


class Recorded(ClassifierMixin, BaseEstimator):
    """Say what was said before: the input is the prediction."""

    def __init__(self, column=0):
        self.column = column

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return CLASSES[np.asarray(X)[:, self.column].astype(int)]


@pytest.mark.parametrize(("counts", "right", "total"), [(FIRST, 0.8, 3910), (SECOND, 0.9, 4255)])
def test_accuracy_and_total_cost_of_two_classifiers(counts, right, total):
    assert value("accuracy", counts) == right
    assert value("cost", counts, cost_matrix=PRICES) * sum(counts) == pytest.approx(total)


def test_the_order_by_cost_contradicts_the_order_by_accuracy():
    assert value("accuracy", SECOND) > value("accuracy", FIRST)
    first, second = (value("cost", of, cost_matrix=PRICES) for of in (FIRST, SECOND))
    assert first == pytest.approx(7.82)
    assert second == pytest.approx(8.51)


def test_where_cost_is_a_line_of_the_errors_the_two_orders_agree():
    # an error costs 5 and a right answer 2: 5 - (5 - 2) x accuracy
    prices = np.array([[2, 5], [5, 2]])
    for counts in (FIRST, SECOND):
        by_accuracy = 5 - (5 - 2) * value("accuracy", counts)
        assert value("cost", counts, cost_matrix=prices) == pytest.approx(by_accuracy)


def test_a_comparison_of_the_same_predictions_decides_by_what_it_is_told():
    # The two examples have other shares of the classes, 190 and 295 of 500, so they are not of
    # the same rows. Here the second has the rows of the first: fewer alarms, more rows missed.
    true, said = predictions(FIRST)
    other = np.repeat([1, 0, 1, 0], [148, 42, 5, 305])
    X = np.column_stack([said, other])
    learners = {"first": Recorded(0), "second": Recorded(1)}
    result = compare(
        learners, X, CLASSES[true], cv="1x5", scoring=["cost", "accuracy"], cost_matrix=PRICES
    )
    cost, accuracy = (score.values.mean(axis=1) for score in result.scores[:2])
    assert cost * len(true) == pytest.approx([3910, 42 * 100 + 5 - 148])
    assert accuracy == pytest.approx([0.8, 453 / 500])
    assert result.best == "first"
    assert result.verdict(scoring="accuracy").best == "second"


def test_naming_the_common_class_is_right_on_all_but_one_row_in_a_thousand():
    counts = (0, RARE, 0, COMMON)
    assert value("accuracy", counts) == 0.999
    true, said = predictions(counts)
    batch = PredictionBatch(
        y_true=true, labels=said, starts=np.array([0, len(true)]), classes=CLASSES
    )
    [[_, (missed, result)]] = confusion_matrix(batch).tolist()
    assert result / (result + missed) == 0  # recall of the rare class


def test_other_measures_see_that_the_rare_class_is_never_named():
    counts = (0, RARE, 0, COMMON)
    assert value("balanced_accuracy", counts) == 0.5
    assert value("f1", counts, pos_label="positive") == 0
    assert value("mcc", counts) == 0
    # a miss for 2000: 2 per row, where naming the rare class always costs 0.999
    prices = [[0, 1], [2000, 0]]
    assert value("cost", counts, cost_matrix=prices) == pytest.approx(2)
    assert value("cost", (RARE, 0, COMMON, 0), cost_matrix=prices) == pytest.approx(0.999)


@pytest.mark.parametrize(("miss", "said"), [(998, "negative"), (1000, "positive")])
def test_the_cheapest_single_class_changes_where_a_miss_costs_999_false_alarms(miss, said):
    X = np.zeros((RARE + COMMON, 1))
    y = np.repeat(CLASSES, [COMMON, RARE])
    learner = CostThresholdClassifier(MajorityClassifier(), [[0, 1], [miss, 0]]).fit(X, y)
    assert learner.predict(X[:1]).tolist() == [said]
