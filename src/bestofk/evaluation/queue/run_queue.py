"""Queue of the runs of several requests: which comes next, done here or handed to an engine.

All requests advance together, repeat by repeat, so that there is an early verdict on each of
them.  Within a repeat the request that will take longest comes first, so that none is left over
at the end.  The order changes no number.
"""

import time
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import replace

from bestofk.data.temporary_folder import remove_left_folders
from bestofk.evaluation.engines.choice import is_local, started_engine, uses_engine
from bestofk.evaluation.engines.engine import Engine, EngineLostError
from bestofk.evaluation.evaluation import Evaluation
from bestofk.evaluation.guarded.interrupt import noted_interrupts
from bestofk.evaluation.observer import Observer
from bestofk.evaluation.queue.handed_out import HandedOut
from bestofk.evaluation.queue.run_thread import RunThread
from bestofk.evaluation.queue.runner import OutOfTimeError, Runner
from bestofk.evaluation.request import EvaluationRequest, check_request
from bestofk.evaluation.store.store import Store

# Less work than this is done faster without starting workers.
_PARALLEL_SECONDS = 3.0
# Runs of several requests are timed alone for so long before others go on at the same time.
_ALONE_SECONDS = 60.0
# After so many seconds without workers, a message gives the reason of the silence.
_SILENT_SECONDS = 4.0
_NO_WORKERS = (
    "The engine has no workers, so runs wait until some join. Ctrl-C ends the call; what is "
    "finished is kept."
)


def evaluate(
    request: EvaluationRequest, store: Store, observer: Observer | None = None
) -> Evaluation:
    """Do every run that the store does not have yet, and return all of them.

    Parameters
    ----------
    request : EvaluationRequest
        What is to be run.
    store : Store
        Where finished runs are found and put.
    observer : Observer, optional
        Told about progress; may show it.

    Returns
    -------
    Evaluation
        Runs of all learners on all splits, up to the last repeat that an interim analysis
        asked for; incomplete if it was interrupted.

    Raises
    ------
    InvalidArgumentError
        If `keep`, `timeout`, `n_jobs` or `batched` is not one of the values allowed.
    StoreError
        If the store cannot be read or written.
    """
    return evaluate_many([request], store, [observer or Observer()])[0]


def evaluate_many(
    requests: Sequence[EvaluationRequest], store: Store, observers: Sequence[Observer]
) -> list[Evaluation]:
    """Do every missing run of several requests in one order, through one engine.

    Parameters
    ----------
    requests : sequence of EvaluationRequest
        What is to be run; engine and number of jobs are those of the first.
    store : Store
        Where finished runs are found and put.
    observers : sequence of Observer
        One for each request; their events come in turns.

    Returns
    -------
    list of Evaluation
        As `evaluate` returns, one for each request.

    Raises
    ------
    InvalidArgumentError, StoreError
        As `evaluate` does.
    """
    remove_left_folders()
    runners = []
    for request, observer in zip(requests, observers, strict=True):
        check_request(request)
        observer.asked(request)
        runners.append(Runner(request, store, observer))
    return RunQueue(runners, store).run() if runners else []


def is_enough(seconds: float) -> bool:
    """Return whether work of so many seconds is worth handing to an engine."""
    return seconds > _PARALLEL_SECONDS


