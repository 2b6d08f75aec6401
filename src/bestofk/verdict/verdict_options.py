"""Options of a verdict: level, correction, equivalence and preference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bestofk.checks import check_known, check_number
from bestofk.errors import InvalidArgumentError
from bestofk.options import option

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from bestofk.measures import Measure

# Both hold under any dependence between the tests, which others do not.
CORRECTIONS = ("holm", "bonferroni")
# What of its repeats a learner is picked by.
CENTERS = ("mean", "median")


@dataclass(frozen=True)
class VerdictOptions:
    """Options for weighing evidence and preference; checked when they are made.

    Parameters
    ----------
    prefer : str, list of names, mapping of names to costs, or None
        None: best is the lowest mean loss; with ``cv="adaptive"`` the first listed learner
        that is within half of `rope` of it.  Otherwise MultiTest weighs the evidence against
        this preference, most preferred first: "given", by measured "fit-time", "predict-time"
        or "size", by the number of "parameters", by "feature-cost", as listed, or by a table
        of own costs.
    feature_costs : mapping of str to float, optional
        Cost of each feature, for ``prefer="feature-cost"``; others cost nothing.
    test : str, default="corrected-t"
        Paired test behind every statement: "corrected-t", "5x2cv-t", "paired-t",
        "calibrated-t" or "sorted-runs-t"; on a single test set rows are compared, by
        "mcnemar" for errors, "delong" for AUROC, "cv-central-limit" for other means over rows.
    correction : {"holm", "bonferroni"}, default="holm"
        Correction of a family of tests.
    alpha : float in (0, 1), default=0.05
        Level of a family.
    rope : float, optional
        Half the width of the region of practical equivalence, in the unit of the deciding
        measure: smaller differences do not matter. With ``cv="adaptive"`` learners that differ
        by half of it or less are tied. 0 asks for differences of any size. None: 0.01 (a point)
        for shares, AUROC and R squared, else 2% of the lowest mean loss.
    center : {"mean", "median"}, default="mean"
        Whether the pick has the lowest mean of its repeats or the lowest median, which a few bad
        repeats do not move; for plans without preference. Tests are about means in both cases.

    Raises
    ------
    InvalidArgumentError
        If the test, the correction or the center is unknown, the level or the region is not
        allowed, or a median is asked for where a preference decides.
    """

    test: str = option("corrected-t", "corrected-t, 5x2cv-t, paired-t ...", rule="a text")
    correction: str = option("holm", "holm or bonferroni.", rule="a text")
    alpha: float = option(0.05, "Level of a family of tests.", rule="a number")
    prefer: Any = option(
        None, "given, fit-time, predict-time, size, parameters, or all learners.",
        rule="a text, a list of learners or a table of costs", example="fit-time",
    )  # fmt: skip
    rope: float | None = option(
        None, "Differences up to this do not matter; 0: all do.", rule="a number", example=0.01
    )
    feature_costs: Mapping[str, float] | None = option(None)
    center: str = option(
        "mean", "mean or median of the repeats decides; tests are about means.",
        rule="a text", example="median",
    )  # fmt: skip

    def __post_init__(self) -> None:
        from bestofk.inference.checks import check_rope, check_share
        from bestofk.inference.many_learners.pair_evidence import wanted_test

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
        check_share(self.alpha, "alpha", least=1e-9)
        if self.rope is not None:
            object.__setattr__(self, "rope", check_rope(self.rope))
        if self.prefer is not None and not isinstance(self.prefer, str | Mapping):
            object.__setattr__(self, "prefer", tuple(self.prefer))

    def rope_of(self, measure: Measure, losses: ArrayLike = ()) -> float:
        """Return half the width of the region: the one asked for, or `usual_rope` of losses."""
        from bestofk.measures.equivalence import usual_rope

        return usual_rope(measure, losses) if self.rope is None else self.rope
