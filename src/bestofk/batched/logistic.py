"""Logistic regression on many training sets of a table, each from the optimum of all rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from numbers import Integral, Real
from typing import Any, Final

import numpy as np

from bestofk.array_types import Bools, Floats, Folds, Ints
from bestofk.batched.form import BatchedForm, BatchedPredictions
from bestofk.batched.parts import Parts
from bestofk.batched.shared_table import SharedTable, Subsets

# Scores computed at once: a few arrays of this size fit the second-level cache of a core.
BLOCK: Final = 1 << 15
# Rows whose Hessian is summed at once.
_ROWS: Final = 1024
# Maximum expected gain of a last step, in log loss, divided by the number of parameters:
# predictions are then within about 1e-5 of those at the optimum. The reference is only a start.
_TOLERANCE: Final = 2e-7
_ROUGH: Final = 1e-2
_MAX_STEPS: Final = 200
# Steps from one Hessian of the reference to the next, and Hessians.
_REFERENCE_STEPS: Final = 15
_ROUNDS: Final = 6
# A step is accepted if the upward slope at its end is at most this share of the downward slope at
# its start.
_UPHILL: Final = 0.5
_LINE_STEPS: Final = 12
# Past steps used for the inverse Hessian.
_MEMORY: Final = 30
# Finished groups are removed when at most this share of the groups is left.
_STAY: Final = 0.8

Stack = Floats
Mask = Bools
# Scores, or columns if each set has its own, processed at once: fewer calls, and they nearly fit
# the second-level cache of a core.
_BATCH: Final = 3 << 16
# Folds whose training parts are what subsets are on average, and shares of all rows that subsets
# start from the optimum of.
_USUAL_FOLDS: Final = 10
_SHARES: Final = [1.0, 0.5, 0.25, 0.125, 0.0625]
# Coefficients of a subset above which the plain learner's steps cost less.
_MOST_COEFFICIENTS: Final = 100
# The same limit in a subset, whose curvature differs more from that of the reference.
_SUBSET_TOLERANCE: Final = 1e-10
# Operations of scikit-learn: per call, per cell of text, and steps. Large products of Hessians are
# faster by this factor.
_PLAIN_CALLS, _PLAIN_TEXT, _PLAIN_STEPS, _FAST = 3e7, 1000, 46, 8
# Operations are estimated within about a tenth, and one plain fit in ten is done anyway, to time
# the learner itself.
_MARGIN = 1.2
# Steps that the plain learner must be allowed, and what makes a column uneven: a mean or a
# deviation above this, or a deviation below its inverse.
_FEWEST_STEPS, _MANY_STEPS, _EVEN = 100, 10_000, 3.0
# Parameters that may have any valid value: they affect only the distance from the optimum.
_FREE = ("C", "tol", "max_iter", "random_state", "warm_start")


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

    def select(self, groups: Mask) -> LogLosses:
        """Return the losses of only some groups."""
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
            Coefficients, score by score.

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
            # One product per group, so that size and rounding are the same in every block.
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
    """Return the sums of the training rows of each class, the targets of the probabilities.

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
    """The optimum over all rows, each weighted by the share of training rows.

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
    """Fit all rows at once; if that fails, as for numbers near overflow, everything is nan.

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
    # with equal probabilities, each score has this curvature, or a little less
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

    The loss is constant in one direction, that of all intercepts together, which gets the curvature
    1.

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

    The inverse Hessian of every set starts as that of the reference and is updated by the steps of
    the set (Nocedal, 1980, with a memory that few sets exceed).

    Parameters
    ----------
    losses : LogLosses
        Losses; groups do not affect each other.
    reference : Reference
        Start of the search.
    is_wanted : ndarray of shape (n_groups, n_sets), bool
        Sets to process.
    tolerance : float
        A set is done when the expected gain of a step is at most half of this, divided by the
        number of parameters.
    max_steps : int
        Steps after which to give up.

    Returns
    -------
    optima : ndarray of shape (n_groups, n_sets, n_scores * n_columns), float64
        Final coefficients of each set.
    is_done : ndarray of shape (n_groups, n_sets), bool
        Whether the set has converged.
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
            losses, groups, is_open = losses.select(stays), groups[stays], is_open[stays]
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

    Only slopes decide: losses are convex, so a loss with a downward slope has decreased.
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
    """Return the products of the updated inverse Hessians with the gradients."""
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
        Factors of the probabilities of each row.

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
    """Return the inverse of a matrix; nan if it is singular."""
    try:
        return np.asarray(np.linalg.inv(matrix), dtype=np.float64)
    except np.linalg.LinAlgError:
        return np.full(matrix.shape, np.nan)


