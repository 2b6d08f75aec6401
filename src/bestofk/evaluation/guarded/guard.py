"""Guarded processes, which end runs above their limits and survive runs that crash."""

import os
import time
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any

from bestofk.errors import RunError
from bestofk.evaluation.guarded.child import (
    LONGEST_WAIT,
    START_SECONDS,
    ChildDiedError,
    GuardedChild,
    Keeper,
    Starter,
    TooMuchMemoryError,
    source_of,
)
from bestofk.evaluation.guarded.limits import NO_LIMITS, Limits, check_limits
from bestofk.evaluation.guarded.resources import above_limit
from bestofk.evaluation.record import RunRecord
from bestofk.evaluation.status import (
    ERROR,
    LOST,
    MEMORY,
    TIMEOUT,
    is_error,
    is_lost,
    is_out_of_memory,
)

# SIGKILL may come from elsewhere, as from a system that is short of memory: a run goes on
# trial so often before it is blamed.
_TRIES = 3
# Of the limit of memory: less, left behind by earlier runs, is no reason to try a run again.
_LEFT_SHARE = 0.05


class GuardedProcess:
    """A process that does runs of one learner, may be ended any moment, and gives way to others.

    Parameters
    ----------
    payload : path
        File with the pickled data set, plan and learners.
    limits : Limits
        Of a single run, where a block has none of its own.

    Raises
    ------
    InvalidArgumentError
        If a limit is not positive.

    Notes
    -----
    Ending a run costs the process.  The next run gets a new one, and so does a run of another
    learner.
    """

    def __init__(self, payload: str | os.PathLike[str], limits: Limits = NO_LIMITS) -> None:
        self._source: Keeper | Starter | None = None
        self._child: GuardedChild | None = None
        self._learner_index = 0  # the learner of that child
        self._is_abandoned = False
        check_limits(limits)
        self._payload = payload
        self._limits = limits

    def run_block(self, jobs: Sequence[Any], limits: Limits | None = None) -> Iterator[RunRecord]:
        """Do runs in turn, each within the limits.

        A run that is ended or dies costs its own record. One that was killed, perhaps by another
        process, is tried three times. One that dies or needs too much memory in a process that
        did others is tried again in a new one if what they left behind may be the reason.

        Parameters
        ----------
        jobs : sequence of Job
            The runs.
        limits : Limits, optional
            Of each of them, in place of those of this object, for this block and those to come.

        Yields
        ------
        RunRecord
            One for each job, as soon as it is there. Status is ``"timeout"`` or ``"memory"``
            where a limit was exceeded, ``"error"`` where the process died.

        Raises
        ------
        RunError
            If data and learners cannot be loaded.
        """
        if limits is not None and limits != self._limits:
            if limits.n_bytes != self._limits.n_bytes:
                self._end()  # a limit of memory is that of a process
            self._limits = limits
        return self._records(jobs, self._limits)

    def run(self, job: Any, *, timeout: float | None) -> RunRecord:
        """Do one run as `run_block` does, with another limit of seconds."""
        return next(self._records([job], self._limits._replace(seconds=timeout)))

    def answer(self, job: Any, *, timeout: float | None) -> Any:
        """Do a job, a run or whole repeats, and return what it gives.

        Raises
        ------
        TimeoutError
            If it takes longer than `timeout` seconds; the process is ended.
        ChildProcessError
            If the process dies, needs too much memory or answers twice; the message says which.
        """
        limits = self._limits._replace(seconds=timeout)
        self._end_if_busy()
        child = self._working([job])
        try:
            return child.answer(timeout)
        except TooMuchMemoryError:
            message = f"the process of the run {_above_limit(child, limits)}"
            raise ChildProcessError(message) from None
        finally:
            if child.is_busy or not child.is_alive:
                self._end()

    def _records(self, jobs: Sequence[Any], limits: Limits) -> Iterator[RunRecord]:
        self._end_if_busy()
        left = deque(jobs)
        child, n_killed = None, 0
        try:
            while left:
                child = self._working(left)
                before = child.n_answers, child.used_bytes
                record = _next_record(child, limits)
                n_killed += is_lost(record.status)
                if n_killed == _TRIES:
                    message = f"{record.message}, in each of {_TRIES} tries"
                    record = record._replace(status=ERROR, message=message)
                elif is_lost(record.status) or _may_be_of_others(record, child, before, limits):
                    self._end()
                    continue
                if child.is_ended:
                    self._child = None
                n_killed = 0
                left.popleft()
                yield record
        finally:
            if child is self._child:
                self._end_if_busy()

    def _working(self, jobs: Sequence[Any]) -> GuardedChild:
        """Return the child, which is doing the first of these jobs, those of one learner."""
        child, index = self._child, _learner_index(jobs[0])
        if child is None or index != self._learner_index:
            self._end()
            self._child = child = self._new_child()
            self._learner_index = index
        if not child.is_busy:
            child.ask(list(takewhile(lambda job: _learner_index(job) == index, jobs)))
        return child

    def _new_child(self) -> GuardedChild:
        for _ in range(_TRIES):
            self.wait()
            try:
                return GuardedChild(self._begun().child(), self._limits.n_bytes)
            except ChildDiedError as error:  # of a process that loads the payload itself
                self.close()
                death = error
        raise _not_loaded(death)

    def _end_if_busy(self) -> None:
        """End a process whose answers are no longer needed."""
        if self._child is not None and self._child.is_busy:
            self._end()

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.end()

    def close(self) -> None:
        """End the process, and all that was started for it."""
        self._end()
        source, self._source = self._source, None
        if source is not None:
            source.close()

    def abandon(self) -> None:
        """End all at once, from another thread than the one that waits for runs, which raises."""
        self._is_abandoned = True
        if (source := self._source) is not None:
            source.abandon()

    def __del__(self) -> None:
        self.close()

    def wait(self, seconds: float = START_SECONDS) -> None:
        """Wait until data and learners are loaded, which is no part of the time of a run.

        Raises
        ------
        TimeoutError
            If they are not after so many seconds.
        RunError
            If the process that loads them dies.
        """
        end = time.monotonic() + min(seconds, LONGEST_WAIT)
        for n_left in reversed(range(_TRIES)):
            try:
                self._begun().wait(max(0.0, end - time.monotonic()))
                return
            except ChildDiedError as death:
                self.close()
                if not (death.was_killed and n_left):
                    raise _not_loaded(death) from None

    def is_there(self) -> bool:
        """Return whether data and learners are loaded, without waiting for it."""
        if self._source is None or not self._source.is_there():
            return False
        self.wait()
        return True

    def begin(self) -> None:
        """Start to load data and learners, if nothing does, without waiting for it.

        Raises
        ------
        RunError
            If they cannot be pickled.
        """
        self._begun()

    def _begun(self) -> Keeper | Starter:
        if self._source is None:
            self._source = source_of(os.fspath(self._payload))  # raises where it cannot be written
        if self._is_abandoned:
            self.close()
            raise RunError("runs must be waited for; got a process that was abandoned.")
        return self._source


