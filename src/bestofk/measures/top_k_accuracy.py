"""Top-k accuracy: the true class is among the k most probable."""

from __future__ import annotations

import numpy as np

from bestofk.array_types import Floats
from bestofk.measures._segments import run_means
from bestofk.measures.measure import MeasureOfClasses, PredictionBatch


class TopKAccuracy(MeasureOfClasses):
    """Share of rows whose true class is among the k classes scored highest.

    Where classes tie for the last of the k places, a row counts the share of them that have a
    place; scikit-learn takes the later classes. Undefined (nan) where there are no more than k
    classes: every row would be right.

    Parameters
    ----------
    n_classes : int
        Number of classes of the data.
    k : int, default=2
        How many classes may be named.
    name : str
        The name by which it was asked for.

    References
    ----------
    .. [1] Russakovsky et al. (2015), ImageNet large scale visual recognition challenge,
       International Journal of Computer Vision 115.
    """

    needs = "scores"
    is_row_mean = True
    is_of_hits = True

    def __init__(self, n_classes: int, k: int = 2, name: str = "top_k_accuracy") -> None:
        self.name, self.title, self.k = name, f"top-{k} accuracy", k
        if k >= n_classes:
            self.undefined = f"{k} classes are named of {n_classes}, so every row is right"

    def _values(self, batch: PredictionBatch) -> Floats:
        scores = batch.probabilities if batch.probabilities is not None else batch.decision
        assert scores is not None  # the measure needs one of the two
        if self.undefined:
            return np.full(batch.n_runs, np.nan)
        if scores.ndim == 1:  # two classes and k = 1
            scores = np.column_stack([-scores, scores])
        own = scores[np.arange(len(scores)), batch.y_true][:, None]
        n_above = np.count_nonzero(scores > own, axis=1)
        n_tied = np.count_nonzero(scores == own, axis=1)
        return run_means(batch, np.clip((self.k - n_above) / n_tied, 0.0, 1.0))
