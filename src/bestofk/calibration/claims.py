"""Calibration of claims about new data: how often they come true on rows that were held back."""

from __future__ import annotations

import hashlib
import os
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bestofk.calibration.case_file import CaseFile
from bestofk.calibration.claim_calibration import ClaimCalibration
from bestofk.calibration.claim_case import CODE_VERSION, ClaimCase, LearnerClaim, claim_case
from bestofk.calibration.claim_sizes import possible_sizes, precise_sizes
from bestofk.calibration.shown_progress import Tell, shown_progress
from bestofk.calibration.subsamples import subsample_rows
from bestofk.checks import check_number
from bestofk.comparison.chosen_measures import with_positive_class
from bestofk.comparison.input_data import as_data_set
from bestofk.data import DataSet
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.evaluation.engines.engine import EngineLostError
from bestofk.evaluation.engines.tasks import done_tasks
from bestofk.evaluation.identity.identity import identify
from bestofk.learners import resolve_learners
from bestofk.learners.learner import Learner
from bestofk.randomness import derive_seed

__all__ = ["ClaimCalibration", "ClaimCase", "LearnerClaim", "calibrate_claims", "claim_case"]

_N_PILOTS = 5  # cases by which a size is skipped


def calibrate_claims(
    learners: Any,
    X: Any,
    y: Any = None,
    *,
    target: str | None = None,
    n_rows: int | Sequence[int] = (100, 300, 1000),
    n_subsamples: int = 20,
    results: str | os.PathLike[str] | None = None,
    engine: Any = "serial",
    n_jobs: int | None = None,
    random_state: int = 0,
    progress: bool | str | Callable[[int, int], None] = "auto",
    **compare_options: Any,
) -> ClaimCalibration:
    """Measure how often claims about new data come true on a large data set.

    Small subsamples are compared as usual; the rows left over are new data, on which every
    learner is measured after training on the whole subsample.

    Parameters
    ----------
    learners : str, estimator, list, dict or None
        As for `compare`.
    X : array-like of shape (n_samples, n_features), DataSet, str or Path
        Many rows, in no groups and no order of time.
    y : array-like of shape (n_samples,) or str, optional
        Target, or its column.
    target : str, optional
        Column to predict; in place of y.
    n_rows : int or sequence of int, default=(100, 300, 1000)
        Sizes of subsamples. A size is skipped, with a note, where the rest is too small: where
        the standard error of the difference between pick and best is above 0.25 points on
        average over the first five. Where these make no claim, no more are done.
    n_subsamples : int, default=20
        Of each size. They share no row as long as rows suffice.
    results : str or Path, optional
        File of JSON lines that keeps every case; called again, only missing cases are done.
    engine : str, concurrent.futures.Executor or distributed.Client, default="serial"
        Where subsamples are done, as for `compare`. The numbers do not depend on it.
    n_jobs : int, optional
        Processes of this machine; None is 1, or all cores for ``engine="processes"``; -1 is all
        cores.
    random_state : int, default=0
        What all draws are derived from.
    progress : {"auto", True, False} or callable, default="auto"
        A bar on standard error, with the figures so far; a callable gets the number of cases
        done and of all.
    **compare_options
        Options of `compare`, such as ``scoring="error"``.

    Returns
    -------
    ClaimCalibration
        What is done so far, where it was interrupted.

    Raises
    ------
    InvalidArgumentError
        If an argument breaks its rule.
    DesignError
        If the data are too small for any of the sizes, or have groups or weights.

    Examples
    --------
    >>> from bestofk.data import twonorm
    >>> result = calibrate_claims(
    ...     ["lda", "naive-bayes"], twonorm(5000), n_rows=100, n_subsamples=4, progress=False
    ... )
    >>> result.figures(100).n_claims
    4
    """
    data = _data(X, y if target is None else target)
    sizes = [n_rows] if isinstance(n_rows, int | np.integer) else list(n_rows)
    _check_counts(sizes, n_subsamples)
    experiment = _Experiment(learners, data, int(random_state), compare_options)
    sizes, notes = possible_sizes(data, sizes, n_subsamples)
    file = CaseFile(results, experiment.key)
    series = _Series(experiment, file, n_subsamples, engine, n_jobs)
    is_interrupted = False
    with shown_progress(progress, "subsamples", len(sizes) * n_subsamples) as tell:
        try:
            pilots = series.run(sizes, range(min(_N_PILOTS, n_subsamples)), tell)
            sizes, skipped = precise_sizes(sizes, pilots)
            notes += skipped
            claimed = {case.n_rows for case in pilots if case.picked is not None}
            more = [size for size in sizes if size in claimed]
            series.run(more, range(_N_PILOTS, n_subsamples), tell)
        except (KeyboardInterrupt, EngineLostError) as end:
            is_interrupted = True
            notes.append(f"{f'Interrupted: {end}' if str(end) else 'Interrupted.'} {file.remark}")
    return ClaimCalibration(series.done(sizes), tuple(notes), is_interrupted=is_interrupted)


