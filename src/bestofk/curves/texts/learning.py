"""Text of learning curves: the answer, the table of means by size, and details."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

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
from bestofk.measures.words import is_share, score_in_words, short_title, value_title
from bestofk.report.parts import Row, Sections, Table
from bestofk.words import interval_in_words, listing, number, seconds, times

_MOST_NAMED: Final = 6  # models that grow, named one by one


def learning_sections(curves: Any, n_train: int | None = None) -> Sections:
    """Return the report of learning curves, looking ahead to `n_train` rows."""
    heads = [f"{size:,}" for size in curves.sizes]

    def where(levels: Sequence[int]) -> str:
        return f"with {span(levels, curves.levels, '{:,}'.format)} rows"

    return curve_sections(
        curves,
        answer=(_pick(curves), others_at(curves, -1, where), _ahead(curves, n_train)),
        tables=[level_table(curves, "rows", heads, -1), *_times(curves, heads)],
        details=[
            f"{subject(curves)} on rows left out, by the number of training rows; mean of "
            f"{times(curves.n_splits, 'split')}.",
            pair_tests_in_words(curves, "sizes"), error_in_words(curves), _crossings(curves),
            _fit(curves), _growth(curves), _expected(curves, n_train),
        ],
    )  # fmt: skip


def _times(curves: Any, heads: Sequence[str]) -> list[Table]:
    """Return the table of seconds to train and to test; none where tests were not timed."""
    if np.isnan(curves.test_seconds).all():
        return []
    frame = curves.to_frame().set_index("learner")
    rows = [
        Row(
            name, "",
            tuple(f"{seconds(row.train_seconds)} / {seconds(row.test_seconds)}"
                  for row in frame.loc[[name]].itertuples()),
        )
        for name in curves.learners
    ]  # fmt: skip
    foot = "Mean time to train / time to predict the test rows of the first split."
    return [Table(["rows", *heads], rows, foot)]


def _pick(curves: Any) -> str:
    at = standing(curves, -1)
    if at is None:
        return f"No learner has a score in every run with {curves.sizes[-1]:,} training rows."
    names = [curves.learners[k] for k in at.leaders]
    value = score_in_words(curves.measure, at.value)
    return f"Use {listing(names, 'or')}: {value} with {curves.sizes[-1]:,} training rows."


def _crossings(curves: Any) -> str:
    """Return from how many rows on the pick has the better mean; only with an interval."""
    at = standing(curves, -1)
    if at is None:
        return ""
    best = curves.learners[at.leaders[0]]
    crossings = curves.crossings().query("better_after == @best").dropna(subset="low")
    said = [
        f"{row.better_before} at about {row.n_train:,.0f} rows "
        f"({_drawn_rows(row.low)}-{_drawn_rows(row.high)})"
        for row in crossings.sort_values("n_train").itertuples()
    ]
    if not said:
        return ""
    return (
        f"By the means {best} overtakes {listing(said)}. In brackets: the middle 90% over "
        "resampled repeats of these rows."
    )


def _drawn_rows(n_rows: float) -> str:
    """Return a quantile of resampled repeats, which is known to two digits."""
    return f"{float(f'{n_rows:.2g}'):,.0f}"


def _fit(curves: Any) -> str:
    """Return the learner that fits its training rows far better than others at the largest size."""
    last = curves.to_frame().query("n_train == @curves.sizes[-1]").set_index("learner")
    last = last[(last["n_failed"] == 0) & ~np.array(curves.is_baseline)]
    if not len(last):
        return ""
    losses = curves.measure.loss(last[["train", "test"]].to_numpy())
    gaps = losses[:, 1] - losses[:, 0]
    if not gaps.max() > 0:
        return ""
    name = last.index[int(np.argmax(gaps))]
    item, measure = last.loc[name], curves.measure
    return (
        f"Largest gap between training rows and rows left out: {name}, "
        f"{cell(measure, item['train'])} against {cell(measure, item['test'])} with "
        f"{curves.sizes[-1]:,} rows."
    )


def _growth(curves: Any) -> str:
    """Return the learners whose models change their size with the rows."""
    few, many = curves.complexity[0], curves.complexity[-1]
    is_named = ~np.isnan(few) & ~np.isnan(many) & (few != many) & ~np.array(curves.is_baseline)
    is_named &= curves.complexity_unit[0] == curves.complexity_unit[-1]
    is_named &= (few != curves.sizes[0]) | (many != curves.sizes[-1])  # learners that keep all rows
    indices = np.flatnonzero(is_named)
    if not len(indices):
        return ""
    ratios = np.maximum(many[indices], 1) / np.maximum(few[indices], 1)
    named = indices[np.argsort(-np.abs(np.log(ratios)), kind="stable")][:_MOST_NAMED]
    most = ", largest changes" if len(named) < len(indices) else ""
    said = [
        f"{curves.learners[k]} from {few[k]:,.0f} to {many[k]:,.0f} {curves.complexity_unit[-1, k]}"
        for k in named
    ]
    return f"Size of the first split's model, fewest to most rows{most}: {listing(said)}."


# -- more rows than were measured --------------------------------------------------------


def _ahead(curves: Any, n_train: int | None) -> str:
    """Return which of the two best candidates leads with more rows, or why that is not said."""
    expected = curves.extrapolations(n_train)
    if not expected:
        return "No forecast: no learner can be picked."
    rows = f"{expected[0].n_train:,} rows"
    refused = [item for item in expected if item.is_refused]
    if refused and len({item.reason for item in refused}) == 1 and len(refused) == len(expected):
        return f"No forecast for {rows}: {refused[0].reason}."
    if refused:
        return " ".join(
            f"No forecast for {item.learner}: {item.reason}."
            if item.is_refused
            else f"With {rows} expect {_interval(curves, item)} for {item.learner} (80% interval)."
            for item in sorted(expected, key=lambda item: item.is_refused)
        )
    if len(expected) < 2:
        return f"With {rows} expect {_interval(curves, expected[0])} (80% interval)."
    lead = curves.predicted_lead(n_train)
    first, second = sorted(expected, key=lambda item: item.learner != lead.leader)
    said = f"{_interval(curves, first)} against {_interval(curves, second)} (80% intervals)"
    if not lead.is_sure:
        names = f"{first.learner} and {second.learner}"
        return f"With {rows} can't tell which of {names} is better: expect {said}."
    still = "still " if lead.leader == lead.first else ""
    ranks = f"{first.learner} should {still}be better than {second.learner}"
    return f"With {rows} {ranks}: expect {said}."


def _interval(curves: Any, item: Any) -> str:
    _, low, high = curves.in_units(item)
    if is_share(curves.measure):
        return f"{interval_in_words(low, high)} {value_title(curves.measure)}"
    return f"{short_title(curves.measure)} {number(low, 3)} to {number(high, 3)}"


def _expected(curves: Any, n_train: int | None) -> str:
    expected = [item for item in curves.extrapolations(n_train) if not item.is_refused]
    if not expected:
        return ""
    said = [
        f"{cell(curves.measure, curves.in_units(item)[0])} for {item.learner}" for item in expected
    ]
    double = ", twice the largest size" if expected[0].n_train == 2 * curves.sizes[-1] else ""
    return f"Expected mean with {expected[0].n_train:,} rows{double}: {listing(said)}."
