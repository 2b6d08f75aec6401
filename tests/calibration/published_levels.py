"""Rejection rates measured elsewhere on the design of `null="design"`, nominal level 0.05."""

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

ALPHA = 0.05
MOST_SIGMAS, MOST_OUTSIDE = 3, 2


@dataclass(frozen=True)
class Column:
    """One learner, one size, and how much worse the second block is."""

    learner: str
    n_rows: int
    delta: float
    n_data_sets: int

    def make(self) -> Any:
        """Return the learner."""
        from sklearn.neighbors import KNeighborsClassifier
        from sklearn.tree import DecisionTreeClassifier

        from bestofk.learners.nearest_mean_classifier import NearestMeanClassifier

        return {
            "nearest mean": NearestMeanClassifier,
            "1-NN": lambda: KNeighborsClassifier(1),
            "tree": lambda: DecisionTreeClassifier(min_samples_leaf=5),
        }[self.learner]()


COLUMNS = (
    Column("nearest mean", 300, 0.0, 2000),
    Column("nearest mean", 100, 0.0, 1000),
    Column("1-NN", 300, 0.0, 2000),
    Column("1-NN", 100, 0.0, 1000),
    Column("tree", 300, 0.0, 1000),
    Column("nearest mean", 300, 0.3, 500),
    Column("nearest mean", 300, 0.6, 500),
    Column("1-NN", 300, 0.6, 500),
)
# one rate per column
RATES = {
    "paired-t@10": (0.057, 0.053, 0.119, 0.114, 0.118, 0.276, 0.804, 0.544),
    "corrected-t@10": (0.011, 0.014, 0.033, 0.039, 0.027, 0.094, 0.504, 0.292),
    "paired-t@10x10": (0.547, 0.543, 0.645, 0.614, 0.545, 0.850, 1.000, 0.938),
    "corrected-t@10x10": (0.045, 0.038, 0.096, 0.105, 0.038, 0.302, 0.884, 0.570),
    "corrected-t(df=9)@10x10": (0.019, 0.022, 0.063, 0.070, 0.019, 0.206, 0.786, 0.492),
    "calibrated-t@10x10": (0.050, 0.044, 0.106, 0.116, 0.043, 0.314, 0.902, 0.586),
    "sorted-runs-t@10x10": (0.042, 0.036, 0.092, 0.103, 0.040, 0.286, 0.868, 0.562),
    "calibrated-t(scheme=run-averages)@10x10": (
        0.879, 0.830, 0.828, 0.802, 0.584, 0.956, 1.000, 0.960,
    ),
    "cv-central-limit@10": (0.058, 0.059, 0.131, 0.127, 0.134, 0.336, 0.890, 0.628),
    "mcnemar(method=chi2-corrected)@10": (
        0.046, 0.036, 0.112, 0.105, 0.114, 0.310, 0.858, 0.608,
    ),
    "paired-t@30xholdout": (0.599, 0.571, 0.636, 0.613, 0.531, 0.866, 1.000, 0.946),
    "corrected-t@30xholdout": (0.043, 0.034, 0.063, 0.057, 0.015, 0.272, 0.862, 0.552),
    "corrected-t@15xholdout:0.1": (0.054, 0.055, 0.106, 0.083, 0.047, 0.206, 0.632, 0.408),
    "5x2cv-t": (0.037, 0.067, 0.117, 0.115, 0.061, 0.184, 0.558, 0.424),
    "5x2cv-f": (0.043, 0.069, 0.140, 0.121, 0.062, 0.200, 0.770, 0.594),
    "corrected-t@5x2": (0.035, 0.022, 0.032, 0.026, 0.005, 0.176, 0.742, 0.348),
    "mcnemar(method=chi2-corrected)@holdout": (
        0.033, 0.020, 0.045, 0.028, 0.054, 0.126, 0.424, 0.238,
    ),
    "mcnemar(method=chi2)@holdout": (0.052, 0.048, 0.057, 0.051, 0.076, 0.154, 0.486, 0.270),
    "mcnemar(method=exact)@holdout": (0.034, 0.025, 0.046, 0.031, 0.056, 0.128, 0.432, 0.242),
    "mcnemar(method=mid-p)@holdout": (0.052, 0.048, 0.057, 0.050, 0.076, 0.154, 0.486, 0.270),
}  # fmt: skip


