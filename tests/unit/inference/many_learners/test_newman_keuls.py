import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bestofk.errors import InvalidArgumentError
from bestofk.inference import (
    duncan_test,
    newman_keuls,
    studentized_range_quantile,
    tukey_hsd_test,
)

SCORES = np.array([[0.20, 0.25, 0.21], [0.22, 0.24, 0.22], [0.21, 0.26, 0.23]])


def by_the_stop_rule(scores: np.ndarray, alpha: float) -> list[tuple[int, ...]]:
    """Return windows from long to short, none inside an accepted one: the textbook procedure."""
    k, n = scores.shape
    means = scores.mean(axis=1)
    order = np.argsort(means, kind="stable")
    error = ((scores - means[:, None]) ** 2).sum() / (k * (n - 1))
    accepted: list[tuple[int, int]] = []
    for span in range(k, 1, -1):
        quantile = studentized_range_quantile(span, k * (n - 1), alpha=alpha)
        for start in range(k - span + 1):
            end = start + span - 1
            if any(i <= start and end <= j for i, j in accepted):
                continue
            if (means[order[end]] - means[order[start]]) * np.sqrt(n / error) < quantile:
                accepted.append((start, end))
    return [tuple(int(x) for x in order[i : j + 1]) for i, j in sorted(accepted)]


@settings(deadline=None, max_examples=40)
@given(scores=arrays(float, (5, 4), elements=st.floats(0, 1), unique=True), shift=st.floats(0, 2))
def test_underlines_are_those_of_the_stop_rule(scores: np.ndarray, shift: float) -> None:
    scores = np.round(scores, 6) + shift * np.arange(5)[:, None]
    means = np.sort(scores.mean(axis=1))
    if np.diff(means).min() < 1e-6:
        return
    assert list(newman_keuls(scores.T, names=list("abcde")).underlines) == by_the_stop_rule(
        scores, 0.05
    )


def test_pairs_carry_the_p_value_of_their_run_and_of_the_runs_around_it() -> None:
    result = newman_keuls(SCORES)
    assert result.order == (0, 2, 1)
    assert result.underlines == ((0, 2),)
    assert result.ms_error == pytest.approx(0.0001)
    assert result.df == 6
    q = np.sqrt(3 / 0.0001)
    assert result.statistic[0, 1] == pytest.approx(0.04 * q)
    assert result.estimate[0, 1] == pytest.approx(-0.04)
    assert result.p_adjusted[0, 2] == result.p_value[0, 2]
    assert result.p_value[0, 2] == pytest.approx(0.2666, abs=1e-4)
    assert np.isnan(np.diag(result.p_adjusted)).all()
    np.testing.assert_array_equal(result.p_adjusted, result.p_adjusted.T)


def test_a_run_inside_an_accepted_one_is_not_told_apart() -> None:
    # the two in the middle would differ as a pair, but the run of four is accepted
    scores = np.array([0.0, 0.1, 3.0, 3.1])[:, None] + np.array([-2.0, 0.0, 2.0])
    result = newman_keuls(scores.T, names=list("abcd"))
    assert result.underlines == ((0, 1, 2, 3),)
    assert (result.p_adjusted[np.triu_indices(4, 1)] >= result.p_value[0, 3]).all()


def test_the_direction_turns_the_order_equal_means_stay_and_constants_give_limits() -> None:
    result = newman_keuls(SCORES, greater_is_better=True)
    assert result.order == (1, 2, 0)
    assert result.underlines == ((2, 0),)
    scores = [[0.3, 0.1, 0.1 + 0.2], [0.1, 0.2, 0.2], [0.2, 0.3, 0.1]]
    assert newman_keuls(scores).order == (0, 1, 2)
    result = newman_keuls(np.transpose([[0.1] * 3, [0.3] * 3, [0.1 + 0.2] * 3]))
    assert result.flags == ("zero_variance",)
    assert result.underlines == ((1, 2),)
    assert result.p_adjusted[0, 1] == 0
    assert result.p_adjusted[1, 2] == 1


