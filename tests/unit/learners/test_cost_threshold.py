import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from bestofk import Store, compare
from bestofk.errors import InvalidArgumentError
from bestofk.learners.cost_threshold import CostThresholdClassifier

pytestmark = pytest.mark.usefixtures("module_in_this_process")

COSTS = [[0, 1], [4, 0]]


class GivenProbabilities(ClassifierMixin, BaseEstimator):
    """Take the inputs of a row for its probabilities."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.asarray(X, dtype=float)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def two_columns(second):
    second = np.asarray(second, dtype=float)
    return np.column_stack([1 - second, second])


def fitted(costs, X, y, threshold="bayes"):
    return CostThresholdClassifier(GivenProbabilities(), costs, threshold=threshold).fit(X, y)


def test_two_classes_by_hand():
    # a miss costs 4, a false alarm 1: the second class from 1 / (1 + 4) on
    X = two_columns([0.1, 0.19, 0.21, 0.9])
    learner = fitted(COSTS, X, ["no", "no", "yes", "yes"])
    assert learner.predict(X).tolist() == ["no", "no", "yes", "yes"]
    assert_array_equal(learner.predict_proba(X), X)


def test_three_classes_by_hand():
    # expected costs of (0.5, 0.3, 0.2): 0.3 + 2.0 = 2.3; 0.5 + 0.2 = 0.7; 0.5 + 0.3 = 0.8
    costs = [[0, 1, 1], [1, 0, 1], [10, 1, 0]]
    learner = fitted(costs, np.eye(3), ["a", "b", "c"])
    assert learner.predict([[0.5, 0.3, 0.2]]).tolist() == ["b"]


def test_classes_that_cost_the_same_give_the_first():
    learner = fitted(COSTS, np.eye(2), [3, 8])
    assert learner.predict([[0.8, 0.2]]).tolist() == [3]


def test_with_equal_costs_the_most_probable_class_is_the_cheapest():
    X, y = load_wine(return_X_y=True)
    plain = GaussianNB().fit(X, y)
    learner = CostThresholdClassifier(GaussianNB(), 1 - np.eye(3)).fit(X, y)
    assert_array_equal(learner.predict(X), plain.predict(X))
    assert_array_equal(learner.predict_proba(X), plain.predict_proba(X))


def cheapest_one_by_one(probabilities, costs):
    chosen = []
    for row in probabilities:
        expected = [
            sum(p * costs[true][said] for true, p in enumerate(row)) for said in range(len(row))
        ]
        chosen.append(expected.index(min(expected)))
    return chosen


@st.composite
def probabilities_and_costs(draw):
    # eighths and whole numbers, so that sums are exact and ties are ties
    n_classes = draw(st.integers(2, 4))
    cuts = st.lists(st.integers(0, 8), min_size=n_classes - 1, max_size=n_classes - 1)
    rows = [np.diff([0, *sorted(draw(cuts)), 8]) / 8 for _ in range(5)]
    cost = st.lists(st.integers(-9, 9), min_size=n_classes, max_size=n_classes)
    return np.array(rows), np.array([draw(cost) for _ in range(n_classes)])


@settings(max_examples=60)
@given(probabilities_and_costs(), st.integers(-5, 5))
def test_the_class_is_that_of_lowest_expected_cost_and_what_a_true_class_costs_anyway_is_nothing(
    given_both, more
):
    X, costs = given_both
    learner = fitted(costs, np.eye(len(costs)), np.arange(len(costs)))
    assert learner.predict(X).tolist() == cheapest_one_by_one(X, costs.tolist())
    costs[0] += more
    other = fitted(costs, np.eye(len(costs)), np.arange(len(costs)))
    assert_array_equal(other.predict(X), learner.predict(X))


def tuned_one_by_one(second, y, costs):
    """Return the mean over folds of the cost at every threshold that makes a difference."""
    alarm, miss = costs[0][1], costs[1][0]
    results = {}
    for threshold in [0, *np.unique(second), 2]:
        folds = []
        for _, test in StratifiedKFold(5).split(y, y):
            said = second[test] >= threshold
            true = y[test] == 1
            folds.append(alarm * np.mean(said & ~true) + miss * np.mean(~said & true))
        results[threshold] = np.mean(folds)
    return results


@pytest.mark.parametrize("costs", [COSTS, [[0, 3], [1, 0]], [[0, 1], [60, 0]]])
def test_the_tuned_threshold_costs_least_on_the_rows_left_out(costs):
    rng = np.random.default_rng(7)
    second = rng.integers(1, 20, size=80) / 20  # further apart than the thresholds tried
    y = (rng.uniform(size=80) < second**3).astype(int)
    learner = fitted(costs, two_columns(second), y, "tuned")
    by_hand = tuned_one_by_one(second, y, costs)
    reached = min(key for key in by_hand if key >= learner.threshold_)
    assert by_hand[reached] == pytest.approx(min(by_hand.values()))


def test_probabilities_that_are_too_small_are_seen_through_by_tuning_alone():
    # the second class is true from 0.03 on, and nobody dares to say so
    second = np.tile(np.linspace(0.001, 0.1, 40), 5)
    y = np.where(second > 0.03, "yes", "no")
    X = two_columns(second)
    assert set(fitted(COSTS, X, y).predict(X)) == {"no"}
    tuned = fitted(COSTS, X, y, "tuned")
    assert_array_equal(tuned.predict(X), y)
    assert 0.0284 < tuned.threshold_ <= 0.0310
    assert_array_equal(tuned.predict_proba(X), X)


def test_of_thresholds_that_cost_the_same_the_nearest_to_that_of_the_costs_is_taken():
    y = np.repeat([0, 1], 10)
    around = fitted(COSTS, two_columns(np.where(y, 0.9, 0.1)), y, "tuned")
    assert around.threshold_ == 0.2  # 1 / (1 + 4), itself among the cheapest
    above = fitted(COSTS, two_columns(np.where(y, 0.9, 0.6)), y, "tuned")
    assert 0.6 < above.threshold_ < 0.625


def test_what_a_right_answer_costs_counts_in_tuning():
    # a false alarm adds 3 - 2, a miss 4 - 0
    y = np.repeat([0, 1], 10)
    learner = fitted([[2, 3], [4, 0]], two_columns(np.where(y, 0.9, 0.1)), y, "tuned")
    assert learner.threshold_ == 0.2


@pytest.mark.parametrize(
    ("costs", "threshold", "said"), [([[0, 1], [99, 0]], 0, 1), ([[0, 99], [1, 0]], 2, 0)]
)
def test_where_no_probability_helps_one_class_is_named_always(costs, threshold, said):
    y = np.tile([0, 0, 1, 1], 10)
    X = two_columns(np.tile([0.0, 1.0], 20))  # sure of itself, and wrong half of the time
    learner = fitted(costs, X, y, "tuned")
    assert learner.threshold_ == threshold
    assert set(learner.predict(X)) == {said}
    assert set(fitted(costs, X, y).predict(X)) == {0, 1}


def test_two_rows_of_a_class_are_enough_for_tuning():
    X = two_columns([0.1, 0.1, 0.2, 0.3, 0.8, 0.9])
    assert fitted(COSTS, X, [0, 0, 0, 0, 1, 1], "tuned").threshold_ > 0


def test_a_comparison_with_the_same_matrix_finds_both_cheaper_than_the_plain_learner():
    X, y = load_breast_cancer(return_X_y=True)
    costs = [[0, 20], [1, 0]]
    plain = GaussianNB()
    learners = {
        "plain": plain,
        "bayes": CostThresholdClassifier(plain, costs),
        "tuned": CostThresholdClassifier(plain, costs, threshold="tuned"),
    }
    store = Store(None)
    result = compare(
        learners, X, y, cv="2x5", scoring="cost", cost_matrix=costs, keep="labels", store=store
    )
    cost = dict(zip(learners, result.scores[0].values.mean(axis=1), strict=True))
    assert cost["tuned"] < cost["bayes"] < cost["plain"]
    counts = result.confusion_matrix("tuned").to_numpy()
    assert cost["tuned"] == pytest.approx((counts * costs).sum() / counts.sum(), rel=0.01)


def test_a_clone_asks_for_the_same():
    learner = CostThresholdClassifier(LogisticRegression(C=3), COSTS, threshold="tuned")
    twin = clone(learner)
    assert twin.get_params()["estimator__C"] == 3
    assert (twin.cost_matrix, twin.threshold) == (COSTS, "tuned")


@pytest.mark.parametrize(
    ("costs", "got"),
    [
        ([[0, 1, 1], [1, 0, 1], [1, 1, 0]], r"got shape \(3, 3\)"),
        ([[0, 1], [np.inf, 0]], r"got \[\[0.0, 1.0\], \[inf, 0.0\]\]"),
        ([["a", 1], [1, 0]], "got"),
    ],
)
def test_costs_must_be_a_table_of_the_classes(costs, got):
    with pytest.raises(InvalidArgumentError, match=f"cost_matrix must be a table of 2 x 2.*{got}"):
        fitted(costs, np.eye(2), [0, 1])


def test_what_cannot_be_done_is_refused():
    with pytest.raises(InvalidArgumentError, match="threshold must be one of two words; got 'tun'"):
        fitted(COSTS, np.eye(2), [0, 1], "tun")
    with pytest.raises(InvalidArgumentError, match=r"must have predict_proba; got LinearSVC\(\)"):
        CostThresholdClassifier(LinearSVC(), COSTS).fit(np.eye(2), [0, 1])
    with pytest.raises(InvalidArgumentError, match=r"two rows each; got \{0: 1, 1: 1\}"):
        fitted(COSTS, np.eye(2), [0, 1], "tuned")
    with pytest.raises(InvalidArgumentError, match=r"must be two with .* got \{0: 2, 1: 2, 2: 2\}"):
        fitted(1 - np.eye(3), np.eye(3)[[0, 1, 2] * 2], [0, 1, 2] * 2, "tuned")
    with pytest.raises(InvalidArgumentError, match=r"must charge more for an error .* got \[\[2"):
        fitted([[2, 1], [4, 0]], np.eye(2)[[0, 1] * 2], [0, 1] * 2, "tuned")
