import numpy as np
import pytest
from scipy.stats import chi2
from scipy.stats import t as student

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import (
    Sampling,
    autocorrelation_bound,
    diebold_mariano_test,
    giacomini_white_test,
    harvey_leybourne_newbold_test,
    largest_autocorrelation,
    paired_t_test,
    paired_test,
    procedure,
)
from bestofk.inference.many_learners.pair_evidence import compare_on_splits

# Differences of losses in order of time: like noise, drifting, alternating.
SERIES = {
    "noise": [3, -1, 2, 4, 1, 3, -2, 5, 2, 3, 1, 4],
    "drift": [1, 2, 4, 5, 4, 2, 1, -1, -2, 0, 1, 3, 4, 6, 5, 3],
    "alternating": [2, -3, 4, -1, 3, -2, 5, -2, 4, -3],
    "saw": [5, -4, 6, -5, 4, -3, 5, -4],
}
# forecast 8.20: dm.test(d + 10, rep(10, n), h, power = 1, varestimator)
DM_TEST = [
    ("noise", 1, "acf", "two-sided", 3.49447673810821, 0.00501884905723363),
    ("noise", 1, "acf", "greater", 3.49447673810821, 0.00250942452861682),
    ("noise", 2, "bartlett", "two-sided", 4.65040832377703, 0.000704614403500603),
    ("noise", 3, "acf", "two-sided", 5.5081581154904, 0.000183963362052775),
    ("noise", 4, "bartlett", "greater", 5.34862186740502, 0.000117152127495694),
    ("drift", 1, "acf", "two-sided", 4.17271800661163, 0.00081671284443478),
    ("drift", 2, "acf", "greater", 2.46485148993742, 0.0131316414614326),
    ("drift", 3, "acf", "two-sided", 2.06753257686755, 0.0563888084609767),
    ("drift", 4, "acf", "two-sided", 2.02984751846048, 0.0604982108980121),
    ("alternating", 1, "acf", "two-sided", 0.691973526634883, 0.506411834506149),
    ("alternating", 2, "bartlett", "two-sided", 1.53311220875607, 0.159614099892604),
    ("alternating", 3, "acf", "greater", 0.644012512364647, 0.267816366183686),
    ("alternating", 4, "bartlett", "two-sided", 1.33196769143793, 0.21561495580664),
    ("saw", 2, "bartlett", "greater", 0.672021505032247, 0.261561824064117),
    ("saw", 3, "acf", "two-sided", 0.250522466609585, 0.809377376678847),
    ("saw", 4, "bartlett", "two-sided", 0.485071250072666, 0.642437525179093),
]
# ForeComp 1.0.0: dm.test.ewc.fb(d, B)
FORE_COMP = [
    ("noise", 4, 7.68731927420096, 0.00154020878541587),
    ("drift", 4, 2.22539488255109, 0.0900704958049547),
    ("drift", 2, 2.2738558659039, 0.150837865811729),
    ("drift", 1, 6.16578361416538, 0.10235914567461),
    ("alternating", 4, 1.68053095832477, 0.168150104342752),
    ("alternating", 2, 1.84209259073893, 0.206797707580843),
    ("saw", 4, 0.733274651345525, 0.504049161348133),
    ("saw", 2, 0.84851735485003, 0.485509051872984),
]


def losses(name):
    d = np.array(SERIES[name], dtype=float)
    return d + 10, np.full(len(d), 10.0)


@pytest.mark.parametrize(("name", "horizon", "variance", "side", "statistic", "p"), DM_TEST)
def test_dm_test_of_r_comes_out_for_both_variances(name, horizon, variance, side, statistic, p):
    result = harvey_leybourne_newbold_test(*losses(name), horizon=horizon, alternative=side)
    assert result.statistic == pytest.approx(statistic, rel=1e-12)
    assert result.p_value == pytest.approx(p, rel=1e-11)
    assert ("The variance was not positive" in " ".join(result.warnings)) == (
        variance == "bartlett"
    )


