"""Check that a batched form gives the predictions of the plain learner."""

from typing import Any

import numpy as np

from bestofk.batched import FormChoice
from bestofk.data import DataSet
from bestofk.data.arrays import from_arrays
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation.batched_fit import ALWAYS, BatchedFit, batched_fits
from bestofk.evaluation.run import global_generators_kept, run_one
from bestofk.learners.learner import Learner
from bestofk.randomness import derive_seed
from bestofk.resampling import make_plan
from bestofk.resampling.partial_training import PrefixPlan, curve_sizes, prefix_orders
from bestofk.testing.agreement import BatchedAgreement, Tally


def batched_agreement(
    estimator: Any,
    data: DataSet,
    *,
    cv: str = "5x2",
    train_sizes: Any = None,
    random_state: int = 0,
) -> BatchedAgreement | None:
    """Run a learner batched and plainly on the same splits and compare what it predicts.

    Parameters
    ----------
    estimator : estimator
        The learner, or a pipeline that ends in it.
    data : DataSet
        The rows.
    cv : str, default="5x2"
        Repeats x folds.
    train_sizes : int or sequence of int or float, optional
        How many sizes, or the sizes, as for `bestofk.learning_curve`: of the training rows of
        each split, growing parts train instead, and test rows and these are predicted.
    random_state : int, default=0
        What plan, parts and random streams are derived from.

    Returns
    -------
    BatchedAgreement or None
        Of all runs together. None where the learner has no batched form for these data.

    Raises
    ------
    InvalidArgumentError
        If sizes or splits cannot be made, or without sizes the plan does not test every row once
        in each repeat.
    """
    plan: Any = make_plan(data, cv, random_state=random_state)
    learner = Learner("learner", estimator)
    tally = Tally(data.is_classification)
    if train_sizes is None:
        if not hasattr(plan, "folds"):
            raise InvalidArgumentError(
                f"cv must test every row once in each repeat; got {cv!r}. Ask for '5x2' or '10'."
            )
        plans = {None: plan}
    else:
        sizes = curve_sizes(train_sizes, int(plan.sizes[0].min()), n_classes=len(data.classes))
        orders = prefix_orders(data, plan)
        plans = {size: PrefixPlan.of(plan, orders, size) for size in sizes.tolist()}
    forms: dict[int, FormChoice | None] = {}
    for size, splits in plans.items():
        fit = batched_fits([learner], data, splits, ALWAYS, forms=forms)[0]
        if fit is None:
            return None
        _compare(fit, data, () if size is None else (size,), random_state, tally)
    return tally.result()


def _compare(
    fit: BatchedFit, data: DataSet, size: tuple[int, ...], random_state: int, tally: Tally
) -> None:
    """Count the differences between the batched and the plain runs of a plan."""
    plan, splits = fit.plan, [*fit.plan]
    seeds = [derive_seed(random_state, "check", s.repeat, s.fold, *size) for s in splits]
    repeats, shape = range(plan.n_repeats), (plan.n_repeats, plan.n_folds)
    predicted = fit.predict(repeats, np.array(seeds).reshape(shape))
    stops = np.cumsum(plan.sizes[1])
    for index, split in enumerate(splits):
        if predicted.is_done is not None and not predicted.is_done[index]:
            tally.n_left += 1
            continue
        with global_generators_kept():
            plain = run_one(fit.learner, data, split, seed=seeds[index])
        rows = slice(stops[index] - len(split.test_rows), stops[index])
        labels, probabilities, decision = predicted.take(rows)
        where = f"{f'{size[0]} rows, ' if size else ''}repeat {split.repeat}, fold {split.fold}"
        tally.add(plain, labels, decision if probabilities is None else probabilities, where)


def check_batched_form(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    cv: str = "5x2",
    train_sizes: Any = None,
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
    train_sizes : int or sequence of int or float, optional
        As for `batched_agreement`: growing parts of the training rows, as of a learning curve.
    tolerance : float, default=1e-9
        Largest difference allowed of probabilities, decision values or predicted numbers.
    margin : float, default=0
        Rows may get another class where the plain learner's two best scores differ by no
        more: its own stopping error, for iterative solvers.
    random_state : int, default=0
        What plan, parts and random streams are derived from.

    Returns
    -------
    BatchedAgreement
        The differences.

    Raises
    ------
    InvalidArgumentError
        If the learner has no batched form for these data, or sizes or splits cannot be made.
    AssertionError
        If batched and plain predictions differ by more than is allowed.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bestofk.learners.majority_classifier import MajorityClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> check_batched_form(MajorityClassifier(), X, y).n_different
    0
    >>> agreement = check_batched_form(MajorityClassifier(), X, y, cv="1x3", train_sizes=[5, 50])
    >>> agreement.n_runs, agreement.n_rows, agreement.n_different
    (6, 465, 0)
    """
    data = from_arrays(X, y)
    agreement = batched_agreement(
        estimator, data, cv=cv, train_sizes=train_sizes, random_state=random_state
    )
    if agreement is None:
        raise InvalidArgumentError(
            f"learner must have a batched form for these data; got {type(estimator).__name__}. "
            "Give it a method batched_form() that returns one."
        )
    what = f"batched form of {type(estimator).__name__}"
    agreement.check(what, tolerance=tolerance, margin=margin)
    return agreement
