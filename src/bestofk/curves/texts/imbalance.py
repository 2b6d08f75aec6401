"""Text of the effect of balancing classes: what changed in ranks and in probabilities."""

from __future__ import annotations

from typing import Any, Final

import pandas as pd

from bestofk.curves.texts.shared import curve_sections, family_in_words
from bestofk.report.parts import Row, Sections, Table
from bestofk.report.sentences.answers import BETTER, IN_WORDS, UNDECIDED, WORSE
from bestofk.verdict.complete_scores import first_names
from bestofk.words import fixed, listing, number, percent, times

_CALIBRATION: Final = "calibration_in_the_large"
_NONE: Final = "none"
# Smaller changes are not spoken of; the region of practical equivalence of all verdicts.
_MATTERS: Final = 0.01
_FIGURES: Final = {
    "auroc": "AUROC",
    "balanced_accuracy": "balanced\naccuracy",
    "log_loss": "log\nloss",
    "brier": "Brier\nscore",
    _CALIBRATION: "predicted\n- observed",
}


def imbalance_sections(effect: Any) -> Sections:
    """Return the report of balancing classes.

    A change of a score is called better or worse where the corrected resampled t test says so.
    """
    evaluation = effect.comparison.evaluation
    data, count = evaluation.data, int(evaluation.data.class_counts[effect.rarest])
    tests = effect.pairs()
    return curve_sections(
        effect,
        answer=(_ranking(effect, tests), _others(tests), _how_sure(effect, tests)),
        tables=[_table(effect, tests)],
        details=[
            f"{effect.data_name}: class {effect.rarer_class} holds {count:,} of "
            f"{data.n_samples:,} rows ({percent(count / data.n_samples)}%); "
            f"{evaluation.plan.title}.",
            "Classes are brought to one size in training rows alone. A case is a learner with a "
            f"method{_left_out(effect)}.",
            _tested(effect, tests),
            *_on_calibration(effect),
            *_gaps(effect),
        ],
    )


def _left_out(effect: Any) -> str:
    return f"; {listing(effect.baselines)} counts for none" if effect.baselines else ""


def _table(effect: Any, tests: pd.DataFrame) -> Table:
    frame = effect.to_frame()
    versus = {row.case: row for row in tests.query("measure == 'auroc'").itertuples()}
    rows = []
    for name, figures in zip(effect.comparison.evaluation.names, frame.itertuples(), strict=True):
        cells = [number(getattr(figures, key)) for key in _FIGURES]
        cells[-1] = (
            "-" if cells[-1] == "-" else fixed(figures.calibration_in_the_large, 3, sign="+")
        )
        rows.append(Row(name, "", (*cells, _versus(versus.get(name)))))
    return Table(["learner (method)", *_FIGURES.values(), "AUROC\nversus none"], rows, left=(0, 6))


def _versus(test: Any) -> str:
    if test is None:
        return ""
    answer = UNDECIDED if not test.shown else BETTER if test.change > 0 else WORSE
    return f"{IN_WORDS[answer]} ({fixed(test.change, 3, sign='+')})"


def _ranking(effect: Any, tests: pd.DataFrame) -> str:
    """Return whether to balance: where the ranking of rows gets significantly better."""
    if len(effect.levels) < 2:
        return "Nothing was balanced: 'none' is the only method."
    of_auroc = tests.query("measure == 'auroc'")
    if not len(of_auroc):
        return f"Can't tell whether to balance the classes: {_untested(effect)}."
    better = of_auroc[of_auroc["shown"] & (of_auroc["change"] > 0)]
    if not len(better):
        return (
            "Leave the classes as they are: no method makes the ranking of rows (AUROC) "
            "significantly better."
        )
    most = better.sort_values("change", kind="stable").iloc[-1]
    cases = first_names(better["case"].tolist())
    whose = f", for {most['case']}" if len(better) > 1 else ""
    rest = " Leave the others as they are." if len(better) < len(of_auroc) else ""
    return (
        f"Balance the classes for {cases}: the ranking gets significantly better{whose}, from "
        f"AUROC {fixed(most['before'], 3)} to {fixed(most['after'], 3)}.{rest}"
    )


def _untested(effect: Any) -> str:
    is_one = len(effect.comparison.evaluation.plan) == 1
    return "one split does not show what is chance" if is_one else "no ranking could be tested"


