"""C4.5: effects of its parameters, and errors for wrong ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer

from bestofk.data import load_data
from bestofk.errors import InvalidArgumentError
from bestofk.trees import C45Classifier
from bestofk.trees.sorting import largest_equal_to

DAYS = load_data("play-tennis")
X, Y = DAYS.features, DAYS.target
WHOLE = {"pruning": None, "collapse": False}


def root(**parameters):
    """Return what the tree asks first."""
    tree = C45Classifier(**WHOLE, **parameters).fit(X, Y).tree_
    return None if tree.is_leaf[0] else tree.attributes[tree.attribute[0]].name


def noisy_table(seed=0, n_rows=300):
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(n_rows, 4))
    return table, ((table[:, 0] + table[:, 1] > 0) ^ (rng.random(n_rows) < 0.15)).astype(int)


def test_reduced_error_pruning_keeps_a_part_of_the_rows_from_growing():
    table, y = noisy_table()
    by_folds = C45Classifier(pruning="reduced-error", pruning_folds=5).fit(table, y)
    assert by_folds.tree_.weight[0] == 240
    by_fraction = C45Classifier(pruning="reduced-error", pruning_fraction=0.1, random_state=3)
    assert by_fraction.fit(table, y).tree_.weight[0] == 270
    usual = C45Classifier(pruning="reduced-error")
    assert usual.fit(table, y, np.full(300, 0.5)).tree_.weight[0] == pytest.approx(100)
    tree = usual.fit(table, y).tree_
    for node in np.flatnonzero(~tree.is_leaf):  # thresholds are values of all rows
        assert tree.threshold[node] in table[:, tree.attribute[node]]
    with pytest.raises(InvalidArgumentError, match=r"^pruning_folds must be .* \(14\); got 15\."):
        C45Classifier(pruning="reduced-error", pruning_folds=15).fit(X, Y)


def test_folds_of_reduced_error_pruning_are_not_drawn_but_fractions_are():
    table, y = noisy_table()

    def weights(**parameters):
        learner = C45Classifier(pruning="reduced-error", **parameters).fit(table, y)
        return learner.tree_.class_weights.tolist()

    assert weights(random_state=1) == weights(random_state=2)
    fraction = {"pruning_fraction": 0.3}
    assert weights(random_state=1, **fraction) == weights(random_state=1, **fraction)
    assert weights(random_state=1, **fraction) != weights(random_state=2, **fraction)


@pytest.mark.parametrize(
    ("training", "value", "branch"),
    [
        # 0.001589 - 0.001588 is 0.0000009999999999999159 in 64 bits, below 1e-6
        (0.001588, 0.001589, 0),
        (19.54, 19.540001, 1),  # 1.0000000010279564e-06
        (19.54, 19.5400009, 0),
    ],
)
def test_a_difference_below_a_millionth_is_none_as_weka_computes_it(training, value, branch):
    learner = C45Classifier(threshold="value-within-1e-6", **WHOLE)
    learner.fit([[training], [training], [training + 1], [training + 1]], [0, 0, 1, 1])
    assert learner.predict([[value]]).tolist() == [branch]


@given(
    st.one_of(
        st.integers(-50, 50).map(lambda n: n * 1e-7),
        st.decimals(-1000, 1000, places=7).map(float),
        st.floats(-1e15, 1e15),
    )
)
def test_the_largest_equal_number_is_the_last_whose_difference_is_below_a_millionth(value):
    (largest,) = largest_equal_to(np.array([value]))
    assert 0 <= largest - value < 1e-6
    assert np.nextafter(largest, np.inf) - value >= 1e-6


def test_entropy_is_another_name_of_gain():
    X, y = load_breast_cancer(return_X_y=True)
    texts = [C45Classifier(criterion=name).fit(X, y).to_text() for name in ("gain", "entropy")]
    assert texts[0] == texts[1] != C45Classifier().fit(X, y).to_text()


def test_costs_turn_the_choice_to_what_is_cheap():
    # Gains squared by cost: outlook 0.0609 / 5, humidity 0.0231, wind 0.0023, temperature 0.0009.
    costs = {"outlook": 5, "temperature": 1, "humidity": 1, "windy": 1}
    assert root(criterion="gain") == "outlook"
    assert root(criterion="gain", costs=costs) == "humidity"
    # Nunez: outlook 0.1865 / 6, humidity 0.1110 / 2; without the exponent costs do not count.
    assert root(criterion="gain", costs=costs, cost_rule="nunez") == "humidity"
    assert root(criterion="gain", costs=costs, cost_rule="nunez", cost_weight=0.0) == "outlook"
    # Gain by cost: outlook 0.2468 / 1.5, humidity 0.1518.
    dear = {**costs, "outlook": 1.5}
    assert root(criterion="gain", costs=dear, cost_rule="idx") == "outlook"
    assert root(criterion="gain", costs=[5, 1, 1, 1], cost_rule="idx") == "humidity"


@pytest.mark.parametrize(("paid_once", "asked"), [(True, [0, 0]), (False, [0, 1])])
def test_an_attribute_that_is_paid_for_may_be_asked_again(paid_once, asked):
    # The first column finds the class in two cuts; the cheap second one helps below the first.
    table = np.column_stack([np.arange(50.0), np.repeat([1.0, 0.0], [40, 10])])
    y = np.repeat([0, 1, 0], [20, 20, 10])
    shared = {"criterion": "gain", "mdl_correction": False, "cost_rule": "idx", "costs": [2, 1]}
    tree = C45Classifier(**WHOLE, **shared, costs_paid_once=paid_once).fit(table, y).tree_
    assert tree.attribute[~tree.is_leaf].tolist() == asked


def test_depth_node_size_and_decrease_end_growing():
    assert C45Classifier(**WHOLE, max_depth=1).fit(X, Y).get_depth() == 1
    # Both inner nodes below the root have five rows.
    assert C45Classifier(**WHOLE, min_samples_split=5).fit(X, Y).get_n_leaves() == 5
    assert C45Classifier(**WHOLE, min_samples_split=6).fit(X, Y).get_n_leaves() == 3
    # The gain of the root is 0.2467; that of its branches is 0.971 * 5 / 14 = 0.3468.
    assert root(min_impurity_decrease=0.246) == "outlook"
    assert root(min_impurity_decrease=0.247) is None


def test_classes_that_do_not_occur_count_in_laplace_leaves():
    learner = C45Classifier(**WHOLE, max_depth=1, laplace=True, classes=["no", "yes", "maybe"])
    overcast = X[X["outlook"] == "overcast"]
    result = learner.fit(X, Y).predict_proba(overcast)
    np.testing.assert_allclose(result, np.tile([1 / 7, 5 / 7, 1 / 7], (4, 1)))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("flavor", "c5"),
        ("criterion", "gini"),
        ("nominal_splits", "subset"),
        ("min_samples_leaf", 0),
        ("min_samples_leaf", "2"),
        ("max_depth", 0),
        ("max_depth", 2.5),
        ("min_samples_split", -1),
        ("min_impurity_decrease", -0.1),
        ("mdl_correction", "yes"),
        ("threshold", "middle"),
        ("collapse", None),
        ("pruning", "rep"),
        ("confidence", 0),
        ("confidence", 25),
        ("subtree_raising", 1),
        ("pruning_folds", 1),
        ("pruning_folds", 2.0),
        ("pruning_fraction", 1.0),
        ("laplace", 0),
        ("missing_values", "mean"),
        ("chi_squared_alpha", 0),
        ("chi_squared_bonferroni", 1),
        ("cost_rule", "eg2"),
        ("cost_weight", 2),
        ("costs_paid_once", "no"),
        ("max_categories", 0),
    ],
)
def test_a_parameter_that_breaks_its_rule_is_named(name, value):
    with pytest.raises(InvalidArgumentError, match=f"^{name} of C45Classifier must be .*; got "):
        C45Classifier(**{name: value}).fit(X, Y)