def _dot(first: Stack, second: Stack) -> Stack:
    product: Stack = np.matmul(first[..., None, :], second[..., None])[..., 0, 0]
    return product


class LogisticForm(BatchedForm):
    """`LogisticRegression` (L2 penalty, solver lbfgs) on many parts.

    The optimum of a part is near that of all rows with equal total weight. The search starts there,
    with the Hessian at that point; scaling within a part is a separate penalty weight for every
    column. Predictions are closer to the optimum than those of scikit-learn at its default
    tolerance.
    """

    @classmethod
    def supports(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether the task is classification, and the learner has supported settings.

        The plain learner must have enough steps to reach the optimum: the default of one hundred
        for columns of similar size, a hundred times more for unscaled ones.
        """
        if table.n_classes < 2 or (table.preparation is None and not table.is_numeric):
            return False
        if table.n_columns == 0 or table.has_lasting_gaps:
            return False
        given, usual = estimator.get_params(), type(estimator)().get_params()
        if any(given[name] is not usual[name] and given[name] != usual[name]
               for name in given if name not in _FREE):  # fmt: skip
            return False
        is_valid = all(isinstance(given[name], Real) for name in ("C", "tol"))
        is_valid = is_valid and isinstance(given["max_iter"], Integral)
        if not (is_valid and 0 < given["C"] < inf and given["tol"] > 0):
            return False
        return bool(given["max_iter"] >= (_MANY_STEPS if _is_uneven(table) else _FEWEST_STEPS))

    @classmethod
    def is_faster(cls, estimator: Any, table: SharedTable, n_folds: int) -> bool:
        """Return whether ten fits cost no more operations, including shared work.

        Numbers of steps, and the costs of text cells and calls of scikit-learn, are averages over
        about sixty data sets.
        """
        size, n_rows = _n_coefficients(table), table.n_samples
        n_train = n_rows * (1 - 1 / n_folds)
        encoded = table.encoded
        is_text = np.array([step.is_nominal for step in encoded.steps], dtype=bool)
        n_texts = len(np.unique(encoded.attribute[is_text])) * n_rows
        plain = _PLAIN_CALLS + _PLAIN_TEXT * n_texts + _PLAIN_STEPS * 4 * n_train * size
        n_steps = min(10 + 100 * size / (n_train * n_folds), 50)
        batched = n_steps * (4 * n_train * size + 2 * size**2 + 4 * n_steps * size)
        shared = (2 * n_rows * size**2 + 2.6 * size**3) / _FAST + 35 * 4 * n_rows * size
        return bool(_MARGIN * (10 * batched + shared) <= 10 * plain)

    @classmethod
    def supports_subsets(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether there are few coefficients."""
        return _n_coefficients(table) <= _MOST_COEFFICIENTS

    def __init__(self, estimator: Any, table: SharedTable, n_folds: int = 0) -> None:
        super().__init__(estimator, table, n_folds)
        self._shares = [1 - 1 / n_folds] if n_folds else _SHARES
        with np.errstate(all="ignore"):
            self._columns = _Columns(table, float(estimator.C), n_folds or _USUAL_FOLDS)
            self._references = [self._columns.reference(share) for share in self._shares]

    def predict(self, folds: Folds, random_states: Ints | None = None) -> BatchedPredictions:
        """Find the optimum of every part; see `BatchedForm.predict`."""
        parts = self.table.parts(folds, self.n_folds)
        is_present = parts.class_counts > 0
        is_done: Bools = is_present.sum(axis=2) > 1
        if parts.is_active is not None:
            is_done &= parts.is_active.any(axis=2)
        n_lines = self._columns.X.shape[0] if self._columns.has_gaps else len(self._columns.target)
        size = max(_BATCH // (self.n_folds * self.table.n_samples * n_lines), 1)
        scores = np.zeros((len(folds), len(self._columns.target), self.table.n_samples))
        with np.errstate(all="ignore"):
            for first in range(0, len(folds), size):
                repeats = slice(first, first + size)
                is_done[repeats] = self._score(parts, repeats, is_done[repeats], scores[repeats])
            lacking = ~np.take_along_axis(is_present, folds[:, :, None].astype(np.int64), 1)
            return BatchedPredictions(*_predictions(scores, lacking), is_done=is_done)

    def _score(self, parts: Parts, repeats: slice, is_wanted: Bools, scores: Floats) -> Bools:
        """Write the scores of all rows, by the part that tests them; return which are done."""
        columns, folds = self._columns, parts.folds[repeats]
        is_train = (folds[:, None, None, :] != np.arange(self.n_folds)[:, None, None]) * 1.0
        X, ridge = columns.X[None], columns.penalties(parts)[repeats]
        is_absent = parts.class_counts[repeats] == 0
        # parts of a repeat share the rows, unless each fills missing values itself
        shape = is_wanted.shape
        if parts.fill is not None:
            n_sets, n_rows = is_wanted.size, scores.shape[2]
            all_rows = np.broadcast_to(np.arange(n_rows), (n_sets, n_rows))
            X = columns.rows(all_rows, parts.fill[repeats].reshape(n_sets, -1))
            shape = n_sets, 1
        losses = columns.losses(
            X, columns.target[None], ridge.reshape(*shape, -1), is_absent.reshape(*shape, -1),
            is_train.reshape(*shape, *is_train.shape[2:]),
        )  # fmt: skip
        W, is_done = find_optima(losses, self._references[0], is_wanted.reshape(shape))
        of_all = np.matmul(W.reshape(len(W), -1, X.shape[1]), X)
        of_all = of_all.reshape(*is_wanted.shape, scores.shape[1], -1)
        scores[:] = np.take_along_axis(of_all, folds[:, None, None].astype(np.int64), 1)[:, 0]
        return is_done.reshape(is_wanted.shape)

    def predict_subsets(
        self, subsets: Subsets, random_states: Ints | None = None
    ) -> BatchedPredictions:
        """Find the optimum of every subset; see `BatchedForm.predict_subsets`."""
        columns, start = self._columns, subsets.start
        n_samples, n_train = self.table.n_samples, subsets.train.shape[1]
        off = np.log(np.array(self._shares) * n_samples / n_train)
        reference = self._references[np.abs(off).argmin()]
        class_counts = subsets.class_counts(self.table)
        is_done: Bools = (class_counts > 0).sum(axis=1) > 1
        scores = np.zeros((1, len(columns.target), len(subsets.rows)))
        size = max(1, _BATCH // (n_train * len(columns.X)))
        parts = subsets.parts(self.table)
        ridge, fill = columns.penalties(parts)[:, :1], None
        with np.errstate(all="ignore"):
            for first in range(0, len(subsets), size):
                some = slice(first, first + size)
                if parts.fill is not None:
                    fill = parts.fill[some, 0]
                X = columns.rows(subsets.train[some], fill)
                target = columns.target[:, subsets.train[some]].swapaxes(0, 1)
                is_absent = class_counts[some, None] == 0
                losses = columns.losses(X, target, ridge[some], is_absent)
                W, done = find_optima(losses, reference, is_done[some, None], _SUBSET_TOLERANCE)
                is_done[some] = done[:, 0]
                for s, coefficients in enumerate(W[:, 0], first):
                    rows = slice(start[s], start[s + 1])
                    W_s = coefficients.reshape(len(columns.target), -1)
                    own = None if fill is None else fill[s - first : s - first + 1]
                    scores[0][:, rows] = W_s @ columns.rows(subsets.rows[None, rows], own)[0]
            lacking = np.repeat(class_counts == 0, np.diff(start), axis=0)
            labels, shares = _predictions(scores, lacking[None])
        return BatchedPredictions(labels[0], shares[0], is_done=is_done)


class _Columns:
    """The columns of a table in units that suit all training sets, and the target.

    Standardizing within a set is a change of units: in the shared units, the same model results if
    each penalty is multiplied by the square of the set's unit; the intercept absorbs the shift.

    Parameters
    ----------
    table : SharedTable
        The data.
    C : float
        Inverse strength of the penalty.
    n_folds : int
        Number of folds whose training parts have the average size of the sets.

    Attributes
    ----------
    X : ndarray of shape (n_columns + 1, n_samples), float64
        All rows, with average fill values of the sets; the last line is 1.
    target : ndarray of shape (n_scores, n_samples), float64
        1 for the class of a row, else 0. One line for two classes: the second's.
    """

    def __init__(self, table: SharedTable, C: float, n_folds: int) -> None:
        self._encoded, self._C, self.has_gaps = table.encoded, C, table.has_missing
        is_number = np.array([not step.is_nominal for step in self._encoded.steps], dtype=bool)
        matrix = self._encoded.matrix
        every_nth = (np.arange(table.n_samples) % n_folds).astype(np.int32)
        self._usual = usual = table.parts(every_nth[None], n_folds)
        if usual.fill is not None and self._encoded.is_missing is not None:
            matrix = np.where(self._encoded.is_missing, usual.fill[0].mean(axis=0), matrix)
        self._center = np.where(is_number, matrix.mean(axis=0), 0.0)
        self._spread = np.where(is_number, matrix.std(axis=0), 1.0)
        self._spread[self._spread == 0] = 1.0
        self.X = np.vstack([((matrix - self._center) / self._spread).T, np.ones(len(matrix))])
        classes = (
            np.arange(table.n_classes)[-1:] if table.n_classes == 2 else range(table.n_classes)
        )
        self.target = np.asarray(table.y == np.array(classes)[:, None], dtype=np.float64)

    def reference(self, share: float) -> Reference:
        """Return the optimum of all rows, each weighted by the share of training rows."""
        ridge = self.penalties(self._usual)[0].mean(axis=0)
        return find_reference(self.X, self.target, ridge, share)

    def penalties(self, parts: Parts) -> Floats:
        """Return the penalty weights of sets in the units of X, and 0 for the intercept.

        Shape (n_repeats, n_folds, n_columns + 1).
        """
        penalties = np.zeros((parts.n_repeats, parts.n_folds, len(self.X)))
        penalties[..., :-1] = 1 / (self._C * self._spread**2)
        if parts.scaling is not None:
            # A column that is constant in a set gets the coefficient 0 with any penalty.
            _, factor, is_constant = parts.scaling
            penalties[..., :-1] /= np.where(is_constant, 1.0, factor) ** 2
        return penalties

    def rows(self, rows: Ints, fill: Floats | None) -> Floats:
        """Return rows of X as each set fills them, shape (n_sets, n_columns + 1, n_rows).

        Parameters
        ----------
        rows : ndarray of shape (n_sets, n_rows)
            Of each set.
        fill : ndarray of shape (n_sets, n_columns), or None
            Values of `Parts.fill`; None if no value is missing.
        """
        X = np.ascontiguousarray(self.X[:, rows].swapaxes(0, 1))
        if fill is not None and self._encoded.is_missing is not None:
            is_missing = self._encoded.is_missing.T[:, rows].swapaxes(0, 1)
            units = (fill - self._center) / self._spread
            np.copyto(X[:, :-1], units[:, :, None], where=is_missing)
        return X

    def losses(
        self,
        X: Floats,
        target: Floats,
        ridge: Floats,
        is_absent: Bools,
        is_train: Floats | None = None,
    ) -> LogLosses:
        """Return the losses of sets that may lack classes; see `LogLosses`."""
        pull = class_sums(X, target, is_train)
        if len(self.target) == 1 or not is_absent.any():
            return LogLosses(X, pull, ridge, is_train)
        # For two classes, the plain learner has one score, with half the penalty of two.
        is_pair = is_absent.shape[2] - is_absent.sum(axis=2) == 2
        ridge = np.where(is_pair[..., None], 2 * ridge, ridge)
        return LogLosses(X, pull, ridge, is_train, is_absent)


def _predictions(scores: Floats, lacking: Bools) -> tuple[Ints, Floats]:
    """Return labels and probabilities of all classes, (.., n_rows) and (.., n_rows, n_classes).

    Parameters
    ----------
    scores : ndarray of shape (n_repeats, n_scores, n_rows)
        Overwritten.
    lacking : ndarray of shape (n_repeats, n_rows, n_classes), bool
        Classes missing from the training set of a row.
    """
    if scores.shape[1] == 1:
        labels = (scores[:, 0] > 0).astype(np.int64)
        second = probabilities_of(scores)[:, 0]
        return labels, np.stack([1 - second, second], axis=2)
    scores[lacking.swapaxes(1, 2)] = -np.inf
    return scores.argmax(axis=1), probabilities_of(scores).swapaxes(1, 2)


def _n_coefficients(table: SharedTable) -> int:
    n_scores = table.n_classes if table.n_classes > 2 else 1
    return n_scores * (table.n_columns + 1)


def _is_uneven(table: SharedTable) -> bool:
    """Return whether columns differ so much in size that the learner stops before the optimum."""
    is_raw = np.array([step.scale is None for step in table.encoded.steps], dtype=bool)
    columns = table.encoded.matrix[:, is_raw]
    with np.errstate(over="ignore", invalid="ignore"):
        means, deviations = np.abs(columns.mean(axis=0)), columns.std(axis=0)
    is_far = ~(means <= _EVEN) | ~(deviations <= _EVEN)
    is_binary = ((columns == 0) | (columns == 1)).all(axis=0)
    is_flat = (deviations > 0) & (deviations < 1 / _EVEN) & ~is_binary
    return bool((is_far | is_flat).any())
