"""Settings of a verdict: level, correction, equivalence and preference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bestofk.checks import check_known, check_number
from bestofk.errors import InvalidArgumentError
from bestofk.inference.checks import check_rope
from bestofk.inference.many_learners.pair_evidence import wanted_test
from bestofk.measures import Measure

# Both hold under any dependence between the tests, which others do not.
CORRECTIONS = ("holm", "bonferroni")
# What of its repeats a learner is picked by.
CENTERS = ("mean", "median")


@dataclass(frozen=True)
class VerdictSettings:
    """Settings for weighing evidence and preference; checked when they are made.

    Parameters
    ----------
    test : str
        Name of the paired test.
    correction : {"holm", "bonferroni"}
        Correction of the family; the candidates always use Holm.
    alpha : float in (0, 1)
        Level of each family.
    prefer : str, sequence of str, mapping or None
        The preference, as `order_by_preference` takes it; None for the lowest mean loss.
    rope : float or None
        Half the width of the region of practical equivalence, in the unit of the measure;
        0 asks for differences of any size, None for the region of `usual_rope`.
    feature_costs : mapping of str to float or None
        Cost of each feature, for the preference "feature-cost".
    center : {"mean", "median"}
        Whether the pick has the lowest mean or the lowest median of its repeats, where nothing is
        preferred; tests are about means.

    Raises
    ------
    InvalidArgumentError
        If the test, the correction or the center is unknown, the level or the region is not
        allowed, or a median is asked for where a preference decides.
    """

    test: str = "corrected-t"
    correction: str = "holm"
    alpha: float = 0.05
    prefer: Any = None
    rope: float | None = None
    feature_costs: Mapping[str, float] | None = None
    center: str = "mean"

    def __post_init__(self) -> None:
        wanted_test(self.test)
        check_known(self.correction, "correction", CORRECTIONS)
        check_known(self.center, "center", CENTERS, rule="'mean' or 'median'")
        if self.center == "median" and self.prefer is not None:
            raise InvalidArgumentError(
                "center must be 'mean' where a preference decides; got 'median'. Leave out one of "
                "them."
            )
        check_number(
            self.alpha, "alpha", low=0, high=1, is_open="both", way_out="The usual is 0.05."
        )
        if self.rope is not None:
            object.__setattr__(self, "rope", check_rope(self.rope))
        if self.prefer is not None and not isinstance(self.prefer, str | Mapping):
            object.__setattr__(self, "prefer", tuple(self.prefer))

    def rope_of(self, measure: Measure) -> float:
        """Return half the width of the region: the one that was asked for, or the usual one."""
        return usual_rope(measure) if self.rope is None else self.rope


USUAL = VerdictSettings()


def usual_rope(measure: Measure) -> float:
    """Return half the width of the usual region of practical equivalence.

    Parameters
    ----------
    measure : Measure
        The deciding measure.

    Returns
    -------
    float
        0.01 for measures from 0 to 1, such as error rates; 0 for others, whose unit is
        unknown.

    Examples
    --------
    >>> from bestofk.measures import get_measure
    >>> usual_rope(get_measure("error", task="classification", classes=[0, 1]))
    0.01
    """
    return 0.01 if (measure.minimum, measure.maximum) == (0, 1) else 0.0
