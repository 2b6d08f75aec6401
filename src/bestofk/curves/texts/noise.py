"""Text of noise curves: the answer, the table of means by share of noise, and details."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from bestofk.curves.texts.shared import (
    cell,
    curve_sections,
    error_in_words,
    level_table,
    others_at,
    pair_tests_in_words,
    span,
    standing,
    subject,
)
from bestofk.measures.words import score_in_words, short_title
from bestofk.report.parts import Sections
from bestofk.words import listing, percent, times

_NOISE: Final = {
    "class": "of {rows} got another class",
    "random-class": "of {rows} got a class drawn from all, which may be their own",
    "feature": "of the values in every column of {rows} were replaced",
    "missing": "of the values in every column of {rows} were removed",
}
_TESTED_ON_CLEAN: Final = "Test rows stayed clean."
_TESTED_ON_NOISY: Final = {
    "class": "Scores are agreement with these partly wrong classes.",
    "random-class": "Scores are agreement with these partly wrong classes.",
    "feature": "Learners predicted from such values.",
    "missing": "Learners predicted with such gaps.",
}
_NO_CLAIM: Final = (
    "No claim about new data: this noise was drawn at random, and real errors have causes."
)


def noise_sections(curve: Any) -> Sections:
    """Return the report of noise curves."""
    index = _decided(curve)
    heads = [_share(fraction) for fraction in curve.levels]

    def where(levels: Sequence[float]) -> str:
        return f"at {span(levels, curve.levels, _share)} noise"

    return curve_sections(
        curve,
        answer=(_pick(curve, index), others_at(curve, index, where), _NO_CLAIM),
        tables=[level_table(curve, "noise", heads, index)],
        details=[
            f"{subject(curve)} by the share of noise; mean of "
            f"{times(curve.test_values.shape[2], 'split')}.",
            _noise(curve),
            pair_tests_in_words(curve, "shares"),
            error_in_words(curve),
            _resistance(curve),
        ],
    )


def _share(fraction: float) -> str:
    return f"{100 * fraction:g}%"


def _at(fraction: float) -> str:
    return "without noise" if fraction == 0 else f"at {_share(fraction)} noise"


def _decided(curve: Any) -> int:
    """Return the index of the first share where a learner has a mean; 0 where there is none."""
    known = [f for f in range(len(curve.levels)) if standing(curve, f) is not None]
    return known[0] if known else 0


def _pick(curve: Any, index: int) -> str:
    at = standing(curve, index)
    if at is None:
        return "No learner has a score in every run, so none is picked."
    names = [curve.learners[k] for k in at.leaders]
    value = score_in_words(curve.measure, at.value)
    text = f"Use {listing(names, 'or')}: {value} {_at(curve.levels[index])}"
    last = curve.means()[-1, at.leaders[0]]
    if index == len(curve.levels) - 1 or last != last:
        return f"{text}."
    return f"{text}, {cell(curve.measure, last)} {_at(curve.levels[-1])}."


def _noise(curve: Any) -> str:
    is_both = curve.noisy == "both"
    struck = _NOISE[curve.kind].format(
        rows="all rows, for training and for testing," if is_both else "the training rows"
    )
    tested = _TESTED_ON_NOISY[curve.kind] if is_both else _TESTED_ON_CLEAN
    return f"{listing(map(_share, curve.levels))} {struck}. {tested}"


def _resistance(curve: Any) -> str:
    """Return what every learner loses to noise on average, a figure and no conclusion."""
    if not curve.has_resistance:
        return ""
    ranked = curve.resistance().dropna(subset="rank")
    if not len(ranked):
        return ""
    title = short_title(curve.measure)
    if not curve.is_growth and not curve.measure.greater_is_better:
        title = "accuracy" if curve.measure.name == "error" else "score"
    what = f"Growth of the {title}" if curve.is_growth else f"Loss of {title}"
    said = [f"{row.learner} {percent(row.relative_loss)}%" for row in ranked.itertuples()]
    return f"{what} under noise, relative, mean over the shares: {listing(said)}."
