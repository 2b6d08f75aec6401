"""Tables of a report over many data sets."""

from __future__ import annotations

from bestofk.report.findings_across import FindingsAcross
from bestofk.report.parts import Row, Table
from bestofk.report.tables import value_cell
from bestofk.report.versus_pick import versus_pick_across
from bestofk.report.words import is_share, number, value_title

MOST_ROWS = 40  # data sets that a text shows; the frame, LaTeX and JSON have all


def across_tables(findings: FindingsAcross) -> list[Table]:
    """Return the printed tables: of the learners, and of the data sets."""
    n_more = len(findings.data_sets) - MOST_ROWS
    rest = f"{n_more} more data sets are not shown here; LaTeX, Markdown and JSON have all of them."
    heads = ["data set", *findings.ordered]
    rows = _data_set_rows(findings)
    return [_learner_table(findings), Table(heads, rows, rest if n_more > 0 else "", MOST_ROWS)]


def _learner_table(findings: FindingsAcross) -> Table:
    verdict, measure = findings.verdict, findings.measure
    reference = findings.reference(None)
    mean_ranks = verdict.mean_ranks if verdict else {}
    answers = versus_pick_across(findings)
    decimals = 1 if is_share(measure) else None
    rows = []
    for name in findings.ordered:
        record = "/".join(map(str, findings.win_tie_loss(name, reference)))
        rank = number(mean_ranks.get(name, float("nan")), 2)
        cells = [value_cell(findings.mean(name), decimals), rank]
        cells += [answers[name].in_words(measure)] if answers else []
        rows.append(Row(name, _role(findings, name), (*cells, "" if name == reference else record)))
    heads = ["learner", f"mean {value_title(measure)}", "mean rank"]
    heads += [f"vs {verdict.best}"] if verdict else []
    foot = "mean ranks describe, they decide nothing"
    left = (0, 3) if answers else (0,)
    return Table([*heads, f"w/t/l against {reference}"], rows, foot, left=left)


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
