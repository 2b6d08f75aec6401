from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.preprocessing import KBinsDiscretizer

from bestofk.errors import InvalidArgumentError
from bestofk.trees import (
    C45Classifier,
    CARTClassifier,
    HellingerTreeClassifier,
    ID3Classifier,
)
from bestofk.trees.attributes import Attribute
from bestofk.trees.discretization import (
    METHODS,
    equal_frequency,
    equal_width,
    interval_words,
    intervals_at_nodes,
    k_means,
    level_means,
    minimum_description_length,
    with_intervals,
)
from bestofk.trees.forest import fit_batched
from bestofk.trees.tree_structure import LOOKUP, MULTIWAY, THRESHOLD

LEARNERS = [C45Classifier, ID3Classifier, CARTClassifier, HellingerTreeClassifier]
IRIS, SPECIES = load_iris(return_X_y=True)
# Cuts of iris by Fayyad and Irani's rule, as R's package "discretization" prints them (mdlp).
IRIS_CUTS = [[5.55, 6.15], [2.95, 3.35], [2.45, 4.75], [0.8, 1.75]]


def counted(column, y=None):
    """Return distinct values and class counts."""
    values, at = np.unique(column, return_inverse=True)
    y = np.zeros(len(column), int) if y is None else y
    counts = np.zeros((len(values), y.max() + 1))
    np.add.at(counts, (at, y), 1.0)
    return values, counts


def numbers(seed=0, n=400):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, (X[:, 0] * X[:, 1] + 0.5 * X[:, 2] + 0.3 * rng.normal(size=n) > 0).astype(int)


@pytest.mark.parametrize("n_bins", [2, 3, 5, 8])
def test_widths_are_those_of_scikit_learn(n_bins):
    values, counts = counted(IRIS[:, 0])
    theirs = KBinsDiscretizer(n_bins, strategy="uniform").fit(IRIS[:, :1]).bin_edges_[0]
    np.testing.assert_allclose(equal_width(values, counts, n_bins), theirs[1:-1], rtol=1e-12)


@pytest.mark.parametrize("n_bins", [2, 3, 4])
def test_clusters_are_those_of_scikit_learn(n_bins):
    values, counts = counted(IRIS[:, 2])
    bins = KBinsDiscretizer(n_bins, strategy="kmeans", subsample=None)
    theirs = bins.fit(IRIS[:, 2:3]).bin_edges_[0]
    np.testing.assert_allclose(k_means(values, counts, n_bins), theirs[1:-1], rtol=1e-9)


