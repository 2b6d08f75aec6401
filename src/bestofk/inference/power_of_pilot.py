"""Power of a design, estimated from the differences of a pilot."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bestofk.errors import DesignError
from bestofk.inference.cautions import Caution, caution_if
from bestofk.inference.planned_test import checked_size
from bestofk.inference.power import (
    difference_floor,
    power_at,
    repeats_needed,
    rows_needed,
    smallest_difference,
)
from bestofk.inference.results.result import Result, number
from bestofk.inference.sampling import Sampling
from bestofk.inference.two_learners.paired_comparison import check_differences

FEW_SCORES = 10
_MODEL = (
    "All differences have the same variance, and the correlation that the test allows for is the "
    "true one."
)
_MORE_ROWS = (
    "With more rows the variance of a difference falls in proportion, and the true difference "
    "stays as it is."
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PowerResult(Result):
    """Power of a design, estimated from the scatter of the differences of a pilot.

    Parameters
    ----------
    test : str
        Name of the test that is planned.
    sd : float
        Standard deviation of the differences over splits, in the unit of the scores.
    alpha : float
        Level of the test of one pair: the level of the family over its number of hypotheses.
    power : float
        Probability with which a difference is to be shown.
    smallest : float
        Smallest true mean difference that the design shows with that probability.
    floor : float
        What `smallest` tends to with more and more repeats.
    difference : float
        The difference that matters.
    power_there : float
        Probability with which the design shows it.
    repeats_needed, rows_needed : float
        Repeats of the plan, or rows of the data, with which `power` is reached there; inf
        where no number of them would do.
    """

    test: str
    sd: float
    alpha: float
    power: float
    smallest: float
    floor: float
    difference: float
    power_there: float
    repeats_needed: float
    rows_needed: float

    def rows(self) -> list[tuple[str, str]]:
        """Return what `str` shows, as pairs of a short label and a text."""
        there = number(self.difference)
        return [
            ("smallest difference", f"{number(self.smallest)} with power {self.power:g}"),
            ("with endless repeats", number(self.floor)),
            (f"power at {there}", number(self.power_there)),
            (f"repeats for {there}", _count(self.repeats_needed)),
            (f"rows for {there}", _count(self.rows_needed)),
            ("level of one pair", number(self.alpha)),
        ]

    def __repr__(self) -> str:
        return f"PowerResult({self.test}: smallest difference {number(self.smallest)})"


def power_of_comparison(
    differences: ArrayLike,
    sampling: Sampling,
    *,
    difference: float,
    alpha: float = 0.05,
    power: float = 0.8,
    n_hypotheses: int = 1,
    test: str = "corrected-t",
    alternative: str = "two-sided",
) -> PowerResult:
    """Return what a design can show, from the differences of two learners in a pilot.

    Parameters
    ----------
    differences : array-like of shape (n_scores,)
        First minus second on the splits of the pilot.
    sampling : Sampling
        How the splits of the pilot were made.
    difference : float above 0
        The difference that matters; not the one that was found, whose power says nothing
        beyond its p value.
    alpha, power, n_hypotheses, test, alternative
        As for `smallest_difference`.

    Returns
    -------
    PowerResult
        Flagged ``"zero_variance"`` where the differences do not vary.

    Raises
    ------
    InvalidArgumentError
        If a number or a name is not allowed.
    DesignError
        If the differences are not finite or fewer than two, or the plan cannot carry the
        test.

    Examples
    --------
    >>> plan = Sampling("k-fold", 1, 5, n_train=120, n_test=30)
    >>> result = power_of_comparison([0.1, -0.1, 0.0, 0.1, -0.1], plan, difference=0.05)
    >>> print(result)
    power of corrected-t
      smallest difference   0.2523 with power 0.8
      with endless repeats  0.1401
      power at 0.05         0.0899
      repeats for 0.05      no number is enough
      rows for 0.05         3,820
      level of one pair     0.05
      ! Only 5 scores: true differences below 0.2523 are shown less often than 80% of the time.
    """
    values = check_differences(differences, "power_of_comparison").ravel()
    if values.size != sampling.n_scores:
        raise DesignError(
            f"differences of power_of_comparison must be one per split ({sampling.n_scores}); got "
            f"{values.size}. Give those of the pilot, without a gap."
        )
    sd = float(np.std(values, ddof=1))
    options = {"alpha": alpha, "n_hypotheses": n_hypotheses, "alternative": alternative,
               "test": test}  # fmt: skip
    planned = options | {"power": power}
    result = smallest_difference(sampling, sd, **planned)  # type: ignore[arg-type]
    sizes_known = sampling.n_train is not None and sampling.n_test is not None
    return PowerResult(
        procedure=f"power of {test}",
        n=values.size,
        assumptions=(_MODEL, _MORE_ROWS),
        flags=("zero_variance",) if sd == 0 else (),
        warnings=_cautions(sampling, sd, result, power),
        test=test,
        sd=sd,
        alpha=alpha / n_hypotheses,
        power=power,
        smallest=result,
        floor=difference_floor(sampling, sd, **planned),  # type: ignore[arg-type]
        difference=checked_size(difference, "difference", above_zero=True),
        power_there=power_at(difference, sampling, sd, **options),  # type: ignore[arg-type]
        repeats_needed=math.inf
        if test == "5x2cv-t"
        else repeats_needed(difference, sampling, sd, **planned),  # type: ignore[arg-type]
        rows_needed=rows_needed(difference, sampling, sd, **planned)  # type: ignore[arg-type]
        if sizes_known
        else math.nan,
    )


def _cautions(sampling: Sampling, sd: float, smallest: float, power: float) -> tuple[Caution, ...]:
    n_scores = sampling.n_scores
    flat = "The differences of the pilot do not vary, so it says nothing about what can be shown."
    few = (
        f"Only {n_scores} scores: true differences below {number(smallest)} are shown less often "
        f"than {100 * power:g}% of the time."
    )
    return (
        *caution_if(sd == 0, "degenerate", flat),
        *caution_if(sd > 0 and n_scores < FEW_SCORES, "few-scores", few),
    )


def _count(value: float) -> str:
    if math.isnan(value):
        return "unknown: the sizes are not known"
    return "no number is enough" if math.isinf(value) else f"{value:,.0f}"
