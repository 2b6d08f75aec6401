"""Error messages of every tree for bad input."""

import numpy as np
import pandas as pd
import pytest

from bestofk.errors import InvalidArgumentError
from bestofk.trees import (
    C45Classifier,
    CARTClassifier,
    HellingerTreeClassifier,
    ID3Classifier,
)

TREES = [C45Classifier, CARTClassifier, HellingerTreeClassifier, ID3Classifier]
each_tree = pytest.mark.parametrize("make", TREES)


def table() -> pd.DataFrame:
    return pd.DataFrame({"size": [0.5, 1.5, 2.5, 3.5], "color": ["red", "blue", "red", "blue"]})


Y = [0, 0, 1, 1]


@each_tree
def test_values_of_another_kind_than_declared_or_trained_on_are_refused(make):
    with pytest.raises(
        InvalidArgumentError,
        match=r"Column 'size' of X must hold levels; got the fraction 0\.5",
    ):
        make(categorical_features=["size", "color"]).fit(table(), Y)
    with pytest.raises(
        InvalidArgumentError,
        match="Column 'color' of X must hold numbers; got 'red'",
    ):
        make(categorical_features=None).fit(table(), Y)
    learner = make().fit(table(), Y)
    with pytest.raises(InvalidArgumentError, match="Column 'color' of X must hold levels; got the"):
        learner.predict(table().assign(color=[0.5, 1.0, 2.0, 3.0]))
    asked = table().assign(size=["small", "large", "small", "small"])
    with pytest.raises(InvalidArgumentError, match="Column 'size' of X must hold numbers"):
        learner.predict(asked)


@each_tree
def test_whole_numbers_may_be_declared_nominal(make):
    X = pd.DataFrame({"code": [1, 2, 1, 2] * 3, "part": [1.0, 2.0, np.nan, 1.0] * 3})
    learner = make(categorical_features=["code", "part"]).fit(X, Y * 3)
    assert [attribute.levels for attribute in learner.attributes_] == [("1", "2"), ("1", "2")]


@each_tree
@pytest.mark.parametrize("values", [[np.nan] * 4, [None] * 4], ids=["numbers", "objects"])
def test_column_without_a_value_is_refused(make, values):
    with pytest.raises(InvalidArgumentError, match="Column 'none' of X must have at least one v"):
        make().fit(table().assign(none=values), Y)


@each_tree
@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([0, 0, 0, 0], "sample_weight must be above zero for some row; got zero for all rows"),
        ([1, 1, -2, 1], "sample_weight must be 0 or more for every row; got -2"),
        ([1e300] * 4, "sample_weight must add up to at most 1e\\+100; got 4e\\+300"),
    ],
)
def test_weights_without_meaning_are_refused(make, weight, message):
    with pytest.raises(ValueError, match=message):
        make().fit(table(), Y, sample_weight=weight)


@each_tree
@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ({"size": 1.0}, "must have a cost for every column; got none for color"),
        ({"size": 1.0, "color": 0.0}, "for column 'color' must be a number above 0; got 0.0"),
        ({"size": -1.0, "color": 1.0}, "for column 'size' must be a number above 0; got -1.0"),
        ({"size": 1.0, "colour": 1.0}, "must be a column of X; got 'colour'"),
        ([1.0], "must be a mapping or one cost for each of 2 columns"),
    ],
)
def test_costs_missing_or_not_positive_are_refused(make, costs, message):
    with pytest.raises(InvalidArgumentError, match=f"costs of {make.__name__} {message}"):
        make(costs=costs).fit(table(), Y)


@each_tree
def test_more_levels_than_allowed_are_refused(make):
    X = pd.DataFrame({"name": [f"row {i}" for i in range(12)]})
    with pytest.raises(
        InvalidArgumentError,
        match="Column 'name' of X must have at most max_categories=10 levels; got 12",
    ):
        make(max_categories=10).fit(X, [0, 1] * 6)


@each_tree
def test_a_target_or_table_of_too_little_is_refused(make):
    with pytest.raises(ValueError, match="y must have at least 2 classes; got 1 class"):
        make().fit(table(), [1, 1, 1, 1])
    with pytest.raises(ValueError, match="y must have at least 2 classes; got 1 class"):
        make().fit(table(), Y, sample_weight=[1, 1, 0, 0])
    with pytest.raises(InvalidArgumentError, match="classes must be the labels of y, each once"):
        make(classes=[0, 2]).fit(table(), Y)
    with pytest.raises(InvalidArgumentError, match="classes must be the labels of y, each once"):
        make(classes=[0, 1, 1]).fit(table(), Y)
    with pytest.raises(ValueError, match="X must be a table with at least 1 row and 1 column"):
        make().fit(table()[:0], [])