def test_equal_frequencies_are_equal_where_no_values_are():
    column = np.random.default_rng(1).random(120)
    values, counts = counted(column)
    for n_bins in (2, 3, 5, 8):
        edges = equal_frequency(values, counts, n_bins)
        sizes = np.bincount(np.searchsorted(edges, column), minlength=n_bins)
        assert sizes.tolist() == [120 // n_bins] * n_bins


def test_equal_values_are_never_parted_and_weights_move_the_edges():
    values, counts = counted(np.array([1.0] * 10 + [2.0, 3.0]))
    assert equal_frequency(values, counts, 4).tolist() == [1.5]
    values = np.arange(4.0)
    assert equal_frequency(values, np.array([[3.0], [1.0], [1.0], [1.0]]), 2).tolist() == [0.5]


@pytest.mark.parametrize("column", range(4))
def test_description_length_cuts_iris_as_printed(column):
    edges = minimum_description_length(*counted(IRIS[:, column], SPECIES))
    np.testing.assert_allclose(edges, IRIS_CUTS[column], rtol=1e-12)


def test_description_length_finds_nothing_in_noise():
    rng = np.random.default_rng(3)
    values, counts = counted(rng.random(300), rng.integers(0, 2, 300))
    assert minimum_description_length(values, counts).size == 0


def test_description_length_pays_the_price_of_a_cut_exactly():
    # Two values, 3 to 1 and 1 to 3: H = 1, both sides H(3/4) = 0.811278.
    left, right = np.array([[3.0, 1.0]]), np.array([[1.0, 3.0]])
    for n, stands in ((1, False), (10, True)):
        counts = np.vstack([left * n, right * n])
        gain = 1 - 0.8112781245
        delta = np.log2(7) - (2 - 4 * 0.8112781245)
        assert (gain > (np.log2(8 * n - 1) + delta) / (8 * n)) == stands
        assert (minimum_description_length(np.array([0.0, 1.0]), counts).size == 1) == stands


@pytest.mark.parametrize("method", METHODS)
def test_one_value_is_one_interval(method):
    assert METHODS[method](np.array([3.0]), np.array([[4.0, 1.0]]), 5).size == 0


def test_intervals_in_words_tell_close_edges_apart():
    assert interval_words([]) == ("(-inf, inf)",)
    assert interval_words([0.1, 0.1 + 1e-9])[1] == "(0.1, 0.100000001]"


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("learner", [C45Classifier, ID3Classifier])
def test_intervals_of_the_table_grow_the_tree_of_their_names(learner, method):
    X, y = numbers()
    result = learner(discretization=method).fit(X, y)
    names = pd.DataFrame(
        {
            attribute.name: pd.Categorical.from_codes(
                np.searchsorted(attribute.edges, X[:, a]), attribute.levels
            )
            for a, attribute in enumerate(result.attributes_)
        }
    )
    by_name = learner().fit(names, y)
    np.testing.assert_array_equal(result.tree_.class_weights, by_name.tree_.class_weights)
    np.testing.assert_array_equal(result.predict_proba(X), by_name.predict_proba(names))
    assert set(result.tree_.kind) <= {0, MULTIWAY}


@pytest.mark.parametrize("learner", [CARTClassifier, HellingerTreeClassifier])
def test_binary_learners_cut_between_the_intervals_of_the_table(learner):
    X, y = numbers()
    result = learner(discretization="equal-width", n_bins=4, pruning=None).fit(X, y)
    codes = np.column_stack(
        [
            np.searchsorted(attribute.edges, X[:, a])
            for a, attribute in enumerate(result.attributes_)
        ]
    ).astype(float)
    by_code = learner(pruning=None).fit(codes, y)
    np.testing.assert_array_equal(result.tree_.class_weights, by_code.tree_.class_weights)
    assert set(result.tree_.kind) == {0, THRESHOLD}


def test_intervals_have_a_branch_each_and_a_cut_between_them_shows_the_edge():
    learner = HellingerTreeClassifier(discretization="mdl", max_depth=1).fit(IRIS, SPECIES)
    assert learner.to_text().startswith("x2 <= 2.45: 0 (50.0)")
    text = C45Classifier(discretization="mdl").fit(IRIS, SPECIES).to_text().splitlines()
    assert text[:3] == [
        "x3 = (-inf, 0.8]: 0 (50.0)",
        "x3 = (0.8, 1.75]: 1 (54.0/5.0)",
        "x3 = (1.75, inf): 2 (46.0/1.0)",
    ]


def test_each_node_finds_intervals_of_its_own():
    learner = C45Classifier(discretization="mdl", discretize_at="node").fit(IRIS, SPECIES)
    assert learner.to_text().splitlines()[:5] == [
        "x3 = (-inf, 0.8]: 0 (50.0)",
        "x3 = (0.8, 1.75]",
        "|   x2 = (-inf, 4.95]: 1 (48.0/1.0)",
        "|   x2 = (4.95, inf): 2 (6.0/2.0)",
        "x3 = (1.75, inf): 2 (46.0/1.0)",
    ]
    # Below the root the edge is what the rule finds among the rows of that node.
    here = (IRIS[:, 3] > 0.8) & (IRIS[:, 3] <= 1.75)
    edges = minimum_description_length(*counted(IRIS[here, 2], SPECIES[here]))
    np.testing.assert_allclose(edges, [4.95])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("at", ["table", "node"])
def test_training_rows_fall_where_they_fell_while_growing(learner, method, at):
    X, y = numbers(4, 300)
    fitted = learner(discretization=method, discretize_at=at, n_bins=3, pruning=None).fit(X, y)
    tree = fitted.tree_
    reached = np.zeros_like(tree.class_weights)
    np.add.at(reached, (fitted.apply(X), y), 1.0)
    np.testing.assert_array_equal(reached[tree.is_leaf], tree.class_weights[tree.is_leaf])
    if at == "node":
        assert set(tree.kind) <= {0, LOOKUP}


@pytest.mark.parametrize("at", ["table", "node"])
def test_missing_values_stay_missing(at):
    X, y = numbers(5)
    X[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    learner = C45Classifier(discretization="equal-frequency", discretize_at=at).fit(X, y)
    tree = learner.tree_
    for node in np.flatnonzero(~tree.is_leaf):
        below = tree.class_weights[list(tree.children(node))].sum(axis=0)
        np.testing.assert_allclose(below, tree.class_weights[node])
    nothing_known = learner.predict_proba(np.full((1, 4), np.nan))
    np.testing.assert_allclose(nothing_known, tree.probabilities(laplace=False)[:1], atol=0.05)


@pytest.mark.parametrize("at", ["table", "node"])
def test_whole_weights_count_as_repeated_rows(at):
    X, y = numbers(6, 200)
    times = np.random.default_rng(1).integers(1, 4, len(y))
    weighted = C45Classifier(discretization="mdl", discretize_at=at).fit(X, y, sample_weight=times)
    repeated = C45Classifier(discretization="mdl", discretize_at=at)
    repeated.fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.tree_.class_weights, repeated.tree_.class_weights)


def test_only_numeric_columns_become_intervals():
    X = pd.DataFrame({"size": [1.0, 2.0, 8.0, 9.0] * 5, "color": list("rgbr") * 5})
    learner = C45Classifier(discretization="kmeans", n_bins=2).fit(X, [0, 0, 1, 1] * 5)
    assert [attribute.edges for attribute in learner.attributes_] == [(5.0,), None]
    assert learner.get_n_leaves() == 2


def test_fine_intervals_are_many_and_no_categories():
    X, y = numbers(8, 1000)
    learner = C45Classifier(discretization="equal-width", discretize_at="node", n_bins=2)
    learner.fit(X, y)
    assert {attribute.n_levels for attribute in learner.attributes_} == {256}
    assert learner.score(X, y) > 0.8
    X, y = numbers()
    few, many = (
        C45Classifier(discretization="mdl", discretize_at="node", max_categories=limit).fit(X, y)
        for limit in (3, 1000)
    )
    assert few.to_text() == many.to_text()


def test_an_interval_is_stood_for_by_its_mean_and_joined_without_rows():
    attribute = Attribute("x", "nominal", interval_words([2.0]), (2.0,))
    column = np.array([1.0, 2.0, 5.0, np.nan, 6.0])
    assert level_means(column, attribute).tolist() == [1.5, 5.5]
    counts = np.array([[[4.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 4.0]]])
    values = np.array([0.0, 1.0, 8.0, 9.0])
    assert intervals_at_nodes(counts, values, "equal-width", 2).tolist() == [[0, 0, 1, 1]]
    # Of nine intervals of one width, six hold no value of the table: they are no branches.
    assert intervals_at_nodes(counts, values, "equal-width", 9).tolist() == [[0, 0, 1, 2]]


def test_columns_that_cannot_be_read_are_left_for_the_checks_to_refuse():
    attributes = (Attribute("a", "numeric"), Attribute("b", "numeric"))
    X = np.array([[np.inf, np.nan], [1.0, np.nan]])
    options = {"n_bins": 2, "is_fine": False, "keeps_order": False}
    y = np.array([0, 1], np.int16)
    assert with_intervals(attributes, X, y, None, method="mdl", **options) == attributes
    with pytest.raises(ValueError, match="must be finite or missing; got infinity"):
        C45Classifier(discretization="mdl").fit(pd.DataFrame({"a": [np.inf, 1.0]}), [0, 1])


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        (C45Classifier(discretization="mdlp"), "discretization of C45Classifier must be a known"),
        (ID3Classifier(discretize_at="leaf"), "discretize_at of ID3Classifier must be a known"),
        (C45Classifier(n_bins=1), "n_bins of C45Classifier must be a whole number from 2"),
    ],
)
def test_wrong_parameters_are_refused(learner, message):
    with pytest.raises(InvalidArgumentError, match=message):
        learner.fit(IRIS, SPECIES)


