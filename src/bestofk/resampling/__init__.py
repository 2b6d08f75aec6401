"""Resampling: training and test rows of every split, fixed before anything is trained.

A `Plan` is a list of splits with an identity.  `make_plan` makes one from a short
name ("10x10", "5x2", "loo", ...), an integer, or any scikit-learn splitter.
"""

from bestofk.resampling.forward import ForwardOptions, ForwardPlan
from bestofk.resampling.make_plan import check_repeats, choose_cv, make_plan
from bestofk.resampling.plan import FoldPlan, Plan, Split, SplitPlan

__all__ = [
    "FoldPlan", "ForwardOptions", "ForwardPlan", "Plan", "Split", "SplitPlan", "check_repeats",
    "choose_cv", "make_plan",
]  # fmt: skip
