"""Views of a page: all that changes with a switch, as finished pieces of HTML."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from markupsafe import Markup

from bestofk.measures.words import short_title
from bestofk.report.findings import Findings
from bestofk.report.html.lanes import difference_lanes, glyph
from bestofk.report.html.page_parts import CHOICES, Switches
from bestofk.report.parts import Table
from bestofk.report.sentences.answer import answer
from bestofk.report.sentences.versus_pick import finding_in_words, versus_pick
from bestofk.report.tables import learner_table
from bestofk.verdict import Pair
from bestofk.words import number, p_value, probability

_LABELS = ("Measure", "Test", "Correction", "Level", "Preference")
_UNITS = {"µs": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600, "%": 0.01}
_VALUE = re.compile(r"([-+]?[\d,]*\.?\d+(?:e[-+]?\d+)?) ?(µs|ms|s|min|h|%)?(?![\w.])")


@dataclass(frozen=True)
class View:
    """Pieces of HTML that a choice of measure, test, correction, level and preference changes.

    Parameters
    ----------
    answer : sequence of Markup
        Three lines.
    learners_head, pairs_head : sequence of Markup
        Heads of the tables, a row each.
    learners, pairs : sequence of sequence of Markup
        The opening tag of each row, and its cells.
    lanes : sequence of Markup
        The picture of differences.
    """

    answer: Sequence[Markup]
    learners_head: Sequence[Markup]
    learners: Sequence[Sequence[Markup]]
    pairs_head: Sequence[Markup]
    pairs: Sequence[Sequence[Markup]]
    lanes: Sequence[Markup]


def view_of(findings: Findings) -> View:
    """Return the pieces of HTML that findings give."""
    table = learner_table(findings, verbose=True)
    pairs = _pairs_table(findings)
    return View(
        answer=[Markup.escape(line) for line in answer(findings)],
        learners_head=head_cells(table.heads, table.left),
        learners=_learner_rows(findings, table),
        pairs_head=head_cells(pairs[0], (0, 1, len(pairs[0]) - 1)),
        pairs=pairs[1],
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
        An object: pieces, the pieces of HTML; and views by their choices, joined by bars, each
        with lists of positions in pieces.
    """
    pieces: dict[str, int] = {}
    lists: dict[str, int] = {}

    def positions(item: Any) -> Any:
        """Return the position of a piece, or of a list of them."""
        if isinstance(item, str):
            return pieces.setdefault(str(item), len(pieces))
        return [positions(part) for part in item]

    def shared(item: Any) -> int:
        return lists.setdefault(json.dumps(positions(item), separators=(",", ":")), len(lists))

    views: dict[str, dict[str, int]] = {}
    same: dict[int, dict[str, int]] = {}  # choices that share their findings
    for choices, findings in switches.findings.items():
        if id(findings) not in same:
            view = view_of(findings)
            same[id(findings)] = {name: shared(part) for name, part in vars(view).items()}
        views["|".join(choices)] = same[id(findings)]
    text = json.dumps({"pieces": list(pieces), "views": views}, separators=(",", ":"))
    whole = f'{text[:-1]},"lists":[{",".join(lists)}]}}'
    return Markup(whole.replace("<", "\\u003c"))


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


def sort_value(text: str) -> str:
    """Return the number by which a printed cell is sorted; the text where it holds none.

    Examples
    --------
    >>> [sort_value(text) for text in ("4.4%", "5.5 ms", "can't tell (+0.6)", "1,200", "pick")]
    ['0.044', '0.0055', '0.6', '1200', '']
    """
    match = _VALUE.search(text)
    if match is None:
        return ""
    return f"{float(match[1].replace(',', '')) * _UNITS.get(match[2], 1):.12g}"


def head_cells(heads: Iterable[str], left: Sequence[int]) -> list[Markup]:
    """Return the heads of a table that can be sorted; some stand left."""
    return [
        Markup('<th scope="col"{}><button type="button">{}</button></th>').format(
            Markup(' class="left"') if index in left else "", " ".join(head.split())
        )
        for index, head in enumerate(heads)
    ]


def _learner_rows(findings: Findings, table: Table) -> list[list[Markup]]:
    answers = versus_pick(findings)
    rows = []
    for row in table.rows:
        cells = [
            Markup('<tr class="{}"{}>').format(
                row.role.replace(" ", "-"),
                Markup(" data-plausible") if answers and answers[row.name].is_plausible else "",
            ),
            name_cell(row.name),
        ]
        for index, text in enumerate(row.cells, start=1):
            is_answer = bool(answers) and index == 3
            mark = glyph(answers[row.name].answer) if is_answer else ""
            value = 0.0 if is_answer and row.role == "best" else None
            cells.append(cell(text, is_left=index in table.left, before=mark, value=value))
        rows.append(cells)
    return rows


@lru_cache(maxsize=20_000)
def cell(
    text: str, *, is_left: bool = False, before: str = "", value: float | None = None
) -> Markup:
    """Return a cell; it is sorted by a value, by the number in its text if none is given."""
    key = sort_value(text) if value is None else "" if math.isnan(value) else f"{value:.12g}"
    return Markup('<td{} data-value="{}">{}{}</td>').format(
        Markup(' class="left"') if is_left else "", key, before, text
    )


def name_cell(name: str) -> Markup:
    """Return the head of a row, shortened by the style sheet where it is long."""
    return Markup('<th scope="row"><span class="name" title="{0}">{0}</span></th>').format(name)


def _pairs_table(findings: Findings) -> tuple[list[str], list[list[Markup]]]:
    verdict = findings.verdict
    level = f"{100 * (1 - verdict.alpha):g}% interval"
    heads = ["first", "second", f"difference of loss ({short_title(findings.measure)})", level]
    sides = "one-sided" if verdict.has_preference else "two-sided"
    heads += [f"p, {sides}", "p, adjusted", "P(first better)", "P(about the same)"]
    heads += ["P(second better)", "answer"]
    return heads, [_pair_row(pair) for pair in verdict.pairs]


def _pair_row(pair: Pair) -> list[Markup]:
    answer = finding_in_words(pair)
    answer += f" ({pair.no_test})" if pair.no_test else ""
    return [
        Markup("<tr>"),
        name_cell(pair.first),
        Markup('<td class="left"><span class="name" title="{0}">{0}</span></td>').format(
            pair.second
        ),
        cell(number(pair.difference)),
        cell(f"{number(pair.low)} to {number(pair.high)}"),
        cell(p_value(pair.p_value)),
        cell(p_value(pair.p_adjusted)),
        cell(probability(pair.p_first_better)),
        cell(probability(pair.p_equivalent)),
        cell(probability(pair.p_second_better)),
        Markup('<td class="left">{}</td>').format(answer),
    ]
