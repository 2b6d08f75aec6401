"""Bayesian correlated t test of two learners on repeated splits."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, stdtrit

from bestofk.array_types import Floats
from bestofk.errors import DesignError
from bestofk.inference.catalogue import Procedure
from bestofk.inference.cautions import Caution, caution_if
from bestofk.inference.checks import check_rope, check_share
from bestofk.inference.results import PosteriorResult
from bestofk.inference.sampling import Sampling
from bestofk.inference.two_learners.paired_test import (
    NEARLY_NORMAL,
    SHARED_SPLITS,
    few_scores,
    paired_scores,
)
from bestofk.inference.two_learners.t_tests import CorrectedT

TITLE = "Bayesian correlated t test"
_NO_VARIANCE = (
    "The differences do not vary, so all probability lies at their mean: a limit, not evidence."
)
UNSTABLE = Caution(
    "unstable-learner",
    "With unstable learners (1-nearest-neighbor, unpruned trees) scores are correlated more than "
    "the rule of thumb says, and these probabilities are too sure.",
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CorrelatedPosterior(PosteriorResult):
    """A posterior that is Student's t.

    Parameters
    ----------
    scale : float
        Of Student's t; 0 where all mass lies at `estimate`.
    df : float
        Degrees of freedom.
    """

    pictures = (("density", "PosteriorDensityDisplay"),)

    scale: float
    df: float

    def density(self, x: ArrayLike) -> Floats:
        """Return the posterior density of the difference.

        Parameters
        ----------
        x : array-like of float
            Differences, in the unit of the scores.

        Returns
        -------
        ndarray of float
            Without variance: inf at the mean and 0 elsewhere.
        """
        x = np.asarray(x, dtype=float)
        if self.scale == 0:
            return np.where(x == self.estimate, np.inf, 0.0)
        t, df = (x - self.estimate) / self.scale, self.df
        height = gammaln((df + 1) / 2) - gammaln(df / 2) - 0.5 * math.log(df * math.pi)
        return np.asarray(np.exp(height - (df + 1) / 2 * np.log1p(t * t / df)) / self.scale)

    def quantile(self, probability: ArrayLike) -> Floats:
        """Return the differences below which the posterior holds given probabilities.

        Parameters
        ----------
        probability : array-like of float in [0, 1]
            Shares of the mass; 0 and 1 give -inf and inf.

        Returns
        -------
        ndarray of float
            In the unit of the scores; the mean itself where nothing varies.
        """
        probability = np.asarray(probability, dtype=float)
        if self.scale == 0:
            return np.full_like(probability, self.estimate)
        return np.asarray(self.estimate + self.scale * stdtrit(self.df, probability))


def bayesian_correlated_t(
    a: ArrayLike,
    b: ArrayLike,
    *,
    n_train: float,
    n_test: float,
    rope: float = 0.01,
    level: float = 0.95,
) -> CorrelatedPosterior:
    """Return the posterior of the difference of two learners on repeated splits.

    Design: paired; r repeats of k folds, or repeated hold-out, with shared splits.

    Parameters
    ----------
    a, b : array-like of one shape, float
        Scores of the first and of the second learner on the same splits, in any unit; the
        order of the splits does not matter.
    n_train, n_test : float
        Mean number of rows trained on and tested on; for k folds of n rows n - n/k and n/k.
    rope : float, at least 0, default=0.01
        Half the width of the region of practical equivalence: differences a - b from -rope to
        rope do not matter. The default suits error rates. With 0 there is no region: no
        difference at all counts half on each side.
    level : float in (0, 1), default=0.95
        Probability of the interval.

    Returns
    -------
    CorrelatedPosterior
        Probabilities that a - b is below, inside and above the region; for losses "below" says
        that the first is better. If the differences do not vary, all mass lies at their mean;
        flagged ``"zero_variance"`` (convention of this package).

    Raises
    ------
    DesignError
        If the scores do not pair, are not finite or fewer than two, or a size is unknown.
    InvalidArgumentError
        If a size, `rope` or `level` is not allowed.

    See Also
    --------
    corrected_resampled_t_test : Its one-sided p value is P(a - b < 0) here.

    Notes
    -----
    The posterior is Student's t with n - 1 df around the mean difference m, of scale
    sqrt(s^2 (1/n + rho / (1 - rho))), rho = n_test / (n_train + n_test), n the number of scores
    [1]_ [2]_. When not to trust it: the correlation rho is a rule of thumb, and too small for
    unstable learners.

    References
    ----------
    .. [1] Corani & Benavoli (2015), A Bayesian approach for comparing cross-validated
       algorithms on multiple data sets, Machine Learning 100.
    .. [2] Benavoli, Corani, Demsar & Zaffalon (2017), Time for a change: a tutorial for
       comparing multiple classifiers through Bayesian analysis, JMLR 18.

    Examples
    --------
    >>> a, b = [0.16, 0.18, 0.20, 0.18], [0.20, 0.21, 0.25, 0.18]
    >>> result = bayesian_correlated_t(a, b, n_train=75, n_test=25)
    >>> result
    CorrelatedPosterior(Bayesian correlated t test: below 0.8439, within 0.01 0.1092, above 0.0469)
    """
    differences, scale = paired_scores(a, b, "bayesian_correlated_t")
    sampling = Sampling("custom", 1, differences.size, n_train, n_test)
    return _posterior(differences.ravel(), scale, sampling, rope, level, None)


def posterior_of_pairs(
    differences: ArrayLike, sampling: Sampling, rope: float
) -> tuple[Floats, Floats, Floats]:
    """Return the posterior probabilities of every pair of an array.

    Parameters
    ----------
    differences : array-like of shape (..., n_scores)
        First minus second.
    sampling : Sampling
        How the scores were made; gives n_train and n_test.
    rope : float, at least 0
        Half the width of the region of practical equivalence.

    Returns
    -------
    p_less, p_rope, p_greater : ndarray of shape (...)
        They add up to 1.

    Raises
    ------
    DesignError
        If differences are not finite or fewer than two, or a size is unknown.
    InvalidArgumentError
        If `rope` is not allowed.

    Examples
    --------
    >>> pairs = [[-0.04, -0.03, -0.05, 0.0], [0.0, 0.0, 0.0, 0.0]]
    >>> sampling = Sampling("hold-out", 4, 1, n_train=75, n_test=25)
    >>> _, p_rope, _ = posterior_of_pairs(pairs, sampling, 0.01)
    >>> print(p_rope.round(4))
    [0.1092 1.    ]
    """
    return CorrectedT().compare(differences, sampling).posterior(check_rope(rope))


def _posterior(
    differences: Floats,
    scale: float,
    sampling: Sampling,
    rope: float,
    level: float,
    is_unstable: bool | None,
) -> CorrelatedPosterior:
    rope, level = check_rope(rope), check_share(level, "level")
    result = CorrectedT().compare(differences, sampling, scale=scale)
    low, high = result.confidence_interval(level)
    zero = bool(result.zero_variance)
    return CorrelatedPosterior(
        procedure=TITLE,
        n=result.n_scores,
        rope=rope,
        estimate=float(result.mean),
        low=float(low),
        high=float(high),
        level=level,
        scale=float(result.standard_error),
        df=float(result.interval_df),
        assumptions=(SHARED_SPLITS, NEARLY_NORMAL, CorrectedT.assumptions[-1]),
        flags=("zero_variance",) if zero else (),
        warnings=(
            *caution_if(zero, "degenerate", _NO_VARIANCE),
            *few_scores(result.n_scores),
            *((UNSTABLE,) if is_unstable is not False else ()),
        ),
        **CorrelatedPosterior.probabilities(result.posterior(rope)),
    )


def _run(
    a: ArrayLike,
    b: ArrayLike,
    *,
    sampling: Sampling,
    rope: float = 0.01,
    level: float = 0.95,
    is_unstable: bool | None = None,
) -> CorrelatedPosterior:
    reason = CorrectedT().refusal(sampling)
    if reason is not None:
        raise DesignError(
            "plan of bayesian-correlated-t must be one that allows corrected-t. "
            f"{reason} Take another plan, or give the sizes."
        )
    differences, scale = paired_scores(a, b, "bayesian-correlated-t")
    return _posterior(differences.ravel(), scale, sampling, rope, level, is_unstable)


PROCEDURE = Procedure(
    name="bayesian-correlated-t",
    title=TITLE,
    question="How probable is it that one learner is better, or that both are about the same?",
    takes="two-on-splits",
    run=_run,
    aliases=("correlated-t", "bayes-correlated-t", "bayesian-t", "baycomp"),
)
