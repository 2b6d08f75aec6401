"""Comparison of K learners: which one to use, with what certainty and at what cost.

`compare` does everything in one call; `BestOfK` is the same as a scikit-learn estimator.
ARCHITECTURE.md shows the packages and which of them may import which.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import lazy_loader

if TYPE_CHECKING:
    from bestofk.calibration import calibrate as calibrate
    from bestofk.comparison import BestOfK as BestOfK
    from bestofk.comparison import Comparison as Comparison
    from bestofk.comparison import ComparisonAcross as ComparisonAcross
    from bestofk.comparison import compare as compare
    from bestofk.curves import cost_curve as cost_curve
    from bestofk.curves import imbalance_effect as imbalance_effect
    from bestofk.curves import learning_curve as learning_curve
    from bestofk.curves import noise_curve as noise_curve
    from bestofk.curves import validation_curve as validation_curve
    from bestofk.data import DataSet as DataSet
    from bestofk.data import load_data as load_data
    from bestofk.evaluation import Store as Store
    from bestofk.measures import make_measure as make_measure
    from bestofk.recommendation import recommend as recommend
    from bestofk.score_tables import apply_procedure as apply_procedure
    from bestofk.score_tables import compare_scores as compare_scores
    from bestofk.score_tables import compare_scores_across as compare_scores_across

__version__ = "0.1.0"

_load, _, _public = lazy_loader.attach(
    __name__,
    submod_attrs={
        "calibration": ["calibrate"],
        "comparison": ["BestOfK", "Comparison", "ComparisonAcross", "compare"],
        "curves": [
            "cost_curve",
            "imbalance_effect",
            "learning_curve",
            "noise_curve",
            "validation_curve",
        ],
        "data": ["DataSet", "load_data"],
        "evaluation": ["Store"],
        "measures": ["make_measure"],
        "recommendation": ["recommend"],
        "score_tables": ["apply_procedure", "compare_scores", "compare_scores_across"],
    },
)
__all__ = ["__version__", *_public]
# Names of version 0.1, which work for one more release.
_RENAMED = {
    "AcrossComparison": "ComparisonAcross",
    "apply_to_scores": "apply_procedure",
    "judge_across": "compare_scores_across",
    "judge_scores": "compare_scores",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for, so that importing costs nothing."""
    if name in _RENAMED:
        warnings.warn(
            f"bestofk.{name} is now bestofk.{_RENAMED[name]}; the old name goes with the next "
            "release.",
            DeprecationWarning,
            stacklevel=2,
        )
    return _load(_RENAMED.get(name, name))


def __dir__() -> list[str]:
    return sorted(__all__)
