"""Observers, which receive the progress of runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from bestofk.evaluation.record import RunRecord

if TYPE_CHECKING:
    from bestofk.evaluation.evaluation import Evaluation
    from bestofk.evaluation.request import EvaluationRequest
    from bestofk.evaluation.store import Store


class Observer:
    """Receiver of progress events; this one ignores them, subclasses show them."""

    def of_data_set(self, name: str, n_data_sets: int) -> Observer:
        """Return the observer of one of several data sets, whose runs take turns; here this one.

        Parameters
        ----------
        name : str
            Of the data set.
        n_data_sets : int
            How many there are.
        """
        return self

    def begin(self, weigh: Callable[[Evaluation], Any]) -> None:
        """Learn that a comparison begins, of one request for runs or of several.

        Parameters
        ----------
        weigh : callable
            Takes the evaluation as far as it went, and returns the `Findings` on it.
        """

    def end(self) -> None:
        """Learn that the comparison that was begun is over, or was interrupted."""

    def asked(self, request: EvaluationRequest) -> None:
        """Learn what is asked for, before anything is prepared."""

    def start(
        self,
        request: EvaluationRequest,
        store: Store,
        *,
        n_reused: Sequence[int],
        snapshot: Callable[[], Evaluation],
    ) -> None:
        """Learn that work begins.

        Parameters
        ----------
        request : EvaluationRequest
            What is to be run.
        store : Store
            Where runs are kept.
        n_reused : sequence of int
            For each learner, the runs found in the store.
        snapshot : callable
            Returns the evaluation as far as it went.
        """

    def passed_over(self, n_runs: int) -> None:
        """Take note of stored runs that are not reused, since another version made them."""

    def running(self, learner_indices: Sequence[int]) -> None:
        """Learn which learners (by position) are trained from now on."""

    def finished(self, learner_index: int, records: Sequence[RunRecord], store: Store) -> None:
        """Learn that runs of a learner (by position) ended; `store.n_written` runs are safe."""

    def looked(self, goes_on: Sequence[bool]) -> None:
        """Learn which learners are repeated further after an interim analysis."""

    def provisional(self, verdict: str) -> None:
        """Learn the verdict so far, in one sentence, where training rows grow."""

    def waiting(self, text: str) -> None:
        """Learn why nothing happens, in one or two sentences."""

    def stop(self) -> None:
        """Learn that work ended or was interrupted; everything finished is safe."""
