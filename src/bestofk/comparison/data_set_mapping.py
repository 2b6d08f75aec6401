"""Comparison on a mapping of data sets: all are checked, then one verdict over all."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from bestofk.checks import check_known
from bestofk.comparison.call_context import resume_line
from bestofk.comparison.comparison_across import ComparisonAcross
from bestofk.comparison.input_data import as_data_set
from bestofk.comparison.options import ComparisonSettings
from bestofk.comparison.prepared_comparison import (
    PreparedComparison,
    prepare_comparison,
    run_comparisons,
)
from bestofk.data import DataSet
from bestofk.errors import BestofkError, DesignError, InvalidArgumentError
from bestofk.evaluation import Observer, Store
from bestofk.learners import Learner, resolve_learners
from bestofk.measures import choose_scoring
from bestofk.verdict.many_data_sets import check_control

SHARED_MEASURE = (
    "Error decides for all data sets. Alone, {} would use AUROC, because one class has most rows. "
    "To change it, name a measure (scoring)."
)
UNIT_FREE_MEASURE = (
    "R2 decides, because squared errors of different targets have no common unit and no mean."
)


def data_sets_of_mapping(data: Mapping[Any, Any], y: Any, **options: Any) -> dict[str, DataSet]:
    """Return the checked data sets of a mapping, by name.

    Parameters
    ----------
    data : mapping of str to data
        Each what `compare` takes as X, or a pair (X, y).
    y : str or None
        Column of the target in every frame or file.
    **options
        task, groups and sample_weight of `compare`.

    Returns
    -------
    dict of str to DataSet
        In the order given.

    Raises
    ------
    InvalidArgumentError
        If there are fewer than two, two hold the same, their tasks differ, or one cannot be
        compared on.
    """
    if len(data) < 2:
        raise InvalidArgumentError(
            f"data of compare must be at least two data sets where it is a mapping; got "
            f"{len(data)}. Give a single data set by itself."
        )
    results: dict[str, DataSet] = {}
    for key, value in data.items():
        name = str(key)
        with _naming(name):
            is_pair = isinstance(value, tuple) and len(value) == 2
            X, target = value if is_pair else (value, None if isinstance(value, DataSet) else y)
            data_set = as_data_set(X, target, **options)
        same = [other for other, known in results.items() if known.id == data_set.id]
        if same:
            raise InvalidArgumentError(
                f"data sets must be different; got the same rows as {same[0]} and {name}. "
                "Leave one out: it would count twice."
            )
        results[name] = data_set
    tasks = {item.task for item in results.values()}
    if len(tasks) > 1:
        said = "; ".join(f"{name}: {item.task}" for name, item in results.items())
        raise InvalidArgumentError(
            f"data sets must have one task; got {said}. Compare each task separately."
        )
    return results


def compare_data_sets(
    learners: Any,
    data: Mapping[str, DataSet],
    settings: ComparisonSettings,
    control: str | None = None,
    store: str | os.PathLike[str] | Store | None = None,
    progress: Observer | None = None,
) -> ComparisonAcross:
    """Compare on many data sets, all in one store.

    Parameters
    ----------
    learners : list, dict or None
        As for `compare`.
    data : mapping of str to DataSet
        From `data_sets_of_mapping`.
    settings : ComparisonSettings
        Of every comparison; with a fixed plan.
    control : str, optional
        Learner that all others are held against.
    store : str, Path or Store, optional
        As for `compare`.
    progress : Observer, optional
        Receives the events.

    Returns
    -------
    ComparisonAcross
        Its verdict is over all data sets.

    Raises
    ------
    InvalidArgumentError, DesignError
        Before anything is trained, if an argument breaks its rule on one of the data sets.
    """
    for name, usual in (("center", "mean"), ("average", False)):
        if (value := getattr(settings, name)) != usual:
            raise InvalidArgumentError(
                f"{name} must be {usual!r} with many data sets; got {value!r}. Compare on each of "
                "them separately."
            )
    settings, notes = with_shared_measure(settings, data)
    prepared: dict[str, PreparedComparison] = {}
    entered: list[Learner] = []
    for name, data_set in data.items():
        with _naming(name):
            entered = entered or resolve_learners(learners, data_set.task)
            prepared[name] = prepare_comparison(entered, data_set, settings)
    check_ranked(next(iter(prepared.values())), control)
    results = run_comparisons(prepared, store, progress)
    return ComparisonAcross(
        comparisons=results,
        settings=settings,
        control=control,
        notes=notes,
        not_begun=tuple(name for name in prepared if name not in results),
        resume=resume_line(store),
    )


@contextmanager
def _naming(data_set: str) -> Iterator[None]:
    """Add the name of the data set to errors raised in the block."""
    try:
        yield
    except BestofkError as error:
        raise type(error)(f"{data_set}: {error}") from error


def with_shared_measure(
    settings: ComparisonSettings, data: Mapping[str, DataSet]
) -> tuple[ComparisonSettings, tuple[str, ...]]:
    """Return settings with a measure that decides for all data sets, and a note about it."""
    first = next(iter(data.values()))
    if settings.scoring_of(first.task) is not None:
        return settings, ()
    if not first.is_classification:
        return replace(settings, scoring="r2"), (UNIT_FREE_MEASURE,)
    chosen = {
        name: choose_scoring(data_set.task, data_set.class_counts)[0][0]
        for name, data_set in data.items()
    }
    if len(set(chosen.values())) == 1:
        return replace(settings, scoring=next(iter(chosen.values()))), ()
    other = [name for name, measure in chosen.items() if measure != "error"]
    return replace(settings, scoring="error"), (SHARED_MEASURE.format(", ".join(other)),)


def check_ranked(prepared: PreparedComparison, control: str | None) -> None:
    """Raise unless two learners can be best, and the control is one of them."""
    ranked: Sequence[str] = [
        learner.name for learner in prepared.request.learners if not learner.is_baseline
    ]
    if len(ranked) < 2:
        raise DesignError(
            f"learners must be at least two for a verdict over data sets; got "
            f"{', '.join(ranked) or 'none'}. Add another."
        )
    check_control(control, prepared.settings)
    if control is not None:
        check_known(control, "control", ranked, rule="one of the learners")
