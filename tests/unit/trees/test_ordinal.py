import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone

from bestofk.errors import InvalidArgumentError
from bestofk.trees import (
    C45Classifier,
    C45RulesClassifier,
    CARTClassifier,
    HellingerTreeClassifier,
    ID3Classifier,
)
from bestofk.trees.json_form import tree_to_json

SIZES = ["small", "middle", "large", "huge"]
LEARNERS = [
    C45Classifier(pruning=None),
    ID3Classifier(),
    CARTClassifier(pruning=None),
    HellingerTreeClassifier(min_samples_leaf=1),
]


def sizes(n_each=4):
    """Return sizes of which those in the middle are of class "fits"."""
    column = np.repeat(SIZES, n_each)
    return pd.DataFrame({"size": column}), np.where(np.isin(column, SIZES[1:3]), "fits", "not")


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_levels_are_cut_in_their_order(learner):
    X, y = sizes()
    learner = clone(learner).set_params(ordinal_features={"size": SIZES}).fit(X, y)
    tree = learner.tree_
    assert learner.get_n_leaves() == 3
    # Two cuts: none of the levels in the middle is with one end and not the other.
    assert sorted(np.floor(tree.threshold[~tree.is_leaf])) == [0, 2]
    assert learner.score(X, y) == 1


@pytest.mark.parametrize(
    "learner",
    [
        C45Classifier(pruning=None),
        ID3Classifier(),
        HellingerTreeClassifier(nominal_splits="multiway", min_samples_leaf=1),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_on_demand_there_is_a_branch_for_each_level_in_their_order(learner):
    X, y = sizes()
    learner.set_params(ordinal_features={"size": SIZES}, ordinal_splits="multiway").fit(X, y)
    lines = learner.to_text().splitlines()[:4]
    assert [line.partition(":")[0] for line in lines] == [f"size = {size}" for size in SIZES]
    categories = pd.DataFrame({"size": pd.Categorical(X["size"], SIZES)})
    unordered = clone(learner).set_params(ordinal_features=None, ordinal_splits="cut")
    assert learner.to_json() != unordered.fit(categories, y).to_json()  # other parameters
    assert tree_to_json(learner.tree_) == tree_to_json(unordered.tree_)
    unknown = pd.DataFrame({"size": ["tiny", None]})
    np.testing.assert_allclose(learner.predict_proba(unknown), 0.5)


@pytest.mark.parametrize(
    "learner",
    [
        ID3Classifier(nominal_splits="subset"),
        C45Classifier(nominal_splits="group"),
        HellingerTreeClassifier(),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_branches_for_levels_in_order_need_them_for_the_others_too(learner):
    learner.set_params(ordinal_splits="multiway")
    with pytest.raises(InvalidArgumentError, match=r"ordinal_splits of \w+ must be 'cut' together"):
        learner.fit(*sizes())


def test_levels_in_order_grow_the_tree_of_their_numbers():
    rng = np.random.default_rng(7)
    codes = rng.integers(0, 4, (300, 3)).astype(float)
    codes[rng.random(codes.shape) < 0.1] = np.nan
    y = (np.nan_to_num(codes).sum(axis=1) + rng.random(300) > 4.5).astype(int)
    names = ["a", "b", "c"]
    texts = pd.DataFrame(
        {
            n: [None if np.isnan(x) else SIZES[int(x)] for x in codes[:, i]]
            for i, n in enumerate(names)
        }
    )
    by_level = C45Classifier(ordinal_features=dict.fromkeys(names, SIZES)).fit(texts, y)
    by_number = C45Classifier().fit(pd.DataFrame(codes, columns=names), y)
    np.testing.assert_array_equal(by_level.tree_.class_weights, by_number.tree_.class_weights)
    np.testing.assert_array_equal(
        by_level.predict_proba(texts), by_number.predict_proba(pd.DataFrame(codes, columns=names))
    )


ORDERED = {
    "pandas": lambda X: X.astype({"size": pd.CategoricalDtype(SIZES, ordered=True)}),
    "polars": lambda X: pl.DataFrame({"size": pl.Series(X["size"], dtype=pl.Enum(SIZES))}),
}


@pytest.mark.parametrize("kind", ORDERED)
@pytest.mark.parametrize(
    "learner",
    [*LEARNERS, CARTClassifier(flavor="simplecart", pruning=None), C45RulesClassifier()],
    ids=str,
)
def test_ordered_categories_have_an_order_by_their_type(learner, kind):
    X, y = sizes()
    given = clone(learner).set_params(ordinal_features={"size": SIZES}).fit(X, y)
    X = ORDERED[kind](X)
    read = clone(learner).fit(X, y)
    assert read.attributes_ == given.attributes_
    assert read.attributes_[0].kind == "ordinal"
    assert tree_to_json(read.tree_) == tree_to_json(given.tree_)
    assert read.score(X, y) == given.score(X, y)


def test_a_cut_of_ordered_categories_does_not_divide_three_levels():
    X = pd.DataFrame({"size": pd.Categorical(SIZES[:3] * 4, SIZES[:3], ordered=True)})
    y = ["a", "b", "a"] * 4
    assert ID3Classifier(max_depth=1).fit(X, y).score(X, y) < 1
    assert ID3Classifier(max_depth=1, ordinal_splits="multiway").fit(X, y).score(X, y) == 1


@pytest.mark.parametrize("ordered", [False, True])
def test_categories_named_as_such_have_no_order(ordered):
    X, y = sizes()
    X["size"] = pd.Categorical(X["size"], SIZES, ordered=ordered)
    named = C45Classifier(pruning=None, categorical_features=["size"]).fit(X, y)
    assert named.attributes_[0].kind == "nominal"
    assert named.get_n_leaves() == 4


def test_numbers_may_be_levels():
    X, y = np.array([[1.0], [2.0], [30.0], [4.0]] * 3), ["a", "b", "b", "a"] * 3
    learner = C45Classifier(ordinal_features={0: [1, 4, 2, 30]}, pruning=None).fit(X, y)
    assert learner.attributes_[0].levels == ("1", "4", "2", "30")
    assert learner.get_n_leaves() == 2


def test_levels_are_named_and_must_be_declared_once_unseen_ones_are_missing_values():
    X, y = sizes()
    learner = C45Classifier(ordinal_features={"size": ["tiny", *SIZES]}, pruning=None).fit(X, y)
    assert "size <= small: not (4.0)" in learner.to_text()
    assert "size > large: not (4.0)" in learner.to_text()
    unseen, missing = learner.predict_proba(pd.DataFrame({"size": ["gigantic", None]}))
    np.testing.assert_array_equal(unseen, missing)
    np.testing.assert_allclose(missing, [0.5, 0.5])
    # a declared level without rows stands where it was declared
    assert learner.predict(pd.DataFrame({"size": ["tiny"]})).tolist() == ["not"]
    with pytest.raises(
        InvalidArgumentError, match=r"every level of column 'size'.*for huge, large"
    ):
        C45Classifier(ordinal_features={"size": ["small", "middle"]}).fit(X, y)
    with pytest.raises(InvalidArgumentError, match="got 'small' twice"):
        C45Classifier(ordinal_features={"size": [*SIZES, "small"]}).fit(X, y)
