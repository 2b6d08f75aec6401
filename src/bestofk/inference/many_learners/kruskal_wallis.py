"""Kruskal-Wallis test of K learners, by ranks alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from bestofk.inference.catalogue_entry import Procedure
from bestofk.inference.many_learners.shared_splits import cautions, scores_of_learners
from bestofk.inference.results import OmnibusResult
from bestofk.inference.sampling import Sampling
from bestofk.inference.student import Floats
from bestofk.measures.ties import tied_values

TITLE = "Kruskal-Wallis test"
ASSUMPTIONS = ("All scores are independent, also those on the same split.",)


def kruskal_wallis_test(
    scores: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    sampling: Sampling | None = None,
    greater_is_better: bool = False,
) -> OmnibusResult:
    """Test whether the scores of any of K learners tend to be greater than those of another.

    Null hypothesis: the scores of all learners have one distribution. Rejection names no best.

    Parameters
    ----------
    scores : array-like of shape (n_splits, n_learners), float
        Scores or losses of at least 2 learners on the same, at least 2, splits, in any unit.
    names : sequence of str, optional
        Learners; "learner 1" and so on if left out. With more learners than splits they are
        needed, so that no table is read on its side.
    sampling : Sampling, optional
        How the splits were made, for the warning about overlap; one run of k-fold if left out.
    greater_is_better : bool, default=False
        Decides which end has rank 1; the test is the same.

    Returns
    -------
    OmnibusResult
        With df = K - 1, mean ranks (1 is best) and epsilon squared = H / (K L - 1) as effect
        size. If all scores are tied: statistic 0, p value 1, flagged ``"all_ties"``.

    Raises
    ------
    DesignError
        If it is no regular table of finite numbers, or there are fewer than 2 learners or splits.
    InvalidArgumentError
        If names do not fit.

    Notes
    -----
    All K L scores are ranked together; H = 12 / (n (n + 1)) L sum_i (r_i - (n + 1) / 2)^2 with
    n = K L and r_i the mean rank of learner i, divided by 1 - sum (t^3 - t) / (n^3 - n) over
    the groups of t ties; compared with chi squared [1]_. When not to trust it: it does not use
    that the splits are shared, and their training sets overlap.

    References
    ----------
    .. [1] Kruskal & Wallis (1952), Use of ranks in one-criterion variance analysis, Journal of
       the American Statistical Association 47(260).

    Examples
    --------
    >>> result = kruskal_wallis_test([[0.20, 0.25], [0.22, 0.24], [0.21, 0.26]])
    >>> round(result.statistic, 3), result.df, round(result.p_value, 4), result.levels
    (3.857, 1.0, 0.0495, (2.0, 5.0))
    """
    from scipy.special import chdtrc

    table, labels = scores_of_learners(scores, "kruskal_wallis_test", names)
    n_splits, k = table.shape
    n = table.size
    ranks, ties = _ranks(-table if greater_is_better else table)
    means = ranks.mean(axis=0)
    untied = 1 - (ties**3 - ties).sum() / (n**3 - n)
    spread = n_splits * ((means - (n + 1) / 2) ** 2).sum()
    statistic = float(12 * spread / (n * (n + 1)) / untied) if len(ties) > 1 else 0.0
    p_value = float(chdtrc(k - 1, statistic))
    farthest = 12 * n_splits**3 * k * (k**2 - 1) / 12 / (n * (n + 1))
    can_show = (
        "even learners without any overlap of their scores reach no smaller p value than "
        f"{float(chdtrc(k - 1, farthest)):.2g}"
    )
    return OmnibusResult(
        procedure=TITLE,
        n=n_splits,
        statistic=statistic,
        symbol="H",
        df=float(k - 1),
        p_value=p_value,
        names=labels,
        levels=tuple(means.tolist()),
        level_of="mean rank",
        effect_size=statistic / (n - 1),
        effect_size_of="epsilon squared",
        distribution="chi squared",
        assumptions=ASSUMPTIONS,
        flags=() if len(ties) > 1 else ("all_ties",),
        warnings=cautions(
            TITLE, n_splits, sampling, p_value, has_variance=len(ties) > 1, can_show=can_show
        ),
    )


def _ranks(table: Floats) -> tuple[Floats, Floats]:
    """Return the ranks of all numbers, ties at their mean, and the sizes of the groups of ties."""
    values = tied_values(table.ravel())
    _, group, counts = np.unique(values, return_inverse=True, return_counts=True)
    mean_ranks = np.cumsum(counts) - (counts - 1) / 2
    return mean_ranks[group].reshape(table.shape), counts.astype(float)


PROCEDURE = Procedure(
    name="kruskal-wallis",
    title=TITLE,
    question="Do the scores of any of K learners tend to be greater than those of another?",
    takes="many-on-splits",
    run=kruskal_wallis_test,
    aliases=("kruskal",),
)
