"""Leave-one-out evaluation of recommendation methods over the data sets of a history."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from bestofk.array_types import Floats, Positions
from bestofk.checks import check_number
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation.options import n_workers
from bestofk.recommendation.history import History
from bestofk.recommendation.loss_time import USUAL_WINDOW, LossTimeCurve, Window
from bestofk.recommendation.recommender import Advisor, Recommender
from bestofk.recommendation.recommender_losses import RecommenderLosses


def leave_one_out(
    history: History,
    methods: Sequence[Recommender],
    *,
    window: Window = USUAL_WINDOW,
    n_folds: int | None = None,
    n_jobs: int | None = None,
    observe: Callable[[str, int], None] | None = None,
) -> RecommenderLosses:
    """Follow each method on each data set, having learned from the others alone.

    Parameters
    ----------
    history : History
        At least two data sets.  A learner without a time on a data set is not offered there; a
        test that failed costs its time.  If scores lack times, every test takes one second.
    methods : sequence of Recommender
        What to compare.
    window : Window, default=(10, 10000)
        The seconds that count.
    n_folds : int, optional
        Leave out this many parts in turn (data set i is in part i modulo n_folds) instead of
        one data set at a time.
    n_jobs : int, optional
        Processes that share the data sets; -1 for all cores. The losses are the same.
    observe : callable, optional
        Called with the name of a method and the number of data sets done.

    Returns
    -------
    RecommenderLosses
        Losses, curves and orders.

    Raises
    ------
    InvalidArgumentError
        If there are fewer than two data sets or parts, or no methods, or a method needs times
        that the history does not have; if `n_jobs` is 0 or no whole number.

    Examples
    --------
    >>> from bestofk.recommendation.average_ranking import AverageRanking
    >>> scores = [[0.9, 0.85, 0.7], [0.8, 0.82, 0.6], [0.75, 0.7, 0.65]]
    >>> seconds = [[2.0, 1.0, 0.1], [5.0, 4.0, 0.2], [20.0, 8.0, 0.1]]
    >>> history = History.from_arrays(scores, seconds)
    >>> leave_one_out(history, [AverageRanking(0)]).losses.round(4).ravel().tolist()
    [0.0, 0.0, 0.01]
    """
    _check(history, methods, n_folds)
    parts = np.arange(history.n_data_sets) % (n_folds or history.n_data_sets)
    followed: list[list[tuple[LossTimeCurve, tuple[int, ...]]]] = [[] for _ in methods]
    each = _each_followed(history, methods, parts, window, n_workers(n_jobs))
    for index, of_one in enumerate(each):
        followed[index % len(methods)].append(of_one)
        if observe:
            observe(methods[index % len(methods)].name, index // len(methods) + 1)
    curves = [tuple(curve for curve, _ in of_method) for of_method in followed]
    orders = [tuple(order for _, order in of_method) for of_method in followed]
    losses = [[curve.mean_interval_loss(window) for curve in of_method] for of_method in curves]
    return RecommenderLosses(
        history, tuple(m.name for m in methods), tuple(m.title for m in methods), window,
        history.data_sets, np.array(losses).T, tuple(curves), tuple(orders),
    )  # fmt: skip


def envelope_losses(history: History, window: Window = USUAL_WINDOW) -> Floats:
    """Return the mean interval losses that no order can beat.

    At each moment the best learner that alone would have ended by then is the best so far.

    Parameters
    ----------
    history : History
        Scores and times; if scores lack times, every test takes one second.
    window : Window, default=(10, 10000)
        The seconds that count.

    Returns
    -------
    ndarray of shape (n_data_sets,)
        As differences of scores.

    Examples
    --------
    >>> history = History.from_arrays([[0.9, 0.7]], [[100.0, 1.0]], default_scores=[0.5])
    >>> envelope_losses(history).round(4).tolist()
    [0.0667]
    """
    losses = []
    rows = zip(history.scores, _test_seconds(history), history.default_scores, strict=True)
    for scores, seconds, default in rows:
        there = np.flatnonzero(~np.isnan(scores) & ~np.isnan(seconds))
        by_time = there[np.argsort(seconds[there], kind="stable")]
        waits = np.diff(seconds[by_time], prepend=0.0)
        curve = _unfloored_curve(scores[by_time], waits, float(default))
        losses.append(curve.mean_interval_loss(window))
    return np.array(losses)


def _unfloored_curve(scores: Floats, waits: Floats, default: float) -> LossTimeCurve:
    """Return the curve of tests that all began at once."""
    so_far = np.maximum.accumulate(np.concatenate([[default], scores]))
    times = np.concatenate([[0.0], np.cumsum(waits)])
    return LossTimeCurve(times, so_far[-1] - so_far)


def _each_followed(
    history: History,
    methods: Sequence[Recommender],
    parts: Positions,
    window: Window,
    n_processes: int,
) -> Iterator[tuple[LossTimeCurve, tuple[int, ...]]]:
    """Give curve and order of each method on each data set, data set by data set."""
    from joblib import Parallel, delayed

    todo = ((history, methods, parts, i, window) for i in range(history.n_data_sets))
    if n_processes == 1:
        for arguments in todo:
            yield from _all_followed(*arguments)
        return
    parallel = Parallel(n_jobs=n_processes, return_as="generator", inner_max_num_threads=1)
    for of_one in parallel(delayed(_list_followed)(*arguments) for arguments in todo):
        yield from of_one


def _list_followed(*arguments: Any) -> list[tuple[LossTimeCurve, tuple[int, ...]]]:
    return list(_all_followed(*arguments))


def _all_followed(
    history: History, methods: Sequence[Recommender], parts: Positions, i: int, window: Window
) -> Iterator[tuple[LossTimeCurve, tuple[int, ...]]]:
    """Follow the methods on data set i; they share what they compute on the others."""
    earlier = history.part(data_sets=np.flatnonzero(parts != parts[i]))
    for method in methods:
        yield _follow(method, earlier, history, i, window)


def _follow(
    method: Recommender, earlier: History, history: History, i: int, window: Window
) -> tuple[LossTimeCurve, tuple[int, ...]]:
    """Test learners of data set i as the method says, until nothing can change the loss."""
    scores, seconds = history.scores[i], _test_seconds(history)[i]
    offered = np.flatnonzero(~np.isnan(seconds))
    if len(offered) < history.n_learners:
        earlier = earlier.part(learners=offered)
    default = float(history.default_scores[i])
    best = float(np.nanmax([default, *scores[offered]]))
    order: list[int] = []
    if len(offered):
        advisor = method.start(earlier, default, window)
        order = _asked(advisor, scores[offered], seconds[offered], best, window)
    followed = offered[order]
    curve = LossTimeCurve.of_tests(
        scores[followed], seconds[followed], default_score=default, best_score=best
    )
    return curve, tuple(int(learner) for learner in followed)


def _test_seconds(history: History) -> Floats:
    """Return what each test takes: its time, or one second each where scores lack times."""
    if history.has_seconds:
        return history.floored_seconds()
    return np.where(np.isnan(history.scores), np.nan, 1.0)


def _asked(
    advisor: Advisor, scores: Floats, seconds: Floats, best: float, window: Window
) -> list[int]:
    order: list[int] = []
    elapsed = 0.0
    while len(order) < len(scores) and elapsed <= window.last:
        learner = advisor.next()
        order.append(learner)
        if scores[learner] >= best:
            break
        elapsed += seconds[learner]
        advisor.tell(learner, float(scores[learner]), float(seconds[learner]))
    return order


def _check(history: History, methods: Sequence[Recommender], n_folds: int | None) -> None:
    if history.n_data_sets < 2:
        raise InvalidArgumentError(
            f"history must have at least two data sets to leave one out; got "
            f"{history.n_data_sets}. Add results of other data sets."
        )
    check_number(
        n_folds,
        "n_folds",
        low=2,
        high=history.n_data_sets,
        whole=True,
        or_none=True,
        way_out="Leave it out to leave out one data set at a time.",
    )
    if not methods:
        raise InvalidArgumentError(
            "methods must be at least one; got none. `RECOMMENDERS` holds all that there are."
        )
    without_times = [m.name for m in methods if m.needs_seconds and not history.has_seconds]
    if without_times:
        raise InvalidArgumentError(
            f"methods must be ones that need no times, since the history has none for some "
            f"scores; got {', '.join(without_times)}. Use average-ranking-0, or add seconds."
        )
