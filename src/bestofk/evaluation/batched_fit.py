"""Batched runs: learners that are trained on whole repeats at once, and their records."""

from __future__ import annotations

import itertools
import math
import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestofk.batched import (
    TABLE_CODE,
    BatchedForm,
    BatchedPredictions,
    FormChoice,
    SubsetForm,
    SubsetPredictions,
    Subsets,
    choose_form,
    subset_form,
)
from bestofk.data import DataSet
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation.collector import paused_collector
from bestofk.evaluation.record import BATCHED, OK, Predictions, RunRecord
from bestofk.evaluation.run import RunnableLearner
from bestofk.randomness import derive_seed
from bestofk.resampling import Plan
from bestofk.resampling.plan import BOOTSTRAP, FoldPlan
from bestofk.resampling.prefixes import PrefixPlan
from bestofk.resampling.validation import ValidationPlan
from bestofk.trees.compiled import Stopwatch

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
    runs : list of (RunRecord or None)
        Those of all folds of the first repeat, then those of the next; None where the form
        leaves a run to the plain way.
    left : list of int
        Where that is.
    """

    runs: list[RunRecord | None]
    left: list[int]

    @classmethod
    def of(cls, runs: list[RunRecord | None]) -> BlockRecords:
        """Return some runs with the positions of those that are left."""
        return cls(runs, [index for index, run in enumerate(runs) if run is None])


class BlockPredictions(NamedTuple):
    """Predictions of a block (None if it failed), and its seconds without compilation."""

    predictions: Any
    seconds: float


class BatchedFit(ABC):
    """One learner on one data set, all runs of some repeats of a plan done at once.

    Attributes
    ----------
    plan : Plan
        The splits.
    learner : RunnableLearner
        The plain learner.
    """

    plan: Plan
    learner: RunnableLearner

    @property
    @abstractmethod
    def code(self) -> tuple[Any, ...]:
        """Classes and functions that decide what is predicted; part of the key of the runs."""

    @property
    @abstractmethod
    def releases_lock(self) -> bool:
        """True if threads of one process can work on blocks at the same time."""

    @property
    @abstractmethod
    def largest_block(self) -> int:
        """Repeats that may be done at once."""

    @property
    @abstractmethod
    def smallest_block(self) -> int:
        """Repeats that are worth doing at once, however long they take."""

    @abstractmethod
    def predict(self, repeats: Sequence[int], seeds: NDArray[Any]) -> Any:
        """Predict what the runs of some repeats predict.

        Parameters
        ----------
        repeats : sequence of int
            Positions in the plan.
        seeds : ndarray of shape (n_repeats, n_folds) of int
            The seed of every run, as the plain way gets it.
        """

    @abstractmethod
    def _records(
        self, predictions: Any, index: int, repeat: int, seconds: float
    ) -> list[RunRecord | None]:
        """Return the runs of one repeat, the `index`-th of a block."""

    def run(self, repeats: Sequence[int], seeds: NDArray[Any]) -> BlockRecords:
        """Do all runs of some repeats; `attempt` and `records` in one."""
        return self.records(repeats, self.attempt(repeats, seeds))

    def attempt(self, repeats: Sequence[int], seeds: NDArray[Any]) -> BlockPredictions:
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
        watch = Stopwatch()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                result = self.predict(repeats, seeds)
            except Exception as error:  # the plain way goes on, or tells what is wrong
                result, failure = None, error
        if result is None:
            _warn_of_failure(self.learner.name, failure)
        return BlockPredictions(result, watch.working())

    def records(self, repeats: Sequence[int], attempt: BlockPredictions) -> BlockRecords:
        """Return what was predicted as one record per run.

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
        result, n_runs = attempt.predictions, len(repeats) * self.plan.n_folds
        if result is None:
            return BlockRecords.of([None] * n_runs)
        runs: list[RunRecord | None] = []
        with paused_collector():
            for index, repeat in enumerate(repeats):
                runs += self._records(result, index, repeat, attempt.seconds / n_runs)
        return BlockRecords.of(runs)

    def _random_states(self, seeds: NDArray[Any]) -> NDArray[np.int64]:
        """Return what ``random_state`` of the learner is in each run, shape as `seeds`."""
        estimator = self.learner.estimator
        steps = getattr(estimator, "steps", None)
        name = "random_state" if steps is None else f"{steps[-1][0]}__random_state"
        if name not in self.learner.unseeded:
            fixed = estimator.get_params()[name]
            return np.full(seeds.shape, fixed, dtype=np.int64)
        states = [derive_seed(int(seed), name) for seed in seeds.ravel()]
        return np.array(states, dtype=np.int64).reshape(seeds.shape)


