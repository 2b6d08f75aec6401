"""Model sizes along a learning curve: arrays, frame, sentence, store."""

import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier
from tests.unit.curves.given_learners import FirstClass

from bestofk import learning_curve
from bestofk.data import from_arrays
from bestofk.evaluation import Store
from bestofk.resampling import make_plan
from bestofk.resampling.partial_training import prefix_orders

pytestmark = pytest.mark.usefixtures("module_in_this_process")

X, y = load_iris(return_X_y=True)


LEARNERS = {
    "line": LogisticRegression(max_iter=2000),
    "tree": DecisionTreeClassifier(random_state=0),
    "1nn": KNeighborsClassifier(1),
    "unknown": FirstClass(),
}
SIZES = [9, 100]
GIVEN = {"train_sizes": SIZES, "cv": "2x3", "scoring": "error"}


@pytest.fixture(scope="module")
def curves():
    return learning_curve(LEARNERS, X, y, **GIVEN)


def n_nodes(size):
    """Nodes of the tree of the first split, fitted by itself."""
    data = from_arrays(X, y)
    order = prefix_orders(data, make_plan(data, "2x3"))[0]
    rows = np.sort(order[:size])
    return DecisionTreeClassifier(random_state=0).fit(X[rows], y[rows]).tree_.node_count


def test_every_size_has_the_count_of_its_first_split(curves):
    wanted = [[15, n_nodes(size), size, np.nan] for size in SIZES]
    np.testing.assert_array_equal(curves.complexity, wanted)
    assert curves.complexity_unit.tolist() == [["parameters", "nodes", "rows kept", ""]] * 2


def test_the_frame_has_both_columns(curves):
    frame = curves.to_frame().set_index(["learner", "n_train"])
    assert frame.loc[("tree", 100), "complexity"] == n_nodes(100)
    assert frame.loc[("tree", 100), "complexity_unit"] == "nodes"
    assert frame.loc["unknown", ["complexity", "complexity_unit"]].isna().all().all()


def test_json_has_null_where_nothing_was_counted(curves):
    rows = json.loads(json.dumps(curves.to_dict()))["scores"]
    results = {row["learner"]: row for row in rows if row["n_train"] == 9}
    assert (results["line"]["complexity"], results["line"]["complexity_unit"]) == (15, "parameters")
    assert results["unknown"]["complexity"] is results["unknown"]["complexity_unit"] is None


def said(curves):
    """The detail about sizes of models; empty where there is none."""
    return "".join(text for text in curves.sections().details if text.startswith("Size of"))


def test_the_text_says_whose_model_grows(curves):
    few, many = (n_nodes(size) for size in SIZES)
    assert few < many
    # a line has as many numbers at any size, and who keeps all rows is no news
    assert said(curves) == (
        f"Size of the first split's model, fewest to most rows: tree from {few} to {many} nodes."
    )


def test_nothing_is_said_where_no_model_changes(curves):
    same = replace(curves, complexity=np.repeat(curves.complexity[:1], 2, axis=0))
    assert said(same) == ""
    assert said(replace(curves, complexity=np.full((2, 4), np.nan))) == ""
    other = replace(curves, complexity_unit=np.array([["rows kept"] * 4, ["nodes"] * 4]))
    assert said(other) == ""
    assert said(replace(curves, is_baseline=(True,) * 4)) == ""


def test_of_many_models_those_that_change_most_are_named(curves):
    few = np.full(8, 10.0)
    many = np.array([11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 1.0, 90.0])
    of_each = "test_values train_values train_seconds predict_seconds test_seconds model_bytes"
    wide = replace(
        curves,
        learners=tuple("abcdefgh"),
        is_baseline=(False,) * 8,
        complexity=np.array([few, many]),
        complexity_unit=np.full((2, 8), "nodes"),
        **{name: np.repeat(getattr(curves, name), 2, axis=1) for name in of_each.split()},
    )
    assert said(wide) == (
        "Size of the first split's model, fewest to most rows, largest changes: g from 10 to 1 "
        "nodes, h from 10 to 90 nodes, f from 10 to 16 nodes, e from 10 to 15 nodes, d from 10 to "
        "14 nodes and c from 10 to 13 nodes."
    )


def test_a_second_call_finds_the_counts_in_the_store(tmp_path, curves):
    given = GIVEN | {"store": tmp_path / "runs.db"}
    learning_curve(LEARNERS, X, y, **given)
    with Store(given["store"]) as store:
        n_runs = store.n_runs()
    again = learning_curve(LEARNERS, X, y, **given)
    with Store(given["store"]) as store:
        assert store.n_runs() == n_runs
    np.testing.assert_array_equal(again.complexity, curves.complexity)
    assert again.complexity_unit.tolist() == curves.complexity_unit.tolist()
