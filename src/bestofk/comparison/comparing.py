"""The whole way in one call: learners and data in, a verdict out."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bestofk.comparison.comparison import Comparison
from bestofk.data import DataSet, check_comparable, from_arrays, load_data
from bestofk.errors import InvalidArgumentError, nearest_name
from bestofk.evaluation import Evaluation, EvaluationRequest, Observer, Store, evaluate
from bestofk.evaluation.batched_fit import check_batched
from bestofk.evaluation.run import UNWEIGHTED
from bestofk.inference import Caution, Sampling
from bestofk.inference.checks import check_rope
from bestofk.learners import Learner, feature_cost, has_inner_search, resolve_learners
from bestofk.measures import Measure, choose_scoring, get_measure, resolve_pos_label, shown_measures
from bestofk.resampling import Plan, check_repeats, make_plan
from bestofk.stopping import (
    SameVerdict,
    SettledPick,
    stopping_rule,
)
from bestofk.stopping.adaptive import (
    FOLDS,
    LARGE,
    MAX_REPEATS,
    MAX_REPEATS_OF_LARGE,
    AdaptiveRepeats,
    StoppingHistory,
)
from bestofk.verdict.preference import ranked_only
from bestofk.verdict.verdict_settings import VerdictSettings, check_correction

# Each protocol is a set of arguments of `compare`; others than the usual given beside it win.
PROTOCOLS: dict[str, dict[str, Any]] = {
    "multitest-2006": {
        "cv": "5x2",
        "stratify": False,
        "scoring": "error",
        "test": "5x2cv-t",
        "correction": "bonferroni",
        "prefer": "given",
    }
}

# Damaged runs that a note names.
_SHOWN_DAMAGED = 5


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
    protocol: str | None = None,
    store: str | os.PathLike[str] | Store | None = None,
    keep: str = "probabilities",
    timeout: float | None = None,
    n_jobs: int | None = None,
    batched: str = "auto",
    random_state: int = 0,
    progress: bool | str | Observer = "auto",
) -> Any:
    """Find out which of K learners to use on a data set or on many, and how sure that is.

    Parameters
    ----------
    learners : list, dict, str, estimator or None
        Names of the catalogue and/or scikit-learn compatible estimators, (name, estimator)
        pairs, or a dict of them; None for the default set of the task, whose baseline
        (``majority`` or ``mean``) others are held against. With ``cv="adaptive"`` the first
        listed of those that are tied is best: list what you would rather have first.
    X : array-like of shape (n_samples, n_features), DataSet, str, Path or mapping
        Inputs as learners shall receive them, a `DataSet`, or what `load_data` takes: a file
        or the name of a built-in data set. A mapping of names to any of these, or to pairs
        (X, y), compares on many data sets.
    y : array-like of shape (n_samples,), optional
        Target; a string names a column of X.
    target : str, optional
        Column of the file or frame X to predict, as in `load_data`; in place of y.
    cv : str, int, splitter or iterable, default="adaptive"
        "adaptive" repeats 3-fold cross-validation until the pick is settled, and drops who
        cannot be picked any more. Otherwise the plan; see `bestofk.resampling.make_plan`.
        Several data sets are resampled by ``"auto"`` where "adaptive" stands: their verdict
        needs every learner on every one.
    max_repeats : int, optional
        With ``cv="adaptive"``: the most repeats; if not given 50, and 13 above 50,000
        rows, whose folds are large enough to be precise.
    stopping : str, StoppingRule, VerdictRule or list of these, optional
        With ``cv="adaptive"``: rules that must all hold, of
        `bestofk.stopping.STOPPING_RULES`. None: "settled-pick", and with a preference
        "same-verdict", which drops nobody.
    budget : float, optional
        Seconds after which no further run is begun; the verdict is on what is finished.
    stratify : bool, default=True
        Spread classes evenly over folds.
    groups : array-like of shape (n_samples,), optional
        Rows of one group are never split.
    sample_weight : array-like of shape (n_samples,), optional
        Weights that learners get when they are fitted; scores are not weighted.
    drop_missing_target : bool, default=False
        Whether rows without a target are left out and counted; else they are refused.
    task : {"auto", "classification", "regression"}, default="auto"
        What is predicted; auto decides by the target and says so.
    scoring : str, Measure, callable or list of these, optional
        The first decides.  None: error, AUROC where the largest class holds more than 75 %
        of the rows, mean squared error for regression.
    pos_label : label, optional
        The positive class; by default the rarer one.
    cost_matrix : array-like of shape (n_classes, n_classes), optional
        Cost of predicting the column's class for a row of the row's class, for
        ``scoring="cost"``.
    prefer : str, list of names, mapping of names to costs, or None
        None: best is the lowest mean loss; with ``cv="adaptive"`` the first listed learner
        that is within half of `rope` of it.  Otherwise MultiTest weighs the evidence against
        this preference, most preferred first: "given", by measured "fit-time", "predict-time"
        or "size", by the number of "parameters", by "feature-cost", as listed, or by a table
        of one's own costs.
    feature_costs : mapping of str to float, optional
        Cost of each feature, for ``prefer="feature-cost"``; others cost nothing.
    control : str, optional
        With many data sets: the learner that all others are held against; None for all pairs.
    test : str, default="corrected-t"
        Paired test behind every statement: "corrected-t", "5x2cv-t", "paired-t",
        "calibrated-t" or "sorted-runs-t"; on a single test set rows are compared, by
        "mcnemar" or, for AUROC, "delong".
    correction : {"holm", "bonferroni"}, default="holm"
        Correction of a family of tests.
    alpha : float in (0, 1), default=0.05
        Level of a family.
    rope : float, optional
        Half the width of the region of practical equivalence, in the unit of the deciding
        measure: smaller differences do not matter. With ``cv="adaptive"`` learners that differ
        by half of it or less are tied. None: 0.01 for measures from 0 to 1, else
        0, which asks for differences of any size.
    protocol : {"multitest-2006"}, optional
        Unstratified 5x2, error, 5x2cv t test, Bonferroni, preference as given.
    store : str, Path or Store, optional
        File that keeps every finished run; None keeps them in memory.
    keep : {"probabilities", "labels", "scores"}, default="probabilities"
        How much of the predictions is stored for later measures.
    timeout : float, optional
        Seconds that a run may take before it is ended; runs done in a batch, a fraction of that
        each, are not held against it.
    n_jobs : int, optional
        Processes; None is 1, -1 all cores.  The numbers do not depend on it.
    batched : {"auto", "always", "never"}, default="auto"
        Whether learners with a batched form are trained on all parts at once, which gives the
        same predictions and takes a fraction of the time: where that is not slower, wherever
        there is a form, never.
    random_state : int, default=0
        What plan and random streams are derived from.
    progress : {"auto", True, False} or Observer, default="auto"
        Whether the guesses, the plan, and runs done, time left and leader are shown on
        standard error; auto shows them where that is a terminal.  An Observer is told instead.

    Returns
    -------
    Comparison or ComparisonAcross
        ``best``, ``order``, ``candidates``, ``pairs()``, ``frame`` ...; for a mapping an
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
    The lowest mean is no proof.  "Not shown to differ" is not "equal".  A failed run is a
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
    given = {
        "task": task,
        "groups": groups,
        "sample_weight": sample_weight,
        "drop_missing_target": drop_missing_target,
    }
    compare_these: Callable[..., Any] = compare_data_set
    if isinstance(X, Mapping):
        from bestofk.comparison.comparing_across import compare_data_sets, data_sets_of_mapping

        data: Any = data_sets_of_mapping(X, y, **given)
        compare_these = partial(compare_data_sets, control=control)
        cv = "auto" if _is_adaptive(cv) else cv
    else:
        if control is not None:
            raise InvalidArgumentError(
                f"control must be None on one data set; got {control!r}. It makes the family of "
                "tests over many: compare(learners, {name: data, ...})."
            )
        data = as_data_set(X, y, **given)
        check_comparable(data)
    return compare_these(
        learners,
        data,
        cv=cv,
        max_repeats=max_repeats,
        stopping=stopping,
        budget=budget,
        stratify=stratify,
        scoring=scoring,
        pos_label=pos_label,
        cost_matrix=cost_matrix,
        prefer=prefer,
        feature_costs=feature_costs,
        test=test,
        correction=correction,
        alpha=alpha,
        rope=rope,
        protocol=protocol,
        store=store,
        keep=keep,
        timeout=timeout,
        n_jobs=n_jobs,
        batched=batched,
        random_state=random_state,
        progress=observer_of(progress),
    )


