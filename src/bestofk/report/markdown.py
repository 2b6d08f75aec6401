"""Report in Markdown."""

from __future__ import annotations

import re

from bestofk.report.findings import Findings
from bestofk.report.sentences import paragraph
from bestofk.report.tables import basis, rows, runs_line, titles

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~$])")


def to_markdown(findings: Findings) -> str:
    """Return the report in Markdown: headline, basis, table, paragraph, warnings, notes.

    Parameters
    ----------
    findings : Findings
        What is to be reported.

    Returns
    -------
    str
        GitHub's dialect; special characters of names are escaped.
    """
    parts = [f"## {_escaped(findings.title)}"]
    if findings.headline:
        parts.append(_escaped(findings.headline))
    lines = (findings.data_sentence, findings.plan_sentence, basis(findings), runs_line(findings))
    parts.append("\n".join(f"- {_escaped(line)}" for line in lines))
    parts.append(_table(findings))
    parts.append(_escaped(paragraph(findings)))
    for title, texts in (("Warnings", findings.listed_warnings), ("Notes", findings.notes)):
        if texts:
            parts.append(f"### {title}\n\n" + "\n".join(f"- {_escaped(text)}" for text in texts))
    return "\n\n".join(parts) + "\n"


def _table(findings: Findings) -> str:
    heads = ["learner", *titles(findings), "note"]
    marks = ["---", *["---:"] * len(titles(findings)), "---"]
    lines = [heads, marks]
    for row in rows(findings):
        name = _escaped(row.name)
        bold = f"**{name}**" if row.role == "best" else name
        lines.append([bold, *row.cells, _escaped(row.note)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))
