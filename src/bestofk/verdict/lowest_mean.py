"""Order of the learners by mean loss, without a test."""

from __future__ import annotations

import numpy as np

from bestofk.inference.mean_losses import lowest_loss
from bestofk.verdict.ordering import Ordering, OrderingInput, Pick


def _pick(given: OrderingInput) -> Pick:
    best = lowest_loss(given.means)
    ascending = np.argsort(np.round(given.means, 12), kind="stable")
    order = (best, *(int(i) for i in ascending if i != best))
    return Pick(best, "Lowest mean loss; no test was asked.", order=order)


ORDERING = Ordering("lowest-mean", "lowest mean", _pick)
