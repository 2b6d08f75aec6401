"""Guarded processes, which end runs that take too much and survive runs that crash."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from bestofk.errors import RunError
from bestofk.evaluation.guarded_child import (
    ChildDiedError,
    GuardedChild,
    TooMuchMemoryError,
    keep_child,
    take_child,
)
from bestofk.evaluation.limits import NO_LIMITS, Limits, check_limits
from bestofk.evaluation.memory import above_limit
from bestofk.evaluation.record import ERROR, LOST, MEMORY, TIMEOUT, RunRecord

_START_SECONDS = 120.0
# SIGKILL may come from elsewhere, as from a system that is short of memory: a run goes on
# trial so often before it is blamed.
_TRIES = 3
# Of the limit of memory: less, left behind by earlier runs, is no reason to try a run again.
_LEFT_SHARE = 0.05


class GuardedProcess:
    """A process that runs one split after another and may be ended at any moment.

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
    Ending a run costs the process; the next run starts a new one.  A process that is not needed
    any more is kept for others.
    """

    def __init__(self, payload: str | os.PathLike[str], limits: Limits = NO_LIMITS) -> None:
        self._child: GuardedChild | None = None
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
                self.close()  # a limit of memory is set when data and learners are loaded
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
            return child.answer(limits)
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
                n_killed += record.status == LOST
                if n_killed == _TRIES:
                    message = f"{record.message}, in each of {_TRIES} tries"
                    record = record._replace(status=ERROR, message=message)
                elif record.status == LOST or _may_be_of_others(record, child, before, limits):
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
        """Return the child, which is doing these jobs."""
        if self._child is None or not self._child.is_busy:
            self.wait()
            self.begin().ask(jobs)
        return self.begin()

    def _end_if_busy(self) -> None:
        """End a process whose answers nothing waits for any more."""
        if self._child is not None and self._child.is_busy:
            self._end()

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.end()

    def close(self) -> None:
        """Hand the process back for others, or end it where it is not ready for more."""
        child = self._child
        if child is not None and child.is_ready and child.is_alive and not child.is_busy:
            self._child = None
            keep_child(child)
        self._end()

    def __del__(self) -> None:
        self.close()

    def wait(self, seconds: float = _START_SECONDS) -> None:
        """Wait until the process is there, which is no part of the time of a run.

        Raises
        ------
        TimeoutError
            If it is not there after so many seconds.
        RunError
            If it dies before it is there.
        """
        end = time.monotonic() + seconds
        n_killed = 0
        while True:
            child = self.begin()
            try:
                child.wait(max(0.0, end - time.monotonic()), self._limits.n_bytes)
                return
            except ChildDiedError as death:
                self._end()
                n_killed += death.was_killed
                if child.is_reused or (death.was_killed and n_killed < _TRIES):
                    continue
                raise RunError(
                    f"the process of guarded runs must load data and learners; it died "
                    f"({death.ending}), and standard error says why. Use learners that can be "
                    "pickled, or leave out the limits."
                ) from None

    def is_there(self) -> bool:
        """Return whether the process was started and waits for work, without waiting for it."""
        child = self._child
        if child is not None and child.is_there():
            try:
                child.wait(_START_SECONDS, self._limits.n_bytes)
            except ChildDiedError:  # raised again where the process is needed
                self._end()
                if child.is_reused:
                    self.begin()
        return self._child is not None and self._child.is_ready

    def begin(self) -> GuardedChild:
        """Start the process, if there is none, without waiting for it.

        Raises
        ------
        RunError
            If data or learners cannot be pickled.
        """
        if self._child is None:
            path = os.fspath(self._payload)  # raises where it cannot be written
            self._child = take_child()
            self._child.load(path, self._limits.n_bytes)
        return self._child


def _next_record(child: GuardedChild, limits: Limits) -> RunRecord:
    """Return what the child answers; it is ended where that is none.

    Returns
    -------
    RunRecord
        With status ``"lost"`` if the child was killed.
    """
    start = time.perf_counter()
    nan = float("nan")
    try:
        record: RunRecord = child.answer(limits)
    except TimeoutError:
        status, message = TIMEOUT, f"ended after {limits.seconds:g} seconds (timeout)"
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
    """Return whether a failure may be due to what earlier runs left behind in their process.

    `before` is the number of those, and the bytes that they left behind.
    """
    n_runs, n_bytes = before
    if record.status == MEMORY:
        return n_bytes > _LEFT_SHARE * (limits.n_bytes or 0)
    return record.status == ERROR and child.is_ended and n_runs > 0


def _above_limit(child: GuardedChild, limits: Limits) -> str:
    assert limits.n_bytes is not None  # the child was found to exceed it
    return above_limit(limits.n_bytes, child.peak_bytes)
