"""Null calibration: real error rates of tests for given learners and numbers of rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, takewhile
from typing import Any

import numpy as np

from bestofk.array_types import Floats, Ints, Values
from bestofk.calibration.printed import shown_progress
from bestofk.calibration.rates import CalibratedTest, CalibrationResult, MeasuredLevel, SplitLosses
from bestofk.checks import check_known, check_number
from bestofk.comparison.input_data import as_data_set
from bestofk.data import DataSet
from bestofk.data.data_set import CLASSIFICATION
from bestofk.errors import DesignError, InvalidArgumentError, RunError
from bestofk.evaluation.batched_fit import batched_fits
from bestofk.evaluation.engines.engine import EngineLostError
from bestofk.evaluation.engines.tasks import done_tasks
from bestofk.evaluation.run import fit_learner
from bestofk.inference import Sampling
from bestofk.inference.checks import check_share
from bestofk.learners import resolve_learners
from bestofk.learners.learner import Learner
from bestofk.randomness import derive_rng, derive_seed
from bestofk.resampling import Plan, Split, make_plan

N_BLOCK_FEATURES = 4
BLOCK_SHIFT = 0.275


def shifted_blocks(
    n_rows: int, rng: np.random.Generator, *, n_blocks: int = 2, delta: float = 0.0
) -> tuple[DataSet, ...]:
    """Draw independent blocks of features that tell the same two classes apart equally well.

    A learner that sees one block is, by symmetry, exactly as good as the same learner that
    sees another, whatever it is and however many rows it is trained on.

    Parameters
    ----------
    n_rows : int
        Rows, at least 4; the first half is of class 0, the others of class 1.
    rng : Generator
        Where the features are drawn from.
    n_blocks : int, default=2
        Blocks of 4 normal features with means -0.275 (class 0) and 0.275 (class 1).
    delta : float from 0 to 1, default=0
        Share by which the means of the last block are nearer to each other; above 0 the
        blocks are not equal, and what is found is power.

    Returns
    -------
    tuple of DataSet
        One per block, with the same target.

    Raises
    ------
    InvalidArgumentError
        If a number is not allowed.

    Examples
    --------
    >>> first, second = shifted_blocks(10, np.random.default_rng(0))
    >>> first.features.shape, (first.y == second.y).all()
    ((10, 4), np.True_)
    """
    for what, value, least in (("n_rows", n_rows, 4), ("n_blocks", n_blocks, 2)):
        check_number(value, f"{what} of a null", low=least, whole=True, way_out="Usual: 300 and 2.")
    check_number(delta, "delta of a null", low=0, high=1, way_out="0 measures the level.")
    target = (np.arange(n_rows) >= n_rows // 2).astype(np.int64)
    side = np.where(target == 1, BLOCK_SHIFT, -BLOCK_SHIFT)[:, np.newaxis]
    blocks = []
    for block in range(n_blocks):
        nearer = 1 - delta if block == n_blocks - 1 else 1.0
        features = nearer * side + rng.standard_normal((n_rows, N_BLOCK_FEATURES))
        blocks.append(DataSet(f"block {block + 1}", features, target, CLASSIFICATION))
    return tuple(blocks)


def exchangeable_samples(
    data: DataSet, n_rows: int | None, rng: np.random.Generator
) -> tuple[DataSet, DataSet]:
    """Draw two samples of a data set that share no row, class by class.

    Row i of both is of the same class, if there are classes, and which of two rows goes into
    which sample is left to chance: a learner that sees one sample is exactly as good as the
    same learner that sees the other.

    Parameters
    ----------
    data : DataSet
        Without groups.
    n_rows : int or None
        Rows of each sample; None for half of the data set, rounded down class by class.
        More than that are drawn with replacement, independently for both.
    rng : Generator
        Where the draws come from.

    Returns
    -------
    first, second : DataSet
        Rows in the order of the classes.

    Raises
    ------
    DesignError
        If rows are kept together in groups, or a class is left with fewer than two rows.

    Examples
    --------
    >>> from bestofk.data import load_data
    >>> first, second = exchangeable_samples(load_data("iris"), None, np.random.default_rng(0))
    >>> first.n_samples, first.class_counts.tolist()
    (75, [25, 25, 25])
    """
    _check_no_groups(data)
    classes = _classes_of_rows(data)
    sizes = _class_sizes(np.bincount(classes), n_rows)
    if sizes.min() < 2 and data.is_classification:
        scarce = data.classes[int(sizes.argmin())]
        raise DesignError(
            f"every class must have at least 2 rows in a sample; got {sizes.min()} of {scarce!s}. "
            "Ask for more rows, or join rare classes."
        )
    kept: tuple[list[Ints], list[Ints]] = ([], [])
    for code, size in enumerate(sizes):
        rows = np.flatnonzero(classes == code)
        if 2 * size <= len(rows):
            drawn = rng.permutation(rows)[: 2 * size].reshape(2, size)
        else:
            drawn = rng.choice(rows, size=(2, size))
        for sample, part in zip(kept, drawn, strict=True):
            sample.append(part)
    first, second = (data.subset(np.concatenate(parts)) for parts in kept)
    return first, second


def is_drawn_with_replacement(data: DataSet, n_rows: int | None) -> bool:
    """Return whether samples of so many rows must hold rows more than once."""
    counts = np.bincount(_classes_of_rows(data))
    return bool((2 * _class_sizes(counts, n_rows) > counts).any())


def relabeled(data: DataSet, n_rows: int | None, rng: np.random.Generator) -> DataSet:
    """Give rows new labels by fair draws, so that no learner can be better than another.

    Labels are drawn independently, all classes equally likely: with the frequencies of the
    data a learner that always predicts the largest class would be better than others.

    Parameters
    ----------
    data : DataSet
        Of classes, without groups.
    n_rows : int or None
        Rows to keep, drawn anew; None for all.
    rng : Generator
        Where the draws come from.

    Returns
    -------
    DataSet
        The features of the rows with labels that carry no information.

    Raises
    ------
    DesignError
        If rows are kept together in groups, or more rows are asked for than there are.

    Examples
    --------
    >>> from bestofk.data import load_data
    >>> relabeled(load_data("iris"), 60, np.random.default_rng(0)).n_samples
    60
    """
    _check_no_groups(data)
    n_rows = data.n_samples if n_rows is None else n_rows
    if n_rows > data.n_samples:
        raise DesignError(
            f"n_rows of permuted labels must be at most the rows of the data ({data.n_samples}); "
            f"got {n_rows}. Ask for fewer."
        )
    rows = np.sort(rng.permutation(data.n_samples)[:n_rows])
    target = data.classes[rng.integers(len(data.classes), size=n_rows)]
    return DataSet(data.name, data.feature_rows(rows), target, data.task)


def _classes_of_rows(data: DataSet) -> Ints:
    """Return the position of each row's class; all rows of regression are of one."""
    return data.y if data.is_classification else np.zeros(data.n_samples, np.int64)


