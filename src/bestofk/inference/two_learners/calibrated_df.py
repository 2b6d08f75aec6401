"""Calibration of df for t tests on repeated cross-validation, so that they keep their level."""

from __future__ import annotations

import numpy as np
from scipy.special import stdtrit

from bestofk.checks import nearest_name
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference.student import Floats, check_share
from bestofk.randomness import derive_rng

SCHEMES = ("use-all-data", "sorted-runs", "fold-averages", "run-averages")
N_SIMULATIONS = 20_000
_CHUNK = 1_000
_LOWEST, _HIGHEST = 0.05, 1e6


def check_scheme(scheme: str) -> str:
    """Return the name of a scheme; underscores do for hyphens.

    Parameters
    ----------
    scheme : str
        One of `SCHEMES`.

    Returns
    -------
    str
        As this package writes it.

    Raises
    ------
    InvalidArgumentError
        If there is no such scheme.
    """
    key = str(scheme).replace("_", "-")
    if key not in SCHEMES:
        raise InvalidArgumentError(
            f"scheme must be one of {len(SCHEMES)}; got {scheme!r}. " + nearest_name(key, SCHEMES)
        )
    return key


def scheme_values(differences: Floats, scheme: str) -> Floats:
    """Return the values on which the t test of a scheme works.

    Parameters
    ----------
    differences : ndarray of shape (..., n_repeats, n_folds)
        First minus second.
    scheme : str
        "use-all-data": all differences. "sorted-runs": those of each run (repeat) are sorted,
        then averaged over runs place by place. "fold-averages": one mean per fold number,
        "run-averages": one mean per run.

    Returns
    -------
    ndarray of shape (..., n_values)
        n_values is n_repeats n_folds, n_folds, n_folds or n_repeats.
    """
    if scheme == "sorted-runs":
        return np.asarray(np.sort(differences, axis=-1).mean(axis=-2))
    if scheme == "fold-averages":
        return np.asarray(differences.mean(axis=-2))
    if scheme == "run-averages":
        return np.asarray(differences.mean(axis=-1))
    return differences.reshape(*differences.shape[:-2], -1)


def calibrate_df(
    scheme: str,
    n_repeats: int,
    n_folds: int,
    *,
    alpha: float = 0.05,
    correlation: float | None = None,
    random_state: int = 0,
) -> float:
    """Return degrees of freedom with which a scheme keeps its level under a simple model.

    The model: differences are normal, and any two of them, of the same run or not, have one
    correlation. Bouckaert [1]_ calibrated by simulated data sets and real learners; this model
    gives 9.6 where 10 was published (10 repeats of 10 folds, all data).

    Parameters
    ----------
    scheme : {"use-all-data", "sorted-runs", "fold-averages", "run-averages"}
        How the differences enter the test.
    n_repeats, n_folds : int
        Runs, at least 1, and folds of each, at least 2.
    alpha : float in (0, 1), default=0.05
        Two-sided level that is to be kept.
    correlation : float in [0, 1), optional
        Of two differences; 1 / n_folds, the share of the test rows, if left out.
    random_state : int, default=0
        For "sorted-runs", which is simulated 20,000 times; the others are solved exactly.

    Returns
    -------
    float
        To be handed to `calibrated_t_test` as `df`; not an integer as a rule.

    Raises
    ------
    InvalidArgumentError
        If the scheme is unknown or a number is not allowed.
    DesignError
        If the scheme leaves fewer than two values.

    Notes
    -----
    With all data the calibrated test rejects at `alpha` exactly when the corrected resampled
    t test does: both rest on the same correlation. When not to trust it: the correlation is a
    rule of thumb, unstable learners have another; at other levels than `alpha` the calibration
    is only near.

    References
    ----------
    .. [1] Bouckaert (2003), Choosing between two learning algorithms based on calibrated
       tests, ICML.

    Examples
    --------
    >>> round(calibrate_df("use-all-data", 10, 10), 2)
    9.55
    """
    scheme, alpha = check_scheme(scheme), check_share(alpha, "alpha")
    check_shape(scheme, n_repeats, n_folds)
    rho = 1 / n_folds if correlation is None else float(correlation)
    if not 0 <= rho < 1:
        raise InvalidArgumentError(
            f"correlation of calibrate_df must be at least 0 and below 1; got {correlation}. "
            "Leave it out for 1 / n_folds."
        )
    if scheme == "sorted-runs":
        ratio = _simulated_ratio(n_repeats, n_folds, rho, alpha, random_state)
    else:
        averaged = {"use-all-data": 1, "fold-averages": n_repeats, "run-averages": n_folds}
        n_values = n_repeats * n_folds // averaged[scheme]
        # correlation / (1 - correlation) of the values grows with what they average
        odds = averaged[scheme] * rho / (1 - rho)
        ratio = float(stdtrit(n_values - 1, 1 - alpha / 2)) * np.sqrt(1 / n_values + odds)
    return _solve(ratio, alpha)


def check_shape(scheme: str, n_repeats: int, n_folds: int) -> None:
    """Raise unless repeats and folds leave a scheme at least two values.

    Parameters
    ----------
    scheme : str
        One of `SCHEMES`.
    n_repeats, n_folds : int
        Shape of the scores.

    Raises
    ------
    DesignError
        If there are fewer.
    """
    if n_folds < 2 or n_repeats < 1:
        raise DesignError(
            "scores of a calibrated t test must be at least 1 repeat (row) of 2 folds (columns); "
            f"got {n_repeats} of {n_folds}. Use corrected-t for repeated hold-out."
        )
    if scheme == "run-averages" and n_repeats < 2:
        raise DesignError(
            "scores of a calibrated t test on run-averages must be at least 2 repeats; got "
            f"{n_repeats}. Use use-all-data."
        )


def _simulated_ratio(
    n_repeats: int, n_folds: int, rho: float, alpha: float, random_state: int
) -> float:
    """Return the value that |mean| / sd of sorted runs exceeds with probability `alpha`."""
    rng = derive_rng("calibrate_df", random_state, n_repeats, n_folds)
    ratios = []
    for _ in range(N_SIMULATIONS // _CHUNK):
        own = rng.standard_normal((_CHUNK, n_repeats, n_folds))
        shared = rng.standard_normal((_CHUNK, 1, 1))
        values = scheme_values(np.sqrt(rho) * shared + np.sqrt(1 - rho) * own, "sorted-runs")
        ratios.append(np.abs(values.mean(axis=-1)) / values.std(axis=-1, ddof=1))
    return float(np.quantile(np.concatenate(ratios), 1 - alpha))


def _solve(ratio: float, alpha: float) -> float:
    """Return the df with t_df / sqrt(df + 1) = ratio; the left side falls with df."""
    low, high = np.log(_LOWEST), np.log(_HIGHEST)
    for _ in range(100):
        middle = (low + high) / 2
        df = np.exp(middle)
        if stdtrit(df, 1 - alpha / 2) / np.sqrt(df + 1) > ratio:
            low = middle
        else:
            high = middle
    return float(np.exp((low + high) / 2))
