"""Linear discriminant analysis of every training part."""

import math
from functools import cache
from typing import Any

import numpy as np

from bestofk.array_types import Bools, Floats, Folds, Ints
from bestofk.batched.scatter import (
    CenteredRows,
    DiscriminantForm,
    PartBlock,
    are_constants_exact,
    filled_products,
    is_in_doubles,
)
from bestofk.batched.shared_table import SharedTable

# Scatter matrices with a larger inverse lose too many digits.
_LARGEST_INVERSE = 1e6
# Distance of a singular value from its threshold within which rounding could decide.
_NEAR = 1e-6
# Rounding of class means outside the spread, divided by the cube of its smallest value.
_LARGEST_LEAK = 1e6
# Eigenvalues of a scatter matrix that are 0 up to rounding, per column.
_LEAST_SQUARE = 2e-12


def solve_parts(
    scatter: Floats, counts: Floats, is_binary: Bools, tol: float
) -> tuple[Floats, Floats, Bools]:
    """Return weights, intercepts, and where they certainly agree with scikit-learn.

    Parameters
    ----------
    scatter : ndarray of shape (n_parts, n_columns + n_classes, n_columns)
        Sums of products of columns, and sums of columns by class.
    counts : ndarray of shape (n_parts, n_classes), float64
        Rows of each class.
    is_binary : ndarray of shape (n_columns,), bool
        Columns of 0 and 1.
    tol : float, above 0
        Singular values of the spread within classes up to this count as 0.
    """
    from bestofk.batched._scatter import solve_discriminants

    (n_parts, n_classes), n_columns = counts.shape, len(is_binary)
    weights, intercepts = np.empty((n_parts, n_classes, n_columns)), np.empty(counts.shape)
    between, bounds = np.empty((n_parts, n_classes, n_classes)), np.empty(n_parts)
    is_bit = is_binary.view(np.uint8)
    solve_discriminants(scatter, counts, is_bit, weights, intercepts, between, bounds)
    # half, to allow for the divisor of older versions
    is_sure = bounds < min(_LARGEST_INVERSE, 0.5 / tol**2)
    if n_classes > 2 and not _are_weighty(between[is_sure], tol):
        for part in _with_faint_discriminants(between, counts, is_sure, tol):
            is_sure[part] = _drop_discriminants(
                weights[part], intercepts[part], between[part], counts[part], tol
            )
    return weights, intercepts, is_sure


def _are_weighty(between: Floats, tol: float) -> bool:
    """Return whether all discriminants of all parts have weight, without computing eigenvalues.

    Eigenvalues lie between those of the whole without its last row and column (Cauchy's
    interlacing theorem). The bound is twice that of `_with_faint_discriminants`: rounding in one
    of them never decides which is asked.
    """
    inner, indices = between[:, :-1, :-1].copy(), np.arange(between.shape[1] - 1)
    floors = 4 * tol**2 * np.trace(between, axis1=1, axis2=2)
    inner[:, indices, indices] -= floors[:, None]
    try:
        np.linalg.cholesky(inner)
    except np.linalg.LinAlgError:
        return False
    return True


def _with_faint_discriminants(between: Floats, counts: Floats, is_sure: Bools, tol: float) -> Ints:
    """Return parts that may have fewer discriminants with weight than classes minus 1."""
    parts = np.flatnonzero(is_sure)
    values = np.linalg.eigvalsh(between[parts])
    n_weighty = (values > 2 * tol**2 * values[:, -1:]).sum(axis=1)
    return np.asarray(parts[n_weighty + 1 < (counts[parts] > 0).sum(axis=1)])


def _drop_discriminants(
    weights: Floats, intercepts: Floats, between: Floats, counts: Floats, tol: float
) -> bool:
    """Drop in place, like scikit-learn, discriminants along which means hardly differ.

    Returns False if rounding could decide.
    """
    there = np.flatnonzero(counts)
    inner = between[np.ix_(there, there)]
    values, vectors = np.linalg.eigh(inner)
    if not values[-1] > 0:
        return False
    ratios, threshold = values / values[-1], tol**2
    if (np.abs(ratios - threshold) < max(1e-3 * threshold, 1e-11)).any():
        return False
    roots = np.sqrt(counts[there])
    kept = vectors[:, ratios > threshold]
    project = (kept @ kept.T) * roots / roots[:, None]
    shifts = intercepts[there] + 0.5 * np.diagonal(inner) / counts[there]
    weights[there] = project @ weights[there]
    squares = (kept**2 @ values[ratios > threshold]) / counts[there]
    intercepts[there] = project @ shifts - 0.5 * squares
    return True


