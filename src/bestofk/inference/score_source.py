"""Score sources: where a procedure gets its scores, how it is applied, and which procedures fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from bestofk.array_types import Floats
from bestofk.checks import check_known
from bestofk.errors import BestofkError, DesignError, InvalidArgumentError
from bestofk.inference.catalogue import PROCEDURES, Procedure, procedure
from bestofk.inference.cautions import Caution
from bestofk.inference.results import Result
from bestofk.inference.sampling import Sampling

if TYPE_CHECKING:
    import pandas as pd


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
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InvalidArgumentError(
            f"learners of {chosen.name} must be different; got {', '.join(twice)} more than once. "
            "Name another learner."
        )
    return names


def of_two_or_many(chosen: Procedure, scores: Floats) -> tuple[Any, ...]:
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
        return ProcedureInput(of_two_or_many(chosen, table.T), keywords)


# What a procedure takes -> on what its answer rests.
_RESTS_ON = {
    "on-splits": "scores of the splits that learners share",
    "losses-on-rows": "test rows of all repeats",
    "on-rows": "test rows of the first repeat",
    "two-rankings": "test rows of the first repeat",
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
