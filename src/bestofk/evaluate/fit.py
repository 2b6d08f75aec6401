"""What is a learner fitted to all rows: the model to use after the verdict."""

from __future__ import annotations

from typing import Any

import numpy as np

from bestofk.evaluate.evaluation import Evaluation
from bestofk.evaluate.run import RunnableLearner, fit_learner
from bestofk.randomness import derive_seed


def fit_on_all(evaluation: Evaluation, learner: int, *, random_state: int) -> Any:
    """Fit a clone of one learner to every row of the data set.

    Parameters
    ----------
    evaluation : Evaluation
        Holds the data set and the learners.
    learner : int
        Position of the learner.
    random_state : int
        What its random stream is derived from, with the names of data and learner.

    Returns
    -------
    estimator
        Fitted.
    """
    data, identity = evaluation.data, evaluation.identities[learner]
    runnable = RunnableLearner(
        evaluation.names[learner], evaluation.learners[learner].estimator, identity.unseeded
    )
    seed = derive_seed(random_state, data.id, identity.stream_name, "all rows")
    return fit_learner(runnable, data, np.arange(data.n_samples), seed=seed)
