"""The tables: what each P loses, both hypotheses, windows, small tables, and tests counted."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd

from bestofk.recommendation.adaptive_orders import ActiveTesting
from bestofk.recommendation.fixed_orders import AverageRanking, ChosenPowerRanking, GreedyPortfolio
from bestofk.recommendation.history import History
from bestofk.recommendation.leave_one_out import RecommenderLosses, leave_one_out, rank_agreement
from bestofk.recommendation.loss_time import POWERS, LossTimeCurve, Window, a3r_against
from bestofk.report.plots import MeanRanksDisplay

RANKINGS: Final = tuple(AverageRanking(power) for power in POWERS)
AR_STAR, AR_0, CHOSEN = AverageRanking(1 / 64), AverageRanking(0), ChosenPowerRanking()
AT_0, AT_16, AT_4 = (ActiveTesting(power) for power in (0, 1 / 16, 1 / 4))
TIMED_METHODS: Final = (*RANKINGS, CHOSEN, AT_0, AT_16, AT_4)
# Without times: the tournament begins with the first of the ranking by score.
COUNTED_METHODS: Final = (AR_0, GreedyPortfolio(), ActiveTesting(0, start_power=0))
# Hypothesis, what it speaks for, against what.
HYPOTHESES: Final = (
    ("Hyp1", AR_STAR, AR_0),
    ("Hyp1", CHOSEN, AR_0),
    ("Hyp2", AT_16, AT_0),
    ("Hyp2", AT_4, AT_0),
    ("beside", CHOSEN, AR_STAR),
    ("beside", AT_4, AR_STAR),
    ("beside", AT_4, CHOSEN),
)
# None ends later than the usual one: what was followed until then serves for all.
WINDOWS: Final = tuple(
    Window.of(first, last)
    for first, last in (
        (0.1, 100),
        (1, 1e3),
        (1, 1e4),
        (10, 1e3),
        (10, 1e4),
        (100, 1e4),
        (1e3, 1e4),
    )
)
N_TESTS: Final = (1, 2, 3, 5, 10, 20)
PAPER_SIZE: Final = (39, 53)  # data sets and learners
_PRINTED: Final = Path(__file__).parent / "printed" / "table_2.csv"
_KEPT: Final = ["mean", "median", "difference", "low", "high", "wins", "ties", "losses"]


def table_1() -> pd.DataFrame:
    """Return what a ratio of times of 1000 counts for each P."""
    reduced = [1 / a3r_against([1, 1], [1, 1000], 0, power=power)[1] for power in POWERS]
    return pd.DataFrame({"power": _labels(), "ratio_of_1000": np.round(reduced, 4)})


def table_2(found: Mapping[str, RecommenderLosses]) -> pd.DataFrame:
    """Return what average ranking loses for each P, against 1/64, and its rank correlations."""
    printed = pd.read_csv(_PRINTED, dtype={"power": str}).set_index("power")
    parts = []
    for table, losses in found.items():
        rows = (
            losses.summary(AR_STAR.name)
            .set_index("method")
            .loc[[ranking.name for ranking in RANKINGS]]
        )
        agreements = [rank_agreement(losses.history, power=power) for power in POWERS]
        spearman, kendall = zip(*(agreement.means() for agreement in agreements), strict=True)
        part = rows[_KEPT].reset_index(drop=True)
        part["before_first_test"] = _losses_before_first_test(losses)
        part = part.assign(spearman=spearman, kendall=kendall)
        part.insert(0, "table", table)
        part.insert(1, "power", _labels())
        part.insert(2, "printed", printed["mean_interval_loss"].reindex(_labels()).to_numpy())
        parts.append(part)
    return pd.concat(parts, ignore_index=True).round(4)


def hypotheses(found: Mapping[str, RecommenderLosses]) -> pd.DataFrame:
    """Return how methods with time do against those without, and how they do among each other."""
    rows = []
    for table, losses in found.items():
        for name, method, other in HYPOTHESES:
            told = losses.summary(other.name).set_index("method")
            rows.append(
                {
                    "table": table,
                    "hypothesis": name,
                    "method": method.name,
                    "against": other.name,
                    "mean_against": told.loc[other.name, "mean"],
                    **told.loc[method.name, _KEPT].to_dict(),
                }
            )
    whole = {name: int for name in ("wins", "ties", "losses")}
    return pd.DataFrame(rows).astype(whole).round(4)


def windows(found: Mapping[str, RecommenderLosses]) -> pd.DataFrame:
    """Return the mean interval loss of each P in other windows, and which P is best in each."""
    rows = []
    for table, losses in found.items():
        for window in WINDOWS:
            means = {
                label: 100 * np.mean([curve.mean_interval_loss(window) for curve in curves])
                for label, curves in zip(_labels(), _ranking_curves(losses), strict=True)
            }
            best = min(means, key=lambda label: means[label])
            rows.append(
                {"table": table, "first": window.first, "last": window.last, "best": best, **means}
            )
    return pd.DataFrame(rows).round(4)


def small_tables(history: History, n_draws: int) -> pd.DataFrame:
    """Return what each P loses on random parts of the size of the paper, and how often it wins."""
    means = []
    for draw in range(n_draws):
        rng = np.random.default_rng(draw)
        drawn = [
            np.sort(rng.choice(n, size, replace=False))
            for n, size in zip(history.scores.shape, PAPER_SIZE, strict=True)
        ]
        part = history.part(data_sets=drawn[0], learners=drawn[1])
        means.append(100 * leave_one_out(part, RANKINGS).losses.mean(axis=0))
    table = np.array(means)
    return pd.DataFrame(
        {
            "power": _labels(),
            "mean": table.mean(axis=0),
            "lowest_draw": table.min(axis=0),
            "highest_draw": table.max(axis=0),
            "draws_in_which_best": np.bincount(table.argmin(axis=1), minlength=len(POWERS)),
            "n_draws": n_draws,
        }
    ).round(4)


def counted_tests(losses: RecommenderLosses) -> pd.DataFrame:
    """Return the mean loss after some numbers of tests, in percentage points."""
    after = 100 * losses.losses_after_tests().mean(axis=1)
    table = pd.DataFrame({"method": losses.methods})
    for n_tests in N_TESTS:
        table[f"after_{n_tests}"] = after[:, n_tests]
    return table.assign(mean_over_all_tests=after[:, 1:].mean(axis=1)).round(4)


def counted_ranking(history: History) -> pd.DataFrame:
    """Return the learners by mean rank of their scores, best first, with their mean accuracy."""
    table = MeanRanksDisplay.from_history(history).to_frame()
    accuracy = dict(zip(history.learners, 100 * history.scores.mean(axis=0), strict=True))
    return table.assign(mean_accuracy=table["learner"].map(accuracy)).round(4)


def counted_agreement(history: History) -> pd.DataFrame:
    """Return how like the average ranking by score is to the ranks on each data set."""
    agreement = rank_agreement(history, power=0)
    spearman, kendall = agreement.means()
    return pd.DataFrame(
        {
            "mean_spearman": [spearman],
            "median_spearman": [np.nanmedian(agreement.spearman)],
            "mean_kendall": [kendall],
            "n_undefined": [agreement.n_undefined],
            "best_learner_accuracy": [100 * history.scores.mean(axis=0).max()],
            "best_of_each_accuracy": [100 * history.scores.max(axis=1).mean()],
        }
    ).round(4)


def _losses_before_first_test(losses: RecommenderLosses) -> list[float]:
    """Return for each P how much of its mean interval loss is there before a first test ends."""
    seconds, means = losses.history.floored_seconds(), []
    for ranking, curves in zip(RANKINGS, _ranking_curves(losses), strict=True):
        orders = losses.orders[losses.methods.index(ranking.name)]
        parts = []
        for i, (curve, order) in enumerate(zip(curves, orders, strict=True)):
            ends = np.array([0.0, seconds[i, order[0]]])
            waiting = LossTimeCurve(ends, np.array([curve.losses[0], 0.0]))
            parts.append(100 * waiting.mean_interval_loss(losses.window))
        means.append(float(np.mean(parts)))
    return means


def _ranking_curves(losses: RecommenderLosses) -> list[tuple[LossTimeCurve, ...]]:
    """Return the curves of the rankings, by P."""
    return [losses.curves[losses.methods.index(ranking.name)] for ranking in RANKINGS]


def _labels() -> list[str]:
    """Return each P as methods name it."""
    return [ranking.name.removeprefix("average-ranking-") for ranking in RANKINGS]
