"""Measure how often tests of losses in successive periods reject, and print the tables of a page.

Differences of two learners are normal with the standard deviation 1, and an autoregressive process
of order 1: those of periods k apart correlate by rho^k. Every cell has 20,000 series, which gives
a share of 5% a standard error of 0.15 points. Run it with ``python benchmarks/levels_over_time.py``
(about three minutes); the limits in `bestofk.inference.two_learners.over_time` come from
``python benchmarks/levels_over_time.py limits`` (about three minutes).
"""

import sys
from collections.abc import Iterable

import numpy as np
from scipy.signal import lfilter

from bestofk.inference import (
    PairedTest,
    Sampling,
    autocorrelation_bound,
    confidence_set_p_values,
    giacomini_white_test,
    largest_autocorrelation,
)
from bestofk.inference.two_learners.over_time import DieboldMariano, HarveyLeybourneNewbold
from bestofk.randomness import derive_rng

N_SERIES = 20_000
PERIODS = (8, 10, 12, 16, 20, 30, 50)
# Where the degrees of freedom change, and between them.
LIMIT_PERIODS = (8, 9, 10, 11, 12, 14, 16, 20, 26, 27, 30, 40, 50, 63, 64, 100)
RHOS = tuple(i / 10 for i in range(10))
DRIFTS = (1, 2, 3, 4)
ALPHA, MOST = 0.05, 0.075
TESTS = (DieboldMariano(), HarveyLeybourneNewbold())


def autoregressive(n_periods: int, rho: float, n_series: int = N_SERIES) -> np.ndarray:
    """Return stationary series of mean 0 and variance 1, shape (n_series, n_periods)."""
    rng = derive_rng("levels_over_time", n_periods, rho)
    shocks = rng.standard_normal((n_series, n_periods))
    shocks[:, 1:] *= np.sqrt(1 - rho**2)
    return lfilter([1], [1, -rho], shocks)


def moving_sums(n_periods: int, horizon: int) -> np.ndarray:
    """Return sums of `horizon` successive normal numbers, as forecasts that overlap leave them."""
    rng = derive_rng("levels_over_time", n_periods, "horizon", horizon)
    shocks = rng.standard_normal((N_SERIES, n_periods + horizon - 1))
    return np.lib.stride_tricks.sliding_window_view(shocks, n_periods, axis=1).sum(axis=1)


def standard_error(n_periods: int, rho: float) -> float:
    """Return the true standard error of the mean of such a series."""
    lags = np.arange(1, n_periods)
    return float(np.sqrt((1 + 2 * ((1 - lags / n_periods) * rho**lags).sum()) / n_periods))


def rejected(
    test: PairedTest, series: np.ndarray, side: str, horizon: int = 1, *, settled: bool = False
) -> float:
    """Return the share of series that a test rejects, in percent."""
    sampling = Sampling("forward", series.shape[1], 1, horizon=horizon)
    hits = test.compare(series, sampling).p_value(side) <= ALPHA
    if settled:
        hits &= autocorrelation_bound(series) <= largest_autocorrelation(series.shape[1])
    return 100 * float(hits.mean())


def table(head: str, columns: Iterable[object], rows: dict[object, list[str]]) -> None:
    """Print a table in Markdown."""
    names = [str(column) for column in columns]
    print(f"\n| {head} | {' | '.join(names)} |\n|{'---|' * (len(names) + 1)}")
    for name, cells in rows.items():
        print(f"| {name} | {' | '.join(cells)} |")


def levels() -> None:
    """Print the level of both tests, and of the rule that verdicts follow."""
    rules = [(test, test.name, False) for test in TESTS]
    rules.append((TESTS[0], "diebold-mariano where it decides", True))
    for test, title, settled in rules:
        for side in ("two-sided", "greater"):
            print(f"\nLevel of {title}, {side}, in percent")
            table("periods", [f"{rho:g}" for rho in RHOS], {
                n: [f"{rejected(test, autoregressive(n, rho), side, settled=settled):.1f}"
                    for rho in RHOS] for n in PERIODS
            })  # fmt: skip


def powers() -> None:
    """Print the share of real differences that are seen, one-sided."""
    rules = [(TESTS[0], False), (TESTS[0], True), (TESTS[1], False)]
    for test, settled in rules:
        print(f"\nPower of {test.name}{' where it decides' * settled}, one-sided, in percent")
        rows = {}
        for n in PERIODS:
            rows[n] = []
            for rho in (0.0, 0.1, 0.2, 0.3):
                series, error = autoregressive(n, rho), standard_error(n, rho)
                seen = [rejected(test, series + drift * error, "greater", settled=settled)
                        for drift in DRIFTS]  # fmt: skip
                rows[n].append(" / ".join(f"{share:.0f}" for share in seen))
        table("periods", ["0", "0.1", "0.2", "0.3"], rows)


