"""Tables of a report over many data sets."""

from __future__ import annotations

from bestofk.report.findings_across import FindingsAcross
from bestofk.report.parts import MARKS, Row, Table
from bestofk.report.sentences_across import family_line
from bestofk.report.words import number, short_title, times

MOST_ROWS = 40  # data sets that a text shows; the frame, LaTeX and JSON have all


def opening(findings: FindingsAcross) -> list[str]:
    """Return what was compared, how it was sampled, and what decides."""
    measure = findings.measure
    direction = "higher" if measure.greater_is_better else "lower"
    basis = f"Decided by {measure.title} ({direction} is better)"
    if findings.verdict:
        basis += f"; {family_line(findings.verdict)}"
    runs = (
        f"{findings.n_fitted:,} runs done now, {findings.n_reused:,} found in the store, "
        f"{findings.n_failed:,} failed"
    )
    if findings.n_unfinished:
        runs += f", {findings.n_unfinished:,} left"
    return [
        f"{len(findings.learners)} learners on {times(len(findings.data_sets), 'data set')}",
        findings.plan_sentence,
        basis,
        runs if findings.has_runs else "no runs: the scores were given",
    ]


def across_tables(findings: FindingsAcross) -> list[Table]:
    """Return the printed tables: of the learners, and of the data sets."""
    n_more = len(findings.data_sets) - MOST_ROWS
    rest = f"{n_more} more data sets are not shown here; LaTeX, Markdown and JSON have all of them."
    heads = ["data set", *findings.ordered]
    rows = _data_set_rows(findings)
    return [_learner_table(findings), Table(heads, rows, rest if n_more > 0 else "", MOST_ROWS)]


def _learner_table(findings: FindingsAcross) -> Table:
    reference = findings.reference(None)
    mean_ranks = findings.verdict.mean_ranks if findings.verdict else {}
    rows = []
    for name in findings.ordered:
        record = "/".join(map(str, findings.win_tie_loss(name, reference)))
        rank = number(mean_ranks.get(name, float("nan")), 2)
        cells = (number(findings.mean(name)), rank, "" if name == reference else record)
        rows.append(Row(name, _role(findings, name), "", cells))
    title = f"mean {short_title(findings.measure)}"
    heads = ["learner", title, "mean rank", f"w/t/l against {reference}"]
    return Table(heads, rows, _legend(findings, rows))


def _data_set_rows(findings: FindingsAcross) -> list[Row]:
    indices = [findings.learners.index(name) for name in findings.ordered]
    left_out = findings.verdict.left_out if findings.verdict else {}
    return [
        Row(name, "left out" if name in left_out else "", "", tuple(map(number, values[indices])))
        for name, values in zip(findings.data_sets, findings.values, strict=True)
    ]


def _legend(findings: FindingsAcross, rows: list[Row]) -> str:
    """Return what the marks before the learners mean, as far as they occur."""
    is_preferred = findings.verdict is not None and findings.verdict.has_preference
    words = {
        "best": "preferred, not shown worse" if is_preferred else "best average",
        "candidate": "may be best as well",
        "baseline": "baseline",
        "left out": "takes no part",
    }
    roles = {row.role for row in rows}
    texts = [f"{mark} {words[role]}" for role, mark in MARKS.items() if role in roles]
    return "; ".join([*texts, "mean ranks describe, they decide nothing"])


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
