from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.tree import DecisionTreeClassifier

from bestofk import compare
from bestofk.curves.cost import cost_curve
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import roc_curve_points

pytestmark = pytest.mark.usefixtures("module_in_this_process")

PRICES = [[0, 1], [20, 0]]


class GivenScore(ClassifierMixin, BaseEstimator):
    """Take one input for the decision value."""

    def __init__(self, column=0, has_scores=True):
        self.column = column
        self.has_scores = has_scores

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def _scores(self, X):
        return np.asarray(X, dtype=float)[:, self.column]

    def predict(self, X):
        return self.classes_[(self._scores(X) > 0).astype(int)]

    def __getattr__(self, name):
        if name == "decision_function" and self.__dict__.get("has_scores"):
            return self._scores
        raise AttributeError(name)


def compared(columns, y, pos_label=1, **options):
    X = np.asarray(columns, dtype=float).T
    learners = {f"score-{k}": GivenScore(k, **options) for k in range(X.shape[1])}
    options = {"test": "corrected-t", "pos_label": pos_label, "scoring": "error"}
    return compare(learners, X, np.asarray(y), cv="1x2", **options)


FIVE_CLASSES = [1, 1, 0, 1, 1, 0, 0, 1, 0, 0]
FIVE_SCORES = [6, 6, 4, 4, 4, 3, 3, 3, -1, -1]


@pytest.fixture(scope="module")
def five_points():
    """Five rows of each class; points (0, 0.4), (0.2, 0.8) and (0.6, 1) on the hull."""
    return cost_curve(compared([FIVE_SCORES, [1, -1] * 5], FIVE_CLASSES))


def lines_of(curves, name):
    return [envelope.line[1:] for envelope in curves.envelopes[name]]


def test_a_curve_by_hand(five_points):
    assert (five_points.n_positive, five_points.n_negative) == (5, 5)
    lines = [(6.0, 0.0, 0.4), (4.0, 0.2, 0.8), (3.0, 0.6, 1.0)]
    assert lines_of(five_points, "score-0") == lines
    # sides of slope 0.4 / 0.2 and 0.2 / 0.4: the lines cross at 1 / (1 + slope)
    bounds = [envelope.low for envelope in five_points.envelopes["score-0"]]
    assert bounds == pytest.approx([0, 1 / 3, 2 / 3])
    frame = five_points.to_frame()
    mine = frame[frame["learner"] == "score-0"]
    assert mine["cost_at_low"].tolist() == pytest.approx([0, 0.2, 4 / 15 - 1 / 15])
    assert mine["cost_at_high"].tolist() == pytest.approx([0.2, 0.2, 0])


def test_a_learner_worse_than_naming_one_class_has_the_curve_of_that(five_points):
    assert lines_of(five_points, "score-1") == [(np.inf, 0, 0), (-np.inf, 1, 1)]
    costs = five_points.normalized_costs([0, 0.3, 0.5, 0.8, 1])
    assert costs[1] == pytest.approx([0, 0.3, 0.5, 0.2, 0])
    assert costs[0] == pytest.approx([0, 0.18, 0.2, 0.12, 0])


def test_an_operating_point_by_hand(five_points):
    # 0.25 x 4 against 0.75 x 1: probability cost 4/7, and errors cost 0.75 + 1 at most
    point = five_points.operating_point(0.25, [[0, 1], [4, 0]])
    assert (point.learner, point.threshold) == ("score-0", 4.0)
    assert point.probability_cost == pytest.approx(4 / 7)
    assert point.normalized_cost == pytest.approx(0.2)
    assert point.expected_cost == pytest.approx(0.25 * 0.2 * 4 + 0.75 * 0.2 * 1)
    assert point.text() == (
        "score-0 with a threshold of 4 is expected to cost 0.35 per row (probability cost 0.5714, "
        "false positive rate 0.2, true positive rate 0.8)."
    )


def test_what_right_answers_cost_is_part_of_the_expected_cost(five_points):
    costs = np.array([[2.0, 3.0], [1.0, -3.0]])  # adds 1 and 4 again
    point = five_points.operating_point(0.25, costs)
    by_hand = 0.75 * (0.8 * 2 + 0.2 * 3) + 0.25 * (0.2 * 1 + 0.8 * -3)
    assert (point.threshold, point.expected_cost) == (4.0, pytest.approx(by_hand))
    assert point.cost_when_right == pytest.approx(0.75 * 2 + 0.25 * -3)
    assert "on its diagonal: being always right would cost 0.75 per row." in point.text()


