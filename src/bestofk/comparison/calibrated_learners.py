"""Learners of a comparison whose probabilities are calibrated inside their training rows."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bestofk.data import DataSet
from bestofk.errors import InvalidArgumentError
from bestofk.learners import Learner
from bestofk.learners.calibrated import N_FOLDS, Calibrated
from bestofk.resampling import Plan
from bestofk.words import listing, times


def calibrated_learners(
    learners: Sequence[Learner], data: DataSet
) -> tuple[list[Learner], tuple[str, ...]]:
    """Return calibrated learners; baselines and others that cannot be calibrated are unchanged.

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
    left = [item.name for item in learners if not _can_be_calibrated(item.estimator)]
    wrapped = [
        item
        if item.is_baseline or item.name in left
        else replace(item, name=f"calibrated({item.name})", estimator=Calibrated(item.estimator))
        for item in learners
    ]
    if not left:
        return wrapped, ()
    note = (
        f"Not calibrated: {listing(left)}. Calibration needs a scikit-learn estimator "
        "with predict_proba or decision_function."
    )
    return wrapped, (note,)


def _can_be_calibrated(estimator: Any) -> bool:
    has_scores = hasattr(estimator, "predict_proba") or hasattr(estimator, "decision_function")
    return has_scores and hasattr(estimator, "get_params")


def rare_class_note(data: DataSet, plan: Plan) -> tuple[str, ...]:
    """Return a note on calibration if training rows have few rows of a class."""
    fewest = min(int(np.bincount(data.y[rows]).min()) for rows in plan.train_rows)
    if fewest >= N_FOLDS:
        return ()
    return (
        f"The rarest class has as few as {times(fewest, 'training row')}: calibration takes as "
        f"many folds there instead of {N_FOLDS}, and with fewer than 2 nothing is calibrated.",
    )
