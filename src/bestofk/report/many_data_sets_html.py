"""Report over many data sets as an HTML page, and as a fragment for notebooks."""

from __future__ import annotations

import os
from typing import Any

from bestofk.report import plots
from bestofk.report.html_page import _filled, _replace, new_file
from bestofk.report.many_data_sets_findings import FindingsAcross
from bestofk.report.many_data_sets_sentences import across_paragraph, pair_in_words
from bestofk.report.many_data_sets_text import (
    MOST_ROWS,
    data_set_rows,
    learner_rows,
    legend,
    opening,
)
from bestofk.report.svg import inline_svg
from bestofk.report.words import short_title

MOST_DRAWN = 12  # learners; more cells cannot be read


def across_html_fragment(findings: FindingsAcross) -> str:
    """Return tables and verdict for a notebook: HTML without scripts.

    Parameters
    ----------
    findings : FindingsAcross
        What is to be reported.

    Returns
    -------
    str
        A div, at most 40 data sets in its table.
    """
    return _filled("many_data_sets.html", {**_content(findings, MOST_ROWS), "is_page": False})


def write_across_html(
    findings: FindingsAcross, path: str | os.PathLike[str], overwrite: bool = False
) -> None:
    """Write one page that holds everything and loads nothing.

    Parameters
    ----------
    findings : FindingsAcross
        What is to be reported.
    path : str or Path
        The file.
    overwrite : bool, default=False
        Whether an existing file may be replaced. It is replaced as a whole or not at all.

    Raises
    ------
    InvalidArgumentError
        If the file exists and may not be replaced, its folder does not exist, or it cannot be
        written.
    """
    target = new_file(path, overwrite=overwrite)
    content = {**_content(findings, len(findings.data_sets)), "is_page": True}
    _replace(target, _filled("many_data_sets.html", content))


def _content(findings: FindingsAcross, most: int) -> dict[str, Any]:
    pairs = findings.verdict.pairs if findings.verdict else []
    title, *facts = opening(findings)
    return {
        "title": title,
        "facts": facts,
        "paragraph": across_paragraph(findings),
        "best": findings.verdict.best if findings.verdict else "",
        "learners": learner_rows(findings),
        "legend": legend(findings),
        "data_sets": data_set_rows(findings, most),
        "matrix": _matrix(findings),
        "pairs": [pair_in_words(pair) for pair in pairs],
        "warnings": findings.warnings,
        "notes": findings.notes,
    }


def _matrix(findings: FindingsAcross) -> str:
    """Return the picture of all pairs; empty where not all pairs were tested, or too many."""
    verdict = findings.verdict
    if verdict is None or verdict.control or not 2 <= len(verdict.order) <= MOST_DRAWN:
        return ""
    display = plots.MultiComparisonMatrixDisplay.from_result(
        verdict.matrix, measure_title=f"loss by {short_title(findings.measure)}"
    )
    return inline_svg(display, prefix="across-matrix", title="All pairs of learners")
