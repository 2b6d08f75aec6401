"""Sections of a report, from either kind of findings."""

from __future__ import annotations

from bestofk.report.findings import Findings
from bestofk.report.findings.many_data_sets import FindingsAcross
from bestofk.report.parts import Sections
from bestofk.report.sentences.answer import answer
from bestofk.report.sentences.caveats import caveats
from bestofk.report.sentences.details import details
from bestofk.report.sentences.details_across import details_across, missing_lines, pair_in_words
from bestofk.report.tables import report_tables

REMARKS_TITLE = "Caveats of single data sets"
MISSING_TITLE = "Missing results"
Reportable = Findings | FindingsAcross | Sections
PAIRS_TITLE = "Pairs (first won/tied/lost; loss of the first against the second, with its interval)"


def behind(findings: FindingsAcross, *, pairs: bool = True) -> list[tuple[str, list[str]]]:
    """Return what stands behind the verdict over data sets: pairs, gaps, single caveats."""
    shown = findings.verdict.pairs if findings.verdict and pairs else []
    return [
        (PAIRS_TITLE, [pair_in_words(pair) for pair in shown]),
        (MISSING_TITLE, missing_lines(findings)),
        (REMARKS_TITLE, list(findings.remarks)),
    ]


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
    lists, most = [], {"Details": 8}
    if isinstance(findings, FindingsAcross):
        facts, most = details_across(findings), {"Details": 4, "Caveats": 4}
        lists = behind(findings) if verbose else []
    else:
        facts = details(findings)
    return Sections(
        title=findings.title,
        answer=answer(findings),
        tables=report_tables(findings, verbose=verbose),
        details=facts,
        caveats=caveats(findings),
        guessed=findings.guesses,
        lists=lists,
        most=most,
    )
