"""The usual region of practical equivalence: a point, or 2% of the lowest mean loss."""

import numpy as np
import pytest

from bestofk.measures import get_measure, make_measure
from bestofk.measures.equivalence import usual_rope

LOSSES = np.array([[3.0, 5.0], [2.0, np.nan], [np.nan, np.nan]])


def rope_of(name, losses=LOSSES):
    task = "classification" if name in ("auroc", "mcc", "log_loss", "cost") else "regression"
    matrix = [[-1, 4], [2, 0]] if name == "cost" else None
    return usual_rope(get_measure(name, task=task, classes=[0, 1], cost_matrix=matrix), losses)


@pytest.mark.parametrize("name", ["auroc", "mcc", "r2", "explained_variance"])
def test_a_measure_of_at_most_one_has_a_point(name):
    assert rope_of(name) == rope_of(name, ()) == 0.01


@pytest.mark.parametrize("name", ["rmse", "mae", "mse", "log_loss", "neg_mean_poisson_deviance"])
def test_others_have_two_percent_of_the_lowest_mean(name):
    assert rope_of(name) == pytest.approx(0.04)
    assert rope_of(name, ()) == 0.0


def test_losses_are_counted_from_the_lowest_possible_one():
    assert rope_of("cost") == pytest.approx(0.06)  # the lowest cost of a row is -1


def test_a_measure_without_a_best_value_has_no_region():
    def bias(y_true, y_pred):
        return float(np.mean(y_true - y_pred))

    assert usual_rope(make_measure(bias, greater_is_better=False), LOSSES) == 0.0
