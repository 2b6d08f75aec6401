"""Costs of features, and the features that a learner uses."""

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer, make_column_selector, make_column_transformer
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bestofk import compare
from bestofk.errors import InvalidArgumentError
from bestofk.learners import feature_cost
from bestofk.learners.feature_costs import features_used

NAMES = ["age", "sex", "blood", "scan"]
COSTS = {"age": 1, "blood": 20.5, "scan": 300}


def choosing(columns):
    return make_pipeline(make_column_transformer(("passthrough", columns)), GaussianNB())


def test_a_learner_uses_every_feature_and_unlisted_ones_cost_nothing():
    assert features_used(GaussianNB(), NAMES) == NAMES
    assert feature_cost(GaussianNB(), NAMES, COSTS) == 321.5
    assert feature_cost(make_pipeline(StandardScaler(), GaussianNB()), NAMES, COSTS) == 321.5
    assert feature_cost(GaussianNB(), NAMES, {}) == 0


@pytest.mark.parametrize(
    "columns",
    [["blood", "age"], [2, 0], [-2, -4], np.array([0, 2]), [True, False, True, False],
     np.array([True, False, True, False])],
)  # fmt: skip
def test_a_pipeline_that_starts_by_choosing_uses_what_it_chose(columns):
    assert features_used(choosing(columns), NAMES) == ["age", "blood"]
    assert feature_cost(choosing(columns), NAMES, COSTS) == 21.5


@pytest.mark.parametrize(("columns", "used"), [("blood", ["blood"]), (3, ["scan"]), ([], [])])
def test_a_single_column_or_none_may_be_chosen(columns, used):
    assert features_used(choosing(columns), NAMES) == used


def test_a_range_of_positions_is_counted_and_one_of_names_is_all():
    assert features_used(choosing(slice(0, 2)), NAMES) == ["age", "sex"]
    assert features_used(choosing(slice("age", "sex")), NAMES) == NAMES


def test_a_choice_that_only_the_data_can_tell_is_all():
    assert features_used(choosing(make_column_selector(dtype_include="number")), NAMES) == NAMES


def test_what_is_dropped_by_name_costs_nothing_though_the_rest_passes():
    first = ColumnTransformer([("x", "drop", ["scan"]), ("y", StandardScaler(), ["age"])],
                              remainder="passthrough")  # fmt: skip
    assert features_used(make_pipeline(first, GaussianNB()), NAMES) == ["age", "sex", "blood"]


def test_a_feature_that_is_dropped_in_one_part_and_used_in_another_is_paid():
    first = ColumnTransformer([("x", "drop", ["scan", "age"]), ("y", StandardScaler(), ["age"])])
    assert features_used(first, NAMES) == ["age"]


def test_a_pipeline_in_a_pipeline_is_looked_into():
    inner = make_pipeline(make_column_transformer(("passthrough", ["age"])), StandardScaler())
    assert features_used(make_pipeline(inner, GaussianNB()), NAMES) == ["age"]


@pytest.mark.parametrize("cost", [-1, float("nan"), float("inf"), "20", None, True])
def test_a_cost_that_is_no_finite_number_from_zero_is_refused(cost):
    message = r"^feature_costs of 'age' must be a number from 0"
    with pytest.raises(InvalidArgumentError, match=message):
        feature_cost(GaussianNB(), NAMES, {"age": cost})


def test_a_cost_of_no_feature_is_refused_with_the_nearest():
    with pytest.raises(InvalidArgumentError, match=r"got 'blod'\. Did you mean 'blood'"):
        feature_cost(GaussianNB(), NAMES, {"blod": 1})


def test_costs_must_be_a_mapping():
    with pytest.raises(InvalidArgumentError, match="must be a mapping of features to costs; got l"):
        feature_cost(GaussianNB(), NAMES, [1, 2, 3, 4])


def test_learners_are_preferred_by_the_features_that_they_ask_for():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), np.tile([0, 1], 30)
    learners = {"all": GaussianNB(), "cheap": choosing([0]), "dear": choosing([3])}
    comparison = compare(
        learners, X, y, cv="2x2", prefer="feature-cost", progress=False,
        feature_costs={"x0": 1, "x3": 50},
    )  # fmt: skip
    assert comparison.costs(range(3))["feature-cost"].tolist() == [51, 1, 50]
    assert comparison.findings.verdict.preference.endswith("cheap, dear, all.")
    assert comparison.best == "cheap"
    with pytest.raises(InvalidArgumentError, match="'feature-cost', which was not"):
        compare(learners, X, y, cv="2x2", prefer="feature-cost", progress=False)
