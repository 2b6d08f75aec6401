"""Misclassified test rows of a learner on every split of a temporary data set."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from bestofk.data import DataSet
from bestofk.errors import RunError
from bestofk.evaluation.batched_fit import batched_fits
from bestofk.evaluation.run import RunnableLearner, fit_learner
from bestofk.randomness import derive_seed
from bestofk.resampling import Plan, Split

Wrong = list[NDArray[np.bool_]]


def wrong_rows(learner: RunnableLearner, data: DataSet, plan: Plan, *, seed: int) -> Wrong:
    """Train and test a learner on every split and keep nothing but its errors.

    Parameters
    ----------
    learner : RunnableLearner
        Done in its batched form where a comparison would, else a clone is fitted for every split.
    data : DataSet
        Of classes.
    plan : Plan
        The splits.
    seed : int
        All randomness of the learner comes from it and the number of the split.

    Returns
    -------
    list of ndarray of bool
        For every split, which of its test rows were given a wrong class.

    Raises
    ------
    RunError
        If the learner fails on a split.
    """
    seeds = [derive_seed(seed, number) for number in range(len(plan))]
    wrong = _batched(learner, data, plan, np.array(seeds).reshape(-1, plan.n_folds))
    for number, seed_of_split in enumerate(seeds):
        if number not in wrong:
            split = plan.split(*divmod(number, plan.n_folds))
            wrong[number] = _one_split(learner, data, split, seed_of_split, number)
    return [wrong[number] for number in range(len(plan))]


def _batched(
    learner: RunnableLearner, data: DataSet, plan: Plan, seeds: NDArray[np.int64]
) -> dict[int, NDArray[np.bool_]]:
    """Return the errors on every split that the batched form of the learner does, if any."""
    wrong: dict[int, NDArray[np.bool_]] = {}
    fit = batched_fits([learner], data, plan)[0]
    if fit is None:
        return wrong
    for start in range(0, plan.n_repeats, fit.largest_block):
        repeats = range(start, min(start + fit.largest_block, plan.n_repeats))
        block = fit.run(repeats, seeds[start : repeats.stop])
        for number, run in enumerate(block.runs, start * plan.n_folds):
            if run is not None and run.predictions is not None:
                wrong[number] = run.predictions.labels != data.y[plan.test_rows[number]]
    return wrong


def _one_split(
    learner: RunnableLearner, data: DataSet, split: Split, seed: int, number: int
) -> NDArray[np.bool_]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            fitted = fit_learner(learner, data, split.train_rows, seed=seed)
            labels = np.asarray(fitted.predict(data.feature_rows(split.test_rows)))
        except Exception as error:
            raise RunError(
                f"learner {learner.name!r} must run on every split; got {type(error).__name__} on "
                f"split {number + 1} ({' '.join(str(error).split())[:200]}). Leave it out, or ask "
                "for more rows or fewer folds."
            ) from error
    return np.asarray(labels != data.target_array[split.test_rows])
