"""Loops that are interpreted at first and compiled once it pays, with identical results.

To compile a loop takes up to seconds, and to load the compiler most of one; many a comparison
needs less than that in all.  So a loop is a plain function at first, and once it has had much
to do, it is compiled (or found on disk) and stays so.

Both ways give the same bits, so that no result shows which it was. This requires of a
loop, in addition to plain loops over arrays and scalars:

- no numbers of fewer than 64 bits in arithmetic that may leave them: ``np.int64(code) << 36``;
- divisors that may be 0 come from arrays, for Python refuses ``1.0 / 0.0``;
- no logarithm of 0, no root below 0, and `math` rather than numpy for both;
- products in place of powers.
"""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any, Generic, TypeVar

import numpy as np

_Result = TypeVar("_Result")

# Steps of a loop that are interpreted before it is compiled: some tenth of a second.  To load the
# compiler takes about half of one, which the loops of a small comparison together come to.
MOST_INTERPRETED = 200_000
_OPTIONS = {"cache": True, "nogil": True, "error_model": "numpy"}
# What a call costs in addition to its steps.
_CALL = 20


class _CompilerTime(threading.local):
    """Seconds that a thread has spent on the compiler, which calls itself."""

    seconds = 0.0
    _depth = 0
    _start = 0.0

    def begin(self) -> None:
        if not self._depth:
            self._start = time.perf_counter()
        self._depth += 1

    def end(self) -> None:
        self._depth -= 1
        if not self._depth:
            self.seconds += time.perf_counter() - self._start

    def __reduce__(self) -> tuple[Any, ...]:
        # What it has counted is no part of what a loop is known by.
        return _CompilerTime, ()


_compiler_time = _CompilerTime()


class Stopwatch:
    """Seconds since it was made, in two parts: work, and compilation of loops.

    Compilation is also to load the compiler, to find on disk what was compiled before, and to
    wait for a thread that compiles.  Only that of the thread that asks counts.

    Examples
    --------
    >>> watch = Stopwatch()
    >>> watch.compiling()
    0.0
    >>> watch.working() >= 0
    True
    """

    def __init__(self) -> None:
        self._start, self._compiled = time.perf_counter(), _compiler_time.seconds

    def compiling(self) -> float:
        """Return the seconds that went into compilation."""
        return _compiler_time.seconds - self._compiled

    def working(self) -> float:
        """Return the other seconds."""
        return time.perf_counter() - self._start - self.compiling()


class Kernel(Generic[_Result]):
    """A loop that is interpreted until it has had much to do, and compiled from then on.

    Parameters
    ----------
    py_func : callable
        The loop. It may call other kernels by their names.
    work : callable, optional
        Counts the steps of a call from its arguments; without it, each call counts alike.
    **options : object
        For the compiler, in addition to those that all have.

    Attributes
    ----------
    interpreted, compiled : callable
        The two ways, made when first asked for.
    """

    def __init__(
        self,
        py_func: Callable[..., _Result],
        work: Callable[..., int] | None = None,
        **options: Any,
    ) -> None:
        functools.update_wrapper(self, py_func)
        self.py_func: Any = py_func
        self._work, self._options = work, options
        self._n_steps = 0
        self._chosen: Callable[..., _Result] | None = None
        self._lock = threading.Lock()

    def __call__(self, *arguments: Any) -> _Result:
        """Run the loop, in the way that pays."""
        if self._chosen is None:
            self._n_steps += _CALL + (int(self._work(*arguments)) if self._work else 0)
            if self._n_steps <= MOST_INTERPRETED:
                with np.errstate(all="ignore"):
                    return self.interpreted(*arguments)
            with _compilation(), self._lock:
                self._chosen = self.compiled
        return self._chosen(*arguments)

    @functools.cached_property
    def interpreted(self) -> Callable[..., _Result]:
        """The loop as a function of Python."""
        loop: Callable[..., _Result] = _calling(self.py_func, lambda kernel: kernel.interpreted)
        return loop

    @functools.cached_property
    def compiled(self) -> Callable[..., _Result]:
        """The loop as a function of the compiler, compiled at its first call."""
        from numba import njit

        _listen_to_the_compiler()
        loop = _calling(self.py_func, lambda kernel: kernel.compiled)
        made: Callable[..., _Result] = njit(**(_OPTIONS | self._options))(loop)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        # Not how much it has had to do: what a learner is known by must not change with that.
        return Kernel, (self.py_func,)


def kernel(
    work: Callable[..., int] | None = None, **options: Any
) -> Callable[[Callable[..., _Result]], Kernel[_Result]]:
    """Return a decorator that makes a loop a kernel; see `Kernel`.

    Examples
    --------
    >>> @kernel(lambda values: values.size)
    ... def _total(values):
    ...     total = 0.0
    ...     for i in range(values.size):
    ...         total += values[i]
    ...     return total
    >>> float(_total(np.arange(4.0)))
    6.0
    """
    return lambda py_func: Kernel(py_func, work, **options)


@contextmanager
def _compilation() -> Iterator[None]:
    _compiler_time.begin()
    try:
        yield
    finally:
        _compiler_time.end()


@functools.cache
def _listen_to_the_compiler() -> None:
    """Count what loops take to compile, which they do at their first call with a type."""
    from numba.core import event

    class _Listener(event.Listener):  # type: ignore[misc]
        def on_start(self, _: Any) -> None:
            _compiler_time.begin()

        def on_end(self, _: Any) -> None:
            _compiler_time.end()

    event.register("numba:compiler_lock", _Listener())


def _calling(py_func: Any, choose: Callable[[Any], Any]) -> Any:
    """Return a copy of a loop that calls other kernels in the way that is chosen."""
    space = py_func.__globals__
    others = {
        name: choose(space[name])
        for name in py_func.__code__.co_names
        if isinstance(space.get(name), Kernel)
    }
    return FunctionType(py_func.__code__, space | others, py_func.__name__, py_func.__defaults__)
