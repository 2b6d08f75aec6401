"""Parts of a page, its tables as finished pieces of HTML, and views that switches change."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from markupsafe import Markup, escape

from bestofk.array_types import Floats
from bestofk.measures.words import is_share, short_title
from bestofk.report.findings import Findings, FindingsAcross
from bestofk.report.html.drawings import ClassCurves, difference_lanes, glyph, key_of
from bestofk.report.parts import Row, Table
from bestofk.report.sections import learner_table, report_tables, sections
from bestofk.report.sentences.answers import (
    BETTER,
    EQUIVALENT,
    IN_WORDS,
    UNDECIDED,
    WORSE,
    answer,
    finding_in_words,
    versus_pick,
)
from bestofk.verdict import EQUIVALENT as ALIKE
from bestofk.verdict.verdict import column
from bestofk.words import fixed, number, p_value, probability

# What can be switched, in the order in which keys of `Switches` name it.
CHOICES = ("measure", "test", "correction", "alpha", "preference")
_LABELS = ("Measure", "Test", "Correction", "Level", "Preference")
FEWEST_IN_MATRIX, MOST_IN_MATRIX = 3, 40  # learners
_LEFT = ' class="left"'
Cells = Sequence[str]  # HTML whose texts are escaped
Column = tuple[str, ...]
_OF_PAIRS = (
    "Difference: mean loss of the first minus that of the second, with its interval for this pair "
    "alone. Adjusted: within the family. P: posterior probability."
)


@dataclass(frozen=True)
class Switches:
    """Findings of the same runs by other choices, computed beforehand.

    Parameters
    ----------
    options : mapping of str to mapping of str to str
        For each of `CHOICES` the values and what they are called.
    start : tuple of str
        The choices of the report itself, in the order of `CHOICES`.
    findings : mapping of tuple of str to Findings
        By choices; those that do not go together are left out.
    """

    options: Mapping[str, Mapping[str, str]]
    start: tuple[str, ...]
    findings: Mapping[tuple[str, ...], Findings]


@dataclass(frozen=True, eq=False)
class PageParts:
    """Everything that a page shows beyond the findings.

    Parameters
    ----------
    switches : Switches or None
        None for a page without them.
    curves : sequence of ClassCurves
        One per class, or that of the positive class alone.
    values : mapping of str to ndarray of shape (n_rows, 2)
        Regression: of each learner the true and the predicted value of test rows.
    command, python : str
        Line of a shell, and of Python, that give the same page; empty where unknown.
    within : str
        Many data sets: name of the test within data sets.
    """

    switches: Switches | None = None
    curves: Sequence[ClassCurves] = ()
    values: Mapping[str, Floats] = field(default_factory=dict)
    command: str = ""
    python: str = ""
    within: str = ""


@dataclass(frozen=True)
class View:
    """Pieces of HTML that a choice of measure, test, correction, level and preference changes.

    Parameters
    ----------
    answer : sequence of Markup
        Three lines.
    learners_head, pairs_head : sequence of Markup
        Heads of the tables, a row each.
    learners, pairs : sequence of tuple of str
        Columns: the opening tags of the rows, then their cells. Most choices change few columns.
    lanes : sequence of Markup
        The picture of differences.
    """

    answer: Sequence[Markup]
    learners_head: Sequence[Markup]
    learners: Sequence[Column]
    pairs_head: Sequence[Markup]
    pairs: Sequence[Column]
    lanes: Sequence[Markup]


def view_of(findings: Findings) -> View:
    """Return the pieces of HTML that findings give."""
    table = learner_table(findings, verbose=True)
    pairs_head, pairs = pair_columns(findings)
    return View(
        answer=[Markup.escape(line) for line in answer(findings)],
        learners_head=head_cells(tuple(table.heads), tuple(table.left)),
        learners=_learner_columns(findings, table),
        pairs_head=pairs_head,
        pairs=pairs,
        lanes=difference_lanes(findings),
    )


def views_as_json(switches: Switches) -> Markup:
    """Return all views as JSON that can stand in a script element; equal pieces stand once.

    Parameters
    ----------
    switches : Switches
        Findings by choices.

    Returns
    -------
    Markup
        An object: pieces, the pieces of HTML; lists, positions in pieces; and views by their
        choices, joined by bars, each with positions in lists: one of its part, of tables one of
        each column.
    """
    pieces: dict[str, int] = {}
    lists: dict[Cells, int] = {}

    def position(part: Sequence[Any]) -> Any:
        """Return the position of a list of pieces, or those of the columns of a table."""
        if part and isinstance(part[0], tuple):
            return [lists.setdefault(column, len(lists)) for column in part]
        return lists.setdefault(tuple(part), len(lists))

    views: dict[str, dict[str, Any]] = {}
    for choices, findings in switches.findings.items():
        parts = vars(view_of(findings))
        views["|".join(choices)] = {name: position(part) for name, part in parts.items()}
    rows = [[pieces.setdefault(piece, len(pieces)) for piece in part] for part in lists]
    content = {"pieces": list(pieces), "lists": rows, "views": views}
    return Markup(json.dumps(content, separators=(",", ":")).replace("<", "\\u003c"))


def controls(switches: Switches) -> list[dict[str, Any]]:
    """Return the switches that have more than one position: name, label, options, start."""
    return [
        {
            "name": name,
            "label": label,
            "options": list(switches.options[name].items()),
            "start": start,
        }
        for name, label, start in zip(CHOICES, _LABELS, switches.start, strict=True)
    ]


@lru_cache(maxsize=64)
def head_cells(heads: tuple[str, ...], left: tuple[int, ...]) -> list[Markup]:
    """Return the heads of a table that can be sorted; some stand left."""
    return [
        Markup(
            f'<th scope="col"{_LEFT * (index in left)}><button type="button">'
            f"{escape(' '.join(head.split()))}</button></th>"
        )
        for index, head in enumerate(heads)
    ]


def _learner_columns(findings: Findings | FindingsAcross, table: Table) -> list[Column]:
    answers = versus_pick(findings)
    opening = [
        _opening(row, is_plausible=bool(answers) and answers[row.name].is_plausible)
        for row in table.rows
    ]
    columns = [tuple(opening), _written(name_cell, tuple(row.name for row in table.rows))]
    for index, texts in enumerate(zip(*(row.cells for row in table.rows), strict=True), start=1):
        if answers and index in table.left:
            sign = -1 if findings.measure.greater_is_better else 1
            said = [answers[row.name] for row in table.rows]
            marks = tuple(item.answer for item in said)
            differences = tuple(sign * item.difference for item in said)
            columns.append(_written(_versus_cell, texts, marks, differences))
        else:
            columns.append(_written(cell, texts))
    return columns


def _versus_cell(text: str, answer: str, difference: float) -> str:
    return f'<td class="left"{_sorted_by(difference)}>{glyph(answer)}{escape(text)}</td>'


def cell(text: str, value: float | None = None) -> str:
    """Return a cell; it is sorted by a value, by the number in its text if none is given."""
    return f"<td{'' if value is None else _sorted_by(value)}>{escape(text)}</td>"


def _sorted_by(value: float) -> str:
    return f' data-value="{"" if math.isnan(value) else format(value, ".12g")}"'


def name_cell(name: str) -> str:
    """Return the head of a row, shortened by the style sheet where it is long."""
    return f'<th scope="row">{_name(name)}</th>'


def _name(name: str) -> str:
    return f'<span class="name" title="{escape(name)}">{escape(name)}</span>'


def pair_columns(findings: Findings | FindingsAcross) -> tuple[list[Markup], list[Column]]:
    """Return head and columns of the table of all pairs; without cells where there is no verdict.

    Parameters
    ----------
    findings : Findings or FindingsAcross
        What is to be reported.

    Returns
    -------
    head : list of Markup
        A cell per column.
    columns : list of tuple of str
        The opening tags of the rows, then the columns.
    """
    verdict = findings.verdict
    is_one = isinstance(findings, Findings)
    sides = "one-sided" if verdict and verdict.has_preference else "two-sided"
    width = f"{100 * (1 - findings.verdict.alpha):g}% " if isinstance(findings, Findings) else ""
    is_points = is_share(findings.measure)
    unit = ", points" * is_points
    difference, interval = (_in_points, _interval_in_points) if is_points else (number, _interval)
    size = f"difference of loss ({short_title(findings.measure)}{unit})"
    columns: list[tuple[str, Callable[..., Column], Callable[..., str], list[str]]] = [
        ("first", _written, name_cell, ["first"]),
        ("second", _written, _second_cell, ["second"]),
        (size, _numbers, difference, ["difference"]),
        (f"{width}interval{unit}", _numbers, interval, ["low", "high"]),
        *[("won/tied/lost", _numbers, _tally, ["wins", "ties", "losses"])] * (not is_one),
        (f"p, {sides}", _numbers, p_value, ["p_value"]),
        ("p, adjusted", _numbers, p_value, ["p_adjusted"]),
        *[("P(first better)", _numbers, probability, ["p_first_better"])] * is_one,
        ("P(about the same)", _numbers, probability, ["p_equivalent"]),
        *[("P(second better)", _numbers, probability, ["p_second_better"])] * is_one,
        ("answer", _written, _answer_cell, ["answer", "finding", *["no_test"] * is_one]),
    ]
    heads = tuple(head for head, *_ in columns)
    pairs = verdict.pairs if verdict else []
    cells = [
        make(write, *(tuple(column(pairs, name)) for name in names))
        for _, make, write, names in columns
    ]
    return head_cells(heads, (0, 1, len(heads) - 1)), [("<tr>",) * len(pairs), *cells]


@lru_cache(maxsize=512)
def _written(write: Callable[..., str], *values: tuple[Any, ...]) -> Column:
    """Return the cells of a column; choices that leave its values alone share them."""
    return tuple(map(write, *values))


@lru_cache(maxsize=512)
def _numbers(write: Callable[..., str], *values: tuple[float, ...]) -> Column:
    texts = str(escape("\n".join(map(write, *values))))
    return tuple([f"<td>{text}</td>" for text in texts.splitlines()])


def _second_cell(name: str) -> str:
    return f'<td class="left">{_name(name)}</td>'


def _interval(low: float, high: float) -> str:
    return f"{number(low)} to {number(high)}"


def _interval_in_points(low: float, high: float) -> str:
    return f"{_in_points(low)} to {_in_points(high)}"


def _in_points(value: float) -> str:
    return fixed(100 * value, 2) if math.isfinite(value) else number(value)


def _tally(*counts: int) -> str:
    return "/".join(map(str, counts))


def _answer_cell(answer: str, finding: str, no_test: str = "") -> str:
    reason = f" ({no_test})" if no_test else ""
    return f'<td class="left">{escape(finding_in_words(answer, finding) + reason)}</td>'


def answer_matrix(findings: Findings) -> dict[str, Any] | None:
    """Return the answers about all pairs as a matrix, a row against a column.

    Parameters
    ----------
    findings : Findings
        What is to be reported.

    Returns
    -------
    dict of str to object or None
        Head, rows and key; None where it would say nothing or could not be read.
    """
    verdict = findings.verdict
    if not verdict.pairs or not FEWEST_IN_MATRIX <= len(verdict.order) <= MOST_IN_MATRIX:
        return None
    said: dict[tuple[str, str], str] = {}
    for pair in verdict.pairs:
        both = (WORSE, BETTER) if pair.better == pair.second else (BETTER, WORSE)
        if not pair.better:
            both = (EQUIVALENT if pair.answer == ALIKE else UNDECIDED,) * 2
        said[pair.first, pair.second], said[pair.second, pair.first] = both
    cells = {
        names: f'<td>{glyph(mark)}<span class="unseen">{IN_WORDS[mark]}</span></td>'
        for names, mark in said.items()
    }
    return {**_numbered(verdict.order, cells), "key": key_of(said.values())}


def seeds_matrix(findings: Findings) -> dict[str, Any] | None:
    """Return how surely other seeds order each pair alike; None where that is not known."""
    order = findings.verdict.order
    if findings.reseeding is None or not FEWEST_IN_MATRIX <= len(order) <= MOST_IN_MATRIX:
        return None
    given = [learner.name for learner in findings.learners if learner.name in order]
    cells = {
        (given[i], given[j]): f"<td>{escape(fixed(value, 2, whole=1))}</td>"
        for (i, j), value in np.ndenumerate(findings.reseeding.reproducibility)
        if i != j
    }
    return _numbered(order, cells)


def _numbered(names: Sequence[str], cells: Mapping[tuple[str, str], str]) -> dict[str, Any]:
    """Return head and rows of a matrix; the numbers of the rows stand for names above columns."""
    numbered = {name: f"{number}. {name}" for number, name in enumerate(names, start=1)}
    heads = [
        Markup(f'<th scope="col" title="{escape(name)}">{number}</th>')
        for number, name in enumerate(names, start=1)
    ]
    rows = [
        ["<tr>", name_cell(numbered[row]),
         *(cells.get((row, column), "<td></td>") for column in names)]
        for row in names
    ]  # fmt: skip
    return {"head": [Markup('<th scope="col">learner</th>'), *heads], "rows": rows}


def rows_of(columns: Sequence[Column]) -> list[Cells]:
    """Return the rows of a table: an opening tag, and the cells."""
    return list(zip(*columns, strict=True))


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
    pairs_head, pairs = pair_columns(findings)
    links = {name: f"data-set-{i}" for i, name in enumerate(findings.data_sets)}
    return {
        "learners": _table(learners, rows_of(_learner_columns(findings, learners))),
        "data_sets": _table(data_sets, [_data_set_row(row, links) for row in data_sets.rows]),
        "pairs": {"head": pairs_head, "rows": rows_of(pairs), "foot": _OF_PAIRS},
        "parts": [
            _part(name, links[name], findings.parts[name])
            for name in findings.data_sets
            if name in findings.parts
        ],
    }


def _table(table: Table, rows: Sequence[Cells]) -> dict[str, Any]:
    return {
        "head": head_cells(tuple(table.heads), tuple(table.left)),
        "rows": rows,
        "foot": table.foot,
    }


def _opening(row: Row, *, is_plausible: bool = False) -> str:
    plausible = " data-plausible" * is_plausible
    return f'<tr class="{row.role.replace(" ", "-")}"{plausible}>'


def _data_set_row(row: Row, links: dict[str, str]) -> Cells:
    """Return the row of a data set, whose name leads to its section."""
    name = Markup('<th scope="row"><a class="name" title="{0}" href="#{1}">{0}</a></th>').format(
        row.name, links[row.name]
    )
    return [_opening(row), name, *map(cell, row.cells)]


def _part(name: str, link: str, findings: Findings) -> dict[str, Any]:
    """Return the section of one data set."""
    report = sections(findings)
    return {"name": name, "id": link, "report": report, "table": report.tables[0]}