def _others(tests: pd.DataFrame) -> str:
    open_cases = tests.query(f"measure == 'auroc' and not shown and change > {_MATTERS}")
    texts = []
    if len(open_cases):
        names = open_cases.sort_values("change", ascending=False, kind="stable")["case"].tolist()
        texts.append(f"Can't tell, but may rank better: {first_names(names)}.")
    for measure, title, better, worse in (
        ("balanced_accuracy", "Balanced accuracy", ", as another threshold can do", ""),
        ("log_loss", "Log loss", "", ": do not read those probabilities as risks"),
    ):
        of_measure = tests.query("measure == @measure")
        shown = of_measure[of_measure["shown"]]
        is_better = (shown["change"] > 0) != (measure == "log_loss")
        for word, count, meaning in (
            ("better", int(is_better.sum()), better), ("worse", int((~is_better).sum()), worse),
        ):  # fmt: skip
            if count:
                texts.append(
                    f"{title} is significantly {word} in {count} of "
                    f"{times(len(of_measure), 'case')}{meaning}."
                )
    none = "No other score is significantly better or worse."
    return " ".join(texts) or (none if len(tests) else "No score was tested.")


def _how_sure(effect: Any, tests: pd.DataFrame) -> str:
    if not len(tests):
        return "No claim about new data: nothing was tested."
    return (
        f"{times(len(tests), 'test')} at a nominal {100 * effect.alpha:g}% family-wise level "
        '(Holm); "can\'t tell" does not mean "equal".'
    )


# -- details -----------------------------------------------------------------------------


def _tested(effect: Any, tests: pd.DataFrame) -> str:
    if not len(tests):
        return ""
    what = "every method against none by AUROC, balanced accuracy and log loss"
    return family_in_words(len(tests), int(tests["shown"].sum()), what, effect.alpha)


def _before_and_after(effect: Any) -> tuple[Any, Any]:
    """Return the rows of the table without and with a method, one for each such arm."""
    frame = effect.to_frame().set_axis(effect.comparison.evaluation.names)
    after = frame[(frame["method"] != _NONE) & ~frame["learner"].isin(effect.baselines)]
    return frame.loc[after["learner"]].set_axis(after.index), after


def _on_calibration(effect: Any) -> list[str]:
    """Say whether predicted shares moved away from the observed one, and the ranking not."""
    before, after = _before_and_after(effect)
    before_gap, after_gap = before[_CALIBRATION].dropna(), after[_CALIBRATION].dropna()
    farther = (after_gap.abs() - before_gap.abs()).dropna()
    if not len(farther):
        return []
    sentences = []
    for words, moved in (("away from", farther), ("towards", -farther)):
        if (moved > _MATTERS).any():
            most = moved.idxmax()
            sentences.append(
                f"The mean predicted share of class {effect.rarer_class} moved {words} the "
                f"observed one in {(moved > _MATTERS).sum()} of {len(moved)} cases. Most for "
                f"{most}: predicted minus observed from {fixed(before_gap[most], 3, sign='+')} to "
                f"{fixed(after_gap[most], 3, sign='+')}."
            )
    if before["auroc_se"].isna().all():
        return sentences
    moved = farther.index[farther > _MATTERS]
    ranking = (after["auroc"] - before["auroc"]).abs()[moved]
    n_kept = int((ranking <= _MATTERS).sum())
    if n_kept:
        sentences.append(
            f"In {n_kept} of these {len(moved)} cases AUROC changed by at most "
            f"{fixed(ranking[ranking <= _MATTERS].max(), 3)}, as van den Goorbergh et al. (2022) "
            "found for logistic regression."
        )
    return sentences or [
        f"The mean predicted share of class {effect.rarer_class} came to differ from the "
        f"observed one by at most {fixed(max(farther.max(), 0), 3)} more, and by at most "
        f"{fixed(max(-farther.min(), 0), 3)} less."
    ]


def _gaps(effect: Any) -> list[str]:
    """Say which figures are missing, and which splits do not count."""
    titles: dict[str, list[str]] = {}
    reasons: dict[str, str] = {}
    for item, arms in effect.measured:
        for name, reason in arms.left_out.items():
            titles.setdefault(name, []).append(item.measure.title)
            reasons.setdefault(name, reason)
    alike: dict[str, list[str]] = {}
    for name, missing in titles.items():
        alike.setdefault(f"{', '.join(missing)}: {reasons[name]}.", []).append(name)
    uncounted: dict[int, list[str]] = {}
    for element, arms in effect.measured:
        n_uncounted = element.values.shape[1] - len(arms.splits)
        uncounted.setdefault(n_uncounted, []).append(element.measure.title)
    return [
        *(f"Without a value for {', '.join(names)}: {text}" for text, names in alike.items()),
        *(f"{times(n, 'split')} left out of {listing(names)} for all, because one has no value "
          "there." for n, names in uncounted.items() if n),
    ]  # fmt: skip
