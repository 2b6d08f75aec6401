"""Input of tree learners: tables, labels, weights, names of columns."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from sklearn.utils import assert_all_finite, check_array, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from bestofk.array_types import Codes, Floats, Positions
from bestofk.checks import nearest_name
from bestofk.errors import InvalidArgumentError
from bestofk.scikit_internals import checked_sample_weight
from bestofk.trees.attributes import NUMERIC, Attribute, encode_column

_MOST_CLASSES: Final = 32_767
_MOST_WEIGHT: Final = 1e100


def checked_table(learner: Any, X: Any, *, reset: bool) -> Any:
    """Return a frame unchanged, else a checked array; check names and number of columns.

    Parameters
    ----------
    learner : TreeClassifier
        The learner of the columns.
    X : ndarray or DataFrame of shape (n_samples, n_features)
        A table.
    reset : bool
        Whether to set the learner's columns from X, instead of checking X.

    Returns
    -------
    ndarray or DataFrame of shape (n_samples, n_features)

    Raises
    ------
    ValueError
        If the table is empty, is not a table, or has other columns than in training.
    """
    plain = _plain_numbers(X)
    if plain is not None and _has_columns(learner, plain, None, reset=reset):
        return plain
    if type(X) is pd.DataFrame and 0 not in X.shape:
        names = np.asarray(X.columns, dtype=object)
        are_texts = all(isinstance(name, str) for name in names)
        if are_texts and _has_columns(learner, X, names, reset=reset):
            return X
    if hasattr(X, "columns") and hasattr(X, "shape"):
        if 0 in X.shape:
            raise ValueError(
                f"X must be a table with at least 1 row and 1 column; got shape {X.shape} "
                "(0 sample(s) or 0 feature(s)). Pass rows with features."
            )
    else:
        array = X if hasattr(X, "dtype") else np.asarray(X)
        is_numeric = getattr(array.dtype, "kind", "f") not in "OUSmM"
        X = check_array(
            array if getattr(array.dtype, "kind", "f") not in "US" else array.astype(object),
            dtype=np.float64 if is_numeric else None,
            ensure_all_finite="allow-nan" if is_numeric else False,
            input_name="X",
            estimator=learner,
        )
    validate_data(learner, X, reset=reset, skip_check_array=True)
    return X


def _plain_numbers(X: Any) -> Floats | None:
    """Return an array of finite numbers as float64; None if further checks are needed.

    A finite sum has finite terms: one pass avoids scikit-learn's checks, which take longer than a
    small tree.
    """
    if type(X) is not np.ndarray or X.ndim != 2 or 0 in X.shape or X.dtype.kind not in "fiub":
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        result = X.astype(np.float64, copy=False)
        return result if np.isfinite(result.sum()) else None


def _has_columns(learner: Any, X: Any, names: Any, *, reset: bool) -> bool:
    """Return whether columns are as in training; with `reset`, set them, as scikit-learn does."""
    if reset:
        vars(learner).pop("feature_names_in_", None)
        if names is not None:
            learner.feature_names_in_ = names
        learner.n_features_in_ = X.shape[1]
        return True
    if getattr(learner, "n_features_in_", -1) != X.shape[1]:
        return False
    known: Any = getattr(learner, "feature_names_in_", None)
    return known is names or np.array_equal(known, names)


def coded_labels(labels: np.ndarray, classes: Any) -> tuple[np.ndarray, Codes]:
    """Return the classes, and the number of the class of each row.

    Parameters
    ----------
    labels : ndarray of shape (n_samples,)
        Labels of the rows.
    classes : sequence or None
        All classes in order; None for those that occur, sorted.

    Returns
    -------
    classes : ndarray of shape (n_classes,)
        The classes.
    codes : ndarray of shape (n_samples,), int16
        Numbers of classes.

    Raises
    ------
    ValueError
        If there is one class or too many, or a label that is not in `classes`.
    """
    result, codes = _unique_codes(labels)
    if len(result) < 2:
        raise ValueError(
            f"y must have at least 2 classes; got 1 class ({result.tolist()[0]!r}). A tree has "
            "nothing to separate: check the target, or the rows that were left out."
        )
    if len(result) > _MOST_CLASSES:
        raise ValueError(
            f"y must have at most {_MOST_CLASSES} classes; got {len(result)}. If the target is a "
            "number and not a class, use a regressor."
        )
    if classes is None:
        return result, codes.astype(np.int16)
    declared = np.asarray(classes)
    index = {label: i for i, label in enumerate(declared.tolist())}
    unknown = [label for label in result.tolist() if label not in index]
    if unknown or len(index) < len(declared):
        raise InvalidArgumentError(
            f"classes must be the labels of y, each once; got {declared.tolist()} for labels "
            f"{result.tolist()}. Name every label once, or leave classes out."
        )
    numbers = np.array([index[label] for label in result.tolist()])
    return declared, numbers[codes].astype(np.int16)


def _unique_codes(labels: np.ndarray) -> tuple[np.ndarray, Positions]:
    """Return `np.unique` with the inverse, faster for a narrow range of whole numbers."""
    if _is_narrow(labels):
        low = int(labels.min())
        offsets = labels.astype(np.int64) - low
        is_present = np.bincount(offsets) > 0
        distinct = (np.flatnonzero(is_present) + low).astype(labels.dtype)
        return distinct, (np.cumsum(is_present) - 1)[offsets]
    result, codes = np.unique(labels, return_inverse=True)
    return result, codes


def _is_narrow(labels: np.ndarray) -> bool:
    """Return whether labels are whole numbers in a range of at most half their count."""
    if labels.dtype.kind != "i" or not labels.size:
        return False
    return 2 * (int(labels.max()) - int(labels.min()) + 1) <= len(labels)


def raw_column(column: Any, attribute: Attribute, *, is_declared: bool = False) -> np.ndarray:
    """Return a column for sorting: numbers unchanged, levels as int32 with -1 for missing.

    If `is_declared`, levels are the categories of the column if it has categories.
    """
    if is_declared and attribute.kind != NUMERIC and attribute.edges is None:
        codes = getattr(getattr(column, "array", None), "codes", None)
        if codes is not None and len(set(attribute.levels)) == attribute.n_levels:
            return np.asarray(codes, dtype=np.int32)
    values = encode_column(column, attribute)
    if attribute.kind == NUMERIC:
        return values
    return np.where(np.isnan(values), -1, values).astype(np.int32)


def check_columns(
    raw: Sequence[np.ndarray], attributes: Sequence[Attribute], max_categories: int
) -> None:
    """Check that training columns have values, no infinite ones, and not too many levels.

    Parameters
    ----------
    raw : sequence of ndarray of shape (n_samples,)
        Columns from `raw_column`.
    attributes : sequence of Attribute
        What they are.
    max_categories : int
        Maximum number of levels of a column.

    Raises
    ------
    ValueError
        If a column has no value, infinite values, or too many levels.
    """
    for column, attribute in zip(raw, attributes, strict=True):
        if attribute.kind == NUMERIC:
            if np.isfinite(column.min()) and np.isfinite(column.max()):  # nan, if any value is
                continue
            if np.isinf(column).any():
                raise ValueError(
                    f"Column {attribute.name!r} of X must be finite or missing; got infinity. "
                    "Replace it, or drop those rows."
                )
            is_empty = bool(np.isnan(column).all())
        else:
            is_empty = column.max() < 0
        if is_empty:
            raise InvalidArgumentError(
                f"Column {attribute.name!r} of X must have at least one value; got none. "
                "Drop the column."
            )
        if attribute.edges is None and attribute.n_levels > max_categories:
            raise InvalidArgumentError(
                f"Column {attribute.name!r} of X must have at most max_categories="
                f"{max_categories} levels; got {attribute.n_levels}. If it identifies rows, drop "
                "it; else make it numeric, or raise max_categories."
            )


def checked_labels(y: Any, X: Any) -> np.ndarray:
    """Return labels as an array of shape (n_samples,), one for each row of a table."""
    is_plain = type(y) is np.ndarray and y.ndim == 1
    if is_plain and len(y) == X.shape[0] and _is_narrow(y):
        return np.asarray(y)  # the checks below would take longer than a small tree
    labels: np.ndarray = column_or_1d(y, warn=True)
    if len(labels) != X.shape[0]:
        raise InvalidArgumentError(
            f"y must have one label for each of the {X.shape[0]} rows of X; got {len(labels)}. "
            "Use the same rows for both."
        )
    assert_all_finite(labels, input_name="y")
    check_classification_targets(labels)
    return labels


def checked_weights(sample_weight: Any, X: Any) -> Floats:
    """Return the weights of rows, none negative and not all 0.

    Parameters
    ----------
    sample_weight : array-like of shape (n_samples,) or float
        Weights of the rows.
    X : ndarray or DataFrame of shape (n_samples, n_features)
        The rows.

    Returns
    -------
    ndarray of shape (n_samples,), float64

    Raises
    ------
    ValueError
        If a weight is negative or missing, all are 0, or the third power of their sum, which
        criteria of growth need, overflows.
    """
    if not np.asarray(sample_weight).any():
        raise ValueError(
            "sample_weight must be above zero for some row; got zero for all rows. Leave it out "
            "to count every row once."
        )
    weight: Floats = checked_sample_weight(sample_weight, X)
    if (weight < 0).any():
        raise ValueError(
            f"sample_weight must be 0 or more for every row; got {weight.min():g}. Negative "
            "weights have no meaning for a tree."
        )
    with np.errstate(over="ignore"):
        total = weight.sum()
    if total > _MOST_WEIGHT:
        raise ValueError(
            f"sample_weight must add up to at most {_MOST_WEIGHT:g}; got {total:g}. Divide all "
            "weights by the same number."
        )
    return weight


def chosen_columns(chosen: Any, names: Sequence[str], what: str) -> list[bool] | None:
    """Return a mask of the columns given by names, numbers or a mask.

    Parameters
    ----------
    chosen : "from_dtype", sequence of str, int or bool, or None
        Parameter of the learner; None for no column.
    names : sequence of str
        Names of all columns.
    what : str
        Name of the parameter in messages.

    Returns
    -------
    list of bool or None
        One for each column; None for "from_dtype".

    Raises
    ------
    InvalidArgumentError
        If a column does not exist.
    """
    if isinstance(chosen, str) and chosen == "from_dtype":
        return None
    if chosen is None:
        return [False] * len(names)
    return _mask(list(chosen), names, what)


def _mask(chosen: list[Any], names: Sequence[str], what: str) -> list[bool]:
    if chosen and all(isinstance(item, bool | np.bool_) for item in chosen):
        if len(chosen) != len(names):
            raise InvalidArgumentError(
                f"{what} as a mask must have one entry for each of {len(names)} columns; got "
                f"{len(chosen)}. Name the columns instead."
            )
        return [bool(item) for item in chosen]
    mask = [False] * len(names)
    for item in chosen:
        mask[column_number(item, names, what)] = True
    return mask


def column_number(item: Any, names: Sequence[str], what: str) -> int:
    """Return the number of a column given by name or number.

    Parameters
    ----------
    item : str or int
        Name or number.
    names : sequence of str
        Names of all columns.
    what : str
        Name of the parameter in messages.

    Returns
    -------
    int

    Raises
    ------
    InvalidArgumentError
        If a column does not exist.
    """
    if isinstance(item, str) and item in names:
        return list(names).index(item)
    if isinstance(item, int | np.integer) and 0 <= int(item) < len(names):
        return int(item)
    raise InvalidArgumentError(
        f"{what} must name columns of X; got {item!r}. " + nearest_name(str(item), names)
    )


def ordinal_columns(given: Any, names: Sequence[str]) -> dict[int, Sequence[Any] | None]:
    """Return the ordinal columns by number, with their levels if given.

    Parameters
    ----------
    given : mapping, sequence or None
        Parameter of the learner: levels by column, or columns.
    names : sequence of str
        Names of all columns.

    Returns
    -------
    dict of int to sequence or None
        None if the column defines its own levels.

    Raises
    ------
    InvalidArgumentError
        If a column does not exist.
    """
    if given is None:
        return {}
    what = "ordinal_features"
    if isinstance(given, Mapping):
        return {column_number(item, names, what): list(levels) for item, levels in given.items()}
    return {a: None for a, is_meant in enumerate(_mask(list(given), names, what)) if is_meant}
