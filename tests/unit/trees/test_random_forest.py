"""Forests: tests are the best by a plain count, and trees depend on their seed alone."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.metrics import r2_score

from bestofk.trees import ForestClassifier, ForestRegressor
from bestofk.trees._forest import Grower, SortedTable
from bestofk.trees.random_forest import Forest, grow_trees

SEEDS = st.integers(0, 2**32 - 1)
ALL_COLUMNS = {"n_estimators": 1, "bootstrap": False, "max_features": None}


def impurity(y, weight, criterion):
    """Return the weight of some rows times their impurity."""
    total = weight.sum()
    if criterion == "squared_error":
        return weight @ (y - weight @ y / total) ** 2
    shares = np.array([weight[y == k].sum() for k in np.unique(y)]) / total
    if criterion == "gini":
        return total * (1 - shares @ shares)
    return -total * (shares @ np.log2(shares))


def divisions(x, weight, least):
    """Yield which rows go left, for all divisions of a column with or without missing values."""
    known = ~np.isnan(x)
    for value in np.unique(x[known]):
        for side in {False, bool((~known).any())}:
            left = np.where(known, x <= value, side)
            if min(left.sum(), (~left).sum()) >= least:
                yield left


def nodes_of(forest, X):
    """Yield each inner node's rows, those that go left, and the answers at each leaf."""
    tree = forest.forest_
    waiting = [(0, np.arange(len(X)))]
    while waiting:
        node, rows = waiting.pop()
        threshold, test, child = tree.nodes[node].tolist()
        if child < 0:
            yield rows, None, tree.answers[-1 - child]
            continue
        x = X[rows, test >> 1]
        left = np.where(np.isnan(x), bool(test & 1), x <= threshold)
        yield rows, left, None
        waiting += [(child, rows[left]), (child + 1, rows[~left])]


def made_table(seed, *, n_classes, gaps):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 90)), int(rng.integers(1, 5))
    X = rng.integers(0, int(rng.choice([2, 5, 1000])), size=(n, d)).astype(float)
    if gaps:
        X[rng.random(X.shape) < 0.3] = np.nan
    y = rng.integers(0, n_classes, n) if n_classes else rng.normal(size=n).round(1) + 1e6
    weight = rng.choice([None, 1, 2])
    return X, y, None if weight is None else rng.integers(0, 3, n) / weight + (np.arange(n) < 2)


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
@settings(max_examples=25, deadline=None)
@given(seed=SEEDS, n_classes=st.integers(2, 5), least=st.integers(1, 4))
def test_every_node_takes_the_best_division(seed, n_classes, least, criterion, gaps):
    is_number = criterion == "squared_error"
    X, y, weight = made_table(seed, n_classes=0 if is_number else n_classes, gaps=gaps)
    make = ForestRegressor if is_number else ForestClassifier
    forest = make(criterion=criterion, min_samples_leaf=least, random_state=0, **ALL_COLUMNS)
    forest.fit(X, y, weight)
    weight = np.ones(len(y)) if weight is None else weight
    X, y, weight = X[weight > 0], y[weight > 0], weight[weight > 0]
    for rows, left, answer in nodes_of(forest, X):
        own, w = y[rows], weight[rows]
        tried = [side for x in X[rows].T for side in divisions(x, w, least)]
        after = [
            impurity(own[side], w[side], criterion) + impurity(own[~side], w[~side], criterion)
            for side in tried
        ]
        if left is not None:
            ours = impurity(own[left], w[left], criterion)
            ours += impurity(own[~left], w[~left], criterion)
            assert ours <= min(after) + 1e-6
            assert min(left.sum(), (~left).sum()) >= least
        elif is_number:
            assert answer[0] + forest._center == pytest.approx(w @ own / w.sum(), rel=1e-12)
            assert not after or np.ptp(own) == 0
        else:
            shares = [w[own == label].sum() / w.sum() for label in forest.classes_]
            assert forest._probabilities(answer[None])[0] == pytest.approx(shares)
            assert not after or len(set(own)) == 1


