"""Trees as JSON text: what is read predicts bit for bit as what was written."""

import json
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from bestofk.errors import InvalidArgumentError
from bestofk.trees import (
    C45Classifier,
    CARTClassifier,
    HellingerTreeClassifier,
    ID3Classifier,
    Tree,
)
from bestofk.trees.base import TreeClassifier
from bestofk.trees.json_form import tree_from_json

# Written by the first version that wrote trees, of `mixed_rows` and labels "no" and "yes".
STORED = Path(__file__).parent / "tree_version_1.json"
STORED_LINES = ["length <= 0.271264", "|   color = r"]
STORED_PROBABILITIES = [0.3098045638217166, 0.14206348112596834, 0.9268684565149787]


def mixed_rows():
    rng = np.random.default_rng(7)
    n = 120
    X = pd.DataFrame(
        {
            "length": rng.normal(size=n),
            "color": pd.Categorical(rng.choice(list("rgb"), n), categories=list("rgbx")),
            "count": rng.integers(0, 9, n).astype(float),
        }
    )
    y = (X["length"] + (X["color"] == "r") + 0.1 * X["count"] > 0.8).to_numpy()
    X.loc[::7, "length"] = np.nan
    X.loc[3::11, "color"] = np.nan
    return X, y


def fitted(labels, **parameters):
    X, y = mixed_rows()
    return C45Classifier(**parameters).fit(X, np.asarray(labels)[y.astype(int)])


LABELS = {
    "numbers": [3, 7],
    "texts": ["no", "ja, klar \u2713"],
    "booleans": [False, True],
    "objects": np.array(["no", "yes"], dtype=object),
    "floats": [1.0, 2.0],
}


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_a_learner_read_again_predicts_the_same_bits(labels):
    X, _ = mixed_rows()
    learner = fitted(labels, pruning=None)
    read = TreeClassifier.from_json(learner.to_json())
    assert type(read) is C45Classifier
    np.testing.assert_array_equal(read.predict_proba(X), learner.predict_proba(X))
    np.testing.assert_array_equal(read.predict(X), learner.predict(X))
    assert read.predict(X).dtype == learner.predict(X).dtype
    assert read.classes_.tolist() == learner.classes_.tolist()
    assert read.get_params() == learner.get_params()
    assert read.feature_names_in_.tolist() == ["length", "color", "count"]
    assert read.to_text() == learner.to_text()
    assert read.to_json() == learner.to_json()


@pytest.mark.parametrize(
    "learner",
    [
        ID3Classifier(empty_branches="none", discretization="mdl"),
        CARTClassifier(random_state=0),
        HellingerTreeClassifier(),
        C45Classifier(oblique="lda", pruning=None),
        C45Classifier(flavor="r8", nominal_splits="group"),
        C45Classifier(pruning="reduced-error", missing_values="most-frequent"),
    ],
    ids=lambda learner: f"{type(learner).__name__}",
)
def test_every_learner_is_read_again(learner):
    X, y = mixed_rows()
    X["length"] = X["length"].round(1)
    X, y = X[X["color"].notna() & X["length"].notna()], y[X["color"].notna() & X["length"].notna()]
    learner = clone(learner).fit(X, y)
    read = TreeClassifier.from_json(learner.to_json())
    unseen = X.assign(color=X["color"].cat.add_categories("z").fillna("z"))
    for rows in (X, unseen.assign(length=np.nan)):
        np.testing.assert_array_equal(read.predict_proba(rows), learner.predict_proba(rows))
        np.testing.assert_array_equal(read.predict(rows), learner.predict(rows))
        np.testing.assert_array_equal(read.apply(rows), learner.apply(rows))
    np.testing.assert_array_equal(read.feature_importances_, learner.feature_importances_)


@pytest.mark.parametrize("nominal_splits", ["multiway", "binary"])
def test_every_array_of_a_tree_read_again_is_the_same(nominal_splits):
    tree = fitted([0, 1], nominal_splits=nominal_splits, pruning=None).tree_
    read = Tree.from_json(tree.to_json())
    assert read.attributes == tree.attributes
    for field in fields(Tree)[1:]:
        was, now = getattr(tree, field.name), getattr(read, field.name)
        assert now.dtype == was.dtype, field.name
        np.testing.assert_array_equal(now, was)


def test_a_tree_of_one_leaf_and_an_oblique_one_are_read_again():
    stump = C45Classifier(max_depth=1, min_samples_leaf=1).fit([[0.1], [0.3]], ["a", "b"]).tree_
    leaf = stump.pruned(np.ones(3, bool))
    assert Tree.from_json(leaf.to_json()).n_nodes == 1
    oblique = replace(
        stump,
        attribute=np.array([1, -1, -1], np.int32),
        directions=np.array([[1 / 3]]),
        direction_means=np.array([[0.1 + 0.2]]),
        direction_scales=np.array([[2.0]]),
    )
    read = Tree.from_json(oblique.to_json())
    np.testing.assert_array_equal(read.directions, [[1 / 3]])
    np.testing.assert_array_equal(read.direction_means, [[0.1 + 0.2]])


@pytest.mark.parametrize("discretize_at", ["table", "node"])
def test_intervals_are_read_again(discretize_at):
    X, _ = mixed_rows()
    learner = fitted([0, 1], discretization="equal-width", discretize_at=discretize_at)
    read = TreeClassifier.from_json(learner.to_json())
    assert read.attributes_ == learner.attributes_
    np.testing.assert_array_equal(read.predict_proba(X), learner.predict_proba(X))


