"""Tuned learners choose and score as nested `GridSearchCV` does, setting by setting."""

import warnings

import numpy as np
import pytest
from scipy.sparse import coo_array
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from bestofk import Tuned, compare, load_data
from bestofk.learners.learner import Learner
from bestofk.learners.pipeline import learner_pipeline

ALPHAS = {"alpha": [0.001, 0.1, 1.0, 10.0, 1e5]}
SETS = {
    "iris": load_iris(return_X_y=True),
    "wine": load_wine(return_X_y=True),
    "cancer": tuple(part[::3] for part in load_breast_cancer(return_X_y=True)),
}
# Learners whose settings share work; some coarser spaces, as the oracle is slow.
LEARNERS = {
    "knn": Tuned("knn", {"n_neighbors": [1, 2, 5, 9, 30], "weights": ["uniform", "distance"]}),
    "lda": Tuned("lda"),
    "qda": Tuned("qda"),
    "naive-bayes": Tuned("naive-bayes"),
    "ridge": Tuned(make_pipeline(StandardScaler(), RidgeClassifier()), ALPHAS),
    "cart": Tuned("cart", {"ccp_alpha": [0.0, 0.003, 0.02, 0.1], "min_samples_leaf": [1, 5]}),
    "sklearn-cart": Tuned("sklearn-cart"),
    "gradient-boosting": Tuned(
        "gradient-boosting", {"learning_rate": [0.1, 0.5], "max_iter": [1, 5, 12]}
    ),
}


class Writing(LogisticRegression):
    """A learner that writes into the rows it trains on."""

    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        X[:] = 0
        return self


class Unfinished:
    """A step that a pipeline takes although it has no parameters and no `fit_transform`."""

    def fit(self, X, y=None):
        self.means_ = np.nanmean(X, axis=0)
        return self

    def transform(self, X):
        return coo_array(np.where(np.isnan(X), self.means_, X))


def slow(*names):
    return [pytest.param(name, marks=pytest.mark.slow) for name in names]


def seeded(learner):
    """Return a tuned learner whose random states are all set, as a run sets them."""
    names = [n for n, v in learner.get_params().items() if n.endswith("random_state") and v is None]
    return clone(learner).set_params(**dict.fromkeys(names, 7))


def searched(tuned, X, y, scoring):
    """Return the losses of scikit-learn's search in the same inner folds, and what it chose."""
    parts = tuned.parts(X, np.asarray(y))
    folds = tuned.inner_folds(parts, np.arange(len(y)), None, tuned.random_state)[0]
    cv = [(np.flatnonzero(folds != k), np.flatnonzero(folds == k)) for k in range(5)]
    grid = [{name: [value] for name, value in setting.items()} for setting in tuned.settings()]
    search = GridSearchCV(clone(tuned.learner), grid, cv=cv, scoring=scoring)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search.fit(X, y)
    scores = [search.cv_results_[f"split{k}_test_score"] for k in range(5)]
    return -np.array(scores).T, search


@pytest.mark.parametrize("data", ["iris", *slow("wine", "cancer")])
@pytest.mark.parametrize("name", LEARNERS)
def test_inner_errors_choices_and_models_are_those_of_a_grid_search(name, data):
    X, y = SETS[data]
    tuned = seeded(LEARNERS[name]).set_params(inner=5, rule="best").fit(X, y)
    losses, search = searched(tuned, X, y, "accuracy")
    np.testing.assert_allclose(tuned.choice_["losses"], 1 + losses, atol=1e-12)
    best = np.mean(losses, axis=1).min()
    assert np.mean(losses[tuned.choice_["index"]]) == pytest.approx(best, abs=1e-12)
    if search.best_index_ == tuned.choice_["index"]:
        np.testing.assert_array_equal(tuned.predict(X), search.predict(X))


@pytest.mark.parametrize("data", SETS)
def test_logistic_regression_agrees_where_scikit_learn_reaches_the_optimum(data):
    X, y = SETS[data]
    grid = {"C": [0.001, 0.01, 0.1, 1.0, 10.0]}
    tuned = seeded(Tuned("logistic", grid, inner=5, rule="best", measure="log_loss")).fit(X, y)
    losses, search = searched(tuned, X, y, "neg_log_loss")
    # scikit-learn stops at a gradient of 1e-4: with a weak penalty that is before the optimum
    np.testing.assert_allclose(tuned.choice_["losses"], losses, rtol=0.06)
    assert search.best_index_ == tuned.choice_["index"]


@pytest.mark.parametrize(
    ("learner", "space"),
    [("ridge", ALPHAS), (Ridge(), ALPHAS), ("knn-regressor", None), ("cart-regressor", None)],
    ids=str,
)
def test_squared_errors_of_regression_are_those_of_a_grid_search(learner, space):
    X, y = load_diabetes(return_X_y=True)
    tuned = seeded(Tuned(learner, space, inner=5, rule="best")).fit(X, y)
    losses, search = searched(tuned, X, y, "neg_mean_squared_error")
    np.testing.assert_allclose(tuned.choice_["losses"], losses, rtol=1e-9)
    assert search.best_index_ == tuned.choice_["index"]


