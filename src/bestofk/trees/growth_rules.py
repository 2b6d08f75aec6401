"""Rules of growth, shared by all tree learners."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from bestofk.array_types import Floats
from bestofk.trees._split_search import SplitRules

# Words for the compiled loops.
CRITERIA: Final = {"entropy": 0, "gini": 1, "hellinger": 2}
CHOICES: Final = {"worth": 0, "ratio": 1, "ratio-above-average": 2}
NOMINAL_SPLITS: Final = {"multiway": 0, "binary": 1, "subset": 2, "group": 3}
CLASS_RULES: Final = {"mean-over-pairs": 0, "mean-over-rest": 1, "max-over-rest": 2}


@dataclass(frozen=True)
class GrowthRules:
    """Requirements of a learner for every test and every node.

    Attributes
    ----------
    criterion : {"entropy", "gini", "hellinger"}
        Worth of a test: decrease of entropy (bits) or Gini impurity, or the Hellinger distance of
        the classes over the branches.
    choice : {"worth", "ratio", "ratio-above-average"}
        Comparison of attributes: by worth, by worth divided by split information, or by the latter
        among those of at least average worth.
    nominal_splits : {"multiway", "binary", "subset", "group"}
        One branch for each level; one level against the rest; two subsets; groups.
    min_branch : float
        Minimum weight of a branch; with more than two branches, of at least two.
    tenth_rule : bool
        Whether both sides of a numeric cut also need a tenth of the mean weight of a class, at most
        25.
    counts_weight : bool
        Whether known weight, not the number of known rows, decides if cuts are searched.
    min_split : float
        Minimum weight of a node to split.
    max_depth : float
        Largest number of tests above a leaf.
    min_decrease : float
        Minimum worth, times the node's share of all weight.
    takes_zero : bool
        Whether a test of worth 0 is better than none.
    takes_zero_levels : bool
        The same, but only for nominal tests.
    least_info : float
        Split information that a test must exceed if ratios decide.
    gap : float
        Neighboring values that differ by no more are not separated.
    tie : float
        A later candidate must be better by more than this; with 0, the gain of a nominal test is
        rounded as in Weka's Id3.
    numeric_penalty : bool
        Whether log2(possible cuts) / weight is subtracted from numeric worth (Quinlan 1996).
    missing : {"fractional", "most-frequent", "most-frequent-in-class"}
        Rows with an unknown value go to all branches in parts, or get a frequent value.
    class_rule : {"mean-over-pairs", "mean-over-rest", "max-over-rest"}
        Hellinger distance with more than two classes.
    alpha : float or None
        A test must be significant at this level by the chi-squared test of independence.
    bonferroni : bool
        Whether the p value of a cut is multiplied by the number of possible cuts.
    costs : ndarray of shape (n_attributes,) or None
        Cost of measuring each attribute.
    cost_rule : {"tan-schlimmer", "nunez", "idx"}
        Combination of worth and cost.
    cost_weight : float
        Exponent of the cost in the rule of Nunez.
    costs_paid_once : bool
        Whether an attribute tested above is free.
    intervals : {"equal-width", "equal-frequency", "kmeans", "mdl"} or None
        Method by which nodes divide numeric columns into intervals, one branch each; None for cuts.
    n_bins : int
        Most intervals.
    oblique : {"lda", "logistic"} or None
        Direction of the numeric columns that competes with the best of the other tests.
    threshold : {"midpoint", "value", "value-within-1e-6", "value-in-32-bits"}
        Threshold of a cut, as for `Columns.thresholds`.
    in_32_bits : bool
        Whether training values are rounded to numbers of 32 bits.
    explains : bool
        Whether all measures of tests are computed for display.
    """

    criterion: str = "entropy"
    choice: str = "worth"
    nominal_splits: str = "multiway"
    min_branch: float = 1.0
    tenth_rule: bool = False
    counts_weight: bool = False
    min_split: float = 2.0
    max_depth: float = np.inf
    min_decrease: float = -np.inf
    takes_zero: bool = False
    takes_zero_levels: bool = False
    least_info: float = 0.0
    gap: float = 0.0
    tie: float = 1e-9
    numeric_penalty: bool = False
    missing: str = "fractional"
    class_rule: str = "mean-over-pairs"
    alpha: float | None = None
    bonferroni: bool = False
    costs: Floats | None = None
    cost_rule: str = "tan-schlimmer"
    cost_weight: float = 1.0
    costs_paid_once: bool = False
    intervals: str | None = None
    n_bins: int = 5
    oblique: str | None = None
    threshold: str = "midpoint"
    in_32_bits: bool = False
    explains: bool = False

    @property
    def needs_split_info(self) -> bool:
        """Whether the split information of a test is used or shown."""
        return self.choice != "worth" or self.explains

    @cached_property
    def for_loops(self) -> Any:
        """Rules for the compiled loops: a `SplitRules`."""
        return SplitRules(
            self,
            CRITERIA[self.criterion],
            CLASS_RULES[self.class_rule],
            CHOICES[self.choice],
            NOMINAL_SPLITS[self.nominal_splits],
        )
