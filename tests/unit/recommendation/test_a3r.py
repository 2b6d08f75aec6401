"""A3R: hand-computed ratios, floors, and what a reference changes."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from scipy.stats import rankdata

from bestofk.errors import InvalidArgumentError
from bestofk.recommendation.loss_time import POWERS, a3r, a3r_against


def test_a_sixteenfold_time_costs_its_fourth_root():
    # 0.9 / 16**(1/4) = 0.45
    assert a3r([0.9, 0.6], [16.0, 1.0], power=1 / 4).tolist() == [0.45, 0.6]


def test_without_a_power_time_does_not_count():
    scores = np.array([0.9, 0.6])
    values = a3r(scores, [np.nan, 5.0], power=0)
    assert values.tolist() == [0.9, 0.6]
    values[0] = 0.0
    assert scores[0] == 0.9


def test_a_thousandfold_time_weighs_as_the_paper_says():
    # 1000 ** (1 / 256) = 1.02735: 2.7 percent
    against = a3r_against([1.0, 1.0], [1.0, 1000.0], 0, power=1 / 256)
    assert 1 / against[1] == pytest.approx(1.02735, abs=5e-6)


def test_times_below_a_millisecond_count_as_one():
    assert a3r([0.9, 0.9], [0.0, 0.001], power=1).tolist() == [900.0, 900.0]
    assert a3r_against([0.9, 0.9], [0.0, 0.002], 0, power=1).tolist() == [1.0, 0.5]


def test_a_reference_that_scores_zero_counts_as_a_thousandth():
    assert a3r_against([0.0, 0.5], [1.0, 1.0], 0, power=0).tolist() == [0.0, 500.0]


def test_what_is_missing_stays_missing():
    values = a3r([[0.9, np.nan], [0.8, 0.7]], [[1.0, 1.0], [np.nan, 1.0]], power=1 / 4)
    assert np.isnan(values).tolist() == [[False, True], [True, False]]
    against = a3r_against([[0.9, np.nan], [0.8, 0.4]], [[1.0, 1.0]] * 2, 1, power=1 / 4)
    assert np.isnan(against).tolist() == [[True, True], [False, False]]
    assert against[1].tolist() == [2.0, 1.0]


@given(
    st.lists(
        st.tuples(st.floats(0.01, 1), st.floats(0.01, 1e5)), min_size=2, max_size=8, unique=True
    ),
    st.data(),
)
def test_ranks_do_not_depend_on_the_reference(tests, data):
    scores, seconds = np.array(tests).T
    power = data.draw(st.sampled_from(POWERS))
    reference = data.draw(st.integers(0, len(tests) - 1))
    alone = a3r(scores, seconds, power=power)
    against = a3r_against(scores, seconds, reference, power=power)
    np.testing.assert_allclose(against, alone / alone[reference], rtol=1e-12)
    np.testing.assert_array_equal(
        rankdata(np.round(against / against.max(), 9)), rankdata(np.round(alone / alone.max(), 9))
    )


@pytest.mark.parametrize("power", [-1, float("nan"), float("inf"), "much", None])
def test_a_power_must_be_a_number_of_at_least_0(power):
    with pytest.raises(InvalidArgumentError, match="power of A3R must be"):
        a3r([0.9], [1.0], power=power)
    with pytest.raises(InvalidArgumentError, match="power of A3R must be"):
        a3r_against([0.9], [1.0], 0, power=power)
