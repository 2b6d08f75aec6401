"""Estimates over repeats and runs: their course, their distribution, how alike and reproducible."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk.array_types import Floats, Ints
from bestofk.errors import DesignError
from bestofk.inference.checks import Names, as_numbers, learner_table, names_of_columns
from bestofk.measures.ties import at_most, is_noise, tied_differences, tied_values
from bestofk.words import fixed

if TYPE_CHECKING:
    import pandas as pd


def running_means(values: ArrayLike, *, names: Names = None) -> Floats:
    """Return the mean of the repeats so far, for every learner after every repeat.

    Parameters
    ----------
    values : array-like of shape (n_repeats, n_learners), float
        Mean score of each repeat; nan where it was not done.
    names : sequence of str, optional
        Names of the learners; required with more learners than repeats.

    Returns
    -------
    ndarray of shape (n_repeats, n_learners), float
        Held where a repeat was not done; nan before the first one.

    Raises
    ------
    DesignError
        If the values are no regular table of numbers, one is infinite, or the table is transposed.

    Examples
    --------
    >>> running_means([[0.2], [0.4], [float("nan")], [0.9]]).round(3).tolist()
    [[0.2], [0.3], [0.3], [0.5]]
    """
    table, _ = repeat_table(values, "values of running_means", names)
    return _running_means(table)


def running_standard_errors(values: ArrayLike, *, names: Names = None) -> Floats:
    """Return the standard error of every running mean over the repeats so far.

    Parameters
    ----------
    values : array-like of shape (n_repeats, n_learners), float
        Mean score of each repeat; nan where it was not done.
    names : sequence of str, optional
        Names of the learners; required with more learners than repeats.

    Returns
    -------
    ndarray of shape (n_repeats, n_learners), float
        Standard deviation of the repeats so far over the root of their number; nan below two.

    Raises
    ------
    DesignError
        If the values are no regular table of numbers, one is infinite, or the table is transposed.

    Notes
    -----
    Given the rows of the data set, repeats with other seeds are independent draws. So this says
    how far the mean of endless repeats on these rows may lie, and nothing about other rows.

    Examples
    --------
    >>> running_standard_errors([[0.2], [0.4], [float("nan")], [0.9]]).round(3).tolist()
    [[nan], [0.1], [0.1], [0.208]]
    """
    table, _ = repeat_table(values, "values of running_standard_errors", names)
    _, away, counts = _from_start(table)
    total = np.cumsum(away, axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        squares = np.cumsum(away**2, axis=0) - total**2 / counts
        errors = np.sqrt(np.maximum(squares, 0.0) / (counts - 1) / counts)
    return np.asarray(np.where(counts > 1, errors, np.nan))


def last_crossing(values: ArrayLike, *, names: Names = None) -> Ints:
    """Return after how many repeats the order of every two running means was final.

    Parameters
    ----------
    values : array-like of shape (n_repeats, n_learners), float
        Mean score of each repeat; nan where it was not done. A learner that stopped early is
        held against the others with the mean it stopped with.
    names : sequence of str, optional
        Names of the learners; required with more learners than repeats.

    Returns
    -------
    ndarray of shape (n_learners, n_learners), int
        [i, j]: number of repeats at which the running means of i and j changed order for the
        last time, counted from 1; 0 if they never did. Symmetric. The maximum is the repeat
        after which the order of all never changed.

    Raises
    ------
    DesignError
        If the values are no regular table of numbers, one is infinite, or the table is transposed.

    Notes
    -----
    Means that agree in 12 digits are tied, and a tie is no change: two means that meet and part
    again the same way have not crossed. More repeats may bring another crossing, so the answer
    looks back and promises nothing [1]_.

    References
    ----------
    .. [1] Raeder, Hoens & Chawla (2010), Consequences of variability in classifier performance
       estimates, IEEE International Conference on Data Mining, section IV.

    Examples
    --------
    >>> last_crossing([[0.1, 0.2, 0.9], [0.2, 0.1, 0.9], [0.3, 0.1, 0.9]]).tolist()
    [[0, 3, 0], [3, 0, 0], [0, 0, 0]]
    """
    table, _ = repeat_table(values, "values of last_crossing", names)
    means = _running_means(table)
    n_repeats, k = means.shape
    last = np.zeros((k, k), dtype=np.int64)
    indices = np.arange(n_repeats)[:, None]
    for i in range(k):
        signs = _signs(means[:, [i]], means[:, i + 1 :])
        # place of the latest repeat up to each one at which the two were not tied
        known = np.maximum.accumulate(np.where(signs != 0, indices, -1), axis=0)
        held = np.where(known >= 0, np.take_along_axis(signs, np.maximum(known, 0), axis=0), 0)
        turned = (held[1:] != held[:-1]) & (held[:-1] != 0)
        last[i, i + 1 :] = (turned * (indices[1:] + 1)).max(axis=0, initial=0)
    return last + last.T


def repeat_table(values: Any, what: str, names: Names) -> tuple[Floats, tuple[str, ...]]:
    """Return scores of repeats as a table of floats, and the names of the learners, or raise.

    Parameters
    ----------
    values : array-like of shape (n_repeats, n_learners), float
        nan where a repeat was not done.
    what : str
        Their name in the error message.
    names : sequence of str or None
        Learners. Without any, a table of more learners than repeats is refused.

    Returns
    -------
    table : ndarray of shape (n_repeats, n_learners), float
        The same numbers.
    names : tuple of str
        One per learner.

    Raises
    ------
    DesignError
        If they are no regular table of numbers, one is infinite, or the table is transposed.
    InvalidArgumentError
        If names do not fit.
    """
    way_out = "Give one number per repeat and learner, nan where there is none."
    table = as_numbers(values, f"{what} must be numbers in a regular table", way_out)
    if table.ndim != 2 or np.isinf(table).any():
        got = f"shape {table.shape}" if table.ndim != 2 else "an infinite number"
        raise DesignError(
            f"{what} must be a table of one row per repeat and one finite number per learner; got "
            f"{got}. Write nan where a repeat was not done."
        )
    return table, names_of_columns(values, what, row="repeat", names=names)


def _running_means(table: Floats) -> Floats:
    start, away, counts = _from_start(table)
    with np.errstate(invalid="ignore"):
        return np.asarray(start + np.cumsum(away, axis=0) / counts)


def _from_start(table: Floats) -> tuple[Floats, Floats, Ints]:
    """Return the first score of each learner, all scores from there (0 if none), and counts."""
    done = np.isfinite(table)
    counts = np.cumsum(done, axis=0)
    first = np.argmax(done, axis=0)[None] if len(table) else np.zeros((0, table.shape[1]), int)
    # sums from the first score on keep constant scores exact
    start = np.take_along_axis(table, first, axis=0)
    return start, np.where(done, table - start, 0.0), counts


def _signs(mean: Floats, others: Floats) -> NDArray[np.int8]:
    """Return where one running mean lies above (1) or below (-1) others; 0 is tied or unknown."""
    with np.errstate(invalid="ignore"):
        difference = mean - others
        is_tie = is_noise(difference, np.maximum(np.abs(mean), np.abs(others)))
        return np.where(is_tie | np.isnan(difference), 0, np.sign(difference)).astype(np.int8)


# A skewness is clear if it is further from 0 than this many of its standard errors.
CLEAR_IN_ERRORS: Final = 2.0
# From this share on, one of two random repeats is perfect at least every second time.
SEPARABLE_SHARE: Final = 1 - math.sqrt(0.5)
# What source and measurement say of the skew; the figures are those of docs/estimates.md.
SKEW_ADVICE: Final = (
    "Raeder, Hoens and Chawla (2010) compare medians of skewed estimates, and prefer a tail of "
    "worse repeats as a sign that the learner suits the problem. On 21 data sets such a tail named "
    "the better of two learners in 50% of pairs, the better mean in 79%. Medians named the same "
    "learner as means in 157 of 158."
)


@dataclass(frozen=True)
class EstimateDistribution:
    """Distribution of the estimates of one learner over the repeats of a plan.

    Parameters
    ----------
    name : str
        The learner.
    n_repeats : int
        Repeats that were done.
    mean, median : float
        Of their estimates, in the unit of the measure; nan without a repeat.
    sd : float
        Standard deviation (n - 1); nan below two repeats.
    skewness : float
        Adjusted Fisher-Pearson coefficient; nan below three repeats or where all agree.
    best_share : float
        Share of repeats (0-1) at the best value that the measure can take; 0 for a measure
        without bound, nan without a repeat.
    better_than_mean_share : float
        Share of repeats (0-1) that alone look better than the mean of all, ties not counted;
        nan without a repeat.
    greater_is_better : bool
        Direction of the measure.
    """

    name: str
    n_repeats: int
    mean: float
    median: float
    sd: float
    skewness: float
    best_share: float
    better_than_mean_share: float
    greater_is_better: bool

    @property
    def mean_minus_median(self) -> float:
        """Mean less median, in the unit of the measure."""
        return self.mean - self.median

    @property
    def skewness_error(self) -> float:
        """Standard error of the skewness of that many normal values; nan below three."""
        return skewness_standard_error(self.n_repeats)

    @property
    def is_skewed(self) -> bool:
        """Return whether the skewness exceeds two standard errors; never below 5 repeats."""
        return abs(self.skewness) > CLEAR_IN_ERRORS * self.skewness_error

    @property
    def has_worse_tail(self) -> bool:
        """Return whether it is clearly skewed, with the tail at the worse end.

        That is a left skew of a score of which more is better, and a right skew of a loss.
        """
        return self.is_skewed and (self.skewness < 0) == self.greater_is_better

    @property
    def is_separable(self) -> bool:
        """Return whether one or two random repeats are perfect at least every second time."""
        return self.best_share >= SEPARABLE_SHARE

    def advice(self) -> tuple[str, ...]:
        """Return what to do about the shape, with reasons, one sentence or two each.

        Returns
        -------
        tuple of str
            First why the skewness is unknown or what it says, then the warning of separability.
        """
        said = [self._skewness_said()]
        if self.is_skewed:
            said.append(SKEW_ADVICE)
        if self.is_separable:
            said.append(self._separability())
        return tuple(said)

    def _skewness_said(self) -> str:
        if math.isnan(self.skewness):
            if self.n_repeats < 3:
                return f"The skewness is unknown: it needs 3 repeats; {self.n_repeats} were done."
            return f"The skewness is undefined: all {self.n_repeats} repeats gave {self.mean:.4g}."
        measured = (
            f"skewness {fixed(self.skewness, 2)}, standard error {fixed(self.skewness_error, 2)}"
        )
        if not self.is_skewed:
            return f"Not clearly skewed ({measured}): the mean is a fair summary."
        side = "worse" if self.has_worse_tail else "better"
        alone = f"{fixed(100 * self.better_than_mean_share, 0, whole=100)}% of the repeats"
        return (
            f"Clearly skewed ({measured}): a tail of {side} repeats pulls the mean. Compare "
            f"medians as well as means; {alone} alone look better than the mean of all."
        )

    def _separability(self) -> str:
        if self.best_share == 1:
            return (
                "Every repeat is perfect: these rows cannot rank it against another perfect "
                "learner. Look for an input that gives the answer away."
            )
        return (
            f"{fixed(100 * self.best_share, 0, whole=100)}% of the repeats are perfect: one or two "
            f"of them will often look better than the long run ({self.mean:.4g})."
        )


def estimate_distributions(
    values: ArrayLike, names: Names = None, *, greater_is_better: bool, best_value: float
) -> tuple[EstimateDistribution, ...]:
    """Describe how the estimates of every learner are spread over the repeats.

    Parameters
    ----------
    values : array-like of shape (n_repeats, n_learners), float
        Mean score of each repeat over its folds; nan where it was not done.
    names : sequence of str, optional
        Names of the learners; required with more learners than repeats. "learner 1" and so on if
        left out.
    greater_is_better : bool
        Direction of the measure.
    best_value : float
        The best that the measure can be: 1 for accuracy, 0 for an error rate, infinite where
        there is no bound.

    Returns
    -------
    tuple of EstimateDistribution
        One per learner, in the order given. What agrees in 12 digits is the same estimate.

    Raises
    ------
    DesignError
        If the values are no regular table of numbers, one is infinite, or the table is transposed.
    InvalidArgumentError
        If names do not fit.

    Notes
    -----
    Given the rows of the data set, repeats with other seeds are independent draws of one
    distribution. Its shape tells what a single repeat might have given, and why that differs
    from the long run [1]_. It tells nothing about other rows.

    References
    ----------
    .. [1] Raeder, Hoens & Chawla (2010), Consequences of variability in classifier performance
       estimates, IEEE International Conference on Data Mining, sections IV.B and VII.
    .. [2] Joanes & Gill (1998), Comparing measures of sample skewness and kurtosis, Journal of
       the Royal Statistical Society D 47(1). The adjusted coefficient is their G1.

    Examples
    --------
    >>> scores = [[0.99], [0.98], [0.99], [1.0], [0.80], [0.99]]
    >>> item = estimate_distributions(scores, ["lda"], greater_is_better=True, best_value=1.0)[0]
    >>> round(item.skewness, 2), round(item.skewness_error, 2), item.has_worse_tail
    (-2.41, 0.85, True)
    >>> round(item.mean, 3), round(item.median, 3), round(item.best_share, 3)
    (0.958, 0.99, 0.167)
    """
    table, labels = repeat_table(values, "values of estimate_distributions", names)
    return tuple(
        _describe(name, column[~np.isnan(column)], greater_is_better, best_value)
        for name, column in zip(labels, table.T, strict=True)
    )


def distributions_frame(distributions: Iterable[EstimateDistribution]) -> pd.DataFrame:
    """Return a table of distributions.

    Parameters
    ----------
    distributions : iterable of EstimateDistribution
        Of any learners.

    Returns
    -------
    DataFrame
        One row per learner: learner, n_repeats, mean, median, mean_minus_median, sd, skewness,
        skewness_error, is_skewed, has_worse_tail, best_share, is_separable,
        better_than_mean_share.

    Examples
    --------
    >>> result = estimate_distributions([[0.5], [0.7]], greater_is_better=True, best_value=1)
    >>> distributions_frame(result)[["learner", "n_repeats", "mean"]].round(3).values.tolist()
    [['learner 1', 2, 0.6]]
    """
    import pandas as pd

    listed = list(distributions)
    columns = (
        "n_repeats", "mean", "median", "mean_minus_median", "sd", "skewness", "skewness_error",
        "is_skewed", "has_worse_tail", "best_share", "is_separable", "better_than_mean_share",
    )  # fmt: skip
    table = {name: [getattr(item, name) for item in listed] for name in columns}
    return pd.DataFrame({"learner": [item.name for item in listed], **table})


def skewness_standard_error(n_values: int) -> float:
    """Return the standard error of the adjusted skewness of normal values.

    Parameters
    ----------
    n_values : int
        How many there are.

    Returns
    -------
    float
        sqrt(6 n (n - 1) / ((n - 2) (n + 1) (n + 3))); nan below three.

    Examples
    --------
    >>> round(skewness_standard_error(10), 3)
    0.687
    """
    n = n_values
    return math.sqrt(6 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3))) if n > 2 else math.nan


def _describe(
    name: str, row: Floats, greater_is_better: bool, best_value: float
) -> EstimateDistribution:
    scale = float(np.abs(row).max(initial=abs(best_value) if math.isfinite(best_value) else 0.0))
    row = tied_values(row, scale)
    n = len(row)
    is_constant = n > 0 and row.min() == row.max()
    mean = math.nan if not n else float(row[0] if is_constant else row.mean())
    better = row - mean if greater_is_better else mean - row
    return EstimateDistribution(
        name=name,
        n_repeats=n,
        mean=mean,
        median=float(np.median(row)) if n else math.nan,
        sd=float(row.std(ddof=1)) if n > 1 and not is_constant else (0.0 if n > 1 else math.nan),
        skewness=_skewness(row) if n > 2 and not is_constant else math.nan,
        best_share=float(is_noise(row - best_value, scale).mean()) if n else math.nan,
        better_than_mean_share=float((~at_most(better, 0, scale)).mean()) if n else math.nan,
        greater_is_better=greater_is_better,
    )


def _skewness(row: Floats) -> float:
    """Return the adjusted Fisher-Pearson skewness (G1 of Joanes & Gill 1998)."""
    n = len(row)
    away = row - row.mean()
    cubes = (away / row.std(ddof=1)) ** 3
    total = 0.0 if is_noise(cubes.sum(), np.abs(cubes).sum()) else cubes.sum()
    return float(n / ((n - 1) * (n - 2)) * total)


@dataclass(frozen=True, eq=False)
class EstimateSimilarity:
    """Closeness of the final estimates of each learner, in the unit of the measure.

    Parameters
    ----------
    mean, sd : ndarray of shape (n_learners,), float
        Mean and standard deviation (n - 1) over repetitions.
    mean_distance : ndarray of shape (n_learners,), float
        Mean absolute difference of two different repetitions (Gini); 0 where all agree.
    largest_distance : ndarray of shape (n_learners,), float
        Largest difference of two repetitions.
    """

    mean: Floats
    sd: Floats
    mean_distance: Floats
    largest_distance: Floats


def estimate_similarity(estimates: ArrayLike, *, names: Names = None) -> EstimateSimilarity:
    """Measure how close the final estimates of repetitions of an experiment are.

    Parameters
    ----------
    estimates : array-like of shape (n_runs, n_learners), float
        Final estimate of each learner in each repetition: another seed, or the stored repeats in
        another random order until a stopping rule ends them. At least two runs.
    names : sequence of str, optional
        Names of the learners; required with more learners than runs.

    Returns
    -------
    EstimateSimilarity

    Raises
    ------
    DesignError
        If the estimates are no table of finite numbers, of fewer than two runs, or the table is
        transposed.

    See Also
    --------
    bestofk.inference.many_learners.repeated_estimates : Whether their order is preserved.

    Notes
    -----
    Raeder, Hoens & Chawla (2010) ask that final estimates be "close" and that their order be
    preserved; they print R, which measures the second, and no figure of the first [1]_. The
    mean distance of two repetitions is the choice of this package. Two learners may have close
    estimates and no stable order, or the reverse. Random orders of the same repeats have repeats
    in common, so distances are too small where a rule uses a large part of them.

    References
    ----------
    .. [1] Raeder, Hoens & Chawla (2010), Consequences of variability in classifier performance
       estimates, IEEE International Conference on Data Mining, section V.

    Examples
    --------
    >>> similarity = estimate_similarity([[0.10, 0.3], [0.12, 0.3], [0.16, 0.3]])
    >>> similarity.mean_distance.round(3).tolist(), similarity.largest_distance.round(3).tolist()
    ([0.04, 0.0], [0.06, 0.0])
    """
    what = "estimates of estimate_similarity"
    table, _ = learner_table(estimates, what, row="run", names=names, min_columns=1)
    table = np.ascontiguousarray(table.T)  # sums over the runs of a learner
    ordered = np.sort(table - table[:, :1], axis=1)  # from the first, so that equal ones give 0
    n_runs = ordered.shape[1]
    # the k-th smallest is above k and below n - 1 - k others
    weights = 2 * np.arange(n_runs) - (n_runs - 1)
    return EstimateSimilarity(
        table[:, 0] + ordered.mean(axis=1),
        ordered.std(axis=1, ddof=1),
        ordered @ weights / (n_runs * (n_runs - 1) / 2),
        ordered[:, -1] - ordered[:, 0],
    )


def reproducibility_matrix(estimates: ArrayLike, *, names: Names = None) -> Floats:
    """Return the reproducibility R of every pair of learners.

    Parameters
    ----------
    estimates : array-like of shape (n_runs, n_learners), float
        Final estimate of each learner in each repetition of the experiment: another seed, or
        the stored repeats in another random order until a stopping rule ends them. At least two
        of both. What agrees in 12 significant digits is a tie.
    names : sequence of str, optional
        Names of the learners; required with more learners than runs.

    Returns
    -------
    ndarray of shape (n_learners, n_learners), float
        [i, j]: `reproducibility_r` of i and j, from 0 (either wins as often as the other) to 1
        (one always wins). Symmetric; 0 on the diagonal, where all tie.

    Raises
    ------
    DesignError
        If the estimates are no table of finite numbers, too few, or the table is transposed.

    See Also
    --------
    bestofk.inference.reproducibility_r : The same for one pair.

    Notes
    -----
    R does not depend on the direction of the measure, and does not say which learner wins [1]_.
    Random orders of the same stored repeats have repeats in common, so R is too high where a
    rule uses a large part of them.

    References
    ----------
    .. [1] Raeder, Hoens & Chawla (2010), Consequences of variability in classifier performance
       estimates, IEEE International Conference on Data Mining, equations 1 and 2.

    Examples
    --------
    >>> reproducibility_matrix([[0.1, 0.2], [0.2, 0.3], [0.3, 0.4], [0.2, 0.1]]).tolist()
    [[0.0, 0.5], [0.5, 0.0]]
    """
    what = "estimates of reproducibility_matrix"
    table = learner_table(estimates, what, row="run", names=names)[0].T
    first, second = np.triu_indices(len(table), k=1)
    scale = np.maximum(np.abs(table[first]), np.abs(table[second]))
    differences = tied_differences(table[first] - table[second], scale)
    matrix = np.zeros((len(table), len(table)))
    matrix[first, second] = np.abs(np.sign(differences).mean(axis=1))
    return matrix + matrix.T
