"""Losses on new data from splits, test rows, and more of them: by hand, by loops, and laws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference.new_data import (
    LIKELY,
    MoreNeeded,
    NewDataLosses,
    losses_on_new_data,
    losses_on_test_rows,
    more_needed,
)

# J = 8 splits of 100 rows, 80 for training and 20 for testing
TWO = np.array([[1, 3, 1, 3, 1, 3, 1, 3], [2, 2, 4, 4, 2, 2, 4, 4]]) / 20
counts = arrays(np.int64, st.tuples(st.integers(2, 6), st.just(14)), elements=st.integers(0, 20))


def on_test_rows(losses):
    """Return what is claimed from a row of losses per learner."""
    return losses_on_test_rows(np.transpose(losses))


def expected(losses, **sizes):
    """Return what is claimed from a row of losses per learner."""
    return losses_on_new_data(
        np.transpose(losses), **{"n_samples": 100, "n_train": 80, "n_test": 20} | sizes
    )


def binomial(rates, n_splits=25, n_test=20, seed=0):
    rates = np.array(rates)[:, None]
    return np.random.default_rng(seed).binomial(n_test, rates, (len(rates), n_splits)) / n_test


def wilson(share, n, level=0.9):
    z = stats.norm.ppf((1 + level) / 2)
    half = z * np.sqrt(share * (1 - share) / n + z * z / 4 / n**2)
    return (np.array([-half, half]) + share + z * z / 2 / n) / (1 + z * z / n)


def test_scale_interval_and_claim_of_two_learners_are_those_by_hand():
    result = expected(TWO)
    assert_allclose(result.means, [0.1, 0.15])
    # each is 2 twentieths from its mean in sum of squares 8/400; they are uncorrelated
    variance = (1 / 8 + 1 / 4) * (8 / 400 / 7) + 1 / 100**2
    assert_allclose(result.covariance, [[variance, 0], [0, variance]], atol=1e-15)
    assert (result.df, result.n_samples, result.n_shared) == (7, 100, 8)
    n_effective = 0.1 * 0.9 / variance  # 76.8 of the 100 rows
    assert_allclose(result.loss_interval(0), wilson(0.1, n_effective), rtol=1e-12)
    assert_allclose(result.loss_interval(0, 0.5), wilson(0.1, n_effective, 0.5), rtol=1e-12)
    assert result.loss_interval(0) == pytest.approx((0.05663, 0.17059), abs=1e-5)
    claim = result.claim("b", 1, 0.02)
    assert (claim.learner, claim.within, claim.level, claim.n_shared_splits) == ("b", 0.02, 0.9, 8)
    assert claim.probability == result.probability(0.02)[1]
    assert claim.expected_regret == result.expected_regret[1]
    assert (claim.loss_low, claim.loss_high) == result.loss_interval(1)
    assert claim.reason == ""
    result = expected(TWO, one_row=[0.01, 0.5])
    added = result.covariance - expected(TWO, one_row=0.0).covariance
    assert_allclose(added, np.diag([0.01**2, 0.5**2]), atol=1e-15)


def test_the_scale_of_two_models_on_test_rows_by_hand():
    losses = np.array([[0, 4, 0, 4, 0, 4, 0, 4], [1, 1, 3, 3, 1, 1, 3, 3]])
    result = losses_on_test_rows(losses.T, one_row=[4 / 8, 3 / 8], most=np.inf)
    assert_allclose(result.means, [2, 2])
    # sums of squares are 32 and 8; they are uncorrelated
    expected_scale = np.diag([32 / 7 / 8 + 1 / 4, 8 / 7 / 8 + 9 / 64])
    assert_allclose(result.covariance, expected_scale, atol=1e-15)
    assert (result.df, result.n_samples, result.most) == (7, 8, np.inf)
    assert result.claim("a", 0, 0.1).loss_low is None


def test_the_interval_counts_no_more_rows_than_there_are_and_without_an_error_one():
    steady = np.full((1, 12), 0.3)
    assert_allclose(expected(steady).loss_interval(0), wilson(0.3, 100), rtol=1e-12)
    low, high = expected(np.zeros((1, 12))).loss_interval(0)
    assert low == 0
    assert_allclose(high, wilson(0, 0.01 * 0.99 * 100**2)[1], rtol=1e-12)


@pytest.mark.parametrize(("level", "losses"), [(1.0, TWO), (0.9, TWO + 1)])
def test_an_interval_needs_a_proportion_and_a_level(level, losses):
    with pytest.raises(InvalidArgumentError, match="must"):
        expected(losses).loss_interval(0, level)


def test_test_rows_by_hand():
    losses = np.array([[0, 1, 0, 0, 0, 1, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0, 1, 0, 0, 1]])
    result = on_test_rows(losses)
    assert_allclose(result.means, [0.2, 0.4])
    # sums of squares 10 e (1 - e), of products 1 - 10 * 0.2 * 0.4, over 9, over 10 rows
    scale = np.array([[1.6, 0.2], [0.2, 2.4]]) / 90 + np.eye(2) / 100
    assert_allclose(result.covariance, scale, rtol=1e-12)
    assert (result.df, result.n_samples, result.n_shared) == (9, 10, 10)
    assert_allclose(result.loss_interval(0), wilson(0.2, 0.16 / scale[0, 0]), rtol=1e-12)


def moments_by_loops(table, overlap):
    """Return means and covariance learner by learner, of learners ordered by number of splits."""
    k, lengths = len(table), [int(np.isfinite(row).sum()) for row in table]
    shared = min(lengths)
    parts = [table[0]] + [table[i] - table[0] for i in range(1, k)]
    means = [np.mean(part[:length]) for part, length in zip(parts, lengths, strict=True)]
    means = [means[0]] + [means[0] + means[i] for i in range(1, k)]

    def part_covariance(i, j):
        of_i, of_j = parts[i][:shared], parts[j][:shared]
        pairs = zip(of_i - of_i.mean(), of_j - of_j.mean(), strict=True)
        products = sum(x * y for x, y in pairs)
        return (1 / max(lengths[i], lengths[j]) + overlap) * products / (shared - 1)

    covariance = np.empty((k, k))
    for i in range(k):
        for j in range(k):
            terms_i = [0] if i == 0 else [0, i]  # the first learner, and the difference from it
            terms_j = [0] if j == 0 else [0, j]
            covariance[i, j] = sum(part_covariance(a, b) for a in terms_i for b in terms_j)
    return np.array(means), covariance


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("lengths", [[30, 30, 30, 30], [30, 30, 25, 15], [30, 25, 20, 15]])
def test_eliminated_learners_have_the_moments_of_plain_loops(lengths, seed):
    table = binomial([0.10, 0.15, 0.2, 0.25], 30, 40, seed)
    table = table[np.argsort(table.mean(axis=1))]
    for row, length in zip(table, lengths, strict=True):
        row[length:] = np.nan
    if lengths[1] == 30:  # of those with all splits the lowest mean is first
        table[:2] = table[:2][np.argsort(table[:2].mean(axis=1))]
    means, covariance = moments_by_loops(table, 0.25)
    back = np.random.default_rng(seed).permutation(4)
    result = expected(table[back])
    assert_allclose(result.means, means[back], rtol=1e-12)
    covariance += np.eye(4) / 100**2
    assert_allclose(result.covariance, covariance[np.ix_(back, back)], rtol=1e-9)
    assert (result.n_shared, result.df) == (min(lengths), min(lengths) - 1)


def test_complete_tables_have_their_plain_means_and_covariance():
    table = binomial([0.1, 0.12, 0.3])
    result = expected(table)
    assert_allclose(result.means, table.mean(axis=1), rtol=1e-12)
    plain = (1 / 25 + 0.25) * np.cov(table) + np.eye(3) / 100**2
    assert_allclose(result.covariance, plain, rtol=1e-12, atol=1e-15)


def test_an_eliminated_learner_stays_a_rival():
    table = np.vstack([binomial([0.2], 25), binomial([0.2], 25, seed=1)])
    with_rival = expected(table).probability(0.01)[0]
    table[1, 20:] = np.nan
    assert 0 < expected(table).probability(0.01)[0] < 1
    assert with_rival < 1


def test_two_learners_of_equal_losses_are_apart_by_a_pseudo_row_each():
    for result, df in (
        (expected(np.vstack([TWO[0], TWO[0]])), 7),
        (on_test_rows(np.tile([0.0, 1, 0, 0, 1] * 20, (2, 1))), 99),
    ):
        # the difference has the scale sqrt(2)/n
        share = stats.t(df).cdf(0.01 * 100 / np.sqrt(2))
        assert result.probability(0.01) == pytest.approx([share, share], abs=0.03)
        mean = stats.t(df).expect(lambda x: max(x, 0)) * np.sqrt(2) / 100
        assert result.expected_regret == pytest.approx([mean, mean], rel=0.1)


def test_more_rows_make_equal_losses_surely_equal():
    same = np.vstack([TWO[0]] * 2)
    assert_array_equal(expected(same, n_samples=5000).probability(0.01), [1, 1])
    assert_array_equal(on_test_rows(np.zeros((2, 5000))).probability(0.01), [1, 1])


@pytest.mark.parametrize("k", [3, 6, 12, 40])
def test_equal_losses_of_many_are_as_probably_within_as_the_lowest_of_their_pseudo_rows(k):
    result = on_test_rows(np.tile([0.0, 1, 0, 0, 1] * 20, (k, 1)))
    assert_array_equal(result.means, np.full(k, 0.4))
    noise = stats.t(99).rvs((20_000, k), random_state=0) / 100  # independent, about t
    regrets = noise - noise.min(axis=1, keepdims=True)
    assert result.probability(0.01) == pytest.approx((regrets <= 0.01).mean(), abs=0.05)
    assert result.expected_regret == pytest.approx(regrets.mean(), rel=0.1)


@pytest.mark.parametrize("losses_of", [expected, on_test_rows])
def test_one_far_better_is_surely_the_best(losses_of):
    rates = [0.05, 0.5, 0.6, 0.55]
    table = binomial(rates) if losses_of is expected else binomial(rates, 400, 1)
    result = losses_of(table)
    assert result.probability(0.01)[0] == 1
    assert result.expected_regret[0] < 1e-6
    assert (result.probability(0.01)[1:] == 0).all()
    assert result.expected_regret[1:] == pytest.approx(result.means[1:] - result.means[0], abs=0.01)


@pytest.mark.parametrize("losses_of", [expected, on_test_rows])
def test_a_single_learner_has_an_interval_and_no_probability(losses_of):
    table = binomial([0.2]) if losses_of is expected else binomial([0.2], 200, 1)
    claim = losses_of(table).claim("a", 0, 0.01)
    assert claim.reason == "only one learner was compared"
    assert claim.probability is claim.expected_regret is None
    assert claim.loss_low < table.mean() < claim.loss_high < claim.loss_low + 0.2


@pytest.mark.parametrize("losses_of", [expected, on_test_rows])
def test_losses_that_never_vary_are_claimed_as_far_as_rows_go(losses_of):
    table = np.repeat([[0.1], [0.25]], 200, axis=1)
    result = losses_of(table)
    n = result.n_samples
    assert_allclose(result.covariance, np.eye(2) / n**2, atol=1e-18)
    assert result.probability(0.01)[0] > 0.99
    assert result.claim("a", 0, 0.01).loss_low < 0.1 < result.claim("a", 0, 0.01).loss_high


def test_forty_equally_good_learners_are_claimed_with_care():
    """With 40 learners of one error rate every pick is right; less than all of that is stated."""
    rng = np.random.default_rng(0)
    stated = []
    for _ in range(4):
        result = on_test_rows(rng.binomial(1, 0.2, (40, 1000)))
        stated.append(result.probability(0.01)[np.argmin(result.means)])
    assert 0.3 < np.mean(stated) < 1


def test_a_loss_without_bound_has_no_interval_and_a_bound_scales_that_of_a_share():
    result = expected(TWO, one_row=0.1, most=np.inf)
    claim = result.claim("a", 0, 0.01)
    assert claim.loss_low is claim.loss_high is None
    assert claim.probability == result.probability(0.01)[0]
    with pytest.raises(InvalidArgumentError, match="must lie between 0 and inf"):
        result.loss_interval(0)
    share, loss = (
        expected(scale * TWO, one_row=scale / 100, most=scale).loss_interval(1)
        for scale in (1.0, 2.0)
    )
    assert_allclose(loss, 2 * np.array(share), rtol=1e-12)


@settings(deadline=None, max_examples=50)
@given(table=counts, unit=st.sampled_from([1e-6, 0.3, 1.0, 35_000.0]))
def test_the_unit_of_a_loss_changes_no_probability(table, unit):
    """Dollars or thousands of dollars: the same draws."""
    losses, one_row = table / 20 + 0.1, np.arange(1, len(table) + 1) / 100
    one = expected(losses, one_row=one_row, most=np.inf)
    other = expected(unit * losses, one_row=unit * one_row, most=np.inf)
    assert_allclose(other.draws, unit * one.draws, rtol=1e-9)


@settings(deadline=None, max_examples=50)
@given(table=counts, seed=st.integers(0, 10))
def test_the_order_of_learners_changes_no_bit(table, seed):
    order = np.random.default_rng(seed).permutation(len(table))
    for losses_of, losses in ((expected, table / 20), (on_test_rows, table > 9)):
        if len(np.unique(losses, axis=0)) < len(losses):
            continue  # learners of equal losses have the draws of their places
        result, other = losses_of(losses), losses_of(losses[order])
        for name in ("means", "draws", "expected_regret"):
            values = getattr(result, name)
            assert_array_equal(values[..., order], getattr(other, name))
        assert_array_equal(result.probability(0.01)[order], other.probability(0.01))
        assert_array_equal(result.covariance[np.ix_(order, order)], other.covariance)


@pytest.mark.parametrize("losses_of", [expected, on_test_rows])
def test_the_layout_of_the_table_changes_no_bit(losses_of):
    table = binomial([0.1, 0.13, 0.2], 50, 7)
    one, other = losses_of(table), losses_of(np.asfortranarray(table))
    assert_array_equal(one.draws, other.draws)


@settings(deadline=None, max_examples=50)
@given(table=counts, constant=st.sampled_from([0.1, 0.3, -1.0, 1 / 3]))
def test_a_constant_changes_no_difference(table, constant):
    for losses_of, losses in ((expected, table / 20), (on_test_rows, table > 9)):
        result, other = losses_of(losses), losses_of(losses + constant)
        assert_allclose(other.regrets, result.regrets, atol=1e-9)
        assert_allclose(other.means, result.means + constant, atol=1e-12)


@settings(deadline=None, max_examples=50)
@given(table=counts)
def test_accuracy_claims_what_the_error_rate_claims(table):
    accuracies = 1 - table / 20
    result, other = expected(table / 20), expected(-accuracies + 1)
    assert_allclose(other.draws, result.draws, atol=1e-9)
    for index in range(len(table)):
        assert_allclose(other.loss_interval(index), result.loss_interval(index), atol=1e-9)


@settings(deadline=None, max_examples=50)
@given(table=counts, within=st.floats(0.001, 0.5))
def test_probabilities_are_probabilities_and_regrets_are_losses(table, within):
    result = expected(table / 20)
    probability, wider = result.probability(within), result.probability(2 * within)
    assert ((probability >= 0) & (probability <= wider) & (wider <= 1)).all()
    assert (result.expected_regret >= 0).all()
    assert_array_equal(result.regrets.min(axis=1), 0)
    for index in range(len(table)):
        low, high = result.loss_interval(index)
        assert 0 <= low <= result.means[index] + 1e-12
        assert result.means[index] - 1e-12 <= high <= 1


def test_a_gap_is_refused():
    table = binomial([0.1, 0.2])
    table[1, 3] = np.nan
    with pytest.raises(DesignError, match="losses of a learner must have no gap; got one"):
        expected(table)
    with pytest.raises(DesignError, match="losses of a learner must have no gap"):
        on_test_rows(table)
    table[1, 3:] = np.nan
    with pytest.raises(DesignError, match="losses on test rows must be finite; got 22 rows"):
        on_test_rows(table)


@pytest.mark.parametrize("shape", [(3,), (0, 5), (5, 0)])
def test_a_table_is_asked_for(shape):
    for losses_of in (expected, on_test_rows):
        with pytest.raises(DesignError, match="losses must be a table"):
            losses_of(np.zeros(shape))


def test_a_table_on_its_side_is_refused_with_both_readings():
    table = np.zeros((4, 50))
    message = "must have learners in columns; got 4 x 50, which reads as 50 learners on 4 "
    with pytest.raises(DesignError, match=message + "splits.*4 learners on 50 splits"):
        losses_on_new_data(table, n_samples=100, n_train=80, n_test=20)
    with pytest.raises(DesignError, match=message + "test rows.*4 learners on 50 test rows"):
        losses_on_test_rows(table)


def test_eight_splits_or_rows_are_the_fewest():
    table = binomial([0.1, 0.2, 0.3], 9)
    expected(table[:, :8])
    on_test_rows(table[:, :8])
    with pytest.raises(DesignError, match="shared splits must be at least 8; got 7"):
        expected(table[:, :7])
    with pytest.raises(DesignError, match="test rows must be at least 8; got 7"):
        on_test_rows(table[:, :7])
    table[2, 7:] = np.nan
    with pytest.raises(DesignError, match=r"got 7\. Repeat more often"):
        expected(table)


def test_as_many_learners_as_splits_allow_have_a_covariance_of_full_rank():
    result = expected(binomial(np.linspace(0.1, 0.3, 9), 10))
    assert np.linalg.eigvalsh(result.covariance)[0] >= 0.999 / 100**2
    assert result.df == 9
    assert 0 < result.probability(0.01).max() < 1


def table(n_splits=20, rates=(0.1, 0.12, 0.3)):
    rng = np.random.default_rng(1)
    return rng.binomial(20, np.array(rates)[:, None], (len(rates), n_splits)) / 20


def on_splits(losses):
    return losses_on_new_data(losses.T, n_samples=100, n_train=80, n_test=20)


def test_more_repeats_lower_the_part_of_the_splits_and_endless_ones_leave_the_rows():
    losses = table()
    before = on_splits(losses)
    endless, more = before.with_more(repeats=np.inf), before.with_more(repeats=2)
    for result, part, df in ((endless, 0, 99), (more, 1 / 40, 39)):
        scale = (part + 0.25) * np.cov(losses) + np.eye(3) / 100**2
        np.testing.assert_allclose(result.covariance, scale, rtol=1e-12, atol=1e-15)
        assert result.df == df
    twice = more.with_more(repeats=2.5).covariance
    np.testing.assert_allclose(twice, before.with_more(repeats=5).covariance, rtol=1e-12)
    np.testing.assert_array_equal(before.with_more().draws, before.draws)


def test_after_eliminations_each_learner_has_more_of_its_own_splits():
    losses = table()
    losses[2, 10:] = np.nan
    parts = np.vstack([losses[0, :10], losses[1:, :10] - losses[0, :10]])
    back = np.array([[1, 0, 0], [1, 1, 0], [1, 0, 1]])
    lengths = np.array([20, 20, 10])
    per_split = 1 / np.maximum.outer(lengths, lengths)
    scale = (per_split / 3 + 0.25) * np.cov(parts)
    np.testing.assert_allclose(
        on_splits(losses).with_more(repeats=3).covariance,
        back @ scale @ back.T + np.eye(3) / 100**2,
        rtol=1e-12,
    )


def test_more_rows_divide_the_whole_scale_and_leave_means_alone():
    before = on_splits(table())
    after = before.with_more(rows=4)
    np.testing.assert_allclose(after.covariance, before.covariance / 4, rtol=1e-15)
    np.testing.assert_array_equal(after.means, before.means)
    assert after.df == before.df


@pytest.mark.parametrize("factors", [{"repeats": 0.5}, {"rows": 0}, {"rows": np.inf}])
def test_fewer_than_there_are_is_refused(factors):
    with pytest.raises(InvalidArgumentError, match="must be a factor of at least 1; got"):
        on_splits(table()).with_more(**factors)


def with_scales(means, split_sd, row_sd, n_samples=1000):
    """Return independent losses with a given scale of splits and of rows."""
    unit = np.eye(len(means))
    split_part = unit * split_sd**2
    covariance = split_part + unit * row_sd**2
    order = np.arange(len(means))
    names = (0, "more", len(means))
    return NewDataLosses(np.array(means), covariance, 14.0, n_samples, 15, names, order, split_part)


def asked(given_losses, index=0, n_splits=15):
    return more_needed(given_losses, index, 0.01, n_splits=n_splits, n_folds=5)


def is_likely(given_losses, index=0, **factors):
    return given_losses.with_more(**factors).probability(0.01)[index] >= LIKELY


def test_the_first_number_of_repeats_that_is_enough_is_named():
    given_losses = with_scales([0.1, 0.1], 0.008, 0.001)
    enough = [count for count in range(4, 21) if is_likely(given_losses, repeats=count / 3)]
    assert asked(given_losses) == MoreNeeded(n_repeats=enough[0], endless_repeats_would=True)
    assert 4 < enough[0] < 20
    assert asked(given_losses, n_splits=100).n_repeats is None  # all were done
    cut_off = more_needed(given_losses, 0, 0.01, n_splits=15, n_folds=20)  # a repeat does not count
    assert cut_off.n_repeats in (3, 4, 5)


def test_repeats_beyond_100_fits_are_not_asked_for():
    given_losses = with_scales([0.1, 0.1], 0.03, 0.001)
    assert is_likely(given_losses, repeats=np.inf)
    assert not is_likely(given_losses, repeats=20 / 3)
    assert asked(given_losses) == MoreNeeded(endless_repeats_would=True, row_factor=None)


@pytest.mark.parametrize(("row_sd", "factor"), [(0.005, 2), (0.012, 10), (0.05, None)])
def test_where_repeats_do_not_help_the_first_factor_of_rows_is_named(row_sd, factor):
    given_losses = with_scales([0.1, 0.1], 0.001, row_sd)
    tried = [few for few in (2, 3, 5, 10, 20) if is_likely(given_losses, rows=few)]
    assert asked(given_losses) == MoreNeeded(row_factor=factor)
    assert (tried[0] if tried else None) == factor


def test_no_rows_help_a_learner_further_behind_and_none_are_needed_where_it_is_likely():
    given_losses = with_scales([0.115, 0.1], 0.001, 0.05)
    assert asked(given_losses) == MoreNeeded(is_behind=True)
    # a gap that counts as good enough needs many rows, but they would do
    assert not asked(with_scales([0.109, 0.1], 0.001, 0.005)).is_behind
    assert asked(with_scales([0.1, 0.2], 0.001, 0.002)) is None
