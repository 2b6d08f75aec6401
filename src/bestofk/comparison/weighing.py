"""Verdict on the runs of a comparison: from evidence and settings to findings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from bestofk import report
from bestofk.comparison.evidence import active_learners, evidence_of, rope_of
from bestofk.comparison.ship_claims import new_data_evidence
from bestofk.errors import BestofkError
from bestofk.evaluation import Evaluation, MeasuredScores
from bestofk.inference.many_learners.repeated_estimates import (
    SKEW_ADVICE,
    EstimateDistribution,
    estimate_distributions,
)
from bestofk.inference.many_learners.reseeding import STATEMENTS, Reseeding
from bestofk.stopping.active_learners import ActiveLearners
from bestofk.stopping.history import RowsHistory, StoppingHistory
from bestofk.verdict import Verdict, needs_all_splits
from bestofk.verdict.decision import Decision
from bestofk.verdict.preference import ranked_only
from bestofk.verdict.verdict import ALONE
from bestofk.verdict.verdict_options import VerdictOptions

if TYPE_CHECKING:
    from bestofk.report import Findings

# No warning of seeds is needed if another seed gives the same pick with at least this probability.
SURE = 0.95
# Measures for which statements about other seeds were measured to hold: docs/reproducibility.md.
_MEASURED = ("error", "accuracy", "auroc")
_OTHER_RULE = "for this rule of stopping the probability was not validated"
_OTHER_MEASURE = "for the measure {measure} the probability was not validated"
_AVERAGED = "with an average of learners the probability was not validated"
_CUT_OFF = "the comparison was cut off, and with another seed the cut would fall elsewhere"
_NO_SCORE = (
    "No learner that could be best has a score on a split that all have finished: no verdict is "
    "possible."
)
_FEWEST_OF_A_SHAPE = 5  # repeats from which the shape of their estimates is described
# Measured by replications/variability_2010.
_HALVES_OF_AREA = (
    "AUROC by two folds is pessimistic, as only half of the rows train: on 18 data sets and six "
    "learners it was 0.015 lower than by ten folds (single trees 0.021, naive Bayes 0.009)."
)


def findings_of(
    evaluation: Evaluation,
    scores: Sequence[MeasuredScores],
    settings: VerdictOptions,
    *,
    history: StoppingHistory | RowsHistory | None,
    headline: str,
    notes: Sequence[str],
    warnings: Sequence[str],
    resume: str,
) -> Findings:
    """Return the verdict on the runs of a comparison, with all content of a report.

    Parameters
    ----------
    evaluation : Evaluation
        All runs.
    scores : sequence of MeasuredScores
        The deciding measure first.
    settings : VerdictOptions
        How evidence and preference are weighed.
    history : StoppingHistory, RowsHistory or None
        Of an adaptive comparison.
    headline, notes, warnings, resume
        As for `Comparison`.

    Returns
    -------
    Findings
        Without a best learner where none that could be best has a score.
    """
    weighing = Weighing(evaluation, scores, settings, history)
    deciding, active, reseeding = scores[0], weighing.active, weighing.reseeding()
    verdict = weighing.decision.verdict() if weighing.decision else weighing.no_verdict
    if reseeding is not None and reseeding.best and reseeding.best.value >= SURE:
        # single repeats may disagree; all of them together do not
        kept = [w for w in verdict.warnings if getattr(w, "code", "") != "split-seed"]
        verdict = replace(verdict, warnings=tuple(kept))
    if isinstance(history, RowsHistory) and history.eliminations:
        # it was compared with those on fewer rows
        kept = [w for w in verdict.warnings if w != ALONE.format(verdict.best)]
        verdict = replace(verdict, warnings=tuple(kept))
    new_data, findings = weighing.new_data, weighing.findings(verdict)
    return replace(
        findings,
        headline=headline,
        notes=(*findings.notes, *notes, *_about_estimates(evaluation, deciding)),
        warnings=(
            *evaluation.data.warnings,
            *warnings,
            *active.warnings,
            *_nothing_learned(evaluation, verdict.best),
            *_raced_without_preference(settings, history),
            *verdict.warnings,
        ),
        resume=resume if findings.n_unfinished else "",
        other_claims={name: new_data.claim(name) for name in verdict.order if name != verdict.best},
        more_needed=new_data.more_needed(
            verdict.best, n_splits=len(active.splits), n_folds=evaluation.plan.n_folds
        ),
        reseeding=reseeding,
    )


class Weighing:
    """Runs by one measure: everything that no other test, level or preference changes, once.

    Parameters
    ----------
    evaluation, scores, settings, history
        As for `findings_of`.
    """

    def __init__(
        self,
        evaluation: Evaluation,
        scores: Sequence[MeasuredScores],
        settings: VerdictOptions,
        history: StoppingHistory | RowsHistory | None,
    ) -> None:
        deciding = scores[0]
        self.evaluation, self.scores, self.history = evaluation, scores, history
        self.settings = settings
        self.active = active = self._active(settings)
        can_win = [i for i in active.learners if not evaluation.learners[i].is_baseline]
        self.ranked = [evaluation.names[i] for i in can_win if len(active.splits)]
        self.rope = rope_of(evaluation, deciding, active, settings) if self.ranked else None
        self.decision: Decision | None = None
        if self.ranked:
            evidence = evidence_of(evaluation, deciding, active, settings, history)
            self.decision = Decision(evidence, self._asked(settings))
        self.no_verdict = Verdict(
            has_preference=settings.prefer is not None,
            correction=settings.correction,
            alpha=settings.alpha,
            warnings=(_NO_SCORE,),
        )
        self.new_data = new_data_evidence(evaluation, deciding, active, settings)
        gathered = report.gather(evaluation, scores, active, self.ranked)
        if isinstance(history, RowsHistory):
            self.gathered = report.with_rows(gathered, history)
        else:
            self.gathered = replace(gathered, stopping_history=history)

    def _active(
        self, settings: VerdictOptions, measured: MeasuredScores | None = None
    ) -> ActiveLearners:
        needs_all, deciding = needs_all_splits(settings.test), measured or self.scores[0]
        return active_learners(self.evaluation, deciding, self.history, needs_all_splits=needs_all)

    def by(self, settings: VerdictOptions) -> Weighing:
        """Return the weighing with the same measure and another test over splits."""
        active, shared = self._active(settings), self.active
        if active.learners != shared.learners or len(active.splits) != len(shared.splits):
            return Weighing(self.evaluation, self.scores, settings, self.history)
        other = copy(self)
        other.settings = settings
        vars(other).pop("_by_log_loss", None)  # of the other test
        if self.decision is not None:
            other.decision = Decision(self.decision.evidence, self._asked(settings))
        return other

    def _asked(self, settings: VerdictOptions) -> VerdictOptions:
        prefer = ranked_only(settings.prefer, self.evaluation.names, self.ranked)
        return replace(settings, prefer=prefer, rope=self.rope)

    def changed(self, settings: VerdictOptions) -> Findings:
        """Return the content of a page with another level, correction or preference.

        Parameters
        ----------
        settings : VerdictOptions
            Of the same test and center.

        Returns
        -------
        Findings
            Without warnings, and without what other seeds or more runs would give.
        """
        if self.decision is None:
            return self.findings(self.no_verdict)
        return self.findings(self.decision.changed(self._asked(settings)).without_details())

    def findings(self, verdict: Verdict) -> Findings:
        """Return the findings on the runs, with a verdict and the claim about its pick."""
        findings = replace(
            self.gathered,
            verdict=replace(verdict, left_out=self.active.left_out),
            claim=self.new_data.claim(verdict.best),
            is_claim_at_least=self.new_data.is_at_least,
        )
        return replace(findings, better_probabilities=self._better_probabilities(findings))

    def _better_probabilities(self, findings: Findings) -> str:
        """Return the learner with the lowest log loss of those that beat the pick by it, or ""."""
        best, verdict = findings.verdict.best, findings.verdict
        if best is None or verdict.has_preference or findings.is_provisional:
            return ""  # shown again and again while runs go on
        own = findings.log_loss(best)
        if math.isnan(own) or self._by_log_loss is None:
            return ""
        asked = replace(self.settings, prefer=None, rope=None, alpha=verdict.alpha)
        edges = self._by_log_loss.changed(asked).without_details().edges
        losses = {
            edge.better: findings.log_loss(edge.better) for edge in edges if edge.worse == best
        }
        name = min(losses, key=losses.__getitem__, default="")
        # means over all splits of each may contradict the shared ones
        return name if name and losses[name] < own else ""

    @cached_property
    def _by_log_loss(self) -> Decision | None:
        """The same runs by log loss; None if probabilities decide or the test does not suit it."""
        measured = next((item for item in self.scores if item.measure.name == "log_loss"), None)
        if measured is None or self.scores[0].measure.needs == "probabilities":
            return None
        settings = replace(self.settings, prefer=None, rope=None)
        active = self._active(settings, measured)
        with suppress(BestofkError):
            evidence = evidence_of(self.evaluation, measured, active, settings, self.history)
            return Decision(evidence, settings)
        return None

    def reseeding(self) -> Reseeding | None:
        """Return statements about other seeds, without those not measured to hold in such cases."""
        evaluation, settings, history = self.evaluation, self.settings, self.history
        reseeding = None if self.decision is None else self.decision.reseeding()
        if reseeding is None or settings.prefer is not None:
            return reseeding
        measure = self.scores[0].measure.name
        if any(learner.members for learner in evaluation.learners):
            return reseeding.without(*STATEMENTS, reason=_AVERAGED)
        if history is not None and not history.level:
            return reseeding.without(*STATEMENTS, reason=_OTHER_RULE)
        if measure not in _MEASURED:
            return reseeding.without(*STATEMENTS, reason=_OTHER_MEASURE.format(measure=measure))
        if evaluation.is_out_of_time or (evaluation.is_unfinished & self.active.was_asked).any():
            return reseeding.without(*STATEMENTS, reason=_CUT_OFF)
        return reseeding


def distributions_of(
    evaluation: Evaluation, deciding: MeasuredScores
) -> tuple[EstimateDistribution, ...]:
    """Return the distribution of estimates of single repeats; see `Comparison.distributions`."""
    measure = deciding.measure
    shape = (len(deciding.values), -1, evaluation.plan.n_folds)
    return estimate_distributions(
        deciding.values.reshape(shape).mean(axis=2).T,
        evaluation.names,
        greater_is_better=measure.greater_is_better,
        best_value=measure.maximum if measure.greater_is_better else measure.minimum,
    )


def _nothing_learned(evaluation: Evaluation, best: str | None) -> tuple[str, ...]:
    learners = evaluation.learners
    if not any(learner.name == best and learner.ignores_inputs for learner in learners):
        return ()
    return (
        f"{best}, which ignores the inputs, was picked: no learner found anything useful in them.",
    )


def _about_estimates(evaluation: Evaluation, deciding: MeasuredScores) -> Iterator[str]:
    """Yield cautions on AUROC from two folds, skewed repeats and perfect scores."""
    is_area = deciding.measure.name == "auroc"
    if is_area and evaluation.plan.n_folds == 2:
        yield _HALVES_OF_AREA
    if evaluation.plan.n_repeats < _FEWEST_OF_A_SHAPE:
        return
    spread = distributions_of(evaluation, deciding)
    skewed = [item.name for item in spread if item.is_skewed]
    if is_area and skewed:
        yield f"Clearly skewed repeats: {', '.join(skewed)}. {SKEW_ADVICE}"
    yield from (f"{item.name}: {item.advice()[-1]}" for item in spread if item.is_separable)


def _raced_without_preference(
    settings: VerdictOptions, history: StoppingHistory | RowsHistory | None
) -> tuple[str, ...]:
    if settings.prefer is None or not isinstance(history, StoppingHistory) or not history.level:
        return ()
    left = [
        elimination.learner
        for elimination in history.eliminations
        if elimination.n_repeats < history.n_repeats
    ]
    if not left:
        return ()
    return (
        f"{', '.join(left)} were eliminated without regard to the preference, so fewer repeats can "
        "tell whether they are worse. Compare with the preference for equal evidence.",
    )