@pytest.mark.parametrize(("name", "df", "statistic", "p"), FORE_COMP)
def test_fixed_smoothing_of_forecomp_comes_out(name, df, statistic, p):
    n = len(SERIES[name])
    horizon = {4: 1, 2: -(-n // 3) + (n % 3 == 0), 1: n // 2 + 1}[df]
    test = paired_test("diebold-mariano")
    result = test.compare(SERIES[name], Sampling("forward", n, 1, horizon=horizon))
    assert result.df == df
    assert result.statistic == pytest.approx(statistic, rel=1e-12)
    assert result.p_two_sided == pytest.approx(p, rel=1e-11)


def naive_cosine_statistic(d, df):
    """Return the statistic by sums as Lazarus and others write them."""
    n, total = len(d), 0.0
    for j in range(1, df + 1):
        weight = sum(d[t - 1] * np.cos(np.pi * j * (t - 0.5) / n) for t in range(1, n + 1))
        total += 2 / n * weight**2
    return np.mean(d) / np.sqrt(total / df / n)


@pytest.mark.parametrize(("n", "df"), [(8, 4), (26, 4), (27, 6), (64, 8)])
def test_many_pairs_at_once_are_those_of_the_formula(n, df):
    d = np.random.default_rng(n).normal(size=(3, 2, n))
    compared = paired_test("dm").compare(d, Sampling("forward", 1, n))
    expected = np.array([[naive_cosine_statistic(pair, df) for pair in row] for row in d])
    np.testing.assert_allclose(compared.statistic, expected, rtol=1e-10)
    np.testing.assert_allclose(compared.p_greater, student.sf(expected, df), rtol=1e-9)
    low, high = compared.confidence_interval(0.9)
    np.testing.assert_allclose((low + high) / 2, d.mean(axis=-1), rtol=1e-9)
    reach = student.ppf(0.95, df) * d.mean(axis=-1) / expected
    np.testing.assert_allclose((high - low) / 2, reach, rtol=1e-9)


@pytest.mark.parametrize(("n", "horizon", "df"), [(8, 4, 2), (20, 6, 3), (20, 10, 2), (27, 4, 6)])
def test_a_long_horizon_leaves_fewer_degrees_of_freedom(n, horizon, df):
    d = np.random.default_rng(0).normal(size=n)
    assert diebold_mariano_test(d, np.zeros(n), horizon=horizon).df == df


def test_a_horizon_of_one_period_makes_the_paired_t_test_of_hln_beside_its_measured_level():
    a, b = losses("drift")
    modified, plain = harvey_leybourne_newbold_test(a, b), paired_t_test(a, b)
    assert modified.statistic == pytest.approx(plain.statistic, rel=1e-12)
    assert modified.confidence_interval(0.9) == pytest.approx(plain.confidence_interval(0.9))
    assert any("31 to 33%" in text for text in modified.warnings)


@pytest.mark.parametrize(
    "test", [diebold_mariano_test, harvey_leybourne_newbold_test, giacomini_white_test]
)
def test_few_periods_for_the_horizon_are_refused(test):
    a, b = losses("saw")
    with pytest.raises(DesignError, match="at least 8 periods, and there are 7"):
        test(a[1:], b[1:])
    with pytest.raises(DesignError, match="at least 10 periods, and there are 8"):
        test(a, b, horizon=5)
    with pytest.raises(InvalidArgumentError, match="horizon of Sampling must be a whole number"):
        test(a, b, horizon=1.5)


@pytest.mark.parametrize("name", ["dm", "hln", "gw"])
def test_equal_and_shifted_losses_have_the_stated_limits(name):
    run, sampling = procedure(name).run, Sampling("forward", 10, 1, is_sliding=True)
    b = np.arange(10) / 7
    same = run(b, b, sampling=sampling)
    shifted = run(b + 0.25, b, sampling=sampling)
    assert (same.statistic, same.p_value, same.flags) == (0, 1, ("zero_variance",))
    assert (shifted.statistic, shifted.p_value, shifted.flags) == (np.inf, 0, ("zero_variance",))


def naive_conditional(d, horizon):
    """Return n m' W^-1 m with loops over periods."""
    z = [np.array([d[t], d[t] * d[t - horizon]]) for t in range(horizon, len(d))]
    n, m = len(z), np.mean(z, axis=0)
    w = sum(np.outer(row, row) for row in z) / n
    for lag in range(1, horizon):
        for t in range(lag, n):
            both = np.outer(z[t], z[t - lag])
            w = w + (1 - lag / horizon) * (both + both.T) / n
    return n * m @ np.linalg.inv(w) @ m


@pytest.mark.parametrize("name", SERIES)
@pytest.mark.parametrize("horizon", [1, 2, 3])
def test_the_conditional_test_is_its_formula(name, horizon):
    a, b = losses(name)
    result = giacomini_white_test(a, b, horizon=horizon)
    expected = naive_conditional(a - b, horizon)
    assert result.statistic == pytest.approx(expected, rel=1e-8)
    assert result.p_value == pytest.approx(chi2.sf(expected, 2), rel=1e-8)
    assert result.symbol == "chi2"
    assert np.isnan(result.confidence_interval()).all()
    assert not any("nan" in text for text in result.warnings)


@pytest.mark.parametrize("unit", [1e-9, 1, 1e9])
def test_the_conditional_test_is_n_times_the_share_of_ones_explained(unit):
    d = np.array(SERIES["drift"]) * unit
    z = np.column_stack([d[1:], d[1:] * d[:-1] / unit])
    left = 1 - z @ np.linalg.lstsq(z, np.ones(len(z)), rcond=None)[0]
    result = giacomini_white_test(d, np.zeros(len(d)))
    assert result.statistic == pytest.approx(len(z) * (1 - (left**2).mean()), rel=1e-9)


def test_the_conditional_test_is_for_training_parts_of_one_length():
    run = procedure("giacomini-white").run
    a, b = losses("noise")
    with pytest.raises(DesignError, match="needs training parts of one length, and these grow"):
        run(a, b, sampling=Sampling("forward", 12, 1))
    assert run(a, b, sampling=Sampling("forward", 12, 1, is_sliding=True)).df == 2
    with pytest.raises(DesignError, match="alternative of giacomini-white must be"):
        procedure("gw").check_options({"alternative": "less"})


def test_the_bound_is_the_corrected_estimate_and_a_quarter_of_its_error():
    d = np.array([3.0, 1, 2, 2, 0, 1, 3, 4])
    apart = d - 2
    raw = (apart[1:] * apart[:-1]).sum() / (apart**2).sum()
    estimate = (8 * raw + 1) / 5
    bound = estimate + 0.2533471 * np.sqrt((1 - estimate**2) / 8)
    assert autocorrelation_bound(d) == pytest.approx(bound, rel=1e-7)
    assert autocorrelation_bound([d, np.ones(8)]).shape == (2,)


def test_limits_rise_with_the_periods_but_for_the_steps_of_the_degrees_of_freedom():
    for first, last in ((8, 26), (27, 63), (64, 100)):
        limits = [largest_autocorrelation(n) for n in range(first, last + 1)]
        assert limits == sorted(limits)
    assert largest_autocorrelation(500) == largest_autocorrelation(100)


def test_dependent_losses_decide_nothing_and_the_reason_is_said():
    t = np.arange(12)
    noise = np.resize(SERIES["noise"], 12) / 9
    smooth = np.c_[np.zeros(12), np.sin(t / 3) + 1.2, noise + 2, np.full(12, -1e-3) + noise / 50]
    sampling = Sampling("forward", 12, 1)
    test = paired_test("diebold-mariano")
    d = np.array([smooth[:, 1] - smooth[:, 0], smooth[:, 2] - smooth[:, 0], smooth[:, 3]])
    assert test.unsettled(d, sampling).tolist() == [True, False, False]
    assert test.unsettled(d[[0, 0, 1]], sampling).tolist() == [True, True, True]  # by the median
    assert test.unsettled(d[:0], sampling).shape == (0,)
    smooth = smooth[:, :3]
    smooth[:, 1] *= 1e-3  # beside the noise of the others, in two of three pairs, it is nothing
    evidence = compare_on_splits(smooth, "diebold-mariano", sampling, is_complete=True)
    compared = evidence.compared
    assert compared.p_two_sided[0, 1] == compared.p_greater[1, 0] == compared.p_less[1, 0] == 1
    assert np.isnan(compared.confidence_interval()[0][0, 1])
    assert compared.statistic[1, 0] == pytest.approx(
        float(test.compare(smooth[:, 1], sampling).statistic)
    )
    assert compared.p_two_sided[0, 2] < 1e-4
    reason = "the losses of successive periods depend on each other too strongly for 12 periods"
    assert evidence.why_no_test(0, 1, 12) == reason
    assert evidence.why_no_test(0, 2, 12) == ""
    single = diebold_mariano_test(smooth[:, 1], smooth[:, 0])
    assert single.p_value < 1
    assert f"This p value decides nothing: {reason}." in single.warnings
    assert "decides nothing" not in str(diebold_mariano_test(smooth[:, 2], smooth[:, 0]))


@pytest.mark.parametrize("n", [8, 10, 12, 20])
@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_a_verdict_of_dependent_losses_keeps_its_level(n, rho):
    rng = np.random.default_rng([n, int(10 * rho)])
    d = rng.normal(size=(4000, n))
    for t in range(1, n):
        d[:, t] = rho * d[:, t - 1] + np.sqrt(1 - rho**2) * d[:, t]
    sampling, test = Sampling("forward", n, 1), paired_test("diebold-mariano")
    compared = test.compare(d, sampling)
    decides = autocorrelation_bound(d) <= largest_autocorrelation(n)
    for side in ("two-sided", "greater", "less"):
        assert ((compared.p_value(side) <= 0.05) & decides).mean() < 0.075 + 3 * 0.0042


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.9])
def test_a_family_of_verdicts_keeps_its_level_too(rho):
    first, second = np.triu_indices(5, 1)
    sampling, test = Sampling("forward", 12, 1), paired_test("diebold-mariano")
    losses = np.random.default_rng(int(10 * rho)).normal(size=(1000, 5, 12))
    for t in range(1, 12):
        losses[..., t] = rho * losses[..., t - 1] + np.sqrt(1 - rho**2) * losses[..., t]
    wrong = 0
    for own in losses:
        d = own[first] - own[second]
        p = np.where(test.unsettled(d, sampling), 1, test.compare(d, sampling).p_two_sided)
        wrong += p.min() <= 0.05 / 10
    assert wrong / 1000 < 0.05 + 3 * 0.0069
