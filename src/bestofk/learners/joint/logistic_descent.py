"""Down to the optimum of many smooth convex functions at once, from a common guess of curvature."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Steps that there is room for at first.
_ROOM = 16
_LINE_STEPS = 12
# A step is taken if the slope at its end is no steeper upwards than this share of the slope
# downwards at its start.
_UPHILL = 0.5

Gradients = Callable[[NDArray[np.float64], NDArray[np.int64] | None], NDArray[np.float64]]
Matrix = NDArray[np.float64]


class Descent:
    """Quasi-Newton steps (BFGS) of several functions side by side.

    The inverse Hessian of every function starts as that of one function near all of them.
    Its updates are kept as vectors: with s the step, y the change of the gradient,
    z = B y and r = 1 / (s y), the next B is
    ``B + (1 + r yz) r s s' - r (z s' + s z')`` (Broyden, Fletcher, Goldfarb, Shanno, 1970).

    Parameters
    ----------
    gradients : callable
        Gradients at points of shape (n, n_parameters) of some functions, by their numbers.
    precondition : callable
        Inverse Hessian to start from, times vectors of shape (n, n_parameters).
    start : ndarray of shape (n_functions, n_parameters), float64
        Where to start.
    tolerance : float
        A function is done when a step promises it no more than half of that.
    max_steps : int
        Steps after which to give up.

    Attributes
    ----------
    at : ndarray of shape (n_functions, n_parameters), float64
        Where each function ended.
    is_done : ndarray of shape (n_functions,), bool
        Whether it is done there.
    n_steps : int
        Steps taken.
    """

    def __init__(
        self,
        gradients: Gradients,
        precondition: Callable[[Matrix], Matrix],
        start: Matrix,
        tolerance: float,
        max_steps: int,
    ) -> None:
        self._gradients, self._precondition = gradients, precondition
        self.at = start.copy()
        self.is_done = np.zeros(len(start), dtype=bool)
        self._members = np.arange(len(start))
        self._here = start.copy()
        self._gradient = gradients(self._here, None)
        self._direction = -precondition(self._gradient)
        self._past = _Past(start.shape)
        self.n_steps = 0
        while self._leave(tolerance) and self.n_steps < max_steps:
            self._step()
            self.n_steps += 1
        self.at[self._members] = self._here

    def _leave(self, tolerance: float) -> bool:
        """Take leave of functions that are done or hopeless; return whether some are left."""
        promise = -_dot(self._gradient, self._direction)
        is_near = promise <= tolerance
        lost = ~np.isfinite(promise) | (promise < 0)
        if (is_near | lost).any():
            done = is_near & ~lost
            self.at[self._members[done]] = self._here[done] + self._direction[done]
            self.is_done[self._members[done]] = True
            self._keep(~(is_near | lost))
        return len(self._members) > 0

    def _keep(self, kept: NDArray[np.bool_]) -> None:
        self._members, self._here = self._members[kept], self._here[kept]
        self._gradient, self._direction = self._gradient[kept], self._direction[kept]
        self._past.keep(kept)

    def _step(self) -> None:
        length, at, gradient = self._line_search()
        step = self._direction * length[:, None]
        change = gradient - self._gradient
        # B times the new gradient; the direction is minus B times the old one.
        turned = self._precondition(gradient) + self._past.times(gradient)
        image = turned + self._direction
        curvature = _dot(step, change)
        r = np.divide(1.0, curvature, out=np.zeros_like(curvature), where=curvature > 0)
        a = (1 + r * _dot(change, image)) * r
        self._here, self._gradient = at, gradient
        self._direction = -turned - self._past.add(step, image, a, r, gradient)

    def _line_search(self) -> tuple[NDArray[np.float64], Matrix, Matrix]:
        """Return lengths of the steps, where they end, and the gradients there.

        Slopes alone decide: functions are convex, so one that still falls has fallen.
        """
        everyone = len(self._members) == len(self.at)
        at = self._here + self._direction
        gradient = self._gradients(at, None if everyone else self._members)
        slope = _dot(self._gradient, self._direction)
        end = _dot(gradient, self._direction)
        length = np.ones(len(at))
        for _ in range(_LINE_STEPS):
            steep = np.flatnonzero(~(end <= -_UPHILL * slope))
            if not len(steep):
                break
            with np.errstate(invalid="ignore"):
                share = np.nan_to_num(slope[steep] / (slope[steep] - end[steep]))
            length[steep] *= np.clip(share, 0.1, 0.8)
            direction = self._direction[steep]
            at[steep] = self._here[steep] + length[steep, None] * direction
            gradient[steep] = self._gradients(at[steep], self._members[steep])
            end[steep] = _dot(gradient[steep], direction)
        return length, at, gradient


class _Past:
    """What steps have changed of the inverse Hessians."""

    def __init__(self, shape: tuple[int, int]) -> None:
        self._n_pairs = 0
        self._vectors = np.empty((shape[0], 2 * _ROOM, shape[1]))
        self._weights = np.empty((2, shape[0], _ROOM))

    def keep(self, kept: NDArray[np.bool_]) -> None:
        self._vectors, self._weights = self._vectors[kept], self._weights[:, kept]

    def times(self, gradient: Matrix) -> Matrix | float:
        """Return the change of the inverse Hessians, times a gradient each."""
        return self._times(slice(0, self._n_pairs), gradient) if self._n_pairs else 0.0

    def add(self, step: Matrix, image: Matrix, a: Any, r: Any, gradient: Matrix) -> Matrix:
        """Keep one more change, and return it times a gradient each."""
        if 2 * self._n_pairs == self._vectors.shape[1]:
            self._vectors = np.concatenate([self._vectors, np.empty_like(self._vectors)], axis=1)
            self._weights = np.concatenate([self._weights, np.empty_like(self._weights)], axis=2)
        pair = self._n_pairs
        self._vectors[:, 2 * pair], self._vectors[:, 2 * pair + 1] = step, image
        self._weights[0, :, pair], self._weights[1, :, pair] = a, r
        self._n_pairs += 1
        return self._times(slice(pair, pair + 1), gradient)

    def _times(self, pairs: slice, gradient: Matrix) -> Matrix:
        vectors = self._vectors[:, 2 * pairs.start : 2 * pairs.stop]
        a, r = self._weights[:, :, pairs]
        along = (vectors @ gradient[:, :, None])[:, :, 0]
        shares = np.empty_like(along)
        shares[:, ::2] = a * along[:, ::2] - r * along[:, 1::2]
        shares[:, 1::2] = -r * along[:, ::2]
        product: Matrix = (shares[:, None, :] @ vectors)[:, 0]
        return product


def _dot(first: Matrix, second: Matrix) -> NDArray[np.float64]:
    product: NDArray[np.float64] = np.einsum("ij,ij->i", first, second)
    return product
