"""Order of the learners by mean loss, without a test."""

from __future__ import annotations

import numpy as np

from bestofk.array_types import Floats
from bestofk.inference.many_learners.mean_losses import lowest_loss
from bestofk.measures.ties import tied_values
from bestofk.verdict.ordering import Ordering, OrderingInput, Pick


def order_by_mean(means: Floats, best: int) -> list[int]:
    """Return the learners from the lowest mean loss to the highest, the pick first."""
    ascending = np.argsort(tied_values(means), kind="stable")
    return [best, *(int(i) for i in ascending if i != best)]


def _pick(given: OrderingInput) -> Pick:
    best = lowest_loss(given.means)
    order = tuple(order_by_mean(given.means, best))
    return Pick(best, "Lowest mean loss; no test was asked.", order=order)


ORDERING = Ordering("lowest-mean", "lowest mean", _pick, test="")
