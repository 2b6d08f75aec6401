"""Nested cross-validation: interval of the expected loss of a learner, or of a difference."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from bestofk.array_types import Bools, Floats, Ints
from bestofk.checks import check_number
from bestofk.errors import DesignError
from bestofk.inference.checks import check_share
from bestofk.inference.results import IntervalResult
from bestofk.randomness import derive_rng

MIN_FOLDS = 3
AT_BOUND = (
    "The estimated standard error is outside the range that folds can cause, so the nearest bound "
    "is used. More repeats make it more precise."
)


@dataclass(frozen=True, eq=False)
class NestedCvLosses:
    """Losses of every row, by models that lack one fold or two.

    Parameters
    ----------
    fold_of_row : ndarray of shape (n_repeats, n_rows), int
        Fold of each row, from 0.
    outer : ndarray of shape (n_repeats, n_rows)
        Loss of each row by the model that lacks its fold.
    inner : ndarray of shape (n_repeats, n_folds, n_rows)
        Loss of each row by the model that lacks its fold and one more; nan where both are the
        same fold.
    """

    fold_of_row: Ints
    outer: Floats
    inner: Floats


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class NestedCvInterval(IntervalResult):
    """An interval of nested cross-validation.

    Parameters
    ----------
    bias : float
        Amount subtracted from the mean loss, because models lacked two folds.
    naive_standard_error : float
        The standard error if all losses were independent.
    inflation : float
        `standard_error` over `naive_standard_error`, from 1 to the root of the number of
        folds; nan where no loss varies.
    """

    bias: float
    naive_standard_error: float
    inflation: float


def nested_cv(
    fit_predict_loss: Callable[[Ints, Ints], ArrayLike],
    n_rows: int,
    n_folds: int,
    n_repeats: int,
    random_state: int,
) -> NestedCvLosses:
    """Train on all but one and all but two folds, and collect the losses of the rows left out.

    Parameters
    ----------
    fit_predict_loss : callable
        Takes rows to train on and rows to test on, returns one loss per row to test on; for two
        learners their difference. Called n_folds (n_folds + 1) / 2 times in each repeat.
    n_rows : int
        Rows of the data, at least two per fold.
    n_folds : int, at least 3
        Folds of each repeat; sizes differ by one row at most.
    n_repeats : int, at least 1
        Random divisions; hundreds make the interval steady.
    random_state : int
        Decides all divisions, each by its own number.

    Returns
    -------
    NestedCvLosses
        To be handed to `nested_cv_interval`.

    Raises
    ------
    InvalidArgumentError
        If a count is not allowed.
    DesignError
        If the callable returns another number of losses, or one that is not finite.

    Examples
    --------
    >>> y = np.arange(12.0)
    >>> losses = nested_cv(lambda train, test: (y[test] - y[train].mean()) ** 2, 12, 3, 2, 0)
    >>> losses.outer.shape, losses.inner.shape
    ((2, 12), (2, 3, 12))
    """
    _check_counts(n_rows, n_folds, n_repeats)
    fold_of_row = np.empty((n_repeats, n_rows), dtype=np.int64)
    outer = np.empty((n_repeats, n_rows))
    inner = np.full((n_repeats, n_folds, n_rows), np.nan)
    for repeat in range(n_repeats):
        order = derive_rng("nested_cv", random_state, repeat).permutation(n_rows)
        fold_of_row[repeat, order] = np.arange(n_rows) % n_folds
        rows = [np.flatnonzero(fold_of_row[repeat] == fold) for fold in range(n_folds)]
        for i, j in combinations_with_replacement(range(n_folds), 2):
            tested = rows[i] if i == j else np.concatenate([rows[i], rows[j]])
            train = np.flatnonzero(~np.isin(fold_of_row[repeat], (i, j)))
            result = np.asarray(fit_predict_loss(train, tested), dtype=float)
            if result.shape != tested.shape or not np.isfinite(result).all():
                raise DesignError(
                    f"losses of fit_predict_loss must be one finite number for each of the "
                    f"{len(tested)} rows to test on; got shape {result.shape}, "
                    f"{int((~np.isfinite(result)).sum())} not finite. Return one loss per row."
                )
            if i == j:
                outer[repeat, tested] = result
            else:
                of_i, of_j = np.split(result, [len(rows[i])])
                inner[repeat, j, rows[i]], inner[repeat, i, rows[j]] = of_i, of_j
    return NestedCvLosses(fold_of_row, outer, inner)


def _check_counts(n_rows: int, n_folds: int, n_repeats: int) -> None:
    counts = {
        "n_folds": (n_folds, MIN_FOLDS, "With 2 folds, leaving both out leaves none to train on."),
        "n_rows": (n_rows, 2 * n_folds, "Use fewer folds: each takes 2 rows."),
        "n_repeats": (n_repeats, 1, "Hundreds are better."),
    }
    for name, (count, least, way_out) in counts.items():
        check_number(count, f"{name} of nested_cv", low=least, whole=True, way_out=way_out)


def nested_cv_interval(losses: NestedCvLosses, *, level: float = 0.95) -> NestedCvInterval:
    """Return the expected loss with an interval that accounts for shared training rows.

    Parameters
    ----------
    losses : NestedCvLosses
        Of one learner, or differences of two.
    level : float in (0, 1), default=0.95
        Confidence.

    Returns
    -------
    NestedCvInterval
        An interval for the expected loss of a learner trained on all rows. Without any
        variance it has no width; flagged ``"zero_variance"``.

    Raises
    ------
    DesignError
        If the arrays do not fit together, hold fewer than 3 folds, a fold of one row, or a
        loss that is not finite.
    InvalidArgumentError
        If `level` is not inside (0, 1).

    Notes
    -----
    For each fold left out: a = (mean inner loss - mean outer loss of the fold)^2,
    b = variance of the outer losses / size of the fold; MSE = mean(a) - mean(b). The standard
    error is sqrt((K-1)/K MSE), kept between that of independent losses and sqrt(K) times it. The
    estimate is the mean inner loss less the bias (1 + (K-2)/K) (inner mean - outer mean) [1]_.
    DEVIATION: the program of the authors raises (K-2)/(K-1) to the power 1.5 instead; (K-2)/K is
    exact where the loss falls with 1 / rows, and what their R users have (mlr3inferr). Folds may
    differ by one row. When not to trust it: few repeats; losses with heavy tails.

    References
    ----------
    .. [1] Bates, Hastie & Tibshirani (2024), Cross-validation: what does it estimate and how
       well does it do it?, Journal of the American Statistical Association 119.

    Examples
    --------
    >>> y = np.arange(12.0)
    >>> losses = nested_cv(lambda train, test: (y[test] - y[train].mean()) ** 2, 12, 3, 50, 0)
    >>> result = nested_cv_interval(losses)
    >>> result.low < result.estimate < result.high
    True
    """
    level = check_share(level, "level")
    is_out, outer, inner = _checked(losses)
    n_folds, n_rows = inner.shape[1:]
    errors, noises = _errors_of_folds(is_out, outer, inner)
    all_inner = inner[~np.isnan(inner)]
    naive = float(all_inner.std(ddof=1)) / math.sqrt(n_rows)
    squared = (n_folds - 1) / n_folds * float(errors.mean() - noises.mean())
    free = math.sqrt(max(squared, 0.0))
    error = min(max(free, naive), math.sqrt(n_folds) * naive)
    mean = float(all_inner.mean())
    bias = (1 + (n_folds - 2) / n_folds) * (mean - float(outer.mean()))
    margin = float(ndtri((1 + level) / 2)) * error
    return NestedCvInterval(
        procedure="nested cross-validation interval",
        n=n_rows,
        estimate=mean - bias,
        low=mean - bias - margin,
        high=mean - bias + margin,
        level=level,
        standard_error=error,
        estimate_of="expected loss",
        bias=bias,
        naive_standard_error=naive,
        inflation=error / naive if naive > 0 else math.nan,
        assumptions=("Rows are independent.", "The estimate is roughly normal."),
        flags=() if naive > 0 else ("zero_variance",),
        warnings=(AT_BOUND,) if free != error else (),
    )


def _errors_of_folds(is_out: Bools, outer: Floats, inner: Floats) -> tuple[Floats, Floats]:
    """Return a and b of every fold left out, each of shape (n_repeats, n_folds)."""
    n_rows = inner.shape[2]
    sizes = is_out.sum(axis=-1)
    inner_mean = np.where(is_out, 0.0, inner).sum(axis=-1) / (n_rows - sizes)
    outer_mean = np.where(is_out, outer[:, None], 0.0).sum(axis=-1) / sizes
    centered = np.where(is_out, outer[:, None] - outer_mean[..., None], 0.0)
    variance = (centered**2).sum(axis=-1) / (sizes - 1)
    return (inner_mean - outer_mean) ** 2, variance / sizes


def _checked(losses: Any) -> tuple[Bools, Floats, Floats]:
    fold_of_row = np.asarray(losses.fold_of_row, dtype=np.int64)
    outer, inner = np.asarray(losses.outer, dtype=float), np.asarray(losses.inner, dtype=float)
    fits = (
        inner.ndim == 3
        and outer.shape == fold_of_row.shape == (inner.shape[0], inner.shape[2])
        and inner.shape[1] >= MIN_FOLDS
    )
    if not fits:
        raise DesignError(
            "losses of nested_cv_interval must be arrays of shapes (n_repeats, n_rows) twice and "
            f"(n_repeats, n_folds, n_rows) with at least {MIN_FOLDS} folds; got "
            f"{fold_of_row.shape}, {outer.shape}, {inner.shape}. Make them by nested_cv."
        )
    is_out = fold_of_row[:, None, :] == np.arange(inner.shape[1])[:, None]
    if is_out.sum(axis=-1).min() < 2:
        raise DesignError(
            "folds of nested_cv_interval must hold at least 2 rows each; got fewer. Use fewer "
            "folds."
        )
    bad = int((~np.isfinite(outer)).sum() + (~np.isfinite(inner) & ~is_out).sum())
    if bad:
        raise DesignError(
            f"losses of nested_cv_interval must be finite; got {bad} that are nan or infinite. "
            "Drop a failed model from both learners, or give it a loss."
        )
    return is_out, outer, inner
