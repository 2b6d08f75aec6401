"""Settings of a verdict: level, correction, equivalence and preference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bestofk.errors import InvalidArgumentError, nearest_name
from bestofk.measures import Measure

CORRECTIONS = ("holm", "bonferroni")
# Half, so that the noise of a mean seldom takes a tie out of the region of equivalence.
_TIED_SHARE = 0.5


@dataclass(frozen=True)
class VerdictSettings:
    """Settings for weighing evidence and preference.

    Parameters
    ----------
    test : str
        Name of the paired test.
    correction : {"holm", "bonferroni"}
        Correction of the family.
    alpha : float
        Level of the family.
    prefer : str, sequence of str, mapping or None
        The preference; None for the lowest mean loss.
    rope : float or None
        Half the width of the region of practical equivalence, in the unit of the measure;
        None for that of `usual_rope`.
    feature_costs : mapping of str to float or None
        Cost of each feature, for the preference "feature-cost".
    """

    test: str = "corrected-t"
    correction: str = "holm"
    alpha: float = 0.05
    prefer: Any = None
    rope: float | None = None
    feature_costs: Mapping[str, float] | None = None

    def rope_of(self, measure: Measure) -> float:
        """Return half the width of the region: the one that was asked for, or the usual one."""
        return usual_rope(measure) if self.rope is None else self.rope


def usual_rope(measure: Measure) -> float:
    """Return half the width of the usual region of practical equivalence.

    Parameters
    ----------
    measure : Measure
        The deciding measure.

    Returns
    -------
    float
        0.01 for measures from 0 to 1, such as error rates; 0 for others, whose unit nobody
        knows.

    Examples
    --------
    >>> from bestofk.measures import get_measure
    >>> usual_rope(get_measure("error", task="classification", classes=[0, 1]))
    0.01
    """
    return 0.01 if (measure.minimum, measure.maximum) == (0, 1) else 0.0


def tie_width(rope: float) -> float:
    """Return by how much two mean losses differ at most that an adaptive comparison takes as tied.

    Repeats settle on which side of this two learners are, where those that are equally good keep
    changing places. In a plan of one's own nothing is tied: there the best is the lowest mean.

    Parameters
    ----------
    rope : float
        Half the width of the region of practical equivalence.

    Returns
    -------
    float
        Half of that.

    Examples
    --------
    >>> tie_width(0.01)
    0.005
    """
    return _TIED_SHARE * rope


def check_correction(correction: str) -> str:
    """Return how a family of an ordering is corrected, or raise.

    Parameters
    ----------
    correction : {"holm", "bonferroni"}
        Both hold under any dependence between the tests, which others do not.

    Returns
    -------
    str
        The same word.

    Raises
    ------
    InvalidArgumentError
        If it is neither.
    """
    if correction not in CORRECTIONS:
        raise InvalidArgumentError(
            f"correction must be a known one; got {correction!r}. "
            + nearest_name(correction, CORRECTIONS)
        )
    return correction