def _class_sizes(counts: Ints, n_rows: int | None) -> Ints:
    halves = counts // 2
    if n_rows is None:
        return halves
    sizes: Ints = np.round(n_rows * counts / counts.sum()).astype(np.int64)
    # a row less of a class is better than a class that holds rows twice
    return np.minimum(sizes, halves) if n_rows <= halves.sum() else sizes


def _check_no_groups(data: DataSet) -> None:
    if data.groups is not None:
        raise DesignError(
            "data of a null calibration must have rows that stand for themselves; got groups. "
            "Calibrate on one row per group."
        )


Losses = Floats


def row_losses(learner: Learner, data: DataSet, plan: Plan, *, seed: int) -> list[Losses]:
    """Train and test a learner on every split and keep nothing but its losses.

    Parameters
    ----------
    learner : Learner
        Done in its batched form where a comparison would, else a clone is fitted for every split.
    data : DataSet
        What it is trained and tested on.
    plan : Plan
        The splits.
    seed : int
        All randomness of the learner comes from it and the number of the split.

    Returns
    -------
    list of ndarray of shape (n_test,), float
        For every split, the loss of each test row: 1 for a wrong class and 0 for the right one,
        or the squared error of a number.

    Raises
    ------
    RunError
        If the learner fails on a split.
    """
    seeds = [derive_seed(seed, number) for number in range(len(plan))]
    losses = _batched(learner, data, plan, np.array(seeds).reshape(-1, plan.n_folds))
    for number, seed_of_split in enumerate(seeds):
        if number not in losses:
            split = plan.split(*divmod(number, plan.n_folds))
            losses[number] = _one_split(learner, data, split, seed_of_split, number)
    return [losses[number] for number in range(len(plan))]


