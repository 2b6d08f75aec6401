"""Confusion matrices of runs."""

from __future__ import annotations

import numpy as np

from bestofk.array_types import Ints
from bestofk.errors import InvalidArgumentError
from bestofk.measures.measure import PredictionBatch


def confusion_matrix(batch: PredictionBatch) -> Ints:
    """Count the test rows of each true and predicted class in every run.

    Parameters
    ----------
    batch : PredictionBatch
        Predictions of classes.

    Returns
    -------
    ndarray of shape (n_runs, n_classes, n_classes), int64
        Rows are true classes, columns predicted ones, both in the order of
        `batch.classes`.

    Raises
    ------
    InvalidArgumentError
        If values were predicted, not classes.

    Examples
    --------
    >>> import numpy as np
    >>> batch = PredictionBatch(
    ...     y_true=np.array([0, 1, 1]),
    ...     labels=np.array([0, 1, 0]),
    ...     starts=np.array([0, 3]),
    ...     classes=np.array(["no", "yes"]),
    ... )
    >>> confusion_matrix(batch).tolist()
    [[[1, 0], [1, 1]]]
    """
    if not batch.is_classification:
        raise InvalidArgumentError(
            "predictions of a confusion matrix must be classes; got values of a regression."
        )
    n_classes = len(batch.classes)
    shape = (batch.n_runs, n_classes, n_classes)
    cells = (batch.run_of_row * n_classes + batch.y_true) * n_classes + batch.labels
    return np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape)
