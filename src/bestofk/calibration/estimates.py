"""Optimism of estimates of 2, 5 and 10 folds, against scores on a true test set."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np

from bestofk.array_types import Floats
from bestofk.calibration.bias_of_folds import EstimateBias
from bestofk.calibration.shown_progress import shown_progress
from bestofk.comparison.chosen_measures import with_positive_class
from bestofk.comparison.comparison import Comparison
from bestofk.comparison.entry_point import compare
from bestofk.comparison.input_data import as_data_set
from bestofk.data import DataSet, load_data
from bestofk.errors import InvalidArgumentError
from bestofk.measures import Measure, measure_of_all
from bestofk.resampling import make_plan

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
                is_interrupted = _is_cut_off(estimates[-1])
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


def _is_cut_off(comparison: Comparison) -> bool:
    return comparison.evaluation.is_interrupted or comparison.evaluation.is_out_of_time


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