def horizons() -> None:
    """Print levels where forecasts overlap."""
    for side in ("two-sided", "greater"):
        print(f"\nLevel at horizons of 2, 3 and 4, {side}: all, where it decides; and hln")
        rows = {}
        for n in PERIODS:
            rows[n] = []
            for horizon in (2, 3, 4):
                series = moving_sums(n, horizon)
                cells = [(TESTS[0], False), (TESTS[0], True), (TESTS[1], False)]
                shares = [rejected(t, series, side, horizon, settled=s) for t, s in cells]
                rows[n].append(" / ".join(f"{share:.1f}" for share in shares))
        table("periods", (2, 3, 4), rows)


def families() -> None:
    """Print how often at least one of all pairs of equal learners is wrong, corrected by Holm."""
    print("\nWrong answers of a family, two-sided with Holm, in percent")
    rhos = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9)
    rows = {}
    for k in (3, 5, 8):
        first, second = np.triu_indices(k, 1)
        for n in (8, 10, 12, 16, 20, 30):
            sampling, shares = Sampling("forward", n, 1), []
            for rho in rhos:
                losses = autoregressive(n, rho, 4000 * k).reshape(4000, k, n)
                wrong = [family_is_wrong(own[first] - own[second], sampling) for own in losses]
                shares.append(f"{100 * np.mean(wrong):.1f}")
            rows[f"{k} learners, {n} periods"] = shares
    table("", [f"{rho:g}" for rho in rhos], rows)


def family_is_wrong(differences: np.ndarray, sampling: Sampling) -> bool:
    """Return whether Holm rejects any pair by the p values that decide."""
    p_values = TESTS[0].compare(differences, sampling).p_two_sided
    p_values[TESTS[0].unsettled(differences, sampling)] = 1.0
    return bool(p_values.min() <= ALPHA / len(p_values))


def others() -> None:
    """Print levels of giacomini-white, and of the model confidence set of five equal learners."""
    rows = {}
    for n in PERIODS:
        shares = []
        for horizon in (1, 2):
            series = autoregressive(n, 0.0) if horizon == 1 else moving_sums(n, 2)
            zeros = np.zeros(n)
            p = [giacomini_white_test(d, zeros, horizon=horizon).p_value for d in series[:4000]]
            shares.append(f"{100 * np.mean(np.array(p) <= ALPHA):.1f}")
        for statistic in ("max", "range"):
            for rho in (0.0, 0.3, 0.6):
                shares.append(f"{100 * incomplete(n, rho, statistic):.1f}")
        rows[n] = shares
    print("\nLevel of giacomini-white (horizons 1, 2); incomplete sets, max and range, rho 0 .3 .6")
    table("periods", ("gw 1", "gw 2", "max 0", ".3", ".6", "range 0", ".3", ".6"), rows)


def incomplete(n_periods: int, rho: float, statistic: str, n_sets: int = 500) -> float:
    """Return the share of model confidence sets that lack one of five equally good learners."""
    losses = autoregressive(n_periods, rho, 5 * n_sets).reshape(n_sets, 5, n_periods)
    rng = derive_rng("levels_over_time", "blocks", n_periods)
    length = int(np.ceil(n_periods ** (1 / 3) - 1e-9))
    starts = rng.integers(n_periods, size=(999, -(-n_periods // length), 1))
    indices = (starts + np.arange(length)).reshape(999, -1)[:, :n_periods] % n_periods
    lacks = [confidence_set_p_values(own.T, indices, statistic).min() <= ALPHA for own in losses]
    return float(np.mean(lacks))


def limits() -> None:
    """Print the largest rho with a level of at most 7.5%, and the levels of the rule in use."""
    test, grid = TESTS[0], np.arange(0, 0.96, 0.05).round(2)
    for n in LIMIT_PERIODS:
        cells = [max(rejected(test, autoregressive(n, float(rho), 60_000), side)
                     for side in ("two-sided", "greater")) for rho in grid]  # fmt: skip
        first = int(np.argmax(np.array(cells) > 100 * MOST))
        share = (100 * MOST - cells[first - 1]) / (cells[first] - cells[first - 1])
        rule = [max(rejected(test, autoregressive(n, rho), side, settled=True)
                    for side in ("two-sided", "greater")) for rho in RHOS]  # fmt: skip
        print(
            f"{n} periods: cells up to rho {grid[first - 1] + 0.05 * share:.3f}, limit in use "
            f"{largest_autocorrelation(n):.2f}, rule at most {max(rule):.1f}%"
        )


if __name__ == "__main__":
    if sys.argv[1:] == ["limits"]:
        limits()
    else:
        levels()
        powers()
        horizons()
        families()
        others()
