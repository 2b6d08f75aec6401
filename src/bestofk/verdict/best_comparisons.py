"""Simultaneous upper bounds on the gap between each learner and the best of the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import stdtrit

from bestofk.array_types import Bools, Floats
from bestofk.errors import InvalidArgumentError
from bestofk.inference import PairedComparison
from bestofk.inference.checks import check_share, learner_names
from bestofk.verdict.ordering import Ordering, OrderingInput, Pick

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class BestComparisons:
    """Each learner against the best of the others.

    Parameters
    ----------
    names : tuple of str
        Learners.
    excess : ndarray of shape (n_learners,)
        Mean loss minus the lowest mean loss of the others: below 0 for the lowest alone.
    low, high : ndarray of shape (n_learners,)
        Bounds of the expected excess, at most 0 and at least 0; with probability 1 - alpha all
        of them hold.
    may_be_best : ndarray of shape (n_learners,), bool
        Learners that no other is shown to beat.
    alpha : float
        Probability that any bound fails.
    """

    names: tuple[str, ...]
    excess: Floats
    low: Floats
    high: Floats
    may_be_best: Bools
    alpha: float

    def to_frame(self) -> pd.DataFrame:
        """Return one row per learner.

        Returns
        -------
        DataFrame
            Columns learner, excess (mean loss above the best of the others), low, high,
            may_be_best.
        """
        import pandas as pd

        return pd.DataFrame(
            {
                "learner": self.names,
                "excess": self.excess,
                "low": self.low,
                "high": self.high,
                "may_be_best": self.may_be_best,
            }
        )


def comparisons_with_best(
    compared: PairedComparison, *, alpha: float = 0.05, names: Sequence[str] | None = None
) -> BestComparisons:
    """Bound the loss of each learner above that of the best of the others.

    If the standard errors are right, all bounds hold together with probability at least
    1 - alpha, and the best learner is among `may_be_best`.

    Parameters
    ----------
    compared : PairedComparison
        Of every ordered pair of learners, fields of shape (n_learners, n_learners), loss of the
        row minus loss of the column; by the corrected resampled t test as a rule.
    alpha : float in (0, 1), default=0.05
        Probability that any bound fails.
    names : sequence of str, optional
        Learners; "learner 1" and so on if left out.

    Returns
    -------
    BestComparisons
        A learner shown to be the only best has high = 0; one shown to be beaten has low = 0.
        One learner has no other: all its figures are 0. Pairs whose standard error is nan, since
        their differences do not vary, have bounds of infinite width.

    Raises
    ------
    InvalidArgumentError
        If the fields are not square, names do not fit, or `alpha` is not inside (0, 1).

    Notes
    -----
    Hsu's constrained multiple comparisons with the best [1]_, paired. With d_ij the mean
    difference, s_ij its standard error and c = t_{1 - alpha / (K - 1)}, let G hold every i with
    d_ij <= c s_ij for all j. Then low_i = min(0, max_{j != i} (d_ij - c s_ij)), and
    high_i = max(0, max_{j in G, j != i} (d_ij + c s_ij)), 0 if G holds i alone.

    Everything follows from K - 1 one-sided bounds: those of each other learner against the
    learner b that is truly best (any one of several). It is not known which it is, but whichever
    it is, only these K - 1 need to hold together, which Bonferroni's c grants under any
    dependence [2]_. On them b lies in G; for i other than b the true excess is that over b, so
    d_ib + c s_ib bounds it; and that of b is at most 0.

    References
    ----------
    .. [1] Hsu (1984), Constrained simultaneous confidence intervals for multiple comparisons
       with the best, Annals of Statistics 12(3).
    .. [2] Edwards & Hsu (1983), Multiple comparisons with the best treatment, Journal of the
       American Statistical Association 78(384).

    Examples
    --------
    >>> from bestofk.inference import Sampling, paired_test
    >>> from bestofk.inference.many_learners.pair_evidence import compare_all
    >>> losses = [[0.20, 0.30, 0.21], [0.22, 0.33, 0.21], [0.21, 0.32, 0.22], [0.23, 0.33, 0.24]]
    >>> sampling = Sampling("k-fold", 1, 4, n_train=75, n_test=25)
    >>> compared = compare_all(losses, paired_test("corrected-t"), sampling).compared
    >>> comparisons = comparisons_with_best(compared)
    >>> comparisons.may_be_best.tolist(), comparisons.high.round(3).tolist()
    ([True, False, True], [0.019, 0.134, 0.029])
    """
    level = check_share(alpha, "alpha")
    difference = np.asarray(compared.mean)
    k = difference.shape[-1] if difference.ndim else 0
    if difference.shape != (k, k) or k == 0:
        raise InvalidArgumentError(
            "compared of comparisons_with_best must hold every ordered pair of learners; got "
            f"fields of shape {difference.shape}. Compare all learners with one test."
        )
    others = ~np.eye(k, dtype=bool)
    quantile = float(stdtrit(compared.interval_df, 1 - level / max(k - 1, 1)))
    margin = quantile * np.nan_to_num(compared.standard_error, nan=np.inf)
    may_be_best = ~np.any(others & (difference > margin), axis=1)
    low = np.max(difference - margin, axis=1, where=others, initial=-np.inf)
    high = np.max(difference + margin, axis=1, where=others & may_be_best, initial=0.0)
    excess = np.max(difference, axis=1, where=others, initial=-np.inf)
    return BestComparisons(
        names=learner_names(names, k),
        excess=excess if k > 1 else np.zeros(1),
        low=np.minimum(low, 0.0) if k > 1 else np.zeros(1),
        high=high,
        may_be_best=np.asarray(may_be_best),
        alpha=level,
    )


def _pick(given: OrderingInput) -> Pick:
    comparisons = comparisons_with_best(given.compared, alpha=given.alpha)
    left = tuple(int(i) for i in np.flatnonzero(comparisons.may_be_best))
    if len(left) == 1:
        return Pick(left[0], "All others are significantly worse than the best.", may_be_best=left)
    farthest = max(float(comparisons.high[i]) for i in left)
    bound = f", each at most {farthest:.3g} above the best" if np.isfinite(farthest) else ""
    return Pick(None, f"May be best: {given.list_names(left)}{bound}.", may_be_best=left)


ORDERING = Ordering("with-the-best", "comparisons with the best", _pick)
