"""Comparison of K learners: which one to use, with what certainty and at what cost.

`compare` does everything in one call; `BestOfK` is the same as a scikit-learn estimator.
ARCHITECTURE.md shows the packages and which of them may import which.
"""

from __future__ import annotations

import importlib
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bestofk.calibration import calibrate
    from bestofk.comparison import BestOfK, Comparison, ComparisonAcross, compare
    from bestofk.curves import (
        cost_curve,
        imbalance_effect,
        learning_curve,
        noise_curve,
        validation_curve,
    )
    from bestofk.data import DataSet, load_data
    from bestofk.evaluation import Store
    from bestofk.measures import make_measure
    from bestofk.recommendation import recommend
    from bestofk.score_tables import apply_procedure, compare_scores, compare_scores_across

__version__ = "0.1.0"

_HOMES = {
    "BestOfK": "comparison",
    "Comparison": "comparison",
    "ComparisonAcross": "comparison",
    "DataSet": "data",
    "Store": "evaluation",
    "apply_procedure": "score_tables",
    "calibrate": "calibration",
    "compare": "comparison",
    "compare_scores": "score_tables",
    "compare_scores_across": "score_tables",
    "cost_curve": "curves",
    "imbalance_effect": "curves",
    "learning_curve": "curves",
    "load_data": "data",
    "make_measure": "measures",
    "noise_curve": "curves",
    "recommend": "recommendation",
    "validation_curve": "curves",
}
# Names of version 0.1, which work for one more release.
_RENAMED = {
    "AcrossComparison": "ComparisonAcross",
    "apply_to_scores": "apply_procedure",
    "judge_across": "compare_scores_across",
    "judge_scores": "compare_scores",
}

__all__ = [
    "BestOfK",
    "Comparison",
    "ComparisonAcross",
    "DataSet",
    "Store",
    "__version__",
    "apply_procedure",
    "calibrate",
    "compare",
    "compare_scores",
    "compare_scores_across",
    "cost_curve",
    "imbalance_effect",
    "learning_curve",
    "load_data",
    "make_measure",
    "noise_curve",
    "recommend",
    "validation_curve",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for, so that importing costs nothing."""
    if name in _RENAMED:
        warnings.warn(
            f"bestofk.{name} is now bestofk.{_RENAMED[name]}; the old name goes with the next "
            "release.",
            DeprecationWarning,
            stacklevel=2,
        )
        name = _RENAMED[name]
    if name not in _HOMES:
        raise AttributeError(f"module 'bestofk' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"bestofk.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