class RunQueue:
    """One call of `evaluate_many`.

    Parameters
    ----------
    runners : sequence of Runner
        One for each request, at least one.
    store : Store
        Theirs.
    """

    def __init__(self, runners: Sequence[Runner], store: Store) -> None:
        self._runners, self._store = runners, store
        self._open = list(runners)  # of which not all is done
        self._current: Runner | None = None  # the last that had a turn here
        request = runners[0].request
        self._engine_option, self._n_jobs = request.engine, request.n_jobs
        self._uses_engine = uses_engine(request.engine, request.n_jobs)
        self._is_local = is_local(request.engine)
        self._engine: Engine | None = None  # started where there is enough to do

    def run(self) -> list[Evaluation]:
        """Do every run that is missing, and return all of them."""
        for runner in self._runners:
            runner.start()
        is_interrupted = is_out_of_time = False
        engine_loss = ""
        try:
            self._work()
        except KeyboardInterrupt:
            is_interrupted = True
        except OutOfTimeError:
            is_out_of_time = True
        except EngineLostError as error:
            is_interrupted, engine_loss = True, str(error)
        finally:
            self._store.flush()
            for runner in self._runners:
                runner.observer.stop()
        return [
            replace(
                runner.result(is_interrupted=is_interrupted and runner in self._open),
                is_out_of_time=is_out_of_time and runner in self._open,
                engine_loss=engine_loss if runner in self._open else "",
            )
            for runner in self._runners
        ]

    def _work(self) -> None:
        for runner in list(self._open):
            self._advance(runner)
        if not self._open:
            return
        with (
            noted_interrupts() as self._interrupts,
            closing(RunThread()) as thread,
            ExitStack() as at_end,
        ):
            for runner in self._runners:
                runner.interrupts, runner.thread = self._interrupts, thread
                at_end.enter_context(closing(runner))
            if self._uses_engine and not self._is_local:
                self._start_engine(at_end)
            self._open[0].prepare_guard()  # it is there when other learners are done
            while self._open:
                if self._is_worth_an_engine():
                    self._hand_out(at_end)
                self._do_here()

    def _advance(self, runner: Runner) -> None:
        """Let a request go on to its next runs, whose numbers may rest on those that are done."""
        if not runner.advance():
            self._open.remove(runner)

    def _start_engine(self, at_end: ExitStack) -> Engine:
        if self._engine is None:
            self._engine = started_engine(self._engine_option, self._n_jobs)
            at_end.enter_context(closing(self._engine))
        return self._engine

    def _next(self, runners: Sequence[Runner]) -> Runner | None:
        """Return the request that is furthest behind; of several the one that takes longest."""
        ahead = [
            (runner.work.first_repeat, -runner.work.expected_seconds(), index)
            for index, runner in enumerate(runners)
            if runner.work is not None and runner.work.has_turn
        ]
        return runners[min(ahead)[2]] if ahead else None

    def _is_worth_an_engine(self) -> bool:
        """Return whether enough is left to be done elsewhere, after a few runs done alone."""
        if not self._uses_engine:
            return False
        start = time.monotonic()
        for runner in sorted(self._open, key=lambda runner: runner.request.data.n_samples):
            if time.monotonic() > start + _ALONE_SECONDS:
                break
            self._switch_to(runner)
            runner.time_alone()
        works = [runner.work for runner in self._travelling if runner.work is not None]
        return is_enough(sum(work.expected_seconds() for work in works))

    @property
    def _travelling(self) -> list[Runner]:
        """Runners whose work can be done elsewhere."""
        return [runner for runner in self._open if not (runner.is_bound and self._is_local)]

    def _switch_to(self, runner: Runner) -> None:
        """Let one request at a time have the guarded process."""
        if self._current not in (None, runner):
            assert self._current is not None
            self._current.rest()
        self._current = runner

    def _do_here(self) -> None:
        """Do what comes next in this process, until a request has nothing more to do.

        A request keeps its turn for a repeat, for what it holds in memory.
        """
        runner = self._next(self._open)
        if runner is not None and runner.work is not None:
            self._switch_to(runner)
            repeat = runner.work.first_repeat
            while runner.work.has_turn and runner.work.first_repeat <= repeat:
                runner.do_next(runner.work)
        for runner in list(self._open):
            if runner.work is None or not runner.work.has_turn:
                self._advance(runner)

    def _hand_out(self, at_end: ExitStack) -> None:
        """Let an engine do what is missing, until it has nothing to do."""
        engine = self._start_engine(at_end)
        had_workers, has_message = time.monotonic(), False
        with (
            closing(HandedOut(engine)) as out,
            self._interrupts.finishing(out.seconds_left),
        ):
            while self._fill(out, engine) or out.goes_on(self._interrupts):
                for runner, block, result in out.finished():
                    self._switch_to(runner)
                    runner.take_result(block, result)
                if engine.has_workers:
                    had_workers, has_message = time.monotonic(), False
                elif not has_message and time.monotonic() > had_workers + _SILENT_SECONDS:
                    self._runners[0].observer.waiting(_NO_WORKERS)
                    has_message = True
                self._runners[0].check_time()
        self._interrupts.check()

    def _fill(self, out: HandedOut, engine: Engine) -> bool:
        """Hand out as much as the engine takes; return whether there was anything."""
        travelling, is_any = self._travelling, False
        while out.has_room and not self._interrupts.is_asked:
            if (runner := self._next(travelling)) is None:
                break
            assert runner.work is not None  # it has a turn
            turn = runner.work.next_turn(engine.block_seconds)
            assert turn is not None
            out.hand_out(runner, turn)
            is_any = True
        # else the next decision is whether the engine is worth it, or whether all ends
        if out.is_busy and not self._interrupts.is_asked:
            for runner in travelling:
                is_through = runner.work is not None and not runner.work.has_turn
                if is_through and not out.has_of(runner):
                    self._advance(runner)
                    if runner not in self._open:
                        out.forget(runner)
        return is_any