@pytest.mark.parametrize("gaps", [False, True])
@settings(max_examples=25, deadline=None)
@given(seed=SEEDS, n_classes=st.integers(0, 4))
def test_random_thresholds_lie_between_values_of_the_node(seed, n_classes, gaps):
    X, y, _ = made_table(seed, n_classes=n_classes, gaps=gaps)
    make = ForestClassifier if n_classes else ForestRegressor
    forest = make(cuts="random", random_state=seed % 7, **ALL_COLUMNS).fit(X, y)
    for rows, left, _ in nodes_of(forest, X):
        if left is not None:
            assert 0 < left.sum() < len(rows)
        else:
            assert len(set(y[rows])) == 1 or (X[rows] == X[rows[0]]).all() or gaps


@pytest.mark.parametrize("cuts", ["best", "random"])
@pytest.mark.parametrize("make", [ForestClassifier, ForestRegressor])
def test_threads_and_pickling_change_no_bit(make, cuts):
    X = np.random.default_rng(0).normal(size=(300, 6))
    y = (X[:, 0] + X[:, 1] > 0).astype(int) + (X[:, 2] > 1)
    one = make(n_estimators=11, cuts=cuts, random_state=1, oob_score=True).fit(X, y)
    three = clone(one).set_params(n_jobs=3).fit(X, y)
    again = pickle.loads(pickle.dumps(three))
    answer = "predict_proba" if make is ForestClassifier else "predict"
    for other in (three, again):
        assert other.forest_.nodes.tobytes() == one.forest_.nodes.tobytes()
        assert (getattr(other, answer)(X) == getattr(one, answer)(X)).all()
        assert (other.feature_importances_ == one.feature_importances_).all()
        assert other.oob_score_ == one.oob_score_
    other_seed = clone(one).set_params(random_state=2).fit(X, y)
    assert other_seed.forest_.nodes.tobytes() != one.forest_.nodes.tobytes()


def test_a_part_of_a_sorted_table_grows_as_the_part_alone():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 9, size=(200, 5)).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    y, part = rng.integers(0, 3, 200), np.sort(rng.permutation(200)[:130])
    for cuts in ("best", "random"):
        alone = ForestClassifier(n_estimators=5, cuts=cuts, random_state=0).fit(X[part], y[part])
        grown = grow_trees(
            SortedTable(X),
            part.astype(np.int32),
            y.astype(float),
            None,
            alone._settings(len(part)),
            alone._seeds(),
        )
        assert grown.nodes.tobytes() == alone.forest_.nodes.tobytes()
        assert (grown.answers == alone.forest_.answers).all()


@pytest.mark.parametrize("weight", [None, 1 + np.arange(80) % 3])
@pytest.mark.parametrize("make", [ForestClassifier, ForestRegressor])
def test_out_of_bag_answers_are_those_of_the_trees_without_the_row(make, weight):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 3)), rng.integers(0, 3, 80)
    forest = make(n_estimators=12, oob_score=True, random_state=0).fit(X, y, weight)
    trees = forest.forest_
    grower = Grower(
        SortedTable(X),
        np.arange(80, dtype=np.int32),
        forest._target(y),
        None if weight is None else weight.astype(float),
        forest._settings(80),
    )
    answers, n_trees = [[] for _ in X], []
    for tree, (seed, start) in enumerate(zip(forest._seeds(), trees.starts, strict=True)):
        left_out = grower.rows_left_out(seed)
        n_trees.append(len(left_out))
        one = Forest(trees.nodes, trees.answers, start[None], trees.importances[[tree]])
        for row in left_out:
            answers[row].append(one.mean_answers(X[[row]])[0])
    # exp(-1) of the rows are left out of a tree, with weights a few more
    assert 0.3 < np.mean(n_trees) / 80 < 0.45
    means = [np.mean(own, axis=0) if own else np.full(3, np.nan) for own in answers]
    known = np.array([bool(own) for own in answers])
    if make is ForestClassifier:
        assert forest.oob_decision_function_ == pytest.approx(np.array(means), nan_ok=True)
        right = np.array([mean.argmax() for mean in means]) == y
        assert forest.oob_score_ == pytest.approx(right[known].mean())
    else:
        expected = np.array([mean[0] for mean in means]) + forest._center
        assert forest.oob_prediction_ == pytest.approx(expected, nan_ok=True)
        assert forest.oob_score_ == pytest.approx(r2_score(y[known], expected[known]))