def test_of_two_points_that_cost_the_same_the_one_with_fewer_false_positives_is_taken(five_points):
    assert five_points.operating_point(0.5, [[0, 2], [1, 0]]).threshold == 6.0


def test_no_threshold_is_named_where_one_class_is_cheapest_always():
    curves = cost_curve(compared([[2, 1, 2, 1] * 2], [1, 1, 0, 0] * 2))
    point = curves.operating_point(0.1, [[0, 1], [1, 0]])
    assert (point.learner, point.threshold, point.expected_cost) == ("all-negative", np.inf, 0.1)
    assert point.text().startswith("To name the negative class always is expected to cost 0.1")
    assert curves.operating_point(0.9, [[0, 1], [1, 0]]).learner == "all-positive"
    assert curves.sections().tables[0].rows[0].name == "0.000 to 0.500"
    assert curves.sections().tables[0].rows[0].cells[0] == "always 0"
    assert curves.sections(point).answer[0] == "Use always 0: expected cost 0.1 per row."


def test_a_faultless_learner_costs_nothing_anywhere():
    curves = cost_curve(compared([[1, 1, -1, -1] * 2], [1, 1, 0, 0] * 2))
    assert [tuple(item) for item in curves.best] == [(("score-0", 1.0, 0.0, 1.0), 0.0, 1.0)]
    assert curves.normalized_costs([0, 0.4, 1]).tolist() == [[0, 0, 0]]


def test_the_other_positive_class_mirrors_the_curve():
    item, other = (
        cost_curve(compared([FIVE_SCORES], FIVE_CLASSES, pos_label=label)) for label in (1, 0)
    )
    at = np.linspace(0, 1, 21)
    mirrored = other.normalized_costs(1 - at)
    np.testing.assert_allclose(item.normalized_costs(at), mirrored, atol=1e-12)
    matrix = [[0, 1], [4, 0]]
    first, second = item.operating_point(0.25, matrix), other.operating_point(0.75, matrix)
    assert first.expected_cost == pytest.approx(second.expected_cost)


def test_a_learner_that_gives_labels_alone_has_one_point_and_a_warning():
    scores = [6, 6, -4, 4, 4, 3, -3, -3, -1, -1]
    curves = cost_curve(compared([scores], FIVE_CLASSES, has_scores=False))
    assert lines_of(curves, "score-0") == [(np.inf, 0, 0), (1.0, 0.2, 0.8), (-np.inf, 1, 1)]
    assert curves.notes[-1] == "Known only by its decisions, so a single point: score-0."


def cost_one_by_one(is_positive, scores, probability_cost):
    """Return the lowest normalized cost over all thresholds, without any hull."""
    fpr, tpr, _ = roc_curve_points(is_positive, scores)
    return min((1 - tpr) * probability_cost + fpr * (1 - probability_cost))


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.integers(6, 30))
def test_the_envelope_is_the_lowest_cost_over_all_thresholds(seed, n_rows):
    rng = np.random.default_rng(seed)
    y = np.tile([0, 1], n_rows)
    columns = [rng.normal(size=2 * n_rows).round(1) + shift * y for shift in (0.3, 1, 2)]
    curves = cost_curve(compared(columns, y))
    at = np.linspace(0, 1, 13)
    by_hand = [[cost_one_by_one(y == 1, scores, x) for x in at] for scores in columns]
    np.testing.assert_allclose(curves.normalized_costs(at), by_hand, atol=1e-12)
    cheapest = [
        min(item.line.normalized_cost(x) for item in curves.best if item.low <= x <= item.high)
        for x in at
    ]
    np.testing.assert_allclose(cheapest, np.min(by_hand, axis=0), atol=1e-12)
    assert all(first.high == other.low for first, other in pairwise(curves.best))