def test_parameters_keep_their_types():
    parameters = {
        "classes": np.array(["no", "yes"]),
        "categorical_features": ("color",),
        "ordinal_features": {2: list(range(9))},
        "max_categories": 10,
    }
    X, y = mixed_rows()
    learner = C45Classifier(**parameters).fit(X, np.where(y, "yes", "no"))
    read = TreeClassifier.from_json(learner.to_json())
    assert read.classes.dtype == "<U3"
    assert read.categorical_features == ("color",)
    assert read.ordinal_features == {2: list(range(9))}
    np.testing.assert_array_equal(read.predict_proba(X), learner.predict_proba(X))
    learner = fitted([0, 1]).set_params(confidence=float("inf"))
    assert TreeClassifier.from_json(learner.to_json()).confidence == float("inf")
    learner = fitted([0, 1], random_state=np.random.RandomState(0))
    with pytest.raises(InvalidArgumentError, match="random_state must be made of numbers, texts"):
        learner.to_json()


def test_a_stored_tree_of_version_1_is_read():
    X, _ = mixed_rows()
    learner = TreeClassifier.from_json(STORED.read_text(encoding="utf-8"))
    assert learner.get_params()["laplace"] is True
    assert learner.to_text().splitlines()[:2] == STORED_LINES
    known = learner.predict_proba(X)[[0, 3, 50]]
    np.testing.assert_allclose(known[:, 1], STORED_PROBABILITIES, rtol=1e-12)


def changed(text, **entries):
    return json.dumps(json.loads(text) | entries)


def test_another_version_format_learner_or_parameter_is_refused():
    learner = fitted([0, 1])
    for version in (2, 0, "1", None):
        with pytest.raises(InvalidArgumentError, match=r"from 1 to 1; got .* later release"):
            TreeClassifier.from_json(changed(learner.to_json(), version=version))
        with pytest.raises(InvalidArgumentError, match=r"from 1 to 1; got .* later release"):
            Tree.from_json(changed(learner.tree_.to_json(), version=version))
    with pytest.raises(InvalidArgumentError, match="have the format 'bestofk tree'; got None"):
        Tree.from_json("[1]")
    with pytest.raises(InvalidArgumentError, match="got 'bestofk tree classifier'"):
        Tree.from_json(learner.to_json())
    text = fitted([0, 1]).to_json()
    for name in ("Tree", "os.system", "RuleSet"):
        with pytest.raises(InvalidArgumentError, match="name a tree classifier of this package"):
            TreeClassifier.from_json(changed(text, learner=name))
    with pytest.raises(InvalidArgumentError, match="name parameters of C45Classifier; got"):
        TreeClassifier.from_json(changed(text, parameters={"depth": 3}))
    with pytest.raises(InvalidArgumentError, match="have all entries of a tree classifier"):
        TreeClassifier.from_json(changed(text, attributes=None))


@pytest.mark.parametrize("text", ["", "{", None])
def test_what_is_no_json_is_refused(text):
    with pytest.raises(InvalidArgumentError, match="text of a tree must be JSON; got"):
        Tree.from_json(text)


def nodes_with(text, name, node, value):
    content = json.loads(text)
    content["nodes"][name][node] = value
    return json.dumps(content)


def test_a_tree_that_contradicts_itself_is_refused():
    text = fitted([0, 1], pruning=None).tree_.to_json()
    weights = [[-1.0, 5.0], *json.loads(text)["class_weights"][1:]]
    contradictions = {
        "have all arrays of a tree": changed(text, lookup=None),
        "have arrays of one length": changed(text, threshold=[1.0]),
        "have a weight for each class": changed(text, classes={"array": [0], "dtype": "<i8"}),
        "have a mean for each coefficient": changed(text, directions=[[1.0, 1.0, 1.0]]),
        "lead to every node but the root once": nodes_with(text, "first_child", 0, 2),
        "have sound tests; got another at node 0": nodes_with(text, "attribute", 0, 9),
        "finite weights, above 0 at the root": changed(text, class_weights=weights),
        "have attributes of the kinds": changed(
            text, attributes=[{"name": "a", "kind": "text", "levels": []}]
        ),
    }
    for rule, broken in contradictions.items():
        with pytest.raises(InvalidArgumentError, match=rule):
            tree_from_json(broken, Tree)


@pytest.mark.parametrize(("name", "value"), [("kind", 7), ("default_branch", 5)])
def test_a_test_that_leads_nowhere_is_refused(name, value):
    text = fitted([0, 1], pruning=None).tree_.to_json()
    with pytest.raises(InvalidArgumentError, match="have sound tests; got another at node 0"):
        tree_from_json(nodes_with(text, name, 0, value), Tree)


def test_subsets_are_held_to_their_branches():
    X, _ = mixed_rows()
    tree = CARTClassifier(pruning=None, max_depth=1).fit(X[["color"]], X["color"] == "r").tree_
    content = json.loads(tree.to_json())
    assert Tree.from_json(tree.to_json()).lookup.tolist() == content["lookup"]
    content["lookup"][0] = 2
    with pytest.raises(InvalidArgumentError, match="have sound tests; got another at node 0"):
        tree_from_json(json.dumps(content), Tree)
