"""Pictures of a page as SVG: lanes of learners, curves of classes, values of a regression."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from markupsafe import Markup, escape
from numpy.typing import ArrayLike

from bestofk.array_types import Floats
from bestofk.measures import Measure
from bestofk.measures.words import is_share, short_title, size_in_words, value_cell
from bestofk.report.axis_ranges import near_range, round_ticks, scattered, tick_text, with_margin
from bestofk.report.findings import Findings, LearnerFindings
from bestofk.report.prediction_curves import error_by_tenth
from bestofk.report.sentences.answers import IN_WORDS, LIKE, PICK, VersusPick, versus_pick

# Marks of the answers, around the point that they mark; colors are in page.css.
MARKS = {
    "pick": "M0-8 2-3 8-2 3 2 5 8 0 5-5 8-3 2-8-2-2-3z",
    "better": "M0-6 6 5-6 5z",
    "equivalent": "M-5-5H5V5H-5z",
    "undecided": "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0",
    "worse": "M0-6 6 0 0 6-6 0z",
    "": "M-4 0H4",
}
_OUTSIDE = {1: "M-8-6 0 0-8 6z", -1: "M8-6 0 0 8 6z"}  # inside of the edge: never cut
_LEFT, _TOP, _SIZE = 52, 10, 228  # of the axes, in pixels
_WIDTH, _HEIGHT = 300, 290
_MOST_POINTS = 400  # rows in a chart of a regression
Box = tuple[float, float, float, float]
_UNIT: Box = (0.0, 1.0, 0.0, 1.0)


class Scale:
    """Axis of a picture: values to percent of its width.

    Parameters
    ----------
    values : array-like of float
        What must be seen; nan is left out.
    """

    def __init__(self, values: ArrayLike) -> None:
        known = np.asarray(values, dtype=float)
        known = known[np.isfinite(known)]
        low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)
        self.low, self.high = with_margin(low, high, 0.04, max(0.01, 0.05 * abs(high)))

    def __call__(self, value: float) -> str:
        """Return where a value stands, as SVG writes it."""
        return f"{self.share(value):.1f}%"

    def share(self, value: float) -> float:
        """Return where a value stands, from 0 to 100; at the edge if it lies outside."""
        return 100 * (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)

    def side(self, value: float) -> int:
        """Return -1 or 1 for a value that lies outside, else 0."""
        return int(value > self.high) - int(value < self.low)

    @property
    def ticks(self) -> Floats:
        """Round values along the axis."""
        return round_ticks(self.low, self.high, most=5, fewest=3)


def difference_lanes(findings: Findings) -> list[Markup]:
    """Draw the difference of every learner to the pick, with its interval.

    Parameters
    ----------
    findings : Findings
        What is to be reported.

    Returns
    -------
    list of Markup
        The caption, a lane per learner, the axis; empty where no learner is picked or there is
        no other.

    Notes
    -----
    Differences are scores minus that of the pick. A baseline, or a learner far off the others,
    does not squeeze them: an arrowhead stands at the edge, and its difference next to it.
    """
    answers = [item for item in versus_pick(findings).values() if not math.isnan(item.difference)]
    if len(answers) < 2:
        return []
    rivals = [item for item in answers if not findings.learner(item.learner).is_baseline]
    verdict, drawn = findings.verdict, (tuple(answers), tuple(rivals or answers))
    return _difference_lanes(*drawn, findings.measure, verdict.rope, verdict.alpha)


@lru_cache(maxsize=16)  # a correction, or another preference, often changes no answer
def _difference_lanes(
    answers: tuple[VersusPick, ...],
    rivals: tuple[VersusPick, ...],
    measure: Measure,
    rope: float,
    alpha: float,
) -> list[Markup]:
    sign = -1 if measure.greater_is_better else 1
    ends = sign * np.array([[item.difference, item.low, item.high] for item in rivals])
    reach = near_range(np.nanmax(np.abs(ends), axis=1)) * (1 + 1e-9)
    scale = Scale([*ends[np.abs(ends) <= reach], 0, -rope, rope])
    width = scale.share(rope) - scale.share(-rope)
    ground = (
        f'<rect class="rope" x="{scale(-rope)}" width="{width:.1f}%" height="100%"/>'
        f'<line class="zero" x1="{scale(0)}" x2="{scale(0)}" y2="100%"/>'
    )
    lanes = [
        _lane(item.learner, ground + _difference(item, sign, scale), item.in_words(measure),
              LIKE.get(item.answer, item.answer))
        for item in answers
    ]  # fmt: skip
    texts = [f"{_title(measure)}{', in points' * is_share(measure)} on shared splits; "
             f"{'right' if measure.greater_is_better else 'left'} is better."]  # fmt: skip
    if any(not math.isnan(item.low) for item in answers if item.answer != PICK):
        texts.append(f"Bars: {100 * (1 - alpha):g}% interval of each difference.")
    if rope:
        texts.append(f"Shaded: about the same, within {size_in_words(measure, rope)}.")
    if any(scale.side(sign * item.difference) for item in answers):
        texts.append("Arrowheads: further off than the axis.")
    key = f'<ul class="key">{key_of(item.answer for item in answers)}</ul>'
    caption = Markup(f"<figcaption>{escape(' '.join(texts))}{key}</figcaption>")
    return [caption, *lanes, _axis(scale, measure)]


def _difference(item: VersusPick, sign: int, scale: Scale) -> str:
    drawn = ""
    if item.answer != PICK and not math.isnan(item.low):
        low, high = sorted((sign * item.low, sign * item.high))
        answer = LIKE.get(item.answer, item.answer)
        drawn = (
            f'<line class="interval {answer}" x1="{scale(low)}" x2="{scale(high)}" '
            'y1="50%" y2="50%"/>'
        )
    return drawn + _mark(item.answer, sign * item.difference, scale)


def key_of(answers: Iterable[str]) -> Markup:
    """Return what the marks mean, as far as they occur."""
    occur = set(answers)
    return Markup("").join(
        Markup(f"<li>{glyph(answer)}{escape(IN_WORDS[answer])}</li>")
        for answer in IN_WORDS
        if answer and answer in occur
    )


@cache
def glyph(answer: str) -> Markup:
    """Return the mark of an answer to stand in a text."""
    answer = LIKE.get(answer, answer)
    return Markup(
        '<svg class="glyph" viewBox="-9 -9 18 18" aria-hidden="true">'
        '<path class="mark {}" d="{}"/></svg>'
    ).format(answer or "none", MARKS[answer])


def score_lanes(findings: Findings) -> list[Markup]:
    """Draw the scores of every learner over the splits: points, middle half, mean.

    Parameters
    ----------
    findings : Findings
        What is to be reported.

    Returns
    -------
    list of Markup
        The caption, a lane per learner, the axis; empty where there are no scores. What lies far
        off the others is not drawn; an arrowhead stands in its place.
    """
    learners = [learner for learner in findings.ordered() if len(learner.scores)]
    if not learners:
        return []
    measure = findings.measure
    rivals = [item for item in learners if not item.is_baseline] or learners
    distances = np.abs([item.mean - learners[0].mean for item in rivals])
    reach = near_range(distances) * (1 + 1e-9)
    scale = Scale(np.concatenate(
        [item.scores for item, far in zip(rivals, distances, strict=True) if far <= reach]
    ))  # fmt: skip
    lanes = [
        _lane(item.name, _scores(item, scale), value_cell(measure, item.mean), "")
        for item in learners
    ]
    side = "right" if measure.greater_is_better else "left"
    outside = any(scale.side(item.mean) for item in learners)
    caption = Markup(
        "<figcaption>{} of each split{}; {} is better. Box: middle half; diamond: mean.{} "
        "Splits share training rows, so the width of a cloud does not tell how sure its mean is."
        "</figcaption>"
    ).format(
        _title(measure), " (%)" if is_share(measure) else "", side,
        " Arrowhead: further off than the axis." if outside else "",
    )  # fmt: skip
    return [caption, *lanes, _axis(scale, measure)]


def _scores(learner: LearnerFindings, scale: Scale) -> str:
    low, high = np.quantile(learner.scores, [0.25, 0.75])
    drawn = ""
    if not scale.side(high) or not scale.side(low):
        heights = 4 + 18 * scattered(len(learner.scores))
        dots = "".join(
            f"M{10 * scale.share(value):.0f} {height:.0f}h0"
            for value, height in zip(learner.scores, heights, strict=True)
            if not scale.side(value)
        )
        drawn = (
            f'<svg viewBox="0 0 1000 26" preserveAspectRatio="none"><path class="dots" d="{dots}" '
            'vector-effect="non-scaling-stroke"/></svg>'
            f'<rect class="box" x="{scale(low)}" y="4" '
            f'width="{scale.share(high) - scale.share(low):.1f}%" height="18"/>'
        )
    return drawn + _mark("worse", learner.mean, scale, "mean")


def _mark(answer: str, value: float, scale: Scale, kind: str = "") -> str:
    side, answer = scale.side(value), LIKE.get(answer, answer)
    path = _OUTSIDE[side] if side else MARKS[answer]
    return (
        f'<svg x="{scale(value)}" y="50%" overflow="visible">'
        f'<path class="mark {kind or answer}" d="{path}"/></svg>'
    )


def _lane(name: str, drawn: str, said: str, answer: str) -> Markup:
    shown = escape(name)
    return Markup(
        f'<div class="lane {answer}"><span class="name" title="{shown}">{shown}'
        f'</span><svg class="track" aria-hidden="true">{drawn}</svg>'
        f'<span class="said">{escape(said)}</span></div>'
    )


def _axis(scale: Scale, measure: Measure) -> Markup:
    ticks = scale.ticks
    factor = 100 if is_share(measure) else 1
    drawn = "".join(
        f'<line x1="{scale(tick)}" x2="{scale(tick)}" y2="5"/>'
        f'<text x="{scale(tick)}" y="19">{round(factor * tick, 9):g}</text>'
        for tick in ticks.tolist()
    )
    return Markup(
        '<div class="lane axis"><span class="name"></span><svg class="track" aria-hidden="true">'
        f'<line x2="100%"/>{drawn}</svg><span class="said"></span></div>'
    )


def _title(measure: Measure) -> str:
    title = short_title(measure)
    return f"{title[0].upper()}{title[1:]}"


@dataclass(frozen=True, eq=False)
class ClassCurves:
    """Curves of several learners for one class against the rest.

    Parameters
    ----------
    label : str
        The class.
    roc, precision : mapping of str to ndarray of shape (n_points, 2)
        Of each learner: false- and true-positive rates; recall and precision.
    calibration : mapping of str to ndarray of shape (n_bins, 2)
        Of each learner that gives probabilities: what it predicted, and how often it came true.
    """

    label: str
    roc: Mapping[str, Floats]
    precision: Mapping[str, Floats]
    calibration: Mapping[str, Floats]


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
    """Draw true against predicted values of a learner, residuals, and the error along the target.

    At most some hundred rows have a point; all count in the errors.

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
    tenths = error_by_tenth(values[:, 0], values[:, 1])
    values = values[:: -(-len(values) // _MOST_POINTS)]
    true, predicted = values[:, 0], values[:, 1]
    residuals = true - predicted
    low, high = _range(values)
    first = _axes("predicted", "true", (low, high, low, high), has_diagonal=True)
    first += _points(predicted, true, (low, high, low, high))
    most = float(np.abs(residuals).max()) * 1.05 or 1.0
    box = (*_range(predicted), -most, most)
    second = _axes("predicted", "true - predicted", box)
    second += _line("diagonal", [[box[0], 0], [box[1], 0]], box)
    second += _points(predicted, residuals, box)
    return [
        _figure("True and predicted values", f"True against predicted values of {name}", first),
        _figure("Residuals", f"Residuals of {name} against predicted values", second),
        _figure("Error along the target", f"Error of {name} by tenth of the target", _bars(tenths)),
    ]


def _bars(tenths: Floats) -> Markup:
    """Draw a bar for the error of every tenth of the target, the lowest values left."""
    errors, numbers = tenths[:, 2], np.arange(1.0, len(tenths) + 1)
    box = (0.4, len(tenths) + 0.6, 0.0, with_margin(0.0, float(errors.max()), 0.03, 0.5)[1])
    drawn = _axes("tenth of the true values", "root mean squared error", box)
    for number, error in zip(numbers, errors, strict=True):
        drawn += _line("bar", [[number, 0.0], [number, error]], box)
    return drawn


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
        drawn += _line("diagonal", [[box[0], box[2]], [box[1], box[3]]], box)
    for tick in round_ticks(box[0], box[1]):
        x = _LEFT + _SIZE * (tick - box[0]) / (box[1] - box[0])
        drawn += _text(f"{x:.0f}", bottom + 17, "middle", tick_text(tick))
    for tick in round_ticks(box[2], box[3]):
        y = bottom - _SIZE * (tick - box[2]) / (box[3] - box[2])
        drawn += _text(_LEFT - 6, f"{y + 4:.0f}", "end", tick_text(tick))
    drawn += _text(_LEFT + _SIZE / 2, bottom + 36, "middle", x_title)
    return drawn + Markup(
        '<text transform="translate(13 {}) rotate(-90)" class="middle">{}</text>'
    ).format(_TOP + _SIZE / 2, y_title)


def _text(x: object, y: object, style: str, text: str) -> Markup:
    return Markup('<text x="{}" y="{}" class="{}">{}</text>').format(x, y, style, text)


def _line(style: str, points: ArrayLike, box: Box) -> Markup:
    path = " ".join(f"{x:.1f} {y:.1f}" for x, y in _placed(points, box))
    return Markup('<path class="{}" d="M{}"/>').format(style, path)


def _curve(points: Floats, index: int, *, is_dotted: bool) -> Markup:
    drawn = _line(f"curve c{index}", points, _UNIT)
    if is_dotted:
        drawn += _points(points[:, 0], points[:, 1], _UNIT, f"c{index}")
    return drawn


def _points(x: Floats, y: Floats, box: Box, style: str = "c0") -> Markup:
    places = _placed(np.column_stack([x, y]), box)
    return Markup('<path class="points {}" d="{}"/>').format(
        style, "".join(f"M{x:.1f} {y:.1f}h0" for x, y in places)
    )


def _placed(points: ArrayLike, box: Box) -> Floats:
    given_x, given_y = np.asarray(points, dtype=float).T
    x = _LEFT + _SIZE * (given_x - box[0]) / (box[1] - box[0])
    y = _TOP + _SIZE - _SIZE * (given_y - box[2]) / (box[3] - box[2])
    return np.column_stack([x, y])


def _range(values: Floats) -> tuple[float, float]:
    return with_margin(float(values.min()), float(values.max()), 0.03, 0.5)
