"""Bonferroni-Dunn test of learners against a control over many data sets."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike
from scipy.special import ndtri

from bestofk.inference.adjust import adjust_p_values
from bestofk.inference.catalogue_entry import TWO_SIDED, Procedure
from bestofk.inference.many_data_sets.rank_comparisons import (
    RankFamily,
    compare_mean_ranks,
    p_of_z,
    rank_standard_error,
)
from bestofk.inference.results import PairwiseResult
from bestofk.inference.student import check_share

FAMILY = RankFamily(
    "Bonferroni-Dunn test", "bonferroni", lambda z, _: adjust_p_values(p_of_z(z), "bonferroni")
)


def bonferroni_dunn_test(
    scores: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    control: str | None = None,
    greater_is_better: bool = False,
    alpha: float = 0.05,
) -> PairwiseResult:
    """Compare a control with every other learner over many data sets by a critical difference.

    Null hypotheses: a learner has the same expected rank as the control (two-sided). Design:
    blocked, one score of each learner on each data set; the control is chosen beforehand.

    Parameters
    ----------
    scores : array-like of shape (n_data_sets, n_learners), float
        One score of each learner on each data set, in any unit; losses unless
        `greater_is_better`.
    names : sequence of str, optional
        Of the learners, needed where they are more than the data sets; learner 1, learner 2, ...
        if left out.
    control : str, optional
        Name of the control, chosen before the scores are seen; the first learner if left out.
    greater_is_better : bool, default=False
        Direction of the scores; rank 1 is best.
    alpha : float in (0, 1), default=0.05
        Level of the critical difference.

    Returns
    -------
    PairwiseResult
        Only the row and the column of the control are filled. If all learners tie everywhere:
        all p values 1, flag ``"all_ties"``.

    Raises
    ------
    DesignError
        If a score is missing or infinite, or there are fewer than two data sets or learners.
    InvalidArgumentError
        If the names, the control or `alpha` do not fit.

    See Also
    --------
    control_rank_test : Holm shows more with the same guarantee.

    Notes
    -----
    Critical difference = z_(alpha / (2 (k - 1))) sqrt(k (k + 1) / (6 N)) [1]_. When not to trust
    it: as for `nemenyi_test`.

    References
    ----------
    .. [1] Dunn (1961), Multiple comparisons among means, Journal of the American Statistical
       Association 56; for learners Demsar (2006), Statistical comparisons of classifiers over
       multiple data sets, Journal of Machine Learning Research 7.

    Examples
    --------
    >>> losses = [[0.1, 0.2, 0.3], [0.2, 0.3, 0.4], [0.1, 0.3, 0.2], [0.1, 0.2, 0.4]]
    >>> result = bonferroni_dunn_test(losses)
    >>> round(result.critical_difference, 3), result.p_adjusted[0].round(4).tolist()
    (1.585, [nan, 0.1542, 0.0267])
    """
    return compare_mean_ranks(
        scores,
        FAMILY,
        names=names,
        greater_is_better=greater_is_better,
        alpha=alpha,
        control=control,
        all_pairs=False,
        critical_difference=lambda k, n: bonferroni_dunn_critical_difference(k, n, alpha=alpha),
    )


def bonferroni_dunn_critical_difference(
    n_learners: int, n_data_sets: int, *, alpha: float = 0.05
) -> float:
    """Return the difference of mean ranks to a control that is significant.

    Parameters
    ----------
    n_learners : int
        With the control; at least 2.
    n_data_sets : int
        At least 1.
    alpha : float in (0, 1), default=0.05
        Level of the family of n_learners - 1 comparisons.

    Returns
    -------
    float
        In ranks.

    Raises
    ------
    InvalidArgumentError
        If a number is too small or no whole one, or `alpha` is not inside (0, 1).

    Examples
    --------
    >>> round(bonferroni_dunn_critical_difference(3, 20), 3)
    0.709
    """
    error = rank_standard_error(n_learners, n_data_sets)
    return float(-ndtri(check_share(alpha, "alpha") / (2 * (n_learners - 1)))) * error


PROCEDURE = Procedure(
    name="bonferroni-dunn",
    title="Bonferroni-Dunn test",
    question="Which learners differ in mean rank from a control by the critical difference?",
    takes="many-on-data-sets",
    run=bonferroni_dunn_test,
    sides=TWO_SIDED,
    aliases=("dunn",),
)
