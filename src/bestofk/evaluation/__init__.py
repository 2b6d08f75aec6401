"""Evaluation of learners on splits; runs are kept, and scores are derived from them.

`evaluate` does the runs that a `Store` does not have yet and returns an `Evaluation`,
which computes any measure from the stored predictions.
"""

from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from bestofk.evaluation.evaluation import Evaluation, MeasuredScores
    from bestofk.evaluation.interim import InterimAnalysis
    from bestofk.evaluation.observer import Observer
    from bestofk.evaluation.record import KEEPS, Predictions, RunRecord
    from bestofk.evaluation.request import EvaluationCache, EvaluationRequest
    from bestofk.evaluation.rows import RowPredictions, row_predictions
    from bestofk.evaluation.runner import evaluate
    from bestofk.evaluation.store import Store

__all__ = [
    "KEEPS",
    "Evaluation",
    "EvaluationCache",
    "EvaluationRequest",
    "InterimAnalysis",
    "MeasuredScores",
    "Observer",
    "Predictions",
    "RowPredictions",
    "RunRecord",
    "Store",
    "evaluate",
    "row_predictions",
]

__getattr__, __dir__, _ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "evaluation": ["Evaluation", "MeasuredScores"],
        "interim": ["InterimAnalysis"],
        "observer": ["Observer"],
        "record": ["KEEPS", "Predictions", "RunRecord"],
        "request": ["EvaluationCache", "EvaluationRequest"],
        "rows": ["RowPredictions", "row_predictions"],
        "runner": ["evaluate"],
        "store": ["Store"],
    },
)