def test_a_tree_has_the_leaves_of_the_rows_that_are_not_left_out():
    X = np.arange(60.0)[:, None]
    forest = ForestRegressor(n_estimators=1, oob_score=True, random_state=3).fit(X, X[:, 0])
    # Grown to the end, a tree answers exactly the values of the rows that it was grown on.
    is_left_out = ~np.isnan(forest.oob_prediction_)
    assert (np.isin(X[:, 0], forest.forest_.answers[:, 0] + forest._center) != is_left_out).all()
    assert 0.25 < is_left_out.mean() < 0.5


def test_weights_draw_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 2)), np.repeat([0, 1], 100)
    weight = np.where(y == 1, 1.0, 0.0)
    weight[0] = 1e-9
    forest = ForestClassifier(n_estimators=20, random_state=0).fit(X, y, weight)
    assert (forest.predict(X[y == 1]) == 1).all()
    assert forest.predict_proba(X)[:, 1].mean() > 0.99


def test_columns_are_drawn_anew_at_each_node():
    X = np.random.default_rng(0).normal(size=(60, 8))
    forest = ForestRegressor(n_estimators=200, max_features=1, random_state=0).fit(X, X[:, 0])
    roots = forest.forest_.nodes[forest.forest_.starts[:, 0]]["test"] >> 1
    assert np.bincount(roots, minlength=8).min() > 8  # 25 expected
    assert forest.feature_importances_.sum() == pytest.approx(1)


def test_depth_and_rows_are_limited():
    X = np.random.default_rng(0).normal(size=(100, 3))
    stump = ForestRegressor(n_estimators=2, max_depth=1, random_state=0).fit(X, X[:, 0])
    assert len(stump.forest_.nodes) == 6
    none = ForestRegressor(n_estimators=2, min_samples_split=101, random_state=0).fit(X, X[:, 0])
    assert len(none.forest_.nodes) == 2
    strict = ForestRegressor(n_estimators=2, min_impurity_decrease=1e6).fit(X, X[:, 0])
    assert len(strict.forest_.nodes) == 2
    assert strict.feature_importances_.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"max_features": 1.5}, "max_features of ForestClassifier must be"),
        ({"n_estimators": 0}, "n_estimators of ForestClassifier must be"),
        ({"cuts": "none"}, "cuts of ForestClassifier must be"),
        ({"bootstrap": False, "oob_score": True}, "oob_score must be False without bootstrap"),
    ],
)
def test_parameters_are_held_to_their_rules(parameters, message):
    with pytest.raises(ValueError, match=message):
        ForestClassifier(**parameters).fit([[1], [2]], [0, 1])


@pytest.mark.parametrize("kind", ["numbers", "classes"])
def test_columns_that_are_worth_the_same_are_equally_likely(kind):
    generator = np.random.default_rng(0)
    first = generator.normal(size=90)
    X = np.column_stack([first, -first, first**3])  # the same divisions, summed in other orders
    y = first + generator.normal(size=90) / 3
    if kind == "classes":
        y = np.digitize(y, [-0.5, 0.5])
    cls = {"numbers": ForestRegressor, "classes": ForestClassifier}[kind]
    settings = {"criterion": "entropy"} if kind == "classes" else {}
    forest = cls(n_estimators=900, max_features=None, random_state=0, **settings).fit(X, y)
    roots = forest.forest_.nodes["test"][forest.forest_.starts[:, 0]] // 2
    assert np.bincount(roots, minlength=3) == pytest.approx([300, 300, 300], abs=60)
