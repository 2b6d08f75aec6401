import numpy as np
import pandas as pd
import pytest

from bestofk.data import load_data
from bestofk.errors import InvalidArgumentError
from bestofk.trees import C45Classifier, ID3Classifier

# Score of each attribute of play-tennis at costs 1, 2 and 5 (0, 1 and 4 for the rule of Nunez).
TAN_SCHLIMMER = {
    "outlook": (0.060886, 0.030443, 0.012177),
    "humidity": (0.023054, 0.011527, 0.004611),
    "windy": (0.002316, 0.001158, 0.000463),
    "temperature": (0.000854, 0.000427, 0.000171),
}
NUNEZ = {
    "outlook": (0.186531, 0.093266, 0.037306),
    "humidity": (0.110982, 0.055491, 0.022196),
    "windy": (0.033922, 0.016961, 0.006784),
    "temperature": (0.020462, 0.010231, 0.004092),
}
GAIN = {"outlook": 0.246750, "humidity": 0.151836, "windy": 0.048127, "temperature": 0.029223}


def play_tennis():
    data = load_data("play-tennis")
    return data.features, data.target


def scores_at_root(**parameters):
    X, y = play_tennis()
    return ID3Classifier(**parameters).fit(X, y).node_table(0, X, y)["score"].to_dict()


@pytest.mark.parametrize(("place", "cost"), [(0, 1), (1, 2), (2, 5)])
def test_tan_and_schlimmer_divide_the_squared_gain_by_the_cost(place, cost):
    result = scores_at_root(costs=[cost] * 4)
    for name, expected in TAN_SCHLIMMER.items():
        assert result[name] == pytest.approx(expected[place], abs=1e-6)


@pytest.mark.parametrize(("place", "cost"), [(0, 0), (1, 1), (2, 4)])
def test_nunez_weighs_two_to_the_gain_by_the_cost_plus_one(place, cost):
    result = scores_at_root(costs=[cost] * 4, cost_rule="nunez")
    for name, expected in NUNEZ.items():
        assert result[name] == pytest.approx(expected[place], abs=1e-6)


def test_nunez_with_weight_zero_ignores_the_costs():
    result = scores_at_root(costs=[1, 2, 5, 9], cost_rule="nunez", cost_weight=0.0)
    for name, gain in GAIN.items():
        assert result[name] == pytest.approx(2**gain - 1, abs=1e-6)


@pytest.mark.parametrize("cost", [1, 2, 5])
def test_idx_divides_the_gain_by_the_cost(cost):
    result = scores_at_root(costs=[cost] * 4, cost_rule="idx")
    for name, gain in GAIN.items():
        assert result[name] == pytest.approx(gain / cost, abs=1e-6)


def test_costs_by_name_make_a_tree_ask_for_the_cheap_attribute_first():
    X, y = play_tennis()
    dear = {name: 100.0 if name == "outlook" else 1.0 for name in X.columns}
    free, weighed = ID3Classifier().fit(X, y), ID3Classifier(costs=dear).fit(X, y)
    names = [attribute.name for attribute in free.tree_.attributes]
    assert names[free.tree_.attribute[0]] == "outlook"
    assert names[weighed.tree_.attribute[0]] == "humidity"


def test_equal_costs_of_one_leave_the_tree_of_id3_as_it_is():
    X, y = play_tennis()
    for rule in ("tan-schlimmer", "idx"):
        tree = ID3Classifier(costs=[1] * 4, cost_rule=rule).fit(X, y).tree_
        plain = ID3Classifier().fit(X, y).tree_
        np.testing.assert_array_equal(tree.attribute, plain.attribute)
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


def test_the_table_of_a_node_shows_what_is_still_to_be_paid():
    X, y = dear_and_cheap()
    costs = {"dear": 100.0, "cheap": 1.0}
    learner = ID3Classifier(costs=costs, costs_paid_once=True).fit(X, y)
    assert learner.node_table(0, X, y)["cost"].tolist() == [100.0, 1.0]
    below = learner.tree_.children(0)[1]
    assert learner.node_table(below, X, y)["cost"].tolist() == [0.0, 1.0]


def test_paying_once_without_costs_changes_nothing():
    X, y = dear_and_cheap()
    plain = ID3Classifier().fit(X, y).tree_
    tree = ID3Classifier(costs_paid_once=True).fit(X, y).tree_
    np.testing.assert_array_equal(tree.class_weights, plain.class_weights)


def test_costs_bypass_the_average_gain_of_c45():
    X, y = play_tennis()
    learner = C45Classifier(costs=[1] * 4, pruning=None).fit(X, y)
    assert learner.node_table(0, X, y)["eligible"].all()
    plain = C45Classifier(pruning=None).fit(X, y)
    assert plain.node_table(0, X, y)["eligible"].sum() == 2


@pytest.mark.parametrize("rule", ["tan-schlimmer", "idx"])
def test_a_cost_of_zero_is_refused_where_it_divides(rule):
    X, y = dear_and_cheap()
    with pytest.raises(InvalidArgumentError, match="must be a number above 0; got 0"):
        ID3Classifier(costs=[0, 1], cost_rule=rule).fit(X, y)


@pytest.mark.parametrize("bad", [-1, np.nan, np.inf, "1", True])
def test_costs_that_are_no_positive_numbers_are_refused(bad):
    X, y = dear_and_cheap()
    message = "costs of ID3Classifier for column 'dear' must be a number from 0 up"
    with pytest.raises(InvalidArgumentError, match=message):
        ID3Classifier(costs={"dear": bad, "cheap": 1}, cost_rule="nunez").fit(X, y)


def test_a_column_without_a_cost_is_named():
    X, y = dear_and_cheap()
    with pytest.raises(InvalidArgumentError, match="got none for cheap"):
        C45Classifier(costs={"dear": 1}).fit(X, y)


def test_a_cost_for_no_column_is_named():
    X, y = dear_and_cheap()
    with pytest.raises(InvalidArgumentError, match="must be a column of X; got 'cheep'"):
        C45Classifier(costs={"dear": 1, "cheep": 1}).fit(X, y)
