"""Which learners are resampled jointly, and what do they predict for whole repeats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk.data import DataSet
from bestofk.design import Plan
from bestofk.design.plan import FoldPlan
from bestofk.errors import InvalidArgumentError
from bestofk.evaluate.run import RunnableLearner
from bestofk.learners.joint import JointForm, JointPredictions, joint_form
from bestofk.randomness import derive_seed

AUTO, ALWAYS, NEVER = "auto", "always", "never"
JOINT_CHOICES = (AUTO, ALWAYS, NEVER)


@dataclass(frozen=True, eq=False)
class JointWay:
    """One learner on one data set in its joint form, asked for whole repeats of a plan.

    Parameters
    ----------
    form : JointForm
        Made for the data set and the number of folds.
    plan : FoldPlan
        The splits.
    learner : RunnableLearner
        The plain learner.
    """

    form: JointForm
    plan: FoldPlan
    learner: RunnableLearner

    def predict(self, repeats: Sequence[int], seeds: NDArray[Any]) -> JointPredictions:
        """Predict all rows of some repeats.

        Parameters
        ----------
        repeats : sequence of int
            Positions in the plan.
        seeds : ndarray of shape (n_repeats, n_folds) of int
            The seed of every run, as the plain way gets it.
        """
        states = self._random_states(seeds) if self.form.is_random else None
        return self.form.predict(self.plan.folds[list(repeats)], states)

    @cached_property
    def _state_name(self) -> str:
        estimator = self.learner.estimator
        steps = getattr(estimator, "steps", None)
        return "random_state" if steps is None else f"{steps[-1][0]}__random_state"

    def _random_states(self, seeds: NDArray[Any]) -> NDArray[np.int64]:
        name = self._state_name
        if name not in self.learner.unseeded:
            fixed = self.learner.estimator.get_params()[name]
            return np.full(seeds.shape, fixed, dtype=np.int64)
        states = [derive_seed(int(seed), name) for seed in seeds.ravel()]
        return np.array(states, dtype=np.int64).reshape(seeds.shape)


def check_joint(joint: Any) -> str:
    """Return how joint forms are used, or raise."""
    if joint not in JOINT_CHOICES:
        raise InvalidArgumentError(
            f"joint must be one of {', '.join(JOINT_CHOICES)}; got {joint!r}. 'auto' trains "
            "learners jointly where that gives the same predictions and costs no more."
        )
    return str(joint)


def joint_way(
    learner: RunnableLearner, data: DataSet, plan: Plan, joint: str = AUTO
) -> JointWay | None:
    """Return the joint way of a learner on a data set; None where it goes the plain way.

    Depends on the data set, the learner and the kind of plan alone: never on the number of
    repeats, on what a store holds or on the machine.

    Parameters
    ----------
    learner : RunnableLearner
        The plain learner.
    data : DataSet
        The rows; with weights every learner goes the plain way.
    plan : Plan
        Every row must be tested once in each repeat.
    joint : {"auto", "always", "never"}
        Whether joint forms are used: where they are not slower, wherever there is one, never.
    """
    if joint == NEVER or not isinstance(plan, FoldPlan) or data.sample_weight is not None:
        return None
    form = joint_form(
        learner.estimator, data.features, data.target_array, data.y, data.classes, plan.n_folds,
        even_if_slower=joint == ALWAYS,
    )  # fmt: skip
    return None if form is None else JointWay(form, plan, learner)
