"""Runs of one request: their keys, those that the store has, and results so far."""

from collections.abc import Iterator, Sequence
from itertools import compress
from typing import Any

import numpy as np

from bestofk.array_types import Bools, Floats, Ints
from bestofk.evaluation.batched_fit import BatchedFit
from bestofk.evaluation.evaluation import Evaluation
from bestofk.evaluation.identity.identity import LearnerIdentity, identify
from bestofk.evaluation.queue.collector import paused_collector
from bestofk.evaluation.queue.worker import Payload
from bestofk.evaluation.record import KEEP_SCORES, RunRecord
from bestofk.evaluation.request import EvaluationCache, EvaluationRequest
from bestofk.evaluation.run_table import RunTable
from bestofk.evaluation.score import score_runs
from bestofk.evaluation.status import is_missing, is_ok
from bestofk.evaluation.store.runs import RunPositions
from bestofk.evaluation.store.store import Store
from bestofk.learners.pipeline import reads_levels
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
            for learner in request.learners:
                identity = identify(learner.name, learner.estimator)
                is_ours = reads_levels(learner.estimator)
                self.identities.append(
                    identity if is_ours else identity.on_table(request.data.form)
                )
        self.payload = Payload(
            request.data, request.plan, tuple(request.learners), request.batched,
            forms=self.shared.forms, limits=request.limits_by_learner,
        )  # fmt: skip
        # runs by learner and position in the plan, those of this call among them: how many
        self.tables = [RunTable(len(request.plan)) for _ in self.identities]
        # values kept with them by `score_key`, nan where there is none
        self.kept: list[dict[str, Floats]] = [{} for _ in self.identities]
        self.n_fresh = [0] * len(self.identities)
        # numbers of what the runs of this call were measured on, by learner
        self.measured_on: list[set[int]] = [set() for _ in self.identities]
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
        self.plan_number, self.splits = store.register_plan(request.plan)
        names = [learner.name for learner in request.learners]
        learners = list(zip(names, self.learner_numbers, strict=True))
        self.comparison_number = store.register_comparison(
            self.data_number, self.plan_number, request.random_state, learners
        )

    def _seeds(self, identity: LearnerIdentity) -> Ints:
        """Return the seed of every run of a learner, shape (n_repeats, n_folds)."""
        plan = self.request.plan
        return derive_seeds(*self._names(identity), shape=(plan.n_repeats, plan.n_folds))

    def _names(self, identity: LearnerIdentity) -> tuple[int, str, str]:
        """Return what the streams of a learner are derived from, but for repeat and fold."""
        return self.request.random_state, self.request.data.id, identity.stream_name

    def _find(self) -> None:
        """Read the runs that the store has, and find out which it lacks."""
        self.seeds = [self._seeds(identity) for identity in self.identities]
        self.is_missing: list[Bools] = []
        # machines of the runs that the store had, of learners of which it had some
        self.machines: dict[int, Ints] = {}
        for index, seeds in enumerate(self.seeds):
            number, names = self.learner_numbers[index], self._names(self.identities[index])
            if self.request.retry_failed:
                keys = self._keys(index, slice(None))
                self.store.forget_failed(self.data_number, number, keys)
            if self.store.has_runs(self.data_number, number, self.plan_number, names):
                self._read(index, number)
            is_missing = ~self.tables[index].is_done.reshape(seeds.shape)
            self.is_missing.append(is_missing & self._is_in_shard(index)[:, None])
        self.n_outdated = self._count_outdated()

    def _is_in_shard(self, learner_index: int) -> Bools:
        """Return which repeats of a learner are done here, shape (n_repeats,)."""
        shard, n_repeats = self.request.shard, self.request.plan.n_repeats
        if shard is None:
            return np.ones(n_repeats, dtype=bool)
        if self.request.interim is not None:
            return np.full(n_repeats, shard.has_data(self.request.data.id))
        learner_id = self.identities[learner_index].stream_name
        return shard.runs(self.request.data.id, learner_id, n_repeats)

    def _read(self, learner_index: int, number: int) -> None:
        """Read the runs of a learner that the store has."""
        table, streams = self.tables[learner_index], self.seeds[learner_index].ravel()
        positions = RunPositions(self.splits, streams)
        n_mended = len(self.store.mended)
        if self.plain_numbers[learner_index] != number:  # of its cost run they are mended alone
            self.store.scores(self.data_number, self.plain_numbers[learner_index])
        for name, kept in self.store.scores(self.data_number, number).items():
            known = positions.find(kept.splits, kept.streams)
            self._enter_scores(learner_index, known[known >= 0], {name: kept.values[known >= 0]})
        self.damaged += self.store.mended[n_mended:]
        machines = np.full(len(table), -1)
        is_damaged = np.zeros(len(table), dtype=bool)
        damaged: list[tuple[int, int, int]] = []
        for some in self.store.read_runs(
            self.data_number,
            number,
            n_classes=len(self.request.data.classes),
            limits=self.payload.limits_of(learner_index),
            splits=(np.array(self.splits), self.request.plan.sizes[1]),
        ):
            damaged += some.damaged_rows()
            index_of = positions.find(some.splits, some.streams)
            is_damaged[index_of[some.damaged]] |= index_of[some.damaged] >= 0
            # of two of one key the first counts
            asked = np.flatnonzero((index_of >= 0) & some.table.is_done)
            asked = asked[is_missing(table.status[index_of[asked]])]
            asked = asked[np.sort(np.unique(index_of[asked], return_index=True)[1])]
            table.put_table(index_of[asked], some.table.take(asked))
            machines[index_of[asked]] = some.environments[asked]
        self.store.set_aside(self.data_number, number, damaged)
        is_damaged &= ~table.is_done
        self.damaged += self._run_names(learner_index, np.flatnonzero(is_damaged).tolist())
        self.machines[learner_index] = machines

    def _enter_scores(
        self, learner_index: int, indices: Ints | Sequence[int], scores: dict[str, Floats]
    ) -> None:
        """Hold values that were kept with runs of a learner."""
        of_learner = self.kept[learner_index]
        for name, values in scores.items():
            if name not in of_learner:
                of_learner[name] = np.full(len(self.request.plan), np.nan)
            of_learner[name][indices] = values

    def _run_names(self, learner_index: int, indices: Sequence[int]) -> list[str]:
        """Return how runs of a learner are called: by its name, repeat and fold."""
        name, n_folds = self.request.learners[learner_index].name, self.request.plan.n_folds
        return [f"{name}, repeat {i // n_folds}, fold {i % n_folds}" for i in indices]

    def _count_outdated(self) -> int:
        """Count the runs that are missing but that other code has left in the store."""
        current = {*self.plain_numbers, *self.learner_numbers}
        n_outdated = 0
        whose = zip(self.identities, self.payload.fits, self.seeds, self.is_missing, strict=True)
        for identity, fit, seeds, is_gap in whose:
            if not is_gap.any():
                continue
            result = self.store.finished_by_other_code(
                self.data_number, identity.stream_name, is_batched=fit is not None, current=current
            )
            if result:
                keys = zip(self.splits, seeds.ravel().tolist(), strict=True)
                missing = compress(keys, is_gap.ravel().tolist())
                n_outdated += sum(key in result for key in missing)
        return n_outdated

    def _keep(
        self,
        number: int,
        learner_index: int,
        indices: Sequence[int],
        records: Sequence[RunRecord | None],
        *,
        is_counted: bool = True,
        environment: dict[str, Any] | None = None,
    ) -> None:
        """Hand runs to the store under the number of a learner."""
        request, seeds = self.request, self.seeds[learner_index].ravel()
        scores, table = None, RunTable.of(records)
        if request.keep == KEEP_SCORES and (went_well := is_ok(table.status)).any():
            if not went_well.all():  # those that failed have no scores
                for positions in (np.flatnonzero(went_well), np.flatnonzero(~went_well)):
                    some = [indices[position] for position in positions.tolist()]
                    part = table.take(positions)
                    self._keep(
                        number, learner_index, some, part, is_counted=is_counted,
                        environment=environment,
                    )  # fmt: skip
                return
            rows = [request.plan.test_rows[index] for index in indices]
            scores = score_runs(request.measures, request.data, rows, table)
            if is_counted:
                self._enter_scores(learner_index, indices, scores)
        with paused_collector():
            self.store.add(
                (self.data_number, number),
                [self.splits[index] for index in indices],
                seeds[list(indices)].tolist(),
                table,
                keep=request.keep,
                n_classes=len(request.data.classes),
                limits=self.payload.limits_of(learner_index),
                scores=scores,
                is_counted=is_counted,
                environment=environment,
            )
        self.measured_on[learner_index].add(self.store.environment_number(environment))

    def _evaluation(
        self, plan: Plan, window: slice, wanted: Sequence[bool], *, is_interrupted: bool
    ) -> Evaluation:
        """Return the runs of a part of the plan."""
        every = range(len(self.identities))
        records = [self.tables[i][window] if wanted[i] else RunTable(len(plan)) for i in every]
        scores = [
            {name: values[window] for name, values in self.kept[i].items() if wanted[i]}
            for i in every
        ]
        costs = [self._cost_run(i) if wanted[i] else None for i in every]
        machines = set[int]().union(*(self._machines(i, window) for i in every if wanted[i]))
        environments = self.store.environments()
        n_done = sum(int(row.is_done.sum()) for row in records)
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

    def _machines(self, learner_index: int, window: slice) -> set[int]:
        """Return the machines of the runs of a learner in a part of the plan."""
        machines = set(self.measured_on[learner_index])
        if learner_index in self.machines:
            stored = self.machines[learner_index][window]
            machines |= set(np.unique(stored[stored >= 0]).tolist())
        return machines

    def _cost_run(self, learner_index: int) -> RunRecord | None:
        """Return the run that measured the cost of a batched learner."""
        number = self.plain_numbers[learner_index]
        if number == self.learner_numbers[learner_index]:
            return None
        first = (np.array(self.splits[:1]), self.request.plan.sizes[1][:1])
        n_classes = len(self.request.data.classes)
        result = self.store.runs(self.data_number, number, n_classes=n_classes, splits=first)
        return result.get((self.splits[0], int(self.seeds[learner_index][0, 0])))