def _learner_index(job: Any) -> int:
    """Return the learner of a job; one that is of no learner is of the only one."""
    return getattr(job, "learner_index", 0)


def _not_loaded(death: ChildDiedError) -> RunError:
    return RunError(
        f"the process of guarded runs must load data and learners; it died ({death.ending}), and "
        "standard error says why. Use learners that can be pickled, or leave out the limits."
    )


def _next_record(child: GuardedChild, limits: Limits) -> RunRecord:
    """Return the answer of the child; end the child if there is none.

    Returns
    -------
    RunRecord
        With status ``"lost"`` if the child was killed.
    """
    start = time.perf_counter()
    nan = float("nan")
    try:
        record: RunRecord = child.answer(limits.seconds)
    except TimeoutError:
        status, message = TIMEOUT, f"ended after {limits.seconds:g} s (timeout)"
    except TooMuchMemoryError:
        status, message = MEMORY, _above_limit(child, limits)
    except ChildProcessError as death:
        child.end()
        was_killed = isinstance(death, ChildDiedError) and death.was_killed
        return RunRecord(LOST if was_killed else ERROR, None, nan, nan, message=str(death))
    else:
        if record.peak_bytes is None:
            record = record._replace(peak_bytes=child.peak_bytes)
        return record
    seconds = time.perf_counter() - start
    child.end()
    return RunRecord(status, None, seconds, nan, message=message, peak_bytes=child.peak_bytes)


def _may_be_of_others(
    record: RunRecord, child: GuardedChild, before: tuple[int, int], limits: Limits
) -> bool:
    """Return whether a failure may be caused by leftovers of earlier runs in the process.

    `before` is the number of those, and the bytes that they left behind.
    """
    n_runs, n_bytes = before
    if is_out_of_memory(record.status):
        return n_bytes > _LEFT_SHARE * (limits.n_bytes or 0)
    return is_error(record.status) and child.is_ended and n_runs > 0


def _above_limit(child: GuardedChild, limits: Limits) -> str:
    assert limits.n_bytes is not None  # the child was found to exceed it
    return above_limit(limits.n_bytes, child.peak_bytes)
