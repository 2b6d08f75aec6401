"""Losses on the test rows of a learner on every split of a temporary data set."""

from __future__ import annotations

import warnings

import numpy as np

from bestofk.array_types import Floats, Ints, Values
from bestofk.data import DataSet
from bestofk.errors import RunError
from bestofk.evaluation.batched_fit import batched_fits
from bestofk.evaluation.run import fit_learner
from bestofk.learners.learner import Learner
from bestofk.randomness import derive_seed
from bestofk.resampling import Plan, Split

Losses = Floats


def row_losses(learner: Learner, data: DataSet, plan: Plan, *, seed: int) -> list[Losses]:
    """Train and test a learner on every split and keep nothing but its losses.

    Parameters
    ----------
    learner : Learner
        Done in its batched form where a comparison would, else a clone is fitted for every split.
    data : DataSet
        What it is trained and tested on.
    plan : Plan
        The splits.
    seed : int
        All randomness of the learner comes from it and the number of the split.

    Returns
    -------
    list of ndarray of shape (n_test,), float
        For every split, the loss of each test row: 1 for a wrong class and 0 for the right one,
        or the squared error of a number.

    Raises
    ------
    RunError
        If the learner fails on a split.
    """
    seeds = [derive_seed(seed, number) for number in range(len(plan))]
    losses = _batched(learner, data, plan, np.array(seeds).reshape(-1, plan.n_folds))
    for number, seed_of_split in enumerate(seeds):
        if number not in losses:
            split = plan.split(*divmod(number, plan.n_folds))
            losses[number] = _one_split(learner, data, split, seed_of_split, number)
    return [losses[number] for number in range(len(plan))]


def _batched(learner: Learner, data: DataSet, plan: Plan, seeds: Ints) -> dict[int, Losses]:
    """Return the losses on every split that the batched form of the learner does, if any."""
    losses: dict[int, Losses] = {}
    fit = batched_fits([learner], data, plan)[0]
    if fit is None:
        return losses
    for start in range(0, plan.n_repeats, fit.largest_block):
        repeats = range(start, min(start + fit.largest_block, plan.n_repeats))
        block = fit.run(repeats, seeds[start : repeats.stop])
        for number, run in enumerate(block.runs, start * plan.n_folds):
            if run is not None and run.predictions is not None:
                truth = data.y[plan.test_rows[number]]
                losses[number] = _losses(truth, run.predictions.labels, data.is_classification)
    return losses


def _one_split(learner: Learner, data: DataSet, split: Split, seed: int, number: int) -> Losses:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            fitted = fit_learner(learner, data, split.train_rows, seed=seed)
            predicted = np.asarray(fitted.predict(data.feature_rows(split.test_rows)))
            return _losses(data.target_array[split.test_rows], predicted, data.is_classification)
        except Exception as error:
            raise RunError(
                f"learner {learner.name!r} must run on every split; got {type(error).__name__} on "
                f"split {number + 1} ({' '.join(str(error).split())[:200]}). Leave it out, or ask "
                "for more rows or fewer folds."
            ) from error


def _losses(truth: Values, predicted: Values, is_classification: bool) -> Losses:
    if is_classification:
        return np.asarray(predicted != truth, dtype=float)
    losses = np.asarray((predicted.reshape(len(truth)) - truth) ** 2, dtype=float)
    if not np.isfinite(losses).all():
        raise ValueError("predictions must be finite numbers")
    return losses
