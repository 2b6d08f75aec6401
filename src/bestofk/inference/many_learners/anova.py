"""One-way analysis of variance of K learners, with folds taken as independent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from numpy.typing import ArrayLike

from bestofk.inference.catalogue_entry import Procedure
from bestofk.inference.many_learners.shared_splits import (
    CAUTION_ALPHA,
    MeanSquares,
    cautions,
    scores_of_learners,
    without_noise,
)
from bestofk.inference.results import OmnibusResult
from bestofk.inference.results.result import number
from bestofk.inference.sampling import Sampling
from bestofk.inference.student import Floats
from bestofk.words import fixed

TITLE = "one-way analysis of variance"
ASSUMPTIONS = (
    "The scores of each learner are normal with one variance.",
    "All scores are independent, also those on the same split.",
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AnovaResult(OmnibusResult):
    """The outcome of an analysis of variance.

    Parameters
    ----------
    ms_learners, ms_error : float
        Mean squares between the learners and of the error; F is their ratio.
    """

    ms_learners: float
    ms_error: float

    def rows(self) -> list[tuple[str, str]]:
        """Return what `str` shows, as pairs of a short label and a text."""
        mean_squares = [
            ("mean square of learners", number(self.ms_learners)),
            ("mean square of error", number(self.ms_error)),
        ]
        return [*mean_squares, *super().rows()]


def anova_test(
    scores: ArrayLike, *, names: Sequence[str] | None = None, sampling: Sampling | None = None
) -> AnovaResult:
    """Test whether any of K learners differ, by one-way analysis of variance.

    Null hypothesis: all learners have the same expected score. Rejection names no best.

    Parameters
    ----------
    scores : array-like of shape (n_splits, n_learners), float
        Scores or losses of at least 2 learners on the same, at least 2, splits, in any unit.
    names : sequence of str, optional
        Learners; "learner 1" and so on if left out. With more learners than splits they are
        needed, so that no table is read on its side.
    sampling : Sampling, optional
        How the splits were made, for the warning about overlap; one run of k-fold if left out.

    Returns
    -------
    AnovaResult
        With df = (K - 1, K (L - 1)) for L splits and eta squared as effect size. If the scores
        of no learner vary: statistic 0 and p value 1 where all are the same, else inf and 0,
        flagged ``"zero_variance"`` (convention of this package).

    Raises
    ------
    DesignError
        If it is no regular table of finite numbers, or there are fewer than 2 learners or splits.
    InvalidArgumentError
        If names do not fit.

    See Also
    --------
    repeated_measures_anova_test : Uses that the splits are shared; the better design.

    Notes
    -----
    MST = L sum_i (m_i - m)^2 / (K - 1), MSE = sum_ij (Y_ij - m_i)^2 / (K (L - 1)),
    F = MST / MSE [1]_. When not to trust it: on shared splits the scores of two learners are
    correlated, and on overlapping training sets those of one learner are too.

    References
    ----------
    .. [1] Fisher (1925), Statistical Methods for Research Workers.

    Examples
    --------
    >>> result = anova_test([[0.20, 0.25], [0.22, 0.24], [0.21, 0.26]])
    >>> round(result.statistic, 2), result.df, round(result.p_value, 4)
    (24.0, (1.0, 4.0), 0.008)
    """
    table, labels = scores_of_learners(scores, "anova_test", names)
    n_splits = len(table)
    squares = one_way(table)
    p_value, can_show = squares.p_value(), least_share(squares.df)
    between, within = squares.learners * squares.df[0], squares.error * squares.df[1]
    return AnovaResult(
        procedure=TITLE,
        n=n_splits,
        statistic=squares.statistic(),
        df=squares.df,
        p_value=p_value,
        names=labels,
        levels=tuple(table.mean(axis=0).tolist()),
        effect_size=between / (between + within) if between + within > 0 else 0.0,
        effect_size_of="eta squared",
        ms_learners=squares.learners,
        ms_error=squares.error,
        assumptions=ASSUMPTIONS,
        flags=() if squares.has_variance else ("zero_variance",),
        warnings=cautions(
            TITLE, n_splits, sampling, p_value, has_variance=squares.has_variance, can_show=can_show
        ),
    )


def one_way(table: Floats) -> MeanSquares:
    """Return the mean squares between learners and within them.

    Parameters
    ----------
    table : ndarray of shape (n_splits, n_learners)
        Scores.

    Returns
    -------
    MeanSquares
        Mean squares that are rounding noise are 0.
    """
    n_splits, k = table.shape
    means = table.mean(axis=0)
    df = (float(k - 1), float(k * (n_splits - 1)))
    between = n_splits * ((means - means.mean()) ** 2).sum() / df[0]
    within = ((table - means) ** 2).sum() / df[1]
    return MeanSquares(without_noise(between, table), without_noise(within, table), df)


def least_share(df: tuple[float, float]) -> str:
    """Return in words how much of the variance learners must explain to be shown to differ."""
    from scipy.special import fdtri

    bar = df[0] * float(fdtri(*df, 1 - CAUTION_ALPHA))
    return (
        f"learners are shown to differ at {CAUTION_ALPHA:g} only if they explain at least "
        f"{fixed(100 * bar / (bar + df[1]), 0, whole=100)}% of the variance"
    )


PROCEDURE = Procedure(
    name="anova",
    title=TITLE,
    question="Do any of K learners differ, as if all scores were independent?",
    takes="many-on-splits",
    run=anova_test,
    aliases=("one-way-anova", "f-oneway"),
)
