import pytest
from scipy.stats import t as student

from bestofk.errors import InvalidArgumentError
from bestofk.inference.power import smallest_detectable_difference


def test_each_pair_needs_the_quantile_of_its_share_of_the_level() -> None:
    result = smallest_detectable_difference([0.0, 0.01, 0.02], 9, n_hypotheses=90, alpha=0.1)
    quantile = student.ppf(1 - 0.1 / 90, 9)
    assert result == pytest.approx([0.0, 0.01 * quantile, 0.02 * quantile])


@pytest.mark.parametrize(
    ("error", "n_hypotheses", "alpha", "message"),
    [
        ([0.1, -0.1], 1, 0.05, "must not be negative or nan; got -0.1"),
        ([float("nan")], 1, 0.05, "must not be negative or nan; got nan"),
        (
            [0.1],
            0,
            0.05,
            "n_hypotheses of smallest_detectable_difference must be a number from 1 up",
        ),
        ([0.1], 1, 5, "alpha must be a number above 0"),
    ],
)
def test_bad_arguments_are_refused(
    error: list[float], n_hypotheses: int, alpha: float, message: str
) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        smallest_detectable_difference(error, 9, n_hypotheses=n_hypotheses, alpha=alpha)
