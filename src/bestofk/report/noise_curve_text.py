"""Text of noise curves: a table and a few sentences."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

import numpy as np
import pandas as pd

from bestofk.report.words import listing, percent, short_title, times, value_in_words

_NOISE: Final = {
    "class": "of {rows} got another class",
    "feature": "of the values in every column of {rows} were replaced",
    "missing": "of the values in every column of {rows} were removed",
}
_TESTED_ON_CLEAN: Final = "test rows stayed clean."
_TESTED_ON_NOISY: Final = {
    "class": "scores are agreement with these partly wrong classes.",
    "feature": "learners predicted from such values.",
    "missing": "learners predicted with such gaps.",
}


def noise_table(curve: Any) -> str:
    """Return the table of mean scores by learner and share of noise."""
    shares = [f"{100 * fraction:g} %" for fraction in curve.levels]
    table = pd.DataFrame(curve.means().T, index=list(curve.learners), columns=shares)
    return str(table.round(4).to_string())


def noise_text(curve: Any) -> str:
    """Return what noise curves say, in a few sentences."""
    sentences = [_noise(curve), _best(curve), _resistance(curve), _shown(curve), *curve.notes]
    return " ".join(filter(None, sentences))


def _noise(curve: Any) -> str:
    shares = listing(f"{100 * fraction:g}" for fraction in curve.levels)
    is_both = curve.noisy == "both"
    struck = _NOISE[curve.kind].format(
        rows="all rows, for training and for testing," if is_both else "the training rows"
    )
    tested = _TESTED_ON_NOISY[curve.kind] if is_both else _TESTED_ON_CLEAN
    return f"On {curve.data_name}, {shares} % {struck}; {tested}"


def _best(curve: Any) -> str:
    """Report the learner with the best mean without noise, and where that changes."""
    losses = curve.candidate_losses()
    known = [f for f in range(len(curve.levels)) if not np.isnan(losses[f]).all()]
    leaders = [(f, int(np.nanargmin(losses[f]))) for f in known]
    if not leaders:
        return "No learner has a value in every run."
    start, first = leaders[0]
    value = value_in_words(curve.measure, float(curve.means()[start, first]))
    text = (
        f"{_at(curve, start)} {curve.learners[first]} has the best mean "
        f"{short_title(curve.measure)}: {value}"
    )
    changes = [
        f"{curve.learners[k]} from {100 * curve.levels[f]:g} %"
        for (_, before), (f, k) in pairwise(leaders)
        if k != before
    ]
    if changes:
        return f"{text}; then {listing(changes)}."
    return f"{text}{', and at every other fraction too' if len(leaders) > 1 else ''}."


def _at(curve: Any, index: int) -> str:
    share = curve.levels[index]
    return "Without noise" if share == 0 else f"At {100 * share:g} % noise"


def _resistance(curve: Any) -> str:
    if not curve.has_resistance:
        return ""
    ranked = curve.resistance().dropna(subset="rank")
    if len(ranked) < 2:
        return ""
    most, least = (_loses(curve, ranked.iloc[index]) for index in (0, -1))
    return f"Most resistant is {most} on average over the fractions; least {least}."


def _loses(curve: Any, row: Any) -> str:
    loss, title = row["relative_loss"], short_title(curve.measure)
    share = f"{percent(abs(loss))} %"
    if curve.is_growth:
        return f"{row['learner']}, whose {title} {'falls' if loss < 0 else 'grows'} by {share}"
    if not curve.measure.greater_is_better:
        title = "accuracy" if curve.measure.name == "error" else "score"
    return f"{row['learner']}, which {'gains' if loss < 0 else 'loses'} {share} of its {title}"


def _shown(curve: Any) -> str:
    pairs = curve.pairs()
    if not len(pairs):
        return ""
    n_shown = int(pairs["shown"].sum())
    return (
        f"{n_shown} of {times(len(pairs), 'difference')} between two learners "
        f"{'is' if 1 in (n_shown, len(pairs)) else 'are'} shown (corrected resampled t test, "
        f"Holm, level {curve.alpha:g})."
    )
