"""Text of cost curves: the cheapest learner by costs, and at an operating point."""

from __future__ import annotations

from itertools import groupby
from typing import Any, Final

import numpy as np

from bestofk.inference.one_test_set.roc_hull import ALL_NEGATIVE, ALL_POSITIVE
from bestofk.report.curve_text import filled
from bestofk.report.words import listing, percent

_ALWAYS: Final = {
    ALL_NEGATIVE.name: "To name the negative class always",
    ALL_POSITIVE.name: "To name the positive class always",
}


def operating_point_text(point: Any) -> str:
    """Return what an operating point costs, and what right answers cost too."""
    subject = _ALWAYS.get(point.learner, point.learner)
    if np.isfinite(point.threshold):
        subject += f" with a threshold of {point.threshold:.4g}"
    text = (
        f"{subject} is expected to cost {point.expected_cost:.4g} per row (probability cost "
        f"{point.probability_cost:.4g}, false positive rate "
        f"{point.false_positive_rate:.4g}, true positive rate "
        f"{point.true_positive_rate:.4g})."
    )
    if point.cost_when_right:
        text += (
            " The cost matrix has entries on its diagonal: to be always right would cost "
            f"{point.cost_when_right:.4g} per row."
        )
    return text


def cost_text(curves: Any, point: Any = None) -> str:
    """Return the cheapest learner for each range of costs, the caveats, and what a point costs."""
    n_rows = curves.n_positive + curves.n_negative
    head = (
        f"Cost curves of {listing(curves.learners)} on {curves.data_name}: {n_rows} predictions, "
        f"{percent(curves.n_positive / n_rows)} % of them for rows of the positive class, "
        f"{curves.classes[curves.positive]}. Probability cost is the share of that class in what "
        "could be lost: its prior times the cost of a miss, over the same plus the prior of "
        "the other class times the cost of a false alarm."
    )
    last = [] if point is None else [operating_point_text(point)]
    return "\n\n".join([filled(head), _table(curves), *map(filled, [*curves.notes, *last])])


def _table(curves: Any) -> str:
    names = curves.names()
    width = max(len("cheapest"), *(len(names[stretch.line.learner]) for stretch in curves.best))
    lines = [f"  probability cost  {'cheapest':<{width}}  normalized cost, at most"]
    for name, group in groupby(curves.best, key=lambda stretch: stretch.line.learner):
        stretches = list(group)
        worst = max(item.line.normalized_cost(x) for item in stretches for x in item[1:])
        where = f"{stretches[0].low:.3f} to {stretches[-1].high:.3f}"
        lines.append(f"  {where:<16}  {names[name]:<{width}}  {worst:.3f}")
    return "\n".join(lines)
