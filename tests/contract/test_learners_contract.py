"""Checks of scikit-learn's estimator contract for every learner of the catalogue."""

import inspect
import warnings
from collections.abc import Callable
from typing import Any
from unittest import SkipTest

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator

from bestofk.learners import TablePreparer, learner_catalogue
from bestofk.testing.extensions import LEARNER_CHECKS

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
    "mlp-regressor": {"learner__max_iter": 60},
    "random-forest": {"learner__n_estimators": 10},
    "random-forest-regressor": {"learner__n_estimators": 10},
}


# Of learners that are those of scikit-learn in a pipeline, one tells what the pipeline does.
OWN = [
    name
    if entry.estimator.startswith("bestofk.") or name in ("lda", "ridge")
    else pytest.param(name, marks=pytest.mark.slow)
    for name, entry in learner_catalogue().items()
]


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


@pytest.mark.parametrize("name", OWN)
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
@pytest.mark.parametrize("check", LEARNER_CHECKS, ids=lambda check: check.__name__)
def test_entry_makes_learners_that_keep_the_rules(check, name):
    check(learner_catalogue()[name])


def test_every_learner_can_be_pickled_by_the_name_of_its_class():
    for entry in learner_catalogue().values():
        steps = entry.make().steps
        for _, step in steps:
            module = inspect.getmodule(type(step))
            assert getattr(module, type(step).__name__) is type(step)