@pytest.fixture(scope="module")
def real():
    learners = {
        "tree": DecisionTreeClassifier(max_depth=2, random_state=0),
        "ridge": RidgeClassifier(),
        "majority": "majority",
    }
    return compare(learners, "breast_cancer", cv="2x5", scoring="error")


def test_the_expected_cost_is_that_of_the_pooled_predictions_at_the_threshold(real):
    curves = cost_curve(real)
    share = curves.n_positive / (curves.n_positive + curves.n_negative)
    point = curves.operating_point(share, PRICES)
    index = real.evaluation.names.index(point.learner)
    plan = real.evaluation.plan
    costs = []
    for split in range(len(plan)):
        predictions = real.evaluation.records[index][split].predictions
        is_found = predictions.decision >= point.threshold
        is_malignant = real.evaluation.data.target[real.evaluation.test_rows[split]] == "malignant"
        costs.extend(np.where(is_malignant, np.where(is_found, 0, 20), np.where(is_found, 1, 0)))
    assert point.learner == "ridge"
    assert point.expected_cost == pytest.approx(np.mean(costs))


def test_the_text_says_who_is_cheapest_where_and_what_to_distrust(real):
    curves = cost_curve(real)
    text = curves.text()
    assert curves.title == "cost curves of tree, ridge and majority"
    fact = "1,138 predictions, 37.3% of them for rows of class 'malignant', the positive one"
    assert curves.sections().details[1] == f"breast_cancer: {fact}."
    assert "a missed row of class 'malignant' 5) and --prior" in curves.sections().details[0]
    widest = max(curves.best, key=lambda stretch: stretch.high - stretch.low).line.learner
    assert text.startswith(f"Use {widest}: the cheapest where class 'malignant' has a ")
    assert curves.answer[2].startswith("No claim about new data: thresholds were chosen on these")
    assert "\n0.000 to " in text
    assert " to 1.000" in text
    assert "Thresholds are chosen and judged on the same rows" in text
    assert "Rows of several folds are ranked together" in text
    assert max(map(len, text.splitlines())) <= 80
    first, *rest = repr(curves).splitlines()
    assert first == "<CostCurves of tree, ridge, majority on breast_cancer>"
    assert tuple(rest) == curves.answer


def test_splits_that_a_learner_lacks_are_left_out_for_all_and_told():
    class FailsOnce(LogisticRegression):
        def fit(self, X, y):
            if X[0, 0] != 0:
                raise ValueError("no")
            return super().fit(X, y)

    X = np.column_stack([np.arange(20), np.tile([0, 1, 1, 0], 5)]).astype(float)
    y = np.tile([0, 1], 10)
    learners = {"fails": FailsOnce(), "sound": LogisticRegression()}
    curves = cost_curve(compare(learners, X, y, cv="1x2", scoring="error"))
    assert curves.n_positive == 5
    assert curves.notes[0] == "Only 1 of 2 splits count: those that every learner has finished."


def test_what_cannot_be_drawn_is_refused(five_points):
    with pytest.raises(InvalidArgumentError, match=r"cost_curve must be two; got 3 classes"):
        cost_curve(compare(["majority", "nearest-mean"], "iris", cv="1x2", scoring="error"))
    y = np.linspace(0, 1, 20)
    with pytest.raises(InvalidArgumentError, match="must be two; got a regression"):
        cost_curve(compare(["mean", "ridge"], y[:, None], y, cv="1x2"))
    with pytest.raises(DesignError, match="predictions must be kept for every row"):
        cost_curve(compare(["majority", "lda"], "breast_cancer", cv="1x2", keep="scores"))
    with pytest.raises(InvalidArgumentError, match="prior must be"):
        five_points.operating_point(1, PRICES)
    with pytest.raises(InvalidArgumentError, match="cost_matrix must be a table of 2 x 2"):
        five_points.operating_point(0.5, [[0, 1, 1], [1, 0, 1]])
    with pytest.raises(InvalidArgumentError, match="must charge more for an error"):
        five_points.operating_point(0.5, [[1, 1], [1, 0]])
    with pytest.raises(InvalidArgumentError, match=r"probability_cost must be .* got 1\.2\."):
        five_points.normalized_costs(1.2)
    with pytest.raises(InvalidArgumentError, match=r"probability_cost must be .* got 'a'"):
        five_points.normalized_costs("a")
