import numpy as np
import pandas as pd
import pytest

from bestofk.data import load_data
from bestofk.trees import C45Classifier, ID3Classifier

# Score of each attribute of play-tennis at costs 1, 2 and 5 (0, 1 and 4 for the rule of Nunez).
GAIN = {"outlook": 0.246750, "humidity": 0.151836, "windy": 0.048127, "temperature": 0.029223}


def play_tennis():
    data = load_data("play-tennis")
    return data.features, data.target


def scores_at_root(**parameters):
    X, y = play_tennis()
    return ID3Classifier(**parameters).fit(X, y).node_table(0, X, y)["score"].to_dict()


def test_nunez_with_weight_zero_ignores_the_costs():
    result = scores_at_root(costs=[1, 2, 5, 9], cost_rule="nunez", cost_weight=0.0)
    for name, gain in GAIN.items():
        assert result[name] == pytest.approx(2**gain - 1, abs=1e-6)


def test_costs_of_one_and_paying_once_without_costs_change_nothing():
    X, y = play_tennis()
    for rule in ("tan-schlimmer", "idx"):
        tree = ID3Classifier(costs=[1] * 4, cost_rule=rule).fit(X, y).tree_
        plain = ID3Classifier().fit(X, y).tree_
        np.testing.assert_array_equal(tree.attribute, plain.attribute)
        np.testing.assert_array_equal(tree.class_weights, plain.class_weights)
    X, y = dear_and_cheap()
    plain = ID3Classifier().fit(X, y).tree_
    tree = ID3Classifier(costs_paid_once=True).fit(X, y).tree_
    np.testing.assert_array_equal(tree.class_weights, plain.class_weights)


def dear_and_cheap():
    """Return a column that parts all classes in two cuts, and one that helps below the first."""
    dear = [0] * 8 + [1] * 4 + [2] * 4
    cheap = [1] * 8 + [1, 1, 1, 0] + [0, 0, 0, 1]
    return pd.DataFrame({"dear": dear, "cheap": cheap}), [0] * 8 + [1] * 4 + [0] * 4


def names_of_tests(learner):
    tree = learner.tree_
    return [tree.attributes[a].name for a in tree.attribute[~tree.is_leaf]]


def test_an_attribute_that_was_paid_above_costs_nothing_on_request():
    X, y = dear_and_cheap()
    costs = {"dear": 100.0, "cheap": 1.0}
    each_time = ID3Classifier(costs=costs).fit(X, y)
    assert names_of_tests(each_time)[:2] == ["dear", "cheap"]
    once = ID3Classifier(costs=costs, costs_paid_once=True).fit(X, y)
    assert names_of_tests(once) == ["dear", "dear"]
    assert once.get_n_leaves() == 3
    assert once.node_table(0, X, y)["cost"].tolist() == [100.0, 1.0]
    below = once.tree_.children(0)[1]
    assert once.node_table(below, X, y)["cost"].tolist() == [0.0, 1.0]


def test_costs_bypass_the_average_gain_of_c45():
    X, y = play_tennis()
    learner = C45Classifier(costs=[1] * 4, pruning=None).fit(X, y)
    assert learner.node_table(0, X, y)["eligible"].all()
    plain = C45Classifier(pruning=None).fit(X, y)
    assert plain.node_table(0, X, y)["eligible"].sum() == 2
