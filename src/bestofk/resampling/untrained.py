"""Classes that splits test without a row to train on."""

from __future__ import annotations

import numpy as np

from bestofk.array_types import Bools
from bestofk.data.data_set import DataSet
from bestofk.data.notes import listed
from bestofk.errors import InvalidArgumentError
from bestofk.resampling.plan import FoldPlan, Plan


def untrained_classes(data: DataSet, plan: Plan) -> Bools:
    """Tell which classes each split tests without a training row.

    Parameters
    ----------
    data : DataSet
        The rows; those of weight 0 do not train.
    plan : Plan
        Its splits.

    Returns
    -------
    ndarray of shape (n_splits, n_classes), bool
        In repeat-major order; no column for regression.

    Examples
    --------
    >>> from bestofk.data import load_data
    >>> from bestofk.resampling import make_plan
    >>> iris = load_data("iris")
    >>> bool(untrained_classes(iris, make_plan(iris, "5x2")).any())
    False
    """
    if not data.is_classification:
        return np.zeros((len(plan), 0), dtype=bool)
    y, n_classes = data.y, len(data.classes)
    trains = np.ones(len(y), dtype=bool) if data.sample_weight is None else data.sample_weight > 0
    if isinstance(plan, FoldPlan):
        cells = plan.n_folds * n_classes
        tested, held_out = (
            np.vstack([np.bincount((f * n_classes + y)[rows], minlength=cells) for f in plan.folds])
            for rows in (slice(None), trains)
        )
        trained = np.bincount(y[trains], minlength=n_classes) - held_out.reshape(-1, n_classes)
        tested = tested.reshape(-1, n_classes)
    else:
        parts = ([rows[trains[rows]] for rows in plan.train_rows], plan.test_rows)
        trained, tested = (
            np.vstack([np.bincount(y[rows], minlength=n_classes) for rows in part])
            for part in parts
        )
    return np.asarray((tested > 0) & (trained == 0))


def check_trained(data: DataSet, plan: Plan) -> Plan:
    """Return a plan, or raise where every split tests a class without a row to train on."""
    is_untrained = untrained_classes(data, plan)
    if not is_untrained.any(axis=1).all():
        return plan
    names = [str(label) for label in data.classes[is_untrained.any(axis=0)]]
    n_splits = "the only split" if len(plan) == 1 else f"each of {len(plan)} splits"
    way_out = "The rows may be sorted by the target: shuffle them, or take cv='10x10'."
    if data.sample_weight is not None:
        way_out = "Rows of weight 0 do not train: give some of its rows a sample_weight."
    elif plan.is_grouped:
        way_out = "All rows of such a class are in one group: take other groups, or merge classes."
    raise InvalidArgumentError(
        f"every class that cv tests must have training rows; got none of class {listed(names)} "
        f"in {n_splits} of {plan.name}. {way_out}"
    )
