"""Charts of predictions as SVG: curves of one class, and values of a regression."""

from __future__ import annotations

import numpy as np
from markupsafe import Markup
from matplotlib.ticker import MaxNLocator

from bestofk.array_types import Floats
from bestofk.report.html.page_parts import ClassCurves
from bestofk.report.plots.drawing import with_margin

_LEFT, _TOP, _SIZE = 52, 10, 228  # of the axes, in pixels
_WIDTH, _HEIGHT = 300, 290
Box = tuple[float, float, float, float]
_UNIT: Box = (0.0, 1.0, 0.0, 1.0)


def class_charts(curves: ClassCurves) -> list[Markup]:
    """Draw ROC, precision-recall and calibration curves of a class.

    Parameters
    ----------
    curves : ClassCurves
        Of several learners.

    Returns
    -------
    list of Markup
        Those that have a learner.
    """
    names = list(curves.roc) or list(curves.calibration)
    drawn = [
        ("ROC", "false-positive rate", "true-positive rate", curves.roc, True),
        ("Precision and recall", "recall", "precision", curves.precision, False),
        ("Calibration", "predicted probability", "how often true", curves.calibration, True),
    ]
    return [
        _figure(
            title,
            f"{title} of class {curves.label}: {', '.join(series)}",
            _axes(x_title, y_title, _UNIT, has_diagonal=has_diagonal)
            + Markup().join(
                _curve(series[name], names.index(name), is_dotted=title == "Calibration")
                for name in reversed(list(series))
            ),
        )
        for title, x_title, y_title, series, has_diagonal in drawn
        if series
    ]


def value_charts(name: str, values: Floats) -> list[Markup]:
    """Draw predicted against true values of a learner, and residuals against predicted values.

    Parameters
    ----------
    name : str
        The learner.
    values : ndarray of shape (n_rows, 2)
        True and predicted value of test rows.

    Returns
    -------
    list of Markup
    """
    true, predicted = values[:, 0], values[:, 1]
    residuals = true - predicted
    low, high = _range(values)
    first = _axes("predicted", "true", (low, high, low, high), has_diagonal=True)
    first += _points(predicted, true, (low, high, low, high))
    most = float(np.abs(residuals).max()) * 1.05 or 1.0
    box = (*_range(predicted), -most, most)
    second = _axes("predicted", "true - predicted", box)
    second += Markup('<path class="diagonal" d="{}"/>').format(
        _path(np.array([[box[0], 0], [box[1], 0]]), box)
    )
    second += _points(predicted, residuals, box)
    return [
        _figure("True and predicted values", f"True against predicted values of {name}", first),
        _figure("Residuals", f"Residuals of {name} against predicted values", second),
    ]


def legend(curves: ClassCurves) -> Markup:
    """Return which line is which learner."""
    return Markup('<ul class="key">{}</ul>').format(
        Markup().join(
            Markup(
                '<li><svg class="glyph" viewBox="-12 -9 24 18" aria-hidden="true">'
                '<path class="curve c{}" d="M-12 0H12"/></svg>{}</li>'
            ).format(index, name)
            for index, name in enumerate(list(curves.roc) or list(curves.calibration))
        )
    )


def _figure(title: str, described: str, drawn: Markup) -> Markup:
    return Markup(
        '<figure class="chart"><figcaption>{}</figcaption><svg role="img" aria-label="{}" '
        'viewBox="0 0 {} {}">{}</svg></figure>'
    ).format(title, described, _WIDTH, _HEIGHT, drawn)


def _axes(x_title: str, y_title: str, box: Box, *, has_diagonal: bool = False) -> Markup:
    bottom = _TOP + _SIZE
    drawn = Markup('<path class="frame" d="M{0} {1}V{2}H{3}"/>').format(
        _LEFT, _TOP, bottom, _LEFT + _SIZE
    )
    if has_diagonal:
        ends = np.array([[box[0], box[2]], [box[1], box[3]]])
        drawn += Markup('<path class="diagonal" d="{}"/>').format(_path(ends, box))
    for tick in _ticks(box[0], box[1]):
        x = _LEFT + _SIZE * (tick - box[0]) / (box[1] - box[0])
        drawn += Markup('<text x="{:.0f}" y="{}" class="middle">{:g}</text>').format(
            x, bottom + 17, tick
        )
    for tick in _ticks(box[2], box[3]):
        y = bottom - _SIZE * (tick - box[2]) / (box[3] - box[2])
        drawn += Markup('<text x="{}" y="{:.0f}" class="end">{:g}</text>').format(
            _LEFT - 6, y + 4, tick
        )
    middle = _TOP + _SIZE / 2
    drawn += Markup('<text x="{}" y="{}" class="middle">{}</text>').format(
        _LEFT + _SIZE / 2, bottom + 36, x_title
    )
    return drawn + Markup(
        '<text transform="translate(13 {}) rotate(-90)" class="middle">{}</text>'
    ).format(middle, y_title)


def _curve(points: Floats, index: int, *, is_dotted: bool) -> Markup:
    drawn = Markup('<path class="curve c{}" d="{}"/>').format(index, _path(points, _UNIT))
    if is_dotted:
        drawn += _points(points[:, 0], points[:, 1], _UNIT, f"c{index}")
    return drawn


def _points(x: Floats, y: Floats, box: Box, style: str = "c0") -> Markup:
    places = _placed(np.column_stack([x, y]), box)
    return Markup('<path class="points {}" d="{}"/>').format(
        style, "".join(f"M{x:.1f} {y:.1f}h0" for x, y in places)
    )


def _path(points: Floats, box: Box) -> str:
    return "M" + " ".join(f"{x:.1f} {y:.1f}" for x, y in _placed(points, box))


def _placed(points: Floats, box: Box) -> Floats:
    x = _LEFT + _SIZE * (points[:, 0] - box[0]) / (box[1] - box[0])
    y = _TOP + _SIZE - _SIZE * (points[:, 1] - box[2]) / (box[3] - box[2])
    return np.column_stack([x, y])


def _range(values: Floats) -> tuple[float, float]:
    return with_margin(float(values.min()), float(values.max()), 0.03, 0.5)


def _ticks(low: float, high: float) -> list[float]:
    return [
        round(tick, 9)
        for tick in MaxNLocator(4, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
        if low <= tick <= high
    ]
