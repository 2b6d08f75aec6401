"""K learners on shared splits of one data set.

- `anova_test`, `repeated_measures_anova_test`, `kruskal_wallis_test`: does any learner differ.
- `newman_keuls`, `tukey_hsd_test`, `duncan_test`: which neighbors, or which pairs, differ.
- `studentized_range_tail`, `studentized_range_quantile`: the distribution behind the range tests.
"""

from bestofk.inference.many_learners.anova import PROCEDURE as ANOVA
from bestofk.inference.many_learners.anova import AnovaResult, anova_test
from bestofk.inference.many_learners.duncan import PROCEDURE as DUNCAN
from bestofk.inference.many_learners.duncan import duncan_test
from bestofk.inference.many_learners.kruskal_wallis import PROCEDURE as KRUSKAL_WALLIS
from bestofk.inference.many_learners.kruskal_wallis import kruskal_wallis_test
from bestofk.inference.many_learners.newman_keuls import PROCEDURE as NEWMAN_KEULS
from bestofk.inference.many_learners.newman_keuls import newman_keuls
from bestofk.inference.many_learners.range_test import RangeTestResult
from bestofk.inference.many_learners.repeated_measures_anova import PROCEDURE as REPEATED_MEASURES
from bestofk.inference.many_learners.repeated_measures_anova import (
    RepeatedMeasuresResult,
    repeated_measures_anova_test,
)
from bestofk.inference.many_learners.studentized_range import (
    studentized_range_quantile,
    studentized_range_tail,
)
from bestofk.inference.many_learners.tukey_hsd import PROCEDURE as TUKEY_HSD
from bestofk.inference.many_learners.tukey_hsd import TukeyResult, tukey_hsd_test
from bestofk.inference.procedure import Procedure

PROCEDURES: tuple[Procedure, ...] = (
    ANOVA,
    REPEATED_MEASURES,
    KRUSKAL_WALLIS,
    NEWMAN_KEULS,
    TUKEY_HSD,
    DUNCAN,
)

__all__ = [
    "PROCEDURES",
    "AnovaResult",
    "RangeTestResult",
    "RepeatedMeasuresResult",
    "TukeyResult",
    "anova_test",
    "duncan_test",
    "kruskal_wallis_test",
    "newman_keuls",
    "repeated_measures_anova_test",
    "studentized_range_quantile",
    "studentized_range_tail",
    "tukey_hsd_test",
]
