"""Catalogue of all statistical procedures; an entry is loaded when it is asked for."""

from __future__ import annotations

from bestofk.inference.catalogue_entry import Procedure
from bestofk.registry import Registry

_HOMES = {
    "corrected-t": "two_learners.t_tests.CORRECTED_T",
    "paired-t": "two_learners.t_tests.PAIRED_T",
    "5x2cv-t": "two_learners.five_by_two_cv.T_PROCEDURE",
    "calibrated-t": "two_learners.calibrated_t.CALIBRATED",
    "sorted-runs-t": "two_learners.calibrated_t.SORTED_RUNS",
    "5x2cv-f": "two_learners.five_by_two_cv.F_PROCEDURE",
    "5x2cv-t-numerators": "two_learners.five_by_two_cv.NUMERATORS",
    "bayesian-correlated-t": "two_learners.correlated_posterior.PROCEDURE",
    "cv-central-limit": "two_learners.cv_central_limit.PROCEDURE",
    "anova": "many_learners.omnibus_tests.ANOVA",
    "repeated-measures-anova": "many_learners.omnibus_tests.REPEATED_MEASURES",
    "randomization": "many_learners.randomization.PROCEDURE",
    "row-randomization": "many_learners.randomization.ROW_PROCEDURE",
    "kruskal-wallis": "many_learners.omnibus_tests.KRUSKAL_WALLIS",
    "newman-keuls": "many_learners.range_tests.NEWMAN_KEULS",
    "tukey-hsd": "many_learners.range_tests.TUKEY",
    "duncan": "many_learners.range_tests.DUNCAN",
    "mcnemar": "one_test_set.mcnemar.PROCEDURE",
    "two-proportion-z": "one_test_set.proportions.PROCEDURE",
    "permutation": "one_test_set.resampling.PERMUTATION",
    "bootstrap": "one_test_set.resampling.BOOTSTRAP",
    "delong": "one_test_set.roc.PROCEDURE",
    "cochran-q": "one_test_set.error_tables.COCHRAN_Q",
    "looney-f": "one_test_set.error_tables.F_PROCEDURE",
    "looney-f-plus": "one_test_set.error_tables.F_PLUS_PROCEDURE",
    "multinomial-selection": "one_test_set.multinomial.PROCEDURE",
    "wilcoxon": "many_data_sets.paired_tests.WILCOXON",
    "sign-test": "many_data_sets.paired_tests.SIGN",
    "friedman": "many_data_sets.rank_omnibus.FRIEDMAN",
    "iman-davenport": "many_data_sets.rank_omnibus.IMAN_DAVENPORT",
    "quade": "many_data_sets.rank_omnibus.QUADE",
    "aligned-ranks": "many_data_sets.rank_omnibus.ALIGNED_RANKS",
    "nemenyi": "many_data_sets.rank_comparisons.NEMENYI",
    "pairwise-ranks": "many_data_sets.rank_comparisons.PAIRWISE_RANKS",
    "shaffer": "many_data_sets.rank_comparisons.SHAFFER",
    "bergmann-hommel": "many_data_sets.rank_comparisons.BERGMANN_HOMMEL",
    "control-ranks": "many_data_sets.rank_comparisons.CONTROL_RANKS",
    "bonferroni-dunn": "many_data_sets.rank_comparisons.BONFERRONI_DUNN",
    "bayesian-signed-rank": "many_data_sets.signed_rank_posterior.PROCEDURE",
    "hierarchical-bayes": "many_data_sets.hierarchical.PROCEDURE",
    "multi-comparison-matrix": "many_data_sets.comparison_matrix.PROCEDURE",
}

PROCEDURES: Registry[Procedure] = Registry(
    "procedure", {name: f"bestofk.inference.{home}" for name, home in _HOMES.items()}
)


def procedure(name: str) -> Procedure:
    """Return the procedure of a name.

    Parameters
    ----------
    name : str
        A key of `PROCEDURES` or another spelling or alias of one.

    Returns
    -------
    Procedure
        With what it takes and how it is run.

    Raises
    ------
    InvalidArgumentError
        If there is no such procedure; the message names the nearest.

    Examples
    --------
    >>> procedure("corrected_t").title
    'corrected resampled t test'
    """
    return PROCEDURES.find(name)
