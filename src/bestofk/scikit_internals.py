"""Private names of scikit-learn that this package needs; nothing else imports any."""

import sys
from collections.abc import Iterable, Mapping
from typing import Any, Final

# The base of all linear models, as a path: the module is not to be imported for it.
LINEAR_MODEL: Final = "sklearn.linear_model._base.LinearModel"


def is_search(estimator: Any) -> bool:
    """Return whether an estimator is a search over settings, such as `GridSearchCV`."""
    module = sys.modules.get("sklearn.model_selection._search")  # of others there are no objects
    return module is not None and isinstance(estimator, module.BaseSearchCV)


def column_positions(table: Any, columns: Any) -> list[int]:
    """Return the positions of columns that are named as a `ColumnTransformer` names them."""
    from sklearn.utils._indexing import _get_column_indices

    return [int(index) for index in _get_column_indices(table, columns)]


def feature_names_in(estimator: Any, given: Any) -> Any:
    """Return the names of the columns that a fitted estimator takes, or raise if given others."""
    from sklearn.utils.validation import _check_feature_names_in

    return _check_feature_names_in(estimator, given)


def rows_of(table: Any, rows: Any) -> Any:
    """Return some rows of an array, a frame or a list, as scikit-learn takes them."""
    from sklearn.utils import _safe_indexing

    return _safe_indexing(table, rows)


def checked_sample_weight(weight: Any, table: Any) -> Any:
    """Return weights of the rows of a table as numbers, ones where there are none, or raise."""
    from sklearn.utils.validation import _check_sample_weight

    return _check_sample_weight(weight, table, dtype="float64")


def takes_real_not_int(estimator: Any, parameter: str) -> bool:
    """Return whether a parameter means another thing as 1.0 than as 1."""
    from sklearn.utils._param_validation import RealNotInt

    rules = getattr(estimator, "_parameter_constraints", {}).get(parameter, [])
    return RealNotInt in [getattr(rule, "type", None) for rule in rules]


def are_valid(estimator: Any, settings: Iterable[Mapping[str, Any]]) -> bool:
    """Return whether all values are what a learner of scikit-learn takes."""
    from sklearn.utils._param_validation import (
        InvalidParameterError,
        validate_parameter_constraints,
    )

    rules = getattr(estimator, "_parameter_constraints", {})
    values = {(name, repr(v)): v for own in settings for name, v in own.items() if name in rules}
    try:
        for (name, _), value in values.items():
            validate_parameter_constraints({name: rules[name]}, {name: value}, "")
    except InvalidParameterError:
        return False
    return True


def class_in_memory(path: str) -> type | None:
    """Return the class of a path if its module is in memory: of others there are no objects."""
    module, _, name = path.rpartition(".")
    # a module that is being imported has no class yet
    cls: type | None = getattr(sys.modules.get(module), name, None)
    return cls
