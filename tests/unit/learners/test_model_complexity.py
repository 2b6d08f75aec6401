"""Sizes of fitted models, each counted by hand."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB
from sklearn.neighbors import KernelDensity, KNeighborsClassifier, NearestCentroid
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from bestofk.learners import Complexity, learner_catalogue, model_complexity
from bestofk.learners.cost_threshold import CostThresholdClassifier
from bestofk.learners.noisy_training import NoisyTraining
from bestofk.learners.resampled_training import ResampledTraining
from bestofk.trees import C45Classifier, C45RulesClassifier

X, y = load_iris(return_X_y=True)
N, D, C = 150, 4, 3
LINE = np.arange(12.0)[:, None]
HALVES = np.repeat([0, 1], 6)


def of(estimator, X=X, y=y):
    return model_complexity(estimator.fit(X, y))


def of_name(name, X=X, y=y):
    return of(learner_catalogue()[name].make(), X, y)


@pytest.mark.parametrize(
    ("name", "count", "unit"),
    [
        ("majority", C, "parameters"),
        ("nearest-mean", C * D, "parameters"),
        ("naive-bayes", C * (2 * D + 1), "parameters"),
        ("lda", C * (D + 1), "parameters"),
        ("qda", C * (10 + D + 1), "parameters"),  # a covariance of 4 columns has 10 numbers
        ("logistic", 15, "parameters"),
        ("kernel-naive-bayes", N, "rows kept"),
        ("1nn", N, "rows kept"),
        ("5nn", N, "rows kept"),
    ],
)
def test_learners_of_the_catalogue_on_iris(name, count, unit):
    assert of_name(name) == Complexity(count, unit)


def test_two_classes_have_one_line_between_them():
    assert of_name("logistic", X[:100], y[:100]) == Complexity(D + 1, "parameters")
    assert of_name("lda", X[:100], y[:100]) == Complexity(D + 1, "parameters")


def test_regression():
    assert of_name("mean", X, X[:, 0]) == Complexity(1, "parameters")
    for name in ("ridge", "ridge-cv", "elastic-net", "least-squares"):
        assert of_name(name, X, X[:, 0]) == Complexity(D + 1, "parameters")
    assert of_name("knn-regressor", X, X[:, 0]) == Complexity(N, "rows kept")
    assert of_name("cart-regressor", LINE, HALVES * 1.0) == Complexity(3, "nodes")


def test_an_intercept_that_is_not_learned_does_not_count():
    assert of(LogisticRegression(fit_intercept=False, max_iter=500)).count == C * D
    assert of(LinearRegression(fit_intercept=False), X, X[:, 0]).count == D


def test_sparse_coefficients_count_with_their_zeros():
    model = LogisticRegression(max_iter=500).fit(X, y).sparsify()
    assert model_complexity(model) == Complexity(15, "parameters")


@pytest.mark.parametrize(
    "name", ["cart", "c45", "c45-unpruned", "id3", "hddt", "sklearn-cart", "cart-regressor"]
)
def test_one_cut_is_a_tree_of_three_nodes(name):
    assert of_name(name, LINE, HALVES) == Complexity(3, "nodes")


def test_a_level_of_a_nominal_column_is_a_node_of_its_own():
    levels = np.array([[level] for level in "aabbcc"], dtype=object)
    assert of(C45Classifier(), levels, [0, 0, 1, 1, 2, 2]) == Complexity(4, "nodes")


def test_a_tree_without_a_test_is_one_node():
    assert of(DecisionTreeClassifier(), LINE, np.zeros(12, dtype=int)) == Complexity(1, "nodes")


def test_rules_count_conditions_classes_and_the_default():
    model = C45RulesClassifier(random_state=0).fit(LINE, HALVES)
    assert [len(rule.conditions) for rule in model.rule_set_] == [1, 1]
    assert model_complexity(model) == Complexity(2 + 2 + 1, "nodes")
    assert of_name("c45rules", LINE, HALVES) == Complexity(5, "nodes")


def test_forests_and_boosting_sum_over_their_trees():
    assert of(RandomForestClassifier(4, max_depth=1, random_state=0)) == Complexity(4 * 3, "nodes")
    stump = DecisionTreeClassifier(max_depth=1)
    bagged = BaggingClassifier(stump, n_estimators=5, random_state=0)
    assert of(bagged) == Complexity(5 * 3, "nodes")
    assert of(AdaBoostClassifier(stump, n_estimators=2)) == Complexity(2 * 3, "nodes")
    # one tree per round and class, of two classes one per round
    boosted = GradientBoostingClassifier(n_estimators=2, max_depth=1)
    assert of(boosted) == Complexity(2 * 3 * 3, "nodes")
    small = HistGradientBoostingClassifier(max_iter=2, max_leaf_nodes=2)
    assert of(small) == Complexity(2 * 3 * 3, "nodes")
    assert of(small, X[:100], y[:100]) == Complexity(2 * 3, "nodes")


def test_members_of_other_kinds_are_summed_too():
    assert of(BaggingClassifier(GaussianNB(), n_estimators=2)) == Complexity(2 * 27, "parameters")
    assert of(BaggingClassifier(SVC(), n_estimators=2)).unit == "rows kept"


def test_a_network_counts_weights_and_biases():
    network = MLPClassifier((5, 2), max_iter=1, random_state=0)
    with pytest.warns(UserWarning, match="Maximum iterations"):
        result = of(network)
    assert result == Complexity(4 * 5 + 5 + 5 * 2 + 2 + 2 * 3 + 3, "parameters")


def test_a_support_vector_machine_keeps_its_support_vectors():
    line = SVC(kernel="linear", C=1e6).fit([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1])
    assert model_complexity(line) == Complexity(2, "rows kept")  # the two beside the gap
    curved = SVC().fit(X, y)
    assert model_complexity(curved) == Complexity(len(curved.support_vectors_), "rows kept")


def test_other_estimators_of_scikit_learn():
    assert of(NearestCentroid()) == Complexity(C * D, "parameters")
    assert of(KNeighborsClassifier()) == Complexity(N, "rows kept")
    assert of(LinearSVC()) == Complexity(15, "parameters")
    assert of(BernoulliNB()) == Complexity(C * D + C, "parameters")
    codes = X.astype(int)
    n_levels = int((codes.max(axis=0) + 1).sum())
    assert of(CategoricalNB(), codes) == Complexity(C * n_levels + C, "parameters")


def test_a_pipeline_counts_its_last_step():
    assert of(make_pipeline(StandardScaler(), LogisticRegression())) == Complexity(15, "parameters")


def test_what_wraps_a_model_counts_the_model_inside():
    logistic = learner_catalogue()["logistic"].make()
    assert of(NoisyTraining(logistic, random_state=0)) == Complexity(15, "parameters")
    assert of(ResampledTraining(logistic, random_state=0)) == Complexity(15, "parameters")
    costs = np.ones((3, 3)) - np.eye(3)
    assert of(CostThresholdClassifier(logistic, costs)) == Complexity(15, "parameters")
    search = GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1]}, cv=2)
    assert of(search) == Complexity(3, "nodes")


def test_undersampling_leaves_fewer_rows_to_keep():
    uneven = np.r_[0:10, 50:100]
    wrapped = ResampledTraining(KNeighborsClassifier(), "under", random_state=0)
    assert of(wrapped, X[uneven], y[uneven]) == Complexity(20, "rows kept")


class Line(ClassifierMixin, BaseEstimator):
    """Model with coefficients and no other attributes."""

    def fit(self, X, y):
        self.coef_ = np.zeros((1, X.shape[1]))
        return self


def test_a_model_of_unknown_class_counts_by_its_own_attribute():
    assert of(Line()) == Complexity(D, "parameters")


def test_what_cannot_be_counted_is_none():
    assert model_complexity(object()) is None
    assert of(CalibratedClassifierCV(GaussianNB(), cv=2)) is None
    assert of(BaggingClassifier(CalibratedClassifierCV(GaussianNB(), cv=2), 2)) is None
    assert model_complexity(KernelDensity().fit(X)) is None  # its tree finds neighbors
    assert of(make_pipeline(StandardScaler(), "passthrough")) is None


@pytest.mark.parametrize("name", list(learner_catalogue()))
def test_every_learner_of_the_catalogue_can_be_counted(name):
    entry = learner_catalogue()[name]
    assert model_complexity(entry.make()) is None  # not fitted
    few = np.r_[0:12, 50:62, 100:112]
    made = entry.make()
    if name.startswith("mlp"):
        made.set_params(learner__hidden_layer_sizes=(2,), learner__tol=1.0)
    target = y[few] if entry.task == "classification" else X[few, 0]
    result = of(made, X[few], target)
    assert result is not None
    assert isinstance(result.count, int)
    assert result.count >= 1
    assert result.unit in ("nodes", "parameters", "rows kept")