def compare_data_set(
    learners: Any,
    data: DataSet,
    *,
    store: str | os.PathLike[str] | Store | None,
    progress: Observer | None = None,
    **options: Any,
) -> Comparison:
    """Compare on a data set that was checked; options are those of `prepare_comparison`."""
    prepared = prepare_comparison(learners, data, **options)
    with opened_store(store) as opened:
        return run_comparison(prepared, opened, progress, resume=resume_line(store))


@dataclass(frozen=True, eq=False)
class PreparedComparison:
    """A comparison that was checked and planned, before anything is trained.

    Parameters
    ----------
    request : EvaluationRequest
        What is to be run.
    measures : tuple of Measure
        The deciding one first.
    cost_matrix : array-like or None
        As given.
    settings : VerdictSettings
        How evidence and preference are weighed.
    headline : str
        Why the measure decides, where that is not the usual one.
    """

    request: EvaluationRequest
    measures: tuple[Measure, ...]
    cost_matrix: Any
    settings: VerdictSettings
    headline: str


def prepare_comparison(
    learners: Any,
    data: DataSet,
    *,
    cv: Any,
    stratify: bool,
    scoring: Any,
    pos_label: Any,
    prefer: Any,
    test: str,
    correction: str,
    alpha: float,
    protocol: str | None,
    keep: str,
    timeout: float | None,
    n_jobs: int | None,
    random_state: int,
    batched: str = "auto",
    cost_matrix: Any = None,
    feature_costs: Mapping[str, float] | None = None,
    rope: float | None = None,
    max_repeats: int | None = None,
    stopping: Any = None,
    budget: float | None = None,
) -> PreparedComparison:
    """Check and plan a comparison on a data set; arguments are those of `compare`."""
    given = {
        "cv": cv,
        "stratify": stratify,
        "scoring": scoring,
        "test": test,
        "correction": correction,
        "prefer": prefer,
    }
    chosen = _with_protocol(given, protocol)
    entered = resolve_learners(learners, data.task)
    settings = VerdictSettings(
        chosen["test"],
        chosen["correction"],
        _checked_level(alpha),
        _copied(chosen["prefer"]),
        None if rope is None else check_rope(rope),
        _checked_feature_costs(data, feature_costs),
    )
    positive = _positive(data, pos_label)
    if cost_matrix is not None and data.is_classification:
        _measure(data, "cost", positive, cost_matrix)  # raises where it is no cost matrix
    measures, headline = _measures(data, chosen["scoring"], positive, cost_matrix)
    seed = _checked_seed(random_state)
    cv, interim = chosen["cv"], None
    if _is_adaptive(cv):
        interim = adaptive_repeats(
            entered, measures[0], positive, settings,
            n_samples=data.n_samples, max_repeats=max_repeats, stopping=stopping,
        )  # fmt: skip
        cv = f"{interim.looks[-1]}x{adaptive_folds(data)}"
    elif max_repeats is not None or stopping is not None:
        name = "stopping" if max_repeats is None else "max_repeats"
        raise InvalidArgumentError(
            f"cv must be 'adaptive' where {name} is given; got {cv!r}. A plan says itself how many "
            "repeats there are."
        )
    plan = make_plan(data, cv, stratify=chosen["stratify"], random_state=seed)
    _check_verdict(settings, plan, entered, measures[0])
    kept = _shown_too(measures, data, positive, cost_matrix)
    request = EvaluationRequest(
        data, plan, entered, seed, keep, kept, positive, timeout, n_jobs, check_batched(batched),
        interim, budget,
    )  # fmt: skip
    return PreparedComparison(request, measures, cost_matrix, settings, headline)


