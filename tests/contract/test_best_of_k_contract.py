"""BestOfK keeps the contract of scikit-learn's estimators."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import is_classifier, is_regressor
from sklearn.datasets import load_diabetes, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from tests.estimator_checks import failures

from bestofk import BestOfK
from bestofk.errors import InvalidArgumentError

CLASSIFIER = BestOfK(["majority", "nearest-mean"], cv=3)
REGRESSOR = BestOfK(["mean", "ridge"], cv=3)
AVERAGES = {
    "average of classifiers": BestOfK(["naive-bayes", "nearest-mean"], cv="2x2", average=True),
    "average of regressors": BestOfK(
        ["ridge", ("tree", DecisionTreeRegressor(max_depth=2))], cv="2x2", average=True
    ),
}


MODELS = {"classifier": CLASSIFIER, "regressor": REGRESSOR, **AVERAGES}


@pytest.mark.parametrize("model", MODELS.values(), ids=list(MODELS))
def test_scikit_learns_checks_pass(model):
    assert failures(model) == []


def test_it_names_fits_and_uses_the_best():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = BestOfK(["nearest-mean", ("tree", DecisionTreeClassifier())], cv="5x2").fit(X, y)
    assert model.best_name_ == model.comparison_.best == model.order_[0]
    assert model.score(X, y) > 0.9
    assert model.predict_proba(X).shape == (150, 3)
    assert list(model.feature_names_in_) == list(X.columns)


def test_the_task_is_that_of_its_learners():
    assert is_classifier(BestOfK())
    assert is_classifier(BestOfK(["logistic"]))
    assert is_regressor(BestOfK({"a": "ridge", "b": "mean"}))
    assert is_regressor(BestOfK(task="regression"))
    X, y = load_diabetes(return_X_y=True)
    model = BestOfK(["ridge", "mean"], cv=3).fit(X, y)
    assert model.best_name_ == "ridge"
    assert model.score(X, y) > 0.4
    assert not hasattr(model, "predict_proba")


def test_it_works_inside_pipelines_and_cross_validation():
    X, y = load_iris(return_X_y=True)
    model = make_pipeline(StandardScaler(), BestOfK(["nearest-mean", "1nn"], cv=3))
    assert cross_val_score(model, X, y, cv=3).mean() > 0.8


def test_two_fits_give_the_same_model():
    X, y = load_iris(return_X_y=True)
    first, second = (BestOfK(["cart", "1nn"], cv=3).fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(first.predict(X), second.predict(X))
    assert first.comparison_.to_csv().split(",seconds")[0]


def test_strings_categories_and_missing_values_go_through():
    frame = pd.DataFrame(
        {"a": [1.0, None, 3.0, 4.0] * 5, "b": pd.Categorical(["u", "v", None, "u"] * 5)}
    )
    model = BestOfK(["nearest-mean", "cart"], cv=2).fit(frame, ["x", "y"] * 10)
    assert set(model.predict(frame)) <= {"x", "y"}


def test_what_cannot_work_is_refused():
    with pytest.raises(NotFittedError):
        BestOfK().predict([[1.0]])
    with pytest.raises(InvalidArgumentError, match="got one class"):
        CLASSIFIER.fit([[1.0], [2.0]], [1, 1])

    class Broken(DecisionTreeClassifier):
        def fit(self, X, y):
            raise ValueError("never")

    with pytest.raises(InvalidArgumentError, match=r"none did\. First failure: fit raised"):
        BestOfK([("broken", Broken())], cv=2).fit(np.arange(8.0).reshape(-1, 1), [0, 1] * 4)
