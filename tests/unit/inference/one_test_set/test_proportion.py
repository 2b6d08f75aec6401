import pytest

from bestofk.errors import InvalidArgumentError
from bestofk.inference import proportion_interval


@pytest.mark.parametrize(
    ("method", "limits"),
    [
        ("normal", (0.7216014, 0.8783986)),
        ("wilson", (0.7111708, 0.8666331)),
        ("clopper-pearson", (0.7081573, 0.8733444)),
    ],
)
def test_eighty_of_a_hundred(method: str, limits: tuple[float, float]) -> None:
    result = proportion_interval(80, 100, method=method)
    assert (result.low, result.high) == pytest.approx(limits, abs=1e-7)
    assert (result.estimate, result.standard_error) == pytest.approx((0.8, 0.04))
    assert (result.flags, result.warnings) == ((), ())


@pytest.mark.parametrize("method", ["wilson", "clopper-pearson", "normal"])
def test_errors_have_the_mirrored_interval(method: str) -> None:
    right, wrong = (proportion_interval(n, 30, method=method) for n in (7, 23))
    assert (right.low, right.high) == pytest.approx((1 - wrong.high, 1 - wrong.low))


def test_no_success_has_an_interval_from_zero() -> None:
    assert proportion_interval(0, 20).low == 0
    assert proportion_interval(0, 20).high == pytest.approx(0.1611251580528194)
    exact = proportion_interval(0, 20, method="clopper-pearson")
    assert (exact.low, exact.high) == pytest.approx((0, 1 - 0.025 ** (1 / 20)))
    assert proportion_interval(20, 20, method="clopper-pearson").high == 1
    assert proportion_interval(20, 20).high == 1


def test_the_normal_interval_without_width_is_flagged() -> None:
    result = proportion_interval(0, 20, method="normal")
    assert (result.low, result.high, result.flags) == (0, 0, ("zero_variance",))
    assert [warning.code for warning in result.warnings] == ["degenerate"]
    assert proportion_interval(1, 10, method="normal").low == 0


def test_bad_counts_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match=r"n of .* whole number of at least 1; got 0"):
        proportion_interval(0, 0)
    with pytest.raises(InvalidArgumentError, match=r"n of .* of at least 1; got -5"):
        proportion_interval(0, -5)
    with pytest.raises(InvalidArgumentError, match=r"n_successes of .* from 0 to 10; got 11"):
        proportion_interval(11, 10)
    with pytest.raises(InvalidArgumentError, match=r"n_successes of .* from 0 to 10; got 4.5"):
        proportion_interval(4.5, 10)  # type: ignore[arg-type]
    with pytest.raises(
        InvalidArgumentError, match=r"n of .* whole number of at least 1; got 'ten'"
    ):
        proportion_interval(1, "ten")  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match="Did you mean 'wilson'"):
        proportion_interval(1, 10, method="wilsons")
    with pytest.raises(InvalidArgumentError, match="level must be a number above 0 and below 1"):
        proportion_interval(1, 10, level=1)