def decompose_part(
    part: Floats, y: Ints, columns: CenteredRows, tol: float, weights: Floats, intercepts: Floats
) -> bool:
    """Find the discriminant functions of one part by singular values, like scikit-learn.

    Parameters
    ----------
    part : ndarray of shape (n_train, n_columns)
        The training rows, filled.
    y : ndarray of shape (n_train,), int64
        Their classes.
    columns : CenteredRows
        Statistics of the columns.
    tol : float, above 0
        Singular values of the spread within classes up to this count as 0.
    weights : ndarray of shape (n_classes, n_columns)
        Overwritten.
    intercepts : ndarray of shape (n_classes,)
        Overwritten; the logarithm of the priors is to be added.

    Returns
    -------
    bool
        False if rounding could decide.
    """
    there, first, codes, counts = np.unique(
        y, return_index=True, return_inverse=True, return_counts=True
    )
    n_train = len(y)
    is_class = (codes == np.arange(len(there))[:, None]) * 1.0
    means = is_class @ part / counts[:, None]
    center = counts @ means / n_train
    within = part - means[codes]
    spread = np.sqrt((within**2).mean(axis=0))
    is_flat = (part == part[first][codes]).all(axis=0)
    if (is_flat & ~columns.is_surely_flat(part)).any():
        return False
    spread[is_flat] = 1.0
    within[:, is_flat] = 0.0
    within /= spread * math.sqrt(n_train)
    result = _directions(within, tol * math.sqrt(1 - lost_degrees() * len(there) / n_train))
    if result is None:
        return False
    values, axes = result
    offsets = (means - center) / spread
    inside = offsets @ axes.T
    leak = np.abs(offsets - inside @ axes).max(initial=0.0)
    inside /= values
    result = _directions(np.sqrt(counts)[:, None] * inside, tol, is_relative=True)
    if result is None or leak / values[-1] ** 3 > _LARGEST_LEAK:
        return False
    kept = inside @ result[1].T
    weights[:], intercepts[:] = 0.0, 0.0
    weights[there] = (kept @ result[1] / values) @ axes / spread
    intercepts[there] = -0.5 * (kept**2).sum(axis=1) - weights[there] @ center
    return True


def _directions(
    matrix: Floats, tol: float, *, is_relative: bool = False
) -> tuple[Floats, Floats] | None:
    """Return the singular values above a threshold and their right vectors.

    None if there is none, or if one is so near to the threshold that rounding decides.
    """
    try:
        triangle = np.linalg.qr(matrix, mode="r")
        _, values, axes = np.linalg.svd(triangle, full_matrices=False)
    except np.linalg.LinAlgError:
        return None
    scale = values[0] if is_relative and len(values) else 1.0
    threshold = tol * scale
    is_near = np.abs(values - threshold) < max(_NEAR * threshold, 1e-12 * scale)
    is_kept = values > threshold
    if is_near.any() or not is_kept.any():
        return None
    return values[is_kept], axes[is_kept]


@cache
def lost_degrees() -> int:
    """Return 1 if scikit-learn divides the scatter by rows minus classes, 0 if by rows."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    rows = np.array([[0.0], [2.0], [10.0], [12.0]])
    plain = LinearDiscriminantAnalysis().fit(rows, [0, 0, 1, 1])
    return 0 if plain.coef_[0, 0] > 7.5 else 1  # 10 over the variance, which is 1 or 2


class LinearDiscriminantForm(DiscriminantForm):
    """scikit-learn's `LinearDiscriminantAnalysis` with its solver ``svd``, on many parts.

    The scatter of every part is that of all rows minus that of the fold. Predictions do not depend
    on shift and scale of the columns, so scaling is skipped, and filling missing cells is linear in
    the fill values.
    """

    def __init__(self, estimator: Any, table: SharedTable, n_folds: int) -> None:
        super().__init__(estimator, table, n_folds)
        self.rows, self.tol = CenteredRows(table), float(estimator.tol)
        is_class = 1.0 * (table.y[:, None] == np.arange(table.n_classes))
        n_values = self.rows.values.shape[1]
        self.multiply(np.hstack([self.rows.values, is_class]), n_values)

    @classmethod
    def supports(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether solver and priors are the default ones."""
        return (
            table.n_classes > 1
            and is_in_doubles(table)
            and estimator.solver == "svd"
            and estimator.shrinkage is None
            and estimator.priors is None
            and estimator.covariance_estimator is None
            and estimator.n_components is None
            and estimator.tol**2 > _LEAST_SQUARE * table.n_columns
            and are_constants_exact(table)
        )

    def _score(
        self, here: PartBlock, counts: Floats, folds: Folds, scores: Floats
    ) -> tuple[Floats, Bools]:
        scatter, gaps, n_columns = here.products[:, 0], here.gaps, self.rows.n_columns
        if gaps is not None:
            scatter = filled_products(scatter, gaps, n_columns)
        weights, intercepts, is_sure = solve_parts(scatter, counts, self.rows.is_binary, self.tol)
        n_train, n_present = counts.sum(axis=1), (counts > 0).sum(axis=1)
        is_done = (n_present > 1) & (n_train > n_present)
        for number in np.flatnonzero(is_done > is_sure).tolist():
            repeat, fold = divmod(here.parts.start + number, self.n_folds)
            is_train = folds[repeat] != fold
            part = self.rows.values[is_train]
            if gaps is not None:
                part[:, :n_columns] += part[:, n_columns:] @ gaps[number]
            is_done[number] = decompose_part(
                part[:, :n_columns], self.table.y[is_train], self.rows, self.tol,
                weights[number], intercepts[number],
            )  # fmt: skip
        if not is_done.all():
            weights[~is_done], intercepts[~is_done] = 0.0, 0.0
        if lost_degrees():
            ratio = (n_train - n_present) / n_train
            weights *= ratio[:, None, None]
            intercepts *= ratio[:, None]
        with np.errstate(divide="ignore"):
            intercepts += np.log(counts / n_train[:, None])
        if gaps is not None:
            weights = np.concatenate([weights, weights @ np.swapaxes(gaps, -1, -2)], axis=-1)
        np.matmul(weights, here.rows[..., : weights.shape[2]].swapaxes(1, 2), out=scores)
        return intercepts, is_done
