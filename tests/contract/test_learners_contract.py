"""Checks of scikit-learn's estimator contract for every learner of the catalogue."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any
from unittest import SkipTest

import numpy as np
import pytest
from sklearn.base import is_classifier, is_regressor
from sklearn.datasets import load_diabetes, load_wine
from sklearn.utils.estimator_checks import estimator_checks_generator
from threadpoolctl import threadpool_limits

from bestofk.learners import TablePreparer, learner_catalogue

NAMES = list(learner_catalogue())
# Skipped by scikit-learn itself: an environment variable, a method that the learner does not have.
SKIPPED = {
    "check_array_api_input",
    "check_classifiers_multilabel_output_format_decision_function",
    "check_classifiers_multilabel_output_format_predict_proba",
}
# Some ten thousand passes over targets that cannot be learned.
SLOW = {"mlp": "multilabel"}
# Settings that tell as much in less time; the slow run takes those of the catalogue.
SMALLER: dict[str, dict[str, Any]] = {
    "mlp": {"learner__max_iter": 60},
    "random-forest": {"learner__n_estimators": 10},
    "random-forest-regressor": {"learner__n_estimators": 10},
}


def failures(estimator: Any, is_wanted: Callable[[str], bool]) -> list[str]:
    results = []
    for given, check in estimator_checks_generator(estimator):
        name = getattr(check, "func", check).__name__
        name = getattr(getattr(getattr(check, "func", check), "func", None), "__name__", name)
        if not is_wanted(name):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                check(given)
            except SkipTest as reason:
                if name not in SKIPPED:
                    results.append(f"{name} skipped: {reason}")
            except Exception as error:
                results.append(f"{name}: {type(error).__name__}: {error}")
    return results


@pytest.mark.parametrize("name", NAMES)
def test_learner_passes_the_checks_of_scikit_learn(name):
    learner = learner_catalogue()[name].make().set_params(**SMALLER.get(name, {}))
    slow = SLOW.get(name)
    assert failures(learner, lambda check: slow is None or slow not in check) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", list(SMALLER))
def test_learner_passes_all_checks_with_its_usual_settings(name):
    assert failures(learner_catalogue()[name].make(), lambda check: True) == []


@pytest.mark.parametrize("standardize", [False, True])
def test_preparer_passes_the_checks_of_scikit_learn(standardize):
    assert failures(TablePreparer(standardize=standardize), lambda check: True) == []


@pytest.mark.parametrize("name", NAMES)
def test_entry_makes_a_new_learner_of_its_task_that_is_described(name):
    entry = learner_catalogue()[name]
    first, second = entry.make(), entry.make()
    assert first is not second
    assert entry.name == name
    assert (is_classifier if entry.task == "classification" else is_regressor)(first)
    assert len(entry.title) > 3
    assert entry.description.endswith(".")
    assert list(first.named_steps) == ["prepare", "learner"]


@pytest.mark.parametrize("name", NAMES)
def test_random_state_is_open_and_jobs_are_not_set(name):
    params = learner_catalogue()[name].make().get_params()
    assert params["random_state"] is None
    assert params.get("learner__random_state") is None
    assert params.get("learner__n_jobs") is None


@pytest.mark.parametrize("name", NAMES)
def test_same_random_state_gives_the_same_bits(name):
    entry = learner_catalogue()[name]
    is_classes = entry.task == "classification"
    X, y = (load_wine if is_classes else load_diabetes)(return_X_y=True)
    X, y = X[::2].copy(), y[::2]
    X[::7, 0] = np.nan
    outputs = []
    for _ in range(2):
        with threadpool_limits(1):
            learner = entry.make().set_params(random_state=3).fit(X, y)
            scorer = getattr(learner, "predict_proba", getattr(learner, "decision_function", None))
            outputs.append((learner.predict(X), scorer(X) if is_classes else learner.predict(X)))
    np.testing.assert_array_equal(outputs[0][0], outputs[1][0])
    np.testing.assert_array_equal(outputs[0][1], outputs[1][1])


@pytest.mark.parametrize("name", NAMES)
def test_learner_takes_a_table_of_all_kinds_of_columns(name):
    pd = pytest.importorskip("pandas")
    entry = learner_catalogue()[name]
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "size": rng.normal(size=60),
            "color": pd.Categorical(rng.choice(["red", "blue", "green"], 60)),
            "word": rng.choice(["yes", "no"], 60),
            "flag": rng.random(60) < 0.5,
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, 60), "D"),
            "empty": np.nan,
        }
    )
    y = table["size"].to_numpy() + (table["word"] == "yes")
    y = np.where(y > 0.5, "high", "low") if entry.task == "classification" else y
    table.loc[::9, ["size", "color", "word", "day"]] = None
    learner = entry.make().set_params(random_state=0).fit(table[:40], y[:40])
    predicted = learner.predict(table[40:])
    assert predicted.shape == (20,)
    if entry.task == "classification":
        assert set(predicted) <= {"high", "low"}
        assert entry.is_baseline or (predicted == y[40:]).mean() >= 0.6
    else:
        assert np.isfinite(predicted).all()


def test_every_learner_can_be_pickled_by_the_name_of_its_class():
    for entry in learner_catalogue().values():
        steps = entry.make().steps
        for _, step in steps:
            module = inspect.getmodule(type(step))
            assert getattr(module, type(step).__name__) is type(step)
