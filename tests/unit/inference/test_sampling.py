import pytest

from bestofk.errors import InvalidArgumentError
from bestofk.inference import Sampling


def test_scores_are_counted_over_repeats_and_folds_and_schemes_are_known() -> None:
    assert Sampling("k-fold", 5, 2).n_scores == 10
    assert Sampling("hold-out", 30, 1).n_scores == 30
    with pytest.raises(InvalidArgumentError, match="Did you mean 'k-fold'"):
        Sampling("kfold", 5, 2)


@pytest.mark.parametrize("counts", [(0, 2), (5, 0)])
def test_counts_start_at_one(counts: tuple[int, int]) -> None:
    with pytest.raises(InvalidArgumentError, match="of Sampling must be a number from 1 up; got 0"):
        Sampling("k-fold", *counts)


@pytest.mark.parametrize("size", [0, -1.5, float("inf"), float("nan")])
def test_sizes_are_positive_or_unknown(size: float) -> None:
    with pytest.raises(InvalidArgumentError, match="n_test must be a number above 0 or None"):
        Sampling("k-fold", 5, 2, n_train=10, n_test=size)
