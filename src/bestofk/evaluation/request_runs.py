"""Runs of one request: their keys, those that the store has, and results so far."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from bestofk.evaluation.batched_fit import BatchedFit
from bestofk.evaluation.collector import paused_collector
from bestofk.evaluation.evaluation import Evaluation
from bestofk.evaluation.identity import LearnerIdentity, identify
from bestofk.evaluation.record import KEEP_SCORES, OK, RunRecord
from bestofk.evaluation.request import EvaluationCache, EvaluationRequest
from bestofk.evaluation.run import RunnableLearner
from bestofk.evaluation.score import score_runs
from bestofk.evaluation.store.runs import StoredRun
from bestofk.evaluation.store.store import Store
from bestofk.evaluation.worker import Payload
from bestofk.randomness import derive_seeds
from bestofk.resampling import Plan


class RequestRuns:
    """All runs that a request asks for, as far as they are in the store or done by now.

    Parameters
    ----------
    request : EvaluationRequest
        What is to be run.
    store : Store
        Where finished runs are found and put.
    """

    def __init__(self, request: EvaluationRequest, store: Store) -> None:
        self.request, self.store = request, store
        self.shared = request.shared or EvaluationCache()
        self.identities = self.shared.identities
        if not self.identities:
            self.identities += [
                identify(learner.name, learner.estimator) for learner in request.learners
            ]
        runnable = tuple(
            RunnableLearner(learner.name, learner.estimator, identity.unseeded)
            for learner, identity in zip(request.learners, self.identities, strict=True)
        )
        self.payload = Payload(
            request.data, request.plan, runnable, request.batched, forms=self.shared.forms
        )
        # runs of this call by learner and position in the plan, and how many there are
        self.fresh: list[list[RunRecord | None]] = [
            [None] * len(request.plan) for _ in self.identities
        ]
        self.n_fresh = [0] * len(self.identities)
        self.n_fitted = 0
        fits = self.payload.fits  # made before the store is held
        store.mend()
        with store.transaction():
            self._register(fits)
        self.damaged = list(store.mended)

    def _register(self, fits: Sequence[BatchedFit | None]) -> None:
        """Enter in the store what runs refer to."""
        request, store = self.request, self.store
        self.data_number = store.register_data(request.data)
        self.plain_numbers = [store.register_learner(identity) for identity in self.identities]
        self.learner_numbers = [
            number if fit is None else store.register_learner(identity.batched_identity(fit.code))
            for fit, identity, number in zip(fits, self.identities, self.plain_numbers, strict=True)
        ]
        plan_number, self.splits = store.register_plan(request.plan)
        names = [learner.name for learner in request.learners]
        learners = list(zip(names, self.learner_numbers, strict=True))
        self.comparison_number = store.register_comparison(
            self.data_number, plan_number, request.random_state, learners
        )

    def _seeds(self, identity: LearnerIdentity) -> NDArray[np.int64]:
        """Return the seed of every run of a learner, shape (n_repeats, n_folds)."""
        request = self.request
        names = (request.random_state, request.data.id, identity.stream_name)
        return derive_seeds(*names, shape=(request.plan.n_repeats, request.plan.n_folds))

    def _find(self) -> None:
        """Find out which runs the store lacks."""
        limit = self.request.timeout or float("inf")
        self.seeds = [self._seeds(identity) for identity in self.identities]
        self.is_missing: list[NDArray[np.bool_]] = []
        # runs that the store had, of learners of which it had some on this plan
        self.stored: dict[int, dict[tuple[int, int], StoredRun]] = {}
        for index, (number, seeds) in enumerate(zip(self.learner_numbers, self.seeds, strict=True)):
            entered = self.store.finished(self.data_number, number, limit_seconds=limit)
            keys = list(zip(self.splits, seeds.ravel().tolist(), strict=True)) if entered else []
            is_missing = np.ones(seeds.shape, dtype=bool)
            if not entered.isdisjoint(keys):
                result = self.store.runs(
                    self.data_number,
                    number,
                    n_classes=len(self.request.data.classes),
                    limit_seconds=limit,
                )
                self.stored[index] = result
                is_missing.ravel()[:] = [key not in result for key in keys]
                is_damaged = [key in entered and key not in result for key in keys]
                self.damaged += self._run_names(index, np.flatnonzero(is_damaged).tolist())
            self.is_missing.append(is_missing)
        self.n_outdated = self._count_outdated()

    def _run_names(self, learner_index: int, indices: Sequence[int]) -> list[str]:
        """Return how runs of a learner are called: by its name, repeat and fold."""
        name, n_folds = self.request.learners[learner_index].name, self.request.plan.n_folds
        return [f"{name}, repeat {i // n_folds}, fold {i % n_folds}" for i in indices]

    def _count_outdated(self) -> int:
        """Count the runs that are missing but that other code has left in the store."""
        current = {*self.plain_numbers, *self.learner_numbers}
        n_outdated = 0
        whose = zip(self.identities, self.payload.fits, self.seeds, self.is_missing, strict=True)
        for identity, fit, seeds, is_missing in whose:
            if not is_missing.any():
                continue
            result = self.store.finished_by_other_code(
                self.data_number, identity.stream_name, is_batched=fit is not None, current=current
            )
            if result:
                keys = zip(self.splits, seeds.ravel().tolist(), strict=True)
                missing = compress(keys, is_missing.ravel().tolist())
                n_outdated += sum(key in result for key in missing)
        return n_outdated

    def _keep(
        self,
        number: int,
        learner_index: int,
        indices: list[int],
        records: list[RunRecord],
        *,
        is_counted: bool = True,
    ) -> None:
        """Hand runs to the store under the number of a learner."""
        request, seeds = self.request, self.seeds[learner_index].ravel()
        scores = None
        if request.keep == KEEP_SCORES and all(record.status == OK for record in records):
            rows = [request.plan.test_rows[index] for index in indices]
            scores = score_runs(request.measures, request.data, rows, records, request.positive)
        with paused_collector():
            self.store.add(
                (self.data_number, number),
                [self.splits[index] for index in indices],
                seeds[indices].tolist(),
                records,
                keep=request.keep,
                n_classes=len(request.data.classes),
                limit_seconds=request.timeout or 0.0,
                scores=scores,
                is_counted=is_counted,
            )

    def _evaluation(
        self, plan: Plan, window: slice, wanted: Sequence[bool], *, is_interrupted: bool
    ) -> Evaluation:
        """Return the runs of a part of the plan."""
        records: list[tuple[RunRecord | None, ...]] = []
        scores: list[dict[str, list[float]]] = []
        costs: list[RunRecord | None] = []
        machines: set[int] = set()
        for index in range(len(self.identities)):
            if not wanted[index]:
                records.append((None,) * len(plan))
                scores.append({})
                costs.append(None)
                continue
            row, environments_of = self._records(index, window)
            records.append(tuple(row))
            machines |= environments_of
            scores.append(self._kept_scores(index, window))
            costs.append(self._cost_run(index))
        environments = self.store.environments()
        n_done = sum(len(row) if all(row) else sum(map(bool, row)) for row in records)
        return Evaluation(
            data=self.request.data,
            plan=plan,
            learners=tuple(self.request.learners),
            identities=tuple(self.identities),
            records=tuple(records),
            kept_scores=tuple(scores),
            n_fitted=self.n_fitted,
            n_reused=n_done - self.n_fitted,
            is_interrupted=is_interrupted,
            # a damaged store may lack one; nothing but a remark on seconds rests on it
            environments=tuple(
                environments[number] for number in sorted(machines) if number in environments
            ),
            cost_runs=tuple(costs),
            damaged=tuple(self.damaged),
            n_outdated=self.n_outdated,
        )

    def _keys(self, learner_index: int, window: slice) -> Iterator[tuple[int, int]]:
        """Give (split, stream) of the runs of a learner in a part of the plan."""
        streams = self.seeds[learner_index].ravel()[window].tolist()
        return zip(self.splits[window], streams, strict=True)

    def _kept_scores(self, learner_index: int, window: slice) -> dict[str, list[float]]:
        """Return the values that were kept with the runs of a learner in a part of the plan."""
        values = self.store.scores(self.data_number, self.learner_numbers[learner_index])
        return {
            name: [
                values.get((*key, name), float("nan")) for key in self._keys(learner_index, window)
            ]
            for name in {name for _, _, name in values}
        }

    def _records(
        self, learner_index: int, window: slice
    ) -> tuple[list[RunRecord | None], set[int]]:
        """Return the runs of a learner in a part of the plan, and their machines.

        Runs of this call are at hand; what the store had before was read at the beginning.
        """
        result = self.fresh[learner_index][window]
        machines = {self.store.environment_number()} if self.n_fresh[learner_index] else set()
        if self.is_missing[learner_index].all() or all(result):  # a record is never empty
            return result, machines
        for i, key in enumerate(self._keys(learner_index, window)):
            if result[i] is None and key in self.stored[learner_index]:
                result[i] = self.stored[learner_index][key].record
                machines.add(self.stored[learner_index][key].environment)
        return result, machines

    def _cost_run(self, learner_index: int) -> RunRecord | None:
        """Return the run that measured the cost of a batched learner."""
        number = self.plain_numbers[learner_index]
        if number == self.learner_numbers[learner_index]:
            return None
        split, n_classes = self.splits[0], len(self.request.data.classes)
        result = self.store.runs(self.data_number, number, n_classes=n_classes, split=split)
        run = result.get((split, int(self.seeds[learner_index][0, 0])))
        return None if run is None else run.record
