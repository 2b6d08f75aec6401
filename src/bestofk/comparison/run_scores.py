"""Stored runs as a source of scores for statistical procedures."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bestofk.comparison.evidence import active_learners, has_test_rows
from bestofk.comparison.planned_splits import sampling_of
from bestofk.errors import DesignError
from bestofk.evaluation import Evaluation, MeasuredScores, row_predictions
from bestofk.inference import Procedure, Sampling
from bestofk.inference.catalogue import ON_ROWS, ProcedureInput, input_of_rows, scores_as_taken
from bestofk.inference.sampling import refuse_order
from bestofk.stopping.history import RowsHistory, StoppingHistory


@dataclass(frozen=True, eq=False)
class RunScores:
    """Source of the scores and predictions of one comparison.

    Parameters
    ----------
    evaluation : Evaluation
        All runs.
    deciding : MeasuredScores
        Values of the deciding measure.
    history : StoppingHistory, RowsHistory or None
        Of an adaptive comparison.
    rope : float
        Half the width of the region of practical equivalence.
    order : sequence of str
        Learners that can be best.
    """

    evaluation: Evaluation
    deciding: MeasuredScores
    history: StoppingHistory | RowsHistory | None
    rope: float
    order: Sequence[str]

    @property
    def learners(self) -> list[str]:
        """Names of all learners."""
        return self.evaluation.names

    @property
    def contenders(self) -> list[str]:
        """Names of the learners that can be best, in the order given."""
        return [name for name in self.learners if name in self.order]

    def refusal(self, chosen: Procedure) -> str:
        """Return why a procedure cannot be applied; empty if it can.

        Rows of periods in order of time are not tested.
        """
        reason = refuse_order(chosen.name, self.evaluation.plan.scheme)
        if chosen.takes in ON_ROWS and reason:
            return f"plan of {chosen.name} must have no order in time; got forward. {reason}"
        if not chosen.takes.endswith("data-sets"):
            return ""
        return (
            f"data sets of {chosen.name} must be many; got one ({self.evaluation.data.name}). "
            "Compare on several: compare(learners, {name: data, ...})."
        )

    def input_of(self, chosen: Procedure, learners: Sequence[str]) -> ProcedureInput:
        """Return scores on shared splits, or predictions of the rows of the first repeat."""
        indices = [self.learners.index(name) for name in learners]
        if not chosen.takes.endswith("on-splits"):
            return self._rows(chosen, learners, indices)
        values, sampling = self.on_shared_splits(
            indices, chosen.name, needs_all_splits=chosen.needs_all_splits
        )
        keywords = {
            "sampling": sampling,
            "names": list(learners),
            "is_unstable": any(self.evaluation.learners[i].is_unstable for i in indices),
            "greater_is_better": self.deciding.measure.greater_is_better,
            "rope": self.rope,
        }
        return ProcedureInput(scores_as_taken(chosen, values), keywords)

    def on_shared_splits(
        self, learners: Sequence[int], test: str, *, needs_all_splits: bool
    ) -> tuple[NDArray[np.float64], Sampling]:
        """Return values of the deciding measure on the splits that some learners share.

        Parameters
        ----------
        learners : sequence of int
            Their positions.
        test : str
            Name of the caller, for the error message.
        needs_all_splits : bool
            Whether a learner that lacks a split takes no part.

        Returns
        -------
        values : ndarray of shape (n_learners, n_splits)
            In the unit of the measure, repeat by repeat.
        sampling : Sampling
            How the splits were made.

        Raises
        ------
        DesignError
            If a learner failed so often that it takes no part, or no split is left.
        """
        active = active_learners(
            self.evaluation, self.deciding, self.history, needs_all_splits=needs_all_splits
        )
        out = [self.learners[i] for i in learners if i not in active.learners]
        if out or not len(active.splits):
            reasons = "; ".join(f"{name}: {active.left_out[name]}" for name in out)
            raise DesignError(
                f"learners of {test} must have scores on shared splits; got "
                f"{reasons or 'no split that all have finished'}. Resume the run or leave one out."
            )
        values = self.deciding.values[list(learners)][:, active.splits]
        shared = ~np.isnan(values).any(axis=0)  # a learner may have been eliminated earlier
        splits, measure = active.splits[shared], self.deciding.measure
        return values[:, shared], sampling_of(self.evaluation.plan, splits, measure)

    def _rows(
        self, chosen: Procedure, learners: Sequence[str], indices: list[int]
    ) -> ProcedureInput:
        plan = self.evaluation.plan
        looks_at_all = chosen.takes == "losses-on-rows"
        splits = list(range(plan.n_folds))
        if looks_at_all:
            splits = sorted({*splits, *self._predicted_splits(indices)})
        rows = row_predictions(self.evaluation, indices, splits)
        numbers = np.concatenate([self.evaluation.test_rows[split] for split in splits])
        return input_of_rows(chosen, rows, learners, numbers, plan.n_folds, plan.n_repeats)

    def _predicted_splits(self, learners: Sequence[int]) -> list[int]:
        """Return the splits for which the predictions of all these learners are kept."""
        splits = range(len(self.evaluation.plan))
        return [split for split in splits if has_test_rows(self.evaluation, learners, [split])]
