"""Learners of packages that may be missing."""

import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from bestofk import compare
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation.identity.identity import identify
from bestofk.learners import learner_catalogue, named_learner, resolve_learners
from bestofk.learners.learner import Learner
from bestofk.testing.extensions import LEARNER_CHECKS

PACKAGES = ("xgboost", "lightgbm", "catboost")
CLASSIFIERS = list(PACKAGES)
REGRESSORS = [f"{name}-regressor" for name in PACKAGES]
RNG = np.random.default_rng(8)
N_ROWS = 90
TABLE = pd.DataFrame(
    {
        "size": np.where(RNG.random(N_ROWS) < 0.1, np.nan, RNG.normal(size=N_ROWS)),
        "color": RNG.choice(["red", "blue", None], N_ROWS),
    }
)


def made(name):
    pytest.importorskip(name.partition("-")[0])
    return named_learner(name)


def test_they_are_named_but_in_no_set_of_learners():
    with_optional = learner_catalogue(optional=True)
    assert set(with_optional) - set(learner_catalogue()) == {*CLASSIFIERS, *REGRESSORS}
    assert all(with_optional[name].extra == "boosting" for name in (*CLASSIFIERS, *REGRESSORS))
    for task in ("classification", "regression"):
        default = {learner.name for learner in resolve_learners(None, task)}
        assert default.isdisjoint({*CLASSIFIERS, *REGRESSORS})


@pytest.mark.parametrize("name", [*CLASSIFIERS, *REGRESSORS])
def test_a_missing_package_is_one_sentence_with_the_way_out(name, monkeypatch):
    package = name.partition("-")[0]
    monkeypatch.setitem(sys.modules, package, None)
    for module in ("xgboost_classifier", "catboost_learners"):
        monkeypatch.delitem(sys.modules, f"bestofk.learners.{module}", raising=False)
    message = rf"{package} must be installed for the learner '{name}'; it is not. Run: pip install "
    with pytest.raises(InvalidArgumentError, match=message + r"'bestofk\[boosting\]'"):
        named_learner(name)


@pytest.mark.parametrize("name", [*CLASSIFIERS, *REGRESSORS])
@pytest.mark.parametrize("check", LEARNER_CHECKS, ids=lambda check: check.__name__)
def test_entries_make_learners_that_keep_the_rules(check, name):
    made(name)
    check(learner_catalogue(optional=True)[name])


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("labels", [["no", "yes"], [3, 7, 9], [False, True]])
def test_labels_of_any_kind_are_predicted(name, labels):
    y = np.array(labels)[np.digitize(TABLE["size"].fillna(0), [-0.4, 0.4][: len(labels) - 1])]
    fitted = made(name).set_params(random_state=1).fit(TABLE, y)
    predicted = fitted.predict(TABLE)
    assert fitted.classes_.tolist() == labels
    assert predicted.shape == (N_ROWS,)
    assert set(predicted.tolist()) <= set(labels)
    assert (predicted == y).mean() > 0.8
    probabilities = fitted.predict_proba(TABLE)
    assert probabilities.shape == (N_ROWS, len(labels))
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-6)


@pytest.mark.parametrize("name", [*CLASSIFIERS, *REGRESSORS])
def test_settings_and_seeds_reach_them(name):
    learner = made(name)
    assert "learner__random_state" in Learner("a", learner).unseeded
    same = clone(learner)
    assert identify("a", same).id == identify("a", learner).id
    assert identify("a", named_learner(f"{name}(learning_rate=0.3)")).id != identify("a", same).id
    same.set_params(random_state=5, learner__learning_rate=0.3).fit(TABLE[["size"]], [0, 1] * 45)
    assert same["learner"].get_params()["random_state"] == 5
    with pytest.raises(InvalidArgumentError, match=r"got 'learning_rat'. Did you mean 'learning_r"):
        named_learner(f"{name}(learning_rat=0.3)")


@pytest.mark.parametrize(("names", "data"), [(CLASSIFIERS, "iris"), (REGRESSORS, "diabetes")])
def test_scores_are_the_same_in_worker_processes(names, data):
    for name in names:
        pytest.importorskip(name.partition("-")[0])
    texts = [f"catboost{name[8:]}(iterations=20)" if "cat" in name else name for name in names]
    here, there = (compare(texts, data, cv="1x2", n_jobs=n).findings.learners for n in (1, 2))
    assert [a.mean for a in here] == [b.mean for b in there]
    assert all(learner.n_failed == 0 for learner in here)
