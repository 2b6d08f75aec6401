import itertools

import numpy as np
import pytest

from bestofk import compare
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import (
    cochran_q_test,
    permutation_test,
    randomization_test,
    repeated_measures_anova_test,
    row_randomization_test,
)

# Three learners on three splits, each with the same order of learners.
ERRORS = np.array([[0.1, 0.2, 0.4], [0.2, 0.3, 0.4], [0.1, 0.3, 0.5]])
# Losses of three learners on five rows: 1, 2 and 5 errors.
LOSSES = np.array([[0, 1, 1], [0, 0, 1], [0, 1, 1], [1, 0, 1], [0, 0, 1]])


def plain_f(blocks: np.ndarray) -> float:
    """Return F of a two-way layout from sums of squares, cell by cell."""
    n, k = blocks.shape
    mean = blocks.mean()
    learners = n * sum((column.mean() - mean) ** 2 for column in blocks.T)
    total = sum((cell - mean) ** 2 for cell in blocks.ravel())
    rows = k * sum((row.mean() - mean) ** 2 for row in blocks)
    error = total - learners - rows
    if error < 1e-12:
        return np.inf if learners > 1e-12 else 0.0
    return (learners / (k - 1)) / (error / ((k - 1) * (n - 1)))


def plain_p_value(blocks: np.ndarray) -> float:
    """Return the share of all arrangements with an F at least as large, one after the other."""
    observed = plain_f(blocks)
    arrangements = itertools.product(*(itertools.permutations(row) for row in blocks.tolist()))
    values = [plain_f(np.array(arrangement)) for arrangement in arrangements]
    return float(np.mean([value >= observed - 1e-9 for value in values]))


def level_05(losses: np.ndarray, number: int, rows: np.ndarray | None = None) -> bool:
    """Return whether 99 draws of its own reject at 0.05; the same few for all would not average."""
    result = row_randomization_test(losses, rows=rows, n_draws=99, random_state=number)
    return result.reject(0.05)


def test_three_splits_by_hand() -> None:
    # In tenths the sums are 4, 8 and 13. Learners: 249/3 - 625/9 = 122/9; within splits 44/3;
    # error 10/9. F = (61/9) / (10/36) = 24.4; only the 6 common orders have so large an F.
    result = randomization_test(ERRORS)
    assert result.statistic == pytest.approx(24.4)
    assert result.statistic == repeated_measures_anova_test(ERRORS).statistic
    assert result.p_value == pytest.approx(6 / 216)
    assert (result.df, result.n, result.distribution) == ((2, 4), 3, "all arrangements")
    assert result.levels == pytest.approx((0.4 / 3, 0.8 / 3, 1.3 / 3))


def test_five_rows_by_hand() -> None:
    # Sums of errors 1, 2, 5: with the first row fixed 10 of 81 arrangements have squares that
    # sum to 30 or more.
    result = row_randomization_test(LOSSES)
    assert result.p_value == pytest.approx(10 / 81)
    assert result.statistic == pytest.approx(plain_f(LOSSES))
    assert (result.n, result.n_of, result.level_of) == (5, "rows", "mean loss")


