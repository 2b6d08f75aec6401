"""Text of a validation curve: a table and a few sentences."""

from __future__ import annotations

from typing import Any, Final

from bestofk.report.curve_text import paragraphs, score_table
from bestofk.report.words import best_side, listing, number, short_title, times

_HEADS: Final = ("training", "validation", "test")
_MOST_NAMED: Final = 8  # values that are named one by one


def validation_text(curve: Any) -> str:
    """Return a table of means by value, and what can be said of it."""
    head = (
        f"{curve.data_name}: {short_title(curve.measure)} "
        f"({'higher' if curve.measure.greater_is_better else 'lower'} is better) of "
        f"{curve.learner} by {curve.parameter}; mean of {times(curve.n_splits, 'split')} of about "
        f"{curve.n_train:.0f} training, {curve.n_validation:.0f} validation and "
        f"{curve.sampling.n_test:.0f} test rows"
    )
    means = curve.frame()[["train", "validation", "test"]].to_numpy(dtype=float)
    cells = [[number(value) for value in row] for row in means]
    table = score_table(curve.parameter, _HEADS, curve.labels, cells, curve.chosen)
    sentences = [_chosen(curve), _cost_of_choice(curve), _shown(curve), *_fit(curve)]
    return paragraphs(head, table, sentences, curve.notes)


def _chosen(curve: Any) -> str:
    chosen = curve.chosen
    if chosen is None:
        return "No value has a score in every run, so none is chosen."
    text = (
        f"* {curve.parameter} = {curve.labels[chosen]} is chosen: the {best_side(curve.measure)} "
        f"mean {short_title(curve.measure)} on the validation rows."
    )
    by_split = curve.chosen_by_split
    others = len(set(by_split) - {chosen})
    if others:
        text += (
            f" By their own validation rows {by_split.count(chosen)} of "
            f"{times(curve.n_splits, 'split')} choose it, the rest {times(others, 'other value')}."
        )
    if curve.is_ordered and chosen in (0, len(curve.values) - 1):
        text += " It is the end of the values; if there are others beyond it, they may do better."
    return text


def _cost_of_choice(curve: Any) -> str:
    index = curve.best_on_test
    if index is None:
        return ""
    honest, _, best = curve.estimates().itertuples()
    shown = number(honest.test), number(best.test)
    text = (
        f"Choosing in each split by its own validation rows gives a mean "
        f"{short_title(curve.measure)} of {shown[0]} on the test rows. The best mean that one "
        f"value has there is {shown[1]}, with {curve.labels[index]}"
    )
    if best.gap < 0 and shown[0] != shown[1]:
        return f"{text}: better by {number(-best.gap)}, but that takes a look at the test rows."
    return f"{text}, so nothing would be gained by a look at the test rows."


def _shown(curve: Any) -> str:
    tests, chosen = curve.against_chosen(), curve.chosen
    if chosen is None or len(curve.whole) < 2:
        return ""
    if not len(tests):
        return "No value could be tested: the plan carries no corrected t test."
    family = (
        f"by the corrected resampled t test on the test rows, Holm over "
        f"{times(len(tests), 'comparison')}, level {curve.alpha:g}"
    )
    labels = [curve.labels[index] for index in curve.whole if index != chosen]
    own, shown = curve.labels[chosen], tests.assign(label=labels)[tests["shown"]]
    if not len(shown):
        return f"No value is shown to differ from {own} ({family}). That is no proof of equality."
    said = []
    for word, rows in (
        ("worse", shown[shown["difference"] > 0]), ("better", shown[shown["difference"] < 0]),
    ):  # fmt: skip
        if len(rows) > _MOST_NAMED:
            said.append(f"{times(len(rows), 'value')} {word} than {own}")
        elif len(rows):
            said.append(f"{listing(rows['label'])} {word} than {own}")
    rest = len(tests) - len(shown)
    left = f" Nothing is shown of the other{f' {rest}' if rest > 1 else ''}." if rest else ""
    return f"Shown {family}: {listing(said)}.{left}"


def _fit(curve: Any) -> list[str]:
    """Say where training and validation part, and where both get worse."""
    chosen = curve.chosen
    if chosen is None:
        return []
    if not curve.is_ordered:
        return ["The values have no order, so there is no side of under- or overfitting."]
    if curve.sampling.n_repeats < 2:
        return ["One repeat has no standard error, so under- and overfitting cannot be assessed."]
    sides = curve.sides()
    if not len(sides):  # no other value has a score in every run
        return []
    said = [_side(curve, row) for row in sides.itertuples() if row.kind]
    if not said:
        return [
            "Neither under- nor overfitting stands out within these values: 95 % intervals over "
            "repeats leave it open."
        ]
    return [*said, "Standard errors are over repeats: about other divisions of these rows."]


def _side(curve: Any, item: Any) -> str:
    end = curve.labels[curve.values.index(item.end)]
    span = f"from {curve.labels[curve.chosen or 0]} to {end}"
    train = f"by {number(abs(item.train_change))} (standard error {number(item.train_error)})"
    held_back = f"by {number(item.validation_change)} ({number(item.validation_error)})"
    title, greater = short_title(curve.measure), curve.measure.greater_is_better
    better, worse = ("rises", "falls") if greater else ("falls", "rises")
    if item.kind == "overfitting":
        return (
            f"Overfitting towards {end}: {span} the {title} {better} {train} on the training rows "
            f"and {worse} {held_back} on the validation rows."
        )
    return (
        f"Underfitting towards {end}: {span} the {title} {worse} {train} on the training rows and "
        f"{held_back} on the validation rows."
    )