def run_comparison(
    prepared: PreparedComparison, store: Store, progress: Observer | None, *, resume: str
) -> Comparison:
    """Execute the runs missing in the store; `resume` is the hint printed after an interruption."""
    evaluation = evaluate(prepared.request, store, progress)
    interim = prepared.request.interim
    stopping_history = None
    if isinstance(interim, AdaptiveRepeats):  # which knows its folds from the first look on
        stopping_history = replace(interim.stopping_history(), n_folds=evaluation.plan.n_folds)
    return Comparison(
        evaluation=evaluation,
        measures=prepared.measures,
        positive=prepared.request.positive,
        cost_matrix=prepared.cost_matrix,
        settings=prepared.settings,
        headline=prepared.headline,
        notes=(
            *_notes(evaluation),
            *cost_notes(prepared.cost_matrix),
            *(() if stopping_history is None else stopping_history.notes),
        ),
        warnings=_warnings(evaluation, stopping_history),
        resume=resume,
        stopping_history=stopping_history,
    )


def _is_adaptive(cv: Any) -> bool:
    return isinstance(cv, str) and cv.strip().lower() == "adaptive"


def adaptive_folds(data: DataSet) -> int:
    """Return the folds of a repeat that adaptive comparisons take: 3, or as many as groups."""
    n_units = data.n_samples if data.groups is None else len(np.unique(data.groups))
    return min(FOLDS, max(n_units, 2))


