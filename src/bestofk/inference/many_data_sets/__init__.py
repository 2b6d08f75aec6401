"""Learners on many data sets.

One score of each learner on each data set; the data sets are the sample.
"""

from bestofk.inference.many_data_sets import (
    aligned_ranks,
    bonferroni_dunn,
    control_ranks,
    friedman,
    iman_davenport,
    nemenyi,
    pairwise_ranks,
    quade,
    sign,
    wilcoxon,
)
from bestofk.inference.many_data_sets.aligned_ranks import aligned_ranks_test
from bestofk.inference.many_data_sets.bayesian_signed_rank import PROCEDURE as SIGNED_RANK
from bestofk.inference.many_data_sets.bayesian_signed_rank import (
    PosteriorDraws,
    bayesian_signed_rank,
)
from bestofk.inference.many_data_sets.bonferroni_dunn import (
    bonferroni_dunn_critical_difference,
    bonferroni_dunn_test,
)
from bestofk.inference.many_data_sets.control_ranks import control_rank_test
from bestofk.inference.many_data_sets.effect_sizes import (
    cliffs_delta,
    cohen_dz,
    kendall_w,
    rank_biserial,
)
from bestofk.inference.many_data_sets.friedman import friedman_test
from bestofk.inference.many_data_sets.hierarchical import PROCEDURE as HIERARCHICAL
from bestofk.inference.many_data_sets.hierarchical import (
    HierarchicalPosterior,
    hierarchical_bayes,
)
from bestofk.inference.many_data_sets.iman_davenport import iman_davenport_test
from bestofk.inference.many_data_sets.ks import ks_two_sample
from bestofk.inference.many_data_sets.logical_adjustments import PAIR_CORRECTIONS, adjust_pairs
from bestofk.inference.many_data_sets.multi_comparison_matrix import PROCEDURE as MATRIX
from bestofk.inference.many_data_sets.multi_comparison_matrix import (
    ComparisonMatrix,
    multi_comparison_matrix,
)
from bestofk.inference.many_data_sets.nemenyi import nemenyi_critical_difference, nemenyi_test
from bestofk.inference.many_data_sets.pairwise_ranks import pairwise_rank_test
from bestofk.inference.many_data_sets.quade import quade_test
from bestofk.inference.many_data_sets.rank_correlation import RankCorrelation, kendall, spearman
from bestofk.inference.many_data_sets.ranks import average_ranks
from bestofk.inference.many_data_sets.reproducibility import reproducibility_r
from bestofk.inference.many_data_sets.sign import SignTestResult, sign_test
from bestofk.inference.many_data_sets.wilcoxon import WilcoxonResult, wilcoxon_test
from bestofk.inference.procedure import Procedure

PROCEDURES: tuple[Procedure, ...] = (
    wilcoxon.PROCEDURE,
    sign.PROCEDURE,
    friedman.PROCEDURE,
    iman_davenport.PROCEDURE,
    quade.PROCEDURE,
    aligned_ranks.PROCEDURE,
    nemenyi.PROCEDURE,
    pairwise_ranks.PROCEDURE,
    pairwise_ranks.SHAFFER,
    pairwise_ranks.BERGMANN_HOMMEL,
    control_ranks.PROCEDURE,
    bonferroni_dunn.PROCEDURE,
    SIGNED_RANK,
    HIERARCHICAL,
    MATRIX,
)

__all__ = [
    "PAIR_CORRECTIONS",
    "PROCEDURES",
    "ComparisonMatrix",
    "HierarchicalPosterior",
    "PosteriorDraws",
    "RankCorrelation",
    "SignTestResult",
    "WilcoxonResult",
    "adjust_pairs",
    "aligned_ranks_test",
    "average_ranks",
    "bayesian_signed_rank",
    "bonferroni_dunn_critical_difference",
    "bonferroni_dunn_test",
    "cliffs_delta",
    "cohen_dz",
    "control_rank_test",
    "friedman_test",
    "hierarchical_bayes",
    "iman_davenport_test",
    "kendall",
    "kendall_w",
    "ks_two_sample",
    "multi_comparison_matrix",
    "nemenyi_critical_difference",
    "nemenyi_test",
    "pairwise_rank_test",
    "quade_test",
    "rank_biserial",
    "reproducibility_r",
    "sign_test",
    "spearman",
    "wilcoxon_test",
]
