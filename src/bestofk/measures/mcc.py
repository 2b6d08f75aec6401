"""Matthews correlation coefficient of predicted and true classes."""

from __future__ import annotations

import numpy as np

from bestofk.array_types import Floats
from bestofk.measures._segments import class_tallies
from bestofk.measures.measure import Measure, PredictionBatch


class Mcc(Measure):
    """Correlation of the predicted with the true classes, for any number of classes.

    1 is perfect, 0 no better than chance. It is 0 where all rows have one class, or all
    are predicted to be of one class, as in scikit-learn.

    References
    ----------
    .. [1] Matthews (1975), Comparison of the predicted and observed secondary structure
       of T4 phage lysozyme, Biochimica et Biophysica Acta 405.
    .. [2] Gorodkin (2004), Comparing two K-category assignments by a K-category
       correlation coefficient, Computational Biology and Chemistry 28.
    """

    name = "mcc"
    title = "Matthews correlation"
    minimum = -1.0

    def _values(self, batch: PredictionBatch) -> Floats:
        hits, true, predicted = class_tallies(batch)
        squared_rows = batch.lengths**2
        covariance = hits.sum(axis=1) * batch.lengths - (true * predicted).sum(axis=1)
        spread_true = (squared_rows - (true * true).sum(axis=1)).astype(np.float64)
        spread_predicted = (squared_rows - (predicted * predicted).sum(axis=1)).astype(np.float64)
        scale = np.sqrt(spread_true * spread_predicted)
        return np.where(scale > 0, covariance / np.where(scale > 0, scale, 1.0), 0.0)