def adaptive_repeats(
    learners: Sequence[Learner],
    measure: Measure,
    positive: int | None,
    settings: VerdictSettings,
    *,
    n_samples: int,
    max_repeats: int | None,
    stopping: Any,
) -> AdaptiveRepeats:
    """Return what says during the runs which learners go on, or raise."""
    if max_repeats is None:
        max_repeats = MAX_REPEATS if n_samples <= LARGE else MAX_REPEATS_OF_LARGE
    is_whole = isinstance(max_repeats, int | np.integer) and not isinstance(max_repeats, bool)
    if not is_whole or max_repeats < 1:
        raise InvalidArgumentError(
            f"max_repeats must be a whole number of at least 1; got {max_repeats!r}. "
            f"The usual is {MAX_REPEATS}."
        )
    check_repeats(int(max_repeats))
    if stopping is None:
        # MultiTest weighs evidence, of which a race would leave less for those it drops
        stopping = SettledPick() if settings.prefer is None else SameVerdict()
    is_one = isinstance(stopping, str) or not hasattr(stopping, "__iter__")
    rules = [stopping] if is_one else list(stopping)
    if not rules:
        raise InvalidArgumentError(
            "stopping must name at least one rule; got none. Leave it out for 'settled-pick'."
        )
    return AdaptiveRepeats(
        [learner.name for learner in learners],
        [learner.is_baseline for learner in learners],
        measure,
        positive,
        max_repeats=int(max_repeats),
        alpha=settings.alpha,
        rope=settings.rope_of(measure),
        rules=[stopping_rule(rule) for rule in rules],
    )


def observer_of(progress: bool | str | Observer) -> Observer | None:
    """Return the observer that receives progress events, or raise; None for no progress."""
    if isinstance(progress, Observer):
        return progress
    if progress not in ("auto", True, False):
        raise InvalidArgumentError(
            f"progress must be 'auto', True, False or an Observer; got {progress!r}. "
            "'auto' shows it on a terminal."
        )
    if progress is True or (progress == "auto" and sys.stderr.isatty()):
        from rich.console import Console

        from bestofk.report.progress import TerminalProgress

        return TerminalProgress(Console(stderr=True, soft_wrap=True))
    return None


def _with_protocol(given: dict[str, Any], protocol: str | None) -> dict[str, Any]:
    if protocol is None:
        return given
    if protocol not in PROTOCOLS:
        raise InvalidArgumentError(
            f"protocol must be a known one; got {protocol!r}. {nearest_name(protocol, PROTOCOLS)}"
        )
    usual = {"cv": "adaptive", "stratify": True, "scoring": None, "test": "corrected-t",
             "correction": "holm", "prefer": None}  # fmt: skip
    unchanged = {name for name, value in given.items() if _is_usual(value, usual[name])}
    return given | {n: v for n, v in PROTOCOLS[protocol].items() if n in unchanged}


def _is_usual(value: Any, *usual: Any) -> bool:
    """Return whether an argument is one of its usual values; arrays never are."""
    return isinstance(value, str | bool | None) and value in usual


def as_data_set(X: Any, y: Any, **options: Any) -> DataSet:
    """Return the data set of what `compare` takes as X and y, or raise."""
    if isinstance(X, DataSet):
        given = {"y": y} | options
        usual = (None, "auto", False)
        extra = sorted(name for name, value in given.items() if not _is_usual(value, *usual))
        if extra:
            raise InvalidArgumentError(
                f"X must be arrays or a file where {' and '.join(extra)} "
                f"{'is' if len(extra) == 1 else 'are'} given; got a DataSet. Say it when the "
                "DataSet is made."
            )
        return X
    if isinstance(X, str | Path):
        return load_data(X, target=y, weights=options.pop("sample_weight"), **options)
    return from_arrays(X, y, **options)


