"""Catalogue of all procedures, and the sources of scores that they are applied to.

An entry is loaded when it is asked for. A score source says where a procedure gets its scores, how
it is applied, and which procedures fit.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from bestofk.array_types import Floats, Ints
from bestofk.checks import check_different, check_known, nearest_name
from bestofk.errors import BestofkError, DesignError, InvalidArgumentError
from bestofk.inference.cautions import Caution
from bestofk.inference.checks import ALTERNATIVES, check_alternative
from bestofk.inference.results import Result
from bestofk.inference.sampling import Sampling
from bestofk.registry import Registry

if TYPE_CHECKING:
    import pandas as pd

# What a procedure takes -> how `run` is called.
TAKES = {
    "two-on-splits": "(a, b, *, sampling): scores of two learners on shared splits of one data "
    "set, each of shape (n_scores,), repeat by repeat",
    "many-on-splits": "(scores, *, names, sampling): scores of K learners on shared splits of one "
    "data set, shape (n_scores, n_learners)",
    "two-on-rows": "(a, b): loss of two fitted learners on every row of one test set",
    "two-rankings": "(is_positive, a, b): class of every row of one test set, and how strongly "
    "each of two fitted learners takes the row for positive",
    "many-rankings": "(is_positive, scores, *, names): class of every row of one test set, and how "
    "strongly K fitted learners take the row for positive, shape (n_rows, n_learners)",
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
ON_ROWS = (
    "two-on-rows", "two-rankings", "many-rankings", "many-on-rows", "losses-on-rows", "posteriors",
)  # fmt: skip
POOLED_ROWS = (
    "The rows were predicted by the models of {} folds, each trained on rows that others were "
    "tested on, so they are not independent: the p value may be too small, above all with "
    "unstable learners."
)
POOLED_SCALES = (
    "The rows were predicted by the models of {} folds, whose scores may be on different scales: "
    "the curves may lie too low."
)
FIRST_REPEAT = "Only the rows of the first of {} repeats are used."
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
    is_over_time : bool
        Whether its splits must be test periods in order of time.
    """

    name: str
    title: str
    question: str
    takes: str
    run: Callable[..., Result]
    sides: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    needs_all_splits: bool = False
    is_over_time: bool = False

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
                 "fold_of_row", "is_pooled", "rows", "positive"}  # fmt: skip
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
                "Take a test that can be one-sided, such as corrected-t or wilcoxon."
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
    "diebold-mariano": "two_learners.over_time.DIEBOLD_MARIANO",
    "harvey-leybourne-newbold": "two_learners.over_time.HARVEY_LEYBOURNE_NEWBOLD",
    "giacomini-white": "two_learners.over_time.GIACOMINI_WHITE",
    "model-confidence-set": "many_learners.model_confidence_set.PROCEDURE",
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
    "roc-hull": "one_test_set.roc.HULL",
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
    "bayesian-signed-rank": "many_data_sets.posteriors.SIGNED_RANK",
    "hierarchical-bayes": "many_data_sets.posteriors.HIERARCHICAL",
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


@dataclass(frozen=True, eq=False)
class ProcedureInput:
    """Input of a procedure from a source of scores.

    Parameters
    ----------
    arguments : tuple
        Positional arguments of `run`.
    keywords : dict of str to object
        Facts about the scores, of which a procedure gets those that it asks for.
    assumptions : tuple of str
        Added to those of the result.
    warnings : tuple of Caution
        Added to those of the result.
    """

    arguments: tuple[Any, ...]
    keywords: dict[str, Any] = field(default_factory=dict)
    assumptions: tuple[str, ...] = ()
    warnings: tuple[Caution, ...] = ()


class ScoreSource(Protocol):
    """Scores of several learners that procedures can be applied to."""

    @property
    def learners(self) -> Sequence[str]:
        """Names of all learners."""

    @property
    def contenders(self) -> Sequence[str]:
        """Names of the learners that a procedure is applied to where none is named."""

    def refusal(self, chosen: Procedure) -> str:
        """Return why a procedure cannot be applied to such scores; empty where it can."""

    def input_of(self, chosen: Procedure, learners: Sequence[str]) -> ProcedureInput:
        """Return what a procedure takes, of some learners; raise DesignError without it."""


