"""The table behind a test: worked numbers, and the same choice as growth made."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import entropy
from tests.given import data_folder

from bestofk.data import load_data
from bestofk.data.arff_file import read_arff
from bestofk.errors import InvalidArgumentError
from bestofk.trees import C45Classifier, CARTClassifier
from bestofk.trees.node_table import induction_steps, node_table


@pytest.fixture(scope="module")
def play_tennis():
    data = load_data("play-tennis")
    return data.features, np.asarray(data.target)


def read_rows(name):
    columns = list(read_arff(data_folder() / "uci" / f"{name}.arff", name).columns.items())
    return pd.DataFrame(dict(columns[:-1])), columns[-1][1].to_numpy(dtype=object)


def test_the_root_of_play_tennis_scores_ratios_and_its_branches_are_steps(play_tennis):
    X, y = play_tennis
    steps = {words: table for _, words, table in induction_steps(C45Classifier().fit(X, y), X, y)}
    assert set(steps) == {"", "outlook = sunny", "outlook = rainy"}
    table = steps[""]
    assert list(table.index) == ["outlook", "temperature", "humidity", "windy"]
    np.testing.assert_array_equal(table["score"], table["ratio"])
    np.testing.assert_array_equal(table["worth"], table["gain"])
    assert table["best"].tolist() == table["chosen"].tolist() == [True, False, False, False]
    assert table["valid"].all()
    assert table["cost"].isna().all()
    by_gain = C45Classifier(criterion="gain").fit(X, y).node_table(0, X, y)
    np.testing.assert_array_equal(by_gain["score"], by_gain["gain"])
    np.testing.assert_array_equal(by_gain["split_info"], table["split_info"])


def test_a_numeric_cut_shows_its_penalty_and_threshold():
    # Six temperatures: cuts 54, 66 and 76 leave two rows on either side; 54 is worth most.
    X = pd.DataFrame({"temperature": [40.0, 48, 60, 72, 80, 90]})
    y = ["no", "no", "yes", "yes", "yes", "no"]
    row = C45Classifier(pruning=None).fit(X, y).node_table(0, X, y).loc["temperature"]
    assert row["gain"] == pytest.approx(0.459148, abs=5e-7)
    assert row["penalty"] == pytest.approx(np.log2(3) / 6)
    assert row["worth"] == pytest.approx(0.194988, abs=5e-7)
    assert row["split_info"] == pytest.approx(0.918296, abs=5e-7)
    assert row["branches"] == "<= 48 | > 48"


def test_an_attribute_that_cannot_be_cut_has_no_numbers():
    X = pd.DataFrame({"same": [1.0] * 6, "x": [1.0, 2, 3, 4, 5, 6]})
    y = [0, 0, 0, 1, 1, 1]
    table = C45Classifier(pruning=None).fit(X, y).node_table(0, X, y)
    assert table.loc["same", ["gain", "penalty", "split_info", "score"]].isna().all()
    assert not table.loc["same", "valid"]
    assert table.loc["same", "branches"] == ""


def test_leaves_gini_and_subsets_have_a_table_too(play_tennis):
    X, y = play_tennis
    tree = C45Classifier(max_depth=1, pruning=None).fit(X, y)
    table = tree.node_table(3, X, y)
    assert not table["chosen"].any()
    assert table.index[table["best"]].tolist() == ["humidity"]
    table = CARTClassifier(pruning=None).fit(X, y).node_table(0, X, y)
    # 1 - .5918 (parent 9 : 5) less the mean of overcast (0) and the rest (5 : 5, .5) = .4592 - 5/14
    assert table.loc["outlook", "gain"] == pytest.approx(0.459184 - 10 / 14 * 0.5, abs=5e-7)
    assert table.loc["outlook", "branches"] in (
        "!= overcast | = overcast",
        "= overcast | != overcast",
    )


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"criterion": "gain"},
        {"nominal_splits": "binary"},
        {"missing_values": "most-frequent"},
        {"missing_values": "most-frequent-in-class"},
    ],
)
@pytest.mark.parametrize("is_weighted", [False, True])
def test_the_best_of_every_table_is_what_growth_chose(parameters, is_weighted):
    X, y = read_rows("labor")  # levels, numbers, and many missing values
    weight = np.arange(len(y)) % 3 + 1.0 if is_weighted else None
    tree = C45Classifier(pruning=None, collapse=False, **parameters).fit(X, y, weight)
    steps = list(induction_steps(tree, X, y, weight))
    assert [node for node, _, _ in steps] == np.flatnonzero(~tree.tree_.is_leaf).tolist()
    for _, _, table in steps:
        assert table["best"].tolist() == table["chosen"].tolist()


@pytest.mark.parametrize("discretize_at", ["table", "node"])
def test_intervals_have_a_table_too(discretize_at):
    X, y = read_rows("labor")
    tree = C45Classifier(
        pruning=None, collapse=False, discretization="equal-width", discretize_at=discretize_at
    ).fit(X, y)
    for _, _, table in induction_steps(tree, X, y):
        assert table["best"].tolist() == table["chosen"].tolist()


@pytest.mark.parametrize("criterion", ["gain", "gain_ratio"])
def test_an_oblique_test_is_one_more_row(criterion):
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.uniform(size=(200, 2)), columns=["a", "b"])
    y = (X["a"] + X["b"] < 1).astype(int) + (rng.random(200) < 0.05)
    tree = C45Classifier(oblique="lda", criterion=criterion, pruning=None).fit(X, y)
    steps = list(induction_steps(tree, X, y))
    assert sum(len(table) == 3 for _, _, table in steps) > 0
    for _, _, table in steps:
        assert table["best"].tolist() == table["chosen"].tolist()
    root = steps[0][2].iloc[2]
    left, right = (tree.tree_.class_weights[child] for child in tree.tree_.children(0))
    sizes = np.array([left.sum(), right.sum()])
    inside = sizes @ [entropy(left, base=2), entropy(right, base=2)] / 200
    assert root["gain"] == pytest.approx(entropy(left + right, base=2) - inside)
    assert root["split_info"] == pytest.approx(entropy(sizes, base=2))
    assert root["score"] == pytest.approx(
        root["worth"] if criterion == "gain" else root["worth"] / root["split_info"]
    )


def test_costs_weigh_what_an_attribute_is_worth(play_tennis):
    X, y = play_tennis
    costs = {"outlook": 5.0, "temperature": 1.0, "humidity": 2.0, "windy": 1.0}
    tree = C45Classifier(
        criterion="gain", costs=costs, cost_rule="tan-schlimmer", costs_paid_once=True, pruning=None
    ).fit(X, y)
    steps = list(induction_steps(tree, X, y))
    table = steps[0][2]
    assert table["cost"].tolist() == [5.0, 1.0, 2.0, 1.0]
    np.testing.assert_allclose(table["score"], [0.012177, 0.000854, 0.011527, 0.002316], atol=5e-7)
    assert table.index[table["chosen"]].tolist() == ["outlook"]
    assert [table.loc["outlook", "cost"] for _, _, table in steps[1:]] == [0.0] * (len(steps) - 1)


def test_wrong_data_or_nodes_are_refused(play_tennis):
    X, y = play_tennis
    tree = C45Classifier().fit(X, y)
    with pytest.raises(InvalidArgumentError, match="must be the training data of the tree"):
        tree.node_table(0, X.iloc[1:], y[1:])
    for node in (8, -1, "root"):
        with pytest.raises(InvalidArgumentError, match="must be a whole number from 0 to 7; got"):
            node_table(tree, node, X, y)
    X = pd.DataFrame({"sky": pd.Categorical(list("aabb"), categories=list("abc"))})
    y = ["no", "no", "yes", "yes"]
    tree = C45Classifier().fit(X, y)
    with pytest.raises(InvalidArgumentError, match="node must be reached by training rows"):
        tree.node_table(3, X, y)
