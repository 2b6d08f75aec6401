"""Result of a curve over a condition that varies, and the runs of its levels under one plan."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise
from typing import Any, ClassVar, Final, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bestofk.array_types import Floats, Ints
from bestofk.comparison.call_context import observer_of, opened_store, resume_line
from bestofk.comparison.input_data import as_data_set
from bestofk.comparison.options import ComparisonSettings, ReadOptions
from bestofk.comparison.planned_splits import sampling_of
from bestofk.comparison.prepared_comparison import PreparedComparison, prepare_comparison
from bestofk.comparison.run_remarks import cost_notes, lost_runs
from bestofk.data import DataSet
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation import Evaluation, EvaluationRequest, evaluate
from bestofk.evaluation.record import Predictions, RunRecord
from bestofk.inference import Caution, Sampling
from bestofk.inference.adjust import adjust_p_values
from bestofk.inference.many_learners.pair_evidence import compare_on_splits
from bestofk.inference.two_learners.catalogue import paired_test
from bestofk.learners import Learner
from bestofk.measures import Measure
from bestofk.options import chosen
from bestofk.report.findings import mean_of_known as mean_of_known
from bestofk.report.reported import DrawnReport
from bestofk.report.sentences.details import target_methods
from bestofk.resampling.plan import SplitPlan
from bestofk.verdict.complete_scores import first_names
from bestofk.words import joined_lines, listing

TEST: Final = "corrected-t"
CORRECTION: Final = "holm"


@dataclass(frozen=True, eq=False)
class Curve(DrawnReport):
    """Result of learners under a condition that varies; base of the five kinds of curves.

    Attributes
    ----------
    data_name : str
        The data set.
    learners : tuple of str
        Names.
    levels : tuple
        Values of the condition, in order.
    notes : tuple of str
        What to know about the runs, and what to distrust.
    is_interrupted : bool
        Whether Ctrl-C ended the runs. A level that was not finished is left out, but for the
        first.
    guessed : tuple of str, default=()
        How the data were read.
    """

    _kind: ClassVar[str]
    data_name: str
    learners: tuple[str, ...]
    levels: tuple[Any, ...]
    notes: tuple[str, ...]
    is_interrupted: bool
    guessed: tuple[str, ...] = field(default=(), kw_only=True)

    @property
    def title(self) -> str:
        """Kind of the curve in words."""
        return f"{self._kind} {listing(self.learners)}"

    def __repr__(self) -> str:
        name = f"<{type(self).__name__} of {first_names(self.learners)} on {self.data_name}>"
        return joined_lines([name, *self.answer])


@dataclass(frozen=True, eq=False, repr=False)
class ScoreCurve(Curve):
    """Scores by one measure at every level.

    Attributes
    ----------
    measure : Measure
        What was measured.
    sampling : Sampling
        How the splits were made, with the rows of whole training parts and of test parts.
    alpha : float
        Level of the family of tests.
    """

    measure: Measure
    sampling: Sampling
    alpha: float

    def error(self, values: Floats) -> float:
        """Return the standard error over repeats of a mean over splits; nan with one repeat."""
        return standard_error([mean_of_known(row) for row in values.reshape(self.n_repeats, -1)])

    @property
    def n_repeats(self) -> int:
        """Repeats of the plan."""
        return self.sampling.n_repeats


@dataclass(frozen=True, eq=False, repr=False)
class LearnersCurve(ScoreCurve):
    """Scores of K learners at every level, with a test of every pair.

    Attributes
    ----------
    is_baseline : tuple of bool
        Which of the learners are no candidates.
    test_values : ndarray of shape (n_levels, n_learners, n_splits)
        On the test rows; nan where a run failed.
    test : str, default="corrected-t"
        Name of the paired test of every pair.
    """

    level_name: ClassVar[str]  # column of the levels in tables
    is_baseline: tuple[bool, ...]
    test_values: Floats
    test: str = field(default=TEST, kw_only=True)

    def means(self) -> Floats:
        """Return the mean test score, shape (n_levels, n_learners); nan where a run failed."""
        return np.asarray(self.test_values.mean(axis=2))

    def error(self, values: Floats) -> float:
        """Return the standard error of a mean over splits: over repeats, or folds of one repeat.

        Folds share training rows, so their standard error is too small [1]_; nan with one split.

        References
        ----------
        .. [1] Bengio & Grandvalet (2004), No unbiased estimator of the variance of k-fold
           cross-validation, Journal of Machine Learning Research 5, 1089-1105.
        """
        return super().error(values) if self.n_repeats > 1 else standard_error(values)

    def candidate_losses(self) -> Floats:
        """Return the mean test losses, (n_levels, n_learners); nan for baselines."""
        losses = self.measure.loss(self.means())
        losses[:, np.array(self.is_baseline)] = np.nan
        return np.asarray(losses)

    def by_learner(self, values: Floats, function: Callable[[Floats], Any]) -> list[Any]:
        """Return a function of the splits of each learner and level, learner by learner."""
        return [
            function(of_level) for of_learner in values.swapaxes(0, 1) for of_level in of_learner
        ]

    def pairs(self) -> pd.DataFrame:
        """Return what `test` says of every pair at every level.

        All pairs at all levels are one family (Holm). Columns: n_train or fraction (the level),
        first, second, difference (of losses: negative where the first is better), p_value,
        p_adjusted, shown (whether the difference is significant at `alpha`). A learner with a
        failed run at a level is not compared there.

        The corrected resampled t test corrects for whole training parts at every level. Smaller
        parts of different splits share fewer rows, so there it asks for more than it must.

        References
        ----------
        Nadeau & Bengio (2003), Inference for the generalization error, Machine Learning 52,
        239-281.
        """
        rows = [
            (level, self.learners[i], self.learners[j], difference, p_value)
            for level, losses in zip(self.levels, self.measure.loss(self.test_values), strict=True)
            for i, j, difference, p_value in pair_tests(losses, self.sampling, self.test)
        ]
        columns = [self.level_name, "first", "second", "difference", "p_value"]
        return with_adjusted(pd.DataFrame(rows, columns=columns), self.alpha)


def pair_tests(
    losses: Floats, sampling: Sampling, test: str = TEST
) -> list[tuple[int, int, float, float]]:
    """Return a paired test of every pair of rows without a nan.

    Parameters
    ----------
    losses : ndarray of shape (n_rows, n_splits)
        Lower is better.
    sampling : Sampling
        How the splits were made.
    test : str, default="corrected-t"
        Name of the test.

    Returns
    -------
    list of (int, int, float, float)
        Indices of both, mean difference, two-sided p value; empty where the plan carries no
        test, or fewer than two rows are whole.
    """
    whole = np.flatnonzero(~np.isnan(losses).any(axis=1)).tolist()
    if len(whole) < 2:
        return []
    evidence = compare_on_splits(losses[whole].T, test, sampling, is_complete=True)
    if evidence is None:
        return []
    mean, p_values = evidence.compared.mean, evidence.compared.p_two_sided
    return [
        (whole[i], whole[j], float(mean[i, j]), float(p_values[i, j]))
        for i, j in combinations(range(len(whole)), 2)
    ]


def with_adjusted(tests: pd.DataFrame, alpha: float) -> pd.DataFrame:
    """Return a table of tests with columns p_adjusted, one family by Holm, and shown."""
    p_values = tests["p_value"].to_numpy(dtype=float)
    adjusted = adjust_p_values(p_values, CORRECTION) if len(tests) else p_values
    return tests.assign(p_adjusted=adjusted, shown=adjusted <= alpha)


def standard_error(values: ArrayLike) -> float:
    """Return the standard error of the mean of what is not nan; nan with less than two values."""
    array = np.asarray(values, dtype=float)
    known = array[~np.isnan(array)]
    return float(known.std(ddof=1) / len(known) ** 0.5) if len(known) > 1 else float("nan")


def n_unknown(values: Floats) -> int:
    """Return how many values are nan."""
    return int(np.isnan(values).sum())


def plain_tables(**tables: pd.DataFrame) -> dict[str, Any]:
    """Return the rows of tables as plain values; null where there is none."""
    return {
        name: json.loads(table.to_json(orient="records", double_precision=15))
        for name, table in tables.items()
    }


_Kept = TypeVar("_Kept")


def check_fixed(cv: Any) -> None:
    """Refuse plans that end at different repeats at different levels of a curve."""
    if isinstance(cv, str) and cv.strip().lower() == "adaptive":
        raise InvalidArgumentError(
            "cv of a curve must be a fixed plan; got 'adaptive'. Every point needs the same "
            "splits; write '10x3'."
        )


def curve_data(X: Any, y: Any, options: Mapping[str, object]) -> DataSet:
    """Return the data set of a curve, or raise if it, or the plan, does not fit one."""
    check_fixed(options["cv"])
    return as_data_set(X, y, **chosen(ReadOptions, options))


def prepare_curve(
    learners: Sequence[Learner], data: DataSet, options: Mapping[str, object]
) -> PreparedComparison:
    """Check and plan the runs of a curve; options are those of `bestofk.compare`."""
    wanted = {"test": TEST} | chosen(ComparisonSettings, options)
    wanted["test"] = paired_test(wanted["test"]).name
    return prepare_comparison(learners, data, ComparisonSettings(correction=CORRECTION, **wanted))


def evaluate_levels(
    prepared: PreparedComparison,
    requests: Iterable[tuple[str, EvaluationRequest]],
    options: Mapping[str, object],
    kept: Callable[[Evaluation, str], tuple[_Kept, list[str]]],
) -> tuple[list[_Kept], dict[str, Any]]:
    """Execute the runs of a curve level by level.

    A level that is not finished is left out, since learners whose runs are missing would look
    like losers; but the first is kept, for there is no other.

    Parameters
    ----------
    prepared : PreparedComparison
        Plan and settings of all runs.
    requests : iterable of (str, EvaluationRequest)
        Of each level, where it is ("at 10 % noise") and its runs.
    options : mapping of str to value
        As for `bestofk.compare`.
    kept : callable
        Makes what is kept of the runs of a level, and notes on them; a note stands once.

    Returns
    -------
    list
        What is kept of each level.
    dict
        Fields of `ScoreCurve` but for learners and levels.
    """
    levels: list[_Kept] = []
    notes = [*cost_notes(prepared.settings.cost_matrix)]
    notes += target_methods([prepared.request.data.target_transform])
    store = options["store"]
    observer = observer_of(options["progress"])
    with opened_store(store) as opened:
        for where, request in requests:
            evaluation = evaluate(request, opened, observer)
            is_first = not levels
            if is_first or not evaluation.is_interrupted:
                values, remarks = kept(evaluation, where)
                levels.append(values)
                notes += remarks
            if evaluation.is_interrupted:
                left_out = "" if is_first else "; what was done there is left out"
                text = f"Interrupted {where}{left_out}. {resume_line(store)}"
                notes.append(Caution("incomplete", text))
                break
    plan, test = prepared.request.plan, prepared.settings.test
    sampling = sampling_of(plan, np.arange(len(plan)), prepared.measures[0])
    sampling = replace(sampling, row_step=0.0)
    if test != TEST:
        notes += paired_test(test).warnings(sampling)
    return levels, {
        "data_name": prepared.request.data.name,
        "measure": prepared.measures[0],
        "sampling": sampling,
        "alpha": prepared.settings.alpha,
        "notes": tuple(dict.fromkeys(notes)),
        "is_interrupted": evaluation.is_interrupted,
        "guessed": prepared.request.data.notes,
    }


def failures(evaluation: Evaluation, where: str) -> list[str]:
    """Return of each learner how many of its runs failed at a level, and the first reason."""
    notes: list[str] = []
    for index, name in enumerate(evaluation.names):
        failed = evaluation.failures(index)
        if failed:
            why, n_runs = failed[0][-1].rstrip("."), len(evaluation.plan)
            text = f"{name} failed in {len(failed)} of {n_runs} runs {where}: {why}."
            notes.append(Caution("incomplete", text))
    return [*notes, *lost_runs(evaluation)]


def without_value(reasons: dict[str, str]) -> list[str]:
    """Return why learners have no value of the measure."""
    return [
        Caution("incomplete", f"{name}: {reason.rstrip('.')}.") for name, reason in reasons.items()
    ]


def split_parts(evaluation: Evaluation, parts: Sequence[Sequence[Ints]]) -> list[Evaluation]:
    """Return the runs once for each part, as if its rows alone had been predicted.

    Parameters
    ----------
    evaluation : Evaluation
        Runs that predicted the rows of all parts of a split, end to end.
    parts : sequence of sequence of ndarray
        Rows of each part of each split; every split has as many parts.

    Returns
    -------
    list of Evaluation
        One per part.
    """
    edges = [np.cumsum([0, *(len(rows) for rows in split)]).tolist() for split in parts]
    slices = [[slice(*edge) for edge in pairwise(of_split)] for of_split in edges]
    plan, results = evaluation.plan, []
    for rows, own in zip(zip(*parts, strict=True), zip(*slices, strict=True), strict=True):
        pairs = tuple(zip(plan.train_rows, rows, strict=True))
        records = tuple(
            tuple(item and _cut(item, index) for item, index in zip(row, own, strict=True))
            for row in evaluation.records
        )
        shown = SplitPlan(**plan.facts(plan.name), rows=pairs)
        results.append(
            replace(evaluation, plan=shown, records=records, kept_scores=({},) * len(records))
        )
    return results


def _cut(record: RunRecord, rows: slice) -> RunRecord:
    """Return a run with what it predicted of some rows alone."""
    given = record.predictions
    if given is None:
        return record
    predictions = Predictions._make(None if part is None else part[rows] for part in given)
    return record._replace(predictions=predictions)


def own_seconds(evaluation: Evaluation, name: str) -> Floats:
    """Return seconds of runs timed alone, (n_learners, n_splits); one run for batched learners."""
    seconds = np.full((len(evaluation.names), len(evaluation.plan)), np.nan)
    for row, own in zip(seconds, evaluation.own_seconds(name), strict=True):
        row[: len(own)] = own[: len(row)]
    return seconds
