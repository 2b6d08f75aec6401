"""Gathering of the findings on each data set into findings and a verdict over all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bestofk.errors import DesignError
from bestofk.report.findings import Findings
from bestofk.report.findings_across import FindingsAcross
from bestofk.verdict.many_data_sets import VerdictAcross, decide_across
from bestofk.verdict.preference import ranked_only
from bestofk.verdict.verdict_settings import VerdictSettings

NOT_EXACT = (
    "On {} of {} data sets the splits alone show no difference between any two learners; the tests "
    "over data sets take the mean of a data set as exact. hierarchical-bayes does not."
)


def across_findings(
    parts: Mapping[str, Findings],
    *,
    settings: VerdictSettings,
    control: str | None = None,
    costs: Mapping[str, NDArray[np.float64]] | None = None,
    notes: Sequence[str] = (),
) -> FindingsAcross:
    """Weigh the findings of each data set together.

    Parameters
    ----------
    parts : mapping of str to Findings
        One for each data set, of the same learners and measure.
    settings : VerdictSettings
        How evidence and preference are weighed.
    control : str, optional
        Learner that all others are held against.
    costs : mapping of str to ndarray of shape (n_learners,), optional
        Measured costs by kind.
    notes : sequence of str
        To be reported.

    Returns
    -------
    FindingsAcross
        Without verdict where too few learners or data sets are left; `reason` says why.

    Raises
    ------
    InvalidArgumentError
        If a name or a setting is not allowed.
    """
    results = list(parts.values())
    first = results[0]
    names = [learner.name for learner in first.learners]
    ranked = [learner.name for learner in first.learners if not learner.is_baseline]
    values = np.array([[_value(findings, name) for name in names] for findings in results])
    p_within = np.array([_p_within(findings, names) for findings in results])
    indices = [names.index(name) for name in ranked]
    verdict, reason = None, ""
    try:
        verdict = decide_across(
            ranked,
            first.measure.loss(values[:, indices]),
            replace(
                settings,
                rope=settings.rope_of(first.measure),
                prefer=ranked_only(settings.prefer, names, ranked),
            ),
            data_sets=list(parts),
            control=control,
            costs={kind: cost[indices] for kind, cost in (costs or {}).items()},
        )
    except DesignError as error:
        reason = str(error)
    titles = {findings.verdict.test_title for findings in results if findings.verdict.test_title}
    return FindingsAcross(
        measure=first.measure,
        data_sets=tuple(parts),
        learners=tuple(names),
        baselines=tuple(name for name in names if name not in ranked),
        values=values,
        p_within=p_within,
        within_test=titles.pop() if len(titles) == 1 else "",
        verdict=verdict,
        plan_sentence=_plan(results),
        n_fitted=sum(findings.n_fitted for findings in results),
        n_reused=sum(findings.n_reused for findings in results),
        n_failed=sum(findings.n_failed for findings in results),
        n_unfinished=sum(findings.n_unfinished for findings in results),
        reason=reason,
        notes=tuple(notes),
        warnings=(*verdict.warnings, *_if_not_exact(verdict, p_within)) if verdict else (),
    )


def _value(findings: Findings, name: str) -> float:
    """Return the mean score of a learner; nan where it or its data set is not complete."""
    learner = findings.learner(name)
    return float("nan") if learner.left_out or findings.n_unfinished else learner.mean


def _p_within(findings: Findings, names: Sequence[str]) -> NDArray[np.float64]:
    table = np.full((len(names), len(names)), np.nan)
    for pair in findings.verdict.pairs:
        i, j = names.index(pair.first), names.index(pair.second)
        table[i, j] = table[j, i] = pair.p_value
    return table


def _if_not_exact(verdict: VerdictAcross, p_within: NDArray[np.float64]) -> tuple[str, ...]:
    """Say if most data sets are too small to show anything by themselves."""
    tested = ~np.isnan(p_within).all(axis=(1, 2))
    shown = (np.nan_to_num(p_within, nan=1.0) <= verdict.alpha).any(axis=(1, 2))
    n_silent = int((tested & ~shown).sum())
    if not verdict.edges or 2 * n_silent <= len(p_within):
        return ()
    return (NOT_EXACT.format(n_silent, len(p_within)),)


def _plan(results: Sequence[Findings]) -> str:
    said = list(dict.fromkeys(findings.plan_sentence.partition(":")[0] for findings in results))
    return said[0] if len(said) == 1 else f"plans by data set ({'; '.join(said)})"
