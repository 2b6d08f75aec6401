"""Distribution of the estimates of single repeats: spread, skewness and ceiling."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import ArrayLike

from bestofk.array_types import Floats
from bestofk.inference.checks import Names
from bestofk.inference.many_learners.crossings import repeat_table
from bestofk.measures.ties import at_most, is_noise, tied_values
from bestofk.words import fixed

if TYPE_CHECKING:
    import pandas as pd

# A skewness is clear if it is further from 0 than this many of its standard errors.
CLEAR_IN_ERRORS: Final = 2.0
# From this share on, one of two random repeats is perfect at least every second time.
SEPARABLE_SHARE: Final = 1 - math.sqrt(0.5)
_SOURCE = "Raeder, Hoens and Chawla (2010)"


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
            said.append(self._hypothesis())
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
            f"Clearly skewed ({measured}): a tail of {side} repeats draws the mean. Compare "
            f"medians as well as means; {alone} alone look better than the mean of all."
        )

    def _hypothesis(self) -> str:
        fit = "suits the problem" if self.has_worse_tail else "fits the problem poorly"
        tail = "worse" if self.has_worse_tail else "better"
        return (
            f"{_SOURCE} hypothesize that a learner whose tail is on the {tail} side {fit}. "
            "It is their hypothesis; no verdict here rests on it."
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
        Learners, needed where they are more than the repeats; "learner 1" and so on if left
        out.
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
        If the values are no regular table of numbers, one is infinite, or the table lies on its
        side.
    InvalidArgumentError
        If names do not fit.

    Notes
    -----
    Given the rows of the data set, repeats with other seeds are independent draws of one
    distribution. Its shape tells what a single repeat would have shown, and why that differs
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
