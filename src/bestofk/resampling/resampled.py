"""Random resampling plans: hold-out and bootstrap."""

from __future__ import annotations

import numpy as np

from bestofk.array_types import Ints
from bestofk.errors import InvalidArgumentError
from bestofk.randomness import derive_rng, derive_seed
from bestofk.resampling.k_fold import order_of_appearance

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
        Rows, and how many hold-outs are drawn.
    test_size : float in (0, 1)
        Share of the rows (of the groups, if there are any) that is tested.
    random_state : int
        What all draws are derived from.
    strata, groups : ndarray of shape (n_samples,), int64, optional
        Classes to spread evenly (ignored where there are groups); groups to keep whole.

    Returns
    -------
    tuple of (ndarray, ndarray)
        Training and test rows of each repeat, ascending.

    Raises
    ------
    InvalidArgumentError
        If `test_size` is not inside (0, 1).
    """
    from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit, StratifiedShuffleSplit

    if not 0 < test_size < 1:
        raise InvalidArgumentError(
            f"test share of a hold-out must be inside (0, 1); got {test_size}. "
            "Write '30xholdout:0.33' for a third."
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
    """Draw as many rows as there are, with replacement; test the rows that were not drawn.

    With `strata` every class is drawn as often as it occurs; with `groups` whole groups
    are drawn.  A draw that leaves nothing to test is drawn again.

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
