"""Rows of splits drawn at random: folds, hold-outs and bootstrap samples, of rows or groups."""

import numpy as np

from bestofk.array_types import Floats, Folds, Ints
from bestofk.checks import check_number
from bestofk.errors import InvalidArgumentError
from bestofk.randomness import derive_rng, derive_seed

_CACHED_KEYS = 1 << 15  # of several repeats, sorted together


def k_fold_assignment(
    n_samples: int, *, n_folds: int, n_repeats: int, random_state: int, strata: Ints | None = None
) -> Folds:
    """Assign every row to a fold, independently in every repeat.

    Rows are shuffled within their stratum, the strata are concatenated, and the rows are dealt to
    the folds in turn: fold sizes differ by at most one, and so do the counts of each stratum.  A
    repeat depends only on `random_state`, `n_folds` and its own number, so more repeats do not
    change earlier ones.

    Parameters
    ----------
    n_samples : int
        Number of rows.
    n_folds, n_repeats : int
        Number of folds in a repeat, and of repeats.
    random_state : int
        Seed of all draws.
    strata : ndarray of shape (n_samples,), int64, optional
        Stratum of each row; the numbers themselves do not matter.

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
    n_together = max(1, _CACHED_KEYS // n_samples)
    for first in range(0, n_repeats, n_together):
        some = folds[first : first + n_together]
        keys = np.empty(some.shape)
        for repeat, row in enumerate(keys, first):
            derive_rng(random_state, kind, n_folds, repeat).random(out=row)
        if order is not None:
            keys += order
        np.put_along_axis(some, _stable_order(keys), dealt[None], axis=1)
    return folds


def _stable_order(keys: Floats) -> Ints:
    """Return the stable order of keys in each row that rarely tie, faster than a stable sort."""
    order = np.argsort(keys, axis=1)
    ordered = np.take_along_axis(keys, order, axis=1)
    if (ordered[:, 1:] == ordered[:, :-1]).any():
        return np.argsort(keys, axis=1, kind="stable")
    return order


def group_fold_assignment(
    groups: Ints, *, n_folds: int, n_repeats: int, random_state: int, strata: Ints | None = None
) -> Folds:
    """Assign whole groups of rows to folds by scikit-learn's group splitters.

    Parameters and result are those of `k_fold_assignment`; `groups` is the group of each row as an
    integer.  Classes are spread as evenly as whole groups allow.
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
    """Return the fold of each row, keeping groups whole if there are groups.

    Parameters and results are those of `k_fold_assignment` and `group_fold_assignment`.
    """
    asked = {"n_folds": n_folds, "n_repeats": n_repeats, "random_state": random_state}
    if groups is None:
        return k_fold_assignment(n_samples, strata=strata, **asked)
    return group_fold_assignment(groups, strata=strata, **asked)


def order_of_appearance(values: Ints) -> Ints:
    """Return the values numbered in order of appearance, so that names do not matter."""
    _, first, inverse = np.unique(values, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse.ravel()]


def check_folds(n_available: int, *, n_folds: int, n_repeats: int, unit: str) -> None:
    """Raise if there are not enough rows or groups for the folds."""
    check_number(n_repeats, "number of repeats", low=1, whole=True, way_out=f"Use '1x{n_folds}'.")
    if not 2 <= n_folds <= n_available:
        raise InvalidArgumentError(
            f"number of folds must be from 2 to the number of {unit} ({n_available}); "
            f"got {n_folds}. Use fewer folds, or cv='holdout'."
        )


Rows = tuple[Ints, Ints]


def hold_out_rows(
    n_samples: int,
    *,
    n_repeats: int,
    test_size: float,
    random_state: int,
    strata: Ints | None = None,
    groups: Ints | None = None,
) -> tuple[Rows, ...]:
    """Draw a test set in every repeat by scikit-learn's shuffle splitters.

    Parameters
    ----------
    n_samples, n_repeats : int
        Number of rows, and of hold-outs to draw.
    test_size : float in (0, 1)
        Share of the rows (or groups, if there are any) to test.
    random_state : int
        Seed of all draws.
    strata, groups : ndarray of shape (n_samples,), int64, optional
        Classes to spread evenly (ignored if there are groups); groups to keep whole.

    Returns
    -------
    tuple of (ndarray, ndarray)
        Training and test rows of each repeat, ascending.

    Raises
    ------
    InvalidArgumentError
        If `test_size` is not within (0, 1).
    """
    from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit, StratifiedShuffleSplit

    way_out = "Write '30xholdout:0.33' for a third."
    check_number(
        test_size, "test share of a hold-out", low=0, high=1, is_open="both", way_out=way_out
    )
    splitter = GroupShuffleSplit if groups is not None else StratifiedShuffleSplit
    if groups is None and strata is None:
        splitter = ShuffleSplit
    draws = []
    for repeat in range(n_repeats):
        seed = derive_seed(random_state, "hold-out", test_size, repeat)
        cv = splitter(n_splits=1, test_size=test_size, random_state=seed)
        try:
            train, test = next(cv.split(np.empty(n_samples), strata, groups))
        except ValueError as error:
            raise InvalidArgumentError(
                f"a hold-out must leave rows of every class on both sides; got {n_samples} rows "
                f"and a test share of {test_size} ({error}). Change the share or do not stratify."
            ) from error
        draws.append((np.sort(train).astype(np.int64), np.sort(test).astype(np.int64)))
    return tuple(draws)


def bootstrap_rows(
    n_samples: int,
    *,
    n_repeats: int,
    random_state: int,
    strata: Ints | None = None,
    groups: Ints | None = None,
) -> tuple[Rows, ...]:
    """Draw bootstrap samples of all rows; test the rows that were not drawn.

    With `strata` every class keeps its number of rows; with `groups` whole groups are drawn.  A
    sample that leaves no row to test is drawn again.

    References
    ----------
    .. [1] Efron & Tibshirani (1993), An Introduction to the Bootstrap, Chapman & Hall.
    """
    draws = []
    for repeat in range(n_repeats):
        rng = derive_rng(random_state, "bootstrap", repeat)
        test = np.empty(0, dtype=np.int64)
        while not len(test):
            train = np.sort(_draw(rng, n_samples, strata, groups))
            test = np.setdiff1d(np.arange(n_samples), train)
        draws.append((train, test))
    return tuple(draws)


def _draw(
    rng: np.random.Generator, n_samples: int, strata: Ints | None, groups: Ints | None
) -> Ints:
    if groups is not None:
        names = order_of_appearance(groups)
        drawn = rng.integers(names.max() + 1, size=names.max() + 1)
        return np.concatenate([np.flatnonzero(names == group) for group in drawn])
    if strata is None:
        return rng.integers(n_samples, size=n_samples)
    names = order_of_appearance(strata)
    parts = [np.flatnonzero(names == stratum) for stratum in range(names.max() + 1)]
    return np.concatenate([rng.choice(part, size=len(part)) for part in parts])
