"""Station 5, inference: what do paired scores of learners show.

Takes plain arrays and knows nothing of where they come from. Every test states its design and
its side, returns statistic, p value and interval with what to distrust, and treats scores that
do not vary by one stated convention.

- `paired_t_test`, `corrected_resampled_t_test`, `five_by_two_cv_t_test`: two learners, one data
  set.
- `adjust_p_values`, `reject_adjusted`: many hypotheses at once.
- `Sampling`, `paired_test`, `usable_tests`, `check_test`: which test can a plan carry.
"""

from bestofk.inference.adjust import ADJUSTMENTS, adjust_p_values, reject_adjusted
from bestofk.inference.cautions import CAUTIONS, Caution
from bestofk.inference.procedure import Procedure
from bestofk.inference.procedures import PROCEDURES, procedure
from bestofk.inference.results import (
    HypothesisTestResult,
    IntervalResult,
    OmnibusResult,
    PairwiseResult,
    PosteriorResult,
    Result,
)
from bestofk.inference.sampling import Sampling
from bestofk.inference.two_learners.corrected_resampled_t import corrected_resampled_t_test
from bestofk.inference.two_learners.five_by_two_cv_t import five_by_two_cv_t_test
from bestofk.inference.two_learners.paired_comparison import PairedComparison
from bestofk.inference.two_learners.paired_t import paired_t_test
from bestofk.inference.two_learners.paired_test import PairedTest
from bestofk.inference.two_learners.paired_tests import (
    PAIRED_TESTS,
    check_test,
    paired_test,
    usable_tests,
)

__all__ = [
    "ADJUSTMENTS",
    "CAUTIONS",
    "PAIRED_TESTS",
    "PROCEDURES",
    "Caution",
    "HypothesisTestResult",
    "IntervalResult",
    "OmnibusResult",
    "PairedComparison",
    "PairedTest",
    "PairwiseResult",
    "PosteriorResult",
    "Procedure",
    "Result",
    "Sampling",
    "adjust_p_values",
    "check_test",
    "corrected_resampled_t_test",
    "five_by_two_cv_t_test",
    "paired_t_test",
    "paired_test",
    "procedure",
    "reject_adjusted",
    "usable_tests",
]
