"""Two learners on shared splits of one data set.

- `paired_t_test`, `corrected_resampled_t_test`, `calibrated_t_test` (`calibrate_df`): t tests of
  one run, of repeated splits, of repeated cross-validation with fewer degrees of freedom.
- `five_by_two_cv_t_test`, `five_by_two_cv_t_numerators`, `five_by_two_cv_f_test`: 5 repeats of 2
  folds.
- `bayesian_correlated_t`, `posterior_of_pairs`: probabilities, with a region of equivalence.
- `cv_central_limit_test`: the losses of single rows.
- `nested_cv`, `nested_cv_interval`: limits of the expected loss.
- `PAIRED_TESTS`, `paired_test`, `usable_tests`, `check_test`: tests that orderings can use.
"""

from bestofk.inference.procedure import Procedure
from bestofk.inference.two_learners.bayesian_correlated_t import (
    PROCEDURE as BAYESIAN_CORRELATED_T,
)
from bestofk.inference.two_learners.bayesian_correlated_t import (
    CorrelatedPosterior,
    bayesian_correlated_t,
    posterior_of_pairs,
)
from bestofk.inference.two_learners.calibrate_df import calibrate_df
from bestofk.inference.two_learners.calibrated_t import calibrated_t_test
from bestofk.inference.two_learners.corrected_resampled_t import corrected_resampled_t_test
from bestofk.inference.two_learners.cv_central_limit import PROCEDURE as CV_CENTRAL_LIMIT
from bestofk.inference.two_learners.cv_central_limit import cv_central_limit_test
from bestofk.inference.two_learners.five_by_two_cv_f import PROCEDURE as FIVE_BY_TWO_CV_F
from bestofk.inference.two_learners.five_by_two_cv_f import five_by_two_cv_f_test
from bestofk.inference.two_learners.five_by_two_cv_numerators import (
    PROCEDURE as FIVE_BY_TWO_CV_T_NUMERATORS,
)
from bestofk.inference.two_learners.five_by_two_cv_numerators import (
    FiveByTwoCvNumerators,
    five_by_two_cv_t_numerators,
)
from bestofk.inference.two_learners.five_by_two_cv_t import five_by_two_cv_t_test
from bestofk.inference.two_learners.nested_cv import (
    NestedCvInterval,
    NestedCvLosses,
    nested_cv,
    nested_cv_interval,
)
from bestofk.inference.two_learners.paired_comparison import PairedComparison
from bestofk.inference.two_learners.paired_t import paired_t_test
from bestofk.inference.two_learners.paired_test import PairedTest
from bestofk.inference.two_learners.paired_tests import (
    PAIRED_TESTS,
    check_test,
    paired_test,
    usable_tests,
)

PROCEDURES: tuple[Procedure, ...] = (
    *(test.procedure for test in PAIRED_TESTS.values()),
    FIVE_BY_TWO_CV_F,
    FIVE_BY_TWO_CV_T_NUMERATORS,
    BAYESIAN_CORRELATED_T,
    CV_CENTRAL_LIMIT,
)

__all__ = [
    "PAIRED_TESTS",
    "PROCEDURES",
    "CorrelatedPosterior",
    "FiveByTwoCvNumerators",
    "NestedCvInterval",
    "NestedCvLosses",
    "PairedComparison",
    "PairedTest",
    "bayesian_correlated_t",
    "calibrate_df",
    "calibrated_t_test",
    "check_test",
    "corrected_resampled_t_test",
    "cv_central_limit_test",
    "five_by_two_cv_f_test",
    "five_by_two_cv_t_numerators",
    "five_by_two_cv_t_test",
    "nested_cv",
    "nested_cv_interval",
    "paired_t_test",
    "paired_test",
    "posterior_of_pairs",
    "usable_tests",
]
