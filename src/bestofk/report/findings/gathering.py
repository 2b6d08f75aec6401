"""Gathering of the findings on each data set into findings and a verdict over all of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bestofk.errors import DesignError
from bestofk.measures import measure_of_all
from bestofk.report.findings import Findings
from bestofk.report.findings.many_data_sets import FindingsAcross, MissingResult
from bestofk.verdict.many_data_sets import VerdictAcross, decide_across
from bestofk.verdict.preference import ranked_only
from bestofk.verdict.verdict_options import VerdictOptions

NOT_EXACT = (
    "On {} of {} data sets the splits alone show no difference between any two learners; the tests "
    "over data sets take the mean of a data set as exact. hierarchical-bayes does not."
)
FEWEST_REPEATS = (
    "On {} of {} data sets some learners were eliminated early: there, all learners count with the "
    "repeats that all have."
)
NOT_BEGUN = "not begun"


def across_findings(
    parts: Mapping[str, Findings],
    *,
    settings: VerdictOptions,
    control: str | None = None,
    costs: Mapping[str, NDArray[np.float64]] | None = None,
    notes: Sequence[str] = (),
    not_begun: Sequence[str] = (),
) -> FindingsAcross:
    """Weigh the findings of each data set together.

    Parameters
    ----------
    parts : mapping of str to Findings
        One for each data set, of the same learners and measure.
    settings : VerdictOptions
        How evidence and preference are weighed.
    control : str, optional
        Learner that all others are held against.
    costs : mapping of str to ndarray of shape (n_learners,), optional
        Measured costs by kind.
    notes : sequence of str
        To be reported.
    not_begun : sequence of str
        Data sets without any run.

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
    data_sets = (*parts, *not_begun)
    nothing = np.full((len(not_begun), len(names)), np.nan)
    values = np.vstack([*(_values(findings, names) for findings in results), nothing])
    shape = (len(not_begun), len(names), len(names))
    p_within = np.array([_p_within(findings, names) for findings in results])
    p_within = np.concatenate([p_within, np.full(shape, np.nan)])
    missing = tuple(_missing(parts, data_sets, names, values))
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
            data_sets=data_sets,
            control=control,
            costs={kind: cost[indices] for kind, cost in (costs or {}).items()},
            reasons={(cell.data_set, cell.learner): cell.reason for cell in missing},
        )
    except DesignError as error:
        reason = str(error)
    titles = {findings.verdict.test_title for findings in results if findings.verdict.test_title}
    return FindingsAcross(
        measure=measure_of_all(findings.measure for findings in results),
        data_sets=data_sets,
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
        notes=(*notes, *_of_fewest_repeats(parts)),
        warnings=(*verdict.warnings, *_if_not_exact(verdict, p_within)) if verdict else (),
        missing=missing,
        parts=dict(parts),
    )


def _values(findings: Findings, names: Sequence[str]) -> list[float]:
    """Return the mean score of each learner over the splits that all have; nan where none."""
    scores = [findings.learner(name).scores for name in names if _counts(findings, name)]
    n_shared = min(map(len, scores), default=0)  # all begin with the first split that counts
    return [
        float(findings.learner(name).scores[:n_shared].mean())
        if _counts(findings, name)
        else math.nan
        for name in names
    ]


def _counts(findings: Findings, name: str) -> bool:
    learner = findings.learner(name)
    return not learner.left_out and len(learner.scores) > 0


def _missing(
    parts: Mapping[str, Findings],
    data_sets: Sequence[str],
    names: Sequence[str],
    values: NDArray[np.float64],
) -> Iterator[MissingResult]:
    """Return every cell without a score, and why it has none."""
    for row, column in np.argwhere(np.isnan(values)).tolist():
        data_set, name = data_sets[row], names[column]
        if data_set not in parts:
            yield MissingResult(data_set, name, NOT_BEGUN)
            continue
        findings = parts[data_set]
        learner, history = findings.learner(name), findings.rows_history
        reason = learner.missing or (NOT_BEGUN if findings.n_unfinished else "")
        if history is not None and name in history.reasons():
            reason = "eliminated"
        yield MissingResult(data_set, name, reason, learner.failure)


def _of_fewest_repeats(parts: Mapping[str, Findings]) -> tuple[str, ...]:
    """Say on how many data sets learners were eliminated early, and what counts there."""
    fewer = []
    for name, findings in parts.items():
        counts = [len(item.scores) for item in findings.learners if _counts(findings, item.name)]
        if counts and min(counts) < max(counts):
            fewer.append(name)
    return (FEWEST_REPEATS.format(len(fewer), len(parts)),) if fewer else ()


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