def _batched(learner: Learner, data: DataSet, plan: Plan, seeds: Ints) -> dict[int, Losses]:
    """Return the losses on every split that the batched form of the learner does, if any."""
    losses: dict[int, Losses] = {}
    fit = batched_fits([learner], data, plan)[0]
    if fit is None:
        return losses
    for start in range(0, plan.n_repeats, fit.largest_block):
        repeats = range(start, min(start + fit.largest_block, plan.n_repeats))
        block = fit.run(repeats, seeds[start : repeats.stop])
        for number, run in enumerate(block.runs, start * plan.n_folds):
            if run is not None and run.predictions is not None:
                truth = data.y[plan.test_rows[number]]
                losses[number] = _losses(truth, run.predictions.labels, data.is_classification)
    return losses


def _one_split(learner: Learner, data: DataSet, split: Split, seed: int, number: int) -> Losses:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            fitted = fit_learner(learner, data, split.train_rows, seed=seed)
            predicted = np.asarray(fitted.predict(data.feature_rows(split.test_rows)))
            return _losses(data.target_array[split.test_rows], predicted, data.is_classification)
        except Exception as error:
            raise RunError(
                f"learner {learner.name!r} must run on every split; got {type(error).__name__} on "
                f"split {number + 1} ({' '.join(str(error).split())[:200]}). Leave it out, or ask "
                "for more rows or fewer folds."
            ) from error


def _losses(truth: Values, predicted: Values, is_classification: bool) -> Losses:
    if is_classification:
        return np.asarray(predicted != truth, dtype=float)
    losses = np.asarray((predicted.reshape(len(truth)) - truth) ** 2, dtype=float)
    if not np.isfinite(losses).all():
        raise ValueError("predictions must be finite numbers")
    return losses


Side = tuple[Learner, DataSet]
NULLS = ("symmetric", "permuted", "design")
DESIGN_ROWS = 300
_FEWEST_DATA_SETS = 2
_SHOWN_SHARES = 4
# Rows of one class are exchangeable, so a plan may serve many data sets; a few take turns.
_N_PLANS = 25
_MOST_ROWS_KEPT = 1000  # of larger data, fits cost more than plans, and plans take much memory

_SAME_LEARNER = (
    "A learner is compared with itself on other data: how two different learners share their "
    "errors is not part of this null."
)
_INDEPENDENT = (
    "Both sides see other inputs, so no row is hard for both; where learners err on the same "
    "rows, their differences vary less than here."
)
_AT_CHANCE = (
    "Both learners are at chance here; where they learn something, their errors share causes "
    "that this null does not have, and training sets matter more."
)
_REPLACED = (
    "Rows are drawn with replacement because more are asked for than half of the data: a learner "
    "that remembers rows, such as 1-nearest-neighbor, looks better and steadier than it is."
)
_ONE_FAMILY = (
    "One artificial family of data: two normal classes, equally frequent, eight inputs at most "
    "per pair of learners."
)
LIMITS = {
    "symmetric": (_SAME_LEARNER, _INDEPENDENT),
    "permuted": (_AT_CHANCE,),
    "design": (_ONE_FAMILY, _SAME_LEARNER),
}


