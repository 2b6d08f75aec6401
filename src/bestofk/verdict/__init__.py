"""Verdicts: order, pick and candidates from evidence and preference.

The primitives take plain arrays (`multitest_edges`, `multitest_order`, `first_test_best`,
`newman_keuls_best`, `anova_best`, `candidate_set`, `comparisons_with_best`,
`order_by_preference`); `orderings` applies them all to the same scores. `decide` joins evidence
and preference on one data set to a `Verdict`, `decide_across` on many to a `VerdictAcross`.
"""

from bestofk.verdict.anova_selector import anova_best
from bestofk.verdict.best_comparisons import BestComparisons, comparisons_with_best
from bestofk.verdict.candidates import candidate_set
from bestofk.verdict.decision import Decision, decide, needs_all_splits
from bestofk.verdict.first_test import first_test_best
from bestofk.verdict.five_by_two_edges import five_by_two_edges
from bestofk.verdict.many_data_sets import VerdictAcross, decide_across
from bestofk.verdict.multitest import (
    multitest_best,
    multitest_edges,
    multitest_order,
    multitest_orders,
)
from bestofk.verdict.newman_keuls_rules import newman_keuls_best
from bestofk.verdict.orderings import ORDERINGS, OrderingsTable, ordering, orderings
from bestofk.verdict.preference import COST_KINDS, coarse_order, order_by_preference
from bestofk.verdict.verdict import (
    BETTER,
    EQUIVALENT,
    UNDECIDED,
    Alternative,
    Edge,
    Evidence,
    Pair,
    Verdict,
)
from bestofk.verdict.verdict_settings import VerdictSettings

__all__ = [
    "BETTER",
    "COST_KINDS",
    "EQUIVALENT",
    "ORDERINGS",
    "UNDECIDED",
    "Alternative",
    "BestComparisons",
    "Decision",
    "Edge",
    "Evidence",
    "OrderingsTable",
    "Pair",
    "Verdict",
    "VerdictAcross",
    "VerdictSettings",
    "anova_best",
    "candidate_set",
    "coarse_order",
    "comparisons_with_best",
    "decide",
    "decide_across",
    "first_test_best",
    "five_by_two_edges",
    "multitest_best",
    "multitest_edges",
    "multitest_order",
    "multitest_orders",
    "needs_all_splits",
    "newman_keuls_best",
    "order_by_preference",
    "ordering",
    "orderings",
]
