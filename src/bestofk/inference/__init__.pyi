from .adjust import ADJUSTMENTS as ADJUSTMENTS
from .adjust import adjust_p_values as adjust_p_values
from .adjust import reject_adjusted as reject_adjusted
from .catalogue import PROCEDURES as PROCEDURES
from .catalogue import procedure as procedure
from .catalogue_entry import Procedure as Procedure
from .cautions import CAUTIONS as CAUTIONS
from .cautions import Caution as Caution
from .many_data_sets.comparison_matrix import ComparisonMatrix as ComparisonMatrix
from .many_data_sets.comparison_matrix import multi_comparison_matrix as multi_comparison_matrix
from .many_data_sets.effect_sizes import cliffs_delta as cliffs_delta
from .many_data_sets.effect_sizes import cohen_dz as cohen_dz
from .many_data_sets.effect_sizes import kendall_w as kendall_w
from .many_data_sets.effect_sizes import rank_biserial as rank_biserial
from .many_data_sets.effect_sizes import reproducibility_r as reproducibility_r
from .many_data_sets.hierarchical import HierarchicalPosterior as HierarchicalPosterior
from .many_data_sets.hierarchical import hierarchical_bayes as hierarchical_bayes
from .many_data_sets.logical_adjustments import PAIR_CORRECTIONS as PAIR_CORRECTIONS
from .many_data_sets.logical_adjustments import adjust_pairs as adjust_pairs
from .many_data_sets.rank_comparisons import (
    bonferroni_dunn_critical_difference as bonferroni_dunn_critical_difference,
)
from .many_data_sets.rank_comparisons import bonferroni_dunn_test as bonferroni_dunn_test
from .many_data_sets.rank_comparisons import control_rank_test as control_rank_test
from .many_data_sets.rank_comparisons import (
    nemenyi_critical_difference as nemenyi_critical_difference,
)
from .many_data_sets.rank_comparisons import nemenyi_test as nemenyi_test
from .many_data_sets.rank_comparisons import pairwise_rank_test as pairwise_rank_test
from .many_data_sets.rank_omnibus import aligned_ranks_test as aligned_ranks_test
from .many_data_sets.rank_omnibus import friedman_test as friedman_test
from .many_data_sets.rank_omnibus import iman_davenport_test as iman_davenport_test
from .many_data_sets.rank_omnibus import quade_test as quade_test
from .many_data_sets.ranks import average_ranks as average_ranks
from .many_data_sets.sign import SignTestResult as SignTestResult
from .many_data_sets.sign import sign_test as sign_test
from .many_data_sets.signed_rank_posterior import PosteriorDraws as PosteriorDraws
from .many_data_sets.signed_rank_posterior import bayesian_signed_rank as bayesian_signed_rank
from .many_data_sets.two_lists import RankCorrelation as RankCorrelation
from .many_data_sets.two_lists import kendall as kendall
from .many_data_sets.two_lists import ks_two_sample as ks_two_sample
from .many_data_sets.two_lists import spearman as spearman
from .many_data_sets.wilcoxon import WilcoxonResult as WilcoxonResult
from .many_data_sets.wilcoxon import wilcoxon_test as wilcoxon_test
from .many_data_sets.win_tie_loss import win_tie_loss as win_tie_loss
from .many_learners.omnibus_tests import AnovaResult as AnovaResult
from .many_learners.omnibus_tests import RepeatedMeasuresResult as RepeatedMeasuresResult
from .many_learners.omnibus_tests import anova_test as anova_test
from .many_learners.omnibus_tests import kruskal_wallis_test as kruskal_wallis_test
from .many_learners.omnibus_tests import (
    repeated_measures_anova_test as repeated_measures_anova_test,
)
from .many_learners.pair_evidence import ROW_TESTS as ROW_TESTS
from .many_learners.pair_evidence import PairEvidence as PairEvidence
from .many_learners.pair_evidence import check_plan as check_plan
from .many_learners.pair_evidence import wanted_test as wanted_test
from .many_learners.randomization import randomization_test as randomization_test
from .many_learners.randomization import row_randomization_test as row_randomization_test
from .many_learners.range_tests import RangeTestResult as RangeTestResult
from .many_learners.range_tests import TukeyResult as TukeyResult
from .many_learners.range_tests import duncan_test as duncan_test
from .many_learners.range_tests import newman_keuls as newman_keuls
from .many_learners.range_tests import tukey_hsd_test as tukey_hsd_test
from .many_learners.reseeding import Chance as Chance
from .many_learners.reseeding import Reseeding as Reseeding
from .many_learners.row_evidence import check_row_test as check_row_test
from .many_learners.row_evidence import compare_on_rows as compare_on_rows
from .one_test_set.delong import DeLongResult as DeLongResult
from .one_test_set.delong import delong_test as delong_test
from .one_test_set.error_tables import LooneyResult as LooneyResult
from .one_test_set.error_tables import cochran_q_test as cochran_q_test
from .one_test_set.error_tables import looney_f_plus_test as looney_f_plus_test
from .one_test_set.error_tables import looney_f_test as looney_f_test
from .one_test_set.mcnemar import McNemar as McNemar
from .one_test_set.mcnemar import McNemarResult as McNemarResult
from .one_test_set.mcnemar import mcnemar_from_counts as mcnemar_from_counts
from .one_test_set.mcnemar import mcnemar_test as mcnemar_test
from .one_test_set.multinomial import MultinomialSelection as MultinomialSelection
from .one_test_set.multinomial import multinomial_selection as multinomial_selection
from .one_test_set.proportion import proportion_interval as proportion_interval
from .one_test_set.resampling import BootstrapResult as BootstrapResult
from .one_test_set.resampling import bootstrap_test as bootstrap_test
from .one_test_set.resampling import permutation_test as permutation_test
from .one_test_set.roc_hull import RocHull as RocHull
from .one_test_set.roc_hull import RocPoint as RocPoint
from .one_test_set.roc_hull import roc_convex_hull as roc_convex_hull
from .one_test_set.roc_hull import roc_curve_points as roc_curve_points
from .one_test_set.roc_hull import slope_of_costs as slope_of_costs
from .one_test_set.two_proportion_z import TwoProportionResult as TwoProportionResult
from .one_test_set.two_proportion_z import two_proportion_z_test as two_proportion_z_test
from .power import difference_floor as difference_floor
from .power import power_at as power_at
from .power import repeats_needed as repeats_needed
from .power import rows_needed as rows_needed
from .power import smallest_detectable_difference as smallest_detectable_difference
from .power import smallest_difference as smallest_difference
from .results.hypothesis_test import HypothesisTestResult as HypothesisTestResult
from .results.interval import IntervalResult as IntervalResult
from .results.omnibus import OmnibusResult as OmnibusResult
from .results.pairwise import PairwiseResult as PairwiseResult
from .results.posterior import PosteriorResult as PosteriorResult
from .results.result import Result as Result
from .sampling import Sampling as Sampling
from .studentized_range import studentized_range_quantile as studentized_range_quantile
from .studentized_range import studentized_range_tail as studentized_range_tail
from .two_learners.calibrated_t import calibrate_df as calibrate_df
from .two_learners.calibrated_t import calibrated_t_test as calibrated_t_test
from .two_learners.catalogue import PAIRED_TESTS as PAIRED_TESTS
from .two_learners.catalogue import check_test as check_test
from .two_learners.catalogue import paired_test as paired_test
from .two_learners.catalogue import register_paired_test as register_paired_test
from .two_learners.catalogue import usable_tests as usable_tests
from .two_learners.correlated_posterior import CorrelatedPosterior as CorrelatedPosterior
from .two_learners.correlated_posterior import bayesian_correlated_t as bayesian_correlated_t
from .two_learners.correlated_posterior import posterior_of_pairs as posterior_of_pairs
from .two_learners.cv_central_limit import cv_central_limit_test as cv_central_limit_test
from .two_learners.five_by_two_cv import FiveByTwoCvNumerators as FiveByTwoCvNumerators
from .two_learners.five_by_two_cv import five_by_two_cv_f_test as five_by_two_cv_f_test
from .two_learners.five_by_two_cv import (
    five_by_two_cv_t_numerators as five_by_two_cv_t_numerators,
)
from .two_learners.five_by_two_cv import five_by_two_cv_t_test as five_by_two_cv_t_test
from .two_learners.nested_cross_validation import NestedCvInterval as NestedCvInterval
from .two_learners.nested_cross_validation import NestedCvLosses as NestedCvLosses
from .two_learners.nested_cross_validation import nested_cv as nested_cv
from .two_learners.nested_cross_validation import nested_cv_interval as nested_cv_interval
from .two_learners.paired_comparison import PairedComparison as PairedComparison
from .two_learners.paired_test import PairedTest as PairedTest
from .two_learners.t_tests import (
    corrected_resampled_t_test as corrected_resampled_t_test,
)
from .two_learners.t_tests import paired_t_test as paired_t_test
