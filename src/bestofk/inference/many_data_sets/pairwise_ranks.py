"""Mean rank tests of all pairs of K learners over many data sets, with a chosen correction."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from numpy.typing import ArrayLike

from bestofk.inference.catalogue_entry import TWO_SIDED, Procedure
from bestofk.inference.many_data_sets.logical_adjustments import adjust_pairs, pair_correction
from bestofk.inference.many_data_sets.rank_comparisons import RankFamily, compare_mean_ranks, p_of_z
from bestofk.inference.results import PairwiseResult


def pairwise_rank_test(
    scores: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    correction: str = "shaffer",
    greater_is_better: bool = False,
    alpha: float = 0.05,
) -> PairwiseResult:
    """Compare all pairs of K learners over many data sets by mean ranks.

    Null hypotheses: the two learners of a pair have the same expected rank (two-sided). Design:
    blocked, one score of each learner on each data set.

    Parameters
    ----------
    scores : array-like of shape (n_data_sets, n_learners), float
        One score of each learner on each data set, in any unit; losses unless
        `greater_is_better`.
    names : sequence of str, optional
        Of the learners, needed where they are more than the data sets; learner 1, learner 2, ...
        if left out.
    correction : str, default="shaffer"
        "shaffer", "bergmann-hommel" (up to 9 learners; shows most), "holm", "bonferroni",
        "hochberg", "hommel", "bh", "by"; what each promises is in `adjust_pairs` and
        `adjust_p_values`.
    greater_is_better : bool, default=False
        Direction of the scores; rank 1 is best.
    alpha : float in (0, 1), default=0.05
        Level of the statements in words.

    Returns
    -------
    PairwiseResult
        Estimates are mean ranks of first minus second, statistics their z. If all learners tie
        everywhere: all p values 1, flag ``"all_ties"``.

    Raises
    ------
    DesignError
        If a score is missing or infinite, there are fewer than two data sets or learners, or
        bergmann-hommel is given more than 9 learners.
    InvalidArgumentError
        If the names, the correction or `alpha` do not fit.

    Notes
    -----
    z = difference of mean ranks / sqrt(k (k + 1) / (6 N)), two-sided normal p values, adjusted
    as one family [1]_. When not to trust it: the verdict on a pair depends on the other learners
    in the table; a caution names a pair where it does.

    References
    ----------
    .. [1] Garcia & Herrera (2008), An extension on statistical comparisons of classifiers over
       multiple data sets for all pairwise comparisons, Journal of Machine Learning Research 9.

    Examples
    --------
    >>> losses = [[0.1, 0.2, 0.3], [0.2, 0.3, 0.4], [0.1, 0.3, 0.2], [0.1, 0.2, 0.4]]
    >>> result = pairwise_rank_test(losses, names=["a", "b", "c"])
    >>> result.to_frame()[["first", "second", "p_adjusted"]].round(4).values.tolist()
    [['a', 'b', 0.0771], ['a', 'c', 0.04], ['b', 'c', 0.4795]]
    """
    name = pair_correction(correction)
    return compare_mean_ranks(
        scores,
        RankFamily("ranks of all pairs", name, lambda z, k: adjust_pairs(p_of_z(z), k, name)),
        names=names,
        greater_is_better=greater_is_better,
        alpha=alpha,
    )


def _by(correction: str) -> Callable[..., PairwiseResult]:
    def run(
        scores: ArrayLike,
        *,
        names: Sequence[str] | None = None,
        greater_is_better: bool = False,
        alpha: float = 0.05,
    ) -> PairwiseResult:
        return pairwise_rank_test(
            scores,
            names=names,
            correction=correction,
            greater_is_better=greater_is_better,
            alpha=alpha,
        )

    return run


PROCEDURE = Procedure(
    name="pairwise-ranks",
    title="ranks of all pairs",
    question="Which pairs of K learners differ in mean rank, adjusted by a correction of choice?",
    takes="many-on-data-sets",
    run=pairwise_rank_test,
    sides=TWO_SIDED,
)
SHAFFER = Procedure(
    name="shaffer",
    title="ranks of all pairs, adjusted by Shaffer",
    question="Which pairs of K learners differ in mean rank, given that equality carries over?",
    takes="many-on-data-sets",
    run=_by("shaffer"),
    sides=TWO_SIDED,
)
BERGMANN_HOMMEL = Procedure(
    name="bergmann-hommel",
    title="ranks of all pairs, adjusted by Bergmann and Hommel",
    question="Which pairs of up to 9 learners differ in mean rank, with the most to be shown?",
    takes="many-on-data-sets",
    run=_by("bergmann-hommel"),
    sides=TWO_SIDED,
)
