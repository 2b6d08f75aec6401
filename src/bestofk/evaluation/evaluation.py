"""Results of an evaluation: runs of all learners on all splits, and any measure of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bestofk.array_types import Bools, Floats, Ints, Values
from bestofk.data.data_set import DataSet
from bestofk.evaluation.identity.identity import LearnerIdentity
from bestofk.evaluation.record import BATCHED, PLAIN, RunRecord
from bestofk.evaluation.run_table import RUN_FACTS, RunTable
from bestofk.evaluation.score import missing_reason, prediction_batch, score_key
from bestofk.evaluation.status import has_failed, is_ok
from bestofk.evaluation.text_column import text_column
from bestofk.evaluation.timing import ALONE, timing_of
from bestofk.learners.learner import Learner
from bestofk.measures import Measure, PredictionBatch, confusion_matrix, pooled_auroc
from bestofk.measures.miscalibration import Miscalibration
from bestofk.resampling import Plan
from bestofk.words import printable


@dataclass(frozen=True, eq=False)
class MeasuredScores:
    """Values of one measure for all learners and splits.

    Parameters
    ----------
    measure : Measure
        What was measured, with its direction.
    values : ndarray of shape (n_learners, n_splits), float64
        nan where there is no value.
    reasons : dict of str to str
        For a learner without any value, or with gaps: why.
    """

    measure: Measure
    values: Floats
    reasons: dict[str, str]

    @property
    def losses(self) -> Floats:
        """Values with the sign changed if needed, so that smaller is better."""
        return self.measure.loss(self.values)


# Runs whose predictions are measured together, at least: so many that calls cost nothing.
_PIECE_RUNS = 1000


def not_reused(n_runs: int) -> str:
    """Return the note on stored runs that another version of the code made."""
    runs, them = ("run was", "it") if n_runs == 1 else ("runs were", "them")
    return f"{n_runs:,} stored {runs} not reused: another version of the code made {them}."


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Runs of K learners on all splits of a plan.

    Parameters
    ----------
    data : DataSet
        The rows.
    plan : Plan
        The splits.
    learners : tuple of Learner
        In the order given.
    identities : tuple of LearnerIdentity
        Identity of each learner in a store.
    records : tuple of sequence of (RunRecord or None)
        One row per learner, one entry per split in repeat-major order; None for runs
        that an interrupted evaluation did not reach.
    kept_scores : tuple of dict
        For each learner, stored values of measures by `score_key`.
    n_fitted, n_reused : int
        Runs done now, and runs found in the store.
    is_interrupted : bool
        Whether it was interrupted before all runs were done.
    environments : tuple of dict
        Machines on which times were measured.
    cost_runs : tuple of (RunRecord or None)
        For each learner with batched runs, the single run that measured its cost; None for
        other learners.
    is_out_of_time : bool
        Whether it ended at the time limit.
    damaged : tuple of str
        Parts of the store that were damaged and replaced; of runs, learner, repeat and fold.
    n_outdated : int
        Runs in the store that were not reused, because other code made them.
    engine_loss : str
        Why the engine did not do all runs; empty if it did.
    """

    data: DataSet
    plan: Plan
    learners: tuple[Learner, ...]
    identities: tuple[LearnerIdentity, ...]
    records: tuple[Sequence[RunRecord | None], ...]
    kept_scores: tuple[dict[str, Floats], ...]
    n_fitted: int
    n_reused: int
    is_interrupted: bool
    environments: tuple[dict[str, Any], ...]
    cost_runs: tuple[RunRecord | None, ...] = ()
    is_out_of_time: bool = False
    damaged: tuple[str, ...] = ()
    n_outdated: int = 0
    engine_loss: str = ""
    _batches: dict[int, list[PredictionBatch]] = field(default_factory=dict, init=False, repr=False)
    _calibrations: dict[int, Miscalibration] = field(default_factory=dict, init=False, repr=False)

    def __repr__(self) -> str:
        n_done = sum(map(self.n_done, range(len(self.learners))))
        return printable(
            f"<Evaluation of {', '.join(self.names)} on {self.data.name}: {n_done:,} runs, "
            f"{self.n_fitted:,} done now, {self.n_reused:,} from the store>"
        )

    def cut_at(self, n_splits: Sequence[int]) -> Evaluation:
        """Return the evaluation of the first splits only, with a number of splits for each learner.

        Parameters
        ----------
        n_splits : sequence of int
            For every learner; the runs after them are left out.

        Returns
        -------
        Evaluation
        """
        n_all = len(self.plan)
        if all(n == n_all for n in n_splits):
            return self
        tables = tuple(row.first(n) for row, n in zip(self._tables, n_splits, strict=True))
        kept = tuple(
            {key: np.where(np.arange(n_all) < n, values, np.nan) for key, values in score.items()}
            for score, n in zip(self.kept_scores, n_splits, strict=True)
        )
        n_done = sum(int(row.is_done.sum()) for row in tables)
        return replace(
            self, records=tables, kept_scores=kept, n_reused=max(n_done - self.n_fitted, 0)
        )

    @cached_property
    def _tables(self) -> tuple[RunTable, ...]:
        """The runs of each learner as columns."""
        return tuple(RunTable.of(row) for row in self.records)

    def n_done(self, learner_index: int) -> int:
        """Return the number of runs of a learner."""
        return int(self._tables[learner_index].is_done.sum())

    @property
    def names(self) -> list[str]:
        """Names of the learners, in the order given."""
        return [learner.name for learner in self.learners]

    @cached_property
    def status(self) -> NDArray[np.str_]:
        """Status of each run, shape (n_learners, n_splits); "missing" if it was not done."""
        return np.array([table.status for table in self._tables])

    @cached_property
    def has_failed(self) -> Bools:
        """Whether the learner failed in each run, shape (n_learners, n_splits)."""
        return np.array([table.has_failed for table in self._tables])

    @cached_property
    def is_unfinished(self) -> Bools:
        """Whether each run is missing or lost, shape (n_learners, n_splits)."""
        return np.array([~table.is_done for table in self._tables])

    @cached_property
    def train_seconds(self) -> Floats:
        """Wall-clock seconds of training, shape (n_learners, n_splits); nan where unknown."""
        return np.array([table.train_seconds for table in self._tables])

    @cached_property
    def predict_seconds(self) -> Floats:
        """Wall-clock seconds of predicting, shape (n_learners, n_splits); nan where unknown."""
        return np.array([table.predict_seconds for table in self._tables])

    def own_seconds(self, name: str) -> list[Floats]:
        """Return the seconds of each learner in runs that were done one by one, not in a batch.

        Parameters
        ----------
        name : {"train_cpu_seconds", "predict_cpu_seconds", "train_seconds", "predict_seconds"}
            Which seconds: of the processor, or by the clock.

        Returns
        -------
        list of ndarray of shape (n_runs,)
            One per learner; of those that were batched a single run.  Where `timing` is
            ``"alone"``, those of runs that were timed alone.
        """
        seconds = self._unbatched_columns(name)
        if self.timing != ALONE:
            return seconds
        crowded = self._unbatched_columns("is_crowded")
        return [
            row[~is_crowded] if not is_crowded.all() else row
            for row, is_crowded in zip(seconds, crowded, strict=True)
        ]

    @cached_property
    def run_seconds(self) -> list[Floats]:
        """Processor seconds of training and predicting, shape (n_runs, 2) for each learner."""
        kinds = (self.own_seconds(f"{kind}_cpu_seconds") for kind in ("train", "predict"))
        return [np.column_stack(both) for both in zip(*kinds, strict=True)]

    @cached_property
    def timing(self) -> str:
        """Result of `timing_of` for the unbatched runs of each learner."""
        went_well = map(is_ok, self._unbatched_columns("status"))
        return timing_of(zip(self._unbatched_columns("is_crowded"), went_well, strict=True))

    def _unbatched_columns(self, name: str) -> list[Values]:
        """Return a column of the unbatched runs of each learner, the run for its cost first."""
        columns = []
        for cost, table in zip(self._costs, self._tables, strict=True):
            column = getattr(table, name)[table.is_done & ~table.is_batched]
            if cost is not None and cost.fit_mode == PLAIN:
                column = np.append([getattr(cost, name)], column)
            columns.append(column)
        return columns

    @cached_property
    def peak_bytes(self) -> Floats:
        """Peak memory of each run in bytes, shape (n_learners, n_splits); nan where unknown."""
        return np.array([table.peak_bytes for table in self._tables])

    @property
    def _costs(self) -> tuple[RunRecord | None, ...]:
        return self.cost_runs or (None,) * len(self.records)

    @cached_property
    def largest_peak_bytes(self) -> Floats:
        """Largest peak memory of each learner in bytes, shape (n_learners,); nan where unknown."""
        of_costs = [
            np.nan if cost is None or cost.peak_bytes is None else cost.peak_bytes
            for cost in self._costs
        ]
        return np.asarray(np.fmax(np.fmax.reduce(self.peak_bytes, axis=1), of_costs))

    @cached_property
    def median_seconds(self) -> dict[str, Floats]:
        """Median processor seconds by `own_seconds`, (n_learners,) each; nan where unknown."""
        medians = {}
        for index, name in enumerate(("train_cpu_seconds", "predict_cpu_seconds")):
            known = [rows[~np.isnan(rows[:, index]), index] for rows in self.run_seconds]
            medians[name] = np.array([np.median(row) if len(row) else np.nan for row in known])
        return medians

    @cached_property
    def _noted_runs(self) -> list[list[RunRecord]]:
        """Unbatched runs of each learner, whose model may have been measured."""
        return [
            [run for run in (cost, *(run for _, run in table.noted()))
             if run is not None and run.fit_mode == PLAIN]
            for cost, table in zip(self._costs, self._tables, strict=True)
        ]  # fmt: skip

    @cached_property
    def size_bytes(self) -> Floats:
        """Bytes of the pickled model of the first split, per learner; nan where unknown."""
        sizes = [next((item.size_bytes for item in row if item.size_bytes), None)
                 for row in self._noted_runs]  # fmt: skip
        return np.array([np.nan if size is None else size for size in sizes], dtype=float)

    @cached_property
    def complexity(self) -> Floats:
        """Size of the model of the first split, per learner; nan where unknown."""
        counts = [np.nan if run is None else run.complexity for run in self._counted_runs]
        return np.array(counts, dtype=float)

    @property
    def complexity_units(self) -> list[str]:
        """Units of `complexity`: nodes, parameters or rows kept; empty where unknown."""
        return ["" if run is None else run.complexity_unit for run in self._counted_runs]

    @cached_property
    def _counted_runs(self) -> list[RunRecord | None]:
        """The first run of each learner whose model was counted."""
        return [next((item for item in row if item.complexity is not None), None)
                for row in self._noted_runs]  # fmt: skip

    @property
    def test_rows(self) -> list[Ints]:
        """Test rows of each split, in repeat-major order."""
        return self.plan.test_rows

    def messages(self, learner_index: int) -> list[tuple[int, int, str, str]]:
        """Return (repeat, fold, status, message) of the runs of a learner with a message."""
        return [
            (*divmod(index, self.plan.n_folds), record.status, record.message)
            for index, record in self._tables[learner_index].noted()
            if record.message
        ]

    def failures(self, learner_index: int) -> list[tuple[int, int, str]]:
        """Return (repeat, fold, message) of the runs in which a learner failed."""
        return [
            (repeat, fold, message)
            for repeat, fold, status, message in self.messages(learner_index)
            if has_failed(status)
        ]

    def measured(self, measure: Measure) -> MeasuredScores:
        """Compute a measure of all runs from their stored predictions.

        Parameters
        ----------
        measure : Measure
            What to compute.

        Returns
        -------
        MeasuredScores
            With nan, and the reason, wherever a run does not allow the measure.
        """
        values = np.full((len(self.learners), len(self.plan)), np.nan)
        reasons: dict[str, str] = {}
        for index, learner in enumerate(self.learners):
            reason = self._measure_learner(measure, index, values[index])
            if reason:
                reasons[learner.name] = reason
        return MeasuredScores(measure, values, reasons)

    def _measure_learner(self, measure: Measure, learner_index: int, values: Floats) -> str:
        """Fill the values of one learner; return why some or all are missing."""
        kept = self.kept_scores[learner_index]
        if kept:
            values[:] = kept.get(score_key(measure), np.nan)
        have = self._predicted[learner_index]
        if len(have):
            batches = self.batches(learner_index)
            reasons = [missing_reason(measure, batch) for batch in batches]
            if reason := next(filter(None, reasons), None):
                return self._not_kept(learner_index) or reason
            values[have] = np.concatenate([measure.compute(batch) for batch in batches])
        gaps = np.isnan(values) & is_ok(self.status[learner_index])
        if not gaps.any():
            return ""
        if self._tables[learner_index].has_predictions[gaps].all():
            return f"{measure.undefined} in {int(gaps.sum())} of {len(values)} splits"
        return "predictions were not kept (keep='scores')"

    @cached_property
    def _predicted(self) -> list[Ints]:
        """The splits on which each learner has predictions."""
        return [np.flatnonzero(table.has_predictions) for table in self._tables]

    def _batch(self, learner_index: int, splits: Ints) -> PredictionBatch:
        """Return the concatenated predictions of a learner on some splits."""
        rows = [self.test_rows[i] for i in splits.tolist()]
        return prediction_batch(self.data, rows, self._tables[learner_index].take(splits))

    def batches(self, learner_index: int) -> list[PredictionBatch]:
        """Yield the result of `predictions` in pieces, without copies; possibly none.

        Parameters
        ----------
        learner_index : int
            Its position.

        Returns
        -------
        list of PredictionBatch
        """
        if learner_index not in self._batches:
            pieces = self._tables[learner_index].pieces(_PIECE_RUNS)
            self._batches[learner_index] = [self._batch(learner_index, some) for some in pieces]
        return self._batches[learner_index]

    def predictions(self, learner_index: int) -> PredictionBatch | None:
        """Return the kept predictions of a learner, run after run in the order of the splits.

        Parameters
        ----------
        learner_index : int
            Its position.

        Returns
        -------
        PredictionBatch or None
            None where no run has predictions.
        """
        splits, batches = self._predicted[learner_index], self.batches(learner_index)
        if len(batches) > 1:
            return self._batch(learner_index, splits)
        return batches[0] if batches else None

    def miscalibration(self, learner_index: int) -> Miscalibration | None:
        """Return the miscalibration of the kept probabilities of a learner.

        Parameters
        ----------
        learner_index : int
            Its position.

        Returns
        -------
        Miscalibration or None
            None where a learner gives or keeps none; nothing is computed before it is asked for.
        """
        batches = self.batches(learner_index)
        if not batches or any(item.probabilities is None for item in batches):
            return None
        if learner_index not in self._calibrations:
            repeats = self._predicted[learner_index] // self.plan.n_folds
            names = (self.data.id, self.identities[learner_index].stream_name)
            self._calibrations[learner_index] = Miscalibration(batches, repeats, names)
        return self._calibrations[learner_index]

    def _not_kept(self, learner_index: int) -> str:
        """Return that only labels were kept, if the learner provides more."""
        estimator = self.learners[learner_index].estimator
        parts = self._tables[learner_index].parts()
        bare = any(part.probabilities is None and part.decision is None for part in parts)
        gives_more = hasattr(estimator, "predict_proba") or hasattr(estimator, "decision_function")
        return "only labels were kept (keep='labels')" if bare and gives_more else ""

    def repeat_probabilities(self, learner_index: int) -> Floats | None:
        """Return the class probabilities of every row in each repeat.

        Parameters
        ----------
        learner_index : int
            Its position.

        Returns
        -------
        ndarray of shape (n_repeats, n_samples, n_classes), or None
            nan where a row was not predicted; None where a learner gives or keeps none. The
            plan must test every row once in each repeat.
        """
        plan, n_classes = self.plan, len(self.data.classes)
        means = np.full((plan.n_repeats, self.data.n_samples, n_classes), np.nan)
        is_known = False
        for split in self._predicted[learner_index].tolist():
            record = self.records[learner_index][split]
            given = None if record is None else record.predictions
            if given is not None and given.probabilities is not None:
                means[split // plan.n_folds, self.test_rows[split]] = given.probabilities
                is_known = True
        return means if is_known else None

    def pooled_auroc(self, learner_index: int) -> Floats:
        """Return one AUROC per repeat, from the rows of all its folds together.

        nan where a repeat is not whole, or the learner gives neither probabilities nor
        decision values; see `bestofk.measures.pooled_auroc` for why it misleads.
        """
        pooled = np.full(self.plan.n_repeats, np.nan)
        done = self._tables[learner_index].has_predictions
        whole = np.flatnonzero(done.reshape(-1, self.plan.n_folds).all(axis=1))
        splits = [int(r) * self.plan.n_folds + f for r in whole for f in range(self.plan.n_folds)]
        if splits:
            batch = self._batch(learner_index, np.array(splits))
            if batch.probabilities is not None or batch.decision is not None:
                pooled[whole] = pooled_auroc(batch, np.repeat(whole, self.plan.n_folds))
        return pooled

    def confusion(self, learner_index: int) -> Ints:
        """Return the confusion matrix of a learner over all its runs.

        Rows are true classes, columns predicted ones.  Every repeat counts every row that it
        tests; zeros where nothing was kept.
        """
        n_classes = len(self.data.classes)
        counts = np.zeros((n_classes, n_classes), dtype=np.int64)
        for batch in self.batches(learner_index):
            counts += confusion_matrix(batch).sum(axis=0)
        return counts

    def chosen(self, learner_index: int) -> dict[int, dict[str, Any]]:
        """Return the choices of a learner by the index of the split; see `choice_text`."""
        noted = self._tables[learner_index].noted()
        return {index: json.loads(record.choice) for index, record in noted if record.choice}

    def choices(self, learner_index: int) -> Any:
        """Return the choices of a tuned learner inside its training rows, run by run.

        Parameters
        ----------
        learner_index : int
            Position of the learner.

        Returns
        -------
        DataFrame
            repeat, fold, index (position of the chosen setting), is_default (None where the
            learner has no default, as a search of scikit-learn), inner_loss (the mean of the chosen
            setting, smaller is better), default_loss, losses (of all settings), and a column per
            parameter; no row for a learner that chooses nothing.
        """
        rows = []
        for index, choice in self.chosen(learner_index).items():
            repeat, fold = divmod(index, self.plan.n_folds)
            default, losses = choice["default"], choice["losses"]
            rows.append(
                {
                    "repeat": repeat,
                    "fold": fold,
                    "index": choice["index"],
                    "is_default": None if default is None else choice["index"] == default,
                    "inner_loss": losses[choice["index"]],
                    "default_loss": None if default is None else losses[default],
                    "losses": losses,
                    **choice["setting"],
                }
            )
        return pd.DataFrame(
            rows, columns=None if rows else ["repeat", "fold", "index", "is_default", "inner_loss"]
        )

    def to_frame(self, scores: Sequence[MeasuredScores]) -> Any:
        """Return the long score table of some measures.

        Parameters
        ----------
        scores : sequence of MeasuredScores
            What `measured` returned.

        Returns
        -------
        DataFrame
            One row per learner, split and measure: dataset, learner, repeat, fold, measure,
            value, n_train, n_test, status, train_seconds and predict_seconds (by the clock),
            train_cpu_seconds and predict_cpu_seconds (of the processor), peak_bytes (of memory),
            is_crowded (whether other runs went on meanwhile), is_isolated (whether the process
            did runs of no other learner), fit_mode, message.
        """
        shape = (len(self.learners), len(scores), len(self.plan))
        learner, measure, index = (index.ravel() for index in np.indices(shape))
        run = learner * len(self.plan) + index
        n_train, n_test = self.plan.sizes
        mode = np.concatenate([table.is_done * (1 + table.is_batched) for table in self._tables])
        messages, message = [""], np.zeros(len(mode), dtype=np.int64)
        for first, table in zip(range(0, len(mode), len(self.plan)), self._tables, strict=True):
            for place, record in table.noted():
                message[first + place] = len(messages)
                messages.append(record.message)
        return pd.DataFrame(
            {
                "dataset": text_column([self.data.name], np.zeros_like(run)),
                "learner": text_column(self.names, learner),
                "repeat": index // self.plan.n_folds,
                "fold": index % self.plan.n_folds,
                "measure": text_column([score.measure.name for score in scores], measure),
                "value": np.stack([score.values for score in scores], axis=1).ravel(),
                "n_train": n_train[index],
                "n_test": n_test[index],
                "status": text_column(self.status.ravel().tolist(), run),
                **{
                    name: np.concatenate([getattr(table, name) for table in self._tables])[run]
                    for name in RUN_FACTS
                },
                "fit_mode": text_column(["", PLAIN, BATCHED], mode[run]),
                "message": text_column(messages, message[run]),
            }
        )
