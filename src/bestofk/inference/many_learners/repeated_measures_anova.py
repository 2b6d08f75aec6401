"""Repeated-measures analysis of variance of K learners, with splits as blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk.inference.catalogue_entry import Procedure
from bestofk.inference.many_learners.anova import AnovaResult, least_share
from bestofk.inference.many_learners.shared_splits import (
    MeanSquares,
    cautions,
    scores_of_learners,
    without_noise,
)
from bestofk.inference.results.result import number
from bestofk.inference.sampling import Sampling
from bestofk.inference.student import Floats
from bestofk.measures.ties import is_noise
from bestofk.words import p_text

TITLE = "repeated-measures analysis of variance"
ASSUMPTIONS = (
    "Splits are independent of each other, and the deviations of the scores are normal.",
    "The p value without epsilon: all differences of two learners vary alike (sphericity).",
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RepeatedMeasuresResult(AnovaResult):
    """The outcome of an analysis of variance with splits as blocks.

    Parameters
    ----------
    epsilon_gg, epsilon_hf : float in (0, 1]
        Greenhouse-Geisser's and Huynh-Feldt's estimate of how far sphericity holds; 1 if it
        does.
    p_gg, p_hf : float in [0, 1]
        P values with both degrees of freedom multiplied by epsilon.
    """

    epsilon_gg: float
    epsilon_hf: float
    p_gg: float
    p_hf: float

    def rows(self) -> list[tuple[str, str]]:
        """Return what `str` shows, as pairs of a short label and a text."""
        return [
            *super().rows(),
            ("p value, Greenhouse-Geisser", f"{p_text(self.p_gg)} ({number(self.epsilon_gg)})"),
            ("p value, Huynh-Feldt", f"{p_text(self.p_hf)} ({number(self.epsilon_hf)})"),
        ]


def repeated_measures_anova_test(
    scores: ArrayLike, *, names: Sequence[str] | None = None, sampling: Sampling | None = None
) -> RepeatedMeasuresResult:
    """Test whether any of K learners differ, each split taken as a block.

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
    RepeatedMeasuresResult
        With df = (K - 1, (K - 1)(L - 1)) for L splits and generalized eta squared as effect
        size. `p_value` takes sphericity for granted; `p_gg` does not. If learners differ by the
        same on every split: statistic 0 and p values 1 where they do not differ at all, else inf
        and 0, epsilons 1, flagged ``"zero_variance"`` (convention of this package).

    Raises
    ------
    DesignError
        If it is no regular table of finite numbers, or there are fewer than 2 learners or splits.
    InvalidArgumentError
        If names do not fit.

    Notes
    -----
    F = MS of learners / MS of learner x split. With S the covariance matrix of the learners,
    centered by rows and columns, epsilon is tr(S)^2 / ((K - 1) tr(S S)) [1]_; Huynh & Feldt
    correct its bias, capped at 1 [2]_. Generalized eta squared is the share of the learners in
    the whole sum of squares [3]_. When not to trust it: training sets of splits overlap.

    References
    ----------
    .. [1] Greenhouse & Geisser (1959), On methods in the analysis of profile data,
       Psychometrika 24.
    .. [2] Huynh & Feldt (1976), Estimation of the Box correction for degrees of freedom from
       sample data, Journal of Educational Statistics 1(1).
    .. [3] Olejnik & Algina (2003), Generalized eta and omega squared statistics, Psychological
       Methods 8(4).

    Examples
    --------
    >>> result = repeated_measures_anova_test(
    ...     [[0.20, 0.25, 0.21], [0.22, 0.24, 0.24], [0.21, 0.26, 0.22], [0.24, 0.27, 0.23]]
    ... )
    >>> round(result.statistic, 2), result.df
    (12.06, (2.0, 6.0))
    >>> [round(p, 4) for p in (result.p_value, result.p_hf, result.p_gg)]
    [0.0079, 0.0079, 0.0167]
    """
    table, labels = scores_of_learners(scores, "repeated_measures_anova_test", names)
    n_splits, k = table.shape
    squares = blocked(table)
    gg = greenhouse_geisser(table) if squares.has_variance else 1.0
    hf = _huynh_feldt(gg, k, n_splits)
    p_gg = squares.p_value(gg)
    can_show = f"{least_share(squares.df)} around the means of the splits"
    total = ((table - table.mean()) ** 2).sum()
    return RepeatedMeasuresResult(
        procedure=TITLE,
        n=n_splits,
        statistic=squares.statistic(),
        df=squares.df,
        p_value=squares.p_value(),
        names=labels,
        levels=tuple(table.mean(axis=0).tolist()),
        effect_size=float(squares.learners * squares.df[0] / total) if total > 0 else 0.0,
        effect_size_of="generalized eta squared",
        ms_learners=squares.learners,
        ms_error=squares.error,
        epsilon_gg=gg,
        epsilon_hf=hf,
        p_gg=p_gg,
        p_hf=squares.p_value(hf),
        assumptions=ASSUMPTIONS,
        flags=() if squares.has_variance else ("zero_variance",),
        warnings=cautions(
            TITLE, n_splits, sampling, p_gg, has_variance=squares.has_variance, can_show=can_show
        ),
    )


def blocked(table: Floats) -> MeanSquares:
    """Return the mean squares of learners, and of learners within splits.

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
    residuals = table - means - table.mean(axis=1, keepdims=True) + table.mean()
    df = (float(k - 1), float((k - 1) * (n_splits - 1)))
    between = n_splits * ((means - means.mean()) ** 2).sum() / df[0]
    return MeanSquares(
        without_noise(between, table), without_noise((residuals**2).sum() / df[1], table), df
    )


def greenhouse_geisser(table: Floats | NDArray[np.int64]) -> float:
    """Return how far the covariances of the columns are from sphericity.

    Parameters
    ----------
    table : ndarray of shape (n_splits, n_learners)
        Scores, or 0 and 1 for rows that learners get wrong and right.

    Returns
    -------
    float
        Epsilon, from 1 / (n_learners - 1) to 1; 1 where the differences do not vary.
    """
    covariance = np.cov(table, rowvar=False)
    k = len(covariance)
    centered = covariance - covariance.mean(axis=0) - covariance.mean(axis=1)[:, None]
    centered = centered + covariance.mean()
    squared = (centered**2).sum()
    if is_noise(np.sqrt(squared), np.trace(covariance)):
        return 1.0
    return float(np.clip(np.trace(centered) ** 2 / ((k - 1) * squared), 1 / (k - 1), 1))


def _huynh_feldt(epsilon: float, k: int, n_splits: int) -> float:
    below = (k - 1) * (n_splits - 1 - (k - 1) * epsilon)
    above = n_splits * (k - 1) * epsilon - 2
    return 1.0 if below <= 0 or above >= below else float(max(above / below, epsilon))


PROCEDURE = Procedure(
    name="repeated-measures-anova",
    title=TITLE,
    question="Do any of K learners differ, as if the splits were independent?",
    takes="many-on-splits",
    run=repeated_measures_anova_test,
    aliases=("rm-anova", "within-subjects-anova", "anova-rm"),
)
