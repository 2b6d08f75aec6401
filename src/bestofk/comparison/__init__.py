"""Comparison of learners on one data set or several."""

from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from bestofk.comparison.best_of_k import BestOfK as BestOfK
    from bestofk.comparison.comparison import Comparison as Comparison
    from bestofk.comparison.comparison_across import ComparisonAcross as ComparisonAcross
    from bestofk.comparison.entry_point import compare as compare

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "best_of_k": ["BestOfK"],
        "comparison": ["Comparison"],
        "comparison_across": ["ComparisonAcross"],
        "entry_point": ["compare"],
    },
)
