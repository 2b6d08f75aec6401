"""Station 5: from evidence and preference to an order, a best learner and the candidates.

The primitives take plain arrays (`multitest_edges`, `multitest_order`, `first_test_best`,
`candidate_set`, `order_by_preference`); `decide` joins them to a `Verdict`.
"""

from bestofk.ordering.arms import Arms, choose_arms
from bestofk.ordering.candidates import candidate_set
from bestofk.ordering.deciding import (
    BETTER,
    EQUIVALENT,
    UNDECIDED,
    check_correction,
    check_rope,
    decide,
    needs_all_splits,
)
from bestofk.ordering.first_test import first_test_best
from bestofk.ordering.multitest import multitest_edges, multitest_order
from bestofk.ordering.pair_evidence import ROW_TESTS, PairEvidence, wanted_test
from bestofk.ordering.preference import COST_KINDS, coarse_order, order_by_preference
from bestofk.ordering.row_evidence import compare_on_rows
from bestofk.ordering.verdict import (
    Alternative,
    Edge,
    Evidence,
    Pair,
    Verdict,
)

__all__ = [
    "BETTER",
    "COST_KINDS",
    "EQUIVALENT",
    "ROW_TESTS",
    "UNDECIDED",
    "Alternative",
    "Arms",
    "Edge",
    "Evidence",
    "Pair",
    "PairEvidence",
    "Verdict",
    "candidate_set",
    "check_correction",
    "check_rope",
    "choose_arms",
    "coarse_order",
    "compare_on_rows",
    "decide",
    "first_test_best",
    "multitest_edges",
    "multitest_order",
    "needs_all_splits",
    "order_by_preference",
    "wanted_test",
]