def calibrate(
    learners: Any,
    X: Any = None,
    y: Any = None,
    *,
    tests: str | Sequence[str] = ("corrected-t",),
    cv: str = "10x10",
    null: str | None = None,
    n_rows: int | None = None,
    n_data_sets: int = 200,
    alpha: float = 0.05,
    delta: float = 0.0,
    n_blocks: int = 2,
    engine: Any = "serial",
    n_jobs: int | None = None,
    random_state: int = 0,
    progress: bool | str | Callable[[int, int], None] = "auto",
) -> CalibrationResult:
    """Measure how often tests reject although the learners are equally good.

    Parameters
    ----------
    learners : str, estimator, list or dict
        As for `compare`.
    X : array-like of shape (n_samples, n_features), DataSet, str or Path, optional
        Data that nulls are made from; None for the null "design". For regression only the null
        "symmetric" is possible; losses are then squared errors.
    y : array-like of shape (n_samples,) or str, optional
        Target, or its column.
    tests : str or sequence of str, default=("corrected-t",)
        Names of tests of two learners, with options and plan where wanted:
        ``"corrected-t"``, ``"paired-t@10"``, ``"mcnemar(method=exact)@holdout"``,
        ``"corrected-t(df=9)"``. A test is applied even where it is known to be wrong: tests
        of rows to the rows of the first repeat laid end to end.
    cv : str, default="10x10"
        Plan of tests that name none and have none of their own.
    null : {"symmetric", "permuted", "design"}, optional
        "symmetric": each learner against itself, on two samples of the data that share no
        row and were divided by chance. "permuted": each pair of learners on the data with
        fair random labels, where none can be better; folds are not stratified. "design": each
        learner against itself on artificial blocks of inputs. None takes "symmetric" with
        data and "design" without.
    n_rows : int, optional
        Rows of each null data set. None: half of the data (symmetric), all (permuted), 300
        (design).
    n_data_sets : int, default=200
        Null data sets, at least 2; the standard error of a level of 0.05 is
        sqrt(0.05 * 0.95 / n_data_sets): 0.015 for 200, 0.007 for 1000. Each of them costs a
        fit per side and split: 200 fits for 10x10.
    alpha : float in (0, 1), default=0.05
        Nominal level.
    delta : float from 0 to 1, default=0
        Design only: by which share the last block is less informative; above 0 the rates are
        power.
    n_blocks : int, default=2
        Design only: with more than two blocks a rejection is a learner preferred wrongly by
        MultiTest: any one-sided p value at most alpha / m, m the number of pairs (Bonferroni;
        the same event as with Holm).
    engine : str, concurrent.futures.Executor or distributed.Client, default="serial"
        Where null data sets are done, as for `compare`. The numbers do not depend on it.
    n_jobs : int, optional
        Processes of this machine; None is 1, or all cores for ``engine="processes"``; -1 is all
        cores.
    random_state : int, default=0
        What all draws are derived from.
    progress : {"auto", True, False} or callable, default="auto"
        A bar on standard error, or lines where that is no terminal, with the shares so far; a
        callable gets the number of data sets done and of all.

    Returns
    -------
    CalibrationResult
        One row per learner (or pair of learners) and test; of the first data sets, where it was
        interrupted.

    Raises
    ------
    InvalidArgumentError
        If an argument breaks its rule.
    DesignError
        If the null cannot be made from the data, or a test needs another plan.
    RunError
        If a learner fails, or the workers of an engine end again and again.

    Notes
    -----
    Under the first and the third null both sides have the same distribution and change roles
    freely, so their expected errors are equal at every number of training rows, for every
    learner; under the second every prediction is wrong with the same probability. What a null
    cannot tell is in `limits` of the result.

    Examples
    --------
    >>> from bestofk.calibration.simulation import calibrate
    >>> from sklearn.naive_bayes import GaussianNB
    >>> tests = ["paired-t@5x5", "corrected-t@5x5"]
    >>> result = calibrate(GaussianNB(), tests=tests, n_rows=60, n_data_sets=20)
    >>> uncorrected, corrected = result.levels
    >>> uncorrected.rate > 0.2, corrected.rate < 0.2
    (True, True)
    """
    data = None if X is None else as_data_set(X, y)
    kind = _checked_null(null, data, delta, n_blocks)
    _check_count("n_data_sets", n_data_sets, _FEWEST_DATA_SETS)
    _check_count("n_rows", n_rows, 4)
    entered = resolve_learners(learners, "classification" if data is None else data.task)
    wanted = [tests] if isinstance(tests, str) else list(tests)
    if not wanted:
        raise InvalidArgumentError("tests must name at least one; got none. Try 'corrected-t'.")
    asked = tuple(CalibratedTest.parse(text, cv) for text in wanted)
    if kind == "permuted" and len(entered) < 2:
        raise DesignError(
            f"learners of permuted labels must be at least 2; got {len(entered)}. "
            "Take null='symmetric' for a single learner."
        )
    if kind == "design":
        n_rows = DESIGN_ROWS if n_rows is None else n_rows
    simulation = _Simulation(
        kind, data, tuple(entered), asked, n_rows, delta, n_blocks, int(random_state)
    )
    check_share(alpha, "alpha")
    p_values = simulation.run(n_data_sets, alpha, engine, n_jobs, progress)
    is_interrupted = len(p_values) < n_data_sets
    levels = tuple(
        MeasuredLevel(
            whom, test.text, test.plan, float(alpha), p_values[:, index, number], delta == 0
        )
        for index, whom in enumerate(simulation.titles)
        for number, test in enumerate(asked)
    )
    limits = _limits(kind, data, n_rows)
    if is_interrupted:
        limits = (f"Interrupted after {len(p_values):,} of {n_data_sets:,} data sets.", *limits)
    n_drawn = simulation.samples(0)[0].n_samples
    return CalibrationResult(kind, n_drawn, levels, limits, is_interrupted)


