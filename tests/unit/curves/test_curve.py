"""What all five curves share: condition, levels, numbers, text and picture."""

import json

import matplotlib.pyplot as plt
import pytest

from bestofk import compare
from bestofk.curves import (
    cost_curve,
    imbalance_effect,
    learning_curve,
    noise_curve,
    validation_curve,
)
from bestofk.curves.curve import Curve

LEARNERS = ["nearest-mean", "1nn"]


@pytest.fixture(scope="module")
def results():
    data = "breast_cancer"
    compared = compare(LEARNERS, data, cv="1x3", scoring="error")
    return {
        "training rows": learning_curve(LEARNERS, data, train_sizes=[20, 90], cv="1x3"),
        "noise": noise_curve(LEARNERS, data, fractions=[0, 0.2], cv="1x3"),
        "parameter": validation_curve(
            "5nn", data, parameter="n_neighbors", values=[1, 5], cv="1x3"
        ),
        "balancing": imbalance_effect(["lda"], data, methods=["none", "over"], cv="1x3"),
        "costs": cost_curve(compared),
    }


CONDITIONS = ["training rows", "noise", "parameter", "balancing", "costs"]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_every_curve_is_one_of_a_kind(results, condition):
    curve = results[condition]
    assert isinstance(curve, Curve)
    assert curve.data_name == "breast_cancer"
    assert not curve.is_interrupted
    assert repr(curve).startswith(f"<{type(curve).__name__} of {curve.learners[0]}")


def test_levels_are_those_of_the_condition(results):
    levels = {condition: curve.levels for condition, curve in results.items()}
    best = results["costs"].best
    assert levels == {
        "training rows": (20, 90), "noise": (0.0, 0.2), "parameter": (1, 5),
        "balancing": ("none", "over"), "costs": (0.0, *(stretch.high for stretch in best)),
    }  # fmt: skip


def test_a_curve_names_its_levels_by_its_condition(results):
    assert results["training rows"].sizes.tolist() == [20, 90]
    assert results["noise"].fractions == (0.0, 0.2)
    assert results["noise"].values is results["noise"].test_values
    assert results["parameter"].values == (1, 5)
    assert results["parameter"].learner == "5nn"


@pytest.mark.parametrize("condition", CONDITIONS)
def test_the_numbers_of_every_curve_are_plain(results, condition):
    numbers = results[condition].to_dict()
    assert json.loads(json.dumps(numbers, allow_nan=False)) == numbers
    rows = numbers["curves" if condition == "costs" else "scores"]
    assert len(rows) == len(results[condition].to_frame())
    assert list(rows[0]) == list(results[condition].to_frame())


@pytest.mark.parametrize("condition", CONDITIONS)
def test_every_curve_is_drawn_on_given_axes(results, condition):
    figure, ax = plt.subplots()
    display = results[condition].plot(ax)
    assert display.ax_ is ax
    assert ax.lines or ax.collections or ax.child_axes
    assert len(display.to_frame())
    plt.close(figure)
