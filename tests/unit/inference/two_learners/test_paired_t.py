import pytest

from bestofk.errors import DesignError
from bestofk.inference import Sampling, paired_t_test, paired_test

A, B = [0.16, 0.18, 0.20, 0.18], [0.20, 0.21, 0.25, 0.18]


def test_the_worked_example_of_the_lecture_comes_out() -> None:
    result = paired_t_test(A, B)
    assert (result.statistic, result.df, result.p_value) == pytest.approx((-2.777460, 3, 0.0691369))
    assert (result.estimate, result.standard_error) == pytest.approx((-0.03, 0.0108012345))


def test_repeats_are_refused_with_the_way_out() -> None:
    with pytest.raises(DesignError, match="Use corrected_resampled_t_test for repeats"):
        paired_t_test([A, A], [B, B])


@pytest.mark.parametrize(
    ("sampling", "reason"),
    [
        (Sampling("k-fold", 1, 10), None),
        (Sampling("k-fold", 10, 10), "these are 10 repeats, whose scores depend on each other."),
        (Sampling("hold-out", 30, 1), "this is hold-out."),
        (Sampling("k-fold", 1, 1), "this is k-fold."),
    ],
)
def test_only_one_run_of_k_fold_is_taken(sampling: Sampling, reason: str | None) -> None:
    result = paired_test("paired-t").refuse(sampling)
    assert result == reason or (reason is not None and str(result).endswith(reason))


def test_overlap_is_warned_of_where_there_is_any() -> None:
    warnings = paired_test("paired-t").warnings
    (overlap,) = warnings(Sampling("k-fold", 1, 10))
    assert "training sets of k-fold overlap" in overlap
    assert overlap.code == "overlap"
    assert [name.code for name in warnings(Sampling("k-fold", 1, 2))] == ["few-scores"]
