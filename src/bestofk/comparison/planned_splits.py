"""Splits of a plan: how their scores are sampled, and how many were asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bestofk.evaluation import Evaluation
from bestofk.inference import Sampling
from bestofk.measures import Measure
from bestofk.resampling import ForwardPlan, Plan

if TYPE_CHECKING:
    from bestofk.stopping.history import RowsHistory, StoppingHistory


def sampling_of(plan: Plan, splits: NDArray[np.int64], measure: Measure) -> Sampling:
    """Return the sampling of the scores; left out splits make the folds uneven."""
    n_repeats, n_folds = plan.n_repeats, plan.n_folds
    if n_repeats == 1:
        n_folds = len(splits)
    elif len(splits) < len(plan):
        n_repeats, n_folds = len(splits), 1
        whole = len(np.unique(splits // plan.n_folds)) * plan.n_folds == len(splits)
        if whole:
            n_repeats, n_folds = len(splits) // plan.n_folds, plan.n_folds
    n_train, n_test = (float(sizes[splits].mean()) for sizes in plan.sizes)
    row_step = 1 / float(plan.sizes[1][splits].max()) if measure.is_of_hits else 0.0
    horizon, is_sliding = 1, False
    if isinstance(plan, ForwardPlan):
        horizon, is_sliding = plan.horizon, plan.is_sliding
    return Sampling(plan.scheme, n_repeats, n_folds, n_train, n_test, row_step, horizon, is_sliding)


def splits_asked_for(
    evaluation: Evaluation, history: StoppingHistory | RowsHistory | None
) -> list[int]:
    """Return the splits planned for each learner."""
    names, n_splits = evaluation.names, len(evaluation.plan)
    if history is None:
        return [n_splits] * len(names)
    return history.splits_asked_for(names, n_splits)
