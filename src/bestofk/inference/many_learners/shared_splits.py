"""Shared parts of tests of K learners on shared splits: checks, noise, cautions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bestofk.inference.cautions import Caution, caution_if
from bestofk.inference.checks import learner_table
from bestofk.inference.sampling import Sampling
from bestofk.inference.student import Floats
from bestofk.measures.ties import is_noise

# Level at which cautions speak of "shown" and "not shown".
CAUTION_ALPHA = 0.05
# With fewer scores of each learner only large differences can be shown.
FEW_SCORES = 10
NO_VARIANCE = Caution(
    "degenerate",
    "But for the differences of the learners the scores do not vary, so statistic and p value are "
    "limits and no evidence.",
)


@dataclass(frozen=True)
class MeanSquares:
    """Numerator and denominator of an F statistic.

    Parameters
    ----------
    learners, error : float
        Mean squares.
    df : tuple of two floats
        Their degrees of freedom.
    """

    learners: float
    error: float
    df: tuple[float, float]

    @property
    def has_variance(self) -> bool:
        """True if the error is more than rounding noise."""
        return self.error > 0

    def statistic(self) -> float:
        """Return F; 0 where nothing varies, inf where only the learners differ."""
        if self.has_variance:
            return self.learners / self.error
        return np.inf if self.learners > 0 else 0.0

    def p_value(self, epsilon: float = 1.0) -> float:
        """Return P(F > statistic), both degrees of freedom multiplied by `epsilon`."""
        from scipy.special import fdtrc

        if not self.has_variance:
            return 0.0 if self.learners > 0 else 1.0
        return float(fdtrc(self.df[0] * epsilon, self.df[1] * epsilon, self.statistic()))


def scores_of_learners(
    scores: ArrayLike, procedure: str, names: Sequence[str] | None
) -> tuple[Floats, tuple[str, ...]]:
    """Return scores of at least two learners on at least two splits, and their names, or raise.

    Parameters
    ----------
    scores : array-like of shape (n_splits, n_learners)
        One number per split and learner.
    procedure : str
        Name of the caller, for the error message.
    names : sequence of str or None
        Learners.

    Returns
    -------
    table : ndarray of shape (n_splits, n_learners), float
        The same numbers.
    names : tuple of str
        One per learner.

    Raises
    ------
    DesignError
        If it is no such table, or a score is nan or infinite.
    InvalidArgumentError
        If names do not fit.
    """
    return learner_table(scores, f"scores of {procedure}", row="split", names=names)


def without_noise(mean_square: float, scores: Floats) -> float:
    """Return a mean square, or 0 where it is rounding noise of the scores."""
    scale = np.abs(scores).max() * np.sqrt(len(scores))
    return 0.0 if is_noise(np.sqrt(mean_square), scale) else float(mean_square)


def cautions(
    title: str,
    n_scores: int,
    sampling: Sampling | None,
    p_value: float,
    *,
    has_variance: bool,
    can_show: str = "",
) -> tuple[Any, ...]:
    """Return what to distrust of a test of K learners on shared splits.

    Parameters
    ----------
    title : str
        Of the test.
    n_scores : int
        Scores of each learner.
    sampling : Sampling or None
        How they were made; None is taken for one run of k-fold.
    p_value : float in [0, 1]
        Of the hypothesis; the largest where there are several.
    has_variance : bool
        Whether the figures are no limits.
    can_show : str
        What so few scores can show, the end of a sentence.

    Returns
    -------
    tuple of Caution
        Those of zero variance, overlap, few scores and "not equal" that apply.
    """
    overlap = (
        "The training sets of the splits share rows, so the error variance is underestimated and "
        f"the {title} rejects too often."
    )
    few = f"Only {n_scores} scores of each learner: {can_show}."
    not_equal = (
        f"Not all learners differ significantly at {CAUTION_ALPHA:g}. That does not mean equal."
    )
    is_few = n_scores < FEW_SCORES and has_variance and can_show != ""
    return (
        *(() if has_variance else (NO_VARIANCE,)),
        *caution_if(overlaps(sampling, n_scores), "overlap", overlap),
        *caution_if(is_few, "few-scores", few),
        *caution_if(p_value > CAUTION_ALPHA, "not-equal", not_equal),
    )


def overlaps(sampling: Sampling | None, n_scores: int) -> bool:
    """Return whether training sets share rows; without a plan, whether those of k-fold would."""
    if sampling is None:
        return n_scores > 2
    return sampling.n_repeats > 1 or sampling.n_folds > 2
