"""Parameter counts of learners by formula, before fitting."""

from __future__ import annotations

import math
from typing import Any

from bestofk.checks import check_number
from bestofk.learners.catalogue import traits_of
from bestofk.learners.resolve import named_learner


def n_parameters(learner: Any, n_rows: int, n_features: int, n_classes: int) -> float:
    """Return the number of parameters of a learner by formula, for preferences by simplicity.

    Parameters
    ----------
    learner : str or object
        A name of the catalogue, or an estimator; of a pipeline the last step counts.
    n_rows : int, at least 1
        Training rows (N).
    n_features : int, at least 1
        Inputs (d).
    n_classes : int, at least 1
        Classes (c); 1 for regression.

    Returns
    -------
    float
        Priors c, nearest mean c d, linear c (d + 1) (logistic, discriminant, ridge), nearest
        neighbors N d, all as counted in [1]_; quadratic discriminant c (d (d + 1) / 2 + d + 1),
        Gaussian naive Bayes c (2 d + 1), with kernel densities N d; support vectors at most
        N d. A single tree has no formula: it is placed between linear and nearest neighbor, as
        in [1]_, at their geometric mean. Nan where nothing is known (forests, boosting,
        networks, other estimators).

    Raises
    ------
    InvalidArgumentError
        If a count is below 1, or there is no learner of that name.

    References
    ----------
    .. [1] Yildiz & Alpaydin (2006), Ordering and finding the best of K > 2 supervised learning
       algorithms, IEEE Transactions on Pattern Analysis and Machine Intelligence 28(3).

    Examples
    --------
    >>> [n_parameters(name, 75, 4, 3) for name in ("majority", "nearest-mean", "logistic", "1nn")]
    [3.0, 12.0, 15.0, 300.0]
    """
    for what, count in (("n_rows", n_rows), ("n_features", n_features), ("n_classes", n_classes)):
        check_number(
            count,
            f"{what} of n_parameters",
            low=1,
            way_out="Count the training rows, the inputs, and the classes (1 for regression).",
        )
    formula = traits_of(_made(learner)).n_parameters
    return math.nan if formula is None else float(formula(n_rows, n_features, n_classes))


def _made(learner: Any) -> Any:
    if not isinstance(learner, str):
        return learner
    return named_learner(learner)
