"""Every pair of learners compared by mean ranks, for scores without a common unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from numpy.typing import ArrayLike
from scipy.special import ndtr

from bestofk.inference.many_data_sets.bonferroni_dunn import bonferroni_dunn_test
from bestofk.inference.many_data_sets.comparison_matrix import (
    ComparisonMatrix,
    multi_comparison_matrix,
)
from bestofk.inference.many_data_sets.nemenyi import nemenyi_test
from bestofk.inference.many_data_sets.ranks import rank_rows, score_table


def mean_rank_matrix(
    scores: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    control: str | None = None,
    alpha: float = 0.05,
) -> ComparisonMatrix:
    """Compare every pair of learners on many data sets by their mean ranks.

    Null hypotheses: the two learners of a pair have the same expected rank (two-sided). Design:
    blocked, one loss of each learner on each data set; each data set may have its own unit.

    Parameters
    ----------
    scores : array-like of shape (n_data_sets, n_learners), float
        One loss of each learner on each data set.
    names : sequence of str, optional
        Of the learners, needed where they are more than the data sets; learner 1, learner 2, ...
        if left out.
    control : str, optional
        The family is this learner against every other, by Bonferroni-Dunn; all pairs, by
        Nemenyi, if left out.
    alpha : float in (0, 1), default=0.05
        Level of the family, and 1 - alpha that of the intervals.

    Returns
    -------
    ComparisonMatrix
        Differences, intervals, wins and ties are those of ranks (1 is best). Statistics are z,
        row minus column.

    Raises
    ------
    DesignError
        If a score is missing or infinite, or there are fewer than two data sets or learners.
    InvalidArgumentError
        If a name or `alpha` is not allowed.

    See Also
    --------
    nemenyi_test, bonferroni_dunn_test : The tests.
    multi_comparison_matrix : For losses of one unit.

    Examples
    --------
    >>> losses = [[0.1, 0.2, 300.0], [20, 30, 40], [0.1, 0.3, 0.2], [100, 200, 400]]
    >>> matrix = mean_rank_matrix(losses)
    >>> matrix.levels, matrix.p_adjusted[0].round(4).tolist()
    ((1.0, 2.25, 2.75), [nan, 0.1805, 0.0356])
    """
    table, known = score_table(scores, names, "mean_rank_matrix")
    ranks = rank_rows(table, greater_is_better=False)
    matrix = multi_comparison_matrix(ranks, names=known, control=control, alpha=alpha)
    every = nemenyi_test(ranks, names=known, alpha=alpha)
    tested = every
    if control is not None:
        tested = bonferroni_dunn_test(ranks, control=control, names=known, alpha=alpha)
    return replace(
        matrix,
        procedure=tested.procedure,
        assumptions=tested.assumptions,
        flags=tested.flags,
        warnings=tested.warnings,
        statistic=every.statistic,
        symbol=every.symbol,
        p_value=every.p_value,
        p_adjusted=tested.p_adjusted,
        correction=tested.correction,
        critical_difference=tested.critical_difference,
        p_greater=ndtr(-every.statistic),
    )
