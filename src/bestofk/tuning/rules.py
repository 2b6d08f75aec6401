"""Rules that choose a setting from its losses in inner cross-validation."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from bestofk.array_types import Floats
from bestofk.measures.ties import is_noise, tied_values

ANCHORED: Final = "anchored"
BEST: Final = "best"
RULES: Final = (ANCHORED, BEST)


def choose_setting(losses: Floats, default: int, n_folds: int, *, rule: str = ANCHORED) -> int:
    """Return the position of the setting to take.

    Parameters
    ----------
    losses : ndarray of shape (n_settings, n_inner), float64
        Smaller is better; a setting with nan is not taken, nor is an inner split in which the
        default has nan.
    default : int
        Position of the learner's own setting.
    n_folds : int
        Folds of the inner cross-validation, of which there may be several repeats.
    rule : {"anchored", "best"}, default="anchored"
        "best" takes the lowest mean, the first of equals, as `GridSearchCV` does. "anchored"
        leaves the default only for a setting that beats it by more than one standard error of
        the differences in inner splits, sd * sqrt(1 / n_inner + 1 / (n_folds - 1)): training rows
        overlap (Nadeau and Bengio 2003).

    Returns
    -------
    int
        The default where no setting has losses, or, of "anchored", where the differences do not
        spread; the best where the default has no losses.

    Examples
    --------
    >>> losses = np.array([[0.30, 0.31, 0.29, 0.33, 0.32], [0.29, 0.31, 0.30, 0.32, 0.31]])
    >>> choose_setting(losses, 0, 5), choose_setting(losses, 0, 5, rule="best")
    (0, 1)
    """
    is_known, has_default = np.isfinite(losses[default]), True
    if not is_known.any():
        is_known, has_default = np.isfinite(losses).any(axis=0), False
    if not is_known.any():
        return default
    losses = losses[:, is_known]
    with np.errstate(invalid="ignore"):
        means = losses.mean(axis=1)
    means[~np.isfinite(means)] = np.inf
    best = int(np.argmin(tied_values(means)))
    if rule == BEST or best == default or not has_default:
        return best
    n_inner = losses.shape[1]
    differences = losses[default] - losses[best]
    spread = differences.std(ddof=1) if n_inner > 1 else 0.0
    error = spread * math.sqrt(1 / n_inner + 1 / (n_folds - 1))
    is_flat = is_noise(error, np.abs(losses[[default, best]]).max())
    is_better = not is_flat and differences.mean() > error
    return best if is_better else default
