"""Batched runs: learners trained on whole repeats at once, and their records."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from bestofk.array_types import Ints
from bestofk.batched.form import BatchedPredictions
from bestofk.batched.forms import FormChoice, choose_form
from bestofk.checks import check_known
from bestofk.data.data_set import DataSet
from bestofk.evaluation.run_table import PredictionColumns, RunTable
from bestofk.learners.learner import Learner
from bestofk.learners.pipeline import reads_levels
from bestofk.randomness import derive_seed
from bestofk.resampling import Plan
from bestofk.resampling.plan import BOOTSTRAP, BOOTSTRAP_FULL, FoldPlan

# Part of the key of batched runs with the number of the form: raised with every change of
# what tables that are shared by all splits hold, or of how predictions are taken from a form.
CODE_VERSION = 1

AUTO, ALWAYS, NEVER = "auto", "always", "never"
BATCHED_CHOICES = (AUTO, ALWAYS, NEVER)
# Numbers that a block of repeats may predict at once: some 30 MB.
_BLOCK_CELLS = 4_000_000
# Subsets of rows that are worth doing at once, however long they take.
_FEWEST_SUBSETS = 40


class BlockRecords(NamedTuple):
    """The runs of a block.

    Parameters
    ----------
    runs : RunTable
        Those of all folds of the first repeat, then those of the next; nothing where the form
        leaves a run to the plain way.
    left : list of int
        Where that is.
    """

    runs: RunTable
    left: list[int]

    @classmethod
    def of(cls, runs: RunTable) -> BlockRecords:
        """Return the records of some runs, with the positions of those left out."""
        return cls(runs, np.flatnonzero(~runs.is_done).tolist())


class BlockPredictions(NamedTuple):
    """Predictions of a block (None if it failed), its seconds, and where it was done."""

    predictions: Any
    seconds: float
    cpu_seconds: float = math.nan
    is_isolated: bool = False


@dataclass(frozen=True, eq=False)
class BatchedFit:
    """One learner in its batched form on one data set; does all runs of some repeats at once.

    Parameters
    ----------
    choice : FormChoice
        The form, made when it is first asked.
    plan : Plan
        The splits: folds of every repeat, or, where the form is for subsets, any in which no row
        trains twice.
    learner : Learner
        The plain learner.
    data : DataSet
        Whose target the form may have got as a logarithm.
    """

    choice: FormChoice
    plan: Plan
    learner: Learner
    data: DataSet

    @property
    def code(self) -> tuple[Any, ...]:
        """Classes and functions that determine predictions; part of the key of the runs."""
        return self.choice.form_type, CODE_VERSION

    @cached_property
    def largest_block(self) -> int:
        """Largest number of repeats that may be done at once."""
        n_classes = self.choice.table.n_classes
        if isinstance(self.plan, FoldPlan):
            return max(1, _BLOCK_CELLS // (self.plan.n_samples * max(n_classes, 1)))
        train, predicted = self.plan.sizes
        rows = predicted.reshape(self.plan.n_repeats, -1).sum(axis=1).max()
        return max(1, _BLOCK_CELLS // int(rows * max(n_classes + train.max(), 1)))

    @cached_property
    def smallest_block(self) -> int:
        """Smallest number of repeats that is worth doing at once, however long they take."""
        choice, wanted = self.choice, _FEWEST_SUBSETS // self.plan.n_folds + 1
        if isinstance(self.plan, FoldPlan):
            wanted = choice.form_type.repeats_at_once(
                choice.learner, choice.table, self.plan.n_folds
            )
        return min(wanted, self.largest_block)

    def predict(self, repeats: Sequence[int], seeds: np.ndarray) -> BatchedPredictions:
        """Predict the test rows of all splits of some repeats, split after split.

        Parameters
        ----------
        repeats : sequence of int
            Positions in the plan.
        seeds : ndarray of shape (n_repeats, n_folds) of int
            The seed of every run, as the plain way gets it.
        """
        form, plan, n_folds = self.choice.form, self.plan, self.plan.n_folds
        states = self._random_states(seeds) if form.is_random else None
        if not isinstance(plan, FoldPlan):
            splits = [repeat * n_folds + fold for repeat in repeats for fold in range(n_folds)]
            return form.predict_splits(
                [plan.train_rows[split] for split in splits],
                [plan.test_rows[split] for split in splits],
                None if states is None else states.ravel(),
            )
        result = form.predict(plan.folds[list(repeats)], states)
        rows = plan.rows_by_fold[0][list(repeats)]
        places = (rows + plan.n_samples * np.arange(len(rows))[:, None]).ravel()

        def in_order(values: Any) -> Any:
            return None if values is None else values.reshape(-1, *values.shape[2:]).take(places, 0)

        labels, probabilities, decision = map(in_order, result.take())
        is_done = None if result.is_done is None else result.is_done.ravel()
        messages = {r * n_folds + f: message for (r, f), message in result.messages.items()}
        choices = {r * n_folds + f: choice for (r, f), choice in result.choices.items()}
        return BatchedPredictions(labels, probabilities, decision, is_done, messages, choices)

    def run(self, repeats: Sequence[int], seeds: np.ndarray) -> BlockRecords:
        """Do all runs of some repeats; `attempt` and `records` in one."""
        return self.records(repeats, self.attempt(repeats, seeds))

    def attempt(self, repeats: Sequence[int], seeds: np.ndarray) -> BlockPredictions:
        """Predict all runs of some repeats, whatever happens.

        Parameters
        ----------
        repeats : sequence of int
            Positions in the plan.
        seeds : ndarray of shape (n_repeats, n_folds) of int
            The seed of every run.

        Returns
        -------
        BlockPredictions
            A few large arrays, which travel between processes faster than many records.
        """
        start, start_cpu = time.perf_counter(), time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                result = self.predict(repeats, seeds)
                if self.data.target_transform:
                    result = self._in_unit_of_target(repeats, result)
            except Exception as error:  # the plain way goes on, or tells what is wrong
                result, failure = None, error
        if result is None:
            _warn_of_failure(self.learner.name, failure)
        seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - start_cpu
        return BlockPredictions(result, seconds, cpu_seconds)

    def records(self, repeats: Sequence[int], attempt: BlockPredictions) -> BlockRecords:
        """Return the predictions as one record per run.

        Parameters
        ----------
        repeats : sequence of int
            Positions in the plan.
        attempt : BlockPredictions
            What `attempt` returned for them.

        Returns
        -------
        BlockRecords
            All are left to the plain way if the form failed. Seconds are equal shares of the
            block's.
        """
        result, n_folds = attempt.predictions, self.plan.n_folds
        n_runs = len(repeats) * n_folds
        runs = RunTable(n_runs)
        if result is None:
            return BlockRecords.of(runs)
        columns = PredictionColumns(
            self._starts(repeats), result.labels, result.probabilities, result.decision
        )
        done = np.arange(n_runs) if result.is_done is None else np.flatnonzero(result.is_done)
        messages, choices = (
            {i: texts[run] for i, run in enumerate(done.tolist()) if run in texts} if texts else {}
            for texts in (result.messages, result.choices)
        )
        runs.put_block(
            done,
            columns.take(done),
            train_seconds=attempt.seconds / n_runs,
            train_cpu_seconds=attempt.cpu_seconds / n_runs,
            is_batched=True,
            is_isolated=attempt.is_isolated,
            messages=messages,
            choices=choices,
        )
        return BlockRecords.of(runs)

    def _starts(self, repeats: Sequence[int]) -> Ints:
        """Return where the predictions of every run of some repeats begin, and where all end."""
        n_folds = self.plan.n_folds
        splits = np.add.outer(np.asarray(repeats) * n_folds, np.arange(n_folds)).ravel()
        return np.concatenate([[0], np.cumsum(self.plan.sizes[1][splits])])

    def _in_unit_of_target(
        self, repeats: Sequence[int], result: BatchedPredictions
    ) -> BatchedPredictions:
        """Return predictions in the unit of the target; runs with infinite ones are left."""
        values = self.data.predicted_values(result.labels.astype(np.float64))
        is_done = np.logical_and.reduceat(np.isfinite(values), self._starts(repeats)[:-1])
        if result.is_done is not None:
            is_done &= result.is_done
        return replace(result, labels=values, is_done=is_done)

    def _random_states(self, seeds: np.ndarray) -> Ints:
        """Return what ``random_state`` of the learner is in each run, shape as `seeds`."""
        estimator = self.learner.estimator
        steps = getattr(estimator, "steps", None)
        name = "random_state" if steps is None else f"{steps[-1][0]}__random_state"
        if name not in self.learner.unseeded:
            fixed = estimator.get_params()[name]
            return np.full(seeds.shape, fixed, dtype=np.int64)
        states = [derive_seed(int(seed), name) for seed in seeds.ravel()]
        return np.array(states, dtype=np.int64).reshape(seeds.shape)


def check_batched(batched: Any) -> str:
    """Return how batched forms are used, or raise."""
    check_known(batched, "batched", BATCHED_CHOICES, rule=f"one of {', '.join(BATCHED_CHOICES)}")
    return str(batched)


def batched_fits(
    learners: Sequence[Learner],
    data: DataSet,
    plan: Plan,
    batched: str = AUTO,
    *,
    forms: dict[int, FormChoice | None] | None = None,
) -> list[BatchedFit | None]:
    """Return the batched fit of each learner on a data set; None for runs done one by one.

    Depends on the data set, the learner and the kind of plan alone: never on the number of
    repeats, on what a store holds or on the machine.

    Parameters
    ----------
    learners : sequence of Learner
        The plain learners.
    data : DataSet
        The rows; with weights every learner goes the plain way.
    plan : Plan
        Every row must be tested once in each repeat; or a `PrefixPlan` or `ValidationPlan`
        that trains on no row twice, as bootstrap samples do.
    batched : {"auto", "always", "never"}
        Whether batched forms are used: where they are not slower, wherever there is one, never.
    forms : dict, optional
        Forms for subsets by position of the learner, which plans of one data set share; what is
        made is put there.
    """
    if batched == NEVER or data.sample_weight is not None:
        return [None] * len(learners)
    if not isinstance(plan, FoldPlan):
        if not _trains_once(plan):
            return [None] * len(learners)
        return _fits(learners, data, plan, {} if forms is None else forms, n_folds=0)
    return _fits(learners, data, plan, {}, n_folds=plan.n_folds, even_if_slower=batched == ALWAYS)


def _trains_once(plan: Plan) -> bool:
    """Return whether a plan trains on subsets without repeated rows, as batched forms must."""
    from bestofk.resampling.partial_training import PrefixPlan, ValidationPlan

    if not isinstance(plan, PrefixPlan | ValidationPlan):
        return False
    rows = plan.orders if isinstance(plan, PrefixPlan) else plan.train_rows
    is_drawn_anew = plan.base.scheme in (BOOTSTRAP, BOOTSTRAP_FULL)
    return not is_drawn_anew and all(len(np.unique(row)) == len(row) for row in rows)


def _fits(
    learners: Sequence[Learner],
    data: DataSet,
    plan: Plan,
    forms: dict[int, FormChoice | None],
    *,
    n_folds: int,
    even_if_slower: bool = False,
) -> list[BatchedFit | None]:
    tables: dict[bool, dict[Any, Any]] = {True: {}, False: {}}
    fits: list[BatchedFit | None] = []
    y = data.training_target if data.target_transform else data.y
    for index, learner in enumerate(learners):
        own_folds = data.groups is not None or data.time is not None
        if own_folds and getattr(learner.estimator, "takes_groups", False):
            forms[index] = None  # tables have neither groups nor time
        if data.target_transform and learner.ignores_inputs:
            forms[index] = None  # it sees another target than what the others share
        if index not in forms:
            has_levels = reads_levels(learner.estimator)
            forms[index] = choose_form(
                learner.estimator, data.levelled if has_levels else data.features,
                np.asarray(data.training_target), y, data.classes, n_folds,
                even_if_slower=even_if_slower, tables=tables[has_levels],
            )  # fmt: skip
        choice = forms[index]
        fits.append(None if choice is None else BatchedFit(choice, plan, learner, data))
    return fits


def _warn_of_failure(name: str, failure: Exception) -> None:
    text = f"{name}: its batched form failed, so it goes the plain way"
    warnings.warn(f"{text} ({type(failure).__name__}: {failure})", stacklevel=3)
