"""Report in Markdown."""

from __future__ import annotations

import re
from html import escape

from bestofk.report.parts import Table
from bestofk.report.sections import Reportable, sections
from bestofk.words import printable

_SPECIAL = re.compile(r"([\\`*_{}\[\]|#~$])")


def to_markdown(findings: Reportable) -> str:
    """Return the report in Markdown: answer, tables with all measures, details, caveats, guesses.

    Parameters
    ----------
    findings : Findings, FindingsAcross or Sections
        What is to be reported.

    Returns
    -------
    str
        GitHub's dialect; special characters of names are escaped.
    """
    report = sections(findings, verbose=True)
    first, *others = map(_escaped, report.answer)
    parts = [f"## {_escaped(report.title)}", f"**{first}**", *others, *map(_table, report.tables)]
    for title, texts in report.titled_lists():
        parts.append(f"### {title}\n\n" + "\n".join(f"- {_escaped(text)}" for text in texts))
    return "\n\n".join(parts) + "\n"


def _table(table: Table) -> str:
    lines = [[_escaped(head) for head in table.heads]]
    n_columns = len(table.heads)
    lines.append(["---" if index in table.left else "---:" for index in range(n_columns)])
    for row in table.rows:
        name = _escaped(row.name)
        cells = map(_escaped, row.cells)
        lines.append([f"**{name}**" if row.role == "best" else name, *cells])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _escaped(text: str) -> str:
    line = escape(printable(" ".join(text.split())), quote=False)  # no HTML, in any dialect
    return _SPECIAL.sub(r"\\\1", line)
