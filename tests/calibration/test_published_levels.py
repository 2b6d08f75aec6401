"""Rejection rates of `calibrate`, compared with published ones for the same design."""

import numpy as np
import pytest
from tests.calibration.published_levels import (
    COLUMNS,
    FAMILY_RATES,
    MOST_OUTSIDE,
    MOST_SIGMAS,
    RATES,
    REPLICABILITY,
    agreement,
    family_measured,
    measured,
    replicated,
    sigmas,
)

# what holds with so few data sets: far-off tests are far off, and nothing is unlike
QUICK = {
    0: ["corrected-t@10", "5x2cv-t", "5x2cv-f", "mcnemar(method=mid-p)@holdout"],
    2: ["paired-t@10", "corrected-t@5x2", "mcnemar(method=chi2-corrected)@10"],
}


@pytest.mark.slow
def test_all_cells_but_two_are_within_three_standard_errors():
    outside = []
    for index, column in enumerate(COLUMNS):
        result = measured(column, column.n_data_sets, list(RATES), n_jobs=-1)
        for (test, published), rate in zip(RATES.items(), result, strict=True):
            z = sigmas(rate, column.n_data_sets, published[index], column.n_data_sets)
            if abs(z) > MOST_SIGMAS:
                outside.append(f"{test}, {column}: {rate:.3f}, not {published[index]} (z {z:.1f})")
    assert len(outside) <= MOST_OUTSIDE, "\n".join(outside)


@pytest.mark.slow
@pytest.mark.parametrize("learner", FAMILY_RATES)
def test_multitest_prefers_one_of_four_equal_learners_as_often_as_published(learner):
    n_data_sets, rates = FAMILY_RATES[learner]
    result = family_measured(learner, n_data_sets, list(rates))
    for (test, published), rate in zip(rates.items(), result, strict=True):
        z = sigmas(rate, n_data_sets, published, n_data_sets)
        assert abs(z) <= MOST_SIGMAS, f"{test}: {rate:.3f}, not {published}"


@pytest.mark.slow
def test_the_corrected_test_on_many_splits_repeats_its_verdict_best():
    n_data_sets = 100
    rejected = replicated(n_data_sets, 10, list(REPLICABILITY))
    pairs = {}
    for number, (test, published) in enumerate(REPLICABILITY.items()):
        result = agreement(rejected[:, :, number])
        pairs[test] = result[2]
        for first, other in zip(result, published, strict=True):
            assert abs(sigmas(first, n_data_sets, other, n_data_sets)) <= MOST_SIGMAS, test
    in_order = sorted(pairs, key=pairs.__getitem__)
    assert in_order[-1] == "corrected-t@10x10"
    assert set(in_order[:2]) == {"5x2cv-t", "5x2cv-f"}


def test_agreement_of_plans_is_counted_over_data_sets():
    rejected = np.array([[True, True, True], [True, False, False]])
    assert agreement(rejected) == pytest.approx((4 / 6, 1 / 2, (1 + 1 / 3) / 2))


@pytest.mark.parametrize("place", QUICK)
def test_a_few_cells_are_within_three_standard_errors(place):
    column, n = COLUMNS[place], 150
    result = measured(column, n, QUICK[place])
    for test, rate in zip(QUICK[place], result, strict=True):
        z = sigmas(rate, n, RATES[test][place], column.n_data_sets)
        assert abs(z) <= MOST_SIGMAS, f"{test}: {rate:.3f}, not {RATES[test][place]}"


def test_a_test_that_ignores_overlap_rejects_far_too_often():
    (rate,) = measured(COLUMNS[0], 60, ["paired-t@10x10"])
    assert 0.35 < rate < 0.75
