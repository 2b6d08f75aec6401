"""Which of these K learners should I use on this data, how sure is that, and what did it cost?

The whole way in one call is `compare`; `BestOfK` is the same as a scikit-learn estimator.
The folders stand in the order in which data move:

``data``       features, target and roles, from files, frames and generators
``design``     which rows train and which test, decided before anything is trained
``evaluate``   learners meet splits; runs are stored, scores derived from them
``inference``  what paired scores show: tests, intervals, corrections
``learners``   catalogue of learners, and whatever has ``fit`` and ``predict``
``measures``   catalogue of measures with direction, range and need
``ordering``   evidence and preference give an order, a best learner, the candidates
``recommend``  which learner to try first on the next data set
``report``     tables, sentences, pictures, pages
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bestofk.comparison.best_of_k import BestOfK
    from bestofk.calibration.simulation import calibrate
    from bestofk.comparison.comparing import compare
    from bestofk.comparison.comparison import Comparison
    from bestofk.comparison.comparison_across import AcrossComparison
    from bestofk.curves.cost import cost_curve
    from bestofk.curves.imbalance import imbalance_effect
    from bestofk.curves.learning import learning_curve
    from bestofk.curves.noise import noise_curve
    from bestofk.curves.validation import validation_curve
    from bestofk.data import DataSet, load_data
    from bestofk.evaluation import Store
    from bestofk.measures import make_measure
    from bestofk.recommendation.session import recommend
    from bestofk.score_tables.score_table import judge_scores
    from bestofk.score_tables.across import judge_across
    from bestofk.score_tables.procedures import apply_to_scores

__version__ = "0.1.0"

_PLACES = {
    "AcrossComparison": "bestofk.comparison.comparison_across",
    "BestOfK": "bestofk.comparison.best_of_k",
    "Comparison": "bestofk.comparison.comparison",
    "DataSet": "bestofk.data",
    "Store": "bestofk.evaluation",
    "apply_to_scores": "bestofk.score_tables.procedures",
    "calibrate": "bestofk.calibration.simulation",
    "compare": "bestofk.comparison.comparing",
    "cost_curve": "bestofk.curves.cost",
    "imbalance_effect": "bestofk.curves.imbalance",
    "judge_across": "bestofk.score_tables.across",
    "judge_scores": "bestofk.score_tables.score_table",
    "learning_curve": "bestofk.curves.learning",
    "load_data": "bestofk.data",
    "make_measure": "bestofk.measures",
    "noise_curve": "bestofk.curves.noise",
    "recommend": "bestofk.recommendation.session",
    "validation_curve": "bestofk.curves.validation",
}

__all__ = [
    "AcrossComparison",
    "BestOfK",
    "Comparison",
    "DataSet",
    "Store",
    "__version__",
    "apply_to_scores",
    "calibrate",
    "compare",
    "cost_curve",
    "imbalance_effect",
    "judge_across",
    "judge_scores",
    "learning_curve",
    "load_data",
    "make_measure",
    "noise_curve",
    "recommend",
    "validation_curve",
]


class _Package(ModuleType):
    """The package; importing its folder ``recommend`` does not hide the function."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name == "recommend" and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for, so that importing costs nothing."""
    if name not in _PLACES:
        raise AttributeError(f"module 'bestofk' has no attribute {name!r}")
    value = getattr(importlib.import_module(_PLACES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
