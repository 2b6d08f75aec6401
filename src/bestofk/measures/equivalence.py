"""Default region of practical equivalence of each measure."""

import numpy as np
from numpy.typing import ArrayLike

from bestofk.measures.measure import Measure

_POINT = 0.01
_SHARE_OF_LOSS = 0.02


def usual_rope(measure: Measure, losses: ArrayLike = ()) -> float:
    """Return half the width of the default region of practical equivalence.

    Parameters
    ----------
    measure : Measure
        The deciding measure.
    losses : array-like of shape (n_learners, n_scores), optional
        Losses of the learners that can be best, in the unit of the measure; nan where missing.

    Returns
    -------
    float
        0.01, one point, for measures with maximum 1 (shares, AUROC, R squared). Else 2% of the
        lowest mean loss, relative to perfect predictions; 0 if no loss is known, or no prediction
        is perfect.

    Examples
    --------
    >>> from bestofk.measures import get_measure
    >>> usual_rope(get_measure("error", task="classification", classes=[0, 1]))
    0.01
    >>> rmse = get_measure("rmse", task="regression", classes=[])
    >>> usual_rope(rmse, [[36_000.0, 34_000.0], [41_000.0, float("nan")]]), usual_rope(rmse)
    (700.0, 0.0)
    """
    if measure.maximum == 1:
        return _POINT
    return _SHARE_OF_LOSS * lowest_above_perfect(measure, losses)


def lowest_above_perfect(measure: Measure, losses: ArrayLike) -> float:
    """Return the lowest mean loss of the learners, relative to perfect predictions.

    Parameters are those of `usual_rope`; 0 if no loss is known, or no prediction is perfect.

    Examples
    --------
    >>> from bestofk.measures import get_measure
    >>> accuracy = get_measure("accuracy", task="classification", classes=[0, 1])
    >>> lowest_above_perfect(accuracy, [[-0.75, -0.75], [-0.5, float("nan")]])
    0.25
    """
    best = -measure.maximum if measure.greater_is_better else measure.minimum
    rows = [row[~np.isnan(row)] for row in np.asarray(losses, dtype=float)]
    means = [row.mean() for row in rows if len(row)]
    return float(min(means) - best) if means and np.isfinite(best) else 0.0
