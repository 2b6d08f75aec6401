import numpy as np
import pytest

from bestofk.errors import InvalidArgumentError
from bestofk.inference.many_learners.mean_losses import lowest_loss
from bestofk.verdict.rules import first_test_best

MEANS = [0.30, 0.28, 0.20, 0.25, 0.35]


def p_against_third(*p_values: float) -> np.ndarray:
    values = np.full((5, 5), np.nan)
    values[: len(p_values), 2] = p_values
    return values


def test_the_lowest_mean_is_best_if_all_preferred_ones_are_beaten() -> None:
    assert first_test_best(MEANS, p_against_third(0.001, 0.005), alpha=0.05) == 2


def test_one_preferred_learner_not_beaten_leaves_it_open() -> None:
    assert first_test_best(MEANS, p_against_third(0.001, 0.0051), alpha=0.05) is None


def test_the_most_preferred_with_the_lowest_mean_needs_no_test() -> None:
    assert first_test_best([0.1, 0.2], np.full((2, 2), np.nan), alpha=0.05) == 0
    assert first_test_best([0.1], [[1.0]], alpha=0.05) == 0


def test_a_level_per_comparison_replaces_the_family() -> None:
    p_values = p_against_third(0.01, 0.02)
    assert first_test_best(MEANS, p_values, alpha=0.05) is None
    assert first_test_best(MEANS, p_values, alpha=0.05, per_comparison=0.02) == 2
    assert first_test_best(MEANS, p_values, alpha=0.05, per_comparison=0.019) is None


def test_holm_reads_the_whole_family() -> None:
    p_values = np.array([[1, 0.001, 0.02], [1, 1, 0.03], [1, 1, 1]])
    means = [0.3, 0.2, 0.1]
    assert first_test_best(means, p_values, alpha=0.05) is None
    assert first_test_best(means, p_values, alpha=0.05, correction="holm") == 2


def test_equal_means_go_to_the_most_preferred() -> None:
    assert lowest_loss([0.4, 0.3, 0.1 + 0.2, 0.3]) == 1
    assert lowest_loss([0.4, 0.1 + 0.2, 0.3]) == 1
    assert lowest_loss([0.0, 0.0]) == 0


def test_means_within_what_does_not_matter_go_to_the_most_preferred() -> None:
    means = [0.211, 0.205, 0.203, 0.2]
    chosen = [lowest_loss(means, tie) for tie in (0.0, 0.0029, 0.003, 0.005, 0.0109, 0.011)]
    assert chosen == [3, 3, 2, 1, 1, 0]
    assert lowest_loss([0.255, 0.25], 0.005) == 0


def test_means_may_be_below_zero() -> None:
    assert lowest_loss([-0.1, -0.2]) == 1


@pytest.mark.parametrize("means", [[], [0.1, np.nan], [[0.1]], 0.1])
def test_means_must_be_finite_and_one_per_learner(means: object) -> None:
    with pytest.raises(InvalidArgumentError, match="must be one finite number per learner"):
        lowest_loss(means)  # type: ignore[arg-type]


def test_p_values_of_other_learners_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="one row per learner; got 2 for 3 mean losses"):
        first_test_best([0.1, 0.2, 0.3], np.ones((2, 2)), alpha=0.05)


def test_a_p_value_that_is_needed_must_be_there() -> None:
    for level in (None, 0.01):
        with pytest.raises(InvalidArgumentError, match="must be numbers from 0 to 1; got nan"):
            first_test_best(MEANS, p_against_third(0.001), alpha=0.05, per_comparison=level)


def test_a_level_outside_0_1_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="per_comparison must be a number above 0"):
        first_test_best(MEANS, p_against_third(0.1, 0.1), alpha=0.05, per_comparison=5)
