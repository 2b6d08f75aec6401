"""Newman-Keuls range test, which judges each run of means by its own length."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from bestofk.inference.catalogue_entry import Procedure
from bestofk.inference.many_learners.range_test import RangeMethod, RangeTestResult, range_test
from bestofk.inference.sampling import Sampling

TITLE = "Newman-Keuls test"
FAMILY = (
    "Newman-Keuls tests each run of means at the same level: with more than three learners it "
    "does not hold the level for the family; Tukey's test does."
)
METHOD = RangeMethod("newman_keuls", TITLE, "Newman-Keuls", FAMILY)


def newman_keuls(
    scores: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    sampling: Sampling | None = None,
    alpha: float = 0.05,
    greater_is_better: bool = False,
) -> RangeTestResult:
    """Find the runs of neighboring means without a significant difference, by Newman-Keuls.

    Null hypothesis of each run of P means: their learners have one expected score. The longest
    run is tested first; inside an accepted run nothing is tested.

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
        Level of each test.
    greater_is_better : bool, default=False
        Decides which end of the order comes first; the runs are the same.

    Returns
    -------
    RangeTestResult
        `order` and `underlines`; `p_value` of each pair as the ends of its run, before the stop
        rule; `p_adjusted` after it: the largest of all runs that hold the pair. If the scores
        of no learner vary, p values are 0 between different means and 1 between the same,
        flagged ``"zero_variance"``.

    Raises
    ------
    DesignError
        If it is no regular table of finite numbers, or there are fewer than 2 learners or splits.
    InvalidArgumentError
        If names do not fit or `alpha` is not inside (0, 1).

    See Also
    --------
    bestofk.verdict.newman_keuls_best : Which learner is best by the underlines.

    Notes
    -----
    q = (m_j - m_i) sqrt(L / MSE), compared with the studentized range of P means and K (L - 1)
    degrees of freedom [1]_, [2]_. The absence of an underline says "differs", and no more.
    When not to trust it: more than three learners; overlapping training sets.

    References
    ----------
    .. [1] Newman (1939), The distribution of range in samples from a normal population,
       Biometrika 31; Keuls (1952), The use of the "studentized range" in connection with an
       analysis of variance, Euphytica 1.
    .. [2] Yildiz & Alpaydin (2006), Ordering and finding the best of K > 2 supervised learning
       algorithms, IEEE Transactions on Pattern Analysis and Machine Intelligence 28(3).

    Examples
    --------
    >>> result = newman_keuls([[0.20, 0.25, 0.21], [0.22, 0.24, 0.22], [0.21, 0.26, 0.23]])
    >>> result.order, result.underlines
    ((0, 2, 1), ((0, 2),))
    """
    return range_test(
        METHOD,
        scores,
        names=names,
        sampling=sampling,
        alpha=alpha,
        greater_is_better=greater_is_better,
    )


PROCEDURE = Procedure(
    name="newman-keuls",
    title=TITLE,
    question="Which neighboring means of K learners do not differ significantly?",
    takes="many-on-splits",
    run=newman_keuls,
    aliases=("student-newman-keuls", "snk"),
)
