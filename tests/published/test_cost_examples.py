"""Two classroom examples of what accuracy hides: prices of errors, and a class that is rare.

The counts and prices are those of Tan, Steinbach & Kumar (2005), Introduction to Data Mining,
chapter 4 and its lecture slides; the lines of the slides hold their accuracies and costs.
"""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from tests.published.source_data import CLASSES, FIRST, PRICES, predictions, value

from bestofk import compare
from bestofk.learners.cost_threshold import CostThresholdClassifier
from bestofk.learners.majority_classifier import MajorityClassifier

pytestmark = pytest.mark.usefixtures("module_in_this_process")

RARE, COMMON = 10, 9990


class Recorded(ClassifierMixin, BaseEstimator):
    """Say what was said before: the input is the prediction."""

    def __init__(self, column=0):
        self.column = column

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return CLASSES[np.asarray(X)[:, self.column].astype(int)]


def test_a_comparison_of_the_same_predictions_decides_by_what_it_is_told():
    # The two examples have other shares of the classes, 190 and 295 of 500, so they are not of
    # the same rows. Here the second has the rows of the first: fewer alarms, more rows missed.
    batch = predictions(FIRST)
    true, said = batch.y_true, batch.labels
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
