"""Catalogue of all statistical procedures; an entry is loaded when it is asked for."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bestofk.checks import check_known, nearest_name
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference.checks import ALTERNATIVES, check_alternative
from bestofk.inference.results import Result
from bestofk.registry import Registry

# What a procedure takes -> how `run` is called.
TAKES = {
    "two-on-splits": "(a, b, *, sampling): scores of two learners on shared splits of one data "
    "set, each of shape (n_scores,), repeat by repeat",
    "many-on-splits": "(scores, *, names, sampling): scores of K learners on shared splits of one "
    "data set, shape (n_scores, n_learners)",
    "two-on-rows": "(a, b): loss of two fitted learners on every row of one test set",
    "two-rankings": "(is_positive, a, b): class of every row of one test set, and how strongly "
    "each of two fitted learners takes the row for positive",
    "many-on-rows": "(correct, *, names): which rows of one test set K fitted learners got right, "
    "shape (n_rows, n_learners)",
    "losses-on-rows": "(losses, *, names, rows): loss of K fitted learners on every row in every "
    "repeat, shape (n_results, n_learners)",
    "posteriors": "(posterior_true, *, names): probability that K fitted learners give the true "
    "class of every row of one test set, shape (n_rows, n_learners)",
    "two-on-data-sets": "(a, b): one score of each of two learners on every data set",
    "many-on-data-sets": "(scores, *, names, greater_is_better): one score of each of K learners "
    "on every data set, shape (n_data_sets, n_learners)",
    "splits-of-data-sets": "(differences, *, samplings): differences of two learners on the splits "
    "of every data set, one array of shape (n_scores,) and one Sampling per data set",
}
ONE_SIDED = ALTERNATIVES
TWO_SIDED = ("two-sided",)


@dataclass(frozen=True)
class Procedure:
    """A statistical procedure that can be called by its name.

    Parameters
    ----------
    name : str
        As users write it.
    title : str
        As reports write it.
    question : str
        What it answers, one sentence with a question mark.
    takes : str
        A key of `TAKES`; says how `run` is called.
    run : callable
        Does the work and returns a `Result`. Its keyword arguments beyond those of `takes`
        are the options of the procedure.
    sides : tuple of str
        Alternatives that it can test, all of them if left out where `run` takes one; empty where
        it tests no hypothesis about two learners.
    aliases : tuple of str
        Other spellings.
    needs_all_splits : bool
        Whether it cannot do without any split of its plan.
    """

    name: str
    title: str
    question: str
    takes: str
    run: Callable[..., Result]
    sides: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    needs_all_splits: bool = False

    def __post_init__(self) -> None:
        check_known(self.takes, "takes of Procedure", TAKES)
        if not self.sides and "alternative" in self.keywords:
            object.__setattr__(self, "sides", ONE_SIDED)

    @property
    def takes_two(self) -> bool:
        """Whether it compares two learners, neither more nor fewer."""
        return self.takes.startswith(("two", "splits"))

    @property
    def options(self) -> list[str]:
        """Names of the keyword arguments that a user may set."""
        given = {"names", "sampling", "samplings", "greater_is_better", "is_unstable",
                 "fold_of_row", "is_pooled", "rows"}  # fmt: skip
        return [name for name in self.keywords if name not in given]

    @property
    def keywords(self) -> list[str]:
        """Names of all keyword arguments: the options, and facts about the scores."""
        parameters = inspect.signature(self.run).parameters.values()
        return [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]

    def check_options(self, options: dict[str, Any]) -> dict[str, Any]:
        """Return options as they are, or raise if the procedure does not know them.

        Parameters
        ----------
        options : dict of str to object
            Keyword arguments for `run`.

        Returns
        -------
        dict of str to object
            The same.

        Raises
        ------
        DesignError
            If a side is asked for that the procedure cannot test.
        InvalidArgumentError
            If there is no such option.
        """
        side = options.get("alternative")
        if side is not None and check_alternative(side) not in self.sides:
            can = ", ".join(self.sides) if self.sides else "no side"
            raise DesignError(
                f"alternative of {self.name} must be one it can test ({can}); got {side!r}. "
                "Take a test of two learners that has sides, such as corrected-t or wilcoxon."
            )
        for option in options:
            if option != "alternative" and option not in self.options:
                known = self.options
                raise InvalidArgumentError(
                    f"options of {self.name} must be {', '.join(known) or 'none'}; got "
                    f"{option!r}. " + (nearest_name(option, known) if known else "Leave it out.")
                )
        return {k: v for k, v in options.items() if k in self.options}


_HOMES = {
    "corrected-t": "two_learners.t_tests.CORRECTED_T",
    "paired-t": "two_learners.t_tests.PAIRED_T",
    "5x2cv-t": "two_learners.five_by_two_cv.T_PROCEDURE",
    "calibrated-t": "two_learners.t_tests.CALIBRATED",
    "sorted-runs-t": "two_learners.t_tests.SORTED_RUNS",
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
    "cochran-q": "one_test_set.many_classifiers.COCHRAN_Q",
    "looney-f": "one_test_set.many_classifiers.F_PROCEDURE",
    "looney-f-plus": "one_test_set.many_classifiers.F_PLUS_PROCEDURE",
    "multinomial-selection": "one_test_set.many_classifiers.MULTINOMIAL",
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
