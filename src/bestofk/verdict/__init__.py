"""Station 5: from evidence and preference to an order, a best learner and the candidates.

The primitives take plain arrays (`multitest_edges`, `multitest_order`, `first_test_best`,
`newman_keuls_best`, `anova_best`, `candidate_set`, `comparisons_with_best`, `win_tie_loss`,
`order_by_preference`); `orderings` asks them all of the same scores. `decide` joins evidence and
preference on one data set to a `Verdict`, `decide_across` on many to an `AcrossVerdict`.
`AdaptiveRepeats` says while runs are done who is to be repeated further; rules in `stopping/`.
"""

from bestofk.verdict.anova_selector import anova_best
from bestofk.stopping.active_learners import Arms, choose_arms
from bestofk.verdict.best_comparisons import BestComparisons, comparisons_with_best
from bestofk.verdict.candidates import candidate_set
from bestofk.verdict.deciding import (
    BETTER,
    EQUIVALENT,
    UNDECIDED,
    decide,
    decide_with_other_seeds,
    needs_all_splits,
)
from bestofk.verdict.first_test import first_test_best
from bestofk.verdict.five_by_two_edges import five_by_two_edges
from bestofk.verdict.many_data_sets import AcrossVerdict, decide_across
from bestofk.verdict.multitest import (
    multitest_best,
    multitest_edges,
    multitest_order,
    multitest_orders,
)
from bestofk.verdict.newman_keuls_rules import newman_keuls_best
from bestofk.verdict.orderings import ORDERINGS, OrderingsTable, ordering, orderings
from bestofk.inference.pair_evidence import ROW_TESTS, PairEvidence, check_plan, wanted_test
from bestofk.verdict.preference import COST_KINDS, coarse_order, order_by_preference
from bestofk.inference.reseeding import Chance, Reseeding
from bestofk.inference.row_evidence import check_row_test, compare_on_rows
from bestofk.inference.smallest_difference import smallest_detectable_difference
from bestofk.stopping.adaptive import AdaptiveCourse, AdaptiveRepeats, Departure
from bestofk.verdict.verdict import (
    Alternative,
    Edge,
    Evidence,
    Pair,
    Verdict,
)
from bestofk.verdict.verdict_settings import check_correction
from bestofk.inference.win_tie_loss import win_tie_loss

__all__ = [
    "BETTER",
    "COST_KINDS",
    "EQUIVALENT",
    "ORDERINGS",
    "ROW_TESTS",
    "UNDECIDED",
    "AcrossVerdict",
    "AdaptiveCourse",
    "AdaptiveRepeats",
    "Alternative",
    "Arms",
    "BestComparisons",
    "Chance",
    "Departure",
    "Edge",
    "Evidence",
    "OrderingsTable",
    "Pair",
    "PairEvidence",
    "Reseeding",
    "Verdict",
    "anova_best",
    "candidate_set",
    "check_correction",
    "check_plan",
    "check_row_test",
    "choose_arms",
    "coarse_order",
    "compare_on_rows",
    "comparisons_with_best",
    "decide",
    "decide_across",
    "decide_with_other_seeds",
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
    "smallest_detectable_difference",
    "wanted_test",
    "win_tie_loss",
]
