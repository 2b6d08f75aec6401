"""MultiTest as one of the orderings."""

from __future__ import annotations

from functools import partial

import numpy as np

from bestofk.verdict.multitest import multitest_edges, multitest_order
from bestofk.verdict.ordering import Ordering, OrderingInput, Pick


def _pick(given: OrderingInput, correction: str) -> Pick:
    edges, _ = multitest_edges(given.compared.p_greater, alpha=given.alpha, correction=correction)
    order = tuple(multitest_order(edges))
    best = order[0]
    beaten = [i for i in range(best) if edges[i].any()]
    why = "No learner preferred to it." if not beaten else (
        f"Preferred to it, but shown to be worse than others: {given.list_names(beaten)}."
    )  # fmt: skip
    without = tuple(int(i) for i in np.flatnonzero(~edges.any(axis=1)))
    return Pick(best, why, order=order, may_be_best=without)


BONFERRONI = Ordering(
    "multitest-bonferroni", "MultiTest (Bonferroni)", partial(_pick, correction="bonferroni")
)
HOLM = Ordering("multitest-holm", "MultiTest (Holm)", partial(_pick, correction="holm"))
