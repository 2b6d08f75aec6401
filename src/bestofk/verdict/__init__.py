"""Verdicts: order, pick and candidates from evidence and preference.

The primitives take plain arrays (`multitest_edges`, `multitest_order`, `first_test_best`,
`newman_keuls_best`, `anova_best`, `candidate_set`, `comparisons_with_best`,
`order_by_preference`); `orderings` applies them all to the same scores. `decide` joins evidence
and preference on one data set to a `Verdict`, `decide_across` on many to a `VerdictAcross`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
