"""Public entry point: learners and data in, a verdict out."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, overload

from bestofk.comparison.call_context import observer_of
from bestofk.comparison.comparison import Comparison
from bestofk.comparison.comparison_settings import ComparisonSettings
from bestofk.comparison.input_data import as_data_set
from bestofk.comparison.prepared_comparison import prepare_comparison, run_comparison
from bestofk.data import check_comparable
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation import Observer, Store

if TYPE_CHECKING:
    from bestofk.comparison.comparison_across import ComparisonAcross


class CompareOptions(TypedDict, total=False):
    """Options of `compare`, for its two signatures: see there."""

    target: str | None
    cv: Any
    max_repeats: int | None
    stopping: Any
    budget: float | None
    stratify: bool
    groups: Any
    sample_weight: Any
    drop_missing_target: bool
    task: str
    tune: bool
    scoring: Any
    pos_label: Any
    cost_matrix: Any
    prefer: Any
    feature_costs: Mapping[str, float] | None
    control: str | None
    test: str
    correction: str
    alpha: float
    rope: float | None
    center: str
    protocol: str | None
    store: str | os.PathLike[str] | Store | None
    keep: str
    timeout: float | None
    memory: int | str | None
    engine: Any
    n_jobs: int | None
    shard: str | None
    retry_failed: bool
    batched: str
    random_state: int
    progress: bool | str | Observer


@overload
def compare(
    learners: Any, X: Mapping[Any, Any], y: Any = None, **options: Unpack[CompareOptions]
) -> ComparisonAcross: ...
@overload
def compare(
    learners: Any, X: Any, y: Any = None, **options: Unpack[CompareOptions]
) -> Comparison: ...
def compare(
    learners: Any,
    X: Any,
    y: Any = None,
    *,
    target: str | None = None,
    cv: Any = "adaptive",
    max_repeats: int | None = None,
    stopping: Any = None,
    budget: float | None = None,
    stratify: bool = True,
    groups: Any = None,
    sample_weight: Any = None,
    drop_missing_target: bool = False,
    task: str = "auto",
    tune: bool = False,
    scoring: Any = None,
    pos_label: Any = None,
    cost_matrix: Any = None,
    prefer: Any = None,
    feature_costs: Mapping[str, float] | None = None,
    control: str | None = None,
    test: str = "corrected-t",
    correction: str = "holm",
    alpha: float = 0.05,
    rope: float | None = None,
    center: str = "mean",
    protocol: str | None = None,
    store: str | os.PathLike[str] | Store | None = None,
    keep: str = "probabilities",
    timeout: float | None = None,
    memory: int | str | None = None,
    engine: Any = "serial",
    n_jobs: int | None = None,
    shard: str | None = None,
    retry_failed: bool = False,
    batched: str = "auto",
    random_state: int = 0,
    progress: bool | str | Observer = "auto",
) -> Comparison | ComparisonAcross:
    """Find out which of K learners to use on a data set or on many, and how sure that is.

    Parameters
    ----------
    learners : list, dict, str, estimator or None
        Names of the catalogue and/or scikit-learn compatible estimators, (name, estimator)
        pairs, or a dict of them; None for the default set of the task, whose baseline
        (``majority`` or ``mean``) others are held against. With ``cv="adaptive"`` the first
        listed of those that are tied is best: list what you would rather have first.
    X : array-like of shape (n_samples, n_features), DataFrame, DataSet, str, Path or mapping
        Inputs as learners shall receive them, in an array or a frame of pandas, polars ...; a
        `DataSet`; or what `load_data` takes: a file or the name of a built-in data set. A
        mapping of names to any of these, or to pairs (X, y), compares on many data sets.
    y : array-like of shape (n_samples,), optional
        Target; a string names a column of X.
    target : str, optional
        Column of the file or frame X to predict; in place of y. Left out, a file is read as by
        `load_data`, and a frame must have a column called class, target, y, label or outcome.
    cv : str, int, splitter or iterable, default="adaptive"
        "adaptive" repeats 5-fold cross-validation until the pick is settled, and drops learners
        that cannot be picked any more. Above 50,000 rows it takes one hold-out instead, trains
        on ever more rows, and drops learners that can no longer win with all of them, unless
        `groups`, `max_repeats`, `stopping`, `prefer`, a test of splits or ``keep="scores"`` is
        given. Otherwise the plan; see `bestofk.resampling.make_plan`.
        Several data sets are resampled by ``"auto"`` where "adaptive" stands: their verdict
        needs every learner on every one.
    max_repeats : int, optional
        With ``cv="adaptive"``: the most repeats, 20 if not given.
    stopping : str, StoppingRule, VerdictRule or list of these, optional
        With ``cv="adaptive"``: rules that must all hold, of
        `bestofk.stopping.STOPPING_RULES`. None: "settled-pick", and with a preference
        "same-verdict", which keeps all learners.
    budget : float, optional
        Time limit in seconds; no run starts after it; the verdict is on what is finished.
    stratify : bool, default=True
        Spread classes evenly over folds.
    groups : array-like of shape (n_samples,) or str, optional
        Rows of one group are never split; a string names a column of X.
    sample_weight : array-like of shape (n_samples,) or str, optional
        Weights that learners get when they are fitted; scores are not weighted. A string names
        a column of X.
    drop_missing_target : bool, default=False
        Whether rows without a target are left out and counted; else they are refused.
    task : {"auto", "classification", "regression"}, default="auto"
        What is predicted; auto decides by the target and says so.
    tune : bool, default=False
        Whether learners that the catalogue has a space for choose their settings by
        cross-validation inside every training set; see `bestofk.tuning.Tuned`. Those of which
        tests are not known to hold once they are tuned stay as they are, unless they are named
        as ``"tuned(NAME)"``; the result says which.
    scoring : str, Measure, callable or list of these, optional
        The first decides.  None: error, AUROC where the largest class holds more than 75 %
        of the rows, mean squared error for regression.
    pos_label : label, optional
        The positive class; by default the rarer one.
    cost_matrix : array-like of shape (n_classes, n_classes), optional
        Cost of predicting the column's class for a row of the row's class, for
        ``scoring="cost"``, which decides if `scoring` is None.
    prefer : str, list of names, mapping of names to costs, or None
        None: best is the lowest mean loss; with ``cv="adaptive"`` the first listed learner
        that is within half of `rope` of it.  Otherwise MultiTest weighs the evidence against
        this preference, most preferred first: "given", by measured "fit-time", "predict-time"
        or "size", by the number of "parameters", by "feature-cost", as listed, or by a table
        of own costs.
    feature_costs : mapping of str to float, optional
        Cost of each feature, for ``prefer="feature-cost"``; others cost nothing.
    control : str, optional
        With many data sets: the learner that all others are held against; None for all pairs.
    test : str, default="corrected-t"
        Paired test behind every statement: "corrected-t", "5x2cv-t", "paired-t",
        "calibrated-t" or "sorted-runs-t"; on a single test set rows are compared, by
        "mcnemar" for errors, "delong" for AUROC, "cv-central-limit" for other means over rows.
    correction : {"holm", "bonferroni"}, default="holm"
        Correction of a family of tests.
    alpha : float in (0, 1), default=0.05
        Level of a family.
    rope : float, optional
        Half the width of the region of practical equivalence, in the unit of the deciding
        measure: smaller differences do not matter. With ``cv="adaptive"`` learners that differ
        by half of it or less are tied. None: 0.01 for measures from 0 to 1, else
        0, which asks for differences of any size.
    center : {"mean", "median"}, default="mean"
        Whether the pick has the lowest mean of its repeats or the lowest median, which a few bad
        repeats do not move; for plans without preference. Tests are about means in both cases.
    protocol : {"multitest-2006"}, optional
        Unstratified 5x2, 5x2cv t test, Bonferroni, preference as given, and error; regression
        has its usual measure, and `scoring` may be any other.
    store : str, Path or Store, optional
        File that keeps every finished run; None keeps them in memory.
    keep : {"probabilities", "labels", "scores"}, default="probabilities"
        How much of the predictions is stored for later measures.
    timeout : float, optional
        Seconds that a run may take before it is ended; runs done in a batch, a fraction of that
        each, are not held against it.
    memory : int or str, optional
        Memory that a run may take above what its process held before, as ``"4GB"`` or in bytes,
        before it is ended; not of runs done in a batch.
    engine : str, concurrent.futures.Executor or distributed.Client, default="serial"
        Where runs are done: in this process, in ``"processes"`` of this machine, by the workers
        of a Dask scheduler, ``"dask://HOST:PORT"``, or by an executor or a client of Dask.  The
        numbers do not depend on it, nor on `n_jobs`.
    n_jobs : int, optional
        Processes of this machine: None is 1, or all cores for ``engine="processes"``; -1 is all
        cores.  More than one turns ``"serial"`` into ``"processes"``.
    shard : str, optional
        ``"3/10"`` does the third of ten parts of all runs; `bestofk.merge_stores` puts the
        stores of the parts together.
    retry_failed : bool, default=False
        Whether runs that failed before are done again; those that ran into a smaller limit are
        in any case.
    batched : {"auto", "always", "never"}, default="auto"
        Whether learners with a batched form are trained on all parts at once, which gives the
        same predictions and takes a fraction of the time: where that is not slower, wherever
        there is a form, never.
    random_state : int, default=0
        What plan and random streams are derived from.
    progress : {"auto", True, False} or Observer, default="auto"
        Whether the guesses, the plan, and a table of the standings are shown while it runs:
        on standard error, or as an updated table in a notebook.  True writes a line every ten
        seconds where standard error is no terminal; auto shows nothing there.  An Observer
        receives the events instead.

    Returns
    -------
    Comparison or ComparisonAcross
        ``best``, ``table``, ``plot()``, ``explain(a, b)``, ``fit()`` ...; for a mapping a
        `ComparisonAcross`, which holds a `Comparison` of each data set.

    Raises
    ------
    InvalidArgumentError
        If an argument breaks its rule, or the data cannot be compared on.
    DesignError
        If the plan cannot carry the test.
    StoreError
        If the store cannot be used.

    Notes
    -----
    The gap of the lowest mean may be chance.  "Can't tell" is not "equal".  A failed run is a
    record: splits are left out for all learners alike, or the learner takes no part.

    Examples
    --------
    >>> from bestofk import compare
    >>> result = compare(["nearest-mean", "logistic"], "iris", cv="5x2")
    >>> result.best, len(result.frame) // 5
    ('logistic', 20)
    """
    if target is not None:
        if y is not None:
            raise InvalidArgumentError(
                f"target must be None where y is given; got {target!r}. Give one of them."
            )
        y = target
    settings = ComparisonSettings(
        test=test,
        correction=correction,
        alpha=alpha,
        prefer=prefer,
        rope=rope,
        center=center,
        feature_costs=feature_costs,
        cv=cv,
        max_repeats=max_repeats,
        stopping=stopping,
        budget=budget,
        stratify=stratify,
        tune=tune,
        scoring=scoring,
        pos_label=pos_label,
        cost_matrix=cost_matrix,
        keep=keep,
        timeout=timeout,
        memory=memory,
        engine=engine,
        n_jobs=n_jobs,
        shard=shard,
        retry_failed=retry_failed,
        batched=batched,
        random_state=random_state,
        protocol=protocol,
    )
    reading = {
        "task": task,
        "groups": groups,
        "sample_weight": sample_weight,
        "drop_missing_target": drop_missing_target,
    }
    if shard is not None and store is None:
        raise InvalidArgumentError(
            f"store must be a file where shard is given; got None for shard {shard}. Name one "
            "for each shard: merged, they hold all runs."
        )
    observer = observer_of(progress)
    if isinstance(X, Mapping):
        from bestofk.comparison.data_set_mapping import compare_data_sets, data_sets_of_mapping

        if settings.is_adaptive:
            settings = replace(settings, cv="auto")
        data_sets = data_sets_of_mapping(X, y, **reading)
        return compare_data_sets(learners, data_sets, settings, control, store, observer)
    if control is not None:
        raise InvalidArgumentError(
            f"control must be None on one data set; got {control!r}. It makes the family of "
            "tests over many: compare(learners, {name: data, ...})."
        )
    data = as_data_set(X, y, **reading)
    check_comparable(data)
    return run_comparison(prepare_comparison(learners, data, settings), store, observer)
