"""Text of a validation curve: the answer, the table of means by value, and details."""

from typing import Any, Final

import numpy as np

from bestofk.curves.texts import curve_sections, family_in_words, subject
from bestofk.measures.ties import at_most
from bestofk.measures.words import (
    best_side,
    points,
    score_in_words,
    short_title,
    signed_difference,
    value_cell,
)
from bestofk.report.parts import Row, Sections, Table
from bestofk.report.sentences.answers import BETTER, IN_WORDS, UNDECIDED, WORSE
from bestofk.verdict.complete_scores import first_names
from bestofk.words import listing, times

_HEADS: Final = ("training", "validation", "test")


def validation_sections(curve: Any) -> Sections:
    """Return the report of a validation curve."""
    return curve_sections(
        curve,
        answer=(_pick(curve), _others(curve), _fit(curve)),
        tables=[_table(curve)],
        details=[
            f"{subject(curve)}; mean of {times(curve.n_splits, 'split')} of about "
            f"{curve.n_train:.0f} training, "
            f"{curve.n_validation:.0f} validation and {curve.sampling.n_test:.0f} test rows.",
            _chosen(curve),
            _cost_of_choice(curve),
            _tests(curve),
            *_sides(curve),
        ],
    )


def _table(curve: Any) -> Table:
    means = curve.to_frame()[["train", "validation", "test"]].to_numpy(dtype=float)
    answers = _versus_chosen(curve)
    rows = [
        Row(label, "best" if index == curve.chosen else "",
            (*(value_cell(curve.measure, value) for value in means[index]), answers.get(index, "")))
        for index, label in enumerate(curve.labels)
    ]  # fmt: skip
    return Table([curve.parameter, *_HEADS, "versus chosen, on test rows"], rows, left=(0, 4))


def _versus_chosen(curve: Any) -> dict[int, str]:
    """Return of each value that was tested the answer with its difference, as in comparisons."""
    if curve.chosen is None:
        return {}
    others = [index for index in curve.whole.tolist() if index != curve.chosen]
    answers = {curve.chosen: "chosen"}
    # Without a test there are no rows, and so no answers.
    for index, row in zip(others, curve.against_chosen().itertuples(), strict=False):
        answer = UNDECIDED if not row.shown else BETTER if row.difference < 0 else WORSE
        size = signed_difference(curve.measure, row.difference)
        answers[index] = f"{IN_WORDS[answer]} ({size})"
    return answers


def _makes_no_difference(curve: Any) -> bool:
    """Return whether all values have the same means on validation and on test rows."""
    whole = curve.whole
    means = np.stack([part[whole].mean(axis=1) for part in (curve.validation_values,
                                                              curve.test_values)])  # fmt: skip
    return len(whole) > 1 and bool(at_most(means.max(axis=1), means.min(axis=1)).all())


def _pick(curve: Any) -> str:
    chosen = curve.chosen
    if chosen is None:
        return f"No value of {curve.parameter} has a score in every run, so none is chosen."
    value = score_in_words(curve.measure, float(curve.test_values[chosen].mean()))
    if _makes_no_difference(curve):
        return (
            f"{curve.parameter} makes no difference to {curve.learner} here: {value} on test rows "
            f"with each of the {len(curve.whole)} values."
        )
    return (
        f"Use {curve.parameter} = {curve.labels[chosen]} for {curve.learner}: {value} on test "
        "rows. It was chosen on validation rows."
    )


def _others(curve: Any) -> str:
    chosen = curve.chosen
    if chosen is None:
        return "No value can be picked."
    tests = curve.against_chosen()
    if not len(tests):
        return "Nothing was tested: one split does not show what is chance." if (
            curve.n_splits == 1 and len(curve.whole) > 1
        ) else "No other value was tested."  # fmt: skip
    if _makes_no_difference(curve):
        return "There is nothing to choose."
    labels = [curve.labels[index] for index in curve.whole if index != chosen]
    tests = tests.assign(label=labels).sort_values("difference", kind="stable")
    shown = tests[tests["shown"]]
    groups = {
        "Significantly better on test rows": shown[shown["difference"] < 0],
        "Cannot be ruled out": tests[~tests["shown"]],
        "Significantly worse": shown[shown["difference"] > 0],
    }
    texts = [f"{title}: {first_names(group['label'].tolist())}." for title, group in groups.items()
             if len(group)]  # fmt: skip
    return " ".join([*texts, *_end(curve)])