def sigmas(found: float, n_found: int, published: float, n_published: int) -> float:
    """Return the difference of two simulations in standard errors of that difference.

    Rates are taken to be the common one, which keeps the standard error above 0 where one
    simulation found nothing.
    """
    common = (found * n_found + published * n_published) / (n_found + n_published)
    error = sqrt(common * (1 - common) * (1 / n_found + 1 / n_published))
    return (found - published) / error if error > 0 else 0.0


def measured(column: Column, n_data_sets: int, tests: list[str], n_jobs: int | None = None) -> Any:
    """Return the rate of every test in one column."""
    from bestofk.calibration.simulation import calibrate

    result = calibrate(
        column.make(),
        tests=tests,
        null="design",
        n_rows=column.n_rows,
        delta=column.delta,
        n_data_sets=n_data_sets,
        alpha=ALPHA,
        n_jobs=n_jobs,
        progress=False,
    )
    return np.array([level.rate for level in result.levels])


# MultiTest of four equal learners: learner -> (data sets, rate per test)
FAMILY_RATES = {
    "nearest mean": (
        800,
        {
            "5x2cv-t": 0.029,
            "corrected-t@5x2": 0.024,
            "paired-t@10": 0.043,
            "corrected-t@30xholdout": 0.033,
        },
    ),
    "1-NN": (
        300,
        {
            "5x2cv-t": 0.120,
            "corrected-t@5x2": 0.027,
            "paired-t@10": 0.133,
            "corrected-t@30xholdout": 0.060,
        },
    ),
}
# ten plans on each of 100 data sets, nearest mean, 300 rows, delta 0.3:
# share of rejections, share of data sets on which all ten agree, share of agreeing pairs
REPLICABILITY = {
    "paired-t@10": (0.331, 0.48, 0.796),
    "corrected-t@10x10": (0.340, 0.75, 0.910),
    "corrected-t@30xholdout": (0.326, 0.61, 0.843),
    "5x2cv-t": (0.199, 0.32, 0.736),
    "5x2cv-f": (0.268, 0.33, 0.735),
    "mcnemar(method=chi2-corrected)@holdout": (0.122, 0.41, 0.809),
}


def family_measured(learner: str, n_data_sets: int, tests: list[str]) -> Any:
    """Return how often MultiTest prefers one of four equal learners wrongly, for every test."""
    from bestofk.calibration.simulation import calibrate

    result = calibrate(
        Column(learner, 300, 0.0, n_data_sets).make(),
        tests=tests,
        n_rows=300,
        n_blocks=4,
        n_data_sets=n_data_sets,
        progress=False,
    )
    return np.array([level.rate for level in result.levels])


def replicated(n_data_sets: int, n_plans: int, tests: list[str]) -> Any:
    """Return whether each test rejects, shape (n_data_sets, n_plans, n_tests)."""
    from bestofk.calibration.rates import CalibratedTest
    from bestofk.calibration.simulation import p_values_on_splits, shifted_blocks
    from bestofk.learners.learner import Learner
    from bestofk.randomness import derive_rng

    learner = Learner("nearest mean", Column("nearest mean", 300, 0.3, 1).make())
    asked = [CalibratedTest.parse(text, "10x10") for text in tests]
    p_values = np.empty((n_data_sets, n_plans, len(asked)))
    for number in range(n_data_sets):
        blocks = shifted_blocks(300, derive_rng("replicability", number), delta=0.3)
        arms = [(learner, block) for block in blocks]
        for plan in range(n_plans):
            seed = number * n_plans + plan
            p_values[number, plan] = p_values_on_splits(
                arms, asked, plan_seed=seed, stream=(number, plan)
            )
    return p_values <= ALPHA


def agreement(rejected: Any) -> tuple[float, float, float]:
    """Return the share of rejections, of unanimous data sets, and of agreeing pairs of plans."""
    n_plans = rejected.shape[1]
    counts = rejected.sum(axis=1)
    pairs = counts * (counts - 1) + (n_plans - counts) * (n_plans - counts - 1)
    unanimous = (counts == 0) | (counts == n_plans)
    agreeing = pairs / (n_plans * (n_plans - 1))
    return float(rejected.mean()), float(unanimous.mean()), float(agreeing.mean())
