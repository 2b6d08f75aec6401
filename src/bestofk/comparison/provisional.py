"""Provisional findings: what the runs that are finished by now say."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bestofk.comparison.comparison import Comparison

if TYPE_CHECKING:
    from bestofk.report import Findings


def provisional_findings(comparison: Comparison) -> Findings:
    """Return the findings on a comparison that is not finished.

    Learners are compared on splits that they share. One that has fewer than two of them is left
    out, so that a slow learner takes no evidence from the others. But where it is ahead of the
    pick on the splits of both, the splits that every learner has are the only fair ones.

    Parameters
    ----------
    comparison : Comparison
        With the runs that are finished.

    Returns
    -------
    Findings
    """
    findings, evaluation = comparison.findings, comparison.evaluation
    if findings.verdict.best is None:
        return findings
    losses = comparison.scores[0].losses
    of_pick = losses[evaluation.names.index(findings.verdict.best)]
    for index, learner in enumerate(findings.learners):
        is_shared = ~np.isnan(losses[index] + of_pick)
        if not learner.left_out or learner.is_baseline or not is_shared.any():
            continue
        if losses[index][is_shared].mean() < of_pick[is_shared].mean():
            counts = [evaluation.n_done(i) for i in range(len(losses))]
            fewest = min(count for count in counts if count)
            cut = evaluation.cut_at([fewest] * len(counts))
            return replace(comparison, evaluation=cut).findings
    return findings
