import math

import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from bestofk.errors import InvalidArgumentError
from bestofk.learners import learner_catalogue
from bestofk.learners.model_complexity import n_parameters

N, D, C = 150, 4, 3


@pytest.mark.parametrize(
    ("learner", "count"),
    [
        ("majority", C),
        ("nearest-mean", C * D),
        ("logistic", C * (D + 1)),
        ("lda", C * (D + 1)),
        ("qda", C * (D * (D + 1) / 2 + D + 1)),
        ("naive-bayes", C * (2 * D + 1)),
        ("kernel-naive-bayes", N * D),
        ("1nn", N * D),
        ("5nn", N * D),
        ("svm", N * D),
    ],
)
def test_the_formulas_are_those_of_the_paper_and_their_kin(learner: str, count: int) -> None:
    assert n_parameters(learner, N, D, C) == count


def test_regression_has_one_class() -> None:
    assert n_parameters("mean", N, D, 1) == 1
    assert n_parameters("median", N, D, 1) == 1
    for name in ("ridge", "ridge-cv", "elastic-net", "least-squares"):
        assert n_parameters(name, N, D, 1) == D + 1
    assert n_parameters("svr", N, D, 1) == N * D
    assert n_parameters("knn-regressor", N, D, 1) == N * D
    assert n_parameters("cart-regressor", N, D, 1) == math.sqrt((D + 1) * N * D)


@pytest.mark.parametrize("name", ["cart", "c45", "id3", "hddt", "c45rules", "sklearn-cart"])
def test_trees_stand_between_linear_and_nearest_neighbor(name: str) -> None:
    count = n_parameters(name, N, D, C)
    assert n_parameters("logistic", N, D, C) < count < n_parameters("1nn", N, D, C)


def test_an_estimator_counts_by_its_class_and_a_pipeline_by_its_last_step() -> None:
    assert n_parameters(LinearRegression(), N, D, 1) == D + 1
    assert n_parameters(make_pipeline(StandardScaler(), NearestCentroid()), N, D, C) == C * D
    assert n_parameters(SVC(), N, D, C) == N * D


def test_what_has_no_formula_is_unknown() -> None:
    assert math.isnan(n_parameters(RandomForestClassifier(), N, D, C))
    assert math.isnan(n_parameters(object(), N, D, C))


def test_every_learner_of_the_catalogue_is_counted_or_unknown() -> None:
    unknown = [name for name in learner_catalogue() if math.isnan(n_parameters(name, N, D, C))]
    assert unknown == [
        "mlp", "random-forest", "forest", "extra-forest", "shallow-boosting", "gradient-boosting",
        "mlp-regressor", "random-forest-regressor", "forest-regressor", "extra-forest-regressor",
        "shallow-boosting-regressor", "gradient-boosting-regressor",
    ]  # fmt: skip


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="n_rows of n_parameters must be a number from"):
        n_parameters("1nn", 0, D, C)
    with pytest.raises(InvalidArgumentError, match="Did you mean 'logistic'"):
        n_parameters("logistik", N, D, C)