def apply_to_source(
    source: ScoreSource, name: str, learners: Sequence[str], options: dict[str, Any]
) -> Result:
    """Apply a procedure to the scores of a source.

    Parameters
    ----------
    source : ScoreSource
        Gives scores, and how they were made.
    name : str
        Name of the procedure.
    learners : sequence of str
        Two for a procedure of two, any number from two else; empty for all contenders.
    options : dict of str to object
        Options of the procedure, such as ``alternative`` or ``rope``.

    Returns
    -------
    Result
        What the procedure returns.

    Raises
    ------
    InvalidArgumentError
        If a name or an option is unknown.
    DesignError
        If the number of learners, the plan or the data do not suit the procedure.
    """
    chosen = procedure(name)
    checked = chosen.check_options(options)
    reason = source.refusal(chosen)
    if reason:
        raise DesignError(reason)
    named = check_learners(source, chosen, learners)
    given = source.input_of(chosen, named)
    known = {key: value for key, value in given.keywords.items() if key in chosen.keywords}
    result = chosen.run(*given.arguments, **(known | checked))
    if not given.assumptions and not given.warnings:
        return result
    return replace(
        result,
        assumptions=(*result.assumptions, *given.assumptions),
        warnings=(*result.warnings, *given.warnings),
    )


def check_learners(source: ScoreSource, chosen: Procedure, learners: Sequence[str]) -> list[str]:
    """Return the learners that a procedure is applied to, or raise.

    Parameters
    ----------
    source : ScoreSource
        Has their scores.
    chosen : Procedure
        What is to be applied.
    learners : sequence of str
        As named; empty for all contenders.

    Returns
    -------
    list of str

    Raises
    ------
    DesignError
        If they are too few or too many.
    InvalidArgumentError
        If one is unknown, or named twice.
    """
    for name in learners:
        check_known(name, "learner", source.learners, rule="one of those compared")
    names = list(learners) or list(source.contenders)
    if len(names) < 2 or (chosen.takes_two and len(names) > 2):
        how_many = "two" if chosen.takes_two else "at least two"
        raise DesignError(
            f"learners of {chosen.name} must be {how_many} learners; got {len(names)} "
            f"({', '.join(names) or 'none'}). Name the learners to compare."
        )
    check_different(names, f"learners of {chosen.name}", "Name another learner.")
    return names


class RowsOfTestSets(Protocol):
    """Predictions of K fitted learners for the same rows."""

    @property
    def fold_of_row(self) -> Ints:
        """The test set that each row is from, counted from 0."""

    @property
    def positive_label(self) -> str:
        """The positive class of two; empty where there are others."""

    def arguments(self, takes: str, name: str) -> tuple[Any, ...]:
        """Return what a procedure of test rows is called with."""


def input_of_rows(
    chosen: Procedure,
    predicted: RowsOfTestSets,
    learners: Sequence[str],
    rows: Ints,
    n_folds: int,
    n_repeats: int,
) -> ProcedureInput:
    """Return the input of a procedure of test rows, and what limits its answer.

    Parameters
    ----------
    chosen : Procedure
        Takes one of `ON_ROWS`.
    predicted : RowsOfTestSets
        Their predictions.
    learners : sequence of str
        Their names.
    rows : ndarray of shape (n_rows,), int
        Which row each of them is.
    n_folds, n_repeats : int
        Test sets of a repeat, and repeats.

    Returns
    -------
    ProcedureInput
    """
    keywords = {
        "names": list(learners),
        "fold_of_row": predicted.fold_of_row,
        "is_pooled": n_folds > 1,
        "rows": rows,
        "positive": predicted.positive_label,
    }
    looks_at_all = chosen.takes == "losses-on-rows" or n_repeats == 1
    hides_folds = n_folds > 1 and "fold_of_row" not in chosen.keywords
    pooled = POOLED_SCALES if chosen.takes == "many-rankings" else POOLED_ROWS
    return ProcedureInput(
        predicted.arguments(chosen.takes, chosen.name),
        keywords,
        () if looks_at_all else (FIRST_REPEAT.format(n_repeats),),
        (Caution("pooled-folds", pooled.format(n_folds)),) if hides_folds else (),
    )


