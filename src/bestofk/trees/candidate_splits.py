"""Table of all candidate splits of a tree, and the measures of splits."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bestofk.array_types import Floats, Ints
from bestofk.errors import InvalidArgumentError
from bestofk.trees.attributes import NOMINAL, NUMERIC, Attribute
from bestofk.trees.discretization import middles
from bestofk.trees.id3 import ID3Classifier
from bestofk.trees.reading import check_columns, raw_column
from bestofk.trees.text_form import cut_words, level_words

# This many levels have 511 pairs of subsets; each further level doubles the number.
_MOST_LEVELS: Final = 10


def entropy(counts: ArrayLike) -> Any:
    """Return the entropy of classes, in bits.

    Parameters
    ----------
    counts : array-like of shape (..., n_classes)
        Number of rows of each class; weights or shares are fine, too.

    Returns
    -------
    float, or ndarray of shape (...)
        From 0, if all rows are of one class or there are none, to log2(n_classes).

    Raises
    ------
    InvalidArgumentError
        If a count is negative, infinite or not a number, or rows differ in length.

    References
    ----------
    .. [1] Shannon (1948), A mathematical theory of communication, Bell System Technical
       Journal 27.

    Examples
    --------
    >>> round(entropy([9, 5]), 3), entropy([0, 6]), entropy([1, 1, 1, 1])
    (0.94, 0.0, 2.0)
    """
    shares = _shares(_checked(counts, "n_classes"))
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    return _plain(np.abs((shares * logs).sum(axis=-1)))


def gini(counts: ArrayLike) -> Any:
    """Return the Gini impurity: the chance that two rows drawn with replacement differ in class.

    Parameters
    ----------
    counts : array-like of shape (..., n_classes)
        Number of rows of each class; weights or shares are fine, too.

    Returns
    -------
    float, or ndarray of shape (...)
        From 0, if all rows are of one class or there are none, to 1 - 1 / n_classes.

    Raises
    ------
    InvalidArgumentError
        If a count is negative, infinite or not a number, or rows differ in length.

    References
    ----------
    .. [1] Breiman, Friedman, Olshen and Stone (1984), Classification and Regression Trees,
       section 4.3.

    Examples
    --------
    >>> round(gini([9, 5]), 3), gini([0, 6]), gini([1, 1, 1, 1])
    (0.459, 0.0, 0.75)
    """
    shares = _shares(_checked(counts, "n_classes"))
    return _plain((shares * (1.0 - shares)).sum(axis=-1))


def classification_error(counts: ArrayLike) -> Any:
    """Return the share of rows that are not of the most frequent class.

    Parameters
    ----------
    counts : array-like of shape (..., n_classes)
        Number of rows of each class; weights or shares are fine, too.

    Returns
    -------
    float, or ndarray of shape (...)
        From 0, if all rows are of one class or there are none, to 1 - 1 / n_classes.

    Raises
    ------
    InvalidArgumentError
        If a count is negative, infinite or not a number, or rows differ in length.

    Examples
    --------
    >>> round(classification_error([9, 5]), 3), classification_error([0, 6])
    (0.357, 0.0)
    """
    checked = _checked(counts, "n_classes")
    total = checked.sum(axis=-1)
    errors = total - checked.max(axis=-1, initial=0.0)
    return _plain(errors / np.where(total > 0, total, 1.0))


def information_gain(counts: ArrayLike, *, unknown: ArrayLike = 0.0) -> Any:
    """Return the decrease of the entropy of the classes by a split, in bits.

    Parameters
    ----------
    counts : array-like of shape (..., n_branches, n_classes)
        Number of rows of each class in each branch.
    unknown : float or array-like of shape (...), default=0.0
        Number of further rows without a value for the split. As in C4.5, the gain of the other rows
        counts in proportion to their share.

    Returns
    -------
    float, or ndarray of shape (...)
        From 0 to the entropy of all branches together.

    Raises
    ------
    InvalidArgumentError
        If a count is negative, infinite or not a number, or rows differ in length.

    References
    ----------
    .. [1] Quinlan (1986), Induction of decision trees, Machine Learning 1.
    .. [2] Quinlan (1993), C4.5: Programs for Machine Learning, chapter 3.

    Examples
    --------
    Wind in the tennis data: 6 yes and 2 no if it is weak, 3 and 3 if it is strong.

    >>> round(information_gain([[6, 2], [3, 3]]), 3)
    0.048
    """
    return impurity_decrease(counts, entropy, unknown=unknown)


def split_information(counts: ArrayLike, *, unknown: ArrayLike = 0.0) -> Any:
    """Return the entropy of the branches of a split, in bits.

    Parameters
    ----------
    counts : array-like of shape (..., n_branches, n_classes)
        Number of rows of each class in each branch.
    unknown : float or array-like of shape (...), default=0.0
        Number of further rows without a value for the split; they are one more branch.

    Returns
    -------
    float, or ndarray of shape (...)
        From 0, if all rows go down one branch, to log2(n_branches).

    Raises
    ------
    InvalidArgumentError
        If a count is negative, infinite or not a number, or rows differ in length.

    Examples
    --------
    >>> round(split_information([[6, 2], [3, 3]]), 3)
    0.985
    """
    sizes = _checked(counts, "n_branches, n_classes").sum(axis=-1)
    lacking = _checked(unknown)[..., None]
    lacking = np.broadcast_to(lacking, (*sizes.shape[:-1], 1))
    return entropy(np.concatenate([sizes, lacking], axis=-1))


def gain_ratio(counts: ArrayLike, *, unknown: ArrayLike = 0.0) -> Any:
    """Return the information gain of a split divided by the entropy of its branches.

    Parameters
    ----------
    counts : array-like of shape (..., n_branches, n_classes)
        Number of rows of each class in each branch.
    unknown : float or array-like of shape (...), default=0.0
        Number of further rows without a value for the split: the gain counts in part, and they are
        one more branch.

    Returns
    -------
    float, or ndarray of shape (...)
        From 0 to 1; nan if all rows go down one branch.

    Raises
    ------
    InvalidArgumentError
        If a count is negative, infinite or not a number, or rows differ in length.

    References
    ----------
    .. [1] Quinlan (1993), C4.5: Programs for Machine Learning, section 2.2.

    Examples
    --------
    Outlook in the tennis data, with branches for sunny, overcast and rain:

    >>> round(gain_ratio([[2, 3], [4, 0], [3, 2]]), 3)
    0.156
    """
    gain = np.asarray(information_gain(counts, unknown=unknown))
    info = np.asarray(split_information(counts, unknown=unknown))
    return _plain(np.divide(gain, info, out=np.full(gain.shape, np.nan), where=info > 0))


def impurity_decrease(
    counts: ArrayLike, impurity: Callable[[ArrayLike], Any], *, unknown: ArrayLike = 0.0
) -> Any:
    """Return the decrease of an impurity of the classes by a split.

    Parameters
    ----------
    counts : array-like of shape (..., n_branches, n_classes)
        Number of rows of each class in each branch.
    impurity : callable
        `entropy`, `gini` or `classification_error`.
    unknown : float or array-like of shape (...), default=0.0
        Number of further rows without a value for the split.

    Returns
    -------
    float, or ndarray of shape (...)
        Impurity of all branches together minus the mean of theirs, weighted by their rows, times
        the share of the known rows; 0 if there are none.

    Examples
    --------
    >>> round(impurity_decrease([[6, 2], [3, 3]], gini), 3)
    0.031
    """
    checked = _checked(counts, "n_branches, n_classes")
    by_branch = checked.sum(axis=-1)
    known = by_branch.sum(axis=-1)
    before = known * np.asarray(impurity(checked.sum(axis=-2)))
    after = (by_branch * impurity(checked)).sum(axis=-1)
    total = known + _checked(unknown)
    return _plain(np.maximum(before - after, 0.0) / np.where(total > 0, total, 1.0))


def _checked(counts: ArrayLike, axes: str = "") -> Floats:
    """Return counts as floats, or raise if they are not counts with the named axes."""
    rule = f"counts must be finite numbers from 0 upwards; got {counts!r}."
    try:
        result = np.asarray(counts, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidArgumentError(
            f"{rule} Write one number for each class, equally many in every row."
        ) from None
    n_axes = len(axes.split(", ")) if axes else 0
    if result.ndim < n_axes:
        raise InvalidArgumentError(
            f"counts must be of shape (..., {axes}); got shape {result.shape}. Write one number "
            "for each class, and for a split one such row for each branch."
        )
    if not (np.isfinite(result) & (result >= 0)).all():
        raise InvalidArgumentError(f"{rule} Count rows, or sum up their weights.")
    return result


def _shares(counts: Floats) -> Floats:
    """Return the shares of counts along the last axis; zeros if there are no counts."""
    total = counts.sum(axis=-1, keepdims=True)
    return np.asarray(counts / np.where(total > 0, total, 1.0))


def _plain(result: Any) -> Any:
    return float(result) if np.ndim(result) == 0 else result


def split_table(
    X: Any,
    y: Any,
    *,
    all_cuts: bool = False,
    sample_weight: Any = None,
    categorical_features: Any = "from_dtype",
    ordinal_features: Any = None,
) -> pd.DataFrame:
    """Return all candidate splits of the columns of a table, each with its measures.

    Numbers are cut in the middle between two neighbors. Levels get a branch each, or are divided
    into two subsets; those with an order are cut after a level instead.

    Parameters
    ----------
    X : ndarray or DataFrame of shape (n_samples, n_features), or one column
        Rows: numbers, texts, categories, booleans; values may be missing.
    y : array-like of shape (n_samples,)
        Labels.
    all_cuts : bool, default=False
        Whether cuts between rows of the same class are listed, too. The best cut by entropy or Gini
        impurity is never one of them (Fayyad & Irani 1992).
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Weights of the rows.
    categorical_features : "from_dtype", sequence of str, int or bool, or None, \
