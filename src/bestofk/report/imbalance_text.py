"""Text of the effect of balancing classes: what changed in ranks and in probabilities."""

from __future__ import annotations

from typing import Any, Final

from bestofk.report.words import listing

_CALIBRATION: Final = "calibration_in_the_large"
_NONE: Final = "none"
# Smaller changes are not spoken of; the region of practical equivalence of all verdicts.
_MATTERS: Final = 0.01
_SPOKEN_OF: Final = {
    "auroc": "AUROC",
    "balanced_accuracy": "Balanced accuracy",
    "log_loss": "Log loss",
}


def imbalance_text(effect: Any) -> str:
    """Return what changed in a few sentences, with the notes.

    A change is spoken of where it is larger than 0.01. The sentences describe these runs;
    whether a difference of scores is more than chance is a matter of ``comparison.test``.
    """
    before, after = _before_and_after(effect)
    sentences = [_opening(effect)]
    if len(after):
        sentences += _on_calibration(effect, before, after)
        sentences += [
            _on_score(title, before[name], after[name]) for name, title in _SPOKEN_OF.items()
        ]
    return " ".join([*filter(None, sentences), *_gaps(effect), *effect.notes])


def _opening(effect: Any) -> str:
    evaluation = effect.comparison.evaluation
    data, count = evaluation.data, int(evaluation.data.class_counts[effect.rarest])
    return (
        f"Class {effect.rarer_class} holds {count} of {data.n_samples} rows "
        f"({100 * count / data.n_samples:.1f} %). {evaluation.plan.title[0].upper()}"
        f"{evaluation.plan.title[1:]}; classes are brought to one size in training rows "
        f"alone. A case is a learner with a method{_left_out(effect)}."
    )


def _left_out(effect: Any) -> str:
    return f"; {listing(effect.baselines)} counts for none" if effect.baselines else ""


def _before_and_after(effect: Any) -> tuple[Any, Any]:
    """Return the rows of the table without and with a method, one for each such arm."""
    frame = effect.frame().set_axis(effect.comparison.evaluation.names)
    after = frame[(frame["method"] != _NONE) & ~frame["learner"].isin(effect.baselines)]
    return frame.loc[after["learner"]].set_axis(after.index), after


def _on_calibration(effect: Any, before: Any, after: Any) -> list[str]:
    """Say whether predicted shares moved away from the observed one, and the ranking not."""
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
                f"observed one in {(moved > _MATTERS).sum()} of {len(moved)} cases, the most "
                f"for {most}: predicted minus observed from {before_gap[most]:+.3f} to "
                f"{after_gap[most]:+.3f}."
            )
    moved = farther.index[farther > _MATTERS]
    ranking = (after["auroc"] - before["auroc"]).abs()[moved]
    n_kept = int((ranking <= _MATTERS).sum())
    if n_kept:
        sentences.append(
            f"In {n_kept} of {len(moved)} cases where it moved away the ranking hardly changed "
            f"(AUROC by at most {ranking[ranking <= _MATTERS].max():.3f}), as van den "
            "Goorbergh et al. (2022) found for logistic regression."
        )
    return sentences or [
        f"The mean predicted share of class {effect.rarer_class} came to differ from the "
        f"observed one by at most {max(farther.max(), 0):.3f} more, and by at most "
        f"{max(-farther.min(), 0):.3f} less."
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
    uncounted = {
        element.measure.title: element.values.shape[1] - len(arms.splits)
        for element, arms in effect.measured
    }
    return [
        *(f"Without a value for {', '.join(names)}: {text}" for text, names in alike.items()),
        *(f"{n} splits are left out of {title} for all, because one has no value there."
          for title, n in uncounted.items() if n),
    ]  # fmt: skip


def _on_score(title: str, before: Any, after: Any) -> str:
    """Say in how many cases a score rose or fell by what matters, and where the most."""
    change = (after - before).dropna()
    if not len(change):
        return ""
    n_risen, n_fallen = int((change > _MATTERS).sum()), int((change < -_MATTERS).sum())
    most = change.abs().idxmax()
    if not n_risen and not n_fallen:
        return f"{title} changed by at most {abs(change[most]):.3f}."
    return (
        f"{title} rose by more than {_MATTERS} in {n_risen} of {len(change)} cases and fell in "
        f"{n_fallen}, the most for {most}, from {before[most]:.3f} to {after[most]:.3f}."
    )
