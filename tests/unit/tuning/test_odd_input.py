"""Tables, labels and settings that shared work cannot take: they go the plain way."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestRegressor
from sklearn.feature_selection import RFECV
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from bestofk import Tuned, compare

X, Y = load_iris(return_X_y=True)
YES = np.where(Y == 1, "yes", "no")
FRAME = pd.DataFrame(X, columns=list("abcd"), index=range(300, 150, -1))
SMOOTHINGS = {"var_smoothing": [1e-9, 0.1, 1.0]}
ALPHAS = {"alpha": [0.1, 10.0]}
NEIGHBORS = {"n_neighbors": [1, 5, 15, 25, 40]}
TEXTS = pd.DataFrame({"a": np.where(X[:, 2] > 3, "x", "y"), "b": np.where(X[:, 1] > 3, "u", "v")})


def grid_search(learner, space, features, target):
    tuned = Tuned(learner, space, inner=3, rule="best", random_state=0).fit(features, target)
    parts = tuned.parts(features, np.asarray(target))
    folds = tuned.inner_folds(parts, np.arange(len(target)), None, 0)[0]
    splits = [(np.flatnonzero(folds != k), np.flatnonzero(folds == k)) for k in range(3)]
    return tuned, GridSearchCV(learner, space, cv=splits).fit(features, target)


@pytest.mark.parametrize(
    ("learner", "space", "features"),
    [
        (GaussianNB(), SMOOTHINGS, FRAME.astype("float32")),
        (GaussianNB(), SMOOTHINGS, FRAME.astype(object)),
        (LinearDiscriminantAnalysis(solver="lsqr"), {"shrinkage": [0.1, 0.9]}, FRAME.astype("f4")),
        (QuadraticDiscriminantAnalysis(), {"reg_param": [0.0, 0.5]}, X.astype(object)),
        (make_pipeline(OneHotEncoder(), RidgeClassifier()), {"ridgeclassifier__alpha": [0.1, 10.0]},
         TEXTS),
        (DecisionTreeClassifier(class_weight={"no": 1, "yes": 5}, random_state=0),
         {"ccp_alpha": [0.0, 0.05]}, FRAME),
        (HistGradientBoostingClassifier(monotonic_cst={"a": 1}, max_leaf_nodes=4),
         {"max_iter": [2, 5]}, FRAME),
    ],
)  # fmt: skip
def test_what_shared_work_cannot_read_is_tuned_as_by_a_grid_search(learner, space, features):
    tuned, search = grid_search(learner, space, features, YES)
    losses = np.array(tuned.choice_["losses"])[-len(search.cv_results_["params"]) :]
    np.testing.assert_allclose(1 - losses.mean(axis=1), search.cv_results_["mean_test_score"])


@pytest.mark.parametrize(
    ("learner", "space"),
    [
        (DecisionTreeClassifier(), {"min_samples_leaf": [0, 1, 5]}),
        (HistGradientBoostingClassifier(max_iter=3), {"max_iter": [0, 3]}),
        (GaussianNB(), {"var_smoothing": [-1.0, 1e-9]}),
        (QuadraticDiscriminantAnalysis(), {"reg_param": [0.0, 2.0]}),
    ],
)
def test_a_setting_that_scikit_learn_refuses_is_dropped_alone(learner, space):
    with pytest.warns(UserWarning, match=r"1 of \d settings were dropped: The '\w+' parameter"):
        tuned = Tuned(learner, space, inner=3).fit(X, Y)
    assert np.isfinite(tuned.choice_["losses"]).any(axis=1).sum() == len(tuned.settings()) - 1


def test_values_of_any_kind_are_compared_and_told():
    spaces = {
        "weights": Tuned(SVC(), {"class_weight": [None, {"no": 1, "yes": 2}]}, inner=3),
        "priors": Tuned(GaussianNB(), {"priors": [None, np.array([0.5, 0.5])]}, inner=3),
        "gaps": Tuned(make_pipeline(SimpleImputer(), SVC()),
                      {"simpleimputer__missing_values": [np.nan, 0.2]}, inner=3),
        "majority": "majority",
    }  # fmt: skip
    result = compare(spaces, FRAME, YES, cv="1x3")
    assert len(result.table) == 4


def test_one_column_and_all_columns_are_two_settings():
    forest = RandomForestRegressor(n_estimators=2)
    settings = Tuned(forest, {"max_features": [1, 2]}).settings()
    assert [repr(item["max_features"]) for item in settings] == ["1.0", "1", "2"]
    settings = Tuned(SVC(), {"C": [1, 10]}).settings()
    assert [item["C"] for item in settings] == [1, 10]
    settings = Tuned(KNeighborsClassifier(), {"n_neighbors": np.arange(4, 6)}).settings()
    assert [item["n_neighbors"] for item in settings] == [4, 5]


def test_copies_of_a_row_stay_in_one_inner_fold():
    rng = np.random.default_rng(4)
    features = rng.normal(size=(120, 4))
    target = (features[:, 0] + 2 * rng.normal(size=120) > 0).astype(int)
    learners = {"t": Tuned(KNeighborsClassifier(25), NEIGHBORS), "majority": "majority"}
    result = compare(learners, features, target, cv="6xbootstrap")
    assert (result.evaluation.choices(0)["n_neighbors"] > 1).mean() > 0.5


def test_a_search_for_columns_works_as_it_is():
    learners = {"t": RFECV(LogisticRegression(max_iter=500)), "majority": "majority"}
    assert compare(learners, X, YES, cv="1x3").best == "t"


def test_scores_of_other_shapes_and_kinds_do_not_matter():
    pairs = SVC(C=1e-4, decision_function_shape="ovo")
    three = Tuned(pairs, {"C": [1e-4, 10]}, inner=3, rule="best").fit(
        X, np.digitize(X[:, 2], [2, 3, 5])
    )
    assert three.choice_["setting"]["C"] == 10
    mixed = make_pipeline(StandardScaler(), SGDClassifier(loss="log_loss", random_state=0))
    tuned = Tuned(mixed, {"loss": ["hinge", "log_loss"]}, inner=3, measure="auroc").fit(X, YES)
    assert np.isfinite(tuned.choice_["losses"]).all()


def test_neighbors_of_a_part_do_not_depend_on_the_parts_beside_it():
    rng = np.random.default_rng(0)
    features, target = rng.normal(size=(78, 3)), (rng.random(78) < 0.35).astype(int)
    one, other = (
        compare(["tuned(knn,rule=best,inner=5)", "majority"], features, target, cv="1x5",
                random_state=1, scoring="log_loss", batched=batched)
        for batched in ("auto", "never")
    )  # fmt: skip
    columns = ["n_neighbors", "weights", "is_default"]
    pd.testing.assert_frame_equal(
        one.evaluation.choices(0)[columns], other.evaluation.choices(0)[columns]
    )


def test_estimators_in_a_space_are_never_fitted_themselves():
    pipeline = Pipeline([("s", StandardScaler()), ("m", KNeighborsClassifier())])
    space = {"m": [GaussianNB(), SVC()]}
    first = Tuned(pipeline, space, rule="best", inner=3).fit(X, Y)
    before = first.predict(X)
    Tuned(pipeline, space, rule="best", inner=3).fit(X[::-1], (Y[::-1] + 1) % 3)
    np.testing.assert_array_equal(first.predict(X), before)
    assert not any(hasattr(item, "classes_") for item in (*space["m"], pipeline.steps[-1][1]))


def test_seeds_of_runs_are_no_part_of_a_choice():
    pipeline = Pipeline([("s", StandardScaler()), ("m", SVC())])
    tuned = Tuned(pipeline, {"m": [SVC(), GaussianNB()]}, inner=3)
    result = compare({"t": tuned, "majority": "majority"}, X, Y, cv="1x5")
    assert "random_state" not in " ".join(map(str, result.evaluation.choices(0)["m"]))


def test_methods_tell_the_inner_folds_of_groups():
    learners = ["tuned(knn)", "majority"]
    result = compare(learners, FRAME, YES, cv="2x2", groups=np.arange(150) % 4)
    assert "2-fold cross-validation (error rate;" in result.methods_paragraph()
    assert "5-fold" not in result.methods_paragraph()
