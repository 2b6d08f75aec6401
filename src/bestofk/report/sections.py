"""Sections of a report, from either kind of findings."""

from __future__ import annotations

from bestofk.report.details import details
from bestofk.report.findings import Findings
from bestofk.report.findings_across import FindingsAcross
from bestofk.report.parts import Sections
from bestofk.report.sentences import paragraph
from bestofk.report.sentences_across import across_paragraph, pair_in_words
from bestofk.report.tables import basis, learner_table, runs_line
from bestofk.report.tables_across import across_tables, opening
from bestofk.report.words import times

PAIRS_TITLE = "Pairs (first won/tied/lost; loss of the first against the second, with its interval)"


def sections(findings: Findings | FindingsAcross) -> Sections:
    """Return the sections of a report.

    Parameters
    ----------
    findings : Findings or FindingsAcross
        Of one data set, or over many.

    Returns
    -------
    Sections
    """
    if isinstance(findings, FindingsAcross):
        pairs = findings.verdict.pairs if findings.verdict else []
        return Sections(
            title=times(len(findings.data_sets), "data set"),
            opening=opening(findings),
            headline="",
            facts=opening(findings),
            tables=across_tables(findings),
            paragraph=across_paragraph(findings),
            lists=[
                (PAIRS_TITLE, [pair_in_words(pair) for pair in pairs]),
                ("Warnings", findings.warnings),
                ("Notes", findings.notes),
            ],
        )
    data, plan, decided = findings.data_sentence, findings.plan_sentence, basis(findings)
    runs = runs_line(findings)
    return Sections(
        title=findings.title,
        opening=[
            findings.headline,
            f"{findings.title}: {data}",
            plan,
            f"Decided by {decided}",
            runs,
        ],
        headline=findings.headline,
        facts=[data, plan, decided, runs],
        tables=[learner_table(findings)],
        paragraph=paragraph(findings),
        lists=[
            ("Warnings", findings.listed_warnings),
            ("Notes", (*details(findings), *findings.notes)),
        ],
    )
