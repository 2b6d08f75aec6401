"""Checks of scikit-learn's estimator contract for every learner of the catalogue."""

import inspect
from typing import Any

import pytest
from tests.estimator_checks import failures

from bestofk.learners import TablePreparer, learner_catalogue
from bestofk.testing.extensions import LEARNER_CHECKS

NAMES = list(learner_catalogue())
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


@pytest.mark.parametrize("name", OWN)
def test_learner_passes_the_checks_of_scikit_learn(name):
    learner = learner_catalogue()[name].make().set_params(**SMALLER.get(name, {}))
    slow = SLOW.get(name)
    assert failures(learner, lambda check: slow is None or slow not in check) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", list(SMALLER))
def test_learner_passes_all_checks_with_its_usual_settings(name):
    assert failures(learner_catalogue()[name].make()) == []


@pytest.mark.parametrize("standardize", [False, True])
def test_preparer_passes_the_checks_of_scikit_learn(standardize):
    assert failures(TablePreparer(standardize=standardize)) == []


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
