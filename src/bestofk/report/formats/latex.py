"""Tables of a report in LaTeX."""

import re
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from bestofk.measures.ties import tied_values
from bestofk.report.findings import Findings, FindingsAcross
from bestofk.report.parts import Row, Sections, Table
from bestofk.report.sections import Reportable, learner_table
from bestofk.report.sentences.answers import answer
from bestofk.report.sentences.details import details, tuning_methods
from bestofk.report.sentences.details_across import family_line
from bestofk.words import listing, number, printable

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
    "|": r"\textbar{}",
    "`": "{`}",  # two of them would be one quotation mark
    "\0": "``",
    '"': "''",
    "µ": r"$\mu$",
    "\u03bc": r"$\mu$",
    "\u2212": "$-$",
    "\u2190": r"$\leftarrow$",
    "\u2192": r"$\rightarrow$",
    "\u2248": r"$\approx$",
    "\u2264": r"$\leq$",
    "\u2265": r"$\geq$",
    "[": "{[}",  # at the beginning of a row it would be an option of the line break before it
}
_OPENING_QUOTE = re.compile(r'(?<![^\s(])"')  # the character of code 0 stands for it
_MARKS = {1: r"$^{\circ}$", -1: r"$^{\bullet}$", 0: ""}


def to_latex(findings: Reportable, *, reference: str | None = None) -> str:
    r"""Return the table for LaTeX; it needs the package booktabs.

    Parameters
    ----------
    findings : Findings, FindingsAcross or Sections
        What is to be reported.
    reference : str, optional
        Over data sets, the learner that others are marked against; the control, else the best,
        if left out.

    Returns
    -------
    str
        A table environment. Of one data set: a row per learner; the best one is bold, those that
        no other is significantly better than carry a dagger; the caption says data, measure,
        plan, test, correction and level. Over data sets: a row per data set with its best means
        bold; a circle where a learner is better than the reference by the splits of the data set
        alone, a bullet where worse; then rows of means, mean ranks and win/tie/loss. Of sections:
        each table, with the answer as caption of the first.

    Raises
    ------
    InvalidArgumentError
        If there is no such learner.
    """
    if isinstance(findings, Sections):
        answer_first = [
            " ".join([f"{findings.title}.", *findings.answer]),
            *[""] * len(findings.tables),
        ]
        return "\n".join(map(_any_table, findings.tables, answer_first))
    if isinstance(findings, Findings):
        table = learner_table(findings)
        heads = [escaped(head) for head in table.heads]
        body = (_line(findings, row) for row in table.rows)
        return _table(_caption(findings), heads, table.left, body)
    against = findings.reference(reference)
    heads = ["data set", *map(escaped, findings.ordered)]
    bodies = _data_set_rows(findings, against), _summary(findings, against)
    return _table(_caption_across(findings, against), heads, (0,), *bodies)


def _any_table(table: Table, above: str) -> str:
    caption = escaped(f"{above} {table.foot}".strip())
    body = [[escaped(cell) for cell in (row.name, *row.cells)] for row in table.rows]
    return _table(caption, [escaped(head) for head in table.heads], table.left, body)


def _table(
    caption: str, heads: list[str], left: Sequence[int], *bodies: Iterable[list[str]]
) -> str:
    """Return a table environment; a line stands above each body."""
    columns = "".join("l" if index in left else "r" for index in range(len(heads)))
    lines = [
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{caption}}}",
        rf"  \begin{{tabular}}{{{columns}}}",
        r"    \toprule",
        f"    {' & '.join(heads)} \\\\",
    ]
    for body in bodies:
        lines += [r"    \midrule", *(f"    {' & '.join(row)} \\\\" for row in body)]
    lines += [r"    \bottomrule", r"  \end{tabular}", r"\end{table}"]
    return "\n".join(lines) + "\n"


def _line(findings: Findings, row: Row) -> list[str]:
    name = escaped(row.name)
    if row.role == "best":
        name = rf"\textbf{{{name}}}"
    if row.name in findings.verdict.candidates:
        name += r"$^{\dagger}$"
    cells = [escaped(cell) for cell in row.cells]
    if row.role == "best":
        cells[0] = rf"\textbf{{{cells[0]}}}"
    return [name, *cells]


