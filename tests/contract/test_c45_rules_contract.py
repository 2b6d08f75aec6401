"""Checks of scikit-learn's estimator contract for the rule learner."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from tests.estimator_checks import failures

from bestofk.errors import InvalidArgumentError
from bestofk.trees.c45_rules import C45RulesClassifier
from bestofk.trees.rules import RuleSet


def test_the_checks_of_scikit_learn_pass():
    assert failures(C45RulesClassifier(random_state=0)) == []


def made_table():
    rng = np.random.default_rng(1)
    table = pd.DataFrame(
        {
            "size": rng.normal(size=80),
            "color": pd.Categorical(rng.choice(["red", "blue", "green"], 80)),
            "flag": rng.random(80) < 0.5,
        }
    )
    y = np.where((table["color"] == "red") | (table["size"] > 1), "yes", "no")
    table.loc[::9, ["size", "color"]] = None
    return table, y


@pytest.mark.parametrize("as_frame", [lambda table: table, pl.from_pandas])
def test_tables_of_any_kind_are_taken_with_missing_and_unseen_values(as_frame):
    table, y = made_table()
    learner = C45RulesClassifier(random_state=0).fit(as_frame(table[:60]), y[:60])
    rows = table[60:].copy()
    rows["color"] = rows["color"].astype(object).where(rows["size"] < 1.5, "violet")
    predicted = learner.predict(as_frame(rows))
    assert set(predicted) == {"yes", "no"}
    assert (predicted == y[60:]).mean() >= 0.7
    assert learner.feature_names_in_.tolist() == ["size", "color", "flag"]


def test_the_rules_are_those_of_the_unpruned_tree():
    X, y = load_iris(return_X_y=True)
    learner = C45RulesClassifier(random_state=0).fit(X, y)
    by_hand = RuleSet.from_tree(learner.tree_, X, y, random_state=0)
    assert learner.to_text() == by_hand.to_text()
    assert (learner.predict(X) == y).mean() >= 0.95
    assert clone(learner).get_params() == learner.get_params()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"select": "some"}, "select of .* must be a known one; got 'some'"),
        ({"order": "none"}, "order of .* must be a known one; got 'none'"),
        ({"confidence": 2.0}, r"confidence of .* must be a number above 0 and at most 1; got 2\.0"),
        ({"flavor": "c5"}, "flavor of .* must be a known one; got 'c5'"),
        ({"min_samples_leaf": 0}, "min_samples_leaf of .* must be a number above 0; got 0"),
    ],
)
def test_wrong_parameters_are_refused(given, message):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(InvalidArgumentError, match=message):
        C45RulesClassifier(**given).fit(X, y)