# What all batched fits share.
_FIT_CODE = (BatchedFit.run, DataSet.y, *TABLE_CODE)


@dataclass(frozen=True, eq=False)
class FoldFit(BatchedFit):
    """One learner in its batched form, asked for whole repeats of k-fold cross-validation.

    Parameters
    ----------
    choice : FormChoice
        The form, made when it is first asked.
    plan : FoldPlan
        The splits.
    learner : RunnableLearner
        The plain learner.
    """

    choice: FormChoice
    plan: FoldPlan
    learner: RunnableLearner

    @cached_property
    def form(self) -> BatchedForm:
        """The form; made here, which may take as long as some runs."""
        return self.choice.make()

    @property
    def code(self) -> tuple[Any, ...]:
        """The form, what makes it, and what turns its predictions into runs."""
        return (self.choice.form, FormChoice, FoldFit, FoldPlan.rows_by_fold, *_FIT_CODE)

    @property
    def releases_lock(self) -> bool:
        """True if threads of one process can work on blocks at the same time."""
        return self.choice.form.releases_lock

    @property
    def largest_block(self) -> int:
        """Repeats that may be done at once."""
        per_repeat = self.plan.n_samples * max(self.choice.table.n_classes, 1)
        return max(1, _BLOCK_CELLS // per_repeat)

    @cached_property
    def smallest_block(self) -> int:
        """Repeats that are worth doing at once, however long they take."""
        choice = self.choice
        wanted = choice.form.repeats_at_once(choice.learner, choice.table, choice.n_folds)
        return min(wanted, self.largest_block)

    def predict(self, repeats: Sequence[int], seeds: NDArray[Any]) -> BatchedPredictions:
        """Predict all rows of some repeats; see `BatchedFit.predict`."""
        states = self._random_states(seeds) if self.choice.form.is_random else None
        return self.form.predict(self.plan.folds[list(repeats)], states)

    def _records(
        self, predictions: BatchedPredictions, index: int, repeat: int, seconds: float
    ) -> list[RunRecord | None]:
        order, starts = self.plan.rows_by_fold
        rows = order[repeat]
        labels = predictions.labels[index].take(rows)
        probabilities = _rows_of(predictions.probabilities, index, rows)
        decision = _rows_of(predictions.decision, index, rows)
        records: list[RunRecord | None] = []
        for fold, (start, stop) in enumerate(itertools.pairwise(starts[repeat].tolist())):
            if predictions.is_done is not None and not predictions.is_done[index, fold]:
                records.append(None)
                continue
            message = predictions.messages.get((index, fold), "") if predictions.messages else ""
            part = slice(start, stop)
            records.append(_record(labels, probabilities, decision, part, seconds, message))
        return records


@dataclass(frozen=True, eq=False)
class SubsetFit(BatchedFit):
    """One learner in its form for any subsets, asked for repeats of parts of training rows.

    Parameters
    ----------
    form : SubsetForm
        Made before: one serves plans of many sizes.
    plan : Plan
        The splits, no row twice among those that train.
    learner : RunnableLearner
        The plain learner.
    """

    form: SubsetForm
    plan: Plan
    learner: RunnableLearner

    @property
    def code(self) -> tuple[Any, ...]:
        """The form, and what turns its predictions into runs."""
        return (type(self.form), SubsetFit, *_FIT_CODE)

    @property
    def releases_lock(self) -> bool:
        """True if threads of one process can work on blocks at the same time."""
        return self.form.releases_lock

    @cached_property
    def largest_block(self) -> int:
        """Repeats that may be done at once."""
        train, predicted = self.plan.sizes
        rows = predicted.reshape(self.plan.n_repeats, -1).sum(axis=1).max()
        width = self.form.table.n_classes + train.max()
        return max(1, _BLOCK_CELLS // int(rows * max(width, 1)))

    @property
    def smallest_block(self) -> int:
        """Repeats that are worth doing at once, however long they take."""
        return min(_FEWEST_SUBSETS // self.plan.n_folds + 1, self.largest_block)

    def predict(
        self, repeats: Sequence[int], seeds: NDArray[Any]
    ) -> dict[int, tuple[SubsetPredictions, int, slice]]:
        """Predict the rows of all splits of some repeats.

        Returns
        -------
        dict of int to (SubsetPredictions, int, slice)
            By position of a split in the plan: among what was predicted, which subset it is, and
            which rows are its own.
        """
        plan, n_folds = self.plan, self.plan.n_folds
        states = self._random_states(seeds).ravel() if self.form.is_random else None
        indices = np.array([r * n_folds + f for r in repeats for f in range(n_folds)])
        sizes = plan.sizes[0][indices]
        results = {}
        for size in np.unique(sizes):  # subsets that are done at once train on equally many rows
            some = np.flatnonzero(sizes == size)
            train = np.array([plan.train_rows[index] for index in indices[some]])
            rows = [plan.test_rows[index] for index in indices[some]]
            start = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
            subsets = Subsets(train, np.concatenate(rows), start)
            predicted = self.form.predict(subsets, None if states is None else states[some])
            for subset, index in enumerate(indices[some].tolist()):
                results[index] = predicted, subset, slice(*start[subset : subset + 2].tolist())
        return results

    def _records(
        self, predictions: Any, index: int, repeat: int, seconds: float
    ) -> list[RunRecord | None]:
        records: list[RunRecord | None] = []
        for fold in range(self.plan.n_folds):
            predicted, subset, part = predictions[repeat * self.plan.n_folds + fold]
            if predicted.is_done is not None and not predicted.is_done[subset]:
                records.append(None)
                continue
            message = predicted.messages.get(subset, "")
            given = predicted.labels, predicted.probabilities, predicted.decision
            records.append(_record(*given, part, seconds, message))
        return records


def _record(
    labels: NDArray[Any],
    probabilities: NDArray[np.float64] | None,
    decision: NDArray[np.float64] | None,
    part: slice,
    seconds: float,
    message: str,
) -> RunRecord:
    predictions = Predictions(
        labels[part],
        None if probabilities is None else probabilities[part],
        None if decision is None else decision[part],
    )
    return RunRecord(OK, predictions, seconds, math.nan, None, message, BATCHED)


def check_batched(batched: Any) -> str:
    """Return how batched forms are used, or raise."""
    if batched not in BATCHED_CHOICES:
        raise InvalidArgumentError(
            f"batched must be one of {', '.join(BATCHED_CHOICES)}; got {batched!r}. 'auto' trains "
            "learners in a batch where that gives the same predictions and costs no more."
        )
    return str(batched)


def batched_fits(
    learners: Sequence[RunnableLearner],
    data: DataSet,
    plan: Plan,
    batched: str = AUTO,
    *,
    forms: dict[int, SubsetForm | None] | None = None,
) -> list[BatchedFit | None]:
    """Return the batched fit of each learner on a data set; None where it goes the plain way.

    Depends on the data set, the learner and the kind of plan alone: never on the number of
    repeats, on what a store holds or on the machine.

    Parameters
    ----------
    learners : sequence of RunnableLearner
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
    if isinstance(plan, PrefixPlan | ValidationPlan) and not _trains_twice(plan):
        return _subset_fits(learners, data, plan, {} if forms is None else forms)
    if not isinstance(plan, FoldPlan):
        return [None] * len(learners)
    tables: dict[Any, Any] = {}
    fits: list[BatchedFit | None] = []
    for learner in learners:
        choice = choose_form(
            learner.estimator, data.features, data.target_array, data.y, data.classes,
            plan.n_folds, even_if_slower=batched == ALWAYS, tables=tables,
        )  # fmt: skip
        fits.append(None if choice is None else FoldFit(choice, plan, learner))
    return fits


def _trains_twice(plan: PrefixPlan | ValidationPlan) -> bool:
    """Return whether a row may stand twice among those that train, as no form knows of."""
    if plan.base.scheme == BOOTSTRAP:
        return True
    rows = plan.orders if isinstance(plan, PrefixPlan) else plan.train_rows
    return any(len(np.unique(row)) < len(row) for row in rows)


def _subset_fits(
    learners: Sequence[RunnableLearner],
    data: DataSet,
    plan: Plan,
    forms: dict[int, SubsetForm | None],
) -> list[BatchedFit | None]:
    tables: dict[Any, Any] = {}
    fits: list[BatchedFit | None] = []
    for index, learner in enumerate(learners):
        if index not in forms:
            try:
                forms[index] = subset_form(
                    learner.estimator, data.features, data.target_array, data.y, data.classes,
                    tables=tables,
                )  # fmt: skip
            except Exception as error:
                _warn_of_failure(learner.name, error)
                forms[index] = None
        form = forms[index]
        fits.append(None if form is None else SubsetFit(form, plan, learner))
    return fits


def _warn_of_failure(name: str, failure: Exception) -> None:
    text = f"{name}: its batched form failed, so it goes the plain way"
    warnings.warn(f"{text} ({type(failure).__name__}: {failure})", stacklevel=3)


def _rows_of(
    values: NDArray[np.float64] | None, index: int, rows: NDArray[np.int64]
) -> NDArray[np.float64] | None:
    return None if values is None else values[index].take(rows, axis=0)
