"""Table of learners in LaTeX."""

from __future__ import annotations

from bestofk.report.findings import Findings
from bestofk.report.tables import Row, basis, rows, titles

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    '"': r"\textquotedbl{}",
    "µ": r"$\mu$",
    "[": "{[}",  # at the beginning of a row it would be an option of the line break before it
}


def to_latex(findings: Findings) -> str:
    r"""Return the table of learners for LaTeX; it needs the package booktabs.

    Parameters
    ----------
    findings : Findings
        What is to be reported.

    Returns
    -------
    str
        A table environment. The best learner is bold, learners that may be best carry a
        dagger; the caption says data, measure, plan, test, correction and level.
    """
    heads = titles(findings)
    lines = [
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{_caption(findings)}}}",
        rf"  \begin{{tabular}}{{l{'r' * len(heads)}}}",
        r"    \toprule",
        f"    {' & '.join(['learner', *map(_escaped, heads)])} \\\\",
        r"    \midrule",
        *(f"    {_line(findings, row)} \\\\" for row in rows(findings)),
        r"    \bottomrule",
        r"  \end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _line(findings: Findings, row: Row) -> str:
    name = _escaped(row.name)
    if row.role == "best":
        name = rf"\textbf{{{name}}}"
    if row.name in findings.verdict.candidates:
        name += r"$^{\dagger}$"
    cells = [_escaped(cell) for cell in row.cells]
    if row.role == "best":
        cells[0] = rf"\textbf{{{cells[0]}}}"
    return " & ".join([name, *cells])


def _caption(findings: Findings) -> str:
    verdict = findings.verdict
    sentences = [
        f"{len(findings.learners)} learners on {findings.title} ({findings.data_sentence}).",
        f"{findings.plan_sentence}.",
        f"Decided by {basis(findings)}.",
    ]
    if verdict.best is not None:
        sentences.append(f"Bold: {findings.why_best}, which is no proof.")
    text = _escaped(" ".join(sentences))
    # candidates come from one Holm family of all ordered pairs, whatever the pick rests on
    return text + (
        r" $\dagger$: not shown to be worse than any other." if verdict.candidates else ""
    )


def _escaped(text: str) -> str:
    return "".join(_SPECIAL.get(character, character) for character in " ".join(text.split()))
