"""DeLong's test of the areas under two ROC curves on one test set."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bestofk.array_types import Bools, Floats
from bestofk.errors import DesignError
from bestofk.inference.catalogue_entry import Procedure
from bestofk.inference.cautions import Caution
from bestofk.inference.checks import check_alternative
from bestofk.inference.many_data_sets.ranks import mid_ranks
from bestofk.inference.one_test_set.rows import FIXED_MODELS, OWN_ROWS, paired_rows
from bestofk.inference.results import HypothesisTestResult
from bestofk.inference.student import normal_p_value, normal_quantile, z_statistic
from bestofk.inference.two_learners.paired_test import not_equal
from bestofk.measures.ties import is_noise

# A standard error of an area (at most 1) below this is rounding noise.


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DeLongResult(HypothesisTestResult):
    """The outcome of DeLong's test.

    Parameters
    ----------
    areas : tuple of two floats
        Area under the ROC curve of each learner.
    variances : tuple of two floats
        Of the areas.
    covariance : float
        Of the areas.
    n_positive, n_negative : int
        Rows of each class.
    """

    areas: tuple[float, float]
    variances: tuple[float, float]
    covariance: float
    n_positive: int
    n_negative: int

    def area_interval(self, learner: int, level: float = 0.95) -> tuple[float, float]:
        """Return the limits of the area of one learner, by the normal distribution, cut to [0, 1].

        Parameters
        ----------
        learner : {0, 1}
            The first or the second.
        level : float in (0, 1), default=0.95
            Confidence.

        Returns
        -------
        low, high : float
            Two-sided, whatever the side of the test.

        Raises
        ------
        InvalidArgumentError
            If `level` is not inside (0, 1).
        """
        margin = normal_quantile(level) * math.sqrt(self.variances[learner])
        area = self.areas[learner]
        return max(0.0, area - margin), min(1.0, area + margin)


def delong_test(
    is_positive: ArrayLike, a: ArrayLike, b: ArrayLike, *, alternative: str = "two-sided"
) -> DeLongResult:
    """Compare the areas under the ROC curves of two fitted classifiers on one test set.

    Null hypothesis: both areas are the same (two-sided), or that of the first is no greater
    ("greater") or no smaller ("less"). Design: paired, both score the same rows.

    Parameters
    ----------
    is_positive : array-like of shape (n_rows,), bool or 0 and 1
        Class of every row.
    a, b : array-like of shape (n_rows,), float
        How strongly the first and the second model take the row for positive; any unit, ties
        count one half.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What is to be shown about the area of a minus that of b.

    Returns
    -------
    DeLongResult
        Statistic z, standard normal. Where the difference has no variance: statistic 0 and p value
        1 if there is no difference either, else inf or -inf and 0 (1 on the wrong side);
        flagged ``"zero_variance"``.

    Raises
    ------
    DesignError
        If scores do not pair or are not finite, classes are not 0 and 1, or a class has fewer
        than two rows.
    InvalidArgumentError
        If `alternative` is unknown.

    Notes
    -----
    V10 of a positive row is the share of negative rows that it beats, V01 of a negative row
    the share of positive rows that beat it; the area is the mean of either, and its variance
    var(V10)/n_positive + var(V01)/n_negative [1]_. Made from midranks in O(n log n) [2]_.
    When not to trust it: scores of several folds pooled, which are on different scales.

    References
    ----------
    .. [1] DeLong, DeLong & Clarke-Pearson (1988), Comparing the areas under two or more
       correlated receiver operating characteristic curves, Biometrics 44.
    .. [2] Sun & Xu (2014), Fast implementation of DeLong's algorithm for comparing the areas
       under correlated receiver operating characteristic curves, IEEE Signal Processing
       Letters 21.

    Examples
    --------
    >>> is_positive = [1, 1, 1, 0, 0, 0]
    >>> result = delong_test(is_positive, [9, 8, 4, 5, 2, 1], [7, 3, 6, 8, 5, 2])
    >>> print(np.round(result.areas, 3), round(result.p_value, 3))
    [0.889 0.556] 0.221
    """
    side = check_alternative(alternative)
    positive = check_classes(is_positive, "is_positive of delong_test", n_least=2)
    first, second = paired_rows(a, b, "scores of delong_test")
    if len(positive) != len(first):
        raise DesignError(
            f"scores of delong_test must be one per row ({len(positive)} rows have a class); got "
            f"{len(first)}. Score the rows of one test set."
        )
    components = [_components(positive, scores) for scores in (first, second)]
    v10, v01 = (np.array(of_both) for of_both in zip(*components, strict=True))
    n_positive, n_negative = v10.shape[1], v01.shape[1]
    areas = v10.mean(axis=1)
    covariances = np.cov(v10) / n_positive + np.cov(v01) / n_negative
    difference = float(areas[0] - areas[1])
    # From the differences of the components: learners that rank alike have exactly 0.
    variance = np.diff(v10, axis=0).var(ddof=1) / n_positive
    variance += np.diff(v01, axis=0).var(ddof=1) / n_negative
    standard_error = float(np.sqrt(variance))
    is_zero = bool(is_noise(standard_error, 1.0))
    if is_zero:
        standard_error = 0.0
    z = z_statistic(0.0 if is_zero and is_noise(difference, 1.0) else difference, standard_error)
    p_value = 1.0 if is_zero and z == 0 else normal_p_value(z, side)
    return DeLongResult(
        procedure="DeLong test of two areas under the ROC curve",
        statistic=z,
        p_value=p_value,
        alternative=side,
        estimate=difference,
        standard_error=standard_error,
        n=len(positive),
        symbol="z",
        estimate_of="difference of areas",
        n_of="rows",
        distribution="normal",
        assumptions=(FIXED_MODELS, OWN_ROWS),
        flags=("zero_variance",) if is_zero else (),
        warnings=((_NO_VARIANCE,) if is_zero else ()) + not_equal(p_value, side),
        areas=(float(areas[0]), float(areas[1])),
        variances=(float(covariances[0, 0]), float(covariances[1, 1])),
        covariance=float(covariances[0, 1]),
        n_positive=n_positive,
        n_negative=n_negative,
    )


_NO_VARIANCE = Caution(
    "degenerate",
    "The difference of the areas has no variance, so statistic and p value are limits and no "
    "evidence.",
)
PROCEDURE = Procedure(
    name="delong",
    title="DeLong test",
    question="Do the areas under the ROC curves of two fitted classifiers differ on one test set?",
    takes="two-rankings",
    run=delong_test,
    aliases=("roc", "delong-roc"),
)


def check_classes(is_positive: Any, what: str, *, n_least: int) -> Bools:
    """Return which rows are positive, or raise if a class is missing.

    Parameters
    ----------
    is_positive : array-like of shape (n_rows,), bool or 0 and 1
        Class of every row.
    what : str
        Its name in the error message.
    n_least : int
        Fewest rows of each class.

    Returns
    -------
    ndarray of shape (n_rows,), bool
        The same.

    Raises
    ------
    DesignError
        If there is another value, or a class has too few rows.
    """
    values = np.asarray(is_positive)
    if values.ndim != 1 or not np.isin(values, (0, 1)).all():
        raise DesignError(
            f"{what} must be true or false (1 or 0) for every row; got shape {values.shape} with "
            f"values {', '.join(map(str, np.unique(values.astype(str))[:3]))}. ROC curves are for "
            "two classes: say which one is positive."
        )
    positive = values.astype(bool)
    counts = int(positive.sum()), int((~positive).sum())
    if min(counts) < n_least:
        raise DesignError(
            f"{what} must have at least {n_least} rows of each class; got {counts[0]} positive and "
            f"{counts[1]} negative. Without both classes there is no ROC curve: test on more rows."
        )
    return positive


def _components(positive: Bools, scores: Floats) -> tuple[Floats, Floats]:
    """Return V10 of the positive rows and V01 of the negative ones."""
    among_all, of_positive, of_negative = map(
        mid_ranks, (scores, scores[positive], scores[~positive])
    )
    v10 = (among_all[positive] - of_positive) / len(of_negative)
    v01 = 1 - (among_all[~positive] - of_negative) / len(of_positive)
    return v10, v01