@pytest.mark.parametrize("shape", [(60, 4), (20, 40)])
def test_ridge_shares_work_with_fewer_and_with_more_rows_than_columns(shape):
    rng = np.random.default_rng(1)
    X = rng.normal(size=shape)
    y = X[:, 0] + rng.normal(size=len(X))
    tuned = Tuned(Ridge(), ALPHAS, inner=5, rule="best", random_state=0).fit(X, y)
    losses, _ = searched(tuned, X, y, "neg_mean_squared_error")
    np.testing.assert_allclose(tuned.choice_["losses"], losses, rtol=1e-7)


@pytest.mark.parametrize("measure", ["log_loss", "f1", *slow("auroc", "balanced_accuracy")])
def test_any_measure_of_the_deciding_kind_chooses(measure):
    X, y = SETS["cancer"]
    names = {"auroc": "roc_auc", "log_loss": "neg_log_loss", "f1": "f1_macro"}
    tuned = Tuned("naive-bayes", inner=5, rule="best", measure=measure, random_state=0).fit(X, y)
    if measure == "f1":
        tuned.set_params(measure="f1_macro").fit(X, y)
    losses, search = searched(tuned, X, y, names.get(measure, measure))
    # the two clip probabilities of almost 0 at other places
    np.testing.assert_allclose(tuned.choice_["losses"], losses, rtol=1e-3)
    assert search.best_index_ == tuned.choice_["index"]


@pytest.mark.slow
def test_levels_gaps_and_classes_that_a_part_lacks_do_not_matter():
    rng = np.random.default_rng(3)
    data = load_data("iris")
    X, y = data.features.copy(), np.asarray(data.target).copy()
    X["level"] = rng.choice(["a", "b", "c"], len(X))
    X.iloc[rng.integers(0, 150, 20), 0] = np.nan
    y[[0, 60, 120]] = "rare"  # less often than there are folds
    for name in ("knn", "lda", "naive-bayes"):
        tuned = Tuned(name, inner=5, rule="best", random_state=2).fit(X, y)
        losses, _ = searched(tuned, X, y, "accuracy")
        np.testing.assert_allclose(tuned.choice_["losses"], 1 + losses, atol=1e-12, err_msg=name)
    grid = {"C": [0.001, 0.01, 0.1, 1.0]}
    tuned = Tuned("logistic", grid, inner=5, rule="best", measure="log_loss", random_state=2)
    losses, _ = searched(tuned.fit(X, y), X, y, "neg_log_loss")
    whole = np.isfinite(losses).all(axis=0)  # scikit-learn scores no part that lacks a class
    assert whole.sum() == 3
    own = np.array(tuned.choice_["losses"])
    np.testing.assert_allclose(own[:, whole], losses[:, whole], rtol=0.01)


@pytest.mark.parametrize(
    ("learner", "space"),
    [
        ("svm", {"C": [0.1, 1.0, 10.0]}),
        ("random-forest", {"max_features": [1, 3]}),
        (
            make_pipeline(SimpleImputer(), StandardScaler(copy=False), Writing()),
            {"writing__C": [0.1, 1.0], "writing__fit_intercept": [True, False]},
        ),
        (
            make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression()),
            {"simpleimputer__strategy": ["mean", "median"], "logisticregression__C": [0.1, 1.0]},
        ),
        (make_pipeline(Unfinished(), SVC()), {"svc__C": [0.1, 1.0, 10.0]}),
        (
            learner_pipeline(RandomForestClassifier(n_estimators=3), standardize=True),
            {"learner__random_state": [None, 1]},
        ),
        (
            learner_pipeline(RandomForestClassifier(n_estimators=3), standardize=True).set_params(
                random_state=np.random.RandomState(3)
            ),
            {"learner__max_depth": [1, 3]},
        ),
    ],
    ids=["svm", "random-forest", "writes", "front", "unfinished", "states", "generator"],
)
def test_rows_prepared_once_for_all_settings_are_those_of_each(learner, space):
    X, y = (part.copy() for part in SETS["wine"])
    X[::9, 0] = np.nan
    tuned = seeded(Tuned(learner, space, inner=5, rule="best")).fit(X, y)
    losses, search = searched(tuned, X, y, "accuracy")
    np.testing.assert_allclose(tuned.choice_["losses"], 1 + losses, atol=1e-15)
    np.testing.assert_array_equal(tuned.predict(X), search.predict(X))


@pytest.mark.parametrize("name", ["knn", "lda", "naive-bayes", "logistic"])
def test_the_batched_form_chooses_and_predicts_as_every_training_set_by_itself(name):
    batched, plain = (
        compare([f"tuned({name})", "majority"], "wine", cv="2x5", batched=how)
        for how in ("always", "never")
    )
    first, second = (result.evaluation.choices(0) for result in (batched, plain))
    assert first["index"].tolist() == second["index"].tolist()
    rtol = 0.01 if name == "logistic" else 1e-9  # the last fit is scikit-learn's, see above
    np.testing.assert_allclose(
        batched.to_frame()["value"], plain.to_frame()["value"], rtol=rtol, atol=1e-9
    )
    modes = batched.to_frame().groupby("learner")["fit_mode"].first()
    assert modes[f"tuned({name})"] == "batched"


def test_inner_folds_are_seeded_by_the_run_alone():
    learner = Learner("t", Tuned("knn"))
    assert learner.clone(5).random_state == learner.clone(5).random_state
    assert learner.clone(5).random_state != learner.clone(6).random_state
