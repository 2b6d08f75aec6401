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

from bestofk.array_types import Ints
from bestofk.calibration.claim_calibration import ClaimCalibration
from bestofk.calibration.claim_case import (
    CODE_VERSION,
    CaseFile,
    ClaimCase,
    LearnerClaim,
    claim_case,
)
from bestofk.calibration.printed import Tell, shown_progress
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
from bestofk.randomness import derive_rng, derive_seed

_LEAST_PER_CLASS = 2  # one to learn from and one to test on


def class_sizes(counts: Ints, n_rows: int) -> Ints:
    """Return how many rows of each class stand in a subsample.

    Parameters
    ----------
    counts : ndarray of shape (n_classes,), int64
        Rows of each class.
    n_rows : int
        Rows of the subsample, at most all.

    Returns
    -------
    ndarray of shape (n_classes,), int64
        As in the data, rounded by the largest remainders; 0 for a class too rare for two rows.

    Examples
    --------
    >>> class_sizes(np.array([500, 300, 199, 1]), 20).tolist()
    [10, 6, 4, 0]
    """
    kept = np.where(n_rows * counts >= _LEAST_PER_CLASS * counts.sum(), counts, 0)
    if not kept.any():
        return np.zeros_like(counts)
    exact = n_rows * kept / kept.sum()
    sizes: Ints = np.floor(exact).astype(np.int64)
    left = n_rows - int(sizes.sum())
    sizes[np.argsort(sizes - exact, kind="stable")[:left]] += 1
    return sizes


def subsample_rows(data: DataSet, n_rows: int, number: int, random_state: int = 0) -> Ints:
    """Return the rows of a subsample.

    Subsamples of one size share no row until the rows of a class are used up; then all rows are
    drawn anew.

    Parameters
    ----------
    data : DataSet
        Classes are spread as in all rows.
    n_rows : int
        Rows of the subsample.
    number : int
        Counted from 0.
    random_state : int, default=0
        What the draws are derived from.

    Returns
    -------
    ndarray of shape (n_rows,), int64
        Positions in ascending order.

    Examples
    --------
    >>> from bestofk.data import load_data
    >>> iris = load_data("iris")
    >>> first, second = (subsample_rows(iris, 75, number) for number in (0, 1))
    >>> len(first), len({*first, *second}), np.bincount(iris.y[first]).tolist()
    (75, 150, [25, 25, 25])
    """
    strata = data.y if data.is_classification else np.zeros(data.n_samples, dtype=np.int64)
    counts = np.bincount(strata)
    sizes = class_sizes(counts, n_rows)
    n_disjoint = int((counts[sizes > 0] // sizes[sizes > 0]).min())
    draw, position = divmod(number, n_disjoint)
    rng = derive_rng(random_state, "subsample", n_rows, draw)
    parts = []
    for stratum, size in enumerate(sizes):
        drawn = rng.permutation(np.flatnonzero(strata == stratum))
        parts.append(drawn[position * size : (position + 1) * size])
    return np.sort(np.concatenate(parts))


# Largest standard error of the truth, and the fewest rows with which one discordant row keeps it.
TRUTH_ERROR = 0.0025
_FEWEST_REST = round(1 / TRUTH_ERROR)
_MOST_NAMED = 5  # classes


def possible_sizes(
    data: DataSet, sizes: Sequence[int], n_subsamples: int
) -> tuple[list[int], list[str]]:
    """Return the sizes that leave rows for the truth, with notes.

    Parameters
    ----------
    data : DataSet
        All rows.
    sizes : sequence of int
        Sizes that are asked for.
    n_subsamples : int
        Subsamples of each.

    Returns
    -------
    kept : list of int
        Sizes, in ascending order.
    notes : list of str
        Why others are skipped, which rare classes subsamples lack, and where they share rows.

    Raises
    ------
    DesignError
        If no size is left.
    """
    kept: list[int] = []
    sizes_of: dict[str, list[int]] = {}  # by what is to be said of them
    for size in sorted(set(map(int, sizes))):
        is_possible, remarks = _possible(data, size, n_subsamples)
        if is_possible:
            kept.append(size)
        for remark in remarks:
            sizes_of.setdefault(remark, []).append(size)
    notes = [
        f"Subsamples of {', '.join(f'{size:,}' for size in of)} rows {remark}"
        for remark, of in sizes_of.items()
    ]
    if not kept:
        raise DesignError(
            f"data must have many more rows than a subsample; got {data.n_samples:,} rows. "
            f"{notes[0]} Use a larger data set, or a generator such as twonorm:20000."
        )
    return kept, notes


def _possible(data: DataSet, size: int, n_subsamples: int) -> tuple[bool, list[str]]:
    """Return whether subsamples of a size can be drawn, and remarks on them."""
    if data.n_samples - size < _FEWEST_REST:
        return False, [f"are skipped: at least {_FEWEST_REST} other rows are needed."]
    is_rare = np.zeros(0, dtype=bool)
    if data.is_classification:
        is_rare = class_sizes(data.class_counts, size) == 0
    if is_rare.any() and (~is_rare).sum() < 2:
        return False, ["are skipped: too few rows of every class but one."]
    remarks = []
    if is_rare.any():
        remarks.append(
            f"lack {_named(data.classes[is_rare].tolist())}: too rare. In the rest, their rows "
            "count as errors of every learner."
        )
    if size * n_subsamples > data.n_samples:
        remarks.append(f"share rows: there are only {data.n_samples:,}.")
    return True, remarks


def precise_sizes(sizes: Sequence[int], pilots: Sequence[ClaimCase]) -> tuple[list[int], list[str]]:
    """Return the sizes whose truth is precise.

    Parameters
    ----------
    sizes : sequence of int
        Sizes of the pilots.
    pilots : sequence of ClaimCase
        The first subsamples of each.

    Returns
    -------
    kept : list of int
        Sizes where the truth has a standard error of at most 0.25 points on average.
    notes : list of str
        How many rows the others need.

    Raises
    ------
    DesignError
        If no size is left.
    """
    kept, notes = [], []
    for size in sizes:
        cases = [case for case in pilots if case.n_rows == size and case.truth_error is not None]
        error = float(np.mean([case.truth_error for case in cases])) if cases else 0.0
        if error <= TRUTH_ERROR:
            kept.append(size)
            continue
        needed = cases[0].n_rest * (error / TRUTH_ERROR) ** 2
        notes.append(
            f"Subsamples of {size:,} rows are skipped: on the {cases[0].n_rest:,} other rows the "
            f"truth has a standard error of {100 * error:.2f} points, and at most "
            f"{100 * TRUTH_ERROR:.2f} is wanted. About {float(f'{needed:.2g}'):,.0f} rows would do."
        )
    if not kept:
        raise DesignError(
            f"data must have enough rows for a precise truth; got too few. {' '.join(notes)}"
        )
    return kept, notes


def _named(classes: Sequence[object]) -> str:
    more = len(classes) - _MOST_NAMED
    names = ", ".join(map(str, classes[:_MOST_NAMED]))
    return f"{names} and {more} more classes" if more > 0 else names


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
    """Everything a worker needs to compute a case from its size and number."""

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
        """Identity of data, learners, options and code; cases with another key are ignored."""
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
            "data must have neither groups nor weights; got some. Claims about new data are not "
            "made for such data."
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
