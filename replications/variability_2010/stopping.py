"""Table III: after how many iterations each criterion ends, in random orders of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bestofk.stopping import (
    FixedRepeats,
    OddEvenDistance,
    RankCorrelation,
    StoppingRule,
)
from bestofk.stopping.random_orders import repeats_used

Floats = NDArray[np.float64]

RULES: Final[dict[str, StoppingRule]] = {
    "Fixed-10": FixedRepeats(10),
    "Fixed-50": FixedRepeats(50),
    "Rank": RankCorrelation(1 - 1e-4),
    "KS-0.1": OddEvenDistance(0.1),
    "KS-0.2": OddEvenDistance(0.2),
}
N_ORDERS: Final = 50
# What stands for "never": the paper prints 1000, although there are 500 iterations.
NEVER: Final = 1000


@dataclass(frozen=True, eq=False)
class Ends:
    """Iterations after which the criteria stopped a learner.

    Parameters
    ----------
    iterations : ndarray of shape (n_rules, n_orders), int
        In the order of `RULES`; `NEVER` if the criterion did not hold after all of them.
    estimates : ndarray of shape (n_rules, n_orders), float
        Mean AUROC of the iterations until then.
    """

    iterations: NDArray[np.int64]
    estimates: Floats


def random_orders(n_runs: int) -> NDArray[np.int64]:
    """Return orders of the iterations, the same for all learners, shape (n_orders, n_runs)."""
    rng = np.random.default_rng(2010)
    return np.array([rng.permutation(n_runs) for _ in range(N_ORDERS)])


def ends_of(values: Floats, rows: Floats) -> Ends:
    """Apply every criterion to random orders of the iterations of one learner.

    Parameters
    ----------
    values : ndarray of shape (n_runs,), float
        Estimate of each iteration.
    rows : ndarray of shape (n_runs, n_samples), float
        Probability of the second class that each iteration gives to each row.
    """
    orders = random_orders(len(values))
    iterations = np.empty((len(RULES), len(orders)), dtype=np.int64)
    estimates = np.empty(iterations.shape)
    for index, order in enumerate(orders):
        for number, rule in enumerate(RULES.values()):
            result = repeats_used(rule, values, rows[:, :, np.newaxis], order)
            iterations[number, index] = NEVER if result is None else result
            estimates[number, index] = values[order[:result]].mean()
    return Ends(iterations, estimates)
