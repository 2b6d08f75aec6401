"""Optimism of estimates of 2, 5 and 10 folds, against scores on a true test set."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from bestofk.array_types import Bools, Floats, Ints
from bestofk.calibration.printed import PrintedCalibration, shown_progress
from bestofk.comparison.chosen_measures import with_positive_class
from bestofk.comparison.comparison import Comparison
from bestofk.comparison.entry_point import compare
from bestofk.comparison.input_data import as_data_set
from bestofk.data import DataSet, load_data
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import bonferroni_dunn_critical_difference, nemenyi_critical_difference
from bestofk.measures import Measure, measure_of_all
from bestofk.measures.ties import is_noise, tied_values
from bestofk.measures.words import is_share, value_title
from bestofk.report.parts import Table, table_of
from bestofk.resampling import make_plan
from bestofk.words import times

_TITLES: Final = (
    "folds", "learner", "optimism", "optimistic in", "mean absolute error", "mean rank",
)  # fmt: skip
_ALL: Final = "all"
_ALPHA: Final = 0.05  # of the ranks of a learner, together


@dataclass(frozen=True, eq=False, repr=False)
class EstimateBias(PrintedCalibration):
    """Cross-validated estimates, and the scores on test sets that they estimate.

    Parameters
    ----------
    learners : tuple of str
        Names.
    n_folds : tuple of int
        Numbers of folds, ascending.
    test_sets : tuple of str
        What the test sets are called.
    estimates : ndarray of shape (n_test_sets, len(n_folds), n_learners), float
        Mean of the measure over all folds and repeats, from the training rows alone.
    true_scores : ndarray of shape (n_test_sets, n_learners), float
        The measure on the test set, after training on all training rows.
    measure : Measure
        What was measured.
    notes : tuple of str
        What to know about the runs.
    is_interrupted : bool, default=False
        Whether test sets are missing.

    Raises
    ------
    DesignError
        If the shapes do not fit.

    Notes
    -----
    A learner that lacks an estimate or a score (nan) on a test set is left out there, for all
    numbers of folds alike. Raeder, Hoens & Chawla (2010) print the mean absolute error under the
    name "MSE" [1]_.

    References
    ----------
    .. [1] Raeder, Hoens & Chawla (2010), Consequences of variability in classifier performance
       estimates, IEEE International Conference on Data Mining, tables I, IV and V.

    Examples
    --------
    >>> import numpy as np
    >>> from bestofk.measures import get_measure
    >>> auroc = get_measure("auroc", task="classification", classes=[0, 1])
    >>> estimates = np.array([[[0.80], [0.84]], [[0.70], [0.76]]])
    >>> result = EstimateBias(
    ...     ("lda",), (2, 10), ("a", "b"), estimates, np.array([[0.85], [0.75]]), auroc
    ... )
    >>> result.optimism().round(3).tolist(), result.mean_absolute_error().round(3).tolist()
    ([[-0.05], [0.0]], [[0.05], [0.01]])
    """

    title = "Estimates of numbers of folds against test sets"
    learners: tuple[str, ...]
    n_folds: tuple[int, ...]
    test_sets: tuple[str, ...]
    estimates: Floats
    true_scores: Floats
    measure: Measure
    notes: tuple[str, ...] = ()
    is_interrupted: bool = False

    def __post_init__(self) -> None:
        shape = (len(self.test_sets), len(self.n_folds), len(self.learners))
        if self.estimates.shape != shape or self.true_scores.shape != (shape[0], shape[2]):
            raise DesignError(
                f"estimates must be of shape {shape} and true_scores of {(shape[0], shape[2])}; "
                f"got {self.estimates.shape} and {self.true_scores.shape}. Give one estimate per "
                "test set, number of folds and learner."
            )

    @cached_property
    def away(self) -> Floats:
        """By how much each estimate looks better than the test set, shaped as `estimates`.

        In the unit of the measure, above 0 where it is optimistic; nan where a learner is left
        out.
        """
        differences = self.estimates - self.true_scores[:, None, :]
        sign = 1 if self.measure.greater_is_better else -1
        signed = np.where(is_noise(differences, self._scale), 0.0, sign * differences)
        is_missing = np.isnan(signed).any(axis=1, keepdims=True)
        return np.where(is_missing, np.nan, signed)

    @property
    def _scale(self) -> Floats:
        return np.maximum(np.abs(self.estimates), np.abs(self.true_scores[:, None, :]))

    def optimism(self) -> Floats:
        """Return the mean of `away` over test sets, shape (len(n_folds), n_learners)."""
        return self._over_test_sets(self.away)

    def mean_absolute_error(self) -> Floats:
        """Return how far estimates are from the test set, (len(n_folds), n_learners)."""
        return self._over_test_sets(np.abs(self.away))

    def mean_ranks(self) -> Floats:
        """Return mean ranks of the numbers of folds, shape (len(n_folds), n_learners).

        1 is the most optimistic of them on a test set; ties share a rank.
        """
        digits = tied_values(-self.away, self._scale, axis=1)
        return self._over_test_sets(rankdata(digits, axis=1, nan_policy="propagate"))

    def differs_from_most_folds(self) -> Bools:
        """Return which mean ranks are significantly away from those of the most folds.

        By the Bonferroni-Dunn test at 5%, as in table I of [1]_. It takes test sets as
        independent.

        Returns
        -------
        ndarray of shape (len(n_folds), n_learners), bool
        """
        ranks = self.mean_ranks()
        limit = self._critical(bonferroni_dunn_critical_difference)
        return np.asarray(np.abs(ranks - ranks[-1]) >= limit)

    def _critical(self, difference: Callable[..., float]) -> Floats:
        """Return from which difference on mean ranks of each learner are significant."""
        counts = (~np.isnan(self.away[:, 0])).sum(axis=0)
        k = len(self.n_folds)
        return np.array([difference(k, n, alpha=_ALPHA) if n and k > 1 else np.inf for n in counts])

    @property
    def nearest(self) -> int | None:
        """Number of folds with the lowest mean absolute error over all learners; None if none.

        The smaller number where they tie.
        """
        errors = self._over_learners(self.mean_absolute_error())
        return None if np.isnan(errors).any() else self.n_folds[int(np.argmin(tied_values(errors)))]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per number of folds and learner, and one of all learners together.

        Returns
        -------
        DataFrame
            n_folds, learner ("all" for all), optimism, n_optimistic (estimates that look better
            than the test set), n (estimates), mean_absolute_error, mean_rank, and whether that
            differs_from_most_folds (never that of all).
        """
        tables = {
            "optimism": self.optimism(),
            "n_optimistic": (self.away > 0).sum(axis=0),
            "n": (~np.isnan(self.away)).sum(axis=0),
            "mean_absolute_error": self.mean_absolute_error(),
            "mean_rank": self.mean_ranks(),
        }
        if len(self.learners) > 1:
            for name, table in tables.items():
                is_count = name.startswith("n")
                together = table.sum(axis=1) if is_count else self._over_learners(table)
                tables[name] = np.column_stack([table, together])
        differs = np.zeros(tables["n"].shape, dtype=bool)
        differs[:, : len(self.learners)] = self.differs_from_most_folds()
        tables["differs_from_most_folds"] = differs
        names = [*self.learners, _ALL][: tables["n"].shape[1]]
        folds = np.repeat(self.n_folds, len(names))
        values = {name: table.ravel() for name, table in tables.items()}
        return pd.DataFrame({"n_folds": folds, "learner": names * len(self.n_folds), **values})

    def cells(self) -> pd.DataFrame:
        """Return one row per test set, number of folds and learner: estimate and true score."""
        sets, folds, learners = np.indices(self.estimates.shape).reshape(3, -1)
        return pd.DataFrame({
            "test_set": np.array(self.test_sets)[sets],
            "n_folds": np.array(self.n_folds)[folds],
            "learner": np.array(self.learners)[learners],
            "estimate": self.estimates.ravel(),
            "true_score": self.true_scores[sets, learners],
            "optimism": self.away.ravel(),
        })  # fmt: skip

    def headline(self) -> str:
        """Return in one or two sentences which number of folds is nearest to the test sets."""
        if self.nearest is None:
            return "No estimate has a test set to compare it with."
        errors = self._over_learners(self.mean_absolute_error())
        best = self.n_folds.index(self.nearest)
        others = [
            f"{folds} folds: {self._size(errors[index])}"
            for index, folds in enumerate(self.n_folds)
            if index != best
        ]
        apart = f" ({', '.join(others)})" if others else ""
        optimism = self._over_learners(self.optimism())[best]
        side = "optimistic" if optimism > 0 else "pessimistic"
        n_cells = int((~np.isnan(self.away[:, 0])).sum())
        return (
            f"Estimates of {self.nearest} folds are nearest to the test "
            f"set{'s' * (len(self.test_sets) > 1)}: "
            f"{self._size(errors[best])} away on average{apart}. They are "
            f"{self._size(abs(optimism))} {side} on average, and optimistic in "
            f"{int((self.away[:, best] > 0).sum())} of {n_cells} cases."
        )

    def _over_test_sets(self, values: Floats) -> Floats:
        """Return the mean of what is not nan; nan where nothing is left."""
        known = ~np.isnan(values)
        return _ratio(np.where(known, values, 0.0).sum(axis=0), known.sum(axis=0))

    def _over_learners(self, values: Floats) -> Floats:
        """Return the mean over learners, each weighing as many test sets as it has."""
        counts = (~np.isnan(self.away)).sum(axis=0)
        total = np.where(counts > 0, values * counts, 0).sum(axis=1)
        return _ratio(total, counts.sum(axis=1))

    def _size(self, value: float) -> str:
        """Return a distance in points, or in the unit of the measure."""
        return f"{self._number(value).lstrip('+')}{' points' * is_share(self.measure)}"

    def _number(self, value: float) -> str:
        """Return a difference with its sign, as a table shows it."""
        if is_share(self.measure):
            return f"{round(100 * value, 1) + 0.0:+.1f}"  # + 0.0 leaves no -0.0
        is_bounded = np.isfinite([self.measure.minimum, self.measure.maximum]).all()
        return f"{round(value, 3) + 0.0:+.3f}" if is_bounded else f"{value:+.3g}"

    def _tables(self) -> list[Table]:
        rows = [
            [
                str(row.n_folds),
                str(row.learner),
                self._number(row.optimism),
                f"{row.n_optimistic} of {row.n}",
                self._number(row.mean_absolute_error).lstrip("+"),
                f"{row.mean_rank:.2f}{' *' * row.differs_from_most_folds}",
            ]
            for row in self.to_frame().itertuples()
        ]
        return [table_of(_TITLES, rows, left=(1,))]

    def _remarks(self) -> list[str]:
        unit = ", in points" if is_share(self.measure) else ""
        return [
            f"{value_title(self.measure)}{unit}; {times(len(self.test_sets), 'test set')}. "
            "Optimism: by how much estimates look better than the test set, on average. "
            "Rank 1: the most optimistic number of folds.",
            "The learner on the test set was trained on all training rows, those of the folds on "
            "fewer.",
            *self._significance(),
            *self.notes,
        ]

    def _significance(self) -> Iterator[str]:
        """Say from which difference on ranks are significant, where any can be."""
        pairs, to_most = map(
            self._critical, (nemenyi_critical_difference, bonferroni_dunn_critical_difference)
        )
        if to_most.min() <= len(self.n_folds) - 1:
            subject = "Ranks with *" if self.differs_from_most_folds().any() else "No ranks"
            yield (
                f"{subject} differ from those of {self.n_folds[-1]} folds by "
                f"{to_most.min():.3f} or more (Bonferroni-Dunn, 5%); any two must be "
                f"{pairs.min():.3f} apart (Nemenyi). Both assume independent test sets; those "
                "drawn from the same rows are not."
            )


