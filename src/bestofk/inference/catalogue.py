"""Catalogue of all statistical procedures; an entry is loaded when it is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping

from bestofk.checks import known_name
from bestofk.inference.catalogue_entry import Procedure

# Name -> file of the package that holds the entry, a `Procedure` of that name.
_HOMES = {
    "corrected-t": "two_learners.t_tests",
    "paired-t": "two_learners.t_tests",
    "5x2cv-t": "two_learners.five_by_two_cv",
    "calibrated-t": "two_learners.calibrated_t",
    "sorted-runs-t": "two_learners.calibrated_t",
    "5x2cv-f": "two_learners.five_by_two_cv",
    "5x2cv-t-numerators": "two_learners.five_by_two_cv",
    "bayesian-correlated-t": "two_learners.correlated_posterior",
    "cv-central-limit": "two_learners.cv_central_limit",
    "anova": "many_learners.omnibus_tests",
    "repeated-measures-anova": "many_learners.omnibus_tests",
    "randomization": "many_learners.randomization",
    "row-randomization": "many_learners.randomization",
    "kruskal-wallis": "many_learners.omnibus_tests",
    "newman-keuls": "many_learners.range_tests",
    "tukey-hsd": "many_learners.range_tests",
    "duncan": "many_learners.range_tests",
    "mcnemar": "one_test_set.mcnemar",
    "two-proportion-z": "one_test_set.two_proportion_z",
    "permutation": "one_test_set.resampling",
    "bootstrap": "one_test_set.resampling",
    "delong": "one_test_set.delong",
    "cochran-q": "one_test_set.error_tables",
    "looney-f": "one_test_set.error_tables",
    "looney-f-plus": "one_test_set.error_tables",
    "multinomial-selection": "one_test_set.multinomial",
    "wilcoxon": "many_data_sets.wilcoxon",
    "sign-test": "many_data_sets.sign",
    "friedman": "many_data_sets.rank_omnibus",
    "iman-davenport": "many_data_sets.rank_omnibus",
    "quade": "many_data_sets.rank_omnibus",
    "aligned-ranks": "many_data_sets.rank_omnibus",
    "nemenyi": "many_data_sets.rank_comparisons",
    "pairwise-ranks": "many_data_sets.rank_comparisons",
    "shaffer": "many_data_sets.rank_comparisons",
    "bergmann-hommel": "many_data_sets.rank_comparisons",
    "control-ranks": "many_data_sets.rank_comparisons",
    "bonferroni-dunn": "many_data_sets.rank_comparisons",
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
