"""Iman-Davenport test of K learners over many data sets: the F form of the Friedman test."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from bestofk.inference.catalogue_entry import Procedure
from bestofk.inference.many_data_sets.friedman import (
    WITHOUT_CORRECTION,
    friedman_statistic,
    rank_omnibus,
)
from bestofk.inference.many_data_sets.ranks import rank_rows, score_table
from bestofk.inference.results import OmnibusResult
from bestofk.measures.ties import at_most


def iman_davenport_test(
    scores: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    greater_is_better: bool = False,
    correct_ties: bool = True,
) -> OmnibusResult:
    """Ask whether K learners differ over many data sets, by the Iman-Davenport test.

    Null hypothesis and design: those of `friedman_test`, whose chi-square it turns into an F.

    Parameters
    ----------
    scores : array-like of shape (n_data_sets, n_learners), float
        One score of each learner on each data set, in any unit; losses unless
        `greater_is_better`.
    names : sequence of str, optional
        Of the learners, needed where they are more than the data sets; learner 1, learner 2, ...
        if left out.
    greater_is_better : bool, default=False
        Direction of the scores; it turns the mean ranks, not the test.
    correct_ties : bool, default=True
        As in `friedman_test`.

    Returns
    -------
    OmnibusResult
        F with n_learners - 1 and (n_learners - 1)(n_data_sets - 1) degrees of freedom. If all
        data sets order the learners alike: statistic inf, p value 0, flag ``"zero_variance"``.
        If all learners tie everywhere: statistic 0, p value 1, flag ``"all_ties"``.

    Raises
    ------
    DesignError
        If a score is missing or infinite, or there are fewer than two data sets or learners.
    InvalidArgumentError
        If the names do not fit, or `correct_ties` is no truth value.

    Notes
    -----
    statistic = (N - 1) chi2 / (N (k - 1) - chi2), chi2 the Friedman statistic [1]_.
    When not to trust it: fewer than about ten data sets.

    References
    ----------
    .. [1] Iman & Davenport (1980), Approximations of the critical region of the Friedman
       statistic, Communications in Statistics A 9(6).

    Examples
    --------
    >>> losses = [[0.1, 0.2, 0.3], [0.2, 0.3, 0.4], [0.1, 0.3, 0.2], [0.1, 0.2, 0.4]]
    >>> result = iman_davenport_test(losses)
    >>> result.statistic, result.df, round(result.p_value, 4)
    (13.0, (2.0, 6.0), 0.0066)
    """
    table, known = score_table(scores, names, "iman_davenport_test")
    ranks = rank_rows(table, greater_is_better=greater_is_better)
    n_data_sets, n_learners = ranks.shape
    chi2 = friedman_statistic(ranks, correct_ties=correct_ties)
    largest = n_data_sets * (n_learners - 1)
    alike = bool(at_most(largest, chi2))  # beyond that the quotient is rounding noise
    statistic = float("inf") if alike else (n_data_sets - 1) * chi2 / (largest - chi2)
    procedure = f"Iman-Davenport test{'' if correct_ties else WITHOUT_CORRECTION}"
    return rank_omnibus(ranks, known, procedure, statistic, by_f=True, kendall_w=chi2 / largest)


PROCEDURE = Procedure(
    name="iman-davenport",
    title="Iman-Davenport test",
    question="Do K learners differ over many data sets, by their ranks and an F distribution?",
    takes="many-on-data-sets",
    run=iman_davenport_test,
    aliases=("friedman-f", "ff"),
)
