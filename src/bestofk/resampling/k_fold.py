"""Assignment of rows or groups to folds, for any number of repeats at once."""

from __future__ import annotations

import numpy as np

from bestofk.array_types import Floats, Folds, Ints
from bestofk.checks import check_number
from bestofk.errors import InvalidArgumentError
from bestofk.randomness import derive_rng, derive_seed


def k_fold_assignment(
    n_samples: int, *, n_folds: int, n_repeats: int, random_state: int, strata: Ints | None = None
) -> Folds:
    """Assign every row to a fold, independently in every repeat.

    Rows are shuffled within their stratum, the strata are laid end to end, and the
    rows are dealt to the folds in turn: fold sizes differ by at most one, and so do
    the counts of each stratum.  A repeat depends on `random_state`, `n_folds` and its
    own number alone, so more repeats leave the earlier ones as they were.

    Parameters
    ----------
    n_samples : int
        Number of rows.
    n_folds, n_repeats : int
        Folds of a repeat, repeats.
    random_state : int
        What all draws are derived from.
    strata : ndarray of shape (n_samples,), int64, optional
        Stratum of each row; only which rows belong together matters.

    Returns
    -------
    ndarray of shape (n_repeats, n_samples), int32
        The fold that tests each row.

    Raises
    ------
    InvalidArgumentError
        If there are fewer than 2 folds, no repeat, or fewer rows than folds.

    Examples
    --------
    >>> folds = k_fold_assignment(6, n_folds=3, n_repeats=2, random_state=0)
    >>> [sorted(row.tolist()) for row in folds]
    [[0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 2, 2]]
    """
    check_folds(n_samples, n_folds=n_folds, n_repeats=n_repeats, unit="rows")
    kind = "k-fold" if strata is None else "stratified k-fold"
    order = None if strata is None else order_of_appearance(strata)
    folds = np.empty((n_repeats, n_samples), dtype=np.int32)
    dealt = np.arange(n_samples, dtype=np.int32) % n_folds
    for repeat, row in enumerate(folds):
        keys = derive_rng(random_state, kind, n_folds, repeat).random(n_samples)
        if order is not None:
            keys += order
        row[_stable_order(keys)] = dealt
    return folds


def _stable_order(keys: Floats) -> Ints:
    """Return what sorts keys that hardly ever tie; a stable sort takes several times as long."""
    order = np.argsort(keys)
    ordered = keys[order]
    if (ordered[1:] == ordered[:-1]).any():
        return np.argsort(keys, kind="stable")
    return order


def group_fold_assignment(
    groups: Ints, *, n_folds: int, n_repeats: int, random_state: int, strata: Ints | None = None
) -> Folds:
    """Assign whole groups of rows to folds by scikit-learn's group splitters.

    Parameters and result are those of `k_fold_assignment`; `groups` holds the group of
    each row as an integer.  Classes are spread as evenly as whole groups allow.
    """
    from sklearn.model_selection import GroupKFold, StratifiedGroupKFold

    check_folds(len(np.unique(groups)), n_folds=n_folds, n_repeats=n_repeats, unit="groups")
    splitter = GroupKFold if strata is None else StratifiedGroupKFold
    folds = np.empty((n_repeats, len(groups)), dtype=np.int32)
    for repeat in range(n_repeats):
        seed = derive_seed(random_state, "group k-fold", n_folds, repeat)
        cv = splitter(n_splits=n_folds, shuffle=True, random_state=seed)
        for fold, (_, test) in enumerate(cv.split(groups, strata, groups)):
            folds[repeat, test] = fold
    return folds


def fold_assignment(
    n_samples: int,
    groups: Ints | None,
    *,
    n_folds: int,
    n_repeats: int,
    random_state: int,
    strata: Ints | None = None,
) -> Folds:
    """Return the folds of rows, whole groups of them where there are groups.

    Parameters and results are those of `k_fold_assignment` and `group_fold_assignment`.
    """
    asked = {"n_folds": n_folds, "n_repeats": n_repeats, "random_state": random_state}
    if groups is None:
        return k_fold_assignment(n_samples, strata=strata, **asked)
    return group_fold_assignment(groups, strata=strata, **asked)


def order_of_appearance(values: Ints) -> Ints:
    """Return the distinct values numbered by their first row, so that names play no part."""
    _, first, inverse = np.unique(values, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse.ravel()]


def check_folds(n_available: int, *, n_folds: int, n_repeats: int, unit: str) -> None:
    """Raise if the folds cannot be made from that many rows or groups."""
    check_number(
        n_repeats, "number of repeats", low=1, whole=True, way_out=f"Ask for '1x{n_folds}'."
    )
    if not 2 <= n_folds <= n_available:
        raise InvalidArgumentError(
            f"number of folds must be from 2 to the number of {unit} ({n_available}); "
            f"got {n_folds}. Ask for fewer folds, or for cv='holdout'."
        )
