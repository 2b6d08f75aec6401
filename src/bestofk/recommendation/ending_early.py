"""Check whether a learner may still beat the best mean loss when some folds are finished."""

from __future__ import annotations

import math

import numpy as np

from bestofk.array_types import Floats
from bestofk.measures.ties import at_most

_LEAST_FOLDS = 3
_LEVEL = 0.01  # of the one-sided t test over folds


def can_win(losses: Floats, best_losses: Floats, *, lowest_loss: float) -> bool:
    """Return whether a learner may still get a lower mean loss than the best so far.

    Parameters
    ----------
    losses : ndarray of shape (n_folds,)
        Of the learner; nan where a fold is not done.
    best_losses : ndarray of shape (n_folds,)
        Of the best so far; folds where it has none, being nan, do not count.
    lowest_loss : float
        What a faultless fold gives; minus infinity where there is no bound.

    Returns
    -------
    bool
        False if even faultless folds would not suffice, or if at least three folds are worse
        by a one-sided t test at 0.01.

    Examples
    --------
    >>> best = np.full(10, 0.1)
    >>> can_win(np.array([0.4, 0.4, 0.4] + [np.nan] * 7), best, lowest_loss=0.0)
    False
    >>> can_win(np.array([0.2, 0.1, 0.1] + [np.nan] * 7), best, lowest_loss=0.0)
    True
    """
    from scipy.stats import t as student

    counts = ~np.isnan(best_losses)
    losses, best_losses = losses[counts], best_losses[counts]
    is_done = ~np.isnan(losses)
    scale = np.abs(best_losses).max(initial=0.0)
    least = np.where(is_done, losses, lowest_loss).sum()
    if not at_most(least, best_losses.sum(), len(losses) * scale):
        return False
    differences = losses[is_done] - best_losses[is_done]
    n = len(differences)
    if n < _LEAST_FOLDS:
        return True
    error = differences.std(ddof=1) / math.sqrt(n)
    return bool(at_most(differences.mean(), student.ppf(1 - _LEVEL, n - 1) * error, scale))
