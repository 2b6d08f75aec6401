"""Table of data sets and learners in LaTeX."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bestofk.report.latex import _escaped as escaped
from bestofk.report.many_data_sets_findings import FindingsAcross
from bestofk.report.many_data_sets_sentences import family_line
from bestofk.report.words import listing, number

_MARKS = {1: r"$^{\circ}$", -1: r"$^{\bullet}$", 0: ""}


def across_latex(findings: FindingsAcross, *, reference: str | None = None) -> str:
    r"""Return the table of data sets and learners for LaTeX; it needs the package booktabs.

    Parameters
    ----------
    findings : FindingsAcross
        What is to be reported.
    reference : str, optional
        Learner that others are marked against; the control, else the best, if left out.

    Returns
    -------
    str
        A table environment: a row per data set with its best means bold; a circle where a
        learner is shown to be better than the reference by the splits of the data set alone,
        a bullet where worse; then rows of means, mean ranks and win/tie/loss.

    Raises
    ------
    InvalidArgumentError
        If there is no such learner.
    """
    against = findings.reference(reference)
    names = [escaped(name) for name in findings.ordered]
    lines = [
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{_caption(findings, against)}}}",
        rf"  \begin{{tabular}}{{l{'r' * len(names)}}}",
        r"    \toprule",
        f"    {' & '.join(['data set', *names])} \\\\",
        r"    \midrule",
        *(f"    {' & '.join(row)} \\\\" for row in _rows(findings, against)),
        r"    \midrule",
        *(f"    {' & '.join(row)} \\\\" for row in _summary(findings, against)),
        r"    \bottomrule",
        r"  \end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _rows(findings: FindingsAcross, against: str) -> Iterator[list[str]]:
    alpha = findings.verdict.alpha if findings.verdict else 0.05
    marks = findings.marks(against, alpha)
    losses = np.round(findings.measure.loss(findings.values), 12)
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


def _caption(findings: FindingsAcross, against: str) -> str:
    measure, verdict = findings.measure, findings.verdict
    direction = "higher" if measure.greater_is_better else "lower"
    sentences = [
        f"{measure.title} ({direction} is better) of {len(findings.learners)} learners on "
        f"{len(findings.data_sets)} data sets; {findings.plan_sentence}.",
        "Bold: best mean of the data set, which is no proof.",
    ]
    text = escaped(" ".join(sentences))
    if findings.within_test:
        alpha = 100 * (verdict.alpha if verdict else 0.05)
        text += (
            rf" $\circ$, $\bullet$: shown to be better, worse than {escaped(against)} on that data "
            rf"set ({escaped(findings.within_test)}, level {alpha:g}\,\%, not corrected)."
        )
    text += " " + escaped(f"Win/tie/loss against {against}, by means.")
    if verdict:
        better = [e.better for e in verdict.edges if e.worse == against]
        worse = [e.worse for e in verdict.edges if e.better == against]
        said = [f"{listing(better)} better than {against}"] if better else []
        said += [f"{listing(worse)} worse than {against}"] if worse else []
        shown = " and ".join(said) or f"no difference from {against}"
        text += " " + escaped(f"Shown over data sets: {shown} ({family_line(verdict)}).")
    return text
