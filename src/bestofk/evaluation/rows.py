"""Predictions of fitted learners for every row on which they were tested."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestofk.array_types import Bools, Floats, Ints
from bestofk.errors import DesignError
from bestofk.evaluation.evaluation import Evaluation
from bestofk.evaluation.score import missing_reason, prediction_batch
from bestofk.measures import Measure, PredictionBatch


@dataclass(frozen=True, eq=False)
class RowPredictions:
    """Predictions of several learners for the same test rows.

    Parameters
    ----------
    batches : tuple of PredictionBatch
        One per learner; the rows of all splits laid end to end.
    """

    batches: tuple[PredictionBatch, ...]

    @property
    def fold_of_row(self) -> Ints:
        """The split that each row was tested in, counted from 0."""
        return self.batches[0].run_of_row

    def losses(self, *, absolute: bool = False) -> Floats:
        """Return the loss of every learner on every row.

        Parameters
        ----------
        absolute : bool, default=False
            Regression: absolute differences instead of squared ones.

        Returns
        -------
        ndarray of shape (n_learners, n_rows)
            1 where the wrong class was predicted, else 0; regression: squared difference.
        """
        rows = []
        for batch in self.batches:
            if batch.is_classification:
                rows.append((batch.labels != batch.y_true).astype(float))
            else:
                difference = np.asarray(batch.labels - batch.y_true, dtype=float)
                rows.append(np.abs(difference) if absolute else difference**2)
        return np.array(rows)

    def losses_of(self, measure: Measure) -> Floats | None:
        """Return the loss of every learner on every row by a measure.

        Of a root of squared errors they are as `Measure.row_losses` says.

        Parameters
        ----------
        measure : Measure
            What is measured.

        Returns
        -------
        ndarray of shape (n_learners, n_rows) or None
            Lower is better; None where the measure has none, and where a learner lacks what it
            needs.
        """
        is_missing = any(missing_reason(measure, item) for item in self.batches)
        if is_missing or not measure.has_row_losses:
            return None
        return np.array([measure.row_losses(batch) for batch in self.batches])

    @property
    def is_positive(self) -> Bools:
        """True for each row of the positive class; two classes only."""
        first = self.batches[0]
        return np.asarray(first.y_true == first.positive_class)

    def rankings(self) -> Floats | None:
        """Return how strongly each learner takes each row for positive.

        Returns
        -------
        ndarray of shape (n_learners, n_rows) or None
            None where a learner gives neither probabilities nor decision values, or there
            are not two classes.
        """
        rows = [
            batch.class_scores(batch.positive_class) if len(batch.classes) == 2 else None
            for batch in self.batches
        ]
        return None if any(scores is None for scores in rows) else np.array(rows)

    @property
    def positive_label(self) -> str:
        """The positive class; empty where there are not two classes."""
        first = self.batches[0]
        return str(first.classes[first.positive_class]) if len(first.classes) == 2 else ""

    def posteriors(self) -> Floats | None:
        """Return the probability that each learner gives the true class of each row.

        Returns
        -------
        ndarray of shape (n_rows, n_learners) or None
            None where a learner gives no probabilities.
        """
        columns = []
        for batch in self.batches:
            if batch.probabilities is None:
                return None
            columns.append(batch.probabilities[np.arange(len(batch.y_true)), batch.y_true])
        return np.array(columns).T

    def arguments(self, takes: str, name: str) -> tuple[Any, ...]:
        """Return what a procedure of test rows is called with.

        Parameters
        ----------
        takes : str
            A key of `bestofk.inference.catalogue.TAKES` that speaks of rows.
        name : str
            Of the procedure, for the error message.

        Returns
        -------
        tuple
            Its positional arguments.

        Raises
        ------
        DesignError
            If the task or the kind of predictions is another.
        """
        is_classification = self.batches[0].is_classification
        if takes == "two-on-rows":
            return tuple(self.losses())
        if takes == "losses-on-rows":
            return (self.losses().T,)
        if takes == "many-on-rows":
            if not is_classification:
                raise DesignError(
                    f"task must be classification for {name}, which counts rows that are right; "
                    "got regression. Take anova or repeated-measures-anova."
                )
            return (1 - self.losses().T,)
        if takes == "posteriors":
            posteriors = self.posteriors() if is_classification else None
            if posteriors is None:
                raise DesignError(
                    f"predictions of {name} must hold probabilities of every learner; got some "
                    "without. Leave those learners out."
                )
            return (posteriors,)
        rankings = self.rankings()
        if rankings is None:
            raise DesignError(
                f"predictions of {name} must be of two classes with probabilities or decision "
                "values of every learner; got others. Compare by errors, for example with mcnemar."
            )
        return (self.is_positive, *(rankings if takes == "two-rankings" else (rankings.T,)))


def row_predictions(
    evaluation: Evaluation, learners: Sequence[int], splits: Sequence[int]
) -> RowPredictions:
    """Return the predictions of some learners for the test rows of some splits.

    Parameters
    ----------
    evaluation : Evaluation
        All runs.
    learners, splits : sequence of int
        Positions of learners and splits.

    Returns
    -------
    RowPredictions
        Rows in the order of the splits.

    Raises
    ------
    DesignError
        If a run has failed or not finished, or its predictions were not kept.
    """
    batches = []
    for learner in learners:
        records = [evaluation.records[learner][split] for split in splits]
        kept = [
            record for record in records if record is not None and record.predictions is not None
        ]
        if len(kept) < len(records):
            has_failed = evaluation.has_failed[learner][list(splits)].any()
            way_out = "Finish the runs, with keep='labels' or 'probabilities'."
            raise DesignError(
                "predictions must be kept for every row; got "
                f"{len(records) - len(kept)} of {len(records)} splits without those of "
                f"{evaluation.names[learner]}"
                f"{', which failed. Leave it out.' if has_failed else f'. {way_out}'}"
            )
        rows = [evaluation.test_rows[split] for split in splits]
        batches.append(prediction_batch(evaluation.data, rows, kept))
    return RowPredictions(tuple(batches))
