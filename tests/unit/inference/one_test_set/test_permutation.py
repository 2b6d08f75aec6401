import numpy as np
import pytest

from bestofk.errors import InvalidArgumentError
from bestofk.inference import mcnemar_test, permutation_test


def test_six_rows_by_hand() -> None:
    # Differences .5 .1 .2 .4 -.1 .3: 6 of 64 sign patterns sum to 1.4 or more, up or down.
    a, b = [0.9, 0.8, 0.7, 0.9, 0.6, 0.8], [0.4, 0.7, 0.5, 0.5, 0.7, 0.5]
    assert permutation_test(a, b).p_value == pytest.approx(6 / 64)
    assert permutation_test(a, b, alternative="greater").p_value == pytest.approx(3 / 64)
    assert permutation_test(a, b, alternative="less").p_value == pytest.approx(1 - 1 / 64)
    result = permutation_test(a, b)
    assert (result.statistic, result.n) == (pytest.approx(1.4 / 6), 6)
    assert result.distribution == "all signs"


def test_losses_of_zero_and_one_give_the_exact_mcnemar_test() -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.random((2, 5000)) < [[0.2], [0.22]]).astype(int)
    for side in ("two-sided", "greater", "less"):
        wanted = mcnemar_test(a, b, method="exact", alternative=side).p_value
        assert permutation_test(a, b, alternative=side).p_value == pytest.approx(wanted)


def test_equal_losses_show_nothing() -> None:
    result = permutation_test([0.1, 0.2], [0.1, 0.2])
    assert (result.statistic, result.p_value, result.flags) == (0, 1, ("all_ties",))
    assert [warning.code for warning in result.warnings] == ["degenerate", "not-equal"]


def test_ties_that_floats_hide_are_ties() -> None:
    # .81 - .79 and .92 - .90 are both .02.
    result = permutation_test([0.81, 0.92, 0.5], [0.79, 0.90, 0.54])
    assert result.p_value == 1
    assert result.statistic == pytest.approx(0, abs=1e-15)


def test_few_rows_cannot_show_anything() -> None:
    five = permutation_test([1] * 5, [0] * 5)
    assert five.p_value == pytest.approx(2 / 32)
    assert [warning.code for warning in five.warnings] == ["few-scores", "not-equal"]
    assert permutation_test([1] * 5, [0] * 5, alternative="greater").warnings == ()
    assert permutation_test([1] * 6, [0] * 6).warnings == ()


def test_many_different_rows_are_drawn_the_same_way_each_time() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(2, 100))
    result = permutation_test(a, b)
    assert result.p_value == permutation_test(a[::-1], b[::-1]).p_value
    assert result.p_value != permutation_test(a, b, random_state=1).p_value
    assert result.distribution == "9999 drawn signs and their opposites"
    greater = permutation_test(a, b, alternative="greater").p_value
    assert greater == permutation_test(b, a, alternative="less").p_value
    assert permutation_test(a + 5, b, n_draws=99).p_value == pytest.approx(1 / 100)


def test_bad_options_are_refused() -> None:
    with pytest.raises(
        InvalidArgumentError, match="n_draws of permutation_test must be a whole number from 1 up"
    ):
        permutation_test([0, 1], [1, 1], n_draws=0)
    with pytest.raises(
        InvalidArgumentError, match="n_draws of permutation_test must be a whole number from 1 up"
    ):
        permutation_test([0, 1], [1, 1], n_draws=99.5)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match=r"random_state of .* whole number; got None"):
        permutation_test([0, 1], [1, 1], random_state=None)  # type: ignore[arg-type]


def test_a_statistic_that_is_the_estimate_is_shown_once() -> None:
    labels = [label for label, _ in permutation_test([1.0, 0.0, 1.0], [0.0, 0.0, 0.0]).rows()]
    assert labels.count("mean difference") == 1
