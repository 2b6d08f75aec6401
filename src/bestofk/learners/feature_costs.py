"""Costs of the features that a learner uses."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from bestofk.checks import check_known, check_number
from bestofk.errors import InvalidArgumentError


def feature_cost(estimator: Any, feature_names: Sequence[str], costs: Mapping[str, float]) -> float:
    """Return the sum of the costs of the features that a learner uses.

    A learner uses every feature, unless it is (or is a pipeline that starts with) a
    `ColumnTransformer` that drops some.

    Parameters
    ----------
    estimator : object
        An estimator.
    feature_names : sequence of str
        Features of the data set, in order.
    costs : mapping of str to float
        Cost of a feature, at least 0, any unit; features that are not listed cost nothing.

    Returns
    -------
    float
        In the unit of the costs.

    Raises
    ------
    InvalidArgumentError
        If the costs are not a mapping, or a cost is not finite, is negative or belongs to no
        feature.

    Examples
    --------
    >>> from sklearn.compose import make_column_transformer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.pipeline import make_pipeline
    >>> cheap = make_pipeline(make_column_transformer(("passthrough", ["age"])), GaussianNB())
    >>> costs = {"age": 1.0, "scan": 90.0}
    >>> [feature_cost(item, ["age", "scan"], costs) for item in (cheap, GaussianNB())]
    [1.0, 91.0]
    """
    if not isinstance(costs, Mapping):
        raise InvalidArgumentError(
            "feature_costs must be a mapping of features to costs; got "
            f"{type(costs).__name__}. Write for example {{'age': 1, 'scan': 90}}."
        )
    for name, cost in costs.items():
        check_known(name, "name in feature_costs", feature_names, rule="a feature of the data")
        check_number(
            cost,
            f"feature_costs of {name!r}",
            low=0,
            way_out="Leave out features that cost nothing.",
        )
    return float(sum(costs.get(name, 0.0) for name in features_used(estimator, feature_names)))


def features_used(estimator: Any, feature_names: Sequence[str]) -> list[str]:
    """Return the features that a learner uses, in the order of the data.

    Parameters
    ----------
    estimator : object
        An estimator.
    feature_names : sequence of str
        Features of the data set, in order.

    Returns
    -------
    list of str
        All features, unless the first step drops some; also all if columns are chosen by a function
        or a range of names, which depend on the data.
    """
    steps = getattr(estimator, "steps", None)
    if steps:
        return features_used(steps[0][1], feature_names)
    transformers = getattr(estimator, "transformers", None)
    if transformers is None:
        return list(feature_names)
    used: set[str] = set()
    dropped: set[str] = set()
    for _, transformer, columns in transformers:
        if callable(columns) or (isinstance(columns, slice) and _is_named(columns)):
            return list(feature_names)
        is_drop = isinstance(transformer, str) and transformer == "drop"
        (dropped if is_drop else used).update(_names(columns, feature_names))
    if getattr(estimator, "remainder", "drop") != "drop":
        used.update(name for name in feature_names if name not in dropped)
    return [name for name in feature_names if name in used]


def _is_named(columns: slice) -> bool:
    return isinstance(columns.start, str) or isinstance(columns.stop, str)


def _names(columns: Any, feature_names: Sequence[str]) -> Iterable[str]:
    if isinstance(columns, slice):
        return list(feature_names)[columns]
    listed = [columns] if isinstance(columns, str | int) else list(columns)
    if listed and all(isinstance(item, bool | np.bool_) for item in listed):
        return [name for name, item in zip(feature_names, listed, strict=True) if item]
    return [item if isinstance(item, str) else feature_names[item] for item in listed]
