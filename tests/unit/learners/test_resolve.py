import sys

import pytest
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from bestofk.errors import BestofkWarning, InvalidArgumentError
from bestofk.learners import Learner, resolve_learners


class Plain:
    """Nothing of scikit-learn: any object with fit and predict is a learner."""

    def fit(self, X, y):
        return self

    def predict(self, X):
        return X


class OldStyle(Plain):
    _estimator_type = "regressor"


def names(learners, task="classification"):
    return [learner.name for learner in resolve_learners(learners, task)]


def test_nothing_means_the_default_set_with_its_baseline():
    learners = resolve_learners(None, "classification")
    assert [learner.name for learner in learners] == [
        "majority", "naive-bayes", "logistic", "cart", "5nn", "svm", "forest", "extra-forest",
        "gradient-boosting",
    ]  # fmt: skip
    assert [learner.name for learner in learners if learner.is_baseline] == ["majority"]


def test_default_set_of_regression():
    learners = resolve_learners(None, "regression")
    assert [(learner.name, learner.is_baseline) for learner in learners] == [
        ("mean", True),
        ("ridge-cv", False),
        ("cart-regressor", False),
        ("svr", False),
        ("forest-regressor", False),
        ("extra-forest-regressor", False),
        ("gradient-boosting-regressor", False),
    ]


@pytest.mark.filterwarnings("ignore:Left out")
def test_groups_stand_for_their_learners_and_a_minus_removes():
    assert names("default", "regression") == names(None, "regression")
    assert names("default,-cart,lda") == [
        "majority", "naive-bayes", "logistic", "5nn", "svm", "forest", "extra-forest",
        "gradient-boosting", "lda",
    ]  # fmt: skip
    assert names("linear", "regression") == ["least-squares", "ridge", "ridge-cv", "elastic-net"]
    assert names(["default", "-trees", ("knn", "knn-regressor")], "regression") == [
        "mean", "ridge-cv", "svr", "knn",
    ]  # fmt: skip
    assert names("svm(C=2),cart,-svm(C=2)") == ["cart"]
    assert names(["trees", "-trees", "cart"]) == ["cart"]


def test_learners_of_two_groups_are_there_once_at_the_first_place():
    assert names("cart,default,fast")[:3] == ["cart", "majority", "naive-bayes"]
    assert names("default,cart") == names("default")


def test_group_has_its_baseline_unless_that_is_named_before():
    def baselines(given):
        return [item.name for item in resolve_learners(given, "classification") if item.is_baseline]

    assert baselines("fast") == baselines(["default", "-cart"]) == ["majority"]
    assert baselines("default,majority") == ["majority"]
    assert baselines("majority,default") == []


def test_learners_of_a_group_without_their_packages_are_left_out_in_one_line(monkeypatch):
    for package in ("xgboost", "lightgbm", "catboost"):
        monkeypatch.setitem(sys.modules, package, None)
    for module in ("xgboost_classifier", "catboost_learners"):
        monkeypatch.delitem(sys.modules, f"bestofk.learners.{module}", raising=False)
    with pytest.warns(BestofkWarning) as heard:
        assert names("trees", "regression")[-1] == "gradient-boosting-regressor"
    assert [str(warning.message) for warning in heard] == [
        "Left out because their packages are missing: xgboost-regressor, "
        "lightgbm-regressor, catboost-regressor. Run: pip install 'bestofk[boosting]'."
    ]
    assert names("trees,-xgboost,-lightgbm,-catboost")[-1] == "gradient-boosting"


@pytest.mark.parametrize(
    ("learners", "message"),
    [
        ("defualt", "got 'defualt'. Did you mean 'default'"),
        ("-cart", "must be one named before it; got '-cart'. Write default,-cart"),
        ("default,-crat", "got '-crat'. Did you mean 'cart'"),
        ("cart-regressor,-cart", "got '-cart'. Did you mean 'cart-regressor'"),
        ("cart,-linear", "got '-linear'. Known: cart"),
        ("default,-default", "at least one; got 'default,-default'"),
        ("tuned(default)", "must be a single one; got 'default', which is a group"),
        ({"a": "all"}, "must be a single one; got 'all', which is a group"),
    ],
)
def test_groups_that_cannot_be_are_refused(learners, message):
    with pytest.raises(InvalidArgumentError, match=message):
        names(learners)