def _ratio(total: Floats, count: Ints) -> Floats:
    """Return means from sums; nan of nothing."""
    return np.asarray(np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0))


# Forms of `cv` that leave test rows out of all training.
_PLANS: Final = re.compile(r"(\d+x)?hold-?out(:0?\.\d+)?|test:[\d.]+")


def estimate_bias(
    learners: Any,
    X: Any,
    y: Any = None,
    *,
    target: str | None = None,
    test_set: Any = "holdout",
    n_folds: Sequence[int] = (2, 5, 10),
    n_repeats: int | Sequence[int] = 10,
    progress: bool | str | Callable[[int, int], None] = "auto",
    **compare_options: Any,
) -> EstimateBias:
    """Measure how far cross-validated estimates are from the score on a true test set.

    Every learner is cross-validated on the training rows by each number of folds. It is then
    trained on all of them, and tested on rows that no fold has seen.

    Parameters
    ----------
    learners : str, estimator, list, dict or None
        As for `bestofk.compare`.
    X, y, target
        Data, as for `bestofk.compare`; or a mapping of names to data sets.
    test_set : str, Path, DataSet or mapping, default="holdout"
        The test rows. ``"holdout:0.3"``: rows drawn at random; ``"20xholdout"``: twenty times
        (a third of the rows if no share is given). ``"test:0.3"``: the last rows, for data in
        the order of time. Another file or `DataSet`: later rows, and X is all training rows;
        a mapping where X is one.
    n_folds : sequence of int, default=(2, 5, 10)
        Numbers of folds, ascending.
    n_repeats : int or sequence of int, default=10
        Repeats of each number of folds. ``(5, 2, 1)`` gives the "canonical" estimates of the
        paper.
    progress : {"auto", True, False} or callable, default="auto"
        A bar on standard error; a callable gets the number of cross-validations done and of all.
    **compare_options
        Options of `bestofk.compare`, such as ``scoring="auroc"``, ``store`` or ``n_jobs``.
        Learners with a batched form train on all folds of a repeat at once.

    Returns
    -------
    EstimateBias
        Optimism, mean absolute error and mean rank of each number of folds; with `to_frame()`.

    Raises
    ------
    InvalidArgumentError
        If an argument breaks its rule, the test rows hold a class that is not in the training
        rows, or data sets have different deciding measures.

    Notes
    -----
    When not to trust it. One test set has chance in it: a test set of 100 rows knows an error
    rate of 10% to about 3 points. Test sets that were drawn from the same rows share rows. Rows
    of another time or place may differ from the training rows, and no number of folds sees
    that [1]_.

    References
    ----------
    .. [1] Raeder, Hoens & Chawla (2010), Consequences of variability in classifier performance
       estimates, IEEE International Conference on Data Mining, section VI.

    Examples
    --------
    >>> from bestofk.calibration import estimate_bias
    >>> result = estimate_bias(["1nn", "lda"], "iris", test_set="4xholdout", n_repeats=2)
    >>> result.estimates.shape, result.optimism().round(3).tolist()
    ((4, 3, 2), [[-0.019, -0.015], [-0.001, -0.01], [-0.004, -0.009]])
    """
    folds = _checked_folds(n_folds)
    repeats = _checked_repeats(n_repeats, len(folds))
    plans = [f"{times}x{number}" for times, number in zip(repeats, folds, strict=True)]
    for option in ("cv", "protocol", "shard", "stopping", "max_repeats"):
        if option in compare_options:
            raise InvalidArgumentError(
                f"options of estimate_bias must not hold {option}; got one. Its plans come from "
                "n_folds and n_repeats."
            )
    seed = int(compare_options.get("random_state", 0))
    cases = list(_cases(X, y if target is None else target, test_set, seed))
    done: list[_Measured] = []
    n_plans = len(cases) * len(folds)
    is_interrupted = False
    with shown_progress(progress, "cross-validations", n_plans) as tell:
        for case in cases:
            estimates: list[Comparison] = []
            for number, cv in enumerate(plans):
                estimates.append(
                    compare(learners, case.train, cv=cv, progress=False, **compare_options)
                )
                evaluation = estimates[-1].evaluation
                is_interrupted = evaluation.is_interrupted or evaluation.is_out_of_time
                if is_interrupted:
                    break
                tell(len(done) * len(folds) + number + 1, n_plans)
            if is_interrupted:
                break
            done.append(_measured(case, estimates))
            _check_alike(done[0], done[-1])
    return _together(done, folds, is_interrupted=is_interrupted)


