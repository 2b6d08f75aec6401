"""Table of all splits that a tree may choose from, each with its measures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from bestofk.array_types import Floats, Ints
from bestofk.data.table_columns import table_columns
from bestofk.trees.attributes import NOMINAL, NUMERIC, Attribute
from bestofk.trees.id3 import ID3Classifier
from bestofk.trees.impurity import (
    classification_error,
    entropy,
    gain_ratio,
    gini,
    impurity_decrease,
    split_information,
)
from bestofk.trees.reading import check_columns, raw_column
from bestofk.trees.text_form import cut_words, level_words

if TYPE_CHECKING:
    import pandas as pd

# Of so many levels there are 511 pairs of subsets, of one more twice as many.
_MOST_LEVELS: Final = 10


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
        Rows: numbers, texts, categories, booleans; missing values are welcome.
    y : array-like of shape (n_samples,)
        Labels.
    all_cuts : bool, default=False
        Whether cuts between rows of one and the same class are listed too. The best cut by
        entropy or Gini impurity is never one of them (Fayyad & Irani 1992).
    sample_weight : array-like of shape (n_samples,) or None, default=None
        What each row counts.
    categorical_features : "from_dtype", sequence of str, int or bool, or None, \
default="from_dtype"
        Columns without an order: names, numbers or a mask.
    ordinal_features : mapping, sequence or None, default=None
        Columns with an order: names or numbers, with their levels from the lowest where given.
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
        If a column, the weights or the labels break a rule that the message states.

    Notes
    -----
    Of more than ten levels only some pairs of subsets are listed: each level against the rest,
    and the cuts through the levels in the order of the share of each class. With two classes the
    best pair is one of these (Breiman et al. 1984, section 9.4).

    References
    ----------
    .. [1] Fayyad and Irani (1992), On the handling of continuous-valued attributes in decision
       tree generation, Machine Learning 8.
    .. [2] Breiman, Friedman, Olshen and Stone (1984), Classification and Regression Trees.

    Examples
    --------
    >>> import pandas as pd
    >>> from bestofk.trees import split_table
    >>> X = pd.DataFrame({"temperature": [40, 48, 60, 72, 80, 90]})
    >>> table = split_table(X, ["no", "no", "yes", "yes", "yes", "no"])
    >>> table[["branches", "information_gain"]].round(3).values.tolist()
    [['<= 54 | > 54', 0.459], ['<= 85 | > 85', 0.191]]
    """
    import pandas as pd

    if np.ndim(X) == 1:
        X = X.to_frame() if hasattr(X, "to_frame") else np.asarray(X)[:, None]
    reader = ID3Classifier(
        categorical_features=categorical_features, ordinal_features=ordinal_features
    )
    X, codes, weight = reader._read_training(X, y, sample_weight)
    weight = np.ones(len(codes)) if weight is None else weight
    pairs = zip(table_columns(X), reader.attributes_, strict=True)
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
    low, high = values[at], values[at + 1]
    thresholds = low + (high - low) / 2
    thresholds = np.where(thresholds >= high, low, thresholds)
    words = [cut_words(attribute, float(threshold)) for threshold in thresholds]
    return _measured(attribute, "threshold", words, sides, unknown, thresholds)


def _multiway(
    attribute: Attribute, values: np.ndarray, counts: Floats, unknown: float
) -> pd.DataFrame:
    """Return the split into a branch for each level, none if there is only one."""
    n_splits = int(len(values) > 1)
    words = [[f"= {attribute.levels[level]}" for level in values]] * n_splits
    return _measured(
        attribute, "multiway", words, np.repeat(counts[None], n_splits, axis=0), unknown
    )


def _divided(
    attribute: Attribute, values: np.ndarray, counts: Floats, unknown: float
) -> pd.DataFrame:
    """Return the pairs of subsets of more than two levels: of two, they are the branches."""
    side = _subsets(counts) if len(values) > 2 else np.empty((0, len(values)), np.int64)
    sides = np.stack([(side == branch) @ counts for branch in (0, 1)], axis=1)
    branch_of_level = np.full((len(side), attribute.n_levels), -1)
    branch_of_level[:, values] = side
    words = [level_words(attribute, branches) for branches in branch_of_level.tolist()]
    return _measured(attribute, "subset", words, sides, unknown)


def _subsets(counts: Floats) -> Ints:
    """Return the side of each of k levels, 0 or 1, in all pairs of subsets: shape (pairs, k).

    Of many levels only those with one level against the rest, and those that cut the order of
    the share of a class.
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
    import pandas as pd

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
