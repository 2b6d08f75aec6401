"""Sections of a report, from either kind of findings."""

from __future__ import annotations

from bestofk.report.answer import answer
from bestofk.report.answer_across import answer_across
from bestofk.report.caveats import caveats
from bestofk.report.details import details
from bestofk.report.details_across import details_across, pair_in_words
from bestofk.report.findings import Findings
from bestofk.report.findings_across import FindingsAcross
from bestofk.report.parts import Sections
from bestofk.report.tables import learner_table
from bestofk.report.tables_across import across_tables
from bestofk.report.words import times

Reportable = Findings | FindingsAcross | Sections
PAIRS_TITLE = "Pairs (first won/tied/lost; loss of the first against the second, with its interval)"


def sections(findings: Reportable, *, verbose: bool = False) -> Sections:
    """Return the sections of a report.

    Parameters
    ----------
    findings : Findings, FindingsAcross or Sections
        Of one data set, or over many; sections are returned as they are.
    verbose : bool, default=False
        Whether the table shows all measures; over data sets, whether all pairs are listed.

    Returns
    -------
    Sections
    """
    if isinstance(findings, Sections):
        return findings
    if isinstance(findings, FindingsAcross):
        pairs = findings.verdict.pairs if findings.verdict and verbose else []
        return Sections(
            title=times(len(findings.data_sets), "data set"),
            answer=answer_across(findings),
            tables=across_tables(findings),
            details=details_across(findings),
            caveats=caveats(findings),
            lists=[(PAIRS_TITLE, [pair_in_words(pair) for pair in pairs])],
        )
    return Sections(
        title=findings.title,
        answer=answer(findings),
        tables=[learner_table(findings, verbose=verbose)],
        details=details(findings),
        caveats=caveats(findings),
        guessed=findings.guesses,
    )
