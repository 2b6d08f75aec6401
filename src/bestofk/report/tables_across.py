"""Tables of a report over many data sets."""

from __future__ import annotations

import math

from bestofk.measures.words import is_share, value_title
from bestofk.report.findings_across import FindingsAcross
from bestofk.report.parts import Row, Table
from bestofk.report.tables import value_cell
from bestofk.report.versus_pick import versus_pick_across
from bestofk.verdict.many_data_sets import VerdictAcross

MOST_ROWS = 10  # data sets whose table stands on the first screen


def across_tables(findings: FindingsAcross, *, verbose: bool = False) -> list[Table]:
    """Return the printed tables: of the learners, and of the data sets.

    Parameters
    ----------
    findings : FindingsAcross
        What is to be reported.
    verbose : bool, default=False
        Whether the data sets are shown, however many there are.

    Returns
    -------
    list of Table
        One or two.
    """
    if len(findings.data_sets) > MOST_ROWS and not verbose:
        return [_learner_table(findings)]
    table = Table(["data set", *findings.ordered], _data_set_rows(findings))
    return [_learner_table(findings), table]


def _learner_table(findings: FindingsAcross) -> Table:
    verdict, measure = findings.verdict, findings.measure
    reference = findings.reference(None)
    mean_ranks = verdict.mean_ranks if verdict else {}
    answers = versus_pick_across(findings)
    decimals, means = 1 if is_share(measure) else None, findings.means()
    has_means = verdict is None or not verdict.is_by_ranks
    rows = []
    for name in findings.ordered:
        role = _role(findings, name)
        record = "/".join(map(str, findings.win_tie_loss(name, reference)))
        if name == reference or role == "left out":
            record = ""
        rank = mean_ranks.get(name, math.nan)
        cells = [value_cell(means[name], decimals)] if has_means else []
        cells.append("-" if math.isnan(rank) else f"{rank:.2f}")
        if answers:
            cells.append(role if role == "left out" else answers[name].in_words(measure))
        rows.append(Row(name, role, (*cells, record)))
    heads = ["learner", *([f"mean {value_title(measure)}"] if has_means else []), "mean rank"]
    heads += [f"vs {verdict.best}"] if verdict else []
    what = "decide" if verdict and verdict.is_by_ranks else "describe, they decide nothing"
    foot = f"mean ranks {what}{_critical_difference(verdict)}"
    left = (0, 2 + has_means) if answers else (0,)
    return Table([*heads, f"w/t/l against {reference}"], rows, foot, left=left)


def _critical_difference(verdict: VerdictAcross | None) -> str:
    """Return how far apart mean ranks are that differ significantly, by which test."""
    if verdict is None or verdict.has_preference:
        return ""
    test = "Bonferroni-Dunn" if verdict.control else "Nemenyi"
    return f"; critical difference {verdict.critical_difference:.2f} ({test}, {verdict.alpha:.0%})"


def _data_set_rows(findings: FindingsAcross) -> list[Row]:
    indices = [findings.learners.index(name) for name in findings.ordered]
    left_out = findings.verdict.left_out if findings.verdict else {}
    decimals = 1 if is_share(findings.measure) else None
    return [
        Row(
            name,
            "left out" if name in left_out else "",
            tuple(value_cell(value, decimals) for value in values[indices].tolist()),
        )
        for name, values in zip(findings.data_sets, findings.values, strict=True)
    ]


def _role(findings: FindingsAcross, name: str) -> str:
    verdict = findings.verdict
    if name in findings.baselines:
        return "baseline"
    if verdict is None:
        return ""
    if name == verdict.best:
        return "best"
    if name in verdict.candidates:
        return "candidate"
    return "" if name in verdict.order else "left out"