@dataclass(frozen=True, eq=False)
class _Case:
    """Training rows, and the test rows that they are to predict."""

    name: str
    train: DataSet
    test_features: Any
    test_target: Any


@dataclass(frozen=True, eq=False)
class _Measured:
    """Estimates and true scores of a case, with its numbers of training and test rows."""

    name: str
    names: tuple[str, ...]
    measure: Measure
    estimates: Floats
    true_scores: Floats
    n_rows: tuple[int, int]
    notes: tuple[str, ...]


def _cases(X: Any, y: Any, test_set: Any, seed: int) -> Iterator[_Case]:
    """Yield training rows and test rows of every data set and test set."""
    if isinstance(X, Mapping):
        for name, item in X.items():
            own = test_set[name] if isinstance(test_set, Mapping) else test_set
            yield from _cases_of(str(name), _data(item, y), own, y, seed)
    else:
        data = _data(X, y)
        yield from _cases_of(data.name, data, test_set, y, seed)


def _cases_of(name: str, data: DataSet, test_set: Any, y: Any, seed: int) -> Iterator[_Case]:
    if isinstance(test_set, str) and _PLANS.fullmatch(test_set.strip().lower()):
        plan = make_plan(data, test_set, random_state=seed)
        for number, (train, test) in enumerate(zip(plan.train_rows, plan.test_rows, strict=True)):
            title = f"{name}, test set {number + 1}" if len(plan) > 1 else name
            yield _Case(title, data.subset(train), data.feature_rows(test), data.target_rows(test))
        return
    if isinstance(test_set, str | Path) and Path(test_set).is_file():
        later = load_data(test_set, target=y, task=data.task)
    elif isinstance(test_set, DataSet):
        later = test_set
    else:
        raise InvalidArgumentError(
            f"test_set must be a hold-out, a file or a DataSet; got {test_set!r}. Write "
            "'holdout:0.3', 'test:0.3' for the last rows, or name a file of later rows."
        )
    yield _Case(name, data, later.features, later.target)