@dataclass(frozen=True, eq=False)
class _Experiment:
    """All that a worker needs to do a case from its size and number."""

    learners: Any
    data: DataSet
    random_state: int
    compare_options: dict[str, Any]

    @cached_property
    def entered(self) -> Sequence[Learner]:
        """The learners."""
        return resolve_learners(self.learners, self.data.task)

    @property
    def key(self) -> str:
        """Identity of data, learners, options and code: other cases are none of this experiment."""
        known = [(item.name, identify(item.name, item.estimator).id) for item in self.entered]
        options = sorted((name, repr(value)) for name, value in self.compare_options.items())
        known_data = (self.data.id, self.data.positive)
        parts = (known_data, known, self.random_state, options, CODE_VERSION)
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:32]

    def case(self, task: tuple[int, int]) -> ClaimCase:
        """Return what was claimed from the subsample of a size and number, and what came true."""
        n_rows, number = task
        rows = subsample_rows(self.data, n_rows, number, self.random_state)
        others = np.setdiff1d(np.arange(self.data.n_samples), rows)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return claim_case(
                self.learners,
                self.data.subset(rows),
                self.data.subset(others),
                number=number,
                random_state=derive_seed(self.random_state, "claims", n_rows, number),
                **self.compare_options,
            )


@dataclass(eq=False)
class _Series:
    """Cases of an experiment, those of its file first."""

    experiment: _Experiment
    file: CaseFile
    n_subsamples: int
    engine: Any
    n_jobs: int | None

    def __post_init__(self) -> None:
        self.cases = self.file.read()

    def run(self, sizes: Sequence[int], numbers: Iterable[int], tell: Tell) -> list[ClaimCase]:
        """Do what is missing of some numbers of each size, and return all of them."""
        tasks = [(size, number) for number in numbers for size in sizes]
        for _, case in done_tasks(
            self.experiment.case,
            [task for task in tasks if task not in self.cases],
            engine=self.engine,
            n_jobs=self.n_jobs,
            estimators=[learner.estimator for learner in self.experiment.entered],
        ):
            self.file.add(case)
            self.cases[case.n_rows, case.number] = case
            done = self.done(sizes)
            so_far = ClaimCalibration(done).progress_line()
            tell(len(done), len(sizes) * self.n_subsamples, so_far)
        return [self.cases[task] for task in tasks]

    def done(self, sizes: Sequence[int]) -> tuple[ClaimCase, ...]:
        """Return the cases of some sizes that are done, by size and number."""
        return tuple(
            self.cases[size, number]
            for size, number in sorted(self.cases)
            if size in sizes and number < self.n_subsamples
        )


def _data(X: Any, y: Any) -> DataSet:
    data = as_data_set(X, y)
    if data.groups is not None or data.sample_weight is not None:
        raise DesignError(
            "data must have neither groups nor weights; got some. No claim about new data is made "
            "for them."
        )
    return with_positive_class(data, None)  # one for all subsamples


def _check_counts(sizes: Sequence[Any], n_subsamples: Any) -> None:
    for what, value, least in (
        *(("n_rows", size, 10) for size in sizes),
        ("n_subsamples", n_subsamples, 1),
    ):
        check_number(
            value,
            what,
            low=least,
            whole=True,
            way_out="Usual: 100, 300 and 1000 rows, 20 subsamples.",
        )
    if not len(sizes):
        raise InvalidArgumentError("n_rows must name at least one size; got none. Usual: 100.")
