"""Thread that does the runs of this process, while the one that waits for them hears signals."""

import contextvars
import ctypes
import math
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from bestofk.evaluation.guarded.interrupt import GIVEN_UP
from bestofk.evaluation.guarded.threads import one_thread
from bestofk.evaluation.run import runs_here

T = TypeVar("T")

# Where a signal does not end a wait, it is heard so much later.
_LOOK_SECONDS = 0.25
# What was given up ends so soon where it is no compiled code.
_GRACE_SECONDS = 0.2
# As a main thread has: others have less on some systems.
_STACK_BYTES = 16 * 2**20


class RunThread:
    """One thread that does runs in turn, unless another thread of this process does some.

    Compiled code lets no signal through before it returns.  Here it has a thread of its own, so
    Ctrl-C is answered at once, and a run can be given up at any moment: what computes then goes
    on unheard until Python gets a word in, and until then no other run is done in this process.

    Attributes
    ----------
    is_here : bool
        Whether this process may do runs; otherwise they need one of their own.
    """

    def __init__(self) -> None:
        from sklearn import get_config

        self._held = ExitStack()
        self.is_here = self._held.enter_context(runs_here())
        self._asked: SimpleQueue[Callable[[], Any] | None] = SimpleQueue()
        self._answers: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()
        work = contextvars.copy_context().run
        self._thread = threading.Thread(target=work, args=(self._work, get_config()), daemon=True)
        before = threading.stack_size(_STACK_BYTES)
        try:
            self._thread.start()
        finally:
            threading.stack_size(before)

    def do(
        self,
        work: Callable[[], T],
        seconds: float = math.inf,
        meanwhile: Callable[[], None] = lambda: None,
    ) -> T:
        """Call a function there, and return its result.

        Parameters
        ----------
        work : callable
            Takes nothing; what it raises is raised here.
        seconds : float, optional
            After so many it is given up.
        meanwhile : callable, optional
            Called here every quarter of a second.

        Raises
        ------
        TimeoutError
            If it was given up.
        """
        self._asked.put(work)
        try:
            answer, error = self._answer(time.monotonic() + seconds, meanwhile)
        except BaseException:
            self._give_up()
            raise
        if error is not None:
            raise error
        result: T = answer
        return result

    def close(self) -> None:
        """End the thread; where compiled code was given up, it ends by itself later."""
        self._asked.put(None)
        self._thread.join(_GRACE_SECONDS if self._thread.name == GIVEN_UP else None)
        self._held.close()

    def _answer(
        self, end: float, meanwhile: Callable[[], None]
    ) -> tuple[Any, BaseException | None]:
        while (left := end - time.monotonic()) > 0:
            try:
                return self._answers.get(timeout=min(left, _LOOK_SECONDS))
            except Empty:
                meanwhile()
        raise TimeoutError

    def _give_up(self) -> None:
        """Raise KeyboardInterrupt there as soon as Python gets a word in."""
        self.is_here, self._thread.name = False, GIVEN_UP
        number = ctypes.c_ulong(self._thread.ident or 0)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(number, ctypes.py_object(KeyboardInterrupt))

    def _work(self, settings: dict[str, Any]) -> None:
        from sklearn import config_context

        if not self.is_here:
            return
        # what was given up may hear of it a moment too late
        with suppress(KeyboardInterrupt), config_context(**settings), one_thread() as hold_threads:
            while (work := self._asked.get()) is not None:
                self._answers.put(_result_of(work))
                del work  # it holds data
                hold_threads()  # also the libraries that were loaded meanwhile


def _result_of(work: Callable[[], Any]) -> tuple[Any, BaseException | None]:
    try:
        return work(), None
    except BaseException as error:
        return None, error