def _data(X: Any, y: Any) -> DataSet:
    data = as_data_set(X, None if isinstance(X, DataSet) else y)
    return with_positive_class(data, None)  # one for all parts


def _measured(case: _Case, comparisons: Sequence[Comparison]) -> _Measured:
    """Return the estimates of a case, and the scores on its test rows."""
    last, notes = comparisons[-1], []
    names = tuple(last.evaluation.names)
    estimates = np.array([item.scores[0].values.mean(axis=1) for item in comparisons])
    true = np.full(len(names), np.nan)
    for index, name in enumerate(names):
        if np.isnan(estimates[:, index]).any():  # a run failed
            notes.append(f"{name} is left out on {case.name}: it lacks an estimate.")
        else:
            scores = last.score(case.test_features, case.test_target, learner=name)
            true[index] = scores.iloc[0]
    n_rows = (case.train.n_samples, len(case.test_target))
    return _Measured(case.name, names, last.measures[0], estimates, true, n_rows, tuple(notes))


def _check_alike(first: _Measured, other: _Measured) -> None:
    """Refuse data sets whose scores cannot be averaged, or whose learners differ."""
    measures = [item.measure.name for item in (first, other)]
    if measures[0] != measures[1]:
        raise InvalidArgumentError(
            f"scoring must be one measure for all data sets; got {measures[0]} on {first.name} and "
            f"{measures[1]} on {other.name}. Name it, as scoring='auroc'."
        )
    if first.names != other.names:
        raise InvalidArgumentError(
            f"learners must be the same on all data sets; got {', '.join(first.names)} on "
            f"{first.name} and {', '.join(other.names)} on {other.name}. Compare one task."
        )


