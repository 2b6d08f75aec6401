"""Results made elsewhere that join the verdict of a study, as means per data set."""

import math
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from bestofk.array_types import Floats, Values
from bestofk.comparison.comparison_across import ComparisonAcross
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import Sampling
from bestofk.measures import Measure
from bestofk.report.findings.many_data_sets import FindingsAcross, verdict_on_means
from bestofk.score_tables.paired_scores import read_scores
from bestofk.score_tables.score_formats.read_score_table import read_score_table
from bestofk.verdict.preference import COST_KINDS
from bestofk.verdict.verdict_options import VerdictOptions
from bestofk.words import listing

MADE_ELSEWHERE = (
    "Results of {} were made elsewhere ({}): their means count as they are. Whether rows, splits "
    "and measure are those of this study is not checked."
)


@dataclass(frozen=True)
class AddedResults:
    """Mean scores of learners on data sets, read from one table.

    Parameters
    ----------
    source : str
        Name of the table.
    means : mapping of (str, str) to float
        By data set and learner, in the unit of the measure of the study.
    """

    source: str
    means: Mapping[tuple[str, str], float]

    @property
    def data_sets(self) -> list[str]:
        """Data sets of the table, in order of appearance."""
        return list(dict.fromkeys(data_set for data_set, _ in self.means))

    @property
    def learners(self) -> list[str]:
        """Learners of the table, in order of appearance."""
        return list(dict.fromkeys(learner for _, learner in self.means))


def read_results(path: str | os.PathLike[str], measure: Measure) -> AddedResults:
    """Read a table of scores that `bestofk.compare_scores_across` takes.

    Parameters
    ----------
    path : str or Path
        The table, with data sets.
    measure : Measure
        That of the study; a table that names none is taken to hold it.

    Raises
    ------
    InvalidArgumentError, DesignError
        If the table cannot be read, has no data sets, not this measure, or scores that cannot
        be of it.
    """
    name = Path(path).name
    table = read_score_table(path, measure=measure.name)
    if not table.rows_of:
        raise InvalidArgumentError(
            f"results of a study must have a column dataset; got {name} without. Add it; names as "
            "in the study extend its data sets."
        )
    means: dict[tuple[str, str], float] = {}
    for data_set in table.rows_of:
        scores = read_scores(table, measure=measure.name, dataset=data_set, cv=None)
        if scores.direction not in (None, measure.greater_is_better):
            raise InvalidArgumentError(
                f"results must have the direction of {measure.name}; got {name} with the other. "
                "Check its measure."
            )
        for learner, value in zip(scores.names, scores.values.mean(axis=1).tolist(), strict=True):
            _check_range(value, measure, f"{learner} on {data_set} of {name}")
            means[data_set, learner] = value
    return AddedResults(name, means)


def _check_range(value: float, measure: Measure, what: str) -> None:
    if not measure.minimum <= value <= measure.maximum:
        raise InvalidArgumentError(
            f"scores of {measure.name} must be from {measure.minimum:g} to {measure.maximum:g}; "
            f"got {value:g} for {what}. Write shares of 1, not percentages."
        )


@dataclass(frozen=True, eq=False)
class StudyComparison(ComparisonAcross):
    """Comparison over the data sets of a study, and over results made elsewhere.

    Parameters
    ----------
    added : tuple of AddedResults
        They count as means per data set in the verdict over data sets, and nowhere else.

    Examples
    --------
    >>> from bestofk import compare
    >>> run = compare(["cart", "lda"], {"iris": "iris", "wine": "wine"}, cv="2x2")
    >>> theirs = AddedResults("a.csv", {("iris", "net"): 0.01, ("wine", "net"): 0.01})
    >>> both = StudyComparison(run.comparisons, run.settings, added=(theirs,))
    >>> both.best, both.table.shape
    ('net', (2, 3))
    """

    added: tuple[AddedResults, ...] = ()

    @cached_property
    def findings(self) -> FindingsAcross:
        """Everything a report says, as plain numbers and sentences."""
        findings = super().findings
        for added in self.added:
            findings = _with_added(findings, added, self.settings, self.control)
        return findings

    def _on_splits(self, names: Sequence[str]) -> list[tuple[Floats, Sampling]]:
        made_here = next(iter(self.comparisons.values())).evaluation.names
        strangers = [name for name in names if name not in made_here]
        if strangers:
            raise DesignError(
                "scores of splits must come from this study for a procedure that needs them; got "
                f"{listing(strangers)}, made elsewhere. Name others, or choose a test of means."
            )
        return super()._on_splits(names)


def _with_added(
    findings: FindingsAcross, added: AddedResults, settings: VerdictOptions, control: str | None
) -> FindingsAcross:
    """Return findings with the rows and columns of a table, weighed anew."""
    check_joining(added, findings.data_sets, findings.learners, settings.prefer)
    data_sets = tuple(dict.fromkeys([*findings.data_sets, *added.data_sets]))
    learners = tuple(dict.fromkeys([*findings.learners, *added.learners]))
    shape = (len(data_sets), len(learners))
    values = _padded(findings.values, shape)
    for (data_set, learner), mean in added.means.items():
        values[data_sets.index(data_set), learners.index(learner)] = mean
    verdict, reason = verdict_on_means(
        findings.measure,
        values,
        learners,
        findings.baselines,
        settings,
        costs={},
        data_sets=data_sets,
        control=control,
    )
    before = findings.verdict.warnings if findings.verdict else ()
    kept = [text for text in findings.warnings if text not in before]
    about = MADE_ELSEWHERE.format(listing(added.learners), added.source)
    return replace(
        findings,
        data_sets=data_sets,
        learners=learners,
        values=values,
        p_within=_padded(findings.p_within, (*shape, len(learners))),
        verdict=verdict,
        reason=reason,
        warnings=(about, *(verdict.warnings if verdict else ()), *kept),
    )


def check_joining(
    added: AddedResults, data_sets: Collection[str], learners: Collection[str], prefer: Any
) -> None:
    """Raise if results repeat what is there, or a preference needs costs that they lack."""
    for data_set, learner in added.means:
        if data_set in data_sets and learner in learners:
            raise InvalidArgumentError(
                f"results must not repeat those of the study; got {learner} on {data_set} in "
                f"{added.source}, which the study has as well. Rename that learner in the table."
            )
    if isinstance(prefer, str) and prefer in COST_KINDS:
        raise InvalidArgumentError(
            f"prefer must be an order of learners where results made elsewhere count; got "
            f"{prefer!r}. They have no measured costs: list the learners."
        )


def _padded(values: Floats, shape: tuple[int, ...]) -> Floats:
    """Return an array of a larger shape; nan where it had nothing."""
    table: Values = np.full(shape, math.nan)
    table[tuple(slice(0, n) for n in values.shape)] = values
    return table