def _end(curve: Any) -> list[str]:
    """Say that values beyond the chosen one may be better, where it is strictly best at an end."""
    chosen, whole = curve.chosen, curve.whole.tolist()
    if not curve.is_ordered or chosen not in (whole[0], whole[-1]) or len(whole) < 2:
        return []
    neighbor = whole[1] if chosen == whole[0] else whole[-2]
    losses = curve.measure.loss(curve.validation_values).mean(axis=1)
    if at_most(losses[neighbor], losses[chosen]):
        return []
    return [f"{curve.labels[chosen]} is the last value tried; values beyond it may be better."]


def _fit(curve: Any) -> str:
    """Return the score to expect, and where the learner under- and overfits, if that is known."""
    chosen = curve.chosen
    if chosen is None:
        return "No claim: nothing was chosen."
    honest = curve.estimates()["test"].iloc[0]
    expected = f"Expect {score_in_words(curve.measure, honest)} if you choose on held-back rows."
    if _makes_no_difference(curve):
        return f"{expected} Values that were not tried may still differ."
    if not curve.is_ordered:
        return f"{expected} The values have no order, so none of them under- or overfits."
    untold = f"{expected} Can't tell where it under- or overfits"
    if curve.sampling.n_repeats < 2:
        return f"{untold}: one repeat has no standard error."
    sides = curve.sides()
    kinds = {"underfitting": "underfits", "overfitting": "overfits"}
    said = [
        f"{kinds[row.kind]} towards {curve.labels[curve.values.index(row.end)]}"
        for row in sides.itertuples()
        if row.kind
    ]
    if said:
        return f"{expected} It {listing(said)}."
    if not len(sides):
        return expected
    return f"{untold}: 95% intervals over repeats include 0."


# -- details -----------------------------------------------------------------------------


def _chosen(curve: Any) -> str:
    chosen = curve.chosen
    if chosen is None:
        return ""
    text = (
        f"{curve.labels[chosen]} has the {best_side(curve.measure)} mean "
        f"{short_title(curve.measure)} on validation rows; the first wins ties."
    )
    by_split = curve.chosen_by_split
    others = len(set(by_split) - {chosen})
    if not others:
        return text
    return (
        f"{text} On their own validation rows {by_split.count(chosen)} of "
        f"{times(curve.n_splits, 'split')} choose it, the rest {times(others, 'other value')}."
    )


def _cost_of_choice(curve: Any) -> str:
    index = curve.best_on_test
    if index is None:
        return ""
    honest, _, best = curve.estimates().itertuples()
    shown = value_cell(curve.measure, honest.test), value_cell(curve.measure, best.test)
    text = (
        f"Choosing in each split on its own validation rows: {shown[0]} on test rows. The best "
        f"single value there, {curve.labels[index]}: {shown[1]}"
    )
    if best.gap < 0 and shown[0] != shown[1]:
        return f"{text}, which takes a look at the test rows."
    return f"{text}, so a look at the test rows gains nothing."


def _tests(curve: Any) -> str:
    tests = curve.against_chosen()
    if not len(tests):
        return ""
    what = "all values against the chosen one, on test rows,"
    return family_in_words(len(tests), int(tests["shown"].sum()), what, curve.alpha)


def _sides(curve: Any) -> list[str]:
    if curve.chosen is None or not curve.is_ordered:
        return []
    said = [_side(curve, row) for row in curve.sides().itertuples() if row.kind]
    about = "Standard errors over repeats are about other divisions of these rows."
    return [*said, about] if said else []


def _side(curve: Any, item: Any) -> str:
    end = curve.labels[curve.values.index(item.end)]
    measure = curve.measure

    def moved(loss: float, error: float) -> str:
        rises = (loss > 0) != measure.greater_is_better
        size, known_to = points(measure, abs(loss)), points(measure, error)
        return f"{'rises' if rises else 'falls'} by {size} (standard error {known_to})"

    return (
        f"{item.kind.capitalize()}: from {curve.labels[curve.chosen or 0]} to {end} the "
        f"{short_title(measure)} {moved(item.train_change, item.train_error)} on training rows and "
        f"{moved(item.validation_change, item.validation_error)} on validation rows."
    )
