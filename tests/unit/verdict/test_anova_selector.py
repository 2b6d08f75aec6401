import pytest

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.verdict.classical_rules import anova_best


def test_the_most_preferred_is_taken_where_no_difference_is_shown() -> None:
    assert anova_best([[0.22, 0.20], [0.20, 0.21]]) == 0


def test_nobody_is_named_where_some_differ() -> None:
    losses = [[0.20, 0.25], [0.22, 0.24], [0.21, 0.26]]  # F = 24, p = 0.008
    assert anova_best(losses) is None
    assert anova_best(losses, alpha=0.005) == 0


def test_bad_input_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="alpha must be a number above 0"):
        anova_best([[0.1, 0.1], [0.2, 0.2]], alpha=0)
    with pytest.raises(DesignError, match="must have at least 2 learners"):
        anova_best([[0.1], [0.2]])
