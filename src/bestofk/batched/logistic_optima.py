"""Optima of logistic regression on many training sets, by quasi-Newton steps side by side."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from bestofk.array_types import Bools, Floats

# Scores that are computed at once: some arrays of that size fit the second cache of a core.
BLOCK: Final = 1 << 15
# Rows whose Hessian is summed at once.
_ROWS: Final = 1024
# What a last step may still promise, in units of log loss, divided by the number of parameters:
# predictions are then within some 1e-5 of the optimum's. The reference is only where others start.
_TOLERANCE: Final = 2e-7
_ROUGH: Final = 1e-2
_MAX_STEPS: Final = 200
# Steps from one Hessian of the reference to the next, and Hessians.
_REFERENCE_STEPS: Final = 15
_ROUNDS: Final = 6
# A step is taken if the slope at its end is no steeper upwards than this share of the slope
# downwards at its start.
_UPHILL: Final = 0.5
_LINE_STEPS: Final = 12
# Past steps that the inverse Hessian is made from.
_MEMORY: Final = 30
# Those that are done are left out once no more than this share of the groups is left.
_STAY: Final = 0.8

Stack = Floats
Mask = Bools


@dataclass(frozen=True, eq=False)
class LogLosses:
    """Penalized log losses of several training sets in several groups.

    The loss of a set is
    ``weight * sum over its rows of log loss + sum(ridge[set] * W[set]**2) / 2``.

    Parameters
    ----------
    X : ndarray of shape (n_groups or 1, n_columns, n_rows), float64, C order
        Rows of each group, or those that all groups share; the last column is the intercept's.
    pull : ndarray of shape (n_groups, n_sets, n_scores * n_columns), float64
        See `class_sums`.
    ridge : ndarray of shape (n_groups, n_sets, n_columns), float64
        Penalty weights; 0 for the intercept.
    is_train : ndarray of shape (n_groups, n_sets, 1, n_rows), float64, or None
        1 where a row trains, else 0. None: all rows train.
    is_absent : ndarray of shape (n_groups, n_sets, n_scores), bool, or None
        Classes that a set lacks: they get the probability 0. None: no class.
    weight : float, default=1
        Weight of the rows.
    """

    X: Stack
    pull: Stack
    ridge: Stack
    is_train: Stack | None = None
    is_absent: Mask | None = None
    weight: float = 1.0

    def of(self, groups: Mask) -> LogLosses:
        """Return the losses of some groups alone."""
        return replace(
            self,
            X=self.X if len(self.X) == 1 else self.X[groups],
            pull=self.pull[groups],
            ridge=self.ridge[groups],
            is_train=None if self.is_train is None else self.is_train[groups],
            is_absent=None if self.is_absent is None else self.is_absent[groups],
        )

    def gradients(self, W: Stack) -> Stack:
        """Return the gradients at the coefficients of all sets.

        Parameters
        ----------
        W : ndarray of shape (n_groups, n_sets, n_scores * n_columns), float64
            Coefficients, those of one score after those of another.

        Returns
        -------
        ndarray of the shape of W, float64
        """
        n_groups, n_sets, n_columns = self.ridge.shape
        lines = W.reshape(n_groups, -1, n_columns)
        total = np.zeros(lines.shape)
        size = max(BLOCK // lines.shape[1], 64)
        for first in range(0, self.X.shape[2], size):
            rows = slice(first, first + size)
            X = self.X[..., rows]
            # One product per group: its size, and so its rounding, is the same in every block.
            scores = np.matmul(lines, X)
            shares = scores.reshape(n_groups, n_sets, -1, X.shape[2])
            if self.is_absent is not None:
                shares[self.is_absent] = -np.inf
            weights = 1.0 if self.is_train is None else self.is_train[..., rows]
            shares = probabilities_of(shares, weights)
            total += np.matmul(shares.reshape(scores.shape), X.swapaxes(1, 2))
        by_score = W.reshape(n_groups, n_sets, -1, n_columns)
        penalty = self.ridge[:, :, None] * by_score
        return self.weight * (total.reshape(W.shape) - self.pull) + penalty.reshape(W.shape)


def class_sums(X: Stack, target: Stack, is_train: Stack | None = None) -> Stack:
    """Return the sums of the training rows of each class, where probabilities pull to.

    Parameters
    ----------
    X, is_train
        As in `LogLosses`.
    target : ndarray of shape (n_groups or 1, n_scores, n_rows), float64
        1 for the class of a row, else 0. One score for two classes: that of the second.

    Returns
    -------
    ndarray of shape (n_groups, n_sets, n_scores * n_columns), float64
    """
    members = target[:, None] if is_train is None else target[:, None] * is_train
    n_groups, n_sets, _, n_rows = members.shape
    sums = np.matmul(members.reshape(n_groups, -1, n_rows), X.swapaxes(1, 2))
    return np.asarray(sums.reshape(n_groups, n_sets, -1))


@dataclass(frozen=True, eq=False)
class Reference:
    """The optimum over all rows, each with the weight of the share of rows that train.

    Parameters
    ----------
    optimum : ndarray of shape (n_scores * n_columns,), float64
        Coefficients, column by column within each score; roughly the optimum.
    inverse : ndarray of shape (n_scores * n_columns, n_scores * n_columns), float64
        Inverse Hessian of the penalized loss there.
    """

    optimum: Floats
    inverse: Floats


def find_reference(X: Stack, target: Stack, ridge: Stack, weight: float) -> Reference:
    """Fit all rows at once; where that fails, as for numbers near overflow, all is nan.

    Parameters
    ----------
    X : ndarray of shape (n_columns, n_rows), float64
        All rows; the last column is the intercept's.
    target : ndarray of shape (n_scores, n_rows), float64
        As in `class_sums`.
    ridge : ndarray of shape (n_columns,), float64
        Penalty weights.
    weight : float
        Weight of every row.
    """
    pull = class_sums(X[None], target[None])
    losses = LogLosses(X[None], pull, ridge[None, None], weight=weight)
    # where all probabilities are equal, each score has this curvature, or a little less
    flat = _inverse(weight / max(2, len(target)) * (X @ X.T) + np.diag(ridge))
    reference = Reference(
        np.zeros(target.shape[0] * len(X)), np.asarray(np.kron(np.eye(len(target)), flat))
    )
    for _ in range(_ROUNDS):
        optimum, is_done = find_optima(
            losses, reference, np.ones((1, 1), dtype=bool), _ROUGH, _REFERENCE_STEPS
        )
        inverse = _inverse(hessian(X, optimum.reshape(len(target), -1), ridge, weight))
        reference = Reference(optimum[0, 0], inverse)
        if is_done.all():
            break
    return reference


def hessian(X: Stack, W: Stack, ridge: Stack, weight: float) -> Stack:
    """Return the Hessian of the penalized loss of all rows.

    Classes share one direction in which nothing changes, that of all intercepts together:
    it is given the curvature 1.

    Parameters
    ----------
    X, ridge, weight
        As in `find_reference`.
    W : ndarray of shape (n_scores, n_columns), float64
        Coefficients.

    Returns
    -------
    ndarray of shape (n_scores * n_columns, n_scores * n_columns), float64
    """
    n_scores, n_columns = W.shape
    size = n_scores * n_columns
    total = np.zeros((size, size))
    blocks = total.reshape(n_scores, n_columns, n_scores, n_columns)
    for start in range(0, X.shape[1], _ROWS):
        rows = X[:, start : start + _ROWS]
        shares = probabilities_of(W @ rows)
        if n_scores == 1:
            weighted = rows * np.sqrt(shares * (1 - shares))
            total += weighted @ weighted.T
            continue
        weighted = (shares[:, None, :] * rows).reshape(size, -1)
        total -= weighted @ weighted.T
        for k in range(n_scores):
            blocks[k, :, k, :] += (rows * shares[k]) @ rows.T
    total *= weight
    diagonal = np.arange(size)
    total[diagonal, diagonal] += np.tile(ridge, n_scores)
    if n_scores > 1:
        blocks[:, -1, :, -1] += 1.0
    return total


def find_optima(
    losses: LogLosses,
    reference: Reference,
    is_wanted: Mask,
    tolerance: float = _TOLERANCE,
    max_steps: int = _MAX_STEPS,
) -> tuple[Stack, Mask]:
    """Descend from a reference to the optimum of every set (BFGS).

    The inverse Hessian of every set starts as that of the reference, and learns from the steps
    of the set (Nocedal, 1980, with a memory that hardly any set exceeds).

    Parameters
    ----------
    losses : LogLosses
        What happens to a group depends on that group alone.
    reference : Reference
        Where to start.
    is_wanted : ndarray of shape (n_groups, n_sets), bool
        The others are not looked at.
    tolerance : float
        A set is done when a step promises no more than half of that, divided by the parameters.
    max_steps : int
        Steps after which to give up.

    Returns
    -------
    optima : ndarray of shape (n_groups, n_sets, n_scores * n_columns), float64
        Where each set ended.
    is_done : ndarray of shape (n_groups, n_sets), bool
        Whether it is done there.
    """
    most = tolerance / len(reference.optimum)
    here = np.tile(reference.optimum, (*is_wanted.shape, 1))
    optima, is_done = here.copy(), np.zeros(is_wanted.shape, dtype=bool)
    groups, is_open, past = np.arange(len(here)), is_wanted, list[tuple[Stack, ...]]()
    gradient = losses.gradients(here)
    for number in range(max_steps + 1):
        direction = -_times_inverse(gradient, past, reference.inverse)
        promise = -_dot(gradient, direction)
        is_near = is_open & (promise >= 0) & (promise <= most)
        group, own = np.nonzero(is_near)
        optima[groups[group], own] = (here + direction)[is_near]
        is_done[groups[group], own] = True
        is_open = is_open & (promise > most) & (promise < np.inf)
        stays: Mask = np.any(is_open, axis=1)
        if number == max_steps or not stays.any():
            group, own = np.nonzero(is_open)
            optima[groups[group], own] = here[is_open]
            break
        if stays.mean() < _STAY:
            losses, groups, is_open = losses.of(stays), groups[stays], is_open[stays]
            flat = np.repeat(stays, is_open.shape[1])
            past = [tuple(values[flat] for values in turn) for turn in past]
            here, gradient, direction = here[stays], gradient[stays], direction[stays]
            promise = promise[stays]
        direction[~is_open] = 0.0
        step, after = _search_line(losses, here, direction, promise, is_open)
        change = after - gradient
        curvature = _dot(step, change)
        r = np.divide(1.0, curvature, out=np.zeros_like(curvature), where=curvature > 0)
        flat_step, flat_change = (values.reshape(r.size, -1) for values in (step, change))
        past = [*past[-_MEMORY:], (flat_step, flat_change, r.ravel())]
        here, gradient = here + step, after
    return optima, is_done


def _search_line(
    losses: LogLosses, here: Stack, direction: Stack, promise: Stack, is_open: Mask
) -> tuple[Stack, Stack]:
    """Return the steps to take, and the gradients at their ends.

    Slopes alone decide: losses are convex, so one that still falls has fallen.
    """
    length = np.ones(promise.shape)
    step = direction
    for _ in range(_LINE_STEPS):
        gradient = losses.gradients(here + step)
        end = _dot(gradient, direction)
        is_steep = is_open & ~(end <= _UPHILL * promise)
        if not is_steep.any():
            break
        share = np.nan_to_num(promise / (promise + end))
        length[is_steep] *= np.clip(share[is_steep], 0.1, 0.8)
        step = length[..., None] * direction
    return step, gradient


def _times_inverse(gradient: Stack, past: list[tuple[Stack, ...]], inverse: Stack) -> Stack:
    """Return the inverse Hessians, as past steps changed them, times a gradient each."""
    from bestofk.batched._scatter import enter_step, leave_step

    product = gradient.reshape(-1, gradient.shape[-1]).copy()
    shares = np.empty((len(past), len(product)))
    for turn, share in zip(reversed(past), shares, strict=True):
        leave_step(*turn, product, share)
    product = np.matmul(product.reshape(gradient.shape), inverse).reshape(product.shape)
    for turn, share in zip(past, reversed(shares), strict=True):
        enter_step(*turn, product, share)
    return np.asarray(product.reshape(gradient.shape))


def probabilities_of(scores: Stack, weights: Stack | float = 1.0) -> Stack:
    """Turn scores into probabilities, in place.

    Parameters
    ----------
    scores : ndarray of shape (..., n_scores, n_rows), float64
        One score per row: log odds of the second class. More: one per class, up to a constant.
    weights : ndarray of shape (..., 1, n_rows), float64, or float, default=1.0
        What the probabilities of each row are multiplied by.

    Returns
    -------
    ndarray of the same shape, float64
        The scores, overwritten: of the second class, or of all.
    """
    if scores.shape[-2] == 1:
        np.negative(scores, out=scores)
        np.exp(scores, out=scores)
        scores += 1.0
        return np.divide(weights, scores, out=scores)
    scores -= scores.max(axis=-2, keepdims=True)
    np.exp(scores, out=scores)
    scores *= weights / scores.sum(axis=-2, keepdims=True)
    return scores


def _inverse(matrix: Stack) -> Stack:
    """Return the inverse of a matrix; nan where it has none."""
    try:
        return np.asarray(np.linalg.inv(matrix), dtype=np.float64)
    except np.linalg.LinAlgError:
        return np.full(matrix.shape, np.nan)


def _dot(first: Stack, second: Stack) -> Stack:
    product: Stack = np.matmul(first[..., None, :], second[..., None])[..., 0, 0]
    return product