@dataclass(frozen=True, eq=False)
class _Simulation:
    """Everything a worker needs to compute the p values of one data set from its number."""

    null: str
    data: DataSet | None
    learners: tuple[Learner, ...]
    tests: tuple[CalibratedTest, ...]
    n_rows: int | None
    delta: float
    n_blocks: int
    random_state: int

    @property
    def titles(self) -> list[str]:
        if self.null == "permuted":
            return [f"{a.name} vs {b.name}" for a, b in combinations(self.learners, 2)]
        return [learner.name for learner in self.learners]

    def samples(self, number: int) -> tuple[DataSet, ...]:
        """Return the data sets of the two sides, or of all blocks."""
        rng = derive_rng(self.random_state, "calibrate", self.null, self.n_rows, number)
        if self.null == "design":
            n_rows = self.n_rows or DESIGN_ROWS
            return shifted_blocks(n_rows, rng, n_blocks=self.n_blocks, delta=self.delta)
        assert self.data is not None
        if self.null == "symmetric":
            return exchangeable_samples(self.data, self.n_rows, rng)
        return (relabeled(self.data, self.n_rows, rng),)

    def p_values(self, number: int) -> Any:
        """Return the p values of one data set, shape (n_titles, n_tests)."""
        samples = self.samples(number)
        families: Iterable[Sequence[Side]] = (
            combinations([(learner, samples[0]) for learner in self.learners], 2)
            if self.null == "permuted"
            else [[(learner, sample) for sample in samples] for learner in self.learners]
        )
        return np.array([self._tested(sides, number) for sides in families])

    def _tested(self, sides: Sequence[Side], number: int) -> list[float]:
        return p_values_on_splits(
            sides,
            self.tests,
            plan_seed=derive_seed(self.random_state, "calibrate", number % _N_PLANS),
            stream=(self.random_state, number),
            stratify=self.null != "permuted" and sides[0][1].is_classification,
        )

    def run(
        self, n_data_sets: int, alpha: float, engine: Any, n_jobs: int | None, progress: Any
    ) -> Any:
        """Return the p values of the data sets; of the first ones, where it is interrupted."""
        estimators = [learner.estimator for learner in self.learners]
        tables: dict[int, Any] = {}
        n_rejected = np.zeros((len(self.titles), len(self.tests)))
        first: list[int] = []
        with shown_progress(progress, "null data sets", n_data_sets) as tell:
            try:
                for number, table in done_tasks(
                    self.p_values, range(n_data_sets), engine=engine, n_jobs=n_jobs,
                    estimators=estimators,
                ):  # fmt: skip
                    tables[number] = table
                    n_rejected += table <= alpha
                    shares = [f"{share:.1%}" for share in (n_rejected / len(tables)).flat]
                    tell(len(tables), n_data_sets, f"rejected: {', '.join(shares[:_SHOWN_SHARES])}")
            except (KeyboardInterrupt, EngineLostError):
                # those that are done sooner than one before them may be special
                first = list(takewhile(tables.__contains__, range(n_data_sets)))
                if len(first) < _FEWEST_DATA_SETS:
                    raise
        return np.array([tables[number] for number in first or range(n_data_sets)])


