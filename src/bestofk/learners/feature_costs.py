"""What do the features cost that a learner asks for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bestofk.errors import InvalidArgumentError, nearest_name


def feature_cost(estimator: Any, feature_names: Sequence[str], costs: Mapping[str, float]) -> float:
    """Return the sum of the costs of the features that a learner uses.

    A learner uses every feature, unless it is a pipeline whose first step is a
    `ColumnTransformer` that drops the others.

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
        If a cost is negative or belongs to no feature.

    Examples
    --------
    >>> from sklearn.compose import make_column_transformer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.pipeline import make_pipeline
    >>> cheap = make_pipeline(make_column_transformer(("passthrough", ["age"])), GaussianNB())
    >>> costs = {"age": 1.0, "scan": 90.0}
    >>> [feature_cost(one, ["age", "scan"], costs) for one in (cheap, GaussianNB())]
    [1.0, 91.0]
    """
    for name, cost in costs.items():
        if name not in feature_names:
            raise InvalidArgumentError(
                f"feature_costs must name features of the data; got {name!r}. "
                + nearest_name(name, list(feature_names))
            )
        if not cost >= 0:
            raise InvalidArgumentError(
                f"feature_costs must be numbers from 0; got {cost!r} for {name!r}. "
                "Leave out features that cost nothing."
            )
    return float(sum(costs.get(name, 0.0) for name in features_used(estimator, feature_names)))


def features_used(estimator: Any, feature_names: Sequence[str]) -> list[str]:
    """Return the features that a learner asks for, in the order of the data.

    Parameters
    ----------
    estimator : object
        An estimator.
    feature_names : sequence of str
        Features of the data set, in order.

    Returns
    -------
    list of str
        All of them unless the first step of a pipeline drops some.
    """
    steps = getattr(estimator, "steps", None)
    first = steps[0][1] if steps else estimator
    transformers = getattr(first, "transformers", None)
    if transformers is None or getattr(first, "remainder", "drop") != "drop":
        return list(feature_names)
    used: set[str] = set()
    for _, transformer, columns in transformers:
        if isinstance(transformer, str) and transformer == "drop":
            continue
        if callable(columns) or isinstance(columns, slice):
            return list(feature_names)
        used.update(_names(columns, feature_names))
    return [name for name in feature_names if name in used]


def _names(columns: Any, feature_names: Sequence[str]) -> Iterable[str]:
    listed = [columns] if isinstance(columns, str | int) else list(columns)
    if listed and all(isinstance(one, bool) for one in listed):
        return [name for name, one in zip(feature_names, listed, strict=True) if one]
    return [one if isinstance(one, str) else feature_names[one] for one in listed]
