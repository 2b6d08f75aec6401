"""Compiled loops that solve with many small scatter matrices, singular ones too."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

# A pivot this small beside a diagonal of 1 is a column that depends on those before it; one
# between the two could be either.
_NO_PIVOT, _SURE_PIVOT = 1e-12, 1e-7


# matrix float64 (d, d) C: its upper half is overwritten. Returns the rank, -1 where it is not
# clear. O(d^3 / 3).
@njit(cache=True, nogil=True, error_model="numpy")
def _factor(matrix: Any) -> int:
    """Replace a positive semidefinite matrix A by U with A = U' U, its empty rows left out."""
    size = matrix.shape[0]
    rank = 0
    for k in range(size):
        pivot = matrix[k, k]
        if not pivot >= _SURE_PIVOT:
            if not pivot <= _NO_PIVOT:
                return -1
            continue
        pivot = 1.0 / math.sqrt(pivot)
        for j in range(k, size):
            matrix[k, j] *= pivot
        for i in range(k + 1, size):
            factor = matrix[k, i]
            if factor != 0.0:
                for j in range(i, size):
                    matrix[i, j] -= factor * matrix[k, j]
        for j in range(size):
            matrix[rank, j] = matrix[k, j] if j >= k else 0.0
        rank += 1
    return rank


# upper float64 (r, r) C: only its upper half is read; inverse (r, r): overwritten. Returns the
# sum of its squares. O(r^3 / 3).
@njit(cache=True, nogil=True, error_model="numpy")
def _invert(upper: Any, inverse: Any) -> float:
    """Invert an upper triangular matrix."""
    size = upper.shape[0]
    total = 0.0
    for i in range(size - 1, -1, -1):
        for j in range(size):
            inverse[i, j] = 0.0
        for k in range(i + 1, size):
            factor = upper[i, k]
            if factor != 0.0:
                for j in range(k, size):
                    inverse[i, j] -= factor * inverse[k, j]
        inverse[i, i] = 1.0
        pivot = 1.0 / upper[i, i]
        for j in range(i, size):
            inverse[i, j] *= pivot
            total += inverse[i, j] * inverse[i, j]
    return total


# inverse float64 (r, r) C, upper triangular; vector (r,): overwritten by inverse inverse' vector;
# work (r,): overwritten. O(r^2).
@njit(cache=True, nogil=True, error_model="numpy")
def _apply(inverse: Any, vector: Any, work: Any) -> None:
    """Multiply a vector by the inverse of U' U."""
    size = inverse.shape[0]
    for j in range(size):
        work[j] = 0.0
    for i in range(size):
        for j in range(i, size):
            work[j] += inverse[i, j] * vector[i]
    for i in range(size):
        total = 0.0
        for j in range(i, size):
            total += inverse[i, j] * work[j]
        vector[i] = total


# matrices float64 (b, d, d) C: overwritten; right (b, c, d); solutions (b, c, d): overwritten;
# bounds float64 (b,): overwritten by an upper bound of 1 / (smallest eigenvalue that is not 0),
# infinite where the rank is not clear; ranks int64 (b,): overwritten. O(b d^2 (d + c)).
@njit(cache=True, nogil=True, error_model="numpy")
def solve_scatters(matrices: Any, right: Any, solutions: Any, bounds: Any, ranks: Any) -> None:
    """Multiply vectors by the pseudo-inverse of positive semidefinite matrices of scale 1."""
    n_matrices, size = matrices.shape[0], matrices.shape[1]
    n_vectors = right.shape[1]
    spare = np.empty((size, size))
    inverse = np.empty((size, size))
    vector = np.empty(size)
    work = np.empty(size)
    for b in range(n_matrices):
        rank = _factor(matrices[b])
        ranks[b] = rank
        bounds[b] = np.inf
        if rank < 0:
            continue
        upper = matrices[b]
        if rank == size:
            bounds[b] = _invert(upper, inverse)
            for c in range(n_vectors):
                for i in range(size):
                    vector[i] = right[b, c, i]
                _apply(inverse, vector, work)
                for i in range(size):
                    solutions[b, c, i] = vector[i]
            continue
        # A = U' U has the pseudo-inverse U' (U U')^-2 U, and the eigenvalues of U U'
        for i in range(rank):
            for j in range(i, rank):
                spare[i, j] = 0.0
        for q in range(size):
            for i in range(rank):
                work[i] = upper[i, q]
            for i in range(rank):
                factor = work[i]
                if factor != 0.0:
                    for j in range(i, rank):
                        spare[i, j] += factor * work[j]
        if _factor(spare[:rank, :rank]) < rank:
            continue
        bounds[b] = _invert(spare[:rank, :rank], inverse[:rank, :rank])
        for c in range(n_vectors):
            for i in range(rank):
                total = 0.0
                for q in range(size):
                    total += upper[i, q] * right[b, c, q]
                vector[i] = total
            _apply(inverse[:rank, :rank], vector[:rank], work)
            _apply(inverse[:rank, :rank], vector[:rank], work)
            for q in range(size):
                solutions[b, c, q] = 0.0
            for i in range(rank):
                for q in range(size):
                    solutions[b, c, q] += upper[i, q] * vector[i]
