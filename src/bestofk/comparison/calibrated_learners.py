"""Learners of a comparison whose probabilities are calibrated inside their training rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from bestofk.data import DataSet
from bestofk.errors import InvalidArgumentError
from bestofk.learners import Learner
from bestofk.learners.calibrated import N_FOLDS, Calibrated
from bestofk.resampling import Plan
from bestofk.words import listing


def calibrated_learners(
    learners: Sequence[Learner], data: DataSet
) -> tuple[list[Learner], tuple[str, ...]]:
    """Return learners as ``calibrated(NAME)``, baselines and those that cannot be as they are.

    Parameters
    ----------
    learners : sequence of Learner
        Of a comparison.
    data : DataSet
        What they are compared on.

    Returns
    -------
    learners : list of Learner
        In the same order.
    notes : tuple of str
        Which were left as they are.

    Raises
    ------
    InvalidArgumentError
        For regression.
    """
    if not data.is_classification:
        raise InvalidArgumentError(
            "calibrate must be False for regression; got True. Only probabilities of classes can "
            "be calibrated."
        )
    methods = ("predict_proba", "decision_function")
    left = [
        learner.name
        for learner in learners
        if not hasattr(learner.estimator, "get_params")
        or not any(hasattr(learner.estimator, method) for method in methods)
    ]
    wrapped = [
        learner
        if learner.is_baseline or learner.name in left
        else replace(
            learner, name=f"calibrated({learner.name})", estimator=Calibrated(learner.estimator)
        )
        for learner in learners
    ]
    if not left:
        return wrapped, ()
    note = (
        f"Not calibrated: {listing(left)}. Calibration needs an estimator of scikit-learn's kind "
        "with predict_proba or decision_function."
    )
    return wrapped, (note,)


def rare_class_note(data: DataSet, plan: Plan) -> tuple[str, ...]:
    """Say what calibration does where training rows hold few of a class."""
    counts = np.array([np.bincount(data.y[rows]).min() for rows in plan.train_rows])
    n_single, fewest = int((counts < 2).sum()), int(counts.min())
    if n_single:
        return (
            f"In {n_single:,} of {len(counts):,} splits a class has fewer than 2 training rows; "
            "there nothing is calibrated.",
        )
    if fewest < N_FOLDS:
        return (
            f"Calibration has as few as {fewest} folds instead of {N_FOLDS}, as many as the rarest "
            "class has training rows.",
        )
    return ()
