"""Verdicts: order, pick and candidates from evidence and preference.

The primitives take plain arrays (`multitest_edges`, `multitest_order`, `first_test_best`,
`newman_keuls_best`, `anova_best`, `candidate_set`, `comparisons_with_best`,
`order_by_preference`); `orderings` applies them all to the same scores. `decide` joins evidence
and preference on one data set to a `Verdict`, `decide_across` on many to a `VerdictAcross`.
"""

from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from bestofk.verdict.anova_selector import anova_best as anova_best
    from bestofk.verdict.best_comparisons import BestComparisons as BestComparisons
    from bestofk.verdict.best_comparisons import comparisons_with_best as comparisons_with_best
    from bestofk.verdict.candidates import candidate_set as candidate_set
    from bestofk.verdict.decision import Decision as Decision
    from bestofk.verdict.decision import decide as decide
    from bestofk.verdict.decision import needs_all_splits as needs_all_splits
    from bestofk.verdict.first_test import first_test_best as first_test_best
    from bestofk.verdict.five_by_two_edges import five_by_two_edges as five_by_two_edges
    from bestofk.verdict.many_data_sets import VerdictAcross as VerdictAcross
    from bestofk.verdict.many_data_sets import decide_across as decide_across
    from bestofk.verdict.multitest import multitest_best as multitest_best
    from bestofk.verdict.multitest import multitest_edges as multitest_edges
    from bestofk.verdict.multitest import multitest_order as multitest_order
    from bestofk.verdict.multitest import multitest_orders as multitest_orders
    from bestofk.verdict.newman_keuls_rules import newman_keuls_best as newman_keuls_best
    from bestofk.verdict.orderings import ORDERINGS as ORDERINGS
    from bestofk.verdict.orderings import OrderingsTable as OrderingsTable
    from bestofk.verdict.orderings import ordering as ordering
    from bestofk.verdict.orderings import orderings as orderings
    from bestofk.verdict.preference import COST_KINDS as COST_KINDS
    from bestofk.verdict.preference import coarse_order as coarse_order
    from bestofk.verdict.preference import order_by_preference as order_by_preference
    from bestofk.verdict.verdict import BETTER as BETTER
    from bestofk.verdict.verdict import EQUIVALENT as EQUIVALENT
    from bestofk.verdict.verdict import UNDECIDED as UNDECIDED
    from bestofk.verdict.verdict import Alternative as Alternative
    from bestofk.verdict.verdict import Edge as Edge
    from bestofk.verdict.verdict import Evidence as Evidence
    from bestofk.verdict.verdict import Pair as Pair
    from bestofk.verdict.verdict import Verdict as Verdict
    from bestofk.verdict.verdict_settings import VerdictSettings as VerdictSettings

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "anova_selector": ["anova_best"],
        "best_comparisons": ["BestComparisons", "comparisons_with_best"],
        "candidates": ["candidate_set"],
        "decision": ["Decision", "decide", "needs_all_splits"],
        "first_test": ["first_test_best"],
        "five_by_two_edges": ["five_by_two_edges"],
        "many_data_sets": ["VerdictAcross", "decide_across"],
        "multitest": ["multitest_best", "multitest_edges", "multitest_order", "multitest_orders"],
        "newman_keuls_rules": ["newman_keuls_best"],
        "orderings": ["ORDERINGS", "OrderingsTable", "ordering", "orderings"],
        "preference": ["COST_KINDS", "coarse_order", "order_by_preference"],
        "verdict": [
            "BETTER",
            "EQUIVALENT",
            "UNDECIDED",
            "Alternative",
            "Edge",
            "Evidence",
            "Pair",
            "Verdict",
        ],
        "verdict_settings": ["VerdictSettings"],
    },
)
