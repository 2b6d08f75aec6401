"""Sentences on tuned learners: what they chose, and what tuning gained."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from numbers import Real
from typing import Any

import numpy as np

from bestofk.measures import Measure
from bestofk.measures.ties import is_noise
from bestofk.measures.words import is_share, points, size_in_words
from bestofk.report.findings import Findings, LearnerFindings
from bestofk.report.findings.one_data_set import ChosenSettings, SettingCount
from bestofk.words import listing

# Share of a mean up to which a difference is one of rounding.
# From this share of splits on the default is what was chosen, and other settings come second.
_MOSTLY_DEFAULT = 0.5


def choices_of_plausible(findings: Findings) -> list[str]:
    """Return what tuned learners chose that are the pick or cannot be ruled out."""
    return _texts(findings, [item for item in findings.ordered() if item.is_candidate])


def choices_of_others(findings: Findings) -> list[str]:
    """Return what all other tuned learners chose, and whose scores those of tuned ones are."""
    texts = _texts(findings, [item for item in findings.ordered() if not item.is_candidate])
    if any(item.chosen_settings is not None for item in findings.learners):
        texts.append(
            "Tuned learners chose anew in every training set: their scores are those of tuning, "
            "not of one setting."
        )
    return texts


def tuning_methods(parts: Iterable[Findings]) -> list[str]:
    """Return how settings were chosen on some data sets, without a stop at the end."""
    names: dict[str, dict[str, None]] = {}
    for learner in (item for part in parts for item in part.learners):
        if learner.chosen_settings is not None:
            how = learner.chosen_settings.how or "a search of scikit-learn"
            names.setdefault(how, {})[learner.name] = None
    return [
        f"Settings of {listing(tuned)} were chosen inside every training set by {how}"
        for how, tuned in names.items()
    ]


def _texts(findings: Findings, learners: Iterable[LearnerFindings]) -> list[str]:
    return [
        _choices(item.name, item.chosen_settings)
        + _gain(findings, item.name, item.chosen_settings.untuned)
        for item in learners
        if item.chosen_settings is not None
    ]


def _choices(name: str, chosen: ChosenSettings) -> str:
    """Return which values were chosen mostly, and how often the default was kept."""
    kept = chosen.default_kept
    if kept == 1:
        return f"{name} kept its default in all splits."
    if kept is not None and kept >= _MOSTLY_DEFAULT:
        others = _mostly_chosen([item for item in chosen.counts if not item.is_default])
        return f"{name} kept its default in {_percent(kept)} of splits; in the others: {others}."
    text = f"{name}: {_mostly_chosen(chosen.counts)}"
    if kept is None:
        return f"{text}."
    return f"{text}; the default was " + (
        f"kept in {_percent(kept)} of splits." if kept else "never kept."
    )


def _mostly_chosen(counts: Sequence[SettingCount]) -> str:
    names = dict.fromkeys(name for item in counts for name in item.setting)
    return ", ".join(
        _mostly(name, [item.setting.get(name) for item in counts for _ in range(item.n_splits)])
        for name in names
    )


def _mostly(name: str, values: Sequence[Any]) -> str:
    """Return the middle half of numbers, or the most frequent of other values."""
    texts = [_shown(value) for value in values]
    if len(set(texts)) == 1:
        return f"{name} always {texts[0]}"
    if all(_is_number(value) for value in values):
        low, high = np.quantile(np.array(values, dtype=float), [0.25, 0.75], method="nearest")
        return f"{name} mostly {low:g}" + (f" to {high:g}" if high > low else "")
    most = max(dict.fromkeys(texts), key=texts.count)
    return f"{name} mostly {most} ({_percent(texts.count(most) / len(texts))})"


def _gain(findings: Findings, name: str, untuned: str) -> str:
    """Return what tuning gained over the default, with the interval of their pair."""
    verdict, measure = findings.verdict, findings.measure
    pair = next(
        (item for item in verdict.pairs if {item.first, item.second} == {name, untuned}), None
    )
    if pair is None or math.isnan(pair.difference):
        return ""
    gain, low, high = pair.difference, pair.low, pair.high
    if pair.first == name:
        gain, low, high = -gain, -high, -low
    most = np.nanmax(np.abs([gain, low, high]))
    if is_noise(most, abs(verdict.means[untuned])):
        return f" Tuning changed nothing against {untuned}."
    verb, what = ("gained", f"over {untuned}") if gain >= 0 else ("lost", f"against {untuned}")
    ends = " to ".join(_number(measure, end) for end in (low, high))
    between = (
        "" if math.isnan(low) else f" ({100 * (1 - verdict.alpha):g}% interval of the gain: {ends})"
    )
    return f" Tuning {verb} {_size(measure, abs(gain))} {what}{between}."


def _size(measure: Measure, size: float) -> str:
    if is_share(measure):
        return points(measure, size, decimals=1)
    return size_in_words(measure, float(f"{size:.2g}"))


def _number(measure: Measure, value: float) -> str:
    if not is_share(measure):
        return f"{value:.2g}"
    has_tenths = not value or abs(value) >= 0.0005
    return f"{100 * value:.1f}" if has_tenths else f"{100 * value:.1g}"


def _percent(share: float) -> str:
    """Return a share that is neither none nor all, as one sees."""
    return f"{min(max(round(100 * share), 1), 99)}%"


def _shown(value: Any) -> str:
    if value is None:
        return "not set"
    return f"{value:g}" if _is_number(value) else str(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
