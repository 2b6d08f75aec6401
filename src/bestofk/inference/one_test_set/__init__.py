"""Fitted learners on the rows of one test set."""

from bestofk.inference.one_test_set import (
    bootstrap,
    cochran_q,
    delong,
    looney_f,
    mcnemar,
    multinomial,
    permutation,
    two_proportion_z,
)
from bestofk.inference.one_test_set.bootstrap import BootstrapResult, bootstrap_test
from bestofk.inference.one_test_set.cochran_q import cochran_q_test
from bestofk.inference.one_test_set.delong import DeLongResult, delong_test
from bestofk.inference.one_test_set.looney_f import (
    LooneyResult,
    looney_f_plus_test,
    looney_f_test,
)
from bestofk.inference.one_test_set.mcnemar import McNemar, mcnemar_from_counts, mcnemar_test
from bestofk.inference.one_test_set.mcnemar_result import McNemarResult
from bestofk.inference.one_test_set.multinomial import (
    MultinomialSelection,
    multinomial_selection,
)
from bestofk.inference.one_test_set.permutation import permutation_test
from bestofk.inference.one_test_set.proportion import proportion_interval
from bestofk.inference.one_test_set.roc_hull import (
    RocHull,
    RocPoint,
    roc_convex_hull,
    roc_curve_points,
    slope_of_costs,
)
from bestofk.inference.one_test_set.rows import POOLED
from bestofk.inference.one_test_set.two_proportion_z import (
    TwoProportionResult,
    two_proportion_z_test,
)
from bestofk.inference.procedure import Procedure

PROCEDURES: tuple[Procedure, ...] = (
    mcnemar.PROCEDURE,
    two_proportion_z.PROCEDURE,
    permutation.PROCEDURE,
    bootstrap.PROCEDURE,
    delong.PROCEDURE,
    cochran_q.PROCEDURE,
    looney_f.F_PROCEDURE,
    looney_f.F_PLUS_PROCEDURE,
    multinomial.PROCEDURE,
)

__all__ = [
    "POOLED",
    "PROCEDURES",
    "BootstrapResult",
    "DeLongResult",
    "LooneyResult",
    "McNemar",
    "McNemarResult",
    "MultinomialSelection",
    "RocHull",
    "RocPoint",
    "TwoProportionResult",
    "bootstrap_test",
    "cochran_q_test",
    "delong_test",
    "looney_f_plus_test",
    "looney_f_test",
    "mcnemar_from_counts",
    "mcnemar_test",
    "multinomial_selection",
    "permutation_test",
    "proportion_interval",
    "roc_convex_hull",
    "roc_curve_points",
    "slope_of_costs",
    "two_proportion_z_test",
]
