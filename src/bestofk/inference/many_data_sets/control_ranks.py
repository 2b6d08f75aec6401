"""Mean rank tests of learners against a control over many data sets."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from bestofk.checks import check_known
from bestofk.inference.adjust import ADJUSTMENTS, adjust_p_values
from bestofk.inference.catalogue_entry import TWO_SIDED, Procedure
from bestofk.inference.many_data_sets.rank_comparisons import RankFamily, compare_mean_ranks, p_of_z
from bestofk.inference.results import PairwiseResult


def control_rank_test(
    scores: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    control: str | None = None,
    correction: str = "holm",
    greater_is_better: bool = False,
    alpha: float = 0.05,
) -> PairwiseResult:
    """Compare a control with every other learner over many data sets by mean ranks.

    Null hypotheses: a learner has the same expected rank as the control (two-sided). Design:
    blocked, one score of each learner on each data set. The control is chosen before the scores
    are seen.

    Parameters
    ----------
    scores : array-like of shape (n_data_sets, n_learners), float
        One score of each learner on each data set, in any unit; losses unless
        `greater_is_better`.
    names : sequence of str, optional
        Of the learners, needed where they are more than the data sets; learner 1, learner 2, ...
        if left out.
    control : str, optional
        Name of the control; the first learner if left out.
    correction : str, default="holm"
        A method of `adjust_p_values`.
    greater_is_better : bool, default=False
        Direction of the scores; rank 1 is best.
    alpha : float in (0, 1), default=0.05
        Level of the statements in words.

    Returns
    -------
    PairwiseResult
        Only the row and the column of the control are filled. Estimates are mean ranks of first
        minus second, statistics their z. If all learners tie everywhere: all p values 1, flag
        ``"all_ties"``.

    Raises
    ------
    DesignError
        If a score is missing or infinite, or there are fewer than two data sets or learners.
    InvalidArgumentError
        If the names, the control, the correction or `alpha` do not fit.

    See Also
    --------
    bonferroni_dunn_test : With a critical difference, and less to show.

    Notes
    -----
    z = difference of mean ranks / sqrt(k (k + 1) / (6 N)), two-sided normal p values, adjusted
    as one family of k - 1 [1]_. When not to trust it: as for `nemenyi_test`.

    References
    ----------
    .. [1] Demsar (2006), Statistical comparisons of classifiers over multiple data sets,
       Journal of Machine Learning Research 7.

    Examples
    --------
    >>> losses = [[0.1, 0.2, 0.3], [0.2, 0.3, 0.4], [0.1, 0.3, 0.2], [0.1, 0.2, 0.4]]
    >>> result = control_rank_test(losses, names=["new", "old", "older"], control="new")
    >>> result.p_adjusted[0].round(4).tolist()
    [nan, 0.0771, 0.0267]
    """
    name = str(correction).lower()
    check_known(name, "correction of control_rank_test", ADJUSTMENTS, got=correction)
    return compare_mean_ranks(
        scores,
        RankFamily("ranks against a control", name, lambda z, _: adjust_p_values(p_of_z(z), name)),
        names=names,
        greater_is_better=greater_is_better,
        alpha=alpha,
        control=control,
        all_pairs=False,
    )


PROCEDURE = Procedure(
    name="control-ranks",
    title="ranks against a control",
    question="Which learners differ in mean rank from a control that was chosen beforehand?",
    takes="many-on-data-sets",
    run=control_rank_test,
    sides=TWO_SIDED,
    aliases=("holm-control",),
)