def _together(
    done: Sequence[_Measured], folds: tuple[int, ...], *, is_interrupted: bool
) -> EstimateBias:
    if not done:
        raise InvalidArgumentError(
            "test sets must be finished before estimates are held against them; got none, as it "
            "was interrupted. Call it again; a store keeps finished runs."
        )
    notes = [note for item in done for note in item.notes]
    least_train, least_test = (min(item.n_rows[part] for item in done) for part in (0, 1))
    notes.insert(0, f"At least {least_train:,} training and {least_test:,} test rows.")
    if is_interrupted:
        notes.append("Interrupted: test sets that were not finished are left out.")
    return EstimateBias(
        done[0].names,
        folds,
        tuple(item.name for item in done),
        np.array([item.estimates for item in done]),
        np.array([item.true_scores for item in done]),
        measure_of_all(item.measure for item in done),
        tuple(notes),
        is_interrupted=is_interrupted,
    )


def _checked_folds(n_folds: Any) -> tuple[int, ...]:
    folds = tuple(n_folds) if hasattr(n_folds, "__iter__") else (n_folds,)
    is_whole = all(isinstance(item, int | np.integer) and item >= 2 for item in folds)
    if not folds or not is_whole or any(a >= b for a, b in pairwise(folds)):
        raise InvalidArgumentError(
            f"n_folds must be whole numbers from 2, ascending; got {n_folds!r}. Write (2, 5, 10)."
        )
    return tuple(map(int, folds))


def _checked_repeats(n_repeats: Any, n_plans: int) -> tuple[int, ...]:
    given = tuple(n_repeats) if hasattr(n_repeats, "__iter__") else (n_repeats,) * n_plans
    is_whole = all(isinstance(item, int | np.integer) and item >= 1 for item in given)
    if len(given) != n_plans or not is_whole:
        raise InvalidArgumentError(
            "n_repeats must be a whole number from 1, or one for each number of folds "
            f"({n_plans}); got {n_repeats!r}. Write 10."
        )
    return tuple(map(int, given))
