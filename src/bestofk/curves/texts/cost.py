"""Text of cost curves: the cheapest learner by costs, and at an operating point."""

from __future__ import annotations

from itertools import groupby
from typing import Any, Final

import numpy as np

from bestofk.curves.texts.shared import curve_sections
from bestofk.inference.one_test_set.roc import ALL_NEGATIVE, ALL_POSITIVE
from bestofk.measures import class_in_words
from bestofk.report.parts import Row, Sections, Table
from bestofk.verdict.complete_scores import first_names
from bestofk.words import fixed, listing, percent, printable

_ALWAYS: Final = {
    ALL_NEGATIVE.name: "To name the negative class always",
    ALL_POSITIVE.name: "To name the positive class always",
}
_NO_CLAIM: Final = (
    "No claim about new data: thresholds were chosen on these rows, and differences are not tested."
)


def operating_point_text(point: Any) -> str:
    """Return what an operating point costs, and what right answers cost too."""
    subject = _ALWAYS.get(point.learner, point.learner)
    if np.isfinite(point.threshold):
        subject += f" with a threshold of {point.threshold:.4g}"
    return (
        f"{subject} is expected to cost {point.expected_cost:.4g} per row (probability cost "
        f"{point.probability_cost:.4g}, false positive rate "
        f"{point.false_positive_rate:.4g}, true positive rate "
        f"{point.true_positive_rate:.4g}).{_when_right(point)}"
    )


def _when_right(point: Any) -> str:
    if not point.cost_when_right:
        return ""
    return (
        " The cost matrix has entries on its diagonal: to be always right would cost "
        f"{point.cost_when_right:.4g} per row."
    )


def cost_sections(curves: Any, point: Any = None) -> Sections:
    """Return the report of cost curves, and what a point costs."""
    n_rows = curves.n_positive + curves.n_negative
    ranges, whose = _ranges(curves), class_in_words(curves.classes[curves.positive])
    return curve_sections(
        curves,
        answer=(*_answer(curves, ranges, point, whose), _NO_CLAIM),
        tables=[_table(ranges, whose)],
        details=[
            _asked(curves) if point is None else operating_point_text(point),
            f"{curves.data_name}: {n_rows:,} predictions, {percent(curves.n_positive / n_rows)}% "
            f"of them for rows of {whose}, the positive one.",
            "Probability cost: the share of the positive class in what could be lost. It is that "
            "class's prior times the cost of a miss, over the same plus the other class's prior "
            "times the cost of a false alarm.",
            "Normalized cost: expected cost as a share of that of being always wrong.",
        ],
    )


def _asked(curves: Any) -> str:
    """Return how to give the prices that choose one learner and threshold."""
    matrix = "0,1;5,0" if curves.positive else "0,5;1,0"
    positive = str(curves.classes[curves.positive])
    return (
        f'Your prices choose one learner and threshold: --cost-matrix "{matrix}" (a false alarm '
        f"costs 1, a missed row of class {positive!r} 5) and --prior 0.3 (the share of that class "
        "in use)."
    )


def _ranges(curves: Any) -> list[tuple[str, float, float, float]]:
    """Return name, low, high and largest normalized cost of each range of one cheapest learner."""
    names, ranges = curves.names(), []
    for name, group in groupby(curves.best, key=lambda stretch: stretch.line.learner):
        stretches = list(group)
        worst = max(item.line.normalized_cost(x) for item in stretches for x in item[1:])
        ranges.append((names[name], stretches[0].low, stretches[-1].high, worst))
    return ranges


def _answer(
    curves: Any, ranges: list[tuple[str, float, float, float]], point: Any, whose: str
) -> tuple[str, str]:
    widest = max(ranges, key=lambda item: item[2] - item[1])[0]
    pick = widest if point is None else curves.names().get(point.learner, point.learner)
    others = [(name, low, high) for name, low, high, _ in ranges if name != pick]
    said = first_names(
        [f"{name} ({fixed(low, 2)} to {fixed(high, 2)})" for name, low, high in others]
    )
    elsewhere = (
        f"Cheapest at other probability costs: {said}." if others
        else "It is the cheapest at every probability cost."
    )  # fmt: skip
    if point is None:
        own = [
            f"{fixed(low, 2)} to {fixed(high, 2)}" for name, low, high, _ in ranges if name == pick
        ]
        where = f"{whose} has a probability cost of {listing(own)}"
        return f"Use {pick}: the cheapest where {where}.", elsewhere
    is_cut = np.isfinite(point.threshold)
    threshold = f" with a threshold of {point.threshold:.3g} for {whose}" if is_cut else ""
    return f"Use {pick}{threshold}: expected cost {point.expected_cost:.3g} per row.", elsewhere


def _table(ranges: list[tuple[str, float, float, float]], whose: str) -> Table:
    rows = [
        Row(f"{fixed(low, 3)} to {fixed(high, 3)}", "", (name, fixed(worst, 3)))
        for name, low, high, worst in ranges
    ]
    heads = [f"probability cost\nof {printable(whose)}", "cheapest", "normalized cost,\nat most"]
    return Table(heads, rows, left=(0, 1))
