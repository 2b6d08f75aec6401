"""Text of learning curves: a table and a few sentences."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bestofk.report.curve_text import paragraphs, score_table
from bestofk.report.words import listing, number, short_title, times

_MOST_NAMED: Final = 6  # differences, or models that grow, that are named one by one


def learning_text(curves: Any, n_train: int | None = None) -> str:
    """Return a table of means by size, and what can be said of it and of `n_train` rows."""
    head = (
        f"{curves.data_name}: {short_title(curves.measure)} "
        f"({'higher' if curves.measure.greater_is_better else 'lower'} is better) on rows left "
        f"out, by the number of training rows; mean of {times(curves.n_splits, 'split')}"
    )
    cells = [[number(value) for value in of_learner] for of_learner in curves.means().T]
    table = score_table("rows", [f"{size:,}" for size in curves.sizes], curves.learners, cells)
    sentences = [
        _best(curves), _changes(curves), _shown(curves), _fit(curves), _growth(curves),
        _ahead(curves, n_train),
    ]  # fmt: skip
    return paragraphs(head, table, sentences, curves.notes)


def _best(curves: Any) -> str:
    losses = curves.candidate_losses()
    if np.isnan(losses[0]).all() or np.isnan(losses[-1]).all():
        return ""
    first, last = (_with_least_loss(curves, losses[s]) for s in (0, -1))
    extreme = "highest" if curves.measure.greater_is_better else "lowest"
    title, few, many = short_title(curves.measure), curves.sizes[0], curves.sizes[-1]
    has, it_has = ("has", "it has") if len(last) == 1 else ("have", "they have")
    end = f"With {many:,} training rows {listing(last)} {has} the {extreme} {title}"
    if first == last:
        return f"{end}, and so {it_has} with {few:,}."
    then = f"it is {first[0]}" if len(first) == 1 else f"{listing(first)} have it"
    return f"{end}; with {few:,} {then}."


def _with_least_loss(curves: Any, losses: NDArray[np.float64]) -> list[str]:
    """Return the learner with the lowest loss; several if equal up to rounding."""
    is_least = np.isclose(losses, np.nanmin(losses), rtol=1e-9, atol=1e-12)
    return [name for name, is_one in zip(curves.learners, is_least, strict=True) if is_one]


def _changes(curves: Any) -> str:
    losses = curves.candidate_losses()
    if np.isnan(losses[-1]).all():
        return ""
    best = curves.learners[int(np.nanargmin(losses[-1]))]
    crossings = curves.crossings().query("better_after == @best").sort_values("n_train")
    said = []
    for row in crossings.itertuples():
        between = "" if np.isnan(row.low) else f" ({row.low:,.0f} to {row.high:,.0f})"
        said.append(f"{row.better_before} at about {row.n_train:,.0f} rows{between}")
    if not said:
        return ""
    how = "; in brackets the middle 90 % over resampled repeats of these rows" if (
        crossings["low"].notna().any()
    ) else ""  # fmt: skip
    return f"{best} overtakes {listing(said)}{how}."


def _shown(curves: Any) -> str:
    if len(curves.learners) < 2:
        return ""
    pairs = curves.pairs()
    if not len(pairs):
        complete = (~np.isnan(curves.test_values).any(axis=2)).sum(axis=1)
        why = (
            "the plan carries no corrected t test"
            if (complete >= 2).any()
            else "no two have a score in every run of a size"
        )
        return f"No two learners could be tested: {why}."
    family = (
        f"by the corrected resampled t test, Holm over all {times(len(pairs), 'comparison')} at "
        f"all sizes, level {curves.alpha:g}"
    )
    shown = pairs[pairs["shown"]]
    if not len(shown):
        return f"No difference is shown at any size ({family}). That is no proof of equality."
    of_size = shown.groupby("n_train").size()
    if len(shown) > _MOST_NAMED:
        counts = listing([f"{count} with {size:,} rows" for size, count in of_size.items()])
        return f"Shown {family}: {times(len(shown), 'difference')}, {counts}."
    said = [
        f"{row.first} {'better' if row.difference < 0 else 'worse'} than {row.second} with "
        f"{row.n_train:,} rows"
        for row in shown.itertuples()
    ]
    return f"Shown {family}: {listing(said)}."


def _fit(curves: Any) -> str:
    """Report the learner that fits its training rows far better than others at the largest size."""
    last = curves.frame().query("n_train == @curves.sizes[-1]").set_index("learner")
    last = last[(last["n_failed"] == 0) & ~np.array(curves.is_baseline)]
    if not len(last):
        return ""
    losses = curves.measure.loss(last[["train", "test"]].to_numpy())
    gaps = losses[:, 1] - losses[:, 0]
    if not gaps.max() > 0:
        return ""
    name = last.index[int(np.argmax(gaps))]
    item = last.loc[name]
    return (
        f"Farthest from its training rows is {name}: {number(item['train'])} on them, "
        f"{number(item['test'])} on rows left out, with {curves.sizes[-1]:,} rows."
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
    most = ", most" if len(named) < len(indices) else ""
    said = [
        f"{curves.learners[k]} from {few[k]:,.0f} to {many[k]:,.0f} {curves.complexity_unit[-1, k]}"
        for k in named
    ]
    return f"With the rows the model of the first split changes its size{most}: {listing(said)}."


def _ahead(curves: Any, n_train: int | None) -> str:
    """Say what is expected of the two best candidates with more rows, and which of them leads."""
    expected = curves.extrapolations(n_train)
    if not expected:
        return ""
    rows = f"{expected[0].n_train:,} rows"
    refused = [item for item in expected if item.is_refused]
    if refused:
        alike = {item.reason: [k.learner for k in refused if k.reason == item.reason]
                 for item in refused}  # fmt: skip
        why = " ".join(f"{listing(names)}: {reason}." for reason, names in alike.items())
        return f"Nothing is foretold for {rows}. {why}"
    shown = []
    for item in expected:
        value, low, high = curves.in_units(item)
        shown.append(f"{number(value)} of {item.learner} ({number(low)} to {number(high)})")
    first = (
        f"With {rows}, {_how_many(curves, expected[0].n_train)}, one may expect {listing(shown)}; "
        "in brackets 80 % intervals."
    )
    return first if len(expected) < 2 else f"{first} {_lead(curves.predicted_lead(n_train))}"


def _how_many(curves: Any, n_train: int) -> str:
    is_double = n_train == 2 * curves.sizes[-1]
    return "twice as many as were measured" if is_double else "more than were measured"


def _lead(lead: Any) -> str:
    between = "the 80 % interval of their difference"
    if not lead.is_sure:
        return f"Which of the two would then be better is open: {between} includes 0."
    if lead.high < 0:
        return f"{lead.first} should still be better: {between} excludes 0."
    return f"{lead.second} should then be better: {between} excludes 0."