def test_baseline_asked_for_by_name_is_a_candidate():
    (learner,) = resolve_learners(["majority"], "classification")
    assert not learner.is_baseline


def test_names_estimators_and_pairs_can_be_mixed_and_keep_their_order():
    svc, ridge = SVC(), LogisticRegression()
    learners = resolve_learners(["cart", svc, ("mine", ridge), ("tree", "cart")], "classification")
    assert [learner.name for learner in learners] == ["cart", "SVC", "mine", "tree"]
    assert learners[1].estimator is svc
    assert learners[2].estimator is ridge
    assert type(learners[3].estimator[-1]).__name__ == "CARTClassifier"


def test_dict_maps_names_to_estimators_or_names_of_the_catalogue():
    assert names({"b": SVC(), "a": "1nn"}) == ["b", "a"]


@pytest.mark.parametrize("single", ["cart", SVC(), Plain()])
def test_single_learner_is_a_list_of_one(single):
    assert len(resolve_learners(single, "classification")) == 1


def test_tuple_of_two_names_is_two_learners():
    assert names(("cart", "logistic")) == ["cart", "logistic"]


def test_pipeline_is_named_after_its_last_step():
    nested = make_pipeline(make_pipeline(StandardScaler(), SVC()))
    assert names([make_pipeline(StandardScaler(), SVC()), nested]) == ["SVC", "SVC-2"]


def test_repeated_class_names_are_numbered_around_given_names():
    given = [SVC(), SVC(), ("SVC", SVC()), SVC(), ("SVC-3", SVC())]
    assert names(given) == ["SVC-2", "SVC-4", "SVC", "SVC-5", "SVC-3"]


def test_search_over_a_classifier_is_a_classifier():
    assert names([GridSearchCV(SVC(), {"C": [1, 2]})]) == ["GridSearchCV"]
    with pytest.raises(InvalidArgumentError, match="must be a regressor; got a classifier"):
        names([GridSearchCV(SVC(), {"C": [1, 2]})], "regression")


def test_learner_that_does_not_say_its_task_fits_both():
    assert names([Plain()]) == names([Plain()], "regression") == ["Plain"]


def test_result_is_a_learner_with_its_estimator():
    plain = Plain()
    assert resolve_learners(plain, "regression") == [Learner("Plain", plain, is_baseline=False)]


@pytest.mark.parametrize(
    ("learners", "message"),
    [
        ([], r"must be at least one; got \[\]"),
        ({}, r"must be at least one; got \{\}"),
        (["logistik"], "got 'logistik'. Did you mean 'logistic'"),
        (["ridge"], "learner 'ridge' must be for classification; got one for regression. Known"),
        (["cart", "cart"], "names of learners must be different; got cart more than once"),
        ([("a", SVC()), ("b", SVC()), ("a", SVC())], "must be different; got a more than once"),
        ([SVC], r"must be an instance; got the class SVC. Write SVC\(\)"),
        (SVC, r"must be an instance; got the class SVC"),
        ({"x": SVC}, "learner 'x' must be an instance; got the class SVC"),
        ([3], "learner 'int' must be an estimator with fit and predict; got int"),
        ([("a", None)], "learner 'a' must be an estimator with fit and predict; got NoneType"),
        ([StandardScaler()], "must be an estimator with fit and predict; got StandardScaler"),
        ([Ridge()], r"learner 'Ridge' must be a classifier; got a regressor \(Ridge\)"),
        ([OldStyle()], "must be a classifier; got a regressor"),
        ([KMeans()], "must be a classifier; got a clusterer"),
        ([("", SVC())], "name of a learner must be a string that is not empty; got ''"),
        ([(3, SVC())], "name of a learner must be a string that is not empty; got 3"),
        ({3: SVC()}, "name of a learner must be a string that is not empty; got 3"),
    ],
)
def test_what_is_no_learner_is_refused(learners, message):
    with pytest.raises(InvalidArgumentError, match=message):
        resolve_learners(learners, "classification")


def test_learner_of_the_other_task_is_refused_for_regression():
    with pytest.raises(InvalidArgumentError, match="must be for regression; got one for classif"):
        resolve_learners(["cart"], "regression")
