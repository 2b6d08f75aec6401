"""Nulls made from one table, compared with the levels from fresh tables."""

from math import sqrt

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from bestofk.calibration.simulation import calibrate, shifted_blocks
from bestofk.learners.nearest_mean_classifier import NearestMeanClassifier

TESTS = ["paired-t@10", "corrected-t@3x10", "5x2cv-t", "corrected-t@5x2", "mcnemar"]
N_TABLES, N_NULLS, N_FRESH = 20, 50, 1000


@pytest.mark.slow
@pytest.mark.parametrize("learner", [NearestMeanClassifier(), KNeighborsClassifier(1)])
def test_halves_of_a_table_give_the_levels_of_fresh_tables_of_that_size(learner):
    rates = []
    for number in range(N_TABLES):
        table, _ = shifted_blocks(300, np.random.default_rng(number))
        result = calibrate(
            learner, table, tests=TESTS, n_data_sets=N_NULLS, random_state=number, progress=False
        )
        rates.append([level.rate for level in result.levels])
    fresh = calibrate(learner, tests=TESTS, n_rows=150, n_data_sets=N_FRESH, progress=False)
    spread = np.std(rates, axis=0, ddof=1) / sqrt(N_TABLES)
    for mean, error, level in zip(np.mean(rates, axis=0), spread, fresh.levels, strict=True):
        assert abs(mean - level.rate) <= 3 * sqrt(error**2 + level.standard_error**2), level.test
