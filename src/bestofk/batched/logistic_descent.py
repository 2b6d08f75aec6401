"""Down to the optima of many smooth convex functions at once, from a common guess of curvature."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

# Steps that there is room for at first.
_ROOM = 16
LINE_STEPS = 12
# A step is taken if the slope at its end is no steeper upwards than this share of the slope
# downwards at its start.
UPHILL = 0.5

Stack = NDArray[np.float64]
Mask = NDArray[np.bool_]


class Gradients(Protocol):
    """Gradients of several functions in several groups."""

    def __call__(self, points: Stack, /) -> Stack:
        """Return them at points of shape (n_groups, n_functions, n_parameters)."""

    def of(self, groups: Mask, functions: Mask, /) -> Self:
        """Return those of some groups, and of some functions in each, alone."""


class Descent:
    """Quasi-Newton steps (BFGS) of several functions side by side.

    The inverse Hessian of every function starts as that of one function near all of them.
    Its updates are kept as vectors: with s the step, y the change of the gradient,
    z = B y and r = 1 / (s y), the next B is
    ``B + (1 + r yz) r s s' - r (z s' + s z')`` (Broyden, Fletcher, Goldfarb, Shanno, 1970).

    Parameters
    ----------
    gradients : Gradients
        Of all functions.
    precondition : callable
        Inverse Hessian to start from, times an array of the shape of `start`.
    start : ndarray of shape (n_groups, n_functions, n_parameters), float64
        Where to start. What happens to a group depends on that group alone.
    is_wanted : ndarray of shape (n_groups, n_functions), bool
        The others are not looked at.
    tolerance : float
        A function is done when a step promises it no more than half of that.
    max_steps : int
        Steps after which to give up.
    leave_singly : bool
        Whether functions that are done are no longer computed, or groups when all of theirs
        are. With one group only.

    Attributes
    ----------
    at : ndarray of shape (n_groups, n_functions, n_parameters), float64
        Where each function ended.
    is_done : ndarray of shape (n_groups, n_functions), bool
        Whether it is done there.
    n_steps : int
        Steps taken.
    """

    def __init__(
        self,
        gradients: Gradients,
        precondition: Callable[[Stack], Stack],
        start: Stack,
        is_wanted: Mask,
        tolerance: float,
        max_steps: int,
        *,
        leave_singly: bool,
    ) -> None:
        self._gradients, self._precondition = gradients, precondition
        self._leave_singly = leave_singly
        self.at = start.copy()
        self.is_done = np.zeros(start.shape[:2], dtype=bool)
        self._members = np.arange(start.shape[1] if leave_singly else len(start))
        self._here, self._is_open = start.copy(), is_wanted.copy()
        self._gradient = gradients(self._here)
        self._direction = -precondition(self._gradient)
        self._promise = -_dot(self._gradient, self._direction)
        self._past = _Past(start.shape)
        self.n_steps = 0
        while self._leave(tolerance) and self.n_steps < max_steps:
            self._step()
            self.n_steps += 1
        self._put(self._is_open, self._here)

    def _put(self, chosen: Mask, points: Stack) -> None:
        """Write points of members that are still here to where all are kept."""
        group, function = np.nonzero(chosen)
        if self._leave_singly:
            self.at[group, self._members[function]] = points[group, function]
        else:
            self.at[self._members[group], function] = points[group, function]

    def _leave(self, tolerance: float) -> bool:
        """Take leave of functions that are done or hopeless; return whether some are left."""
        is_near = (self._promise <= tolerance) & (self._promise >= 0) & self._is_open
        is_hopeful = (self._promise > tolerance) & (self._promise < np.inf) & self._is_open
        if not is_near.any() and is_hopeful.all():
            return True
        self._put(is_near, self._here + self._direction)
        if self._leave_singly:
            self.is_done[:, self._members] |= is_near
        else:
            self.is_done[self._members] |= is_near
        self._is_open = is_hopeful
        stays: Mask = np.any(is_hopeful, axis=0 if self._leave_singly else 1)
        if not stays.all():
            self._keep(stays)
        if not self._leave_singly:
            self._direction[~self._is_open] = 0.0
        return bool(stays.any())

    def _keep(self, stays: Mask) -> None:
        everyone = np.ones(self._here.shape[:2], dtype=bool)
        groups, functions = (everyone[:, 0], stays) if self._leave_singly else (stays, everyone[0])
        self._members = self._members[stays]
        if not len(self._members):
            self._is_open = self._is_open[groups][:, functions]
            return
        self._gradients = self._gradients.of(groups, functions)
        for name in ("_here", "_is_open", "_gradient", "_direction", "_promise"):
            setattr(self, name, getattr(self, name)[groups][:, functions])
        self._past.keep(groups, functions)

    def _step(self) -> None:
        length, at, gradient = self._line_search()
        step = self._direction * length[..., None]
        change = gradient - self._gradient
        # B times the new gradient; the direction is minus B times the old one.
        turned = self._precondition(gradient)
        turned += self._past.times(gradient)
        image = turned + self._direction
        curvature = _dot(step, change)
        r = np.divide(1.0, curvature, out=np.zeros_like(curvature), where=curvature > 0)
        a = (1 + r * _dot(change, image)) * r
        turned += self._past.add(step, image, a, r, gradient)
        self._here, self._gradient = at, gradient
        self._direction = np.negative(turned, out=turned)
        self._promise = -_dot(gradient, turned)

    def _line_search(self) -> tuple[NDArray[np.float64], Stack, Stack]:
        """Return lengths of the steps, where they end, and the gradients there.

        Slopes alone decide: functions are convex, so one that still falls has fallen.
        """
        at = self._here + self._direction
        gradient = self._gradients(at)
        end = _dot(gradient, self._direction)
        length = np.ones(end.shape)
        for _ in range(LINE_STEPS):
            is_steep = ~(end <= UPHILL * self._promise) & self._is_open
            if not is_steep.any():
                break
            share = np.nan_to_num(self._promise / (self._promise + end))
            length[is_steep] *= np.clip(share[is_steep], 0.1, 0.8)
            at[is_steep] = (self._here + length[..., None] * self._direction)[is_steep]
            groups: Mask = np.any(is_steep, axis=1)
            functions: Mask = np.any(is_steep, axis=0) | (not self._leave_singly)
            again = np.ix_(groups, functions)
            gradient[again] = self._gradients.of(groups, functions)(at[again])
            end = _dot(gradient, self._direction)
        return length, at, gradient


class _Past:
    """Changes that past steps made to the inverse Hessians."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        n_groups, n_functions, n_parameters = shape
        self._n_pairs = 0
        self._vectors = np.empty((n_groups, n_functions, 2 * _ROOM, n_parameters))
        self._weights = np.empty((2, n_groups, n_functions, _ROOM))

    def keep(self, groups: Mask, functions: Mask) -> None:
        """Forget the other groups and functions."""
        n_pairs = self._n_pairs
        vectors, weights = self._vectors[:, :, : 2 * n_pairs], self._weights[..., :n_pairs]
        room = n_pairs + _ROOM
        shape = (int(groups.sum()), int(functions.sum()), 2 * room, vectors.shape[3])
        self._vectors, self._weights = np.empty(shape), np.empty((2, *shape[:2], room))
        self._vectors[:, :, : 2 * n_pairs] = vectors[groups][:, functions]
        self._weights[..., :n_pairs] = weights[:, groups][:, :, functions]

    def times(self, gradient: Stack) -> Any:
        """Return the change of the inverse Hessians, times a gradient each."""
        return self._times(slice(0, self._n_pairs), gradient) if self._n_pairs else 0.0

    def add(self, step: Stack, image: Stack, a: Any, r: Any, gradient: Stack) -> Stack:
        """Keep one more change, and return it times a gradient each."""
        pair = self._n_pairs
        if pair == self._weights.shape[3]:
            self._vectors = np.concatenate([self._vectors, np.empty_like(self._vectors)], axis=2)
            self._weights = np.concatenate([self._weights, np.empty_like(self._weights)], axis=3)
        self._vectors[:, :, 2 * pair], self._vectors[:, :, 2 * pair + 1] = step, image
        self._weights[0, :, :, pair], self._weights[1, :, :, pair] = a, r
        self._n_pairs += 1
        return self._times(slice(pair, pair + 1), gradient)

    def _times(self, pairs: slice, gradient: Stack) -> Stack:
        vectors = self._vectors[:, :, 2 * pairs.start : 2 * pairs.stop]
        a, r = self._weights[..., pairs]
        along = np.matmul(vectors, gradient[..., None])[..., 0]
        shares = np.empty_like(along)
        shares[..., ::2] = a * along[..., ::2] - r * along[..., 1::2]
        shares[..., 1::2] = -r * along[..., ::2]
        product: Stack = np.matmul(shares[..., None, :], vectors)[..., 0, :]
        return product


def _dot(first: Stack, second: Stack) -> NDArray[np.float64]:
    product: NDArray[np.float64] = np.matmul(first[..., None, :], second[..., None])[..., 0, 0]
    return product
