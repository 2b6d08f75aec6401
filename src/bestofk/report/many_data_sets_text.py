"""Report over many data sets as plain text and Markdown."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from bestofk.errors import printable
from bestofk.report.many_data_sets_findings import FindingsAcross
from bestofk.report.many_data_sets_sentences import across_paragraph, family_line, pair_in_words
from bestofk.report.markdown import _escaped as escaped_markdown
from bestofk.report.words import number, short_title, times

_WIDTH = 80
PAIRS_TITLE = "Pairs (first won/tied/lost; loss of the first against the second, with its interval)"
MOST_ROWS = 40  # data sets that a text shows; the frame, LaTeX and JSON have all


def across_text(findings: FindingsAcross, width: int | None = None) -> str:
    """Return the report over many data sets as plain text.

    Parameters
    ----------
    findings : FindingsAcross
        What is to be reported.
    width : int, optional
        Columns of the terminal, 80 if not given; sentences are wrapped to it, table rows are
        never cut.

    Returns
    -------
    str
        Without a line break at the end.
    """
    width = width or _WIDTH
    blocks = [[part for line in opening(findings) for part in _wrapped(line, width, "  ")]]
    blocks.append(list(_aligned(learner_rows(findings))))
    blocks.append(_wrapped(legend(findings), width))
    blocks.append(list(_aligned(data_set_rows(findings))))
    if len(findings.data_sets) > MOST_ROWS:
        blocks.append(_wrapped(_rest(findings), width))
    blocks.append(_wrapped(across_paragraph(findings), width))
    for title, texts in _lists(findings):
        if texts:
            bullets = [line for text in texts for line in _wrapped(f"- {text}", width, "  ")]
            blocks.append([f"{title}:", *bullets])
    return printable("\n\n".join("\n".join(block) for block in blocks))


def across_markdown(findings: FindingsAcross) -> str:
    """Return the report over many data sets in Markdown.

    Parameters
    ----------
    findings : FindingsAcross
        What is to be reported.

    Returns
    -------
    str
        GitHub's dialect; special characters of names are escaped.
    """
    parts = [f"## {times(len(findings.data_sets), 'data set')}"]
    parts.append("\n".join(f"- {escaped_markdown(line)}" for line in opening(findings)))
    parts.append(_markdown_table(learner_rows(findings)))
    parts.append(escaped_markdown(across_paragraph(findings)))
    parts.append(_markdown_table(data_set_rows(findings, most=len(findings.data_sets))))
    for title, texts in _lists(findings):
        if texts:
            bullets = "\n".join(f"- {escaped_markdown(text)}" for text in texts)
            parts.append(f"### {title}\n\n{bullets}")
    return "\n\n".join(parts) + "\n"


def _lists(findings: FindingsAcross) -> tuple[tuple[str, Sequence[str]], ...]:
    pairs = findings.verdict.pairs if findings.verdict else []
    return (
        (PAIRS_TITLE, [pair_in_words(pair) for pair in pairs]),
        ("Warnings", findings.warnings),
        ("Notes", findings.notes),
    )


def opening(findings: FindingsAcross) -> list[str]:
    """Return what was compared, how it was sampled, and what decides."""
    measure = findings.measure
    direction = "higher" if measure.greater_is_better else "lower"
    basis = f"Decided by {measure.title} ({direction} is better)"
    if findings.verdict:
        basis += f"; {family_line(findings.verdict)}"
    runs = (
        f"{findings.n_fitted:,} runs done now, {findings.n_reused:,} found in the store, "
        f"{findings.n_failed:,} failed"
    )
    if findings.n_unfinished:
        runs += f", {findings.n_unfinished:,} left"
    return [
        f"{len(findings.learners)} learners on {times(len(findings.data_sets), 'data set')}",
        findings.plan_sentence,
        basis,
        runs if findings.has_runs else "no runs: the scores were given",
    ]


def learner_rows(findings: FindingsAcross) -> list[list[str]]:
    """Return the table of learners, titles first."""
    verdict = findings.verdict
    reference = findings.reference(None)
    title = short_title(findings.measure)
    rows = [["", "learner", f"mean {title}", "mean rank", f"w/t/l against {reference}"]]
    for name in findings.ordered:
        record = "/".join(map(str, findings.win_tie_loss(name, reference)))
        rank = verdict.mean_ranks.get(name, float("nan")) if verdict else float("nan")
        rows.append(
            [
                _mark(findings, name),
                name,
                number(findings.mean(name)),
                number(rank, 2),
                "" if name == reference else record,
            ]
        )
    return rows


def data_set_rows(findings: FindingsAcross, most: int = MOST_ROWS) -> list[list[str]]:
    """Return the table of data sets and learners, titles first."""
    indices = [findings.learners.index(name) for name in findings.ordered]
    rows = [["", "data set", *findings.ordered]]
    for name, values in list(zip(findings.data_sets, findings.values, strict=True))[:most]:
        left_out = findings.verdict is not None and name in findings.verdict.left_out
        rows.append(["x" if left_out else "", name, *(number(values[i]) for i in indices)])
    return rows


def legend(findings: FindingsAcross) -> str:
    """Return what the marks before the learners mean, as far as they occur."""
    best = "best average"
    if findings.verdict and findings.verdict.has_preference:
        best = "preferred, not shown worse"
    words = {"*": best, "+": "may be best as well", "-": "baseline", "x": "takes no part"}
    used = {_mark(findings, name) for name in findings.learners}
    texts = [f"{mark} {said}" for mark, said in words.items() if mark in used]
    return "; ".join([*texts, "mean ranks describe, they decide nothing"])


def _mark(findings: FindingsAcross, name: str) -> str:
    verdict = findings.verdict
    if name in findings.baselines:
        return "-"
    if verdict is None:
        return ""
    if name == verdict.best:
        return "*"
    if name in verdict.candidates:
        return "+"
    return "" if name in verdict.order else "x"


def _rest(findings: FindingsAcross) -> str:
    return (
        f"{len(findings.data_sets) - MOST_ROWS} more data sets are not shown here; LaTeX, Markdown "
        "and JSON have all of them."
    )


def _wrapped(text: str, width: int, indent: str = "") -> list[str]:
    return textwrap.wrap(text, width, subsequent_indent=indent)


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Return lines of a table: mark and name to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for index, (mark, name, *cells) in enumerate(rows):
        numbers = [f"{cell:>{size}}" for cell, size in zip(cells, widths[2:], strict=True)]
        yield "  ".join([f"{mark:<1} {name:<{widths[1]}}", *numbers]).rstrip()
        if index == 0:
            yield "-" * (2 + widths[1] + sum(size + 2 for size in widths[2:]))


def _markdown_table(rows: Sequence[Sequence[str]]) -> str:
    head, *body = ([escaped_markdown(cell) for cell in row[1:]] for row in rows)
    marks = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, marks, *body))
