"""Catalogue of all statistical procedures; an entry is loaded when it is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping

from bestofk.checks import known_name
from bestofk.inference.catalogue_entry import Procedure

# Name -> file of the package that holds the entry, a `Procedure` of that name.
_HOMES = {
    "corrected-t": "two_learners.corrected_resampled_t",
    "paired-t": "two_learners.paired_t",
    "5x2cv-t": "two_learners.five_by_two_cv_t",
    "calibrated-t": "two_learners.calibrated_t",
    "sorted-runs-t": "two_learners.calibrated_t",
    "5x2cv-f": "two_learners.five_by_two_cv_f",
    "5x2cv-t-numerators": "two_learners.five_by_two_cv_numerators",
    "bayesian-correlated-t": "two_learners.correlated_posterior",
    "cv-central-limit": "two_learners.cv_central_limit",
    "anova": "many_learners.anova",
    "repeated-measures-anova": "many_learners.repeated_measures_anova",
    "randomization": "many_learners.randomization",
    "row-randomization": "many_learners.randomization",
    "kruskal-wallis": "many_learners.kruskal_wallis",
    "newman-keuls": "many_learners.student_newman_keuls",
    "tukey-hsd": "many_learners.tukey_hsd",
    "duncan": "many_learners.duncan",
    "mcnemar": "one_test_set.mcnemar",
    "two-proportion-z": "one_test_set.two_proportion_z",
    "permutation": "one_test_set.permutation",
    "bootstrap": "one_test_set.bootstrap",
    "delong": "one_test_set.delong",
    "cochran-q": "one_test_set.cochran_q",
    "looney-f": "one_test_set.looney_f",
    "looney-f-plus": "one_test_set.looney_f",
    "multinomial-selection": "one_test_set.multinomial",
    "wilcoxon": "many_data_sets.wilcoxon",
    "sign-test": "many_data_sets.sign",
    "friedman": "many_data_sets.friedman",
    "iman-davenport": "many_data_sets.iman_davenport",
    "quade": "many_data_sets.quade",
    "aligned-ranks": "many_data_sets.aligned_ranks",
    "nemenyi": "many_data_sets.nemenyi",
    "pairwise-ranks": "many_data_sets.pairwise_ranks",
    "shaffer": "many_data_sets.pairwise_ranks",
    "bergmann-hommel": "many_data_sets.pairwise_ranks",
    "control-ranks": "many_data_sets.control_ranks",
    "bonferroni-dunn": "many_data_sets.bonferroni_dunn",
    "bayesian-signed-rank": "many_data_sets.signed_rank_posterior",
    "hierarchical-bayes": "many_data_sets.hierarchical",
    "multi-comparison-matrix": "many_data_sets.comparison_matrix",
}

# Entries from elsewhere; see `register_paired_test`.
REGISTERED: dict[str, Procedure] = {}


class _Catalogue(Mapping[str, Procedure]):
    """Entries by name, each imported when it is first looked up."""

    def __getitem__(self, name: str) -> Procedure:
        if name in REGISTERED:
            return REGISTERED[name]
        module = importlib.import_module(f"bestofk.inference.{_HOMES[name]}")
        entries = (item for item in vars(module).values() if isinstance(item, Procedure))
        return next(entry for entry in entries if entry.name == name)

    def __iter__(self) -> Iterator[str]:
        return iter([*_HOMES, *REGISTERED])

    def __len__(self) -> int:
        return len(_HOMES) + len(REGISTERED)


PROCEDURES: Mapping[str, Procedure] = _Catalogue()


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
    key = str(name).lower().replace("_", "-")
    if key not in PROCEDURES:
        known = {entry.name: entry.aliases for entry in PROCEDURES.values()}
        key = known_name(name, known, "procedure")
    return PROCEDURES[key]
