"""Check that a batched form for subsets of rows gives the predictions of the plain learner."""

from __future__ import annotations

from typing import Any

import numpy as np

from bestofk.data import DataSet
from bestofk.data.arrays import from_arrays
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation.batched_fit import ALWAYS, SubsetFit, batched_fits
from bestofk.evaluation.identity import identify
from bestofk.evaluation.run import RunnableLearner, global_generators_kept, run_one
from bestofk.randomness import derive_seed
from bestofk.resampling import make_plan
from bestofk.resampling.prefixes import PrefixPlan, curve_sizes, prefix_orders
from bestofk.testing.agreement import BatchedAgreement, Tally


def subset_agreement(
    estimator: Any,
    data: DataSet,
    *,
    train_sizes: Any = 4,
    cv: str = "2x3",
    random_state: int = 0,
) -> BatchedAgreement | None:
    """Run a learner both ways on growing parts of training rows and compare what it predicts.

    Parameters
    ----------
    estimator : estimator
        The learner, or a pipeline that ends in it.
    data : DataSet
        The rows.
    train_sizes : int or sequence of int or float, default=4
        How many sizes, or the sizes, as for `bestofk.learning_curve`.
    cv : str, default="2x3"
        The splits whose training rows are cut.
    random_state : int, default=0
        What plan, parts and random streams are derived from.

    Returns
    -------
    BatchedAgreement or None
        Of the runs of all sizes together, which predict test rows and training rows. None where
        the learner has no form for subsets of these data.

    Raises
    ------
    InvalidArgumentError
        If sizes or splits cannot be made.
    """
    base = make_plan(data, cv, random_state=random_state)
    n_train, n_classes = int(base.sizes[0].min()), len(data.classes)
    sizes = curve_sizes(train_sizes, n_train, n_classes=n_classes)
    orders = prefix_orders(data, base)
    learner = RunnableLearner("learner", estimator, identify("learner", estimator).unseeded)
    forms: dict[int, Any] = {}
    tally = Tally(data.is_classification)
    for size in sizes.tolist():
        plan = PrefixPlan.of(base, orders, size)
        way = batched_fits([learner], data, plan, ALWAYS, forms=forms)[0]
        if not isinstance(way, SubsetFit):
            return None
        _compare(way, data, size, random_state, tally)
    return tally.result()


def check_subset_form(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    train_sizes: Any = 4,
    cv: str = "2x3",
    tolerance: float = 1e-9,
    margin: float = 0.0,
    random_state: int = 0,
) -> BatchedAgreement:
    """Raise unless the form of a learner for subsets gives the predictions of the plain one.

    Parameters
    ----------
    estimator : estimator
        The learner, or a pipeline that ends in it.
    X : ndarray or DataFrame of shape (n_samples, n_features)
        Inputs.
    y : array-like of shape (n_samples,)
        Target.
    train_sizes : int or sequence of int or float, default=4
        How many sizes, or the sizes, as for `bestofk.learning_curve`.
    cv : str, default="2x3"
        The splits whose training rows are cut.
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
        What was found at all sizes together.

    Raises
    ------
    InvalidArgumentError
        If the learner has no form for subsets of these data, or sizes or splits cannot be made.
    AssertionError
        If the two ways differ by more than is allowed.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bestofk.learners.majority_classifier import MajorityClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> agreement = check_subset_form(MajorityClassifier(), X, y, train_sizes=[5, 50], cv="1x3")
    >>> agreement.n_runs, agreement.n_rows, agreement.n_different
    (6, 465, 0)
    """
    data = from_arrays(X, y)
    agreement = subset_agreement(
        estimator, data, train_sizes=train_sizes, cv=cv, random_state=random_state
    )
    name = type(estimator).__name__
    if agreement is None:
        raise InvalidArgumentError(
            f"learner must have a form for subsets of these data; got {name}. "
            "Give it a method subset_form() that returns one."
        )
    agreement.check(f"form of {name} for subsets", tolerance=tolerance, margin=margin)
    return agreement


def _compare(way: SubsetFit, data: DataSet, size: int, random_state: int, tally: Tally) -> None:
    """Count the differences between the batched and the plain runs of one size."""
    plan = way.plan
    splits = [*plan]
    seeds = [derive_seed(random_state, "check", split.repeat, split.fold, size) for split in splits]
    shape = (plan.n_repeats, plan.n_folds)
    predicted = way.predict(range(plan.n_repeats), np.array(seeds).reshape(shape))
    for index, split in enumerate(splits):
        result, subset, here = predicted[index]
        if result.is_done is not None and not result.is_done[subset]:
            tally.n_left += 1
            continue
        with global_generators_kept():
            plain = run_one(way.learner, data, split, seed=seeds[index])
        scores = result.decision if result.probabilities is None else result.probabilities
        where = f"{size} rows, repeat {split.repeat}, fold {split.fold}"
        tally.add(plain, result.labels[here], None if scores is None else scores[here], where)