@pytest.mark.parametrize("shape", [(3, 2), (4, 3), (3, 4), (2, 4)])
@pytest.mark.parametrize("seed", range(2))
def test_all_arrangements_give_the_p_value(shape: tuple[int, int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    # few values, so that many losses are tied; or values that are hardly ever tied
    for blocks in (rng.integers(0, 3, shape) / 10, rng.normal(size=shape).round(3)):
        names = list("abcd")[: shape[1]]
        result = randomization_test(blocks, names=names)
        assert result.p_value == pytest.approx(plain_p_value(blocks))
        assert row_randomization_test(blocks, names=names).p_value == result.p_value
        assert result.statistic == pytest.approx(plain_f(blocks))


def test_drawn_arrangements_come_close_to_all_of_them() -> None:
    # 12 rows and 3 learners: the p value of drawn arrangements against that of 0/1 losses, whose
    # arrangements are 3^11 (too many to list here), by a table of sums.
    losses = np.array([[0, 0, 1]] * 8 + [[0, 1, 0]] * 3 + [[1, 0, 0]])
    result = row_randomization_test(losses)
    sums: dict[tuple[int, ...], int] = {(0, 0, 0): 1}
    for _ in losses:
        grown: dict[tuple[int, ...], int] = {}
        for (a, b, c), ways in sums.items():
            for new in ((a + 1, b, c), (a, b + 1, c), (a, b, c + 1)):
                grown[new] = grown.get(new, 0) + ways
        sums = grown
    bar = 8**2 + 3**2 + 1
    wanted = sum(ways for key, ways in sums.items() if sum(x * x for x in key) >= bar) / 3**12
    assert result.distribution == "9999 drawn arrangements"
    spread = np.sqrt(wanted * (1 - wanted) / 9999)
    assert result.p_value == pytest.approx(wanted, abs=4 * spread + 1e-4)


def test_a_drawn_p_value_counts_the_arrangement_found() -> None:
    apart = np.arange(4) + np.random.default_rng(0).normal(0, 0.01, size=(30, 4))
    result = randomization_test(apart, n_draws=99)
    assert result.p_value == 1 / 100
    assert result.distribution == "99 drawn arrangements"


def test_the_order_of_learners_and_splits_and_the_level_of_a_split_change_nothing() -> None:
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(12, 5))
    result = randomization_test(scores)
    assert randomization_test(scores[::-1]).p_value == result.p_value
    assert randomization_test(scores[:, ::-1]).p_value == result.p_value
    assert randomization_test(scores + rng.normal(size=(12, 1))).p_value == result.p_value
    assert randomization_test(1 - scores).p_value == pytest.approx(result.p_value, abs=0.02)
    assert randomization_test(scores, random_state=1).p_value != result.p_value


@pytest.mark.parametrize("n_rows", [8, 300])
def test_two_learners_give_the_permutation_test(n_rows: int) -> None:
    rng = np.random.default_rng(2)
    a, b = rng.normal([[0], [0.1]], size=(2, n_rows))
    result = row_randomization_test(np.column_stack([a, b]))
    wanted = permutation_test(a, b).p_value
    assert result.p_value == pytest.approx(wanted, abs=1e-12 if n_rows == 8 else 0.02)


def test_losses_of_zero_and_one_come_close_to_cochran() -> None:
    losses = (np.random.default_rng(4).random((400, 4)) < [0.2, 0.2, 0.22, 0.25]).astype(float)
    result = row_randomization_test(losses)
    assert result.p_value == pytest.approx(cochran_q_test(1 - losses).p_value, abs=0.015)


def test_results_of_one_row_are_permuted_together_and_count_once() -> None:
    rows = np.arange(5)
    twice = row_randomization_test(np.vstack([LOSSES, LOSSES]), rows=[*rows, *rows])
    alone = row_randomization_test(LOSSES)
    assert (twice.n, twice.p_value, twice.statistic) == (5, alone.p_value, alone.statistic)
    # taken for ten rows the same losses would count twice
    assert row_randomization_test(np.vstack([LOSSES, LOSSES])).p_value < alone.p_value / 2
    losses = [[0, 1], [1, 0], [0, 1], [0, 1]]
    result = row_randomization_test(losses, rows=["a", "b", "c", "c"])
    assert (result.n, result.levels) == (3, pytest.approx((1 / 3, 2 / 3)))


def test_permuting_all_results_of_a_row_alike_is_permuting_their_means() -> None:
    rng = np.random.default_rng(5)
    repeats = rng.integers(0, 2, size=(3, 4, 3))  # three results of each of four rows
    observed = plain_f(repeats.reshape(12, 3))
    as_large = []
    for orders in itertools.product(itertools.permutations(range(3)), repeat=4):
        moved = np.stack([repeats[:, row, list(order)] for row, order in enumerate(orders)], axis=1)
        as_large.append(plain_f(moved.reshape(12, 3)) >= observed - 1e-9)
    result = row_randomization_test(repeats.reshape(12, 3), rows=np.tile(np.arange(4), 3))
    assert result.p_value == pytest.approx(np.mean(as_large))


@pytest.mark.slow
def test_the_level_holds_where_learners_are_alike() -> None:
    # 2000 tables without any difference, skewed losses; 3 * sqrt(.05 * .95 / 2000) is .015.
    rng = np.random.default_rng(6)
    tables = rng.exponential(size=(2000, 6, 3)) + rng.exponential(size=(2000, 6, 1))
    rejected = [level_05(table, number) for number, table in enumerate(tables)]
    assert 0.035 <= np.mean(rejected) <= 0.065


@pytest.mark.slow
def test_rows_with_repeats_hold_the_level_only_if_permuted_together() -> None:
    rng = np.random.default_rng(7)
    of_row = rng.normal(size=(600, 20, 3))  # what a learner has on a row, in all four repeats
    losses = (of_row[:, None] + 0.3 * rng.normal(size=(600, 4, 20, 3))).reshape(600, 80, 3)
    rows = np.tile(np.arange(20), 4)
    together = [level_05(table, number, rows) for number, table in enumerate(losses)]
    alone = [level_05(table, number) for number, table in enumerate(losses)]
    assert 0.023 <= np.mean(together) <= 0.077
    assert np.mean(alone) > 0.2


def test_what_does_not_vary_or_is_too_little_shows_nothing() -> None:
    result = randomization_test([[0.1, 0.1], [0.2, 0.2]])
    assert (result.statistic, result.p_value, result.flags) == (0, 1, ("all_ties",))
    assert [warning.code for warning in result.warnings] == ["degenerate", "not-equal"]
    result = randomization_test([[0.1, 0.2], [0.2, 0.3], [0.4, 0.5]])
    assert (result.statistic, result.p_value) == (np.inf, 2 / 8)
    assert result.flags == ("zero_variance",)
    result = randomization_test([[1.0, 2], [2, 3], [3, 4], [4, 6]])
    assert result.p_value == 2 / 16
    assert "On only 4 splits the losses differ: the p value cannot fall below 0.125." in [
        str(warning) for warning in result.warnings
    ]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([0, 1], r"must be one per result \(5\); got shape \(2,\)"),
        ([3] * 5, "must be at least 2; got 1"),
    ],
)
def test_rows_that_do_not_fit_are_refused(rows: list[int], message: str) -> None:
    with pytest.raises(DesignError, match=message):
        row_randomization_test(LOSSES, rows=rows)


def test_draws_must_be_a_number() -> None:
    with pytest.raises(InvalidArgumentError, match="n_draws of randomization_test"):
        randomization_test(ERRORS, n_draws=0)


def test_a_comparison_hands_over_the_rows_of_all_repeats() -> None:
    comparison = compare(["1nn", "cart", "lda"], "iris", cv="2x5", progress=False, scoring="error")
    result = comparison.test("row-randomization", n_draws=199)
    assert result.n == 150
    assert result.levels == pytest.approx(comparison.scores[0].values.mean(axis=1))
    assert "pooled-folds" in [getattr(warning, "code", "") for warning in result.warnings]
    by_split = comparison.test("randomization", n_draws=199)
    assert by_split.n == 10
    assert by_split.levels == pytest.approx(result.levels)
