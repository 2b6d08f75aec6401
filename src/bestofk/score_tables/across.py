"""Verdict over many data sets from a table of scores computed elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from bestofk.checks import check_known
from bestofk.data.paired_scores import data_sets_of
from bestofk.data.score_formats.missing_scores import MISSING, with_scores_of_all
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.report.findings.many_data_sets import FindingsAcross, across_findings
from bestofk.report.reported import ReportedVerdict
from bestofk.score_tables.learner_columns import read_learners
from bestofk.score_tables.rank_across import measures_of_data_sets, rank_findings
from bestofk.score_tables.score_table import compare_scores
from bestofk.verdict.decision import USUAL
from bestofk.verdict.verdict_options import VerdictOptions
from bestofk.words import joined_lines


@dataclass(frozen=True, eq=False, repr=False)
class ScoreComparisonAcross(FindingsAcross, ReportedVerdict):
    """K learners on many data sets whose scores were given: which is best over them.

    Made by `compare_scores_across`; parameters are those of `FindingsAcross`, and this.

    Parameters
    ----------
    test : str
        Name of the test within data sets.
    """

    test: str = field(kw_only=True)

    _parts = (
        *ReportedVerdict._parts,
        "test",
        *({*dir(FindingsAcross), *(item.name for item in fields(FindingsAcross))}
          - {"verdict", "to_frame"}),
    )  # fmt: skip

    @property
    def findings(self) -> FindingsAcross:
        """Everything a report says, as plain numbers and sentences."""
        return self

    def _table(self) -> Any:
        return self.to_frame()

    @property
    def _test(self) -> str:
        return self.test

    def __repr__(self) -> str:
        return joined_lines(self.answer)


def compare_scores_across(
    table: Any,
    *,
    test: str = "corrected-t",
    correction: str = "holm",
    alpha: float = 0.05,
    rope: float | None = None,
    prefer: Any = None,
    control: str | None = None,
    columns: Mapping[str, str] | None = None,
    learners: Sequence[str] = (),
    measure: str | None = None,
    missing: str = "refuse",
    **reading: Any,
) -> ScoreComparisonAcross:
    """Find out which learner to use over many data sets from scores that are already there.

    Parameters
    ----------
    table : str, Path or DataFrame of pandas or polars
        Long or wide scores with a column dataset; see `bestofk.compare_scores`.
    test, correction, alpha, rope, prefer
        As for `bestofk.compare_scores`; `test` is the one within data sets.
    control : str, optional
        Learner that all others are held against; None for all pairs.
    columns, learners, measure, missing
        As for `bestofk.compare_scores`.
    **reading
        greater_is_better, cv, n_train and n_test of `bestofk.compare_scores`.

    Returns
    -------
    ScoreComparisonAcross
        ``best`` is the pick.  Where data sets have different measures and none is named, ranks
        within data sets decide; `test`, `correction` and `rope`, of which ranks make no use, are
        then refused.

    Raises
    ------
    InvalidArgumentError
        If the table cannot be read, or an argument breaks its rule.
    DesignError
        If there is one data set, learners differ between data sets, or scores do not pair.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"dataset": list("abcdef"), "tree": [0.2, 0.3, 0.1, 0.4, 0.2, 0.3]})
    >>> across = compare_scores_across(table.assign(lda=table["tree"] - 0.05), measure="error")
    >>> across.best, across.verdict.pairs[0].answer
    ('lda', 'better')
    """
    check_known(missing, "missing", MISSING)
    table = read_learners(table, measure, columns, learners)
    if measure is None and measures_of_data_sets(table):
        settings = VerdictOptions(test, correction, alpha, prefer, rope)
        _check_used(settings)
        by_rank = rank_findings(
            table,
            settings=settings,
            control=control,
            greater_is_better=reading.get("greater_is_better"),
            missing=missing,
        )
        return _result(by_rank, test)
    table = with_scores_of_all(table, measure=measure, dataset=None, missing=missing)
    names = data_sets_of(table)
    if len(names) < 2:
        raise DesignError(
            f"data sets of compare_scores_across must be at least two; got {len(names)}. "
            "Judge one by "
            "compare_scores."
        )
    parts = {
        name: compare_scores(
            table,
            measure=measure,
            dataset=name,
            test=test,
            correction=correction,
            alpha=alpha,
            rope=rope,
            **reading,
        )
        for name in names
    }
    owners = {name: {learner.name for learner in part.learners} for name, part in parts.items()}
    for name in names[1:]:
        lacking = sorted(owners[names[0]] ^ owners[name])
        if lacking:
            raise DesignError(
                f"learners must be the same on every data set; got {lacking[0]!r} on one of "
                f"{names[0]} and {name} alone. Add its scores, or leave out data sets without "
                "them by --missing drop-data (missing='drop-data')."
            )
    findings = across_findings(
        parts,
        settings=VerdictOptions(test, correction, alpha, prefer, rope),
        control=control,
        notes=table.notes,
    )
    return _result(replace(findings, warnings=(*table.cautions, *findings.warnings)), test)


def _result(findings: FindingsAcross, test: str) -> ScoreComparisonAcross:
    values = {item.name: getattr(findings, item.name) for item in fields(findings)}
    return ScoreComparisonAcross(**values, test=test)


def _check_used(settings: VerdictOptions) -> None:
    """Refuse settings that a verdict by ranks makes no use of."""
    for name in ("test", "correction", "rope"):
        value = getattr(settings, name)
        if value != getattr(USUAL, name):
            raise InvalidArgumentError(
                f"{name} must be left out where data sets have different measures, because their "
                f"ranks decide by Nemenyi's test; got {value!r}. Name one measure, or leave it out."
            )
