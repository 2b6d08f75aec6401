"""Verdict over many data sets from a table of scores: by means, or by ranks of any measures."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from bestofk.array_types import Floats
from bestofk.checks import check_known
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference.many_data_sets.ranks import rank_rows
from bestofk.report.findings.many_data_sets import FindingsAcross, MissingResult, across_findings
from bestofk.report.reported import ReportedVerdict
from bestofk.score_tables.paired_scores import data_sets_of, read_scores
from bestofk.score_tables.score_formats.missing_scores import MISSING, with_scores_of_all
from bestofk.score_tables.score_formats.score_format import ScoreTable
from bestofk.score_tables.score_table import compare_scores
from bestofk.score_tables.table_facts import TableMeasure, judged_measure, read_learners
from bestofk.verdict.decision import USUAL
from bestofk.verdict.many_data_sets import VerdictAcross, decide_across
from bestofk.verdict.verdict_options import VerdictOptions
from bestofk.words import joined_lines

_SHOWN = 3  # learners that a refusal names


def measures_of_data_sets(table: ScoreTable) -> dict[str, int]:
    """Return the number of data sets of each measure, if every data set has only one.

    Parameters
    ----------
    table : ScoreTable
        Of several data sets.

    Returns
    -------
    dict of str to int
        Most frequent first; empty where a data set has several measures, or all have the same.
    """
    if table.usual_measure is not None or "measure" not in table.columns:
        return {}
    names = [
        {str(table.columns["measure"][row]) for row in rows} for rows in table.rows_of.values()
    ]
    counts = Counter(name for of_data_set in names for name in of_data_set)
    is_mixed = len(counts) > 1 and all(len(of_data_set) == 1 for of_data_set in names)
    return dict(counts.most_common()) if is_mixed else {}


def rank_findings(
    table: ScoreTable,
    *,
    settings: VerdictOptions,
    control: str | None = None,
    greater_is_better: bool | None = None,
    missing: str = "refuse",
) -> FindingsAcross:
    """Return the verdict over data sets by ranks, because the measures have no common unit.

    Parameters
    ----------
    table : ScoreTable
        Each data set with one measure.
    settings : VerdictOptions
        Level and preference.
    control : str, optional
        Learner that all others are held against.
    greater_is_better : bool, optional
        The direction, where neither the table nor the names of the measures say it.
    missing : str, default="refuse"
        Anything else leaves out the data sets that a learner lacks, or the learner, whichever
        leaves the most scores.

    Returns
    -------
    FindingsAcross
        Values are ranks (1 is best), nan where a learner or data set is left out.

    Raises
    ------
    DesignError
        If scores are missing and that is to be refused, scores do not pair, or too few are left.
    InvalidArgumentError
        If the direction of a measure is not known, or a value is no number.
    """
    names = list(dict.fromkeys(map(str, table.columns["learner"])))
    losses, gaps = [], []
    for data_set, rows in table.rows_of.items():
        whole, lacking = _by_completeness(table, rows, names)
        gaps += [MissingResult(data_set, name, "no value", why) for name, why in lacking.items()]
        losses.append(_losses(table.part(whole), names, data_set, greater_is_better))
    if gaps and missing == "refuse":
        raise DesignError(_refusal(gaps, len(losses)))
    verdict = decide_across(
        names,
        np.array(losses),
        settings,
        data_sets=list(table.rows_of),
        control=control,
        reasons={(gap.data_set, gap.learner): gap.message or gap.reason for gap in gaps},
        by_ranks=True,
    )
    of_measures = ", ".join(f"{n} by {name}" for name, n in measures_of_data_sets(table).items())
    return FindingsAcross(
        measure=TableMeasure("rank", greater_is_better=False),
        data_sets=tuple(table.rows_of),
        learners=tuple(names),
        baselines=(),
        values=_ranks(np.array(losses), names, list(table.rows_of), verdict),
        p_within=np.full((len(losses), len(names), len(names)), np.nan),
        within_test="",
        verdict=verdict,
        plan_sentence=f"Ranks within data sets ({of_measures}), whose measures have no common mean",
        notes=table.notes,
        warnings=(*table.cautions, *verdict.warnings),
        missing=tuple(gaps),
    )


def _by_completeness(
    table: ScoreTable, rows: Sequence[int], names: Sequence[str]
) -> tuple[list[int], dict[str, str]]:
    """Return the rows of learners with a score on every split, and why the others lack one."""
    columns = table.columns
    keys = [columns.get(name, [0] * len(columns["value"])) for name in ("repeat", "fold")]
    splits = {(str(keys[0][row]), str(keys[1][row])) for row in rows}
    messages = columns.get("message", [None] * len(columns["value"]))
    own: dict[str, list[int]] = {name: [] for name in names}
    for row in rows:
        own[str(columns["learner"][row])].append(row)
    lacking = {
        name: next((str(messages[row]) for row in of_learner if messages[row] is not None), "")
        for name, of_learner in own.items()
        if len(of_learner) < len(splits) or any(columns["value"][row] is None for row in of_learner)
    }
    return [row for row in rows if str(columns["learner"][row]) not in lacking], lacking


def _losses(
    part: ScoreTable, names: Sequence[str], data_set: str, greater_is_better: bool | None
) -> Floats:
    """Return the mean loss of each learner on a data set; nan where it has none."""
    losses = np.full(len(names), np.nan)
    if part.columns["value"]:
        scores = read_scores(part, measure=None, dataset=data_set, cv=None)
        means = judged_measure(scores, greater_is_better).loss(scores.values).mean(axis=1)
        losses[[names.index(name) for name in scores.names]] = means
    return losses


def _ranks(
    losses: Floats, names: Sequence[str], data_sets: Sequence[str], verdict: VerdictAcross
) -> Floats:
    """Return the ranks of the verdict; nan for learners and data sets left out."""
    kept = np.ix_(
        [data_sets.index(name) for name in verdict.data_sets],
        [names.index(name) for name in verdict.order],
    )
    ranks = np.full(losses.shape, np.nan)
    ranks[kept] = rank_rows(losses[kept], greater_is_better=False)
    return ranks


def _refusal(gaps: Sequence[MissingResult], n_data_sets: int) -> str:
    counts = Counter(gap.learner for gap in gaps)
    shown = ", ".join(f"{name} on {count}" for name, count in counts.most_common(_SHOWN))
    more = f" and {len(counts) - _SHOWN} more learners" if len(counts) > _SHOWN else ""
    why = next((f", such as {gap.message!r}" for gap in gaps if gap.message), "")
    return (
        f"scores must be there for all learners on all {n_data_sets} data sets; got none of "
        f"{shown}{more}{why}. Leave out data sets or learners by --missing drop-data "
        "(missing='drop-data')."
    )


@dataclass(frozen=True, eq=False, repr=False)
class ScoreComparisonAcross(FindingsAcross, ReportedVerdict):
    """Verdict on a table of scores of many data sets: the best learner over all of them.

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
        """Content of a report, as plain numbers and sentences."""
        return self

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
    """Compare learners over many data sets by scores computed elsewhere.

    Parameters
    ----------
    table : str, Path or DataFrame of pandas or polars
        Long or wide scores with a column dataset; see `bestofk.compare_scores`.
    test, correction, alpha, rope, prefer
        As for `bestofk.compare_scores`; `test` is used within data sets.
    control : str, optional
        Learner that all others are compared with; None for all pairs.
    columns, learners, measure, missing
        As for `bestofk.compare_scores`.
    **reading
        greater_is_better, cv, n_train and n_test of `bestofk.compare_scores`.

    Returns
    -------
    ScoreComparisonAcross
        ``best`` is the pick.  If data sets have different measures and none is named, ranks
        within data sets decide; `test`, `correction` and `rope` do not apply to ranks and are
        then an error.

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
    settings = VerdictOptions(test, correction, alpha, prefer, rope)
    if measure is None and measures_of_data_sets(table):
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
            "Judge one by compare_scores."
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
    findings = across_findings(parts, settings=settings, control=control, notes=table.notes)
    return _result(replace(findings, warnings=(*table.cautions, *findings.warnings)), test)


def _result(findings: FindingsAcross, test: str) -> ScoreComparisonAcross:
    values = {item.name: getattr(findings, item.name) for item in fields(findings)}
    return ScoreComparisonAcross(**values, test=test)


def _check_used(settings: VerdictOptions) -> None:
    """Raise if settings are given that a verdict by ranks does not use."""
    for name in ("test", "correction", "rope"):
        value = getattr(settings, name)
        if value != getattr(USUAL, name):
            raise InvalidArgumentError(
                f"{name} must be left out where data sets have different measures, because their "
                f"ranks decide by Nemenyi's test; got {value!r}. Name one measure, or leave it out."
            )
