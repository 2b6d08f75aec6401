import subprocess
import sys

import pandas as pd
import pytest

from bestofk.errors import InvalidArgumentError
from bestofk.learners import learner_catalogue
from bestofk.learners.catalogue import _MEMBERS, COSTS, GROUPS, groups_of
from bestofk.learners.learner import weight_parameter

STANDARDIZED = {
    "nearest-mean", "logistic", "1nn", "5nn", "lda", "qda", "svm", "mlp", "ridge", "knn-regressor",
    "linear-svm", "ridge-classifier", "least-squares", "ridge-cv", "elastic-net", "1nn-regressor",
    "svr", "mlp-regressor", "bernoulli-naive-bayes",
}  # fmt: skip


def test_classification_has_these_learners():
    assert set(learner_catalogue("classification")) == {
        "majority", "nearest-mean", "naive-bayes", "lda", "logistic", "1nn", "5nn", "svm", "mlp",
        "cart", "c45", "c45-unpruned", "c45rules", "id3", "hddt", "sklearn-cart", "random-forest",
        "gradient-boosting", "kernel-naive-bayes", "qda", "linear-svm", "forest", "extra-forest",
        "ridge-classifier", "bernoulli-naive-bayes", "shallow-boosting",
    }  # fmt: skip


def test_regression_has_these_learners():
    assert set(learner_catalogue("regression")) == {
        "mean", "median", "least-squares", "ridge", "ridge-cv", "elastic-net", "knn-regressor",
        "1nn-regressor", "cart-regressor", "svr", "mlp-regressor", "random-forest-regressor",
        "forest-regressor", "extra-forest-regressor", "gradient-boosting-regressor",
        "shallow-boosting-regressor",
    }  # fmt: skip


def test_without_a_task_all_learners_are_returned():
    both = {**learner_catalogue("classification"), **learner_catalogue("regression")}
    assert learner_catalogue() == both


def test_unknown_task_is_refused_with_the_nearest_one():
    with pytest.raises(InvalidArgumentError, match=r"got 'regresion'\. Did you mean 'regression'"):
        learner_catalogue("regresion")


@pytest.mark.parametrize("name", list(learner_catalogue()))
def test_learners_that_measure_distances_standardize(name):
    preparer = learner_catalogue()[name].make().named_steps["prepare"]
    assert getattr(preparer, "standardize", False) == (name in STANDARDIZED)


def test_each_task_has_one_baseline_in_the_default_set():
    entries = learner_catalogue().values()
    assert [(e.task, e.name, "default" in groups_of(e)) for e in entries if e.is_baseline] == [
        ("classification", "majority", True),
        ("regression", "mean", True),
        ("regression", "median", False),
    ]


def test_every_learner_has_groups_and_one_class_of_cost():
    entries = learner_catalogue(optional=True)
    assert groups_of(entries["ridge-cv"]) == ("default", "linear", "fast", "all")
    for entry in entries.values():
        assert len(set(COSTS).intersection(groups_of(entry))) == 1, entry.name
    assert entries.keys().isdisjoint(GROUPS)
    assert {name for names in _MEMBERS.values() for name in names.split()} == set(entries)


@pytest.mark.parametrize("name", list(learner_catalogue()))
def test_what_a_learner_handles_is_what_its_class_has(name):
    entry = learner_catalogue()[name]
    learner = entry.make()
    assert ("weights" in entry.handles) == (weight_parameter(learner) is not None)
    assert ("probabilities" in entry.handles) == hasattr(learner, "predict_proba")
    assert ("gaps" in entry.handles) == (type(learner[0]).__name__ == "KnownColumns")


def test_catalogue_is_read_without_importing_scikit_learn():
    code = (
        "import sys; from bestofk.learners import learner_catalogue; learner_catalogue();"
        "print([name for name in sys.modules if name.split('.')[0] in ('sklearn', 'pandas')])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_learners_without_a_class_of_their_own_are_those_of_scikit_learn():
    last_steps = {name: entry.make().steps[-1][1] for name, entry in learner_catalogue().items()}
    own = [name for name, step in last_steps.items() if type(step).__module__.startswith("bestofk")]
    assert set(own) == {
        "1nn", "5nn", "majority", "nearest-mean", "kernel-naive-bayes", "cart", "c45",
        "c45-unpruned", "c45rules", "id3", "hddt", "forest", "extra-forest", "forest-regressor",
        "extra-forest-regressor", "svr", "mlp-regressor", "elastic-net",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["cart", "c45", "c45rules", "id3", "hddt"])
def test_trees_do_without_columns_that_have_no_value_in_the_training_rows(name):
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0] * 5, "b": [None] * 20, "c": list("xyxy") * 5})
    learner = learner_catalogue()[name].make().fit(X, ["u", "v"] * 10)
    assert learner.predict(X[:2]).tolist() == ["u", "v"]
