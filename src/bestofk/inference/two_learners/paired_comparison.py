"""Shared core of all t tests of paired scores, for many pairs of learners at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bestofk.array_types import Bools, Floats
from bestofk.errors import DesignError
from bestofk.inference.checks import as_numbers, check_alternative
from bestofk.inference.student import student_interval, upper_tail
from bestofk.measures.ties import at_most, is_noise

# Where only differences are known, scores are taken to be at most so many times larger.
SCORES_PER_DIFFERENCE = 1000.0


@dataclass(frozen=True, eq=False)
class PairedComparison:
    """Student's t for an array of pairs; every field has the shape of the array of pairs.

    Parameters
    ----------
    mean : ndarray of float
        Mean difference of each pair; 0 where that is rounding noise.
    statistic, df : ndarray of float
        The test; statistics are infinite where the variance is zero and the mean is not.
    standard_error : ndarray of float
        Of the mean difference; 0 where that is below rounding noise.
    p_greater, p_less : ndarray of float
        One-sided p values: small where the expected difference is significantly above
        (below) 0.
    p_two_sided : ndarray of float
        Two-sided p values.
    zero_variance : ndarray of bool
        Where statistic and p values are limits: statistic 0 and p 1 if there is no
        difference either, else infinite and 0 (1 in the wrong direction). `without_limits`
        replaces them.
    n_scores : int
        Number of paired scores of a pair; the largest, where pairs have differently many.
    interval_df : float or ndarray of float
        Degrees of freedom of the interval of the mean difference, of all pairs or of each.
    """

    mean: Floats
    statistic: Floats
    df: Floats
    standard_error: Floats
    p_greater: Floats
    p_less: Floats
    p_two_sided: Floats
    zero_variance: Bools
    n_scores: int
    interval_df: float | Floats

    def confidence_interval(
        self, level: float = 0.95, alternative: str = "two-sided"
    ) -> tuple[Floats, Floats]:
        """Return the limits of the mean differences, by Student's t with `interval_df`.

        Parameters
        ----------
        level : float in (0, 1), default=0.95
            Confidence.
        alternative : {"two-sided", "greater", "less"}
            "greater" bounds from below only (high = inf), "less" from above only.

        Returns
        -------
        low, high : ndarray of float
            The limits of each pair.

        Raises
        ------
        InvalidArgumentError
            If `level` or `alternative` is not allowed.
        """
        return student_interval(
            self.mean, self.standard_error, self.interval_df, level=level, alternative=alternative
        )

    def p_value(self, alternative: str) -> Floats:
        """Return the p values of one of the three alternatives."""
        return np.asarray(getattr(self, f"p_{check_alternative(alternative).replace('-', '_')}"))

    def posterior(self, rope: float) -> tuple[Floats, Floats, Floats]:
        """Return how probable it is that a difference is below, inside, above the region.

        The posterior is Student's t around the mean difference with the standard error and
        `interval_df`; with the standard error of the corrected resampled t test that is the
        Bayesian correlated t test [1]_. Without variance all mass lies at the mean.

        Parameters
        ----------
        rope : float, at least 0
            Half the width of the region of practical equivalence, in the unit of the scores.
            With 0 there is no region: a mass at 0 counts half on each side.

        Returns
        -------
        p_less, p_rope, p_greater : ndarray of float
            They add up to 1; nan where the standard error is nan, so that nothing is known.

        References
        ----------
        .. [1] Corani & Benavoli (2015), A Bayesian approach for comparing cross-validated
           algorithms on multiple data sets, Machine Learning 100.
        """
        distances = (-rope - self.mean, self.mean - rope)
        unknown = np.isnan(self.standard_error)
        has_width = self.standard_error > 0
        size = np.maximum(rope, np.abs(self.mean))  # a mean on the border lies inside
        tails = []
        for distance in distances:
            scaled = np.divide(
                distance, self.standard_error, out=np.zeros_like(distance), where=has_width
            )
            inside = upper_tail(-scaled, self.interval_df)
            tails.append(np.where(has_width, inside, (~at_most(distance, 0, size)).astype(float)))
        below, above = tails
        within = np.clip(1 - below - above, 0.0, 1.0)
        if rope == 0:  # a region without width holds nothing; `within` is rounding or a mass at 0
            below, above = (tail + np.where(has_width, 0.0, within / 2) for tail in tails)
            within = np.zeros_like(within)
        below, within, above = (np.where(unknown, np.nan, part) for part in (below, within, above))
        return below, within, above

    def square(self, n_learners: int) -> PairedComparison:
        """Return all ordered pairs of learners from those above the diagonal.

        Parameters
        ----------
        n_learners : int
            The fields must have the shape (n_learners (n_learners - 1) / 2,), in the order of
            ``np.triu_indices(n_learners, k=1)``.

        Returns
        -------
        PairedComparison
            Fields of shape (n_learners, n_learners). A learner against itself: no difference,
            p values 1.
        """
        spread = partial(pair_table, np.triu_indices(n_learners, k=1), n_learners)
        df = self.df[0] if self.df.size else np.nan
        return replace(
            self,
            mean=spread(self.mean, -self.mean, 0.0),
            statistic=spread(self.statistic, -self.statistic, 0.0),
            df=spread(self.df, self.df, df),
            standard_error=spread(self.standard_error, self.standard_error, 0.0),
            p_greater=spread(self.p_greater, self.p_less, 1.0),
            p_less=spread(self.p_less, self.p_greater, 1.0),
            p_two_sided=spread(self.p_two_sided, self.p_two_sided, 1.0),
            zero_variance=spread(self.zero_variance, self.zero_variance, True),
        )

    def without_limits(self, is_flat: ArrayLike, is_same: ArrayLike) -> PairedComparison:
        """Return the same without a claim about pairs whose differences do not vary.

        Parameters
        ----------
        is_flat : array-like of bool
            Pairs whose differences vary too little for a test.
        is_same : array-like of bool
            Those of them without any difference.

        Returns
        -------
        PairedComparison
            With p values of 1 and a standard error of nan for these pairs, and a statistic of 0
            where they are the same, else nan.
        """
        flat = np.asarray(is_flat)
        no_test: dict[str, Any] = {name: np.where(flat, 1.0, getattr(self, name))
                                   for name in ("p_greater", "p_less", "p_two_sided")}  # fmt: skip
        return replace(
            self,
            statistic=np.where(flat, np.where(is_same, 0.0, np.nan), self.statistic),
            standard_error=np.where(flat, np.nan, self.standard_error),
            zero_variance=flat,
            **no_test,
        )

    def tables(self, names: Iterable[str], n_learners: int) -> dict[str, Any]:
        """Return fields as new arrays of shape (n_learners, n_learners), to be written to."""
        shape = n_learners, n_learners
        return {name: np.array(np.broadcast_to(getattr(self, name), shape)) for name in names}

    def take(self, first: ArrayLike, second: ArrayLike) -> PairedComparison:
        """Return the pairs of some learners with some others.

        Parameters
        ----------
        first, second : array-like of int
            Rows and columns of an array of pairs of shape (n_learners, n_learners).

        Returns
        -------
        PairedComparison
            Fields of shape (len(first), len(second)).
        """
        where = np.ix_(np.asarray(first, dtype=int), np.asarray(second, dtype=int))
        taken = {
            field.name: value[where]
            for field in fields(self)
            if isinstance(value := getattr(self, field.name), np.ndarray)
        }
        return replace(self, **taken)


def pair_table(
    pairs: tuple[Any, Any], n_learners: int, above: Any, below: Any, diagonal: Any = np.nan
) -> Any:
    """Return a square table of values of pairs of learners.

    Parameters
    ----------
    pairs : tuple of two ndarrays of shape (n_pairs,), int
        First and second learner of each pair.
    n_learners : int
        Rows and columns of the table.
    above, below : array-like of shape (n_pairs,)
        For the first (row) against the second (column), and the other way around.
    diagonal : object
        For a learner against itself, and for pairs that are not listed.

    Returns
    -------
    ndarray of shape (n_learners, n_learners)
        Of the type of the diagonal.
    """
    table = np.full((n_learners, n_learners), diagonal)
    table[pairs] = above
    table.T[pairs] = below
    return table


def compare_by_t(
    mean: Floats,
    standard_error: Floats,
    n_scores: int,
    *,
    scale: ArrayLike,
    df: float | None = None,
    numerator: Floats | None = None,
    denominator: Floats | None = None,
    interval_df: float | None = None,
    tail: Callable[[Floats, float], Floats] = upper_tail,
) -> PairedComparison:
    """Return statistics and p values of t = numerator / denominator, limits where it is 0.

    Parameters
    ----------
    mean, standard_error : ndarray of shape (...)
        Mean difference and its standard error.
    n_scores : int
        Number of paired scores of each pair.
    scale : array-like that broadcasts to (...)
        Largest absolute score behind the differences, to tell variance from rounding noise;
        see `score_scale`.
    df : float, optional
        Degrees of freedom of the statistic, inf for the normal distribution; n_scores - 1 if
        left out.
    numerator, denominator : ndarray of shape (...), optional
        Parts of the statistic; mean and standard error if left out.
    interval_df : float, optional
        Degrees of freedom of the interval; those of the statistic if left out.
    tail : callable
        P(T > statistic) for statistics of at least 0 and the degrees of freedom.

    Returns
    -------
    PairedComparison
        Fields of shape (...).
    """
    df = n_scores - 1 if df is None else df
    numerator = mean if numerator is None else numerator
    denominator = standard_error if denominator is None else denominator
    zero = is_noise(denominator, scale)
    same = zero & is_noise(numerator, scale)
    statistic = np.divide(numerator, denominator, out=np.zeros_like(numerator), where=~zero)
    if zero.any():
        statistic = np.where(zero & ~same, np.copysign(np.inf, numerator), statistic)
    outside = tail(np.abs(statistic), df)
    inside = 1 - outside
    if same.any():  # then both one-sided p values are that of the inside
        inside = np.where(same, 1.0, inside)
    return PairedComparison(
        mean=np.where(is_noise(mean, scale), 0.0, mean),
        statistic=statistic,
        df=np.full_like(statistic, df),
        standard_error=np.where(is_noise(standard_error, scale), 0.0, standard_error),
        # exactly `outside` on one side, and without a branch, which would cost time
        p_greater=outside + (inside - outside) * (statistic <= 0),
        p_less=outside + (inside - outside) * (statistic >= 0),
        p_two_sided=np.minimum(1.0, 2 * outside),
        zero_variance=zero,
        n_scores=n_scores,
        interval_df=df if interval_df is None else interval_df,
    )


def score_scale(differences: Floats, scale: ArrayLike | None) -> Floats:
    """Return the largest absolute score behind each pair, guessed where it is unknown.

    Parameters
    ----------
    differences : ndarray of shape (..., n_scores)
        First minus second.
    scale : array-like that broadcasts to (...) or None
        The largest absolute score of each pair if it is known.

    Returns
    -------
    ndarray of float
        Shape that broadcasts to (...).
    """
    if scale is None:
        return np.asarray(SCORES_PER_DIFFERENCE * np.abs(differences).max(axis=-1))
    return np.asarray(scale, dtype=float)


def check_differences(differences: ArrayLike, test: str) -> Floats:
    """Return differences as floats of shape (..., n_scores), or raise.

    Parameters
    ----------
    differences : array-like of shape (..., n_scores)
        First minus second.
    test : str
        Name of the caller, for the error message.

    Returns
    -------
    ndarray of float
        The same numbers.

    Raises
    ------
    DesignError
        If they are no numbers, not finite, or fewer than two per pair.
    """
    values = _finite(differences, f"differences of {test}")
    if values.ndim == 0 or values.shape[-1] < 2:
        raise DesignError(
            f"differences of {test} must be at least 2 per pair; got shape {values.shape}. "
            "Use more folds or repeats."
        )
    return values


def paired_scores(a: ArrayLike, b: ArrayLike, test: str) -> tuple[Floats, float]:
    """Return the differences a - b and the largest absolute score, or raise.

    Parameters
    ----------
    a, b : array-like of float, of one shape
        Scores of two learners on the same splits.
    test : str
        Name of the caller, for the error message.

    Returns
    -------
    differences : ndarray of float
        In the shape of the input.
    scale : float
        Largest absolute score.

    Raises
    ------
    DesignError
        If the scores do not pair, are not finite, or are fewer than two.
    """
    first, second = _finite(a, f"scores of {test}"), _finite(b, f"scores of {test}")
    if first.shape != second.shape:
        raise DesignError(
            f"scores of {test} must pair, one of each learner per split; got shapes {first.shape} "
            f"and {second.shape}. Drop a split from both learners or from none."
        )
    if first.size < 2:
        raise DesignError(
            f"scores of {test} must be at least 2 per learner; got {first.size}. "
            "Use more folds or repeats."
        )
    return first - second, float(max(np.abs(first).max(), np.abs(second).max()))


def _finite(values: Any, what: str) -> Floats:
    rule = f"{what} must be numbers in a regular array"
    numbers = as_numbers(values, rule, "Use one number per split.")
    with np.errstate(all="ignore"):
        if np.isfinite(numbers.sum()):  # a sum is finite only if all its terms are
            return numbers
    bad = int(numbers.size - np.isfinite(numbers).sum())
    if bad:
        raise DesignError(
            f"{what} must be finite; got {bad} of {numbers.size} that are nan or infinite. "
            "Drop a failed split from both learners or from none."
        )
    return numbers
