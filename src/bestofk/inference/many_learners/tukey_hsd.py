"""Tukey's test of all pairs of K learners, with simultaneous intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from bestofk.inference.catalogue_entry import Procedure
from bestofk.inference.many_learners.range_test import RangeMethod, RangeTestResult, range_test
from bestofk.inference.sampling import Sampling
from bestofk.inference.student import Floats, check_share
from bestofk.inference.studentized_range import studentized_range_quantile

TITLE = "Tukey test of all pairs"
FAMILY = "Tukey's method holds the level for the family."
METHOD = RangeMethod("tukey_hsd_test", TITLE, "Tukey", FAMILY, by_all_means=True)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TukeyResult(RangeTestResult):
    """The outcome of Tukey's test, with simultaneous intervals of all differences."""

    def confidence_interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return the limits of all differences, which hold together.

        Parameters
        ----------
        level : float in (0, 1), default=0.95
            Probability that all intervals cover.

        Returns
        -------
        low, high : ndarray of shape (n_learners, n_learners)
            For the first (row) minus the second (column); nan on the diagonal.

        Raises
        ------
        InvalidArgumentError
            If `level` is not inside (0, 1).
        """
        margin = self._margin(1 - check_share(level, "level"))
        return self.estimate - margin, self.estimate + margin

    def _margin(self, alpha: float) -> float:
        """Return the difference of two means that is significant in the family of all pairs."""
        quantile = studentized_range_quantile(len(self.names), self.df, alpha=alpha)
        return quantile * float(np.sqrt(self.ms_error / self.n))


def tukey_hsd_test(
    scores: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    sampling: Sampling | None = None,
    alpha: float = 0.05,
    greater_is_better: bool = False,
) -> TukeyResult:
    """Test all pairs of K learners together, by the range of all K means.

    Null hypothesis of each pair: both learners have the same expected score.

    Parameters
    ----------
    scores : array-like of shape (n_splits, n_learners), float
        Scores or losses of at least 2 learners on the same, at least 2, splits, in any unit.
    names : sequence of str, optional
        Learners; "learner 1" and so on if left out. With more learners than splits they are
        needed, so that no table is read on its side.
    sampling : Sampling, optional
        How the splits were made, for the warning about overlap; one run of k-fold if left out.
    alpha : float in (0, 1), default=0.05
        Level of `critical_difference` and `underlines`.
    greater_is_better : bool, default=False
        Decides which end of the order comes first; the pairs are the same.

    Returns
    -------
    TukeyResult
        `p_value` of each pair alone (t test with the common variance), `p_adjusted` in the
        family; `confidence_interval` is simultaneous. If the scores of no learner vary,
        p values are 0 between different means and 1 between the same, flagged
        ``"zero_variance"``.

    Raises
    ------
    DesignError
        If it is no regular table of finite numbers, or there are fewer than 2 learners or splits.
    InvalidArgumentError
        If names do not fit or `alpha` is not inside (0, 1).

    Notes
    -----
    q = abs(m_j - m_i) sqrt(L / MSE), compared with the studentized range of all K means and
    K (L - 1) degrees of freedom [1]_. When not to trust it: on shared splits with overlapping
    training sets its variance is too small.

    References
    ----------
    .. [1] Tukey (1953), The problem of multiple comparisons, unpublished manuscript, Princeton
       University.

    Examples
    --------
    >>> result = tukey_hsd_test([[0.20, 0.25, 0.21], [0.22, 0.24, 0.22], [0.21, 0.26, 0.23]])
    >>> result.to_frame()["p_adjusted"].round(4).tolist()
    [0.0065, 0.4827, 0.0242]
    >>> round(result.critical_difference, 4)
    0.0251
    """
    result = range_test(
        METHOD,
        scores,
        names=names,
        sampling=sampling,
        alpha=alpha,
        greater_is_better=greater_is_better,
    )
    tested = TukeyResult(**vars(result))
    return replace(tested, critical_difference=tested._margin(alpha))


PROCEDURE = Procedure(
    name="tukey-hsd",
    title=TITLE,
    question="Which pairs of K learners differ, as if all scores were independent?",
    takes="many-on-splits",
    run=tukey_hsd_test,
    aliases=("tukey", "hsd", "tukey-kramer"),
)
