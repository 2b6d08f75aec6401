"""Duncan's multiple range test, whose level grows with the number of means."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from bestofk.inference.catalogue_entry import Procedure
from bestofk.inference.many_learners.range_test import RangeMethod, RangeTestResult, range_test
from bestofk.inference.sampling import Sampling
from bestofk.inference.student import Floats
from bestofk.inference.studentized_range import studentized_range_tail

TITLE = "Duncan test"
FAMILY = (
    "Duncan's test allows more false findings the more learners there are and does not hold the "
    "level for the family; Tukey's test does."
)


def duncan_test(
    scores: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    sampling: Sampling | None = None,
    alpha: float = 0.05,
    greater_is_better: bool = False,
) -> RangeTestResult:
    """Find the runs of neighboring means without a significant difference, by Duncan's levels.

    As `newman_keuls`, but a run of P means is tested at level 1 - (1 - alpha)^(P - 1). More
    liberal still, and kept for what was published with it. Null hypotheses: the learners of a run
    of neighboring means have the same expected score; two-sided, as ranges are.

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
        Level of the tests of two neighbors.
    greater_is_better : bool, default=False
        Decides which end of the order comes first; the runs are the same.

    Returns
    -------
    RangeTestResult
        As from `newman_keuls`, also where scores do not vary; p values are to be compared with
        `alpha`.

    Raises
    ------
    DesignError
        If it is no regular table of finite numbers, or there are fewer than 2 learners or splits.
    InvalidArgumentError
        If names do not fit or `alpha` is not inside (0, 1).

    Notes
    -----
    The p value of a run of P means is 1 - (1 - p)^(1 / (P - 1)), with p that of the studentized
    range [1]_.

    References
    ----------
    .. [1] Duncan (1955), Multiple range and multiple F tests, Biometrics 11(1).

    Examples
    --------
    >>> result = duncan_test([[0.20, 0.25, 0.21], [0.22, 0.24, 0.22], [0.21, 0.26, 0.23]])
    >>> result.underlines
    ((0, 2),)
    """
    return range_test(
        METHOD,
        scores,
        names=names,
        sampling=sampling,
        alpha=alpha,
        greater_is_better=greater_is_better,
    )


def _duncan_tail(ranges: Floats, span: int, df: float) -> Floats:
    tail = studentized_range_tail(ranges, span, df)
    certain = tail >= 1  # log1p(-1) would warn
    inside = -np.expm1(np.log1p(-np.where(certain, 0.0, tail)) / (span - 1))
    return np.where(certain, 1.0, inside)


METHOD = RangeMethod("duncan_test", TITLE, "Duncan", FAMILY, _duncan_tail)
PROCEDURE = Procedure(
    name="duncan",
    title=TITLE,
    question="Which neighboring means do not differ significantly, judged liberally?",
    takes="many-on-splits",
    run=duncan_test,
    aliases=("duncan-multiple-range", "mrt"),
)