def _caption(findings: Findings) -> str:
    """Return what a reader must know to read the table, then the answer but for its first line."""
    _, others, claim = answer(findings)
    plan, test, *_ = [text for text in details(findings) if text != findings.headline]
    sentences = [f"{len(findings.learners)} learners on {findings.title}.", plan, test]
    sentences += [f"{text}." for text in tuning_methods([findings])]
    if findings.verdict.best is not None:
        sentences.append(f"Bold: the pick, {findings.verdict.best}.")
        sentences += [others, claim]
    text = escaped(" ".join(sentences))
    other = "less preferred" if findings.verdict.has_preference else "other"
    dagger = rf" $\dagger$: no {other} learner is significantly better."
    return text + (dagger if findings.verdict.candidates else "")


def _data_set_rows(findings: FindingsAcross, against: str) -> Iterator[list[str]]:
    alpha = findings.verdict.alpha if findings.verdict else 0.05
    marks = findings.marks(against, alpha)
    losses = tied_values(findings.measure.loss(findings.values))
    indices = [findings.learners.index(name) for name in findings.ordered]
    for row, name in enumerate(findings.data_sets):
        known = losses[row][~np.isnan(losses[row])]
        cells = []
        for i in indices:
            text = number(float(findings.values[row, i]))
            if known.size and losses[row, i] == known.min():
                text = rf"\textbf{{{text}}}"
            cells.append(("--" if text == "-" else text) + _MARKS[int(marks[row, i])])
        yield [escaped(name), *cells]


def _summary(findings: FindingsAcross, against: str) -> Iterator[list[str]]:
    names, verdict = findings.ordered, findings.verdict
    yield ["mean", *(_dashed(findings.mean(name)) for name in names)]
    if verdict:
        ranks = [verdict.mean_ranks.get(name, float("nan")) for name in names]
        yield ["mean rank", *(_dashed(rank, 2) for rank in ranks)]
    yield [
        "win/tie/loss",
        *(
            "--" if name == against else "/".join(map(str, findings.win_tie_loss(name, against)))
            for name in names
        ),
    ]


def _dashed(value: float, digits: int = 4) -> str:
    text = number(value, digits)
    return "--" if text == "-" else text


def _caption_across(findings: FindingsAcross, against: str) -> str:
    measure, verdict = findings.measure, findings.verdict
    direction = "higher" if measure.greater_is_better else "lower"
    sentences = [
        f"{measure.title} ({direction} is better) of {len(findings.learners)} learners on "
        f"{len(findings.data_sets)} data sets; {findings.plan_sentence}.",
        "Bold: best mean of the data set.",
    ]
    text = escaped(" ".join(sentences))
    if findings.within_test:
        alpha = 100 * (verdict.alpha if verdict else 0.05)
        text += (
            rf" $\circ$, $\bullet$: significantly better, worse than {escaped(against)} on that "
            rf"data set ({escaped(findings.within_test)}, level {alpha:g}\%, not corrected)."
        )
    text += " " + escaped(f"Win/tie/loss against {against}, by means.")
    if verdict:
        better = [e.better for e in verdict.edges if e.worse == against]
        worse = [e.worse for e in verdict.edges if e.better == against]
        said = [f"{listing(better)} significantly better than {against}"] if better else []
        said += [f"{listing(worse)} significantly worse than {against}"] if worse else []
        shown = " and ".join(said) or f"no learner differs significantly from {against}"
        text += " " + escaped(f"Over data sets: {shown} ({family_line(verdict)}).")
    return text


def escaped(text: str) -> str:
    """Return a text on one line, special characters of LaTeX escaped.

    Letters of other scripts than Latin stay as they are: they need XeLaTeX or LuaLaTeX.
    """
    line = _OPENING_QUOTE.sub("\0", printable(" ".join(text.split())))
    return "".join(_SPECIAL.get(character, character) for character in line)
