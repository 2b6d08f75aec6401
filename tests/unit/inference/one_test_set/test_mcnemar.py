import numpy as np
import pytest

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import McNemar, Sampling, mcnemar_from_counts, mcnemar_test

TEST_SET = Sampling("test-set", 1, 1, n_train=100, n_test=50)


def losses(n01: int, n10: int, both: int, neither: int) -> tuple[list[int], list[int]]:
    a = [1] * n01 + [0] * n10 + [1] * both + [0] * neither
    return a, [0] * n01 + [1] * n10 + [1] * both + [0] * neither


def codes(result: object) -> list[str]:
    return [warning.code for warning in result.warnings]


@pytest.mark.parametrize(
    ("method", "p_value"),
    [
        ("mid-p", 0.03857421875),
        ("exact", 0.0654296875),
        ("chi2", 0.034808),
        ("chi2-corrected", 0.07044),
    ],
)
def test_nine_against_two_by_every_method(method: str, p_value: float) -> None:
    result = mcnemar_test(*losses(9, 2, 39, 50), method=method)
    assert result.p_value == pytest.approx(p_value, abs=1e-6)
    assert (result.n01, result.n10, result.n_both_wrong, result.n) == (9, 2, 39, 100)
    assert result.estimate == pytest.approx(0.07)
    assert result.effect_size == 4.5


def test_an_example_of_fagerland_lydersen_and_laake_comes_out() -> None:
    # R package contingencytables, Cavo et al.: 59, 6, 16, 80.
    result = mcnemar_from_counts(6, 16, n=161, n_both_wrong=80)
    low, high = result.confidence_interval()
    assert result.p_value == pytest.approx(0.034690, abs=1e-6)
    assert (result.estimate, low, high) == pytest.approx((-0.0621, -0.1186, -0.0046), abs=5e-5)
    corrected = mcnemar_from_counts(6, 16, method="chi2-corrected")
    assert corrected.p_value == pytest.approx(0.055009, abs=1e-6)
    assert np.sqrt(corrected.statistic) == pytest.approx(1.919, abs=5e-4)


def test_the_interval_of_the_odds_comes_from_clopper_and_pearson() -> None:
    low, high = mcnemar_from_counts(13, 3).odds_interval()
    assert (low / (1 + low), high / (1 + high)) == pytest.approx((0.5435, 0.9595), abs=5e-5)
    assert mcnemar_from_counts(0, 4).odds_interval()[0] == 0
    assert mcnemar_from_counts(4, 0).odds_interval()[1] == np.inf
    assert mcnemar_from_counts(0, 0).odds_interval() == (0, np.inf)


def test_as_many_on_both_sides_is_no_difference_and_one_sided_p_values_are_tails() -> None:
    for method in ("mid-p", "exact", "chi2", "chi2-corrected"):
        result = mcnemar_from_counts(6, 6, method=method)
        assert result.p_value == pytest.approx(1)
        assert result.statistic == (0 if method.startswith("chi2") else 6)
        assert result.flags == ()
    greater = mcnemar_from_counts(25, 10, method="exact", alternative="greater")
    assert greater.p_value == pytest.approx(0.00833692390006037)
    for method in ("mid-p", "exact", "chi2", "chi2-corrected"):
        ahead = mcnemar_from_counts(25, 10, method=method, alternative="greater")
        mirrored = mcnemar_from_counts(10, 25, method=method, alternative="less")
        assert ahead.p_value == mirrored.p_value
        if method != "exact":
            less = mcnemar_from_counts(25, 10, method=method, alternative="less")
            assert ahead.p_value + less.p_value == pytest.approx(1)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("method", ["mid-p", "exact", "chi2", "chi2-corrected"])
def test_without_discordant_rows_nothing_is_shown(method: str, alternative: str) -> None:
    result = mcnemar_test([1, 0, 1], [1, 0, 1], method=method, alternative=alternative)
    assert (result.statistic, result.p_value) == (0, 1)
    assert result.flags == ("no_discordant",)
    assert codes(result) == ["degenerate", "not-equal"]
    assert np.isnan(result.effect_size)


def test_one_sided_intervals_are_open() -> None:
    result = mcnemar_test(*losses(9, 2, 39, 50), alternative="greater")
    low, high = result.confidence_interval()
    two_sided = mcnemar_test(*losses(9, 2, 39, 50)).confidence_interval(0.9)
    assert (low, high) == (pytest.approx(two_sided[0]), np.inf)
    assert result.odds_interval()[1] == np.inf
    less = mcnemar_from_counts(9, 2, alternative="less")
    assert less.odds_interval()[0] == 0


