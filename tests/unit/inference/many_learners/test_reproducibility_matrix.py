"""The matrix of R equals the procedure for one pair, pair by pair."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestofk.errors import DesignError
from bestofk.inference import reproducibility_r
from bestofk.inference.many_learners.repeated_estimates import reproducibility_matrix

# few values and sums that differ in their last bit, so that ties of both kinds occur
estimates = st.sampled_from([0.1, 0.2, 0.3, 0.1 + 0.2, 0.7 - 0.4, 0.0, 1e-9])
tables = st.tuples(st.integers(2, 5), st.integers(2, 9)).flatmap(
    lambda shape: st.lists(
        st.lists(estimates, min_size=shape[1], max_size=shape[1]),
        min_size=shape[0],
        max_size=shape[0],
    )
)


@given(tables)
def test_every_cell_is_the_procedure_for_its_pair(table):
    matrix = reproducibility_matrix(np.transpose(table), names="abcde"[: len(table)])
    expected = [[reproducibility_r(a, b) for b in table] for a in table]
    np.testing.assert_allclose(matrix, expected, atol=1e-15)


def test_many_learners_and_runs_agree_with_the_procedure():
    table = np.random.default_rng(1).normal(0, 1, (12, 50)).round(1)
    matrix = reproducibility_matrix(table.T)
    np.testing.assert_allclose(
        matrix, [[reproducibility_r(a, b) for b in table] for a in table], atol=1e-15
    )


def test_one_that_always_wins_is_reproducible_and_equal_ones_are_not():
    matrix = reproducibility_matrix([[1, 2, 2], [2, 3, 3], [3, 4, 4], [4, 5, 5]])
    assert matrix.tolist() == [[0, 1, 1], [1, 0, 0], [1, 0, 0]]


def test_the_direction_of_the_measure_plays_no_part():
    table = np.random.default_rng(2).normal(0, 1, (20, 3))
    assert (reproducibility_matrix(table) == reproducibility_matrix(-table)).all()


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([[0.1, np.nan], [0.1, 0.2]], "must be finite; got nan at run 1, learner 2"),
        ([[0.1], [0.2]], "at least 2 learners; got 1"),
        ([[0.1, 0.2]], "at least 2 runs; got 1"),
    ],
)
def test_missing_or_too_few_estimates_are_refused(table, message):
    with pytest.raises(DesignError, match=message):
        reproducibility_matrix(table)
