"""Findings of a comparison: its verdict, warnings and notes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bestofk.comparison.evidence import arms_of, evidence_of
from bestofk.inference.reseeding import STATEMENTS, Reseeding
from bestofk.learners import is_baseline
from bestofk.report import Findings, gather
from bestofk.stopping.active_learners import ActiveLearners
from bestofk.verdict import (
    Evidence,
    Verdict,
    decide,
    decide_with_other_seeds,
    needs_all_splits,
)
from bestofk.verdict.preference import ranked_only
from bestofk.verdict.verdict_settings import VerdictSettings

if TYPE_CHECKING:
    from bestofk.comparison.comparison import Comparison

# From this probability on that another seed gives the same pick, no warning of seeds is needed.
SURE = 0.95
# Measures for which statements about other seeds were measured to hold: docs/reproducibility.md.
_MEASURED = ("error", "accuracy", "auroc")
_OTHER_RULE = "for this rule of stopping the probability was not measured to hold"
_OTHER_MEASURE = "for the measure {measure} the probability was not measured to hold"
_CUT_OFF = "the comparison was cut off, as one with another seed would be elsewhere"
_FEWEST_OF_A_SHAPE = 5  # repeats from which the shape of their estimates is told


def findings_of(comparison: Comparison) -> Findings:
    """Weigh the runs of a comparison, and collect everything that a report says.

    Parameters
    ----------
    comparison : Comparison
        Gives runs, scores and settings.

    Returns
    -------
    Findings
        Without a best learner where none that could be best has a score.
    """
    arms = arms_of(comparison, needs_all_splits=needs_all_splits(comparison.settings.test))
    verdict, reseeding = _weighed(comparison, arms)
    if reseeding is not None and reseeding.best and reseeding.best.value >= SURE:
        # single repeats may disagree; all of them together do not
        kept = [w for w in verdict.warnings if getattr(w, "code", "") != "split-seed"]
        verdict = replace(verdict, warnings=tuple(kept))
    findings = gather(
        comparison.evaluation,
        comparison.scores,
        arms,
        replace(verdict, left_out=arms.left_out),
        headline=comparison.headline,
        notes=(*comparison.notes, *_separable(comparison)),
        warnings=(
            *comparison.warnings,
            *arms.warnings,
            *_nothing_learned(comparison, verdict.best),
            *_raced_without_preference(comparison),
        ),
    )
    resume = comparison.resume if findings.n_unfinished else ""
    return replace(
        findings, resume=resume, stopping_history=comparison.stopping_history, reseeding=reseeding
    )


def _weighed(comparison: Comparison, arms: ActiveLearners) -> tuple[Verdict, Reseeding | None]:
    """Return the verdict, and what other seeds would lead to."""
    evaluation, settings = comparison.evaluation, comparison.settings
    can_win = [i for i in arms.learners if not evaluation.learners[i].is_baseline]
    if not can_win or not len(arms.splits):
        return _empty_verdict(settings), None
    evidence = evidence_of(comparison, arms)
    ranked = [evaluation.names[i] for i in can_win]
    prefer = ranked_only(settings.prefer, evaluation.names, ranked)
    given = {"test": settings.test, "correction": settings.correction,
             "alpha": settings.alpha, "prefer": prefer}  # fmt: skip
    rope = settings.rope_of(comparison.measures[0])
    return decide(evidence, rope=rope, **given), _other_seeds(comparison, arms, evidence)


def _other_seeds(
    comparison: Comparison, arms: ActiveLearners, evidence: Evidence
) -> Reseeding | None:
    """Return what other seeds would say; nothing is stated of another way to end the repeats."""
    settings, stopping_history = comparison.settings, comparison.stopping_history
    reseeding = decide_with_other_seeds(
        evidence, test=settings.test, alpha=settings.alpha, prefer=settings.prefer
    )
    if reseeding is None or settings.prefer is not None:
        return reseeding
    if stopping_history is not None and not stopping_history.level:
        return reseeding.without(*STATEMENTS, reason=_OTHER_RULE)
    measure = comparison.measures[0].name
    if measure not in _MEASURED:
        return reseeding.without(*STATEMENTS, reason=_OTHER_MEASURE.format(measure=measure))
    evaluation = comparison.evaluation
    if evaluation.is_out_of_time or ((evaluation.status == "missing") & arms.was_asked).any():
        return reseeding.without(*STATEMENTS, reason=_CUT_OFF)
    return reseeding


def _nothing_learned(comparison: Comparison, best: str | None) -> tuple[str, ...]:
    learners = comparison.evaluation.learners
    if not any(learner.name == best and is_baseline(learner.estimator) for learner in learners):
        return ()
    return (f"{best} does not look at the inputs: what was learned from them is of no use yet.",)


def _separable(comparison: Comparison) -> tuple[str, ...]:
    """Name the learners whose single repeats will look better than the long run."""
    if comparison.evaluation.plan.n_repeats < _FEWEST_OF_A_SHAPE:
        return ()
    spread = comparison.distributions()
    return tuple(f"{item.name}: {item.advice()[-1]}" for item in spread if item.is_separable)


def _raced_without_preference(comparison: Comparison) -> tuple[str, ...]:
    stopping_history = comparison.stopping_history
    if comparison.settings.prefer is None or stopping_history is None or not stopping_history.level:
        return ()
    left = [
        elimination.learner
        for elimination in stopping_history.eliminations
        if elimination.n_repeats < stopping_history.n_repeats
    ]
    if not left:
        return ()
    return (
        f"{', '.join(left)} left a race that knew of no preference, so there are fewer repeats "
        "to show them worse. Compare with the preference for equal evidence.",
    )


def _empty_verdict(settings: VerdictSettings) -> Verdict:
    return Verdict(
        best=None,
        order=[],
        candidates=[],
        edges=[],
        pairs=[],
        means={},
        has_preference=settings.prefer is not None,
        preference="",
        alternative=None,
        reversed_best=None,
        first_test_best=None,
        baselines={},
        test="",
        correction=settings.correction,
        alpha=settings.alpha,
        n_splits=0,
        warnings=(
            "No learner that could be best has a score on a split that all have finished: no "
            "verdict is possible.",
        ),
    )
