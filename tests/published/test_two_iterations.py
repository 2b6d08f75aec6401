"""Two iterations of Table II of Raeder, Hoens & Chawla (2010): three tests, and one posterior."""

import numpy as np
import pytest
from tests.given import ROOT
from tests.published.printed_tables import printed_areas

from bestofk.inference import (
    bayesian_signed_rank,
    friedman_test,
    sign_test,
    wilcoxon_test,
)

REGION = 0.01
MONTE_CARLO = 0.006


def areas(iteration: int) -> tuple[np.ndarray, np.ndarray]:
    c45, hddt = printed_areas(iteration).T
    return c45, hddt


@pytest.mark.parametrize(
    ("iteration", "wilcoxon", "signs", "mean_ranks"),
    [(216, 0.00129, 0.00131, 0.00097), (459, 0.22875, 0.09625, 0.05935)],
)
def test_the_three_natural_tests_disagree_between_two_seeds(iteration, wilcoxon, signs, mean_ranks):
    c45, hddt = areas(iteration)
    friedman = friedman_test(np.column_stack([c45, hddt]), greater_is_better=True)
    results = [wilcoxon_test(c45, hddt).p_value, sign_test(c45, hddt).p_value, friedman.p_value]
    assert results == pytest.approx([wilcoxon, signs, mean_ranks], abs=5e-6)


@pytest.mark.parametrize(("iteration", "inside"), [(216, 0.734), (459, 0.996)])
@pytest.mark.parametrize("seed", [0, 1])
def test_both_iterations_are_practically_the_same_result(iteration, inside, seed):
    draws = bayesian_signed_rank(*areas(iteration), rope=REGION, n_draws=100_000, random_state=seed)
    assert draws.p_rope == pytest.approx(inside, abs=MONTE_CARLO)
    assert draws.p_rope > draws.p_less + draws.p_greater


def test_the_page_prints_the_table_and_the_sentence() -> None:
    page = (ROOT / "docs" / "papers" / "two-iterations.md").read_text(encoding="utf-8")
    for iteration in (216, 459):
        for learner in areas(iteration):
            assert all(f"{area:.4f}".lstrip("0") in page for area in learner)
    assert "The two iterations are practically the same result" in page
