"""Tables and sections of a page about many data sets, as finished pieces of HTML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from markupsafe import Markup

from bestofk.measures.words import short_title
from bestofk.report.findings import Findings
from bestofk.report.findings.many_data_sets import FindingsAcross
from bestofk.report.html.lanes import glyph
from bestofk.report.html.views import cell, head_cells, name_cell
from bestofk.report.parts import Row, Table
from bestofk.report.sections import sections
from bestofk.report.sentences.versus_pick import finding_in_words, versus_pick
from bestofk.report.tables import report_tables
from bestofk.verdict.many_data_sets import AcrossPair
from bestofk.words import number, p_value, probability

Cells = list[Markup]
_OF_PAIRS = (
    "Difference: mean loss of the first minus that of the second, with its interval for this pair "
    "alone. Adjusted: within the family. P: posterior probability."
)


def across_page(findings: FindingsAcross) -> dict[str, Any]:
    """Return the tables of a page about many data sets, and a section per data set.

    Parameters
    ----------
    findings : FindingsAcross
        What is to be reported.

    Returns
    -------
    dict of str to object
        By the names of `many_data_sets.html`: learners, data_sets and pairs, each a head, rows
        and a foot; parts, an iterator over the sections of the data sets.
    """
    learners, data_sets = report_tables(findings, verbose=True)
    links = {name: f"data-set-{i}" for i, name in enumerate(findings.data_sets)}
    return {
        "learners": _table(learners, [*_learner_rows(findings, learners)]),
        "data_sets": _table(data_sets, [_data_set_row(row, links) for row in data_sets.rows]),
        "pairs": _pairs(findings),
        "parts": [
            _part(name, links[name], findings.parts[name])
            for name in findings.data_sets
            if name in findings.parts
        ],
    }


def _table(table: Table, rows: Sequence[Cells]) -> dict[str, Any]:
    return {"head": head_cells(table.heads, table.left), "rows": rows, "foot": table.foot}


def _learner_rows(findings: FindingsAcross, table: Table) -> Iterator[Cells]:
    answers = versus_pick(findings)
    for row in table.rows:
        cells = [
            _opening(row, is_plausible=bool(answers) and answers[row.name].is_plausible),
            name_cell(row.name),
        ]
        for index, text in enumerate(row.cells, start=1):
            is_answer = bool(answers) and index in table.left
            mark = glyph(answers[row.name].answer) if is_answer else ""
            value = 0.0 if is_answer and row.role == "best" else None
            cells.append(cell(text, is_left=index in table.left, before=mark, value=value))
        yield cells


def _opening(row: Row, *, is_plausible: bool = False) -> Markup:
    plausible = Markup(" data-plausible") if is_plausible else ""
    return Markup('<tr class="{}"{}>').format(row.role.replace(" ", "-"), plausible)


def _data_set_row(row: Row, links: dict[str, str]) -> Cells:
    """Return the row of a data set, whose name leads to its section."""
    name = Markup('<th scope="row"><a class="name" title="{0}" href="#{1}">{0}</a></th>').format(
        row.name, links[row.name]
    )
    return [_opening(row), name, *map(cell, row.cells)]


def _pairs(findings: FindingsAcross) -> dict[str, Any]:
    """Return the table of all pairs; without rows where there is no verdict."""
    pairs = findings.verdict.pairs if findings.verdict else []
    heads = ["first", "second", f"difference of loss ({short_title(findings.measure)})", "interval"]
    sides = "one-sided" if findings.verdict and findings.verdict.has_preference else "two-sided"
    heads += ["won/tied/lost", f"p, {sides}", "p, adjusted", "P(about the same)", "answer"]
    left = (0, 1, len(heads) - 1)
    return {"head": head_cells(heads, left), "rows": [*map(_pair_row, pairs)], "foot": _OF_PAIRS}


def _pair_row(pair: AcrossPair) -> Cells:
    return [
        Markup("<tr>"),
        name_cell(pair.first),
        Markup('<td class="left"><span class="name" title="{0}">{0}</span></td>').format(
            pair.second
        ),
        cell(number(pair.difference)),
        cell(f"{number(pair.low)} to {number(pair.high)}"),
        cell(f"{pair.wins}/{pair.ties}/{pair.losses}"),
        cell(p_value(pair.p_value)),
        cell(p_value(pair.p_adjusted)),
        cell(probability(pair.p_equivalent)),
        Markup('<td class="left">{}</td>').format(finding_in_words(pair)),
    ]


def _part(name: str, link: str, findings: Findings) -> dict[str, Any]:
    """Return the section of one data set."""
    report = sections(findings)
    return {"name": name, "id": link, "report": report, "table": report.tables[0]}