def _positive(data: DataSet, pos_label: Any) -> int | None:
    if not data.is_classification:
        if pos_label is not None:
            raise InvalidArgumentError(
                f"pos_label must be None for regression; got {pos_label!r}. Leave it out."
            )
        return None
    return resolve_pos_label(data.classes, data.class_counts, pos_label)


def _measures(
    data: DataSet, scoring: Any, positive: int | None, cost_matrix: Any
) -> tuple[tuple[Measure, ...], str]:
    headline = ""
    if scoring is None:
        names, headline = choose_scoring(
            data.task, data.class_counts if data.is_classification else []
        )
        scoring = list(names)
    wanted = list(scoring) if isinstance(scoring, list | tuple) else [scoring]
    if not wanted:
        raise InvalidArgumentError("scoring must name at least one measure; got none. Try 'error'.")
    measures = [_measure(data, item, positive, cost_matrix) for item in wanted]
    unique = {measure.name: measure for measure in reversed(measures)}
    return tuple(
        unique[name] for name in dict.fromkeys(measure.name for measure in measures)
    ), headline


def _measure(data: DataSet, scoring: Any, positive: int | None, cost_matrix: Any) -> Measure:
    label = None if positive is None else data.classes[positive]
    return get_measure(
        scoring, task=data.task, classes=data.classes, pos_label=label, cost_matrix=cost_matrix
    )


def _shown_too(
    measures: tuple[Measure, ...], data: DataSet, positive: int | None, cost_matrix: Any
) -> tuple[Measure, ...]:
    """Add the measures that are always shown, for stores that keep scores alone."""
    names = {measure.name for measure in measures}
    shown = [_measure(data, name, positive, cost_matrix) for name in shown_measures(data.task)]
    return (*measures, *(item for item in shown if item.name not in names))


def _checked_feature_costs(
    data: DataSet, costs: Mapping[str, float] | None
) -> Mapping[str, float] | None:
    if costs is None:
        return None
    feature_cost(None, data.feature_names, costs)
    return dict(costs)


def _checked_level(alpha: float) -> float:
    if isinstance(alpha, bool) or not isinstance(alpha, int | float) or not 0 < alpha < 1:
        raise InvalidArgumentError(
            f"alpha must be inside (0, 1); got {alpha!r}. The usual is 0.05."
        )
    return float(alpha)


def _checked_seed(random_state: Any) -> int:
    is_whole = isinstance(random_state, int | np.integer) and not isinstance(random_state, bool)
    if not is_whole or not -(2**63) <= random_state < 2**63:  # what a store can hold
        raise InvalidArgumentError(
            f"random_state must be a whole number from -2**63 to 2**63 - 1; got {random_state!r}. "
            "Any will do; 0 is usual."
        )
    return int(random_state)


def _copied(prefer: Any) -> Any:
    return prefer if prefer is None or isinstance(prefer, str | Mapping) else tuple(prefer)


def _check_verdict(
    settings: VerdictSettings, plan: Plan, entered: Sequence[Learner], measure: Measure
) -> None:
    """Refuse before anything is trained what the verdict would refuse afterwards."""
    from bestofk.inference.pair_evidence import check_plan, wanted_test
    from bestofk.inference.row_evidence import check_row_test
    from bestofk.verdict import COST_KINDS, order_by_preference

    test = wanted_test(settings.test)
    check_correction(settings.correction)
    ranked = [learner.name for learner in entered if not learner.is_baseline]
    if settings.prefer is not None:
        prefer = ranked_only(settings.prefer, [learner.name for learner in entered], ranked)
        known = {kind: [1.0] * len(ranked) for kind in COST_KINDS}
        if settings.feature_costs is None:
            del known["feature-cost"]
        order_by_preference(ranked, prefer, known)
    sampling = Sampling(plan.scheme, plan.n_repeats, plan.n_folds, plan.n_train, plan.n_test)
    check_plan(test, sampling)
    check_row_test(test, measure.name)


@contextmanager
def opened_store(store: Any) -> Iterator[Store]:
    """Yield a store that is open; one that was given open stays open."""
    if isinstance(store, Store):
        yield store
        return
    if not (store is None or isinstance(store, str | os.PathLike)):
        raise InvalidArgumentError(
            f"store must be a file, a Store or None; got {store!r}. None keeps runs in memory."
        )
    with Store(store) as opened:
        yield opened


