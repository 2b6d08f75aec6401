"""Figures of claims whose truth is known: shares, scores and their intervals."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from bestofk.calibration.claim_case import ClaimCase, LearnerClaim
from bestofk.inference.one_test_set.proportions import wilson_limits

_LEVEL: Final = 0.95  # of the intervals of measured figures
_Z: Final = 1.959963984540054
_SURE: Final = 1 - 1 / 4000  # of 2,000 draws all agree: no probability of 1


@dataclass(frozen=True)
class ClaimFigures:
    """Figures of some claims; nan where there are none.

    Parameters
    ----------
    n_claims : int
        Number of claims.
    stated, true : float
        Mean stated probability, and share of learners that were that near to the best.
    true_low, true_high : float
        95% interval of the true share.
    too_high, too_high_low, too_high_high : float
        Stated minus true, with its 95% interval if the claims are right.
    brier, brier_of_share : float
        Mean squared distance of stated probability and outcome, and what it had been if the true
        share had been stated each time.
    log_score : float
        Mean of minus the logarithm of the probability stated for what came true.
    stated_regret, true_regret : float
        Mean loss above that of the best, in the unit of the measure.
    inside, above, below : float
        Shares of true error rates inside their stated interval, above and below it.
    inside_low, inside_high : float
        95% interval of the share inside.
    """

    n_claims: int
    stated: float
    true: float
    true_low: float
    true_high: float
    too_high: float
    too_high_low: float
    too_high_high: float
    brier: float
    brier_of_share: float
    log_score: float
    stated_regret: float
    true_regret: float
    inside: float
    above: float
    below: float
    inside_low: float
    inside_high: float

    def to_dict(self) -> dict[str, Any]:
        """Return the figures by their names."""
        return asdict(self)


def claim_figures(claims: Sequence[tuple[ClaimCase, LearnerClaim]], within: float) -> ClaimFigures:
    """Return the figures of some claims.

    Parameters
    ----------
    claims : sequence of (ClaimCase, LearnerClaim)
        With stated probabilities and truth.
    within : float
        One of the distances of the cases.

    Returns
    -------
    ClaimFigures
        Intervals hold data sets together, where there are several; subsamples of one data set
        count each for itself.
    """
    n = len(claims)
    if not n:
        return ClaimFigures(0, *[np.nan] * 17)
    stated = np.array([case.stated(within, claim) for case, claim in claims])
    is_true = np.array([case.is_within(within, claim) for case, claim in claims], dtype=float)
    columns = [(c.expected_regret, c.true_regret, c.error_low, c.error_high, c.true_loss)
               for _, c in claims]  # fmt: skip
    regret, true_regret, low, high, loss = np.array(columns, dtype=float).T
    groups = groups_of([case for case, _ in claims])
    is_inside = ((low <= loss) & (loss <= high)).astype(float)
    share = float(is_true.mean())
    error = max(
        standard_error(stated - is_true, groups), float(np.sqrt((stated * (1 - stated)).sum()) / n)
    )
    margin = error * float(stdtrit(max(len(set(groups)) - 1, 1), (1 + _LEVEL) / 2))
    gap = float(stated.mean()) - share
    of_outcome = np.where(is_true == 1, stated, 1 - stated).clip(1 - _SURE, _SURE)
    return ClaimFigures(
        n,
        float(stated.mean()),
        share,
        *share_interval(is_true, groups),
        gap,
        gap - margin,
        gap + margin,
        float(((stated - is_true) ** 2).mean()),
        share * (1 - share),
        float(-np.log(of_outcome).mean()),
        float(regret.mean()),
        float(true_regret.mean()),
        float(is_inside.mean()),
        float((loss > high).mean()),
        float((loss < low).mean()),
        *share_interval(is_inside, groups),
    )


def groups_of(cases: Sequence[ClaimCase]) -> list[Hashable]:
    """Return what cases are not independent: data sets, or subsamples where there is one.

    Examples
    --------
    >>> groups_of([])
    []
    """
    if len({case.name for case in cases}) > 1:
        return [case.name for case in cases]
    return [(case.n_rows, case.number) for case in cases]


def standard_error(values: ArrayLike, groups: Sequence[Hashable]) -> float:
    """Return the standard error of a mean whose values are alike within groups.

    This is what a bootstrap over groups tends to.

    Parameters
    ----------
    values : array-like of shape (n,), float
        Numbers.
    groups : sequence of n
        The group of each.

    Returns
    -------
    float
        nan for a single group.

    Examples
    --------
    >>> standard_error([1, 1, 0, 0], ["a", "a", "b", "b"])
    0.5
    >>> standard_error([1, 1, 0, 0], [0, 1, 2, 3]).__round__(4)
    0.2887
    """
    array = np.asarray(values, dtype=float)
    names = {name: index for index, name in enumerate(dict.fromkeys(groups))}
    if len(names) < 2:
        return float("nan")
    sums = np.bincount([names[name] for name in groups], array - array.mean())
    return float(np.sqrt((sums**2).sum() * len(names) / (len(names) - 1)) / len(array))


def share_interval(outcomes: ArrayLike, groups: Sequence[Hashable]) -> tuple[float, float]:
    """Return the 95% interval of a share whose outcomes are alike within groups.

    Wilson's interval for as many independent outcomes as give the same standard error; as many
    as there are groups where all outcomes are the same, so that it always has a width.

    Parameters
    ----------
    outcomes : array-like of shape (n,), float
        0 or 1.
    groups : sequence of n
        The group of each.

    Returns
    -------
    tuple of two floats
        From 0 to 1.

    References
    ----------
    .. [1] Wilson (1927), Probable inference, the law of succession, and statistical inference,
       Journal of the American Statistical Association 22.

    Examples
    --------
    >>> low, high = share_interval([1.0] * 20, range(20))
    >>> round(low, 3), high
    (0.839, 1.0)
    """
    array = np.asarray(outcomes, dtype=float)
    share, error = float(array.mean()), standard_error(array, groups)
    n_effective = float(len(set(groups)))
    if error > 0:
        n_effective = min(len(array), max(share * (1 - share) / error**2, 1.0))
    low, high = wilson_limits(share, n_effective, _Z)
    return float(low), float(high)
