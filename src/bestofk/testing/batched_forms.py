"""Check that a batched form gives the predictions of the plain learner."""

from __future__ import annotations

from typing import Any

import numpy as np

from bestofk.data import DataSet
from bestofk.data.arrays import from_arrays
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation.batched_fit import ALWAYS, batched_fits
from bestofk.evaluation.identity import identify
from bestofk.evaluation.run import RunnableLearner, global_generators_kept, run_one
from bestofk.randomness import derive_seed
from bestofk.resampling import make_plan
from bestofk.testing.agreement import BatchedAgreement, Tally


def batched_agreement(
    estimator: Any, data: DataSet, *, cv: str = "5x2", random_state: int = 0
) -> BatchedAgreement | None:
    """Run a learner both ways on the same splits and compare what it predicts.

    Parameters
    ----------
    estimator : estimator
        The learner, or a pipeline that ends in it.
    data : DataSet
        The rows.
    cv : str, default="5x2"
        Repeats x folds.
    random_state : int, default=0
        What plan and random streams are derived from.

    Returns
    -------
    BatchedAgreement or None
        None where the learner has no batched form for these data.

    Raises
    ------
    InvalidArgumentError
        If the plan does not test every row once in each repeat.
    """
    plan = make_plan(data, cv, random_state=random_state)
    if not hasattr(plan, "folds"):
        raise InvalidArgumentError(
            f"cv must test every row once in each repeat; got {cv!r}. Ask for '5x2' or '10'."
        )
    learner = RunnableLearner("learner", estimator, identify("learner", estimator).unseeded)
    way = batched_fits([learner], data, plan, ALWAYS)[0]
    if way is None:
        return None
    numbers = [[derive_seed(random_state, "check", repeat, fold) for fold in range(plan.n_folds)]
               for repeat in range(plan.n_repeats)]  # fmt: skip
    seeds = np.array(numbers)
    batched = way.predict(range(plan.n_repeats), seeds)
    tally = Tally(data.is_classification)
    for split in plan:
        key = (split.repeat, split.fold)
        if batched.is_done is not None and not batched.is_done[key]:
            tally.n_left += 1
            continue
        with global_generators_kept():
            plain = run_one(learner, data, split, seed=int(seeds[key]))
        rows = split.test_rows
        scores = batched.probabilities if batched.probabilities is not None else batched.decision
        result = None if scores is None else scores[split.repeat, rows]
        where = f"repeat {split.repeat}, fold {split.fold}"
        tally.add(plain, batched.labels[split.repeat, rows], result, where)
    return tally.result()


def check_batched_form(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    cv: str = "5x2",
    tolerance: float = 1e-9,
    margin: float = 0.0,
    random_state: int = 0,
) -> BatchedAgreement:
    """Raise unless the batched form of a learner gives the predictions of the plain one.

    Parameters
    ----------
    estimator : estimator
        The learner, or a pipeline that ends in it.
    X : ndarray or DataFrame of shape (n_samples, n_features)
        Inputs.
    y : array-like of shape (n_samples,)
        Target.
    cv : str, default="5x2"
        Repeats x folds.
    tolerance : float, default=1e-9
        Largest difference allowed of probabilities, decision values or predicted numbers.
    margin : float, default=0
        Rows may get another class where the plain learner's two best scores differ by no
        more: its own stopping error, for iterative solvers.
    random_state : int, default=0
        What plan and random streams are derived from.

    Returns
    -------
    BatchedAgreement
        What was found.

    Raises
    ------
    InvalidArgumentError
        If the learner has no batched form for these data.
    AssertionError
        If the two ways differ by more than is allowed.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bestofk.learners.majority_classifier import MajorityClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> check_batched_form(MajorityClassifier(), X, y).n_different
    0
    """
    data = from_arrays(X, y)
    agreement = batched_agreement(estimator, data, cv=cv, random_state=random_state)
    if agreement is None:
        raise InvalidArgumentError(
            f"learner must have a batched form for these data; got {type(estimator).__name__}. "
            "Give it a method batched_form() that returns one."
        )
    what = f"batched form of {type(estimator).__name__}"
    agreement.check(what, tolerance=tolerance, margin=margin)
    return agreement
