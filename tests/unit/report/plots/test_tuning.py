"""Picture of tuning."""

import numpy as np
import pytest

from bestofk.report.plots import TuningDisplay


def squares(display):
    return [line for line in display.ax_.lines if line.get_marker() == "s"]


@pytest.mark.parametrize(("numbers", "is_log"), [([0.001, 0.01, 1.0], True), ([0.0, 0.1], False)])
def test_what_is_no_number_has_a_place_left_of_the_numbers(numbers, is_log):
    settings = [{"shrinkage": value, "solver": "lsqr"} for value in numbers]
    settings = [{"shrinkage": None, "solver": "svd"}, *settings]
    losses = np.linspace(0.1, 0.4, 2 * len(settings)).reshape(2, -1)
    display = TuningDisplay(settings, losses, [0, 0], 0).plot()
    (square,) = squares(display)
    assert square.get_xdata()[0] < min(numbers)
    assert display.ax_.get_xticklabels()[0].get_text() == "not set"
    assert all(tick >= min(numbers) for tick in display.ax_.get_xticks()[1:])
    circles = [item for item in display.ax_.collections if np.max(item.get_sizes()) > 0]
    assert circles[0].get_offsets()[0, 0] == square.get_xdata()[0]
    assert (display.ax_.get_xscale() == "log") == is_log