def test_counts_alone_estimate_odds_and_have_no_interval_of_the_difference() -> None:
    result = mcnemar_from_counts(9, 2)
    assert (result.estimate, result.estimate_of, result.n) == (4.5, "odds n01/n10", 11)
    assert result.confidence_interval() == result.odds_interval()
    assert "discordant rows" in str(result)
    result = mcnemar_from_counts(9, 2, n=100)
    assert result.estimate == pytest.approx(0.07)
    assert np.isnan(result.confidence_interval()).all()
    assert "interval" not in str(result)


def test_agreement_that_chance_explains_counts_as_none() -> None:
    alone = mcnemar_from_counts(5, 5, n=20, n_both_wrong=6).confidence_interval()
    apart = mcnemar_from_counts(10, 10, n=20, n_both_wrong=0).confidence_interval()
    assert alone[1] - alone[0] < apart[1] - apart[0]
    assert mcnemar_from_counts(0, 0, n=20, n_both_wrong=20).confidence_interval()[0] < 0


def test_few_discordant_rows_cannot_show_anything() -> None:
    assert codes(mcnemar_from_counts(5, 0, method="exact")) == ["few-scores", "not-equal"]
    assert codes(mcnemar_from_counts(5, 0)) == []
    assert codes(mcnemar_from_counts(5, 0, method="exact", alternative="greater")) == []
    assert codes(mcnemar_from_counts(0, 4, alternative="less")) == []
    assert codes(mcnemar_from_counts(4, 0)) == ["few-scores", "not-equal"]


def test_bad_counts_and_methods_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="n01 of mcnemar_test must be a whole number of"):
        mcnemar_from_counts(-1, 2)
    with pytest.raises(InvalidArgumentError, match="n10 of mcnemar_test must be a whole number of"):
        mcnemar_from_counts(1, float("nan"))
    with pytest.raises(InvalidArgumentError, match=r"n of mcnemar_test must be .* at least 11"):
        mcnemar_from_counts(9, 2, n=10)
    with pytest.raises(InvalidArgumentError, match=r"n_both_wrong .* from 0 to 89; got 90"):
        mcnemar_from_counts(9, 2, n=100, n_both_wrong=90)
    with pytest.raises(InvalidArgumentError, match="Did you mean 'mid-p'"):
        mcnemar_from_counts(9, 2, method="midp")
    with pytest.raises(InvalidArgumentError, match="alternative must be one of three words"):
        mcnemar_from_counts(9, 2, alternative="more")


def test_many_pairs_at_once_are_each_pair_alone() -> None:
    rng = np.random.default_rng(1)
    a, b = (rng.random((2, 3, 4, 50)) < 0.3).astype(float)
    many = McNemar().compare(a - b, TEST_SET)
    for i, j in np.ndindex(3, 4):
        for side, result in (
            ("two-sided", many.p_two_sided),
            ("greater", many.p_greater),
            ("less", many.p_less),
        ):
            mc_nemar_result = mcnemar_test(a[i, j], b[i, j], alternative=side)
            assert result[i, j] == mc_nemar_result.p_value
            assert many.mean[i, j] == pytest.approx(mc_nemar_result.estimate)
    assert many.n_scores == 50
    assert not many.zero_variance.any()
    root = mcnemar_test(a[0, 0], b[0, 0], method="chi2").statistic
    assert many.statistic[0, 0] ** 2 == pytest.approx(root)
    result = McNemar().compare(np.zeros((2, 5)), TEST_SET)
    assert result.statistic.tolist() == [0, 0]
    assert result.p_two_sided.tolist() == result.p_greater.tolist() == [1, 1]
    assert result.zero_variance.all()
    few, many = (np.zeros((1, n)) for n in (30, 30_000))
    plan = Sampling("test-set", 1, 1)
    assert McNemar().compare(few, plan).posterior(0.01)[1][0] < 0.3
    assert McNemar().compare(many, plan).posterior(0.01)[1][0] > 0.99


def test_the_test_of_orderings_takes_a_single_test_set() -> None:
    test = McNemar()
    assert test.refuse(TEST_SET) is None
    assert test.refuse(Sampling("hold-out", 1, 1)) is None
    assert "this is hold-out with 5 of them" in str(test.refuse(Sampling("hold-out", 5, 1)))
    assert "this is k-fold with 10 of them" in str(test.refuse(Sampling("k-fold", 1, 10)))
    assert test.warnings(TEST_SET) == ()
    a, b = losses(9, 2, 39, 50)
    assert test.result(a, b, sampling=TEST_SET).p_value == mcnemar_test(a, b).p_value
    with pytest.raises(DesignError, match="plan of mcnemar must be one that allows the test"):
        test.result(a, b, sampling=Sampling("k-fold", 1, 10))
    with pytest.raises(DesignError, match=r"must be -1, 0 or 1 .* got 0.5"):
        test.compare([0.5, 1.0], TEST_SET)