def scores_as_taken(chosen: Procedure, scores: Floats) -> tuple[Any, ...]:
    """Return scores as a procedure takes them: two arrays, or a table with learners in columns.

    The scores given have a row per learner.
    """
    return tuple(scores) if chosen.takes.startswith("two") else (scores.T,)


@dataclass(frozen=True, eq=False)
class DataSetScores:
    """Source of the scores of learners on many data sets.

    Parameters
    ----------
    learners, contenders : sequence of str
        As for `ScoreSource`.
    means : ndarray of shape (n_data_sets, n_learners)
        Mean scores.
    splits : callable
        Returns for two learners their scores on the splits of every data set, an ndarray of shape
        (2, n_splits) with its Sampling.
    keywords : callable
        Returns the facts about the scores that a procedure asks for.
    refused : str
        Why procedures of one data set cannot be applied; names the procedure as ``{}``.
    """

    learners: Sequence[str]
    contenders: Sequence[str]
    means: Floats
    splits: Callable[[Sequence[str]], list[tuple[Floats, Sampling]]]
    keywords: Callable[[Procedure], dict[str, Any]]
    refused: str = ""

    def refusal(self, chosen: Procedure) -> str:
        """Return why a procedure cannot be applied; empty for those of many data sets."""
        return "" if chosen.takes.endswith("data-sets") else self.refused.format(chosen.name)

    def input_of(self, chosen: Procedure, learners: Sequence[str]) -> ProcedureInput:
        """Return the mean scores, or the differences of two learners on all splits."""
        keywords = {"names": list(learners)} | self.keywords(chosen)
        if chosen.takes == "splits-of-data-sets":
            parts = self.splits(learners)
            differences = [scores[0] - scores[1] for scores, _ in parts]
            samplings = [sampling for _, sampling in parts]
            return ProcedureInput((differences,), keywords | {"samplings": samplings})
        table = self.means[:, [list(self.learners).index(name) for name in learners]]
        return ProcedureInput(scores_as_taken(chosen, table.T), keywords)


# What a procedure takes -> on what its answer rests.
_RESTS_ON = {
    "on-splits": "scores of the splits that learners share",
    "losses-on-rows": "test rows of all repeats",
    "on-rows": "test rows of the first repeat",
    "rankings": "test rows of the first repeat",
    "posteriors": "test rows of the first repeat",
    "on-data-sets": "mean scores on the data sets",
    "splits-of-data-sets": "scores of all splits of the data sets",
}
# Says how to read an answer, and nothing about whether the procedure fits.
_ABOUT_ANSWERS = ("not-equal",)


def fitting_procedures(source: ScoreSource) -> pd.DataFrame:
    """Return the procedures that can be applied to scores, each tried on the first learners.

    Parameters
    ----------
    source : ScoreSource
        The scores.

    Returns
    -------
    DataFrame
        Columns name, as `test` takes it; title; asks, the question that it answers; compares,
        "two learners" or "all learners"; fits, on what its answer rests; doubts, what the
        result would warn of, empty where there is nothing.
    """
    import pandas as pd

    columns = ["name", "title", "asks", "compares", "fits", "doubts"]
    rows = []
    for entry in PROCEDURES.values():
        learners = list(source.contenders)[: 2 if entry.takes_two else None]
        result = _applied(source, entry, learners)
        if result is not None:
            compares = "two learners" if entry.takes_two else "all learners"
            fits = next(text for kind, text in _RESTS_ON.items() if entry.takes.endswith(kind))
            rows.append([entry.name, entry.title, entry.question, compares, fits, _doubts(result)])
    return pd.DataFrame(rows, columns=columns)


def _applied(source: ScoreSource, entry: Procedure, learners: list[str]) -> Result | None:
    """Return the result of a procedure; None where it does not fit."""
    if source.refusal(entry):
        return None
    try:
        return apply_to_source(source, entry.name, learners, {})
    except BestofkError:
        return None


def _doubts(result: Result) -> str:
    doubts = [text for text in result.warnings if getattr(text, "code", "") not in _ABOUT_ANSWERS]
    return " ".join(str(text) for text in doubts)
