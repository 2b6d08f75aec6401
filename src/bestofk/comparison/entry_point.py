"""Public entry point: learners and data in, a verdict out."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence, ValuesView
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, overload

from bestofk.comparison.call_context import observer_of
from bestofk.comparison.comparison import Comparison
from bestofk.comparison.input_data import as_data_set
from bestofk.comparison.options import OPTIONS, CompareArguments, ComparisonSettings, ReadOptions
from bestofk.comparison.prepared_comparison import prepare_comparison, run_comparison
from bestofk.data import DataSet
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation.options import counted_time
from bestofk.learners import resolve_learners
from bestofk.options import chosen, with_options

if TYPE_CHECKING:
    from bestofk.comparison.comparison_across import ComparisonAcross


class _ByName(CompareArguments, total=False):
    learners: Any
    X: Any
    y: Any


@overload
def compare(
    learners: Any, /, X: Mapping[Any, Any], y: Any = None, **options: Unpack[CompareArguments]
) -> ComparisonAcross: ...
@overload
def compare(data: Mapping[Any, Any], /, **options: Unpack[_ByName]) -> ComparisonAcross: ...
@overload
def compare(data: Any = None, /, **options: Unpack[_ByName]) -> Comparison: ...
@overload
def compare(
    learners: Any, /, X: Any, y: Any = None, **options: Unpack[CompareArguments]
) -> Comparison: ...
@with_options(CompareArguments, OPTIONS)
@counted_time()
def compare(
    learners_or_data: Any = None,
    /,
    X: Any = None,
    y: Any = None,
    *,
    learners: Any = None,
    **options: Any,
) -> Comparison | ComparisonAcross:
    """Compare learners on one or many data sets, and return which to use and how sure that is.

    Parameters
    ----------
    learners_or_data : learners or data
        Data if it is the only positional argument, as in ``compare("file.csv", target="y")``;
        learners if data follow, as in ``compare(["lda", "cart"], "file.csv", target="y")``.
    X : array-like of shape (n_samples, n_features), DataFrame, DataSet, str, Path or mapping
        Inputs for the learners: an array, a frame of pandas, polars ..., a `DataSet`, a file, or
        the name of a built-in data set. A mapping of names to any of these, or to pairs
        (X, y), compares on many data sets.
    y : array-like of shape (n_samples,), optional
        Target; a string names a column of X.
    learners : list, dict, str, estimator, optional
        Names of the catalogue, scikit-learn compatible estimators, (name, estimator) pairs, or a
        dict of them. By default a set for the task, with a baseline (``majority`` or ``mean``)
        that the others are compared with. With ``cv="adaptive"`` the first of several tied
        learners is picked: list those you prefer first.
    **options
        Of data, runs and verdict: `ReadOptions`, `RunOptions`, `VerdictOptions`, `CallOptions`.

    Returns
    -------
    Comparison or ComparisonAcross
        The verdict, with ``best``, ``table``, ``plot()``, ``explain(a, b)``, ``fit()`` ...; for a
        mapping a `ComparisonAcross`, which holds a `Comparison` of each data set.

    Raises
    ------
    InvalidArgumentError
        If an argument breaks its rule, data come before learners, or learners cannot be
        compared on the data.
    DesignError
        If the test does not fit the plan.
    StoreError
        If the store cannot be used.

    Notes
    -----
    The gap between the lowest mean and the next may be chance.  "Can't tell" does not mean
    "equal".  A failed run is recorded: its split is left out for all learners, or its learner
    takes no part in the verdict.

    Examples
    --------
    >>> from bestofk import compare
    >>> compare("wine", cv="1x2").best
    'forest'
    >>> result = compare(["nearest-mean", "logistic"], "iris", cv="5x2")
    >>> result.best, len(result.to_frame()) // 5
    ('logistic', 20)
    """
    learners, X = _in_their_places(learners_or_data, learners, X)
    target, control, store = (options.pop(name) for name in ("target", "control", "store"))
    if target is not None:
        if y is not None:
            raise InvalidArgumentError(
                f"target must be None where y is given; got {target!r}. Give one of them."
            )
        y = target
    reading = chosen(ReadOptions, options)
    settings = ComparisonSettings(**chosen(ComparisonSettings, options))
    if settings.shard is not None and store is None:
        raise InvalidArgumentError(
            f"store must be a file where shard is given; got None for shard {settings.shard}. "
            "Name one for each shard: merged, they hold all runs."
        )
    observer = observer_of(options["progress"])
    if isinstance(X, Mapping):
        from bestofk.comparison.data_set_mapping import compare_data_sets, data_sets_of_mapping

        if settings.is_adaptive:
            settings = replace(settings, cv="auto")
        data_sets = data_sets_of_mapping(X, y, **reading)
        return compare_data_sets(learners, data_sets, settings, control, store, observer)
    if control is not None:
        raise InvalidArgumentError(
            f"control must be None on one data set; got {control!r}. It is for tests over "
            "many data sets: compare(learners, {name: data, ...})."
        )
    data = as_data_set(X, y, **reading)
    entered = resolve_learners(learners, data.task)
    return run_comparison(prepare_comparison(entered, data, settings), store, observer)


def _in_their_places(positional: Any, learners: Any, X: Any) -> tuple[Any, Any]:
    """Return learners and data: the first argument is data if no other argument is."""
    if positional is None:
        return learners, X
    if X is None:
        return learners, positional
    if learners is not None or _are_data(positional):
        given = repr(positional) if isinstance(positional, str) else type(positional).__name__
        raise InvalidArgumentError(
            f"learners must be given once, and before data; got {given} first. Write "
            "compare(X, y=y) for the default learners, or compare(learners, X, y)."
        )
    return positional, X


def _are_data(value: Any) -> bool:
    """Return whether the argument in the place of learners is data."""
    if isinstance(value, str):
        from bestofk.data.load import is_known_name

        return is_known_name(value) or os.path.isfile(value)
    items = value.values() if isinstance(value, Mapping) else value
    first = next(iter(items), None) if isinstance(items, ValuesView | Sequence) else items
    return isinstance(first, DataSet | Path | list) or hasattr(first, "shape")
