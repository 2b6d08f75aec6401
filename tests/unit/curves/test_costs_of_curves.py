"""Curves by expected cost: the matrix decides what is measured, and right answers may cost."""

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

from bestofk import learning_curve, noise_curve, validation_curve
from bestofk.cli import main
from bestofk.errors import InvalidArgumentError
from bestofk.learners.nearest_neighbors_classifier import NearestNeighborsClassifier

X, y = load_iris(return_X_y=True)
LEARNERS = {"bayes": GaussianNB(), "1nn": NearestNeighborsClassifier(1)}
COSTS = [[0, 1, 1], [1, 0, 5], [1, 5, 0]]
ONES = 1 - np.eye(3)


def learning(**options: Any) -> Any:
    return learning_curve(LEARNERS, X, y, train_sizes=[20, 60], cv="2x3", progress=False, **options)


def noise(**options: Any) -> Any:
    return noise_curve(LEARNERS, X, y, fractions=(0, 0.2), cv="2x3", progress=False, **options)


def validation(**options: Any) -> Any:
    given = {"parameter": "n_neighbors", "values": [1, 5], "cv": "2x3", "progress": False}
    return validation_curve("5nn", X, y, **given, **options)


CURVES = pytest.mark.parametrize("curve", [learning, noise, validation])


@CURVES
def test_costs_of_one_for_each_mistake_are_the_error(curve):
    errors, costs = curve(scoring="error"), curve(scoring="cost", cost_matrix=ONES)
    mine = costs.to_frame().select_dtypes("number").filter(regex="^(test|score|training)$")
    its = errors.to_frame().select_dtypes("number").filter(regex="^(test|score|training)$")
    assert len(mine.columns) > 0
    np.testing.assert_allclose(mine, its)


@CURVES
def test_a_matrix_of_the_wrong_shape_is_refused_before_anything_is_trained(curve):
    with pytest.raises(InvalidArgumentError, match="cost_matrix must"):
        curve(scoring="cost", cost_matrix=[[0, 1], [1, 0]])


@CURVES
def test_costs_of_right_answers_are_told(curve):
    assert not any("diagonal" in note for note in curve(scoring="cost", cost_matrix=COSTS).notes)
    paid = curve(scoring="cost", cost_matrix=np.array(COSTS) + np.eye(3))
    assert any("diagonal" in note for note in paid.notes)


@pytest.mark.parametrize(
    "line",
    [
        "curve learning iris --learners 1nn --sizes 20,60",
        "curve noise iris --learners 1nn --fractions 0,0.2",
        "curve validation iris --learner 5nn --parameter n_neighbors --values 1,5",
    ],
)
def test_commands_take_costs(line, capsys):
    costs = ["--cv", "2x3", "--scoring", "cost", "--cost-matrix", "0,1,1;1,0,5;1,5,0"]
    assert main([*line.split(), *costs]) == 0
    assert "mean cost per row" in capsys.readouterr().out
    assert main([*line.split(), *costs[:-1], "0,1;1,0"]) == 2
    assert "cost_matrix must" in capsys.readouterr().err
