"""ID3: the textbook's trees, and Weka's on request."""

import numpy as np
import pandas as pd
import pytest

from bestofk.data import load_data
from bestofk.errors import InvalidArgumentError
from bestofk.trees import ID3Classifier, information_gain, split_table


def tennis():
    data = load_data("play-tennis")
    return data.features, data.target


def test_growth_ends_where_nothing_is_gained_or_left():
    X = pd.DataFrame({"a": list("0011"), "b": list("0101")})
    learner = ID3Classifier(empty_branches="none").fit(X, [0, 1, 1, 0])
    assert learner.get_n_leaves() == 1
    np.testing.assert_array_equal(learner.predict_proba(X), np.full((4, 2), 0.5))
    X = pd.DataFrame({"a": list("xxyy"), "b": list("pppp")})
    learner = ID3Classifier().fit(X, [0, 1, 0, 0])
    # Column b has one level and is never tested; the rows of level x contradict each other.
    assert learner.tree_.attribute.tolist() == [0, -1, -1]
    assert learner.predict_proba(X)[0].tolist() == [0.5, 0.5]
    X, y = tennis()
    assert ID3Classifier(max_depth=1).fit(X, y).get_n_leaves() == 3
    assert ID3Classifier(min_samples_split=6).fit(X, y).get_n_leaves() == 3
    assert ID3Classifier(min_impurity_decrease=0.5).fit(X, y).get_n_leaves() == 1
    assert ID3Classifier(chi_squared_alpha=0.001).fit(X, y).get_n_leaves() == 1


def test_attribute_with_levels_is_tested_once_on_a_path():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.choice(list("uvw"), 300) for name in "abcd"})
    y = rng.integers(0, 2, 300)
    tree = ID3Classifier().fit(X, y).tree_
    assert tree.depth == 4
    for leaf in np.flatnonzero(tree.is_leaf):
        tested, node = [], tree.parent[leaf]
        while node >= 0:
            tested.append(int(tree.attribute[node]))
            node = tree.parent[node]
        assert len(tested) == len(set(tested))


def test_empty_branch_answers_as_its_parent_or_nothing():
    color = pd.Categorical(["red", "red", "blue", "blue", "blue"], ["red", "green", "blue"])
    X, y = pd.DataFrame({"color": color}), ["a", "a", "b", "b", "b"]
    asked = pd.DataFrame({"color": pd.Categorical(["green"], ["red", "green", "blue"])})
    by_parent = ID3Classifier().fit(X, y)
    assert by_parent.get_n_leaves() == 3
    assert by_parent.predict_proba(asked).tolist() == [[0.4, 0.6]]
    assert by_parent.predict(asked).tolist() == ["b"]
    nothing = ID3Classifier(empty_branches="none").fit(X, y)
    assert nothing.predict_proba(asked).tolist() == [[0.0, 0.0]]
    assert nothing.predict(asked).tolist() == ["a"]


def test_number_gets_the_threshold_of_most_gain():
    X = np.array([[40.0], [48], [60], [72], [80], [90]])
    learner = ID3Classifier().fit(X, list("NNYYYN"))
    assert learner.tree_.threshold[0] == 54.0
    assert learner.tree_.threshold[2] == 85.0
    assert learner.score(X, list("NNYYYN")) == 1.0


def test_description_length_prunes_noise_to_one_leaf():
    rng = np.random.default_rng(1)
    X = pd.DataFrame({name: rng.choice(list("uvw"), 90) for name in "abc"})
    y = rng.integers(0, 2, 90)
    assert ID3Classifier(pruning="mdl").fit(X, y).get_n_leaves() == 1
    assert ID3Classifier().fit(X, y).get_n_leaves() > 20


def levels_and_numbers(seed):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "x": rng.integers(0, 7, 120).astype(float),
            "level": rng.choice(list("abcde"), 120),
            "other": rng.choice(list("pqr"), 120),
        }
    )
    y = X["x"] + 3 * X["level"].isin(["a", "d"]) + 2 * (X["other"] == "q")
    return X, (y + rng.integers(0, 4, 120) > 6).to_numpy() + (rng.random(120) < 0.1)


@pytest.mark.parametrize("nominal_splits", ["binary", "subset"])
@pytest.mark.parametrize("seed", range(3))
def test_every_test_of_two_branches_gains_as_much_as_any_in_the_table(nominal_splits, seed):
    X, y = levels_and_numbers(seed)
    learner = ID3Classifier(nominal_splits=nominal_splits).fit(X, y)
    tree, path = learner.tree_, learner.decision_path(X).toarray().astype(bool)
    assert tree.n_nodes > 20
    assert set(tree.n_children.tolist()) == {0, 2}
    classes = np.unique(y)
    for node in np.flatnonzero(~tree.is_leaf):
        here = path[:, node]
        table = split_table(X[here].astype({"level": object}), y[here])
        is_pair = table["counts"].str.len() == 2
        if nominal_splits == "binary":
            is_pair &= (table["kind"] == "threshold") | ~table["branches"].str.startswith("in {")
        counts = [[(y[path[:, t]] == k).sum() for k in classes] for t in tree.children(node)]
        best = table.loc[is_pair, "information_gain"].max()
        assert information_gain(counts) == pytest.approx(best, abs=1e-9)


def test_an_attribute_in_two_subsets_may_be_tested_again():
    X, y = levels_and_numbers(0)
    tree = ID3Classifier(nominal_splits="binary").fit(X[["level"]], y).tree_
    assert (tree.attribute[~tree.is_leaf] == 0).sum() == 4
    assert ID3Classifier().fit(X[["level"]], y).get_n_leaves() == 5


def test_words_are_known_and_gain_is_also_called_entropy():
    X, y = tennis()
    with pytest.raises(InvalidArgumentError, match="empty_branches of ID3Classifier must be a"):
        ID3Classifier(empty_branches="nothing").fit(X, y)
    with pytest.raises(InvalidArgumentError, match="pruning of ID3Classifier must be a"):
        ID3Classifier(pruning="error-based").fit(X, y)
    texts = [ID3Classifier(criterion=name).fit(X, y).to_text() for name in ("gain", "entropy")]
    assert texts == [ID3Classifier().fit(X, y).to_text()] * 2
    with pytest.raises(InvalidArgumentError, match="criterion of ID3Classifier must be a known"):
        ID3Classifier(criterion="gini").fit(X, y)