def test_a_family_is_named_and_few_scores_say_how_far_neighbors_must_lie_apart() -> None:
    codes = [w.code for w in newman_keuls(SCORES).warnings]  # type: ignore[attr-defined]
    assert codes == ["overlap", "few-scores", "not-equal", "multiplicity"]
    two = [w.code for w in newman_keuls(SCORES[:, :2]).warnings]  # type: ignore[attr-defined]
    assert two == ["overlap", "few-scores"]
    closest = studentized_range_quantile(2, 6) * np.sqrt(0.0001 / 3)
    assert f"means closer than {closest:.3g} do not differ" in newman_keuls(SCORES).warnings[1]
    honest = tukey_hsd_test(SCORES)
    assert f"closer than {honest.critical_difference:.3g} do not" in honest.warnings[1]


def test_tukey_bounds_all_differences_together() -> None:
    from scipy.stats import tukey_hsd

    scores = np.random.default_rng(4).normal(size=(4, 6))
    result, other = tukey_hsd_test(scores.T), tukey_hsd(*scores)
    off = ~np.eye(4, dtype=bool)
    np.testing.assert_allclose(result.p_adjusted[off], other.pvalue[off], atol=1e-9)
    low, high = result.confidence_interval(0.9)
    wanted = other.confidence_interval(0.9)
    np.testing.assert_allclose(low[off], wanted.low[off], rtol=1e-6)
    np.testing.assert_allclose(high[off], wanted.high[off], rtol=1e-6)
    assert (result.p_adjusted[off] >= result.p_value[off]).all()


def test_tukey_without_variance_has_intervals_without_width() -> None:
    result = tukey_hsd_test([[0.1, 0.3], [0.1, 0.3]])
    low, high = result.confidence_interval()
    assert low[0, 1] == high[0, 1] == pytest.approx(-0.2)
    assert (result.p_adjusted[0, 1], result.critical_difference) == (0, 0)


def test_duncan_is_the_most_liberal_and_tukey_the_least() -> None:
    scores = np.random.default_rng(5).normal(size=(5, 6)) + np.arange(5)[:, None] / 2
    off = ~np.eye(5, dtype=bool)
    duncan, newman, tukey = (
        run(scores.T).p_adjusted[off] for run in (duncan_test, newman_keuls, tukey_hsd_test)
    )
    assert (duncan <= newman + 1e-12).all()
    assert (newman <= tukey + 1e-12).all()


def test_duncan_spends_a_level_per_step() -> None:
    # level 1 - 0.95^2 for a run of three: p of the range at that quantile is 0.05
    q = studentized_range_quantile(3, 6, alpha=1 - 0.95**2)
    half = q * np.sqrt(0.0001 / 3) / 2
    scores = np.array([-half, 0.0, half])[:, None] + np.array([-0.01, 0.0, 0.01])
    assert duncan_test(scores.T).p_value[0, 2] == pytest.approx(0.05)
    assert duncan_test([[0.1, 0.1], [0.1, 0.1]]).p_value[0, 1] == 1


@pytest.mark.parametrize("run", [newman_keuls, tukey_hsd_test, duncan_test])
def test_a_level_outside_0_1_is_refused(run: object) -> None:
    with pytest.raises(InvalidArgumentError, match="alpha must be a number above 0"):
        run(SCORES, alpha=1)  # type: ignore[operator]


def test_a_level_outside_0_1_gives_no_interval() -> None:
    with pytest.raises(InvalidArgumentError, match="level must be a number above 0"):
        tukey_hsd_test(SCORES).confidence_interval(95)


def test_the_result_reads_as_a_table() -> None:
    text = str(newman_keuls(SCORES, names=["cart", "1nn", "svm"]))
    assert "order" in text
    assert "cart, svm, 1nn" in text
    assert "no significant difference" in text
