"""Recommendation of learners for a new data set, and their trial until the budget is spent."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from bestofk.array_types import Floats
from bestofk.comparison.call_context import opened_store
from bestofk.comparison.comparison import Comparison
from bestofk.comparison.input_data import as_data_set
from bestofk.comparison.options import OPTIONS, ComparisonSettings, ReadOptions, RunArguments
from bestofk.comparison.prepared_comparison import (
    PreparedComparison,
    prepare_comparison,
    run_comparison,
)
from bestofk.data import DataSet
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation import Evaluation, Store
from bestofk.evaluation.engines.engine import EngineLostError
from bestofk.evaluation.options import counted_time, seconds_of
from bestofk.evaluation.queue.sequential import SequentialEvaluation, sequential_evaluation
from bestofk.evaluation.status import is_ok
from bestofk.learners import learner_catalogue, resolve_learners
from bestofk.measures import Measure
from bestofk.measures.ties import at_most
from bestofk.options import chosen, with_options
from bestofk.recommendation.advice import Advice, FollowedAdvisor
from bestofk.recommendation.catalogue import DEFAULT_RECOMMENDER, get_recommender
from bestofk.recommendation.fixed_orders import Recommender
from bestofk.recommendation.loss_time import USUAL_WINDOW, Window
from bestofk.recommendation.read_history import usable_history
from bestofk.recommendation.report import (
    INTERRUPTED,
    N_FOLDS,
    SPENT,
    Forecast,
    Recommendation,
    SpentSeconds,
    TriedLearner,
)
from bestofk.report.findings import mean_of_known

_LEAST_FOLDS = 3
_LEVEL = 0.01  # of the one-sided t test over folds


def can_win(losses: Floats, best_losses: Floats, *, lowest_loss: float) -> bool:
    """Return whether a learner may still reach a lower mean loss than the best so far.

    Parameters
    ----------
    losses : ndarray of shape (n_folds,)
        Losses of the learner; nan if a fold is not done.
    best_losses : ndarray of shape (n_folds,)
        Losses of the best so far; folds without one (nan) do not count.
    lowest_loss : float
        Loss of a faultless fold; minus infinity if there is no bound.

    Returns
    -------
    bool
        False if even faultless folds would not suffice, or if at least three folds are worse
        by a one-sided t test at 0.01.

    Examples
    --------
    >>> best = np.full(10, 0.1)
    >>> can_win(np.array([0.4, 0.4, 0.4] + [np.nan] * 7), best, lowest_loss=0.0)
    False
    >>> can_win(np.array([0.2, 0.1, 0.1] + [np.nan] * 7), best, lowest_loss=0.0)
    True
    """
    from scipy.stats import t as student

    counts = ~np.isnan(best_losses)
    losses, best_losses = losses[counts], best_losses[counts]
    is_done = ~np.isnan(losses)
    scale = np.abs(best_losses).max(initial=0.0)
    least = np.where(is_done, losses, lowest_loss).sum()
    if not at_most(least, best_losses.sum(), len(losses) * scale):
        return False
    differences = losses[is_done] - best_losses[is_done]
    n = len(differences)
    if n < _LEAST_FOLDS:
        return True
    error = differences.std(ddof=1) / math.sqrt(n)
    return bool(at_most(differences.mean(), student.ppf(1 - _LEVEL, n - 1) * error, scale))


_LONG_RUN_SECONDS = 0.25  # expected; longer ones are done where they can be cut off
_FIRST_SHARE = 0.1  # of the budget: a first learner that may take more gives way to a quick one
_DECADES = 3  # of the usual window: its end and three powers of ten below


class _Arguments(RunArguments, total=False):
    groups: Any
    sample_weight: Any
    prefer: Any


@with_options(_Arguments, OPTIONS)
def recommend(
    X: Any,
    y: Any = None,
    *,
    budget: float | str | None = None,
    learners: Any = None,
    history: Any = None,
    method: str = DEFAULT_RECOMMENDER,
    p: float | None = None,
    window_start: float | str | None = None,
    window_end: float | str | None = None,
    dry_run: bool = False,
    observe: Callable[[TriedLearner], None] | None = None,
    start: float | None = None,
    **options: Unpack[_Arguments],
) -> Recommendation:
    """Try learners in the order that earlier data sets suggest, and compare those tried.

    Parameters
    ----------
    X, y
        The new data set, as for `bestofk.compare`.
    budget : float or str, optional
        Time limit in seconds, or a text such as "90s", "10m", "2h"; a run in progress at the end
        is cut off. None tries every learner.
    learners : list, dict, str or estimator, optional
        As for `bestofk.compare`; None for all learners of the catalogue for the task.
    history : History, str, Path or list of paths, optional
        Earlier results: see `bestofk.recommendation.read_history`. None for the history that
        ships with the package, which covers the catalogue.
    method : str, default="blended-gain"
        Method that makes the order: see `bestofk.recommendation.get_recommender`.
    p : float, optional
        Weight of time in the methods "a3r" and "active-testing": 0 ignores it, 1/4 is high.
    window_start, window_end : float or str, optional
        Times in seconds, or texts. Before the first and after the second, it does not matter when
        a good learner is found. Default end: the budget, or 10,000 seconds; default start: a
        thousandth of that. Only for methods whose order depends on it.
    dry_run : bool, default=False
        Only return the order, with expected seconds and gains.
    scoring, pos_label, prefer
        As for `bestofk.compare`; they decide the verdict on the learners tried.
    store : str, Path or Store, optional
        File that keeps every finished run. Passed as `history` in a later call, it adds this
        data set to the history.
    memory, engine, n_jobs
        As for `bestofk.compare`. After the first fold of a learner, an engine does the others in
        parallel if they take at least three seconds. Only times, and decisions based on them,
        depend on it.
    observe : callable, optional
        Called with each learner after it was tried.
    start : float, optional
        Start of the budget, by `time.monotonic`; None for the time of the call.
    **options
        As for `bestofk.compare`.

    Returns
    -------
    Recommendation
        The order, the learners tried, the pick and its evidence.

    Raises
    ------
    InvalidArgumentError
        If an argument breaks its rule, or learners cannot be compared on the data.

    Notes
    -----
    Each learner is tested by one repeat of 10-fold cross-validation. A test ends early if
    the learner can hardly win: even faultless folds would not suffice, or after at least
    three folds it is worse than the best so far by a one-sided t test over folds at 0.01.

    Examples
    --------
    >>> from bestofk import recommend
    >>> recommendation = recommend("iris", learners=["majority", "nearest-mean", "lda"])
    >>> recommendation.best
    'lda'
    """
    start = time.monotonic() if start is None else start
    store = options["store"]
    seconds = None if budget is None else seconds_of(budget, "budget")
    recommender = get_recommender(method, p=p)
    _check_window(method, recommender, window_start, window_end)
    window = _window(seconds, window_start, window_end)
    is_usual = method == DEFAULT_RECOMMENDER and window_start is None and window_end is None
    asked = None if is_usual else (recommender.name, window)
    data = as_data_set(X, y, **chosen(ReadOptions, options))
    settings = ComparisonSettings(
        cv=f"1x{N_FOLDS}", budget=seconds, **chosen(ComparisonSettings, options)
    )
    prepared = _prepare(data, learners, settings)
    known, notes = usable_history(data, prepared.request.learners, history, store)
    advice = Advice(known, prepared.measures[0], data, recommender, window)
    planned = advice.planned()
    live, comparison = _Live(prepared, advice, observe), None
    started = time.monotonic()
    start_seconds, weighing = started - start, time.monotonic()
    if not dry_run:
        with opened_store(store) as opened:
            with counted_time(start), sequential_evaluation(prepared.request, opened) as tests:
                live.run(
                    tests, _Journal(tests, opened, _purpose(prepared, planned, seconds, asked))
                )
            weighing = time.monotonic()
            comparison = _verdict(prepared, live.full, opened)
    return Recommendation(
        data_name=data.name,
        task=data.task,
        measure=prepared.measures[0],
        planned=planned,
        tried=tuple(live.tried),
        untried=tuple(live.untried),
        comparison=comparison,
        budget_seconds=seconds,
        seconds=live.seconds_before + time.monotonic() - start,
        spent=SpentSeconds(
            live.seconds_before, live.test_seconds, start_seconds, time.monotonic() - weighing
        ),
        notes=(*notes, live.engine_loss) if live.engine_loss else notes,
        n_data_sets=known.n_data_sets,
        default_loss=_default_loss(data, prepared.measures[0]),
        guesses=tuple(prepared.request.data.notes),
        method=recommender.name,
        method_title=recommender.title,
        p=recommender.weight_of_time(known, window) if known.n_data_sets else p,
        window=window if recommender.needs_window else None,
    )


def _check_window(method: str, recommender: Recommender, start: Any, end: Any) -> None:
    """Raise if limits are given for a method that does not use them."""
    for name, limit in (("window_start", start), ("window_end", end)):
        if limit is not None and not recommender.needs_window:
            weighs = "weighs time by P alone" if recommender.needs_seconds else "ignores time"
            raise InvalidArgumentError(
                f"{name} must be left out for the method {method}, which {weighs}; got {limit}. "
                "Leave it out, or choose the method blended-gain."
            )


def _window(budget: float | None, start: Any, end: Any) -> Window:
    """Return the seconds that count."""
    usual = USUAL_WINDOW.last if budget is None else budget
    last = usual if end is None else seconds_of(end, "window_end")
    first = last / 10**_DECADES if start is None else seconds_of(start, "window_start")
    return Window.of(first, last)


def _prepare(data: DataSet, learners: Any, settings: ComparisonSettings) -> PreparedComparison:
    wanted = list(learner_catalogue(data.task)) if learners is None else learners
    prepared = prepare_comparison(resolve_learners(wanted, data.task), data, settings)
    if learners is not None:
        return prepared
    entries = learner_catalogue(data.task)
    entered = [
        replace(learner, is_baseline=entries[learner.name].is_baseline)
        for learner in prepared.request.learners
    ]
    return replace(prepared, request=replace(prepared.request, learners=entered))


def _default_loss(data: DataSet, measure: Measure) -> float:
    """Return the loss of always predicting the commonest class; nan for other measures."""
    if not data.is_classification:
        return math.nan
    share = float(np.max(data.class_counts) / data.n_samples)
    return {"error": 1 - share, "accuracy": -share}.get(measure.name, math.nan)


def _purpose(
    prepared: PreparedComparison,
    planned: Sequence[Forecast],
    budget: float | None,
    asked: tuple[str, Window] | None,
) -> str:
    """Return the key of the decisions of a recommendation, in addition to its comparison.

    The planned order stands for the history; another one may lead to other decisions.
    """
    measure, positive = prepared.measures[0], prepared.request.data.positive
    known = repr((measure.name, positive, budget, list(planned)))
    if asked is not None:
        known += repr(asked)
    return f"recommend {hashlib.sha256(known.encode()).hexdigest()[:16]}"


class _Journal:
    """Stored decisions of a recommendation that depended on seconds, replayed on resume.

    A recommendation that was ended and is called again goes the way that it went.
    """

    def __init__(self, tests: SequentialEvaluation, store: Store, purpose: str) -> None:
        self._where = tests.comparison_number, purpose
        self._store = store
        self._past: list[dict[str, Any]] = store.decisions(*self._where)
        self._n_decided = 0
        self._last = time.monotonic()

    @property
    def first(self) -> str:
        """The learner that an earlier call began with; empty where there was none."""
        return str(self._past[0]["learner"]) if self._past else ""

    def before(self, learner: str) -> dict[str, Any] | None:
        """Return what was decided here of a learner in an earlier call; None where nothing was."""
        if self._n_decided < len(self._past):
            entry = self._past[self._n_decided]
            if entry["learner"] == learner:
                self._n_decided += 1
                self._last = time.monotonic()
                return entry
        self._past = []  # what was decided after another way is of no use
        return None

    def keep(self, learner: str, **decided: Any) -> None:
        """Keep a decision, with the seconds since the one before."""
        now = time.monotonic()
        entry = {"learner": learner, "took_seconds": now - self._last, **decided}
        self._store.keep_decisions(*self._where, [entry], start=self._n_decided)
        self._n_decided += 1
        self._last = now


class _Live:
    """Test of one learner after another until none is left or the budget is spent."""

    _tests: SequentialEvaluation
    _advisor: FollowedAdvisor

    def __init__(
        self,
        prepared: PreparedComparison,
        advice: Advice,
        observe: Callable[[TriedLearner], None] | None,
    ) -> None:
        self._learners = prepared.request.learners
        self._measure = prepared.measures[0]
        self._advice, self._observe = advice, observe
        self.tried: list[TriedLearner] = []
        self.untried: list[tuple[str, str]] = []
        self.full: list[int] = []  # positions of learners with all folds
        self._put_back: list[int] = []  # positions of those that were not expected to fit
        self._best_losses: Floats | None = None
        self._best_name = ""
        self.engine_loss = ""
        self.seconds_before = 0.0  # of earlier calls
        self.test_seconds = 0.0  # training and predicting, those of earlier calls included

    def run(self, tests: SequentialEvaluation, journal: _Journal) -> None:
        self._tests, self._advisor = tests, self._advice.start()
        expected = [self._expected(index) for index in range(len(self._learners))]
        if tests.deadline < math.inf and any(map(_is_long, expected)):
            tests.prepare_guard()  # starts during the first short tests
        why = ""
        for position, index in enumerate(self._turns(journal)):
            is_first = not position  # one is tried, however little time is left
            name, now_expected = self._advice.names[index], self._expected(index)
            before = None if why else journal.before(name)
            if before is not None:
                self.seconds_before += before["took_seconds"]
                tests.deadline -= before["took_seconds"]  # the budget is that of all calls
            left = tests.deadline - time.monotonic()
            if before is None and left <= 0 and not is_first:
                why = why or SPENT
            may_wait = not is_first and index not in self._put_back
            is_long = may_wait and tests.expected_seconds(now_expected) > left
            if before is None and why:
                self._leave_out(index, why)
                if why != INTERRUPTED:
                    journal.keep(name, left_out=why)
                continue
            if is_long if before is None else "put_back" in before:
                self._put_back.append(index)
                self._advisor.skip(index)
                if before is None:
                    journal.keep(name, put_back=True)
                continue
            try:
                if before is not None:
                    self._again(index, now_expected, before)
                else:
                    journal.keep(name, **self._try(index, now_expected))
            except (KeyboardInterrupt, EngineLostError) as end:  # what is finished is judged
                why, self.engine_loss = INTERRUPTED, str(end)
                if name not in {attempt.learner for attempt in self.tried}:
                    self._leave_out(index, why)

    def _turns(self, journal: _Journal) -> Iterator[int]:
        """Give the learners in their order; what is left of the time goes to those put back."""
        yield self._first(journal)
        for _ in self._learners[1:]:
            yield self._advisor.next()
        yield from sorted(self._put_back, key=self._expected)

    def _first(self, journal: _Journal) -> int:
        """Return the learner to begin with: a quick one where the advised one may take too long."""
        advised = self._advisor.next()
        if journal.first in self._advice.names:
            return self._advice.names.index(journal.first)
        left = self._tests.deadline - time.monotonic()
        if left == math.inf or self._expected(advised) < _FIRST_SHARE * left:
            return advised
        ranks = [(item.is_baseline, item.cost_rank) for item in self._learners]
        return ranks.index(min(ranks))

    def _expected(self, index: int) -> float:
        return self._advice.expected_seconds(self._advisor, index)

    def _leave_out(self, index: int, reason: str) -> None:
        if index not in self._put_back:
            self._advisor.skip(index)
        self.untried.append((self._advice.names[index], reason))

    def _again(self, index: int, expected: float, before: dict[str, Any]) -> None:
        """Replay a decision of an earlier call."""
        if "left_out" in before:
            self._leave_out(index, before["left_out"])
        elif before["state"] == "cut off":
            self._tell(index, expected, self._tests.runs_so_far(index), before)
        else:
            self._tell(index, expected, self._tested(index, expected), before)

    def _try(self, index: int, expected: float) -> dict[str, Any]:
        """Test a learner, and return what is to be kept of that."""
        result = self._tested(index, expected)
        spent, cut_off = self._tests.spent_seconds(index)
        decided = {
            "state": _state(result), "spent_seconds": spent + cut_off, "cut_off_seconds": cut_off
        }  # fmt: skip
        self._tell(index, expected, result, decided)
        return decided

    def _tested(self, index: int, expected: float) -> Evaluation:
        return self._tests.test(index, is_guarded=_is_long(expected), goes_on=self._can_win)

    def _tell(
        self, index: int, expected: float, evaluation: Evaluation, decided: dict[str, Any]
    ) -> None:
        """Pass a test to the advisor and notify the observers."""
        gain = self._advisor.expected_gain(index)
        losses = evaluation.measured(self._measure).losses[0]
        run_seconds = float(
            np.nansum(evaluation.train_seconds[0]) + np.nansum(evaluation.predict_seconds[0])
        )
        seconds = run_seconds + decided["cut_off_seconds"]
        self.test_seconds += decided["spent_seconds"]
        state = decided["state"]
        score = whole_seconds = math.nan  # what failed says nothing of either
        n_runs = int(is_ok(evaluation.status[0]).sum())
        if state != "failed" and n_runs:
            score = self._advice.score(evaluation)
            whole_seconds = run_seconds * N_FOLDS / n_runs
        self._advisor.tell(index, score, seconds, whole_seconds=whole_seconds)
        if state == "done":
            self.full.append(index)
            self._note_best(index, losses)
        tried = TriedLearner(
            self._advice.names[index], state, mean_of_known(losses),
            int((~np.isnan(losses)).sum()), seconds, gain, expected, self._best_name,
        )  # fmt: skip
        self.tried.append(tried)
        if self._observe:
            self._observe(tried)

    def _note_best(self, index: int, losses: Floats) -> None:
        if self._learners[index].is_baseline:
            return
        if self._best_losses is None or mean_of_known(losses) < mean_of_known(self._best_losses):
            self._best_losses, self._best_name = losses, self._advice.names[index]

    def _can_win(self, evaluation: Evaluation) -> bool:
        """Return whether the rest of a test can still make a learner the best so far."""
        losses = evaluation.measured(self._measure).losses[0]
        failed = bool(evaluation.has_failed.any())
        if failed or self._best_losses is None:
            return not failed
        measure = self._measure
        lowest = -measure.maximum if measure.greater_is_better else measure.minimum
        return can_win(losses, self._best_losses, lowest_loss=lowest)


def _is_long(expected: float) -> bool:
    """Return whether one run of a test may be long: expected to be so, or of unknown length."""
    return not expected / N_FOLDS < _LONG_RUN_SECONDS


def _state(evaluation: Evaluation) -> str:
    if evaluation.has_failed.any():
        return "failed"
    if not evaluation.is_unfinished.any():
        return "done"
    return "cut off" if evaluation.is_out_of_time else "ended early"


def _verdict(prepared: PreparedComparison, full: Sequence[int], store: Store) -> Comparison | None:
    """Weigh the learners that were tested in full; their runs are all in the store."""
    request = prepared.request
    contenders = [request.learners[index] for index in sorted(full)]
    if sum(not contender.is_baseline for contender in contenders) < 2:
        return None
    of_these = replace(request, learners=contenders, budget=None)
    return run_comparison(replace(prepared, request=of_these), store)
