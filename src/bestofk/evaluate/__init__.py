"""Station 3: learners meet splits; what happens is kept, and scores are derived from it.

`evaluate` does the runs that a `Store` does not have yet and returns an `Evaluation`,
which computes any measure from the stored predictions.
"""

from bestofk.evaluate.evaluation import Evaluation, MeasuredScores
from bestofk.evaluate.interim import InterimAnalysis
from bestofk.evaluate.observer import Observer
from bestofk.evaluate.record import KEEPS, Predictions, RunRecord
from bestofk.evaluate.request import EvaluationRequest, SharedWork
from bestofk.evaluate.rows import RowPredictions, row_predictions
from bestofk.evaluate.runner import evaluate
from bestofk.evaluate.store import Store

__all__ = [
    "KEEPS",
    "Evaluation",
    "EvaluationRequest",
    "InterimAnalysis",
    "MeasuredScores",
    "Observer",
    "Predictions",
    "RowPredictions",
    "RunRecord",
    "SharedWork",
    "Store",
    "evaluate",
    "row_predictions",
]
