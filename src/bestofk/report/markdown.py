"""Report in Markdown."""

from __future__ import annotations

import re

from bestofk.report.findings import Findings
from bestofk.report.findings_across import FindingsAcross
from bestofk.report.parts import Table
from bestofk.report.sections import sections

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~$])")


def to_markdown(findings: Findings | FindingsAcross) -> str:
    """Return the report in Markdown: headline, facts, tables, paragraph, warnings, notes.

    Parameters
    ----------
    findings : Findings or FindingsAcross
        What is to be reported.

    Returns
    -------
    str
        GitHub's dialect; special characters of names are escaped.
    """
    report = sections(findings)
    learners, *others = map(_table, report.tables)
    facts = "\n".join(f"- {_escaped(line)}" for line in report.facts)
    parts = [f"## {_escaped(report.title)}", _escaped(report.headline), facts, learners]
    parts += [_escaped(report.paragraph), *others]
    for title, texts in report.lists:
        if texts:
            parts.append(f"### {title}\n\n" + "\n".join(f"- {_escaped(text)}" for text in texts))
    return "\n\n".join(filter(None, parts)) + "\n"


def _table(table: Table) -> str:
    lines = [[_escaped(head) for head in table.heads]]
    lines.append(["---", *["---:"] * (len(table.heads) - 1)])
    for row in table.rows:
        name = _escaped(row.name)
        lines.append([f"**{name}**" if row.role == "best" else name, *row.cells])
    if table.has_notes:
        notes = ["note", "---", *(row.note for row in table.rows)]
        for line, note in zip(lines, notes, strict=True):
            line.append(_escaped(note))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))
