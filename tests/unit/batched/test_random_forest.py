"""Forests of many parts: to the last bit those of each part alone."""

import numpy as np
import pandas as pd
import pytest

from bestofk.batched.forms import batched_form
from bestofk.learners import learner_catalogue
from bestofk.testing import check_batched_form

RNG = np.random.default_rng(0)
NUMBERS = RNG.integers(0, 30, size=(90, 5)) / 4
TOTAL = NUMBERS @ [1, -1, 0.5, 0, 0]


@pytest.mark.parametrize("name", ["forest", "extra-forest"])
@pytest.mark.parametrize("edges", [[0], [-3, 0, 3]])
def test_classes_have_the_probabilities_of_the_plain_learner(name, edges):
    learner = learner_catalogue()[name].make({"n_estimators": 7})
    y = np.digitize(TOTAL, edges)
    for more in ({}, {"train_sizes": [0.3, 0.6]}):
        check_batched_form(learner, NUMBERS, y, tolerance=0.0, **more)


@pytest.mark.parametrize("name", ["forest-regressor", "extra-forest-regressor"])
def test_numbers_are_those_of_the_plain_learner(name):
    learner = learner_catalogue()[name].make({"n_estimators": 7})
    check_batched_form(learner, NUMBERS, TOTAL + 1000, tolerance=0.0)


def test_parts_without_a_class_are_left_to_the_plain_way():
    learner = learner_catalogue()["forest"].make({"n_estimators": 3})
    y = np.arange(90) % 2
    y[0] = 2
    check_batched_form(learner, NUMBERS, y, tolerance=0.0)


@pytest.mark.parametrize("gaps", [[], [3, 4, 50]])
@pytest.mark.parametrize("name", ["forest", "extra-forest", "forest-regressor"])
def test_levels_are_those_of_each_part(name, gaps):
    kinds = pd.Series(RNG.choice(["x", "y", "z"], 90))
    kinds[[0, 40]] = "rare", "once"  # parts lack one of them, or both
    kinds[gaps] = None
    features = pd.DataFrame({"kind": kinds, "total": TOTAL, "color": ["red", "blue"] * 45})
    y = TOTAL + (kinds == "x") if name == "forest-regressor" else (TOTAL > 0) ^ (kinds == "x")
    learner = learner_catalogue()[name].make({"n_estimators": 5})
    y = y.to_numpy().astype(float if name == "forest-regressor" else int)
    assert check_batched_form(learner, features, y, cv="3x4", tolerance=0.0).n_left == 0


@pytest.mark.parametrize(
    "features", [np.where(NUMBERS == 1, np.nan, NUMBERS), NUMBERS.astype(np.float32)]
)
def test_other_tables_have_no_form(features):
    learner = learner_catalogue()["forest"].make()
    y = np.arange(90) % 2
    assert batched_form(learner, features, y, y, np.unique(y), 5) is None
