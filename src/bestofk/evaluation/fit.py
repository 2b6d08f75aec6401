"""Fit of a learner to all rows: the model to use after the verdict."""

from contextlib import closing
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator

from bestofk.errors import RunError
from bestofk.evaluation.evaluation import Evaluation
from bestofk.evaluation.guarded.guard import GuardedProcess
from bestofk.evaluation.queue.worker import FitJob, Payload, PayloadFile
from bestofk.evaluation.run import fit_learner, runs_here
from bestofk.randomness import derive_seed


def fit_on_all(evaluation: Evaluation, learner_index: int, *, random_state: int) -> Any:
    """Fit a clone of one learner to every row of the data set.

    Parameters
    ----------
    evaluation : Evaluation
        Holds the data set and the learners.
    learner_index : int
        Position of the learner.
    random_state : int
        What its random stream is derived from, with the names of data and learner.

    Returns
    -------
    estimator
        Fitted.

    Raises
    ------
    RunError
        If another thread does runs, so that a process of its own fits the learner, and that
        process dies. Whatever the learner raises is not caught.
    """
    data, identity = evaluation.data, evaluation.identities[learner_index]
    learner = evaluation.learners[learner_index]
    if learner.members:
        fitted = [
            fit_on_all(evaluation, evaluation.names.index(name), random_state=random_state)
            for name in learner.members
        ]
        names = [name for name, _ in learner.estimator.estimators]
        frozen = list(zip(names, map(FrozenEstimator, fitted), strict=True))
        average = clone(learner.estimator).set_params(estimators=frozen)
        average.fit(data.features, data.target)
        return average.set_params(estimators=list(zip(names, fitted, strict=True)))
    seed = derive_seed(random_state, data.id, identity.stream_name, "all rows")
    with runs_here() as is_here:
        if is_here:
            return fit_learner(learner, data, np.arange(data.n_samples), seed=seed)
    payload = Payload(data, evaluation.plan, (learner,))
    with closing(PayloadFile(payload)) as file, closing(GuardedProcess(file)) as guard:
        try:
            fitted = guard.answer(FitJob(seed), timeout=None)
        except ChildProcessError as death:
            raise RunError(f"{learner.name} must be fitted to all rows; {death}.") from None
    if isinstance(fitted, Exception):
        raise fitted
    return fitted