def resume_line(store: Any) -> str:
    """Return how to go on after an interruption."""
    if store is None:
        return "The runs were kept in memory and are gone; name a store to go on another time."
    path = store.path if isinstance(store, Store) else store
    return f"Call the same thing again with the same store ({path}) to go on where it stopped."


def _notes(evaluation: Evaluation) -> tuple[str, ...]:
    notes: list[str] = [*_untuned_text(evaluation.learners)]
    for learner, identity in zip(evaluation.learners, evaluation.identities, strict=True):
        if identity.reason:
            notes.append(
                f"{learner.name} cannot be read ({identity.reason}), so its runs are never reused."
            )
    return (*notes, *_damage_note(evaluation.damaged))


def _damage_note(damaged: Sequence[str]) -> list[str]:
    """Name what was damaged in the store, the first few of many."""
    if not damaged:
        return []
    shown = "; ".join(damaged[:_SHOWN_DAMAGED])
    more = len(damaged) - _SHOWN_DAMAGED
    rest = f"; and {more} more" if more > 0 else ""
    return [f"Parts of the store were damaged; runs among them were fitted again: {shown}{rest}."]


def cost_notes(cost_matrix: Any) -> tuple[str, ...]:
    """Say where right decisions have a price too, which is allowed and easily a mistake."""
    if cost_matrix is None or not np.diagonal(np.asarray(cost_matrix, dtype=float)).any():
        return ()
    return ("The cost matrix has entries on its diagonal: right decisions cost, or gain, too.",)


def _warnings(evaluation: Evaluation, stopping_history: StoppingHistory | None) -> tuple[str, ...]:
    texts: list[str] = []
    for index, (learner, identity) in enumerate(
        zip(evaluation.learners, evaluation.identities, strict=True)
    ):
        if identity.fixed:
            texts.append(
                f"{learner.name} has a fixed {', '.join(identity.fixed)}: every run draws the same "
                "numbers, so its variation is understated."
            )
        texts += _failure_texts(evaluation, index)
    texts += _unweighted_text(evaluation)
    machines = {
        (environment["machine"], environment["processor"])
        for environment in evaluation.environments
    }
    if len(machines) > 1:
        texts.append(f"Seconds come from {len(machines)} machines and should not be compared.")
    if evaluation.is_interrupted or evaluation.is_out_of_time:
        n_splits = len(evaluation.plan)
        n_asked = [n_splits] * len(evaluation.names)
        if stopping_history is not None:
            n_asked = stopping_history.splits_asked_for(evaluation.names, n_splits)
        asked = np.arange(n_splits) < np.array(n_asked)[:, None]
        missing = int(((evaluation.status == "missing") & asked).sum())
        why = "Interrupted" if evaluation.is_interrupted else "The budget of time is spent"
        texts.append(f"{why}: {missing} of {int(asked.sum())} runs were not done.")
    return tuple(texts)


def _failure_texts(evaluation: Evaluation, place: int) -> list[str]:
    failed = [item for item in evaluation.messages(place) if item[2] in ("error", "timeout")]
    if not failed:
        return []
    repeat, fold, _, message = failed[0]
    n_runs = int((evaluation.status[place] != "missing").sum())
    return [
        Caution(
            "incomplete",
            f"{evaluation.names[place]} failed in {len(failed)} of {n_runs} runs; repeat {repeat}, "
            f"fold {fold}: {message.rstrip('.')}.",
        )
    ]


def _unweighted_text(evaluation: Evaluation) -> list[str]:
    names = [
        name
        for index, name in enumerate(evaluation.names)
        if any(UNWEIGHTED in message for *_, message in evaluation.messages(index))
    ]
    if not names:
        return []
    return [f"{', '.join(names)}: fitted without the weights, which such a learner does not take."]


def _untuned_text(learners: Sequence[Learner]) -> list[str]:
    can_win = [learner for learner in learners if not learner.is_baseline]
    untuned = [learner.name for learner in can_win if not has_inner_search(learner.estimator)]
    if not untuned:
        return []
    who = "Every learner" if len(untuned) == len(can_win) else ", ".join(untuned)
    text = f"{who} ran with the settings given; tuning could change the order."
    return [Caution("untuned", text)]