def p_values_on_splits(
    sides: Sequence[Side],
    tests: Sequence[CalibratedTest],
    *,
    plan_seed: int,
    stream: tuple[object, ...],
    stratify: bool = True,
) -> list[float]:
    """Train and test both sides of a null on shared splits and apply every test.

    Parameters
    ----------
    sides : sequence of (Learner, DataSet)
        Both sides, or all blocks of a family; of classes row i is of the same one in all of
        them, rows in the order of the classes.
    tests : sequence of CalibratedTest
        Tests with the same plan share the fits.
    plan_seed : int
        What the plans are drawn from.
    stream : tuple of object
        Names that the randomness of learners is derived from.
    stratify : bool, default=True
        Whether plans spread the classes evenly.

    Returns
    -------
    list of float
        One p value per test: two-sided; of more than two sides the smallest one-sided one
        after Bonferroni.

    Raises
    ------
    DesignError
        If a test cannot be applied to its plan.
    RunError
        If a learner fails.
    """
    sample = sides[0][1]
    counts = tuple(sample.class_counts.tolist()) if stratify else (sample.n_samples,)
    make = _make_plan if sum(counts) > _MOST_ROWS_KEPT else _kept_plan
    kept: dict[str, list[list[Losses]]] = {}
    p_values = []
    for test in tests:
        plan = make(test.plan, counts, plan_seed, stratify=stratify)
        if test.plan not in kept:
            kept[test.plan] = [
                row_losses(
                    learner, data, plan, seed=derive_seed(*stream, learner.name, side, test.plan)
                )
                for side, (learner, data) in enumerate(sides)
            ]
        p_values.append(_family_p_value(test, _sampling(plan), kept[test.plan]))
    return p_values


def _make_plan(plan: str, counts: tuple[int, ...], seed: int, *, stratify: bool) -> Plan:
    """Return the plan of so many rows of each class."""
    target = np.repeat(np.arange(len(counts)), counts)
    rows = DataSet("rows", np.zeros((len(target), 1)), target, "classification")
    return make_plan(rows, plan, stratify=stratify, random_state=seed)


_kept_plan = lru_cache(maxsize=8 * _N_PLANS)(_make_plan)


def _sampling(plan: Plan) -> Sampling:
    return Sampling(plan.scheme, plan.n_repeats, plan.n_folds, plan.n_train, plan.n_test)


def _family_p_value(
    test: CalibratedTest, sampling: Sampling, sides: Sequence[Sequence[Losses]]
) -> float:
    """Return the p value of two sides; of more: the smallest one-sided one after Bonferroni."""
    sizes = np.array([len(rows) for rows in sides[0]])
    starts = np.concatenate([[0], sizes.cumsum()])
    losses = [np.concatenate(item) for item in sides]
    means = [
        (np.add.reduceat(loss, starts[:-1]) / sizes).reshape(sampling.n_repeats, -1)
        for loss in losses
    ]
    folds = np.repeat(np.arange(sampling.n_folds), sizes[: sampling.n_folds])
    rows = [loss[: len(folds)] for loss in losses]
    pairs = list(combinations(range(len(sides)), 2))
    results = [
        test.p_value(
            SplitLosses(sampling, means[i], means[j], rows[i], rows[j], folds),
            "two-sided" if len(pairs) == 1 else "greater",
        )
        for i, j in pairs
    ]
    return min(1.0, len(pairs) * min(results))


def _checked_null(null: str | None, data: DataSet | None, delta: float, n_blocks: int) -> str:
    kind = ("design" if data is None else "symmetric") if null is None else null
    check_known(kind, "null", NULLS, got=null)
    if (kind == "design") != (data is None):
        raise InvalidArgumentError(
            f"data of null {kind!r} must be {'None' if data is not None else 'given'}; got "
            f"{'none' if data is None else data.name}. 'design' makes its own data, the others "
            "are made from yours."
        )
    if kind == "permuted" and data is not None and not data.is_classification:
        raise DesignError(
            f"data of null 'permuted' must be of classes; got {data.task} ({data.name}). Take "
            "null='symmetric', or set task='classification' when you load the data."
        )
    if kind != "design" and (delta != 0 or n_blocks != 2):
        raise InvalidArgumentError(
            f"delta and n_blocks must be left out for null {kind!r}; got {delta} and {n_blocks}. "
            "They belong to null='design'."
        )
    return kind


def _check_count(what: str, value: int | None, least: int) -> None:
    check_number(
        value,
        what,
        low=least,
        whole=True,
        or_none=True,
        way_out="More data sets make the measured level more precise.",
    )


def _limits(kind: str, data: DataSet | None, n_rows: int | None) -> tuple[str, ...]:
    if kind == "symmetric" and data is not None and is_drawn_with_replacement(data, n_rows):
        return (*LIMITS[kind], _REPLACED)
    return LIMITS[kind]