columns = st.lists(st.integers(-40, 40), min_size=2, max_size=60)


@given(column=columns, n_bins=st.integers(2, 7), data=st.data())
def test_edges_rise_inside_the_range_and_know_no_order_or_names(column, n_bins, data):
    classes = data.draw(st.lists(st.integers(0, 2), min_size=len(column), max_size=len(column)))
    x, y = np.array(column, float), np.array([*classes[:-1], 2])
    shuffled = np.array(data.draw(st.permutations(range(len(x)))))
    for find in METHODS.values():
        edges = find(*counted(x, y), n_bins)
        assert (np.diff(edges) > 0).all()
        assert not edges.size or x.min() < edges[0] <= edges[-1] < x.max()
        again = find(*counted(x[shuffled], y[shuffled]), n_bins)
        renamed = find(*counted(x, 2 - y), n_bins)
        np.testing.assert_array_equal(again, edges)
        np.testing.assert_allclose(renamed, edges)
        assert find is minimum_description_length or len(edges) < n_bins


@given(column=columns, data=st.data())
def test_cuts_of_least_description_are_those_of_a_plain_recursion(column, data):
    classes = data.draw(st.lists(st.integers(0, 2), min_size=len(column), max_size=len(column)))
    x, y = np.array(column, float), np.array([*classes[:-1], 2])
    edges = minimum_description_length(*counted(x, y))
    np.testing.assert_allclose(edges, plain_cuts(x, y))


def entropy(y):
    shares = np.bincount(y) / len(y)
    return -sum(share * np.log2(share) for share in shares if share > 0)


def plain_cuts(x, y):
    """Return the cuts by Fayyad and Irani's rule, row by row as the paper has it."""
    values = np.unique(x)
    best = None
    for low, high in pairwise(values):
        left, right = y[x <= low], y[x > low]
        mixed = (len(left) * entropy(left) + len(right) * entropy(right)) / len(y)
        if best is None or mixed < best[0] - 1e-9:
            best = (mixed, (low + high) / 2, left, right)
    if best is None:
        return []
    mixed, cut, left, right = best
    k, k_left, k_right = (len(np.unique(part)) for part in (y, left, right))
    delta = np.log2(3**k - 2) - (k * entropy(y) - k_left * entropy(left) - k_right * entropy(right))
    if entropy(y) - mixed <= (np.log2(len(y) - 1) + delta) / len(y) + 1e-9:
        return []
    is_left = x <= cut
    return [*plain_cuts(x[is_left], left), cut, *plain_cuts(x[~is_left], right)]


def test_parts_of_a_table_with_intervals_are_not_fitted_jointly():
    learner = C45Classifier(discretization="mdl")
    with pytest.raises(
        InvalidArgumentError, match="must be None to fit parts in a batch; got 'mdl'"
    ):
        next(fit_batched(learner, IRIS, SPECIES, [np.arange(100)]))
