"""What does a report over many data sets look like in a browser and in a notebook."""

from __future__ import annotations

import os
from typing import Any

from bestofk.report.html_page import _filled, _replace, new_file
from bestofk.report.many_data_sets_findings import AcrossFindings
from bestofk.report.many_data_sets_sentences import across_paragraph, pair_in_words
from bestofk.report.many_data_sets_text import (
    MOST_ROWS,
    data_set_rows,
    learner_rows,
    legend,
    opening,
)


def across_html_fragment(findings: AcrossFindings) -> str:
    """Return tables and verdict for a notebook: HTML without scripts.

    Parameters
    ----------
    findings : AcrossFindings
        What is to be reported.

    Returns
    -------
    str
        A div, at most 40 data sets in its table.
    """
    return _filled("many_data_sets.html", {**_content(findings, MOST_ROWS), "is_page": False})


def write_across_html(
    findings: AcrossFindings, path: str | os.PathLike[str], overwrite: bool = False
) -> None:
    """Write one page that holds everything and loads nothing.

    Parameters
    ----------
    findings : AcrossFindings
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


def _content(findings: AcrossFindings, most: int) -> dict[str, Any]:
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
        "pairs": [pair_in_words(pair) for pair in pairs],
        "warnings": findings.warnings,
        "notes": findings.notes,
    }