default="from_dtype"
        Columns without an order: names, numbers or a mask.
    ordinal_features : mapping, sequence or None, default=None
        Columns with an order: names or numbers, optionally with their levels from the lowest.
        Ordered categories have one by their type, with `categorical_features="from_dtype"`.

    Returns
    -------
    DataFrame
        One row for each split, column by column, with `column`, `kind` ("threshold",
        "multiway" or "subset"), `branches` (in words), `threshold` (of numbers, else nan),
        `counts` (a list for each branch: weight of each class, classes sorted),
        `information_gain`, `split_information`, `gain_ratio` (in bits, as the functions of
        these names give them), `gini_decrease` and `error_decrease`. Rows without a value
        count as in these functions.

    Raises
    ------
    ValueError
        If a column, the weights or the labels are not valid.

    Notes
    -----
    For more than ten levels, only some pairs of subsets are listed: each level against the rest,
    and the cuts through the levels ordered by the share of each class. With two classes, the best
    pair is one of these (Breiman et al. 1984, section 9.4).

    References
    ----------
    .. [1] Fayyad and Irani (1992), On the handling of continuous-valued attributes in decision
       tree generation, Machine Learning 8.
    .. [2] Breiman, Friedman, Olshen and Stone (1984), Classification and Regression
       Trees.

    Examples
    --------
    >>> import pandas as pd
    >>> from bestofk.trees import split_table
    >>> X = pd.DataFrame({"temperature": [40, 48, 60, 72, 80, 90]})
    >>> table = split_table(X, ["no", "no", "yes", "yes", "yes", "no"])
    >>> table[["branches", "information_gain"]].round(3).values.tolist()
    [['<= 54 | > 54', 0.459], ['<= 85 | > 85', 0.191]]
    """
    if np.ndim(X) == 1:
        X = X.to_frame() if hasattr(X, "to_frame") else np.asarray(X)[:, None]
    reader = ID3Classifier(
        categorical_features=categorical_features, ordinal_features=ordinal_features
    )
    columns, codes, weight = reader._read_training(X, y, sample_weight)
    weight = np.ones(len(codes)) if weight is None else weight
    pairs = zip(columns, reader.attributes_, strict=True)
    raw = [raw_column(column, attribute) for column, attribute in pairs]
    check_columns(raw, reader.attributes_, reader.max_categories)
    parts = []
    for attribute, column in zip(reader.attributes_, raw, strict=True):
        is_known = ~np.isnan(column) if attribute.kind == NUMERIC else column >= 0
        values, at = np.unique(column[is_known], return_inverse=True)
        counts = np.zeros((len(values), reader.n_classes_))
        np.add.at(counts, (at, codes[is_known]), weight[is_known])
        unknown = float(weight[~is_known].sum())
        if attribute.kind != NUMERIC:
            parts.append(_multiway(attribute, values, counts, unknown))
        if attribute.kind == NOMINAL:
            parts.append(_divided(attribute, values, counts, unknown))
        else:
            parts.append(_cut(attribute, values, counts, unknown, all_cuts=all_cuts))
    return pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)


def _cut(
    attribute: Attribute, values: np.ndarray, counts: Floats, unknown: float, *, all_cuts: bool
) -> pd.DataFrame:
    """Return the cuts between distinct values, rising, with these class weights, shape (k, c)."""
    below = np.cumsum(counts, axis=0)
    is_pair_pure = ((counts[:-1] + counts[1:]) > 0).sum(axis=1) == 1
    at = np.flatnonzero(~is_pair_pure | all_cuts)
    sides = np.stack([below[at], below[-1] - below[at]], axis=1)
    if attribute.kind != NUMERIC:
        words = [cut_words(attribute, float(values[k])) for k in at]
        return _measured(attribute, "threshold", words, sides, unknown)
    thresholds = middles(values, at)
    words = [cut_words(attribute, float(threshold)) for threshold in thresholds]
    return _measured(attribute, "threshold", words, sides, unknown, thresholds)


def _multiway(
    attribute: Attribute, values: np.ndarray, counts: Floats, unknown: float
) -> pd.DataFrame:
    """Return the split into a branch for each level; none if there is only one."""
    n_splits = int(len(values) > 1)
    words = [[f"= {attribute.levels[level]}" for level in values]] * n_splits
    return _measured(
        attribute, "multiway", words, np.repeat(counts[None], n_splits, axis=0), unknown
    )


def _divided(
    attribute: Attribute, values: np.ndarray, counts: Floats, unknown: float
) -> pd.DataFrame:
    """Return the pairs of subsets of more than two levels (for two, they are the branches)."""
    side = _subsets(counts) if len(values) > 2 else np.empty((0, len(values)), np.int64)
    sides = np.stack([(side == branch) @ counts for branch in (0, 1)], axis=1)
    branch_of_level = np.full((len(side), attribute.n_levels), -1)
    branch_of_level[:, values] = side
    words = [level_words(attribute, branches) for branches in branch_of_level.tolist()]
    return _measured(attribute, "subset", words, sides, unknown)


def _subsets(counts: Floats) -> Ints:
    """Return the side of each of k levels, 0 or 1, in all pairs of subsets: shape (pairs, k).

    For many levels, only one level against the rest, and cuts in the order of a class share.
    """
    n_levels = len(counts)
    if n_levels <= _MOST_LEVELS:
        numbers = np.arange(1, 2 ** (n_levels - 1))
        return np.asarray(numbers[:, None] >> np.arange(n_levels)[::-1] & 1)
    shares = counts / counts.sum(axis=1, keepdims=True)
    ranks = np.argsort(np.argsort(shares, axis=0, kind="stable"), axis=0)
    sides = [np.eye(n_levels, dtype=np.int64)]
    sides += [(rank < np.arange(1, n_levels)[:, None]).astype(np.int64) for rank in ranks.T]
    both = np.concatenate(sides)
    return np.unique(both ^ both[:, :1], axis=0)


def _measured(
    attribute: Attribute,
    kind: str,
    words: list[list[str]],
    counts: Floats,
    unknown: float,
    thresholds: Floats | float = np.nan,
) -> pd.DataFrame:
    """Return the rows of splits with these class weights, shape (n_splits, n_branches, c)."""
    return pd.DataFrame(
        {
            "column": attribute.name,
            "kind": kind,
            "branches": [" | ".join(branches) for branches in words],
            "threshold": thresholds,
            "counts": counts.tolist(),
            "information_gain": impurity_decrease(counts, entropy, unknown=unknown),
            "split_information": split_information(counts, unknown=unknown),
            "gain_ratio": gain_ratio(counts, unknown=unknown),
            "gini_decrease": impurity_decrease(counts, gini, unknown=unknown),
            "error_decrease": impurity_decrease(counts, classification_error, unknown=unknown),
        },
        index=range(len(counts)),
    )
